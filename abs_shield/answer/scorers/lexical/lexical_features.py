"""Features of a claim: how much of its words, letters, numbers and names the evidence has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log1p

from abs_shield.answer.claim_types import WordCount
from abs_shield.answer.evidence.sentence_index import SentenceIndex, ngrams, squeeze
from abs_shield.text.stem import stem
from abs_shield.text.tokens import Token, tokens

FEATURES = {
    "recall_window": 1, "letters_near": 1, "letters_whole": 1, "novel_sum": -1,
    "number_absent": -1, "name_absent": -1, "speaker": -1,
}  # fmt: skip
"""The features, and the sign of their influence: for the claim (1) or against it (-1)."""
# 400 words are some 20 sentences in one claim
MOST_WORDS = 400
"""Words of a claim that are read; the score of a longer claim is capped at even odds."""
# each character begins an n-gram that is looked up
_SPELT = 4_000
"""Characters of a claim whose spelling is compared."""
_NEAREST = 3  # as many as a report shows
_FIRST_PERSON = frozenset(map(stem, ("i", "i'm", "i've", "i'd", "i'll", "me", "my", "myself")))
"""Words of a speaker about itself."""
_INTRODUCTION = 5  # the words of "I can also confirm that"


class Idf(dict[str, float]):
    """Rarity of words, in [0, 1]; 1 for unlisted words."""

    def __missing__(self, word: str) -> float:
        return 1.0  # a word that the training data lacks is rare


@dataclass(frozen=True, slots=True)
class ClaimFeatures:
    """
    The features of one claim.

    Attributes:
        values: One number, from 0 to about 1, for each of `FEATURES`.
        places: The nearest sentences of the index, best first; at most three.
        absent: Its numbers and names that the evidence does not have.
        empty: Whether it has no content words and numbers.
        cut: Whether it has more words than are read.
        count: Its words, function words included, and how many of them the evidence has.
    """

    values: tuple[float, ...]
    places: tuple[int, ...]
    absent: tuple[Token, ...]
    empty: bool
    cut: bool
    count: WordCount


def features_of(
    claim: str,
    index: SentenceIndex,
    *,
    question_keys: frozenset[str],
    idf: Mapping[str, float],
    has_word: Callable[[Token], bool] | None = None,
) -> ClaimFeatures:
    """
    Compute the features of a claim from its first 400 words.

    Args:
        claim: The claim.
        index: The evidence.
        question_keys: The keys of the question's words.
        idf: How rare a word is.
        has_word: Whether the evidence has a word; by the index if None.
    """
    read = tokens(claim, most=MOST_WORDS + 1)  # one more shows whether words are left out
    words = read[:MOST_WORDS]
    content = [word for word in words if word.content or (word.figure and not word.counts)]
    weights = {word.key: idf[word.key] if word.content else 1.0 for word in content}
    has = has_word or index.has
    absent = [word for word in content if not has(word)]
    places = _nearest(weights, index)
    values = {
        "recall_window": _recall(weights, index, places),
        **_letters(claim[: min(words[-1].end, _SPELT)] if words else "", index, places),
        **_novelty(absent, weights, question_keys),
        # documents say nothing about the speaker, unless they are in the first person themselves
        "speaker": float(_speaks(words) and index.words.isdisjoint(_FIRST_PERSON)),
    }
    # a name of the question is no invention of the answer
    reported = [
        word for word in absent if word.figure or (word.is_name and word.key not in question_keys)
    ]
    return ClaimFeatures(
        tuple([values[name] for name in FEATURES]),
        places,
        tuple(reported),
        empty=not content,
        cut=len(read) > MOST_WORDS,
        count=_count(words, index, has),
    )


def count_words(text: str, index: SentenceIndex) -> WordCount:
    """Count the first 400 words of *text*, function words included, and those of the evidence."""
    return _count(tokens(text, most=MOST_WORDS), index, index.has)


def _count(words: Sequence[Token], index: SentenceIndex, has: Callable[[Token], bool]) -> WordCount:
    if _has_new_number(words, has):
        # "It was built in 1925": the function words beside a wrong year do not support it
        words = [word for word in words if word.content or word.figure]
    # data has no function words: all of them count as found
    found = [has(word) or not (index.is_text or word.content or word.figure) for word in words]
    return WordCount(sum(found), len(found))


def _has_new_number(words: Sequence[Token], has: Callable[[Token], bool]) -> bool:
    return any(word.figure and not word.counts and not has(word) for word in words)


def _nearest(weights: Mapping[str, float], index: SentenceIndex) -> tuple[int, ...]:
    """Return the sentences that share most with the claim."""
    shared: dict[int, float] = {}
    for word, weight in weights.items():
        for place in index.postings.get(word, ()):
            shared[place] = shared.get(place, 0.0) + weight
    # by place if equal, so that results do not depend on the order of words
    return tuple(sorted(shared, key=lambda place: (-shared[place], place))[:_NEAREST])


def _recall(weights: Mapping[str, float], index: SentenceIndex, places: Sequence[int]) -> float:
    """Compute how much of the claim, by rarity, its nearest sentence and that one's window have."""
    window = index.window(places[0]) if places else frozenset()
    covered = sum(weight for word, weight in weights.items() if word in window)
    return covered / (sum(weights.values()) or 1.0)


def _letters(claim: str, index: SentenceIndex, places: Sequence[int]) -> dict[str, float]:
    """Compute how much of the claim is spelt as the evidence spells something."""
    parts, near = ngrams(squeeze(claim)), index.near(places)
    return {
        "letters_near": _share([part in near for part in parts]),
        "letters_whole": _share([part in index.ngrams for part in parts]),
    }


def _speaks(words: Sequence[Token]) -> bool:
    """Return whether a claim is about its speaker; "I can confirm that" only introduces one."""
    keys = [word.key for word in words]
    return any(
        key in _FIRST_PERSON and "that" not in keys[place : place + _INTRODUCTION]
        for place, key in enumerate(keys)
    )


def _novelty(
    absent: Sequence[Token],
    weights: Mapping[str, float],
    question_keys: frozenset[str],
) -> dict[str, float]:
    """Compute how much of the claim neither the evidence nor the question has."""
    new = [word for word in absent if word.key not in question_keys]
    words = {word.key for word in new if word.content}
    return {
        # divided by 3 to be near 1, like the other features
        "novel_sum": log1p(sum(sorted(weights[word] for word in words))) / 3,
        "number_absent": float(any(word.figure is not None for word in new)),
        "name_absent": float(any(word.is_name for word in new)),
    }


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else 0.5  # no n-grams: neither for nor against

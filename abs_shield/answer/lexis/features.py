"""What is measured of one claim against the evidence: how much of it stands there, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log1p

from abs_shield.answer.index import HEAD, Index, Sentence
from abs_shield.answer.lexis.letters import runs, squeezed
from abs_shield.text.opposites import OPPOSITES
from abs_shield.text.polarity import negated, negating, without_reply
from abs_shield.text.tokens import Token, tokens

FEATURES = {
    "recall_best": 1, "recall_window": 1, "recall_whole": 1,
    "akin_window": 1, "akin_whole": 1,
    "word_recall": 1, "word_recall_best": 1,
    "letters_near": 1, "letters_whole": 1,
    "bigram_recall": 1, "trigram_recall": 1, "pair_recall": 1, "covered": 1, "order_in_best": 1,
    "unseen_stretch": -1, "unseen_share": -1,
    "novel_share": -1, "novel_sum": -1,
    "number_absent": -1, "number_absent_share": -1,
    "name_absent": -1, "name_absent_share": -1,
    "negation_added": -1, "negation_dropped": -1, "negation_moved": -1,
    "opposite": -1,
}  # fmt: skip
"""The features, and whether more of one speaks for the claim (1) or against it (-1)."""
MOST_WORDS = 400
"""Words of a claim that are read; a longer claim is never more than even odds."""
_SPELT = 4_000
"""Characters of a claim of which the spelling is compared."""
_CLOSE = 6
_NEAREST = 3
_AKIN = 0.6
_STRETCH = 12


class Idf(dict[str, float]):
    """How rare a word is, in [0, 1]; 1 of those that are not listed."""

    def __missing__(self, word: str) -> float:
        return 1.0


@dataclass(frozen=True, slots=True)
class Measured:
    """
    A claim against the evidence.

    Attributes:
        values: One number, from 0 to about 1, for each of `FEATURES`.
        places: The nearest sentences of the index, best first; at most three.
        absent: Its numbers and names that stand nowhere.
        cut: Whether it has more words than are read.
    """

    values: tuple[float, ...]
    places: tuple[int, ...]
    absent: tuple[Token, ...]
    cut: bool


@dataclass(frozen=True, slots=True)
class _Said:
    """The words of a claim that say something, and what of them is new."""

    words: Sequence[Token]
    content: Sequence[Token]
    weights: Mapping[str, float]
    total: float
    absent: Sequence[Token]
    asked: frozenset[str]


def measured(
    claim: str,
    index: Index,
    *,
    asked: frozenset[str],
    idf: Mapping[str, float],
    known: Callable[[Token], bool] | None = None,
) -> Measured:
    """
    Measure a claim by its first 400 words.

    Args:
        claim: The claim.
        index: The evidence.
        asked: The keys of the question's words.
        idf: How rare a word is.
        known: Which words stand somewhere; those of the index where None.
    """
    known = known or index.has
    read = tokens(claim, most=MOST_WORDS + 1)
    words = read[:MOST_WORDS]
    content = [word for word in words if word.content or (word.figure and not word.counts)]
    weights = {word.key: idf[word.key] if word.content else 1.0 for word in content}
    absent = [word for word in content if not known(word)]
    said = _Said(words, content, weights, sum(weights.values()) or 1.0, absent, asked)
    places = _nearest(weights, index)
    best = index.sentences[places[0]] if places else None
    found = _recalls(said, index, places, best)
    found |= _neighbours(said, index)
    found |= _new(said)
    stated = len(claim) - len(without_reply(claim).lstrip())
    found |= _against(said, best, stated)
    found["count_absent"] = _any(word.counts and not known(word) for word in words)
    found |= _beside(said, best)
    found |= _lettered(claim[: min(words[-1].end, _SPELT)] if words else "", index, places)
    shown = tuple(word for word in absent if word.figure or (word.named and word.key not in asked))
    return Measured(
        tuple([found[name] for name in FEATURES]), places, shown, len(read) > MOST_WORDS
    )


def _nearest(weights: Mapping[str, float], index: Index) -> tuple[int, ...]:
    """The sentences that share most with the claim."""
    shared: dict[int, float] = {}
    for word, weight in weights.items():
        for place in index.postings.get(word, ()):
            shared[place] = shared.get(place, 0.0) + weight
    return tuple(sorted(shared, key=lambda place: (-shared[place], place))[:_NEAREST])


def _recalls(
    said: _Said, index: Index, places: Sequence[int], best: Sentence | None
) -> dict[str, float]:
    there = best.places if best else {}
    window = index.window(places[0]) if places else frozenset()
    heads = {word[:HEAD] for word in window}
    new = {word.key for word in said.absent}
    recall_best = recall_window = recall_whole = akin_window = akin_whole = 0.0
    for word, weight in said.weights.items():
        head = word[:HEAD]
        recall_best += weight * (word in there)
        recall_window += weight * (word in window)
        recall_whole += weight * (word not in new)
        akin_window += weight * (head in heads)
        akin_whole += weight * (1.0 if word not in new else _AKIN * (head in index.heads))
    return {
        "recall_best": recall_best / said.total,
        "recall_window": recall_window / said.total,
        "recall_whole": recall_whole / said.total,
        "akin_window": akin_window / said.total,
        "akin_whole": akin_whole / said.total,
        "word_recall": _share([word.key in index.words for word in said.words if not word.small]),
    }


def _neighbours(said: _Said, index: Index) -> dict[str, float]:
    """How many neighbours of the claim are neighbours in the evidence."""
    keys = [word.key for word in said.words]
    content = [word.key for word in said.words if word.content or word.figure]
    seen = [pair in index.bigrams for pair in pairwise(keys)]
    triples = [three in index.trigrams for three in zip(keys, keys[1:], keys[2:], strict=False)]
    longest = _longest_unseen(seen)
    return {
        "bigram_recall": _share(seen),
        "trigram_recall": _share(triples),
        "covered": _covered(triples, len(keys)),
        "pair_recall": _share([pair in index.pairs for pair in pairwise(content)]),
        "unseen_stretch": min(longest, _STRETCH) / _STRETCH,
        "unseen_share": longest / len(seen) if seen else 1.0,
    }


def _longest_unseen(seen: Sequence[bool]) -> int:
    longest = run = 0
    for known in seen:
        run = 0 if known else run + 1
        longest = max(longest, run)
    return longest


def _covered(triples: Sequence[bool], n: int) -> float:
    """The share of *n* words that are in three words which the evidence has side by side."""
    covered = reach = 0
    for start, known in enumerate(triples):
        if known:
            covered += start + 3 - max(start, reach)
            reach = start + 3
    return covered / n if n > 2 else 0.5


def _new(said: _Said) -> dict[str, float]:
    new = {word.key for word in said.absent if word.content}
    rare = [said.weights[word] for word in new - said.asked]
    numbers = sum(word.figure is not None for word in said.content)
    names = sum(word.named for word in said.content)
    unasked = [word for word in said.absent if word.key not in said.asked]
    odd = sum(word.figure is not None for word in unasked)
    unknown = sum(word.named for word in unasked)
    return {
        "novel_share": len(new) / max(1, len(said.weights)),
        "novel_sum": log1p(sum(sorted(rare))) / 3,
        "number_absent": float(odd > 0),
        "number_absent_share": odd / max(1, numbers),
        "name_absent": float(unknown > 0),
        "name_absent_share": unknown / max(1, names),
    }


def _against(said: _Said, best: Sentence | None, stated: int) -> dict[str, float]:
    """What the nearest sentence says otherwise than the claim does from place *stated* on."""
    there: Mapping[str, int] = best.places if best else {}
    words = [word for word in said.words if word.start >= stated]
    denies = any(negating(word) for word in words)
    mine = negated(words) if denies else frozenset()
    theirs = best.negated if best else frozenset()
    shared = [word for word in said.weights if word in there]
    turned = [word for word in said.weights if word not in there and word in OPPOSITES]
    return {
        "negation_added": float(best is not None and denies and not best.negates),
        "negation_dropped": _any(not denies and word in theirs for word in shared),
        "negation_moved": _any(denies and (word in mine) != (word in theirs) for word in shared),
        "opposite": _any(not OPPOSITES[word].isdisjoint(there) for word in turned),
    }


def _beside(said: _Said, best: Sentence | None) -> dict[str, float]:
    """How the claim's words stand in the nearest sentence."""
    if best is None:
        return {"word_recall_best": 0.0, "order_in_best": 0.0}
    words = set(best.words)
    places = [best.places.get(word.key, -1) for word in said.content]
    follows = [a >= 0 and b >= 0 and 0 < b - a <= _CLOSE for a, b in pairwise(places)]
    return {
        "word_recall_best": _share([word.key in words for word in said.words]),
        "order_in_best": _share(follows),
    }


def _lettered(claim: str, index: Index, places: Sequence[int]) -> dict[str, float]:
    """How much of the claim is spelt as the evidence spells something."""
    said, near = runs(squeezed(claim)), index.near(places)
    return {
        "letters_near": _share([run in near for run in said]),
        "letters_whole": _share([run in index.runs for run in said]),
    }


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else 0.5


def _any(hits: Iterable[bool]) -> float:
    return float(any(hits))

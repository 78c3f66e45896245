"""What is measured of one claim against the evidence: how much of it stands there, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log1p

from abs_shield.answer.evidence.letters import runs, squeezed
from abs_shield.answer.evidence.sentence_index import Index
from abs_shield.text.tokens import Token, tokens

FEATURES = {
    "recall_window": 1, "recall_whole": 1,
    "letters_near": 1, "letters_whole": 1,
    "bigram_recall": 1, "unseen_share": -1,
    "novel_sum": -1,
    "number_absent": -1, "number_absent_share": -1, "name_absent": -1,
}  # fmt: skip
"""The features, and whether more of one speaks for the claim (1) or against it (-1)."""
MOST_WORDS = 400
"""Words of a claim that are read; a longer claim is never more than even odds."""
_SPELT = 4_000
"""Characters of a claim of which the spelling is compared."""
_NEAREST = 3


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
    found = _recalls(said, index, places)
    found |= _neighbours(said, index)
    found |= _new(said)
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


def _recalls(said: _Said, index: Index, places: Sequence[int]) -> dict[str, float]:
    window = index.window(places[0]) if places else frozenset()
    new = {word.key for word in said.absent}
    near = sum(weight for word, weight in said.weights.items() if word in window)
    whole = sum(weight for word, weight in said.weights.items() if word not in new)
    return {"recall_window": near / said.total, "recall_whole": whole / said.total}


def _neighbours(said: _Said, index: Index) -> dict[str, float]:
    """How many neighbours of the claim are neighbours in the evidence."""
    keys = [word.key for word in said.words]
    seen = [pair in index.bigrams for pair in pairwise(keys)]
    unseen = _longest_unseen(seen) / len(seen) if seen else 1.0
    return {"bigram_recall": _share(seen), "unseen_share": unseen}


def _longest_unseen(seen: Sequence[bool]) -> int:
    longest = run = 0
    for known in seen:
        run = 0 if known else run + 1
        longest = max(longest, run)
    return longest


def _new(said: _Said) -> dict[str, float]:
    new = {word.key for word in said.absent if word.content}
    rare = [said.weights[word] for word in new - said.asked]
    numbers = sum(word.figure is not None for word in said.content)
    unasked = [word for word in said.absent if word.key not in said.asked]
    odd = sum(word.figure is not None for word in unasked)
    return {
        "novel_sum": log1p(sum(sorted(rare))) / 3,
        "number_absent": float(odd > 0),
        "number_absent_share": odd / max(1, numbers),
        "name_absent": float(any(word.named for word in unasked)),
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

"""Measures of scores against people's labels: ranking, calibration, bands, marked words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from grounding_data import Row

_WORD = re.compile(r"\w+")
_SMALL = frozenset(
    "a an the and or but if of in on at to from by for with as is are was were be been being do "
    "does did have has had it its this that these those i you he she they we my your his her our "
    "their me him them us not no so than then there here what which who when where how will would "
    "can could should may might must about into over under also".split()
)
BANDS = (0.85, 0.6, 0.4)
"""Emit from the first on, block below the last."""
EVEN = 0.5
_BINS = 10
_MARKED = 0.4
"""Claims below are marked whole."""


class ScoredAnswer(NamedTuple):
    """
    One answer with what was said of it.

    Attributes:
        score: P(grounded); None where it claims nothing.
        marked: The places in the answer that the scorer would mark.
        action: emit, revise or block; empty where only the score is asked for.
        figured: Whether a figure of it stands nowhere.
    """

    row: Row
    score: float | None
    marked: tuple[tuple[int, int], ...]
    action: str = ""
    figured: bool = False


class Spoken(NamedTuple):
    """A score and what was so."""

    score: float
    good: bool


def spoken(report: Iterable[ScoredAnswer]) -> list[Spoken]:
    """Return those that have a score."""
    return [Spoken(one.score, one.row.good) for one in report if one.score is not None]


def as_shown(report: Iterable[ScoredAnswer]) -> list[Spoken]:
    """Return all of them; what claims nothing is emitted, as a score of 1.0 is."""
    return [Spoken(1.0 if one.score is None else one.score, one.row.good) for one in report]


def taken(report: Sequence[ScoredAnswer], action: str) -> dict[str, float | None]:
    """Return of what action says: its share of good and of bad answers, precision and recall."""
    good = [one.action == action for one in report if one.row.good]
    bad = [one.action == action for one in report if not one.row.good]
    return {
        "good": _ratio(sum(good), len(good)),
        "bad": _ratio(sum(bad), len(bad)),
        "precision": _ratio(sum(bad), sum(bad) + sum(good)),
    }


def number_check(report: Sequence[ScoredAnswer]) -> dict[str, float | None]:
    """Return precision, recall and false alarms of flagging answers that have an absent figure."""
    alarms = sum(one.figured and one.row.good for one in report)
    hits = sum(one.figured and not one.row.good for one in report)
    good = sum(one.row.good for one in report)
    return {
        "precision": _ratio(hits, hits + alarms),
        "recall": _ratio(hits, len(report) - good),
        "false_alarms": _ratio(alarms, good),
    }


def share_supported(row: Row) -> float:
    """Return the share of the answer's content words that stand in its context."""
    there = set(_WORD.findall(row.context.lower()))
    words = [word for word in _WORD.findall(row.answer.lower()) if word not in _SMALL]
    return sum(word in there for word in words) / len(words) if words else 1.0


def roc_auc(scores: Sequence[Spoken]) -> float | None:
    """Return how often a good answer is above a bad one, ties half; None without both."""
    good = sum(one.good for one in scores)
    bad = len(scores) - good
    if not good or not bad:
        return None
    above, counted = 0.0, 0
    ordered = sorted(scores, key=lambda one: one.score)
    for _, group in groupby(ordered, key=lambda one: one.score):
        some = list(group)
        right = sum(one.good for one in some)
        above += right * (counted + (len(some) - right) / 2)
        counted += len(some) - right
    return above / (good * bad)


def at_threshold(scores: Sequence[Spoken], threshold: float = EVEN) -> dict[str, float | None]:
    """Return balanced accuracy, and precision, recall and F1 of finding bad answers."""
    hit = sum(one.score < threshold and not one.good for one in scores)
    false = sum(one.score < threshold and one.good for one in scores)
    good = sum(one.good for one in scores)
    bad = len(scores) - good
    precision, recall = _ratio(hit, hit + false), _ratio(hit, bad)
    specificity = _ratio(good - false, good)
    return {
        "balanced_accuracy": None
        if recall is None or specificity is None
        else (recall + specificity) / 2,
        "precision": precision,
        "recall": recall,
        "f1": _ratio(2 * hit, 2 * hit + false + bad - hit),
    }


def bands(scores: Sequence[Spoken]) -> dict[str, dict[str, float | None]]:
    """Return the share of good and of bad answers in each band of the gate."""
    edges = (1.01, *BANDS, -0.01)
    names = ("emit", "revise", "doubt", "block")
    results: dict[str, dict[str, float | None]] = {}
    for name, high, low in zip(names, edges, edges[1:], strict=False):
        results[name] = {
            kind: _ratio(
                sum(low <= one.score < high for one in scores if one.good is good),
                sum(one.good is good for one in scores),
            )
            for kind, good in (("good", True), ("bad", False))
        }
    return results


def calibration_error(scores: Sequence[Spoken]) -> float | None:
    """Return the expected calibration error with good and bad answers weighed alike, in [0, 1]."""
    good = sum(one.good for one in scores)
    if not good or good == len(scores):
        return None
    each = {True: 0.5 / good, False: 0.5 / (len(scores) - good)}
    off = [0.0] * _BINS
    for one in scores:
        off[min(int(one.score * _BINS), _BINS - 1)] += each[one.good] * (one.score - one.good)
    return sum(map(abs, off))


def span_overlap(report: Iterable[ScoredAnswer]) -> dict[str, float | None]:
    """Return precision, recall and F1 of the marked characters of answers with people's spans."""
    both = marked = meant = 0
    for one in report:
        if not one.row.spans:
            continue
        ours, theirs = _places(one.marked), _places(one.row.spans)
        both, marked, meant = both + len(ours & theirs), marked + len(ours), meant + len(theirs)
    return {
        "precision": _ratio(both, marked),
        "recall": _ratio(both, meant),
        "f1": _ratio(2 * both, marked + meant) if meant else None,
    }


def marked(
    claims: Iterable[tuple[int, int, float]], missing: Iterable[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """Return what would be marked: claims below .4, and tokens that the evidence does not have."""
    return (*((start, end) for start, end, score in claims if score < _MARKED), *missing)


def _places(spans: Iterable[tuple[int, int]]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None

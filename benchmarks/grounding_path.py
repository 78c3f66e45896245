"""Output of ``abs-shield ground`` on labelled answers, and its duration."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any
from unittest.mock import patch

from grounding_data import Row
from grounding_measures import ScoredAnswer

from abs_shield.answer.check_pipeline import Checked, checked
from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.scorers.lexical.lexical_weights import Weights
from abs_shield.answer.scorers.word_scorer import words
from abs_shield.text.values.figure import ID

SIZES = (1_000, 3_000, 6_000, 15_000, 1_000_000)
"""Characters of evidence below which times stand together."""
_FEW, _MANY = 20, 300
_TIMES = 3
"""Runs of which the quickest counts: others use the machine too."""
_SCORER = import_module("abs_shield.answer.scorers.word_scorer")


def shown(rows: Iterable[Row], weights: Weights) -> list[ScoredAnswer]:
    """Return what a user would see, had the package come with these weights."""
    with patch.object(_SCORER, "shipped_weights", return_value=weights):
        return [_scored_answer(row, _checked(row, row.evidence)) for row in rows]


def _checked(row: Row, evidence: Evidence) -> Checked:
    return checked(row.answer, evidence=evidence, question=row.question)


def _scored_answer(row: Row, results: Checked) -> ScoredAnswer:
    missing = [miss for one in results.claims for miss in one.missing]
    return ScoredAnswer(
        row,
        results.report.overall_score,
        results.marked,
        action=results.report.action,
        figured=any(miss.kind not in (ID, "name") for miss in missing),
    )


def latency(rows: Sequence[Row]) -> dict[str, Any]:
    """Times of one answer in milliseconds, its evidence indexed before, by characters of that."""
    spent: dict[int, list[tuple[float, float, float]]] = {size: [] for size in SIZES}
    for row in rows:
        size = next(size for size in SIZES if len(row.context) < size)
        if row.claims and len(spent[size]) < _MANY:
            spent[size].append(_timed(row))
    return {
        f"below {size}": {
            "answers": len(times),
            "median": statistics.median(whole for whole, _, _ in times),
            "p95": statistics.quantiles([whole for whole, _, _ in times], n=20)[-1],
            "median_lexical": statistics.median(words for _, words, _ in times),
            "median_index": statistics.median(index for _, _, index in times),
        }
        for size, times in spent.items()
        if len(times) >= _FEW
    }


def _timed(row: Row) -> tuple[float, float, float]:
    """The whole, of it claims and words, and what reading the evidence took before."""
    evidence = Evidence(row.evidence.pieces)
    first = _spent(lambda: _checked(row, evidence))
    whole = min(_spent(lambda: _checked(row, evidence)) for _ in range(_TIMES))
    words = min(_spent(lambda: _worded(row, evidence)) for _ in range(_TIMES))
    return whole, words, max(0.0, first - whole)


def _worded(row: Row, evidence: Evidence) -> None:
    words(claims_of(row.answer, questions=True), evidence, question=row.question)


def _spent(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - begun)

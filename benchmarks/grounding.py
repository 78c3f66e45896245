"""The lexical scorer against people's labels: ``python benchmarks/grounding.py --data DIR``."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from grounding_data import EDITED, FOLDS, MEASURED, SPANNED, TRAINED, Row, corpus
from grounding_measures import (
    Spoken,
    Told,
    at_threshold,
    bands,
    calibration_error,
    marked,
    roc_auc,
    share_found,
    span_overlap,
    spoken,
)
from lexical_fit import fitted

from abs_shield.answer.claims import claims_of
from abs_shield.answer.evidence import Evidence
from abs_shield.answer.lexis.judging import judged, meant, told
from abs_shield.answer.lexis.weights import Weights
from abs_shield.answer.scorers.lexical import answer_score, lexical

ROOT = Path(__file__).parents[1]
SIZES = (1_000, 3_000, 6_000, 15_000, 1_000_000)
_FEW = 20
PUBLISHED = {
    "RAGTruth answer F1, three tasks": {
        "RAG-HAT Llama-3-8B": 0.839, "LettuceDetect large": 0.792, "LettuceDetect base": 0.768,
        "Llama-2-13B tuned": 0.787, "TinyLettuce 68M": 0.75, "TinyLettuce 32M": 0.722,
        "TinyLettuce 17M": 0.685, "Luna": 0.654, "GPT-4 zero-shot": 0.634,
    },
    "RAGTruth span F1, three tasks": {"LettuceDetect large": 0.589, "Llama-2-13B tuned": 0.527},
    "RAGTruth-QA balanced accuracy": {"HHEM-2.1-Open": 0.743},
    "RAGTruth-Summ balanced accuracy": {"HHEM-2.1-Open": 0.644},
    "LLM-AggreFact balanced accuracy": {"Bespoke-MiniCheck-7B": 0.774},
    "SummEdits balanced accuracy": {"GPT-4": 0.824, "people": 0.909},
    "FaithBench ROC-AUC, same rows": {
        "HHEM-2.1-English": 0.672, "HHEM-2.1": 0.654, "HHEM-1": 0.628, "GPT-4o judge": 0.593,
        "GPT-4-turbo": 0.591, "True-NLI": 0.514, "TrueTeacher": 0.499,
    },
}  # fmt: skip
"""What others report of themselves, not run here; on rows that are not all the same."""


def main() -> None:
    """Print one JSON object a line: each corpus, the natural ones together, published figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--limit", type=int, help="rows of each corpus; all without it")
    asked = parser.parse_args()
    folder = asked.data / "grounding"
    if not folder.is_dir():
        print(f"skipped: no labelled answers at {folder}")
        return
    for line in lines(folder, asked.limit):
        print(json.dumps(_rounded(line)), flush=True)


def lines(folder: Path, limit: int | None) -> Iterable[dict[str, Any]]:
    """Give what is printed, in order."""
    corpora = {name: corpus(folder, name, limit=limit) for name in TRAINED}
    told_of = _out_of_fold(corpora)
    whole = _fitted(corpora)
    for name in (*MEASURED, *EDITED, *SPANNED):
        told_of[name] = [_told(row, whole) for row in corpus(folder, name, limit=limit)]
    natural: dict[str, dict[str, Any]] = {}
    for name, scored in told_of.items():
        figures = _figures(scored)
        if name in corpora:
            without = _fitted({other: rows for other, rows in corpora.items() if other != name})
            left = [_told(row, without) for row in corpora[name]]
            figures["roc_auc_left_out"] = roc_auc(spoken(left))
        kind = "natural" if name in TRAINED or name in MEASURED else "edited"
        if kind == "natural":
            natural[name] = figures
        yield {"corpus": name, "kind": kind, "trained_on": name in corpora, **figures}
    rows = [one for name in natural for one in told_of[name]]
    yield {"corpus": "all natural", **_together(natural), **_figures(rows)}
    yield {"latency_ms": _latency([one.row for scored in told_of.values() for one in scored])}
    yield {"published": PUBLISHED}


def _fitted(corpora: Mapping[str, Sequence[Row]]) -> Weights:
    return fitted({name: (TRAINED[name], rows) for name, rows in corpora.items()})


def _out_of_fold(corpora: Mapping[str, Sequence[Row]]) -> dict[str, list[Told]]:
    found: dict[str, list[Told]] = {name: [] for name in corpora}
    for fold in range(FOLDS):
        rest = {n: [row for row in rows if row.fold != fold] for n, rows in corpora.items()}
        weights = _fitted(rest)
        for name, rows in corpora.items():
            found[name] += [_told(row, weights) for row in rows if row.fold == fold]
    return found


def _told(row: Row, weights: Weights) -> Told:
    if not row.claims:
        return Told(row, None, ())
    scored = judged(row.claims, row.evidence, question=row.question, weights=weights)
    claims = [(c.start, c.end, s.score) for c, s in zip(row.claims, scored, strict=True)]
    misses = [(miss.start, miss.end) for one in scored for miss in one.misses]
    score = told([meant(one.score, weights) for one in scored], weights)
    return Told(row, score, marked(claims, misses))


def _figures(scored: Sequence[Told]) -> dict[str, Any]:
    scores = spoken(scored)
    rows = [one.row for one in scored if one.score is not None]
    silent = [one.row.good for one in scored if one.score is None]
    as_grounded = [Spoken(1.0 if one.score is None else one.score, one.row.good) for one in scored]
    return {
        "answers": len(scored),
        "bad": sum(not one.row.good for one in scored),
        "no_claims": {"good": sum(silent), "bad": len(silent) - sum(silent)},
        "roc_auc": roc_auc(scores),
        "roc_auc_share_found": roc_auc([Spoken(share_found(row), row.good) for row in rows]),
        "roc_auc_no_claims_as_grounded": roc_auc(as_grounded),
        "calibration_error": calibration_error(scores),
        "at_even_odds": at_threshold(scores),
        "block": {k: at_threshold(scores, 0.4)[k] for k in ("precision", "recall")},
        "bands": bands(scores),
        "span_overlap": span_overlap(scored),
    }


def _together(natural: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Means over the corpora, each as much as another."""
    found: dict[str, Any] = {"corpora": len(natural)}
    for name in ("roc_auc", "roc_auc_share_found", "calibration_error"):
        values = [figures[name] for figures in natural.values() if figures[name] is not None]
        found[f"mean_{name}"] = statistics.fmean(values) if values else None
    return found


def _latency(rows: Sequence[Row]) -> dict[str, Any]:
    """Median time of one answer, its evidence's index cached, by characters of evidence."""
    spent: dict[int, list[tuple[float, float]]] = {size: [] for size in SIZES}
    for row in rows:
        size = next(size for size in SIZES if len(row.context) < size)
        if row.claims and len(spent[size]) < 300:
            spent[size].append(_timed(row))
    return {
        f"below {size}": {
            "answers": len(times),
            "median": statistics.median(cached for cached, _ in times),
            "p95": statistics.quantiles([cached for cached, _ in times], n=20)[-1],
            "median_index": statistics.median(index for _, index in times),
        }
        for size, times in spent.items()
        if len(times) >= _FEW
    }


def _timed(row: Row) -> tuple[float, float]:
    evidence = Evidence(row.evidence.pieces)
    begun = time.perf_counter()
    lexical(row.claims, evidence, question=row.question)
    indexed = time.perf_counter()
    answer_score(lexical(claims_of(row.answer), evidence, question=row.question))
    done = time.perf_counter()
    return 1e3 * (done - indexed), max(0.0, 1e3 * (indexed - begun - (done - indexed)))


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, 3)
        case dict():
            return {key: _rounded(inner) for key, inner in value.items()}
    return value


if __name__ == "__main__":
    main()

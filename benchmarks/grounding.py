"""Answers judged against people's labels: ``python benchmarks/grounding.py --data DIR``."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import grounding_goals
from answers_ablate import table
from command_line import announce, command_parser, report_progress
from grounding_data import EDITED, FOLDS, MEASURED, SPANNED, TRAINED, Row, corpus
from grounding_measures import (
    ScoredAnswer,
    Spoken,
    as_shown,
    at_threshold,
    bands,
    calibration_error,
    marked,
    number_check,
    roc_auc,
    share_supported,
    span_overlap,
    spoken,
    taken,
)
from grounding_path import latency, shown
from lexical_fit import fitted
from recorded_data import QUICK_ANSWERS, data_folder, labelled_answers

from abs_shield.answer.scorers.lexical.lexical_model import answer_probability, score_claims
from abs_shield.answer.scorers.lexical.lexical_weights import Weights, shipped_weights
from abs_shield.answer.scorers.word_scorer import count_remarks
from abs_shield.policy.check_config import AnswerConfig

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
    parser = command_parser(
        __doc__, example="grounding.py --quick", quick=f"{QUICK_ANSWERS} answers of each corpus"
    )
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--limit", type=int, help="rows of each corpus; all without it")
    parser.add_argument("--ablate", action="store_true", help="switch each rule off in turn")
    parser.add_argument("--rules", nargs="*", default=(), help="of --ablate; all without it")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes of --ablate")
    options = parser.parse_args()
    folder = labelled_answers(options.data)
    limit = QUICK_ANSWERS if options.quick and options.limit is None else options.limit
    rows: Iterable[dict[str, Any]] = lines(folder, limit)
    if options.ablate:
        announce("switching off one rule at a time")
        rows = table(OfDocuments(folder, limit), names=options.rules, jobs=options.jobs)
    mark = {"quick": True} if options.quick else {}
    for row in rows:
        print(json.dumps(_rounded(row) | mark), flush=True)


def lines(folder: Path, limit: int | None) -> Iterable[dict[str, Any]]:
    """Yield what is printed, in order."""
    corpora = {name: corpus(folder, name, limit=limit) for name in TRAINED}
    whole = _fitted(corpora)
    results_of = _out_of_fold(corpora)
    others = (*MEASURED, *EDITED, *SPANNED)
    for name in report_progress(others, doing="judging corpora", total=len(others)):
        results_of[name] = _both(corpus(folder, name, limit=limit), whole)
    natural: dict[str, dict[str, Any]] = {}
    announce("computing the figures of each corpus")
    for name, (ours, words) in results_of.items():
        figures = {**_figures(ours), "lexical": _of_scores(words)}
        if name in corpora:
            without = _fitted({other: rows for other, rows in corpora.items() if other != name})
            figures["roc_auc_left_out"] = roc_auc(spoken(shown(corpora[name], without)))
        kind = "natural" if name in TRAINED or name in MEASURED else "edited"
        if kind == "natural":
            natural[name] = figures
        yield {"corpus": name, "kind": kind, "trained_on": name in corpora, **figures}
    ours, words = (_flat(results_of[name][n] for name in natural) for n in (0, 1))
    together = {**_together(natural), **_figures(ours), "lexical": _of_scores(words)}
    yield {"corpus": "all natural", **together}
    announce("timing answers")
    spent = latency([one.row for some, _ in results_of.values() for one in some])
    yield {"latency_ms": spent}
    yield {"published": PUBLISHED}
    yield grounding_goals.summarise_goals(natural, together, spent)


class OfDocuments:
    """
    Computes the figures of natural answers beside documents, with the shipped weights.

    The weights have seen some of these answers: what a rule changes is told, not how good it is.

    Args:
        folder: The labelled answers.
        limit: Rows of each corpus; all where None.
    """

    def __init__(self, folder: Path, limit: int | None) -> None:
        self._folder, self._limit = folder, limit

    def __call__(self) -> dict[str, float]:
        names = (*TRAINED, *MEASURED)
        rows = {name: corpus(self._folder, name, limit=self._limit) for name in names}
        results_of = {name: shown(some, shipped_weights()) for name, some in rows.items()}
        together = [one for some in results_of.values() for one in some]
        auc = {name: roc_auc(as_shown(some)) or 0.0 for name, some in results_of.items()}
        figures = {
            "pooled AUC": roc_auc(as_shown(together)),
            "mean AUC": statistics.fmean(auc.values()),
            "RAGTruth AUC": auc["ragtruth-qa-test"],
            "WiCE AUC": auc["wice-claim"],
            "bad emitted": taken(together, "emit")["bad"],
            "good emitted": taken(together, "emit")["good"],
            "good blocked": taken(together, "block")["good"],
            "bad blocked": taken(together, "block")["bad"],
            "span F1": span_overlap(together)["f1"],
            "number precision": number_check(together)["precision"],
        }
        return {name: round(value or 0.0, 4) for name, value in figures.items()}


def _flat(some: Iterable[Sequence[ScoredAnswer]]) -> list[ScoredAnswer]:
    return [one for scores in some for one in scores]


def _fitted(corpora: Mapping[str, Sequence[Row]]) -> Weights:
    return fitted({name: (TRAINED[name], rows) for name, rows in corpora.items()})


Both = tuple[list[ScoredAnswer], list[ScoredAnswer]]
"""What a user would see, and what the words alone say."""


def _both(rows: Sequence[Row], weights: Weights) -> Both:
    return shown(rows, weights), [_scored_answer(row, weights) for row in rows]


def _out_of_fold(corpora: Mapping[str, Sequence[Row]]) -> dict[str, Both]:
    results: dict[str, Both] = {name: ([], []) for name in corpora}
    for fold in report_progress(range(FOLDS), doing="training and judging folds", total=FOLDS):
        rest = {n: [row for row in rows if row.fold != fold] for n, rows in corpora.items()}
        weights = _fitted(rest)
        for name, rows in corpora.items():
            for held, some in zip(
                results[name], _both([r for r in rows if r.fold == fold], weights), strict=True
            ):
                held += some
    return results


def _scored_answer(row: Row, weights: Weights) -> ScoredAnswer:
    if not row.claims:
        return ScoredAnswer(row, None, ())
    scored = score_claims(row.claims, row.evidence, question=row.question, weights=weights)
    claims = [(c.start, c.end, s.score) for c, s in zip(row.claims, scored, strict=True)]
    missing = [(miss.start, miss.end) for one in scored for miss in one.missing]
    remarks = count_remarks(row.answer, row.claims, row.evidence)
    score = answer_probability(scored, weights, remarks=remarks)
    return ScoredAnswer(row, score, marked(claims, missing))


def _figures(scored: Sequence[ScoredAnswer]) -> dict[str, Any]:
    silent = [one.row.good for one in scored if one.score is None]
    claiming = [one for one in scored if one.score is not None]
    shares = [Spoken(share_supported(one.row), one.row.good) for one in claiming]
    return {
        "answers": len(scored),
        "bad": sum(not one.row.good for one in scored),
        "no_claims": {"good": sum(silent), "bad": len(silent) - sum(silent)},
        "roc_auc_share_found": roc_auc(shares),
        **_of_scores(scored),
        "emit": taken(scored, "emit"),
        "emit_of_claims": taken(claiming, "emit"),
        "block": taken(scored, "block"),
        "number_check": number_check(scored),
    }


def _of_scores(scored: Sequence[ScoredAnswer]) -> dict[str, Any]:
    """Measures of the scores alone; where stated, answers without claims count."""
    scores = spoken(scored)
    return {
        "roc_auc": roc_auc(scores),
        "roc_auc_as_shown": roc_auc(as_shown(scored)),
        "calibration_error": calibration_error(scores),
        "at_even_odds": at_threshold(scores),
        "at_revise": at_threshold(scores, AnswerConfig().revise_threshold),
        "bands": bands(scores),
        "span_overlap": span_overlap(scored),
    }


def _together(natural: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Means over the corpora, each as much as another."""
    results: dict[str, Any] = {"corpora": len(natural)}
    for name in ("roc_auc", "roc_auc_as_shown", "roc_auc_share_found", "calibration_error"):
        results[f"mean_{name}"] = _mean(natural.values(), lambda figures, name=name: figures[name])
    results["mean_roc_auc_lexical"] = _mean(natural.values(), lambda one: one["lexical"]["roc_auc"])
    return results


def _mean(
    figures: Iterable[Mapping[str, Any]], read: Callable[[Mapping[str, Any]], float | None]
) -> float | None:
    values = [value for value in map(read, figures) if value is not None]
    return statistics.fmean(values) if values else None


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, 3)
        case dict():
            return {key: _rounded(inner) for key, inner in value.items()}
    return value


if __name__ == "__main__":
    main()

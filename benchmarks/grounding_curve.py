"""Calibration curve of the scores: ``benchmarks/grounding_curve.py --picture FILE``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from command_line import command_parser, report_progress
from grounding_data import FOLDS, MEASURED, TRAINED, Row, corpus
from grounding_measures import Spoken, calibration_error
from lexical_fit import fitted
from recorded_data import QUICK_ANSWERS, data_folder, labelled_answers

from abs_shield.answer.scorers.lexical.lexical_model import answer_probability, score_claims
from abs_shield.answer.scorers.lexical.lexical_weights import Weights
from abs_shield.answer.scorers.word_scorer import count_remarks

_BINS = 10
_FEW = 15
"""Answers below which a share says nothing."""
_GATE = (0.4, 0.6, 0.85)


def main() -> None:
    """Print the curve as JSON, and draw it."""
    parser = command_parser(
        __doc__,
        example="grounding_curve.py --quick",
        quick=f"{QUICK_ANSWERS} answers of each corpus",
    )
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--limit", type=int, help="rows of each corpus; all without it")
    parser.add_argument("--picture", type=Path, help="where to draw it (SVG); needs matplotlib")
    options = parser.parse_args()
    folder = labelled_answers(options.data)
    limit = QUICK_ANSWERS if options.quick and options.limit is None else options.limit
    spoken = scores(folder, limit)
    curves = {name: curve(some) for name, some in spoken.items()}
    together = [one for some in spoken.values() for one in some]
    report = {
        "quick": options.quick,
        "answers": len(together),
        "calibration_error": calibration_error(together),
        "curve": curve(together),
        "corpora": curves,
    }
    print(json.dumps(report, indent=2))
    if options.picture is not None:
        picture(report, options.picture)


def scores(folder: Path, limit: int | None) -> dict[str, list[Spoken]]:
    """Return the answers' scores by corpus; nothing is scored by weights that have seen it."""
    corpora = {name: corpus(folder, name, limit=limit) for name in TRAINED}
    results: dict[str, list[Spoken]] = {name: [] for name in corpora}
    for fold in report_progress(range(FOLDS), doing="training and judging folds", total=FOLDS):
        rest = {n: [row for row in rows if row.fold != fold] for n, rows in corpora.items()}
        weights = _fitted(rest)
        for name, rows in corpora.items():
            results[name] += _spoken([row for row in rows if row.fold == fold], weights)
    whole = _fitted(corpora)
    for name in report_progress(MEASURED, doing="judging corpora", total=len(MEASURED)):
        results[name] = _spoken(corpus(folder, name, limit=limit), whole)
    return results


def curve(spoken: Sequence[Spoken]) -> list[dict[str, Any]]:
    """
    Return a point for each tenth of the scores: the mean score, and the share that was grounded.

    Good and bad answers weigh alike, as the scores are told at even odds.
    """
    good = sum(one.good for one in spoken)
    each = {True: 0.5 / max(1, good), False: 0.5 / max(1, len(spoken) - good)}
    points = []
    for place in range(_BINS):
        inside = [one for one in spoken if min(int(one.score * _BINS), _BINS - 1) == place]
        if len(inside) >= _FEW:
            weight = sum(each[one.good] for one in inside)
            points.append(
                {
                    "answers": len(inside),
                    "said": sum(each[one.good] * one.score for one in inside) / weight,
                    "was": sum(each[one.good] for one in inside if one.good) / weight,
                }
            )
    return points


def picture(report: Mapping[str, Any], path: Path) -> None:
    """Draw all answers together, and each corpus by itself; needs matplotlib."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "abs_shield"
    figure, axes = plt.subplots(figsize=(6, 6))
    axes.plot([0, 1], [0, 1], "--", color="grey", label="taken at its word")
    for edge in _GATE:
        axes.axvline(edge, color="lightgrey", linewidth=0.8)
    for name, points in report["corpora"].items():
        if len(points) > 1:
            xy = [p["said"] for p in points], [p["was"] for p in points]
            axes.plot(*xy, linewidth=0.8, alpha=0.7, label=name)
    xy = [p["said"] for p in report["curve"]], [p["was"] for p in report["curve"]]
    axes.plot(*xy, marker="o", color="black", label="all together")
    axes.set(xlabel="P(grounded) as told", ylabel="share that was grounded, at even odds",
             title=f"{report['answers']:,} natural answers, out of fold")  # fmt: skip
    axes.legend(loc="upper left", fontsize="small")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def _fitted(corpora: Mapping[str, Sequence[Row]]) -> Weights:
    return fitted({name: (TRAINED[name], rows) for name, rows in corpora.items()})


def _spoken(rows: Sequence[Row], weights: Weights) -> list[Spoken]:
    return [Spoken(_score(row, weights), row.good) for row in rows if row.claims]


def _score(row: Row, weights: Weights) -> float:
    scored = score_claims(row.claims, row.evidence, question=row.question, weights=weights)
    remarks = count_remarks(row.answer, row.claims, row.evidence)
    return answer_probability(scored, weights, remarks=remarks)


if __name__ == "__main__":
    main()

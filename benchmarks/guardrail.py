"""The faithfulness guardrail without a model, on answers that people have labelled."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from command_line import command_parser, report_progress
from grounding import _fitted
from grounding_data import EDITED, FOLDS, MEASURED, TRAINED, Row, corpus
from recorded_data import QUICK_ANSWERS, data_folder, labelled_answers

from abs_shield.answer.faithfulness import Faithfulness, LexicalProvider
from abs_shield.answer.scorers.lexical.lexical_weights import Weights

SCORES = (0.3, 0.4, 0.5, 0.6)
"""Values of `holds_from` that are compared."""
_SCORER = import_module("abs_shield.answer.scorers.word_scorer")
Passed = list[tuple[bool, bool]]
"""Whether each answer is good, and whether it passed."""
Pass = Callable[[Row], bool]


def main() -> None:
    """Print one JSON object a line: each corpus, and the natural ones together."""
    parser = command_parser(
        __doc__, example="guardrail.py --quick", quick=f"{QUICK_ANSWERS} answers of each corpus"
    )
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--limit", type=int, help="rows of each corpus; all without it")
    parser.add_argument("--scores", action="store_true", help="compare values of `holds_from`")
    options = parser.parse_args()
    folder = labelled_answers(options.data)
    limit = QUICK_ANSWERS if options.quick and options.limit is None else options.limit
    for line in lines(folder, limit, scores=options.scores):
        print(json.dumps(line | {"quick": options.quick}), flush=True)


def lines(folder: Path, limit: int | None, *, scores: bool = False) -> Iterator[dict[str, Any]]:
    """Yield what is printed; no answer is judged with weights that have seen its document."""
    passes: dict[str, Pass] = {"default": guard(), "all in scope": guard(all_in_scope=True)}
    passes |= {f"holds_from {one}": guard(holds_from=one) for one in SCORES if scores}
    corpora = {name: corpus(folder, name, limit=limit) for name in TRAINED}
    results = {name: {key: [] for key in passes} for name in corpora}
    for fold in report_progress(range(FOLDS), doing="training and judging folds", total=FOLDS):
        rest = {n: [row for row in rows if row.fold != fold] for n, rows in corpora.items()}
        weights = _fitted(rest)
        for name, rows in corpora.items():
            _add(results[name], [row for row in rows if row.fold == fold], weights, passes)
    whole = _fitted(corpora)
    others = (*MEASURED, *EDITED)
    for name in report_progress(others, doing="judging corpora", total=len(others)):
        results[name] = {key: [] for key in passes}
        _add(results[name], corpus(folder, name, limit=limit), whole, passes)
    for name, by_key in results.items():
        yield {"corpus": name, **{key: figures(some) for key, some in by_key.items()}}
    natural = [results[name] for name in (*TRAINED, *MEASURED)]
    yield {"corpus": "all natural", **{key: _together(natural, key) for key in passes}}


def guard(*, holds_from: float = 0.5, all_in_scope: bool = False) -> Pass:
    """Return whether an answer passes at the threshold of 0.8."""
    declared = Faithfulness(
        provider=LexicalProvider(holds_from=holds_from),
        allow_missing_context=True,
        exclude_out_of_scope_statements=not all_in_scope,
    )
    return lambda row: declared.check(row.answer, context=row.evidence).passed


def figures(some: Passed) -> dict[str, float | None]:
    """Return the shares of good and of bad answers that pass, and the balanced accuracy."""
    good, bad = (_mean([passed for kind, passed in some if kind is of]) for of in (True, False))
    both = None if good is None or bad is None else round((good + 1 - bad) / 2, 3)
    return {"good": good, "bad": bad, "balanced_accuracy": both}


def _add(
    results: dict[str, Passed], rows: Iterable[Row], weights: Weights, passes: dict[str, Pass]
) -> None:
    with patch.object(_SCORER, "shipped_weights", return_value=weights):
        for row in rows:
            for key, judge in passes.items():
                results[key].append((row.good, judge(row)))


def _together(natural: Sequence[dict[str, Passed]], key: str) -> dict[str, float | None]:
    each = [figures(one[key])["balanced_accuracy"] for one in natural]
    pooled = figures([pair for one in natural for pair in one[key]])
    return {**pooled, "mean_balanced_accuracy": _mean([one for one in each if one is not None])}


def _mean(some: Sequence[float]) -> float | None:
    return round(statistics.fmean(some), 3) if some else None


if __name__ == "__main__":
    main()

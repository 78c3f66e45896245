"""Effect of each rule of the answer room: ``answers.py --ablate``, ``grounding.py --ablate``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from ablation import without
from answers_labelled import CASES, FOLDER, load
from answers_natural import outcome_of
from answers_rules import RULES
from answers_runs import Measured, measured
from command_line import report_progress

from abs_shield.text.values.figure import DATE, ID, MONEY, TIME

Figures = Mapping[str, float]
"""A figure's name to its value: a share, or a number of answers."""


def table(
    figures: Callable[[], Figures], *, names: Sequence[str] = (), jobs: int = 1
) -> Iterator[dict[str, Any]]:
    """
    Yield the figures with every rule, then one row a rule: by how much each figure changes.

    Args:
        figures: Computes the figures; has to be importable by a worker process.
        names: Rules to switch off; all where empty.
        jobs: Worker processes.
    """
    chosen = ["", *(name for name in RULES if not names or name in names)]
    with get_context("spawn").Pool(jobs) as pool:
        done = pool.imap(_figures_without, [(figures, name) for name in chosen])
        base = next(done)
        yield {"rule": "(none off)", **base}
        shown = report_progress(done, doing="switching rules off", total=len(chosen) - 1)
        for name, results in zip(chosen[1:], shown, strict=True):
            changed = {key: results[key] - base[key] for key in base if results[key] != base[key]}
            yield {"rule": name, **changed}


def _figures_without(task: tuple[Callable[[], Figures], str]) -> Figures:
    figures, name = task
    with without(*RULES.get(name, ())):
        return figures()


def of_natural(folder: Path = FOLDER) -> Figures:
    """Count honest and erroneous natural answers that are stopped, and pairs told apart."""
    outcomes = [outcome_of(run) for run in load(folder)]
    emitted = {one.run.steps_id for one in outcomes if one.run.honest and not one.stopped}
    wrong = [one for one in outcomes if not one.run.honest]
    return {
        "honest stopped": sum(one.stopped for one in outcomes if one.run.honest),
        "honest blocked": sum(one.action == "block" for one in outcomes if one.run.honest),
        "errors stopped": sum(one.stopped for one in wrong),
        "errors stopped at the error": sum(one.caught for one in wrong),
        "pairs separated": sum(one.caught and one.run.steps_id in emitted for one in wrong),
    }


def of_cases() -> Figures:
    """Count the same of the answers that were written for single rules."""
    return of_natural(CASES)


class OfRuns:
    """
    Computes the figures of recorded runs.

    Args:
        path: The run file.
        every: Read only every n-th successful run.
    """

    def __init__(self, path: Path, *, every: int) -> None:
        self._path, self._every = path, every

    def __call__(self) -> Figures:
        report = measured(self._path, Measured(), every=self._every)
        observed = report["seen"]
        shares = {
            kind: observed[kind]["share"] for kind in (ID, MONEY, DATE, TIME) if kind in observed
        }
        swapped = {
            kind: one["share"] for kind, one in observed.items() if kind.startswith("swapped")
        }
        actions = report["replies that say what was done, after a call that did something"] or 1
        return {
            "turns flagged": report["share of turns flagged"],
            "unbacked actions": report["turns with unbacked deeds"],
            **shares,
            **swapped,
            "actions without calls": report["of these caught without any such call"] / actions,
            "without the last": report["of these caught without the last such call"] / actions,
        }

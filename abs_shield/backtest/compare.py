"""Judge one run by two policies, and compare their decisions."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.backtest.call_labels import Labels
from abs_shield.backtest.label_file import run_labels
from abs_shield.backtest.planted_figures import PlantedFigures, PlantedRun
from abs_shield.backtest.policy_comparison import Comparison
from abs_shield.backtest.side import Ruled, Side
from abs_shield.core.label import Truth
from abs_shield.replay.cases import Cases
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.runs import Run


def compare(
    run: Run,
    new: Side,
    old: Side | None,
    *,
    into: Comparison,
    labels: Labels | None = None,
    cases: Cases | None = None,
) -> BadLine | None:
    """
    Judge every call of *run* by both policies separately, and count the results.

    Args:
        run: The run; runs of one session must be passed in order, with the same sides.
        new: The new policy.
        old: The policy to compare it with, or None.
        into: The comparison that is updated.
        labels: Labels from a file; they take precedence over the run's own.
        cases: Faults planted in the runs; they are judged, too.

    Returns:
        The reason if the run's own labels could not be read; it is judged without them.
    """
    into.runs += 1
    bad = None
    try:
        own = run_labels(run)
    except ValueError as error:  # a run is judged without its labels rather than not at all
        own, bad = Labels(), BadLine(run.path, run.line, str(error))
    into.in_runs += own.count
    matched: set[int] = set()
    planted = None if cases is None else PlantedRun(run, cases.of(run.run_id))
    figures = _planted_figures(into)
    for new_row, old_row in _pairs(run, new, old):
        file_labels = {} if labels is None else labels.of(run, new_row.judged)
        into.match(set(file_labels))
        own_labels = own.of(run, new_row.judged)
        matched |= set(own_labels)
        # labels of the file first: somebody wrote them for this backtest
        into.update(run, new_row, old_row, _label(file_labels or own_labels, into))
        if planted is not None:
            planted.record([new_row] if old_row is None else [new_row, old_row], figures)
    if planted is not None:
        planted.judge([new] if old is None else [new, old], figures)
    into.in_runs_matched += len(matched)
    return bad


def _pairs(run: Run, new: Side, old: Side | None) -> Iterator[tuple[Ruled, Ruled | None]]:
    if old is None:
        yield from ((new_row, None) for new_row in new.ruled(run))
    else:
        # strict: both sides judge the same calls, as the run goes on as recorded
        yield from zip(new.ruled(run), old.ruled(run), strict=True)


def _planted_figures(into: Comparison) -> list[PlantedFigures]:
    sides = [into.new] if into.old is None else [into.new, into.old]
    return [side.planted for side in sides]


def _label(labels: dict[int, Truth], into: Comparison) -> Truth | None:
    distinct = set(labels.values())
    into.disputed += len(distinct) > 1
    # two labels that contradict each other are none
    return distinct.pop() if len(distinct) == 1 else None

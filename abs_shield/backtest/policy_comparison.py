"""Judge runs by two policies, and count their changed decisions; counts can be merged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from abs_shield.backtest.call_labels import Labels, run_labels
from abs_shield.backtest.planted_figures import PlantedFigures, PlantedRun
from abs_shield.backtest.policy_figures import PolicyFigures
from abs_shield.backtest.policy_side import (
    Example,
    Kind,
    Ruled,
    Side,
    change,
    example,
    findings_differ,
)
from abs_shield.core.label import Truth
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.planted_cases import Cases
from abs_shield.replay.run_reader import Run

OTHERS = "(other tools)"
"""Groups the tools beyond the first thousand that changed: a model can invent any name."""
_TOOLS = 1_000  # a model that invents names would fill the memory and the report


@dataclass(slots=True)
class Comparison:
    """
    Counts and examples of a backtest; picklable, and merged in the order of the runs.

    Attributes:
        new: The figures of the new policy.
        old: The figures of the old policy, or None.
        most: Maximum number of examples of each kind.
        runs: Number of runs.
        kinds: Number of calls by kind.
        in_successes: Number of calls in successful runs, by kind.
        tools: Number of calls by kind and tool.
        layers: Number of calls by kind, tool and the layer that caused the change.
        other_findings: Calls with the same decision, but other findings.
        examples: The first examples by kind.
        firsts: The first example by kind and tool.
        missed: The first calls labelled hallucinated that the new policy finds CLEAN.
        false_alarms: The first calls labelled ok that it flags or blocks.
        matched: Positions of a file's labels that match a call.
        repeated: Positions of those that match more than one call.
        disputed: Calls with contradicting labels; they count as unlabelled.
        in_runs: Labels in the runs themselves.
        in_runs_matched: Labels in the runs that match a call.
        bounded: Whether tools beyond the first thousand that changed are counted together. A part
            of a larger comparison must be unbounded, so that merging the parts equals one
            comparison of all runs.
    """

    new: PolicyFigures
    old: PolicyFigures | None
    most: int
    runs: int = 0
    kinds: Counter[Kind] = field(default_factory=Counter)
    in_successes: Counter[Kind] = field(default_factory=Counter)
    tools: Counter[tuple[Kind, str]] = field(default_factory=Counter)
    layers: Counter[tuple[Kind, str, str]] = field(default_factory=Counter)
    other_findings: int = 0
    examples: dict[Kind, list[Example]] = field(default_factory=lambda: defaultdict(list))
    firsts: dict[tuple[Kind, str], Example] = field(default_factory=dict)
    missed: list[Example] = field(default_factory=list)
    false_alarms: list[Example] = field(default_factory=list)
    matched: set[int] = field(default_factory=set)
    repeated: set[int] = field(default_factory=set)
    disputed: int = 0
    in_runs: int = 0
    in_runs_matched: int = 0
    bounded: bool = True

    @classmethod
    def of(
        cls, new: Side, old: Side | None = None, *, most: int = 3, bounded: bool = True
    ) -> Comparison:
        """Return an empty comparison with at most *most* examples of each kind."""
        new_figures = PolicyFigures.of(new, bounded=bounded)
        old_figures = None if old is None else PolicyFigures.of(old, bounded=bounded)
        return cls(new_figures, old_figures, most, bounded=bounded)

    def update(self, run: Run, new: Ruled, old: Ruled | None, label: Truth | None) -> None:
        """Count one call of *run*."""
        self.new.update(new, label)
        if old is not None and self.old is not None:
            self.old.update(old, label)
            self._compare(run, new, old, label)
        hit = new.flagged or new.ruling.blocked
        if label is Truth.HALLUCINATED and not hit and len(self.missed) < self.most:
            self.missed.append(example(run, new, None, label=label))
        if label is Truth.OK and hit and len(self.false_alarms) < self.most:
            self.false_alarms.append(example(run, new, None, label=label))

    def match(self, places: set[int]) -> None:
        """Record which labels of a file match one call."""
        # before `matched` is extended: only then is a second match one
        self.repeated |= self.matched & places
        self.matched |= places

    def merge(self, later: Comparison) -> None:
        """Add the comparison of later runs; *later* should be unbounded."""
        self.new.merge(later.new)
        if self.old is not None and later.old is not None:
            self.old.merge(later.old)
        self.runs += later.runs
        self.kinds.update(later.kinds)
        self.in_successes.update(later.in_successes)
        for (kind, tool), count in later.tools.items():
            self.tools[kind, self._tool_key(tool)] += count
        for (kind, tool, layer), count in later.layers.items():
            self.layers[kind, self._tool_key(tool), layer] += count
        for (kind, tool), first in later.firsts.items():
            self.firsts.setdefault((kind, self._tool_key(tool)), first)
        self.other_findings += later.other_findings
        self._merge_examples(later)
        # the same for labels that match in both parts
        self.repeated |= later.repeated | (self.matched & later.matched)
        self.matched |= later.matched
        self.disputed += later.disputed
        self.in_runs += later.in_runs
        self.in_runs_matched += later.in_runs_matched

    def _merge_examples(self, later: Comparison) -> None:
        for kind, examples in later.examples.items():
            self.examples[kind] = [*self.examples[kind], *examples][: self.most]
        self.missed = [*self.missed, *later.missed][: self.most]
        self.false_alarms = [*self.false_alarms, *later.false_alarms][: self.most]

    def _compare(self, run: Run, new: Ruled, old: Ruled, label: Truth | None) -> None:
        # equal actions may have other reasons, which are only counted
        changed = change(new, old)
        if changed is None:
            self.other_findings += findings_differ(new, old)
            return
        kind, tool = changed.kind, self._tool_key(new.judged.call.name)
        self.kinds[kind] += 1
        self.in_successes[kind] += new.judged.success is True
        self.tools[kind, tool] += 1
        self.layers.update((kind, tool, layer) for layer in changed.layers)
        is_shown = len(self.examples[kind]) < self.most
        if is_shown or (kind, tool) not in self.firsts:
            new_example = example(run, new, old, label=label)
            self.firsts.setdefault((kind, tool), new_example)
            self.examples[kind] += [new_example] if is_shown else []

    def _tool_key(self, tool: str) -> str:
        if not self.bounded or len(self.tools) < _TOOLS:
            return tool
        # a tool that is counted stays, whatever comes later
        return tool if any((kind, tool) in self.tools for kind in Kind) else OTHERS


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

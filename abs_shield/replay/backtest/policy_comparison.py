"""What changes between two policies, counted one call after the other; counts can be merged."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from abs_shield.core.label import Truth
from abs_shield.replay.backtest.decision_change import Example, Kind, change, differ, example
from abs_shield.replay.backtest.policy_figures import PolicyFigures
from abs_shield.replay.backtest.side import Ruled, Side
from abs_shield.replay.runs import Run

OTHERS = "(other tools)"
"""Stands for the tools beyond the first thousand that changed: a model can write any name."""
_TOOLS = 1_000


@dataclass(slots=True)
class Comparison:
    """
    Counts and examples of a backtest; picklable, and merged in the order of the runs.

    Attributes:
        new: The figures of the new policy.
        old: Those of the old one; None where there is none.
        most: How many examples of each kind are kept.
        runs: Number of runs.
        kinds: Kind to the number of calls.
        in_successes: The same in runs that ended well.
        tools: Kind and tool to the number of calls.
        layers: Kind, tool and layer to the number of calls for which the layer is to blame.
        other_findings: Calls whose decision stays, for other findings.
        examples: Kind to the first examples.
        firsts: Kind and tool to the first example.
        missed: The first calls labelled hallucinated that the new policy finds CLEAN.
        false_alarms: The first calls labelled ok that it flags or blocks.
        matched: Places of the labels of a file that fit a call.
        repeated: Places of those that fit more than one.
        disputed: Calls on which labels disagree; they count as not labelled.
        in_runs: Labels that stand in the runs themselves.
        in_runs_matched: Those of them that fit a call.
        bounded: Whether tools beyond the first thousand that changed are counted together. A part
            of a larger comparison keeps all of them, so that merging gives what one comparison
            of everything gives.
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
        """Return a comparison of nothing yet; it keeps *most* examples of each kind."""
        ours = PolicyFigures.of(new, bounded=bounded)
        theirs = None if old is None else PolicyFigures.of(old, bounded=bounded)
        return cls(ours, theirs, most, bounded=bounded)

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
        """Take in which labels of a file fit one call."""
        self.repeated |= self.matched & places
        self.matched |= places

    def merge(self, later: Comparison) -> None:
        """Add what was compared in the runs that come behind these; *later* is best unbounded."""
        self.new.merge(later.new)
        if self.old is not None and later.old is not None:
            self.old.merge(later.old)
        self.runs += later.runs
        self.kinds.update(later.kinds)
        self.in_successes.update(later.in_successes)
        for (kind, tool), count in later.tools.items():
            self.tools[kind, self._named(tool)] += count
        for (kind, tool, layer), count in later.layers.items():
            self.layers[kind, self._named(tool), layer] += count
        for (kind, tool), first in later.firsts.items():
            self.firsts.setdefault((kind, self._named(tool)), first)
        self.other_findings += later.other_findings
        self._merge_examples(later)
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
        changed = change(new, old)
        if changed is None:
            self.other_findings += differ(new, old)
            return
        kind, tool = changed.kind, self._named(new.judged.call.name)
        self.kinds[kind] += 1
        self.in_successes[kind] += new.judged.success is True
        self.tools[kind, tool] += 1
        self.layers.update((kind, tool, layer) for layer in changed.layers)
        shown = len(self.examples[kind]) < self.most
        if shown or (kind, tool) not in self.firsts:
            made = example(run, new, old, label=label)
            self.firsts.setdefault((kind, tool), made)
            self.examples[kind] += [made] if shown else []

    def _named(self, tool: str) -> str:
        if not self.bounded or len(self.tools) < _TOOLS:
            return tool
        return tool if any((kind, tool) in self.tools for kind in Kind) else OTHERS

"""A report with what the rule says of it: what the terminal, the page and JSON show alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from abs_shield.cli.when import said
from abs_shield.core import Mode, Subject, Verdict
from abs_shield.core.label import Truth
from abs_shield.replay.report import (
    Readiness,
    Report,
    Share,
    Standing,
    Step,
    modes,
    muted,
    percent,
    rollout,
)
from abs_shield.text.show import escaped

_REVISIONS = 5
_NAME = 1_024
EMPTY = (
    "It holds no decision about a call yet. Give your Shield a log,"
    " store=open_store(...), and run your agent in audit mode."
)
NONE_FOUND = "It holds no decision about a call of that time and policy revision."


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """
    A report, and what the rule says of it.

    Attributes:
        log: Where the decisions are from.
        limited: Whether only a part of it was asked for.
        steps: The layers, and tools that differ, each with its standing.
        muted: The layers that say nothing, and why.
    """

    log: str
    limited: bool
    report: Report
    rule: Readiness
    steps: list[Step]
    muted: Mapping[str, str]

    @classmethod
    def of(cls, report: Report, rule: Readiness, *, log: str, limited: bool = False) -> Self:
        """Ask the rule about every layer."""
        steps = rollout(report, rule)
        return cls(
            log=log, limited=limited, report=report, rule=rule, steps=steps, muted=muted(report)
        )

    def standing(self, standing: Standing) -> list[Step]:
        """Give the layers and tools of one standing."""
        return [step for step in self.steps if step.standing is standing]

    def modes_line(self) -> str:
        """Give the line to paste into the policy; empty where nothing is safe."""
        return modes_line(modes(self.steps))

    def totals(self) -> Iterator[str]:
        """Tell the log as a whole, a sentence each."""
        totals = self.report.totals
        if totals.span is None:
            yield NONE_FOUND if self.limited else EMPTY
            yield from self._results()
            yield from self._answers()
            yield from self._outputs()
            return
        sessions = f"more than {totals.sessions:,}" if totals.more_sessions else totals.sessions
        time = f"{said(totals.span.first_at)} to {said(totals.span.last_at)} UTC"
        yield f"{counted(totals.calls, 'call')} of {counted(sessions, 'session')}, {time}."
        verdicts = ", ".join(f"{totals.verdicts[v]:,} {v}" for v in Verdict)
        modes = ", ".join(f"{totals.modes[m]:,} in {m}" for m in Mode if totals.modes[m])
        yield f"{verdicts}; {modes}."
        yield (
            f"{totals.blocked:,} blocked; strict mode would have blocked {totals.would_block:,}."
        )
        yield from self._results()
        yield from self._answers()
        yield from self._outputs()
        yield from self._labels()
        yield from self._rest()

    def silenced(self) -> Iterator[tuple[str, str]]:
        """Name each layer and tool with silenced findings, and tell which these are."""
        report = self.report
        for tool in report.tools():
            for layer in report.layers():
                places = report.place(layer, tool).silenced.most_common()
                if places:
                    told = (f"{n:,} {code} {where}".rstrip() for (code, where), n in places)
                    yield f"{layer} on {tool}", ", ".join(told)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON-able data."""
        made = modes(self.steps)
        return {
            "log": self.log,
            **self.report.to_dict(),
            "muted": [{"layer": layer, "why": why} for layer, why in self.muted.items()],
            "rule": {name: getattr(self.rule, name) for name in Readiness.__slots__},
            "readiness": [step.to_dict() for step in self.steps],
            "modes": [
                {"layer": key, "tool": None, "mode": mode.value}
                if isinstance(key, str)
                else {"layer": key[1], "tool": key[0], "mode": mode.value}
                for key, mode in made.items()
            ],
            "modes_line": modes_line(made),
        }

    def _results(self) -> Iterator[str]:
        told = self.report.totals.results
        if told.judged or told.errors:
            failed = f", {told.errors:,} could not be" if told.errors else ""
            yield (
                f"{counted(told.judged, 'result')} judged{failed}: {told.flagged:,} flagged,"
                f" {told.withheld:,} withheld; strict mode would have withheld"
                f" {told.would_withhold:,}."
            )

    def _answers(self) -> Iterator[str]:
        told = self.report.totals.answers
        if told.checked or told.errors:
            apart = (
                f", {told.unverified:,} of them with nothing to check" if told.unverified else ""
            )
            failed = f", {told.errors:,} could not be" if told.errors else ""
            yield (
                f"{counted(told.checked, 'answer')} checked{apart}{failed}: {told.revised:,} to be"
                f" revised, {told.blocked:,} blocked; strict mode would have blocked"
                f" {told.would_block:,}."
            )

    def _outputs(self) -> Iterator[str]:
        counts = self.report.totals.outputs
        if counts.checked or counts.errors:
            failed = f", {counts.errors:,} could not be" if counts.errors else ""
            stages = ", ".join(f"{escaped(k)} {n:,}" for k, n in counts.stages.most_common())
            yield (
                f"{counted(counts.checked, 'output')} checked{failed}: {counts.flagged:,} flagged,"
                f" {counts.held:,} held back; strict mode would have held {counts.would_hold:,}."
                + (f" Found by stage: {stages}." if stages else "")
                + (f" Found once they had left: {counts.afterwards:,}." * bool(counts.afterwards))
            )

    def _labels(self) -> Iterator[str]:
        totals = self.report.totals
        true, false = totals.labels[Truth.HALLUCINATED], totals.labels[Truth.OK]
        labels = f"{counted(true + false, 'label')}: {true:,} hallucinated, {false:,} ok"
        if not true + false:
            yield "No labels yet: abs-shield label DECISION hallucinated|ok."
            return
        missed = f"; {totals.missed:,} of the hallucinated were missed by every layer"
        yield labels + (missed if totals.missed else "") + "."

    def _rest(self) -> Iterator[str]:
        totals = self.report.totals
        if others := [counted(n, s.value) for s in Subject if (n := totals.others[s])]:
            yield f"Counted apart: decisions about {', '.join(others)}."
        if totals.dropped:
            share = percent(totals.dropped_share)
            yield f"{counted(totals.dropped, 'decision')} ({share}) could not be kept: a gap."
        newest = list(totals.revisions.items())[-_REVISIONS:]
        for revision, span in newest:
            until = f"{said(span.first_at)} to {said(span.last_at)}"
            yield f"Policy revision {escaped(revision)}: {counted(span.calls, 'call')}, {until}."
        if len(totals.revisions) > len(newest):
            yield f"And {len(totals.revisions) - len(newest):,} older policy revisions."


def modes_line(made: Mapping[str | tuple[str, str], Mode]) -> str:
    """
    Give modes as a line of Python.

    >>> modes_line({"phantom_tool": Mode.STRICT, ("refund", "phantom_target"): Mode.AUDIT})
    'modes={"phantom_tool": "strict", ("refund", "phantom_target"): "audit"}'
    """
    entries = (f"{_literal(key)}: {_literal(mode.value)}" for key, mode in made.items())
    return f"modes={{{', '.join(entries)}}}" if made else ""


def _literal(key: str | tuple[str, str]) -> str:
    if isinstance(key, tuple):
        return f"({', '.join(map(_literal, key))})"
    plain = key.isascii() and key.isprintable() and not set(key) & set('"\\')
    return f'"{key}"' if plain else repr(key)


def counted(count: int | str, noun: str) -> str:
    """
    Give a count with its noun.

    >>> counted(1, "call"), counted(1200, "call"), counted("more than 9", "call")
    ('1 call', '1,200 calls', 'more than 9 calls')
    """
    number = count if isinstance(count, str) else f"{count:,}"
    return f"{number} {noun}" if count == 1 else f"{number} {noun}s"


def interval(share: Share) -> str:
    """
    Give a share with its interval; empty where nothing was counted.

    >>> interval(Share(10, 1000)), interval(Share(0, 0))
    ('1 % (0.54-1.8 %)', '')
    >>> interval(Share(2999, 3000))
    'over 99.9 % (99.8-over 99.9 %)'
    """
    if not share.of:
        return ""
    lower, upper = share.ends
    return f"{percent(share.hits / share.of)} ({percent(lower)[:-2]}-{percent(upper)})"


def place_name(step: Step) -> str:
    """Name what a step is about: a layer, or a layer on a tool."""
    where = f" on {escaped(step.tool, limit=80)}" if step.tool else ""
    return f"{escaped(step.layer)}{where}"

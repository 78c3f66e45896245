"""How the decision about one call changes from one policy to another, and whose doing it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from abs_shield.core import Finding
from abs_shield.core.label import Truth
from abs_shield.replay.backtest.side import Ruled
from abs_shield.replay.portable_findings import portable
from abs_shield.replay.runs import Run


class Kind(StrEnum):
    """What becomes of a decision; a flagged call is not CLEAN, and runs."""

    FLAG_TO_CLEAN = "flag-to-clean"
    CLEAN_TO_FLAG = "clean-to-flag"
    BLOCK_TO_ALLOW = "block-to-allow"
    ALLOW_TO_BLOCK = "allow-to-block"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """
    One call that a backtest shows.

    Attributes:
        run_id: The run, as the file names it.
        call_index: Counts the run's calls from 0.
        call_id: The call's id as recorded; None where there was none.
        tool: The tool's name as the model wrote it.
        path: The file of the run.
        line: Its line, from 1.
        label: What is known about the call; None where nothing is.
        appeared: Weighing findings of the new policy that the old one has not, or that did not
            stop the call; of a call shown for its label all findings, also those not counted.
        disappeared: The same the other way round.
        errors: Our own failures under the new policy; under the old one where it stopped the call.
    """

    run_id: str
    call_index: int
    call_id: str | None
    tool: str
    path: str
    line: int
    label: Truth | None = None
    appeared: tuple[Finding, ...] = ()
    disappeared: tuple[Finding, ...] = ()
    errors: tuple[str, ...] = ()


class Change(NamedTuple):
    """One changed decision, and the layers to blame."""

    kind: Kind
    layers: tuple[str, ...]


def change(new: Ruled, old: Ruled) -> Change | None:
    """Return what became of a decision; None where it stays."""
    if new.ruling.blocked != old.ruling.blocked:
        if new.ruling.blocked:
            return Change(Kind.ALLOW_TO_BLOCK, new.ruling.stopping)
        return Change(Kind.BLOCK_TO_ALLOW, old.ruling.stopping)
    if new.ruling.blocked or new.flagged == old.flagged:
        return None
    if new.flagged:
        return Change(Kind.CLEAN_TO_FLAG, flagging(new))
    return Change(Kind.FLAG_TO_CLEAN, flagging(old))


def flagging(ruled: Ruled) -> tuple[str, ...]:
    """The layers whose findings weigh."""
    return tuple(dict.fromkeys(f.check for f in ruled.ruling.findings if f.weighs))


def differ(new: Ruled, old: Ruled) -> bool:
    """Return whether other findings weigh, or the same ones otherwise."""
    return _signatures(new).keys() != _signatures(old).keys()


def example(run: Run, new: Ruled, old: Ruled | None, *, label: Truth | None = None) -> Example:
    """Return the call with the findings in which the policies differ, or with all of them."""
    judged = new.judged
    shown = new if old is None or new.ruling.blocked or not old.ruling.blocked else old
    return Example(
        run_id=judged.run_id,
        call_index=judged.call_index,
        call_id=judged.call_id,
        tool=judged.call.name,
        path=run.path,
        line=run.line,
        label=label,
        appeared=_portable(new.ruling.findings if old is None else _only(new, old)),
        disappeared=() if old is None else _portable(_only(old, new)),
        errors=shown.judged.decision.errors,
    )


def _portable(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(map(portable, findings))


def _only(one: Ruled, other: Ruled) -> tuple[Finding, ...]:
    theirs = _signatures(other)
    return tuple(finding for key, finding in _signatures(one).items() if key not in theirs)


_Signature = tuple[str, str, str, str, bool]


def _signatures(ruled: Ruled) -> dict[_Signature, Finding]:
    return dict(_signed(ruled))


def _signed(ruled: Ruled) -> Iterator[tuple[_Signature, Finding]]:
    stopping = ruled.ruling.stopping
    for finding in ruled.ruling.findings:
        if finding.weighs:
            stops = finding.check in stopping
            yield (finding.check, finding.code, finding.where, finding.verdict, stops), finding

"""Classify how the decision about a call changes between two policies, and by which layers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from abs_shield.backtest.side import Ruled
from abs_shield.core import Finding
from abs_shield.core.label import Truth
from abs_shield.replay.portable_findings import without_values
from abs_shield.replay.runs import Run


class Kind(StrEnum):
    """Kinds of changed decisions; a flagged call is not CLEAN, but runs."""

    FLAG_TO_CLEAN = "flag-to-clean"
    CLEAN_TO_FLAG = "clean-to-flag"
    BLOCK_TO_ALLOW = "block-to-allow"
    ALLOW_TO_BLOCK = "allow-to-block"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """
    One call shown as an example in a backtest.

    Attributes:
        run_id: The run's id in the file.
        call_index: Counts the run's calls from 0.
        call_id: The call's recorded id, or None.
        tool: The tool's name as the model wrote it.
        path: The file of the run.
        line: Its line, from 1.
        label: The label of the call, or None.
        appeared: Weighing findings of the new policy only, or that block only there;
            for a call shown because of its label, all findings.
        disappeared: The same for the old policy.
        errors: Internal errors under the new policy; under the old one if only that one blocks.
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
    """A changed decision, and the layers that caused it."""

    kind: Kind
    layers: tuple[str, ...]


def change(new: Ruled, old: Ruled) -> Change | None:
    """Return the change of a decision; None if it is the same."""
    if new.ruling.blocked != old.ruling.blocked:
        if new.ruling.blocked:
            return Change(Kind.ALLOW_TO_BLOCK, new.ruling.stopping)
        return Change(Kind.BLOCK_TO_ALLOW, old.ruling.stopping)
    # a flag beside a block is not visible, as the call does not run
    if new.ruling.blocked or new.flagged == old.flagged:
        return None
    if new.flagged:
        return Change(Kind.CLEAN_TO_FLAG, flagging_layers(new))
    return Change(Kind.FLAG_TO_CLEAN, flagging_layers(old))


def flagging_layers(ruled: Ruled) -> tuple[str, ...]:
    """Return the layers with findings that weigh."""
    return tuple(dict.fromkeys(f.check for f in ruled.ruling.findings if f.weighs))


def findings_differ(new: Ruled, old: Ruled) -> bool:
    """Return whether the findings that weigh differ."""
    return _signatures(new).keys() != _signatures(old).keys()


def example(run: Run, new: Ruled, old: Ruled | None, *, label: Truth | None = None) -> Example:
    """Return the call with the findings in which the policies differ, or with all of them."""
    judged = new.judged
    # the errors of the side that blocks, if only one does
    shown = new if old is None or new.ruling.blocked or not old.ruling.blocked else old
    return Example(
        run_id=judged.run_id,
        call_index=judged.call_index,
        call_id=judged.call_id,
        tool=judged.call.name,
        path=run.path,
        line=run.line,
        label=label,
        appeared=_portable(new.ruling.findings if old is None else _only_in(new, old)),
        disappeared=() if old is None else _portable(_only_in(old, new)),
        errors=shown.judged.decision.errors,
    )


def _portable(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    # findings without values can be printed and sent between processes
    return tuple(map(without_values, findings))


def _only_in(one: Ruled, other: Ruled) -> tuple[Finding, ...]:
    other_signatures = _signatures(other)
    return tuple(
        finding for key, finding in _signatures(one).items() if key not in other_signatures
    )


_Signature = tuple[str, str, str, str, bool]


def _signatures(ruled: Ruled) -> dict[_Signature, Finding]:
    return dict(_signed(ruled))


def _signed(ruled: Ruled) -> Iterator[tuple[_Signature, Finding]]:
    stopping = ruled.ruling.stopping
    for finding in ruled.ruling.findings:
        if finding.weighs:
            stops = finding.check in stopping
            yield (finding.check, finding.code, finding.where, finding.verdict, stops), finding

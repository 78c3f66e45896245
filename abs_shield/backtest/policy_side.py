"""One policy of a backtest: judge calls by it, and classify how decisions change."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from abs_shield.backtest.precision_recall import thresholds
from abs_shield.core import Action, Decision, Finding, Verdict
from abs_shield.core.label import Truth
from abs_shield.errors import PolicyError
from abs_shield.policy import Policy
from abs_shield.replay.replay_job import without_values
from abs_shield.replay.run_judging import Firewalls, Judged, judge_run
from abs_shield.replay.run_reader import Run
from abs_shield.shield import Shield
from abs_shield.shield.enforcement import Ruling
from abs_shield.stores import MemoryStore


class Ruled(NamedTuple):
    """
    One recorded call under one policy.

    Attributes:
        judged: The call, with its decision in a replay in audit mode.
        ruling: The ruling of the policy in its own modes.
        flags_from: Index of the side's lowest threshold that flags the call; their number if none
            does.
        blocks_from: Index of the lowest threshold that blocks it; their number if none does.
    """

    judged: Judged
    ruling: Ruling
    flags_from: int
    blocks_from: int

    @property
    def flagged(self) -> bool:
        """True if the call is not CLEAN."""
        return self.ruling.verdict is not Verdict.CLEAN


class Side:
    """
    Judges runs by one policy.

    The run continues as recorded, whatever the policy would have blocked: every policy is replayed
    in audit mode, and its findings are then weighed again in its own modes.

    Attributes:
        policy: The policy as declared.
        thresholds: The thresholds of its sweep, from low to high; its own is one of them.

    Raises:
        PolicyError: A tool of the policy is invalid, or a rule does not match it.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.thresholds = thresholds(policy.threshold)
        self._firewalls = Firewalls(policy)
        try:
            # no hooks, which are for live decisions; the store is not read
            self._shield = Shield(policy, store=MemoryStore(1), hooks=None)
        except PolicyError as error:
            raise PolicyError(f"{policy.place}: {error}") from None
        # made once, as each call is ruled on by some ten of these
        self._sweep = [policy.model_copy(update={"threshold": at}) for at in self.thresholds]
        self._clean = Ruling(
            verdict=Verdict.CLEAN,
            action=Action.ALLOW,
            mode=policy.mode,
            blocked=False,
            would_block=False,
        )

    def ruled(self, run: Run) -> Iterator[Ruled]:
        """Yield the ruling on each call that *run* proposes, in order."""
        for judged in judge_run(run, self._firewalls.of(run)):
            yield self._ruled(judged)

    def forget(self) -> None:
        """Forget every session, so that later runs start anew."""
        self._firewalls.forget()

    def _ruled(self, judged: Judged) -> Ruled:
        decision = judged.decision
        # most calls are clean under every threshold
        if not decision.findings and not decision.errors:
            return Ruled(judged, self._clean, len(self._sweep), len(self._sweep))
        # by halves, as a lower strength counts from a higher threshold on
        flags = bisect_left(self._sweep, True, key=lambda p: not _clean(self._rule(decision, p)))
        blocks = bisect_left(self._sweep, True, key=lambda p: self._rule(decision, p).blocked)
        return Ruled(judged, self._rule(decision, self.policy), flags, blocks)

    def _rule(self, decision: Decision, policy: Policy) -> Ruling:
        return self._shield.judge_as(decision, policy)


def _clean(ruling: Ruling) -> bool:
    return ruling.verdict is Verdict.CLEAN


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

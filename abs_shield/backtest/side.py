"""One policy of a backtest: judges recorded calls, and rules on them in its own modes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from abs_shield.backtest.threshold_sweep import thresholds
from abs_shield.core import Action, Decision, Verdict
from abs_shield.errors import PolicyError
from abs_shield.policy import Policy
from abs_shield.replay.run_judging import Firewalls, Judged, judge_run
from abs_shield.replay.runs import Run
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

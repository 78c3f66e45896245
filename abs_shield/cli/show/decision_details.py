"""The details of a decision, collected from the log and from run files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from abs_shield.cli.show.run_excerpt import Excerpt, Excerpts
from abs_shield.core import Decision, Subject
from abs_shield.core.label import Label
from abs_shield.replay.tally import blocking_layers
from abs_shield.stores.durable import DurableStore
from abs_shield.stores.record_bodies import Skipped

_AROUND = 5  # calls before and after: what led to it, and what followed


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionDetails:
    """
    A decision with its context.

    Attributes:
        decision: The decision.
        labels: All its labels, oldest first; the last one applies.
        before: Decisions before it in its session, in the order of the log.
        after: Decisions after it in its session.
        report: The report of an answer; None for other subjects, or if the log has none.
        excerpt: The surrounding part of the run; None if no run file has it.
        reads_runs: Whether run files were read.
    """

    decision: Decision
    labels: tuple[Label, ...] = ()
    before: tuple[Decision, ...] = ()
    after: tuple[Decision, ...] = ()
    report: dict[str, Any] | None = None
    excerpt: Excerpt | None = None
    reads_runs: bool = False

    @classmethod
    def of(
        cls,
        decision: Decision,
        store: DurableStore,
        *,
        excerpts: Excerpts | None,
        skipped: Skipped | None = None,
    ) -> Self:
        """
        Collect the details of a decision.

        Args:
            decision: The decision.
            store: Its log.
            excerpts: The run files to search; None for none.
            skipped: Called with each unreadable record near it; None to raise instead.

        Raises:
            StoreError: The log, or a record without *skipped*, cannot be read.
            OSError: A run file cannot be read.
        """
        before, after = store.around(decision.id, most=_AROUND, skipped=skipped)
        excerpt = None
        if excerpts is not None:
            excerpt = excerpts.around(decision, call_ids=_call_ids(decision, before))
        is_answer = decision.subject is Subject.ANSWER
        return cls(
            decision=decision,
            labels=tuple(store.labels_of(decision.id, skipped=skipped)),
            before=tuple(before),
            after=tuple(after),
            report=store.report(decision.id, skipped=skipped) if is_answer else None,
            excerpt=excerpt,
            reads_runs=excerpts is not None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the details as JSON-able data."""
        decision = self.decision
        return {
            "decision": decision.to_dict(),
            "to_blame": sorted(blocking_layers(decision)),
            "labels": [label.to_dict() for label in self.labels],
            "session": {
                "before": [_entry(one) for one in self.before],
                "after": [_entry(one) for one in self.after],
            },
            "feedback": decision.feedback(),
            "report": self.report,
            "run": None if self.excerpt is None else self.excerpt.to_dict(),
        }


def _call_ids(decision: Decision, before: list[Decision]) -> Iterator[str]:
    """
    Yield the ids that the call may have in a run file.

    A call without an id is recorded under its decision's id. A result has another decision,
    which follows that of its call.
    """
    if decision.call_id:
        yield decision.call_id
    elif decision.subject is Subject.RESULT:
        calls = (one for one in reversed(before) if one.subject is Subject.CALL)
        yield from (one.id for one in [*calls][:1] if one.tool == decision.tool)
    else:
        yield decision.id


_ENTRY = ("id", "at", "subject", "tool", "call_id", "verdict", "action", "blocked", "would_block")


def _entry(decision: Decision) -> dict[str, Any]:
    return {name: getattr(decision, name) for name in _ENTRY}

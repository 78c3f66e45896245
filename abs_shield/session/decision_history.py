"""The newest decisions of a session by their subject, and the reports on its answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import islice
from typing import Any, TypeVar

from abs_shield.core import Decision, Subject
from abs_shield.session.bounded_list import append_bounded

T = TypeVar("T")


_NONE: list[str] = []
"""Shared by all sessions without a judged turn; it is never changed."""


class DecisionHistory:
    """
    The decisions of a session, oldest first; empty sequences take no memory.

    Attributes:
        calls: Decisions about calls.
        results: Decisions about results of calls.
        answers: Decisions about answers of the agent.
        outputs: Decisions about other outputs.
        turn: Ids of the decisions about the newest turn that was judged as a whole.
        is_turn_over: Whether the model was asked to write again since the newest call.
        reports: The newest reports on answers.
        report_count: Number of reports so far.
        feedback: The newest texts that asked the model to write its answer again.
    """

    __slots__ = (
        "answers",
        "calls",
        "feedback",
        "is_turn_over",
        "outputs",
        "report_count",
        "reports",
        "results",
        "turn",
    )  # fmt: skip

    def __init__(self) -> None:
        self.calls: Sequence[Decision] = ()
        self.results: Sequence[Decision] = ()
        self.answers: Sequence[Decision] = ()
        self.outputs: Sequence[Decision] = ()
        self.turn = _NONE
        self.is_turn_over = False
        self.reports: Sequence[Any] = ()
        self.report_count = 0
        self.feedback: tuple[str, ...] = ()

    def add(self, decision: Decision, *, most: int) -> None:
        """Add a decision to those with its subject; at most *most* are stored, the newest ones."""
        place = _PLACES[decision.subject]
        if place == "calls":
            self.is_turn_over = False  # the model continues to work
        held = getattr(self, place)
        if held:
            held.append(decision)
            if len(held) > most:
                # Deleting the first item of a long list would copy it for each decision.
                setattr(self, place, deque(islice(held, len(held) - most, None), maxlen=most))
        else:
            setattr(self, place, [decision])

    def is_feedback(self, text: str) -> bool:
        """Return whether a text contains feedback that asked for another answer."""
        return any(feedback in text for feedback in self.feedback)

    def add_report(self, report: Any, *, most: int) -> None:
        """Add a report on an answer; at most *most* are stored, the newest ones."""
        self.report_count += 1
        if isinstance(self.reports, list):
            append_bounded(self.reports, report, most=most)
        else:
            self.reports = [report]


_PLACES = {
    Subject.CALL: "calls",
    Subject.RESULT: "results",
    Subject.ANSWER: "answers",
    Subject.OUTPUT: "outputs",
}

"""The newest decisions of a session, by what they are about, and the reports on its answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from abs_shield.core import Decision, Subject
from abs_shield.session.bounded_list import keep

T = TypeVar("T")


_NONE: list[str] = []
"""Shared by all sessions that have judged no turn; never changed."""


class DecisionHistory:
    """
    Decisions, oldest first. What a session has none of takes no room.

    Attributes:
        calls: Those about calls.
        results: Those about what calls returned.
        answers: Those about what the agent answered.
        outputs: Those about what else it put out.
        turn: Ids of those about the newest turn that was judged as a whole.
        over: Whether the model went on to write without a call since the newest one.
        reports: The reports on answers.
        reported: How many there were so far.
        feedback: The newest texts that asked the model to write its answer again.
    """

    __slots__ = (
        "answers", "calls", "feedback", "outputs", "over", "reported", "reports", "results", "turn",
    )  # fmt: skip

    def __init__(self) -> None:
        self.calls: Sequence[Decision] = ()
        self.results: Sequence[Decision] = ()
        self.answers: Sequence[Decision] = ()
        self.outputs: Sequence[Decision] = ()
        self.turn = _NONE
        self.over = False
        self.reports: Sequence[Any] = ()
        self.reported = 0
        self.feedback: tuple[str, ...] = ()

    def keep(self, decision: Decision, *, most: int) -> None:
        """Keep one among those about the same; the oldest makes room beyond *most*."""
        place = _PLACES[decision.subject]
        if place == "calls":
            self.over = False  # the model is at work again
        held = getattr(self, place)
        if held:
            keep(held, decision, most=most)
        else:
            setattr(self, place, [decision])

    def is_feedback(self, text: str) -> bool:
        """Return whether a text asked to write an answer again, as it is or in a frame."""
        return any(feedback in text for feedback in self.feedback)

    def report(self, report: Any, *, most: int) -> None:
        """Keep a report on an answer."""
        self.reported += 1
        if isinstance(self.reports, list):
            keep(self.reports, report, most=most)
        else:
            self.reports = [report]


_PLACES = {
    Subject.CALL: "calls",
    Subject.RESULT: "results",
    Subject.ANSWER: "answers",
    Subject.OUTPUT: "outputs",
}

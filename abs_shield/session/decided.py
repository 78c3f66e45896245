"""The newest decisions of a session, by what they are about."""

from __future__ import annotations

from abs_shield.core import Decision, Subject
from abs_shield.session.newest import keep


class Decided:
    """
    Decisions, oldest first.

    Attributes:
        calls: Those about calls.
        results: Those about what calls returned.
        answers: Those about what the agent answered.
        turn: Ids of those about the newest turn that was judged as a whole.
    """

    __slots__ = ("answers", "calls", "results", "turn")

    def __init__(self) -> None:
        self.calls: list[Decision] = []
        self.results: list[Decision] = []
        self.answers: list[Decision] = []
        self.turn: list[str] = []

    def keep(self, decision: Decision, *, most: int) -> None:
        """Keep one among those about the same; the oldest makes room beyond *most*."""
        match decision.subject:
            case Subject.CALL:
                keep(self.calls, decision, most=most)
            case Subject.RESULT:
                keep(self.results, decision, most=most)
            case Subject.ANSWER:
                keep(self.answers, decision, most=most)

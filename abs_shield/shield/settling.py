"""Takes an answer through the door: checked, recorded, and written again where it does not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from abs_shield.policy import AnswerConfig
from abs_shield.session import Session
from abs_shield.shield.answering import Began
from abs_shield.shield.desk import Desk
from abs_shield.shield.off import NOTE, SWITCH

if TYPE_CHECKING:
    from abs_shield.answer.check import Checked
    from abs_shield.answer.revise import Settled, Write

_UNDECLARED = "answers_not_judged"


class Door(NamedTuple):
    """
    Where answers of one run are checked.

    Attributes:
        desk: Records what was found out.
        session: The run.
        question: What the user asked; the session's newest user message where None.
        config: How it is judged.
    """

    desk: Desk
    session: Session
    question: str | None
    config: AnswerConfig

    def check(self, answer: str) -> Checked:
        """Check one draft, and record what was found out."""
        from abs_shield.answer.check import checked, passed  # only who checks answers pays for it

        began = Began.now()
        told = passed(self.session, note=NOTE) if SWITCH.off else checked(answer, **self._given())
        self.desk.answered(told, self.session, began=began)
        return told

    async def acheck(self, answer: str) -> Checked:
        """As `check`; models are asked without holding up the event loop."""
        from abs_shield.answer.check import achecked, passed

        began = Began.now()
        if SWITCH.off:
            told = passed(self.session, note=NOTE)
        else:
            told = await achecked(answer, **self._given())
        self.desk.answered(told, self.session, began=began)
        return told

    def _given(self) -> dict[str, Any]:
        return {
            "session": self.session,
            "question": self.question,
            "config": self.config,
            "allow": self.desk.policy.allow,
        }

    def settle(self, answer: str, write: Write) -> Settled:
        """Say what may be emitted; in audit that is the draft, whatever was found."""
        from abs_shield.answer.revise import Settled, settled

        if not self.desk.enforces_answers():
            return Settled(answer, self.check(answer), 0)
        return settled(answer, write=write, check=self.check, config=self.config)

    async def asettle(self, answer: str, write: Write) -> Settled:
        """As `settle`, on this event loop."""
        from abs_shield.answer.revise import Settled, asettled

        if not self.desk.enforces_answers():
            return Settled(answer, await self.acheck(answer), 0)
        return await asettled(answer, write=write, check=self.acheck, config=self.config)


def unsettled(answer: str, session: Session) -> Settled:
    """Give an answer as it is, where the policy judges none."""
    from abs_shield.answer.check import passed
    from abs_shield.answer.revise import Settled

    return Settled(answer, passed(session, note=_UNDECLARED), 0)

"""Takes an answer through the door: checked, recorded, and written again where it does not hold."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NamedTuple

from abs_shield.core.names import ANSWER
from abs_shield.errors import ShieldError
from abs_shield.policy import AnswerConfig
from abs_shield.session import Session
from abs_shield.shield.answering import Began
from abs_shield.shield.desk import Desk
from abs_shield.shield.judge import place_of
from abs_shield.shield.off import NOTE, SWITCH

if TYPE_CHECKING:
    from abs_shield.answer.check import Checked
    from abs_shield.answer.revise import Settled, Write

logger = logging.getLogger("abs_shield")
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
        """Check one draft, and record what was found out; a failure of ours is no verdict."""
        from abs_shield.answer.check import checked, unchecked  # only who checks pays for it

        began = Began.now()
        if SWITCH.off:
            return self._told(unchecked(self.session, note=NOTE), began)
        try:
            found = checked(answer, **self._given())
        except ShieldError:
            raise
        except Exception as error:
            return self._failed(error, began)
        return self._told(found, began)

    async def acheck(self, answer: str) -> Checked:
        """As `check`; models are asked without holding up the event loop."""
        from abs_shield.answer.check import achecked, unchecked

        began = Began.now()
        if SWITCH.off:
            return self._told(unchecked(self.session, note=NOTE), began)
        try:
            found = await achecked(answer, **self._given())
        except ShieldError:
            raise
        except Exception as error:
            return self._failed(error, began)
        return self._told(found, began)

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

    def _given(self) -> dict[str, Any]:
        return {
            "session": self.session,
            "question": self.question,
            "config": self.config,
            "allow": self.desk.policy.allow,
        }

    def _told(self, found: Checked, began: Began, *, error: str = "") -> Checked:
        self.desk.answered(found, self.session, began=began, error=error)
        return found

    def _failed(self, error: Exception, began: Began) -> Checked:
        from abs_shield.answer.check import FAILED, unchecked

        said = f"{ANSWER}: {place_of(error)}"
        logger.error("abs_shield could not check an answer: %s", said)
        closes = self.desk.policy.on_error != "allow"
        found = unchecked(self.session, note=FAILED, action="block" if closes else "emit")
        return self._told(found, began, error=said)


def unsettled(answer: str, session: Session) -> Settled:
    """Give an answer as it is, where the policy judges none."""
    from abs_shield.answer.check import unchecked
    from abs_shield.answer.revise import Settled

    return Settled(answer, unchecked(session, note=_UNDECLARED), 0)

"""The revision of the answer that ends a run, where a framework asks its model itself."""

from __future__ import annotations

from abs_shield.policy import AnswerConfig
from abs_shield.session import Session
from abs_shield.shield import Shield
from abs_shield.shield.settling import AnswerRevision


class Revisions:
    """
    The revision that is under way in one session; a rewrite may call tools before it answers.

    Get it as ``session.derived(Revisions, owner=adapter)``.
    """

    def __init__(self) -> None:
        self._turn = -1
        self._revision: AnswerRevision | None = None

    def of(
        self, firewall: Shield, session: Session, *, most: int | None = None
    ) -> AnswerRevision | None:
        """
        Return the revision of the answer to the user's newest message; None where none is judged.

        Args:
            firewall: The Shield.
            session: The session of the run.
            most: Most rewrites that the framework allows; None for those of the policy.
        """
        known = self._revision
        if known is None or known.is_over or self._turn != session.turns:
            config = firewall.policy.answer
            if most is not None and isinstance(config, AnswerConfig):
                config = config.model_copy(update={"revisions": min(most, config.revisions)})
            self._turn = session.turns
            self._revision = firewall.answer_revision(session=session, config=config or None)
        return self._revision

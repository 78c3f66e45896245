"""Layer 4: this call undoes one made a moment ago."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.core import Unavailable
from abs_shield.plan import Proposal
from abs_shield.session import Session


def self_contradiction(proposal: Proposal, session: Session) -> Iterator[Unavailable]:
    """``create_user(id=1)`` is followed at once by ``delete_user(id=1)``."""
    yield Unavailable("not yet")

"""Layer 2: the target was never mentioned in the run."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.core import Unavailable
from abs_shield.plan import Proposal
from abs_shield.session import Session


def phantom_target(proposal: Proposal, session: Session) -> Iterator[Unavailable]:
    """The agent refunds ``tx_99999`` but the user only asked about ``tx_12345``."""
    yield Unavailable("not yet")

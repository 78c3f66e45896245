"""The Shield of a tool that is decorated without one, resolved at each call."""

from __future__ import annotations

import logging
import os
from threading import RLock

from abs_shield.core.fork_safety import renewed
from abs_shield.policy import configure, load_policy
from abs_shield.session.session_context import inner_session
from abs_shield.session.session_record import record_of
from abs_shield.shield.shield import Shield

POLICY = "ABS_SHIELD_POLICY"
logger = logging.getLogger("abs_shield")

_DEFAULTS: dict[str, Shield] = {}
# Reentrant, because the module of a policy may call a decorated tool while it is imported.
_LOCK = renewed(RLock())


def current_shield() -> Shield:
    """
    Return the Shield of the session, else of ``ABS_SHIELD_POLICY``, else one in audit mode.

    Raises:
        PolicyError: ``ABS_SHIELD_POLICY`` does not name a policy.
    """
    session = inner_session()
    owner = None if session is None else record_of(session).owner
    if isinstance(owner, Shield):
        return owner
    place = os.environ.get(POLICY, "")
    # Under the lock, or two threads would load the policy and log the warning twice.
    with _LOCK:
        if place not in _DEFAULTS:
            _DEFAULTS[place] = _create_shield(place)
        return _DEFAULTS[place]


def _create_shield(place: str) -> Shield:
    if place:
        return Shield.of(load_policy(place))
    logger.warning(
        "abs_shield: no policy is declared; all layers run in audit mode and block nothing. "
        "Pass a policy to `@shielded`, or set %s=module:attr",
        POLICY,
    )
    return Shield(configure(mode="audit"))

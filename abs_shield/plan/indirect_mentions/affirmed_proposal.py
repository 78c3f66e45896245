"""The agent proposed it, and the user said yes in the next message."""

from __future__ import annotations

import re
from itertools import pairwise

from abs_shield.core.events import Said
from abs_shield.plan.targets import Argument
from abs_shield.session import Session
from abs_shield.text.normal import chunks, normal

_YES = re.compile(
    r"\W*(?:(?:oh|ok|okay|well|great|perfect|awesome|wonderful|fantastic|excellent|nice|cool|good),?"
    r" )?(?:yes|yeah|yep|yup|ya|sure|ok|okay|correct|right|exactly|absolutely|definitely|certainly"
    r"|of course|indeed|perfect|great|fine|please do|go ahead|sounds|works|looks good"
    r"|(?:that|it|this)(?:'s|\u2019s| is| was| will| would| looks| sounds| works| seems)"
    r"|i(?:'d| would) (?:like|love) (?:that|it)|confirm(?:ed)?|affirmative|good|awesome|excellent"
    r"|wonderful|nice)\b",
    re.IGNORECASE,
)
_BUT = re.compile(r"\b(?:but|no|not|n't|instead|rather|actually|change|different)\b", re.IGNORECASE)
_LONGEST = 4_096
_MOST = 200
"""Messages that are looked at, the newest first."""


def affirmed_proposal(argument: Argument, session: Session) -> bool:
    """Return whether the user affirmed a message of the agent that has this name in it."""
    wanted = chunks(normal(argument.text))
    if not wanted:
        return False
    said = [entry.event for entry in session.entries() if isinstance(entry.event, Said)][-_MOST:]
    return any(
        _holds(chunks(normal(proposal.text[:_LONGEST])), wanted)
        for proposal, answer in pairwise(said)
        if (proposal.role, answer.role) == ("assistant", "user") and _is_yes(answer.text)
    )


def _is_yes(text: str) -> bool:
    first = text[:_LONGEST].strip()
    return _YES.match(first) is not None and _BUT.search(first[:80]) is None


def _holds(stands: list[str], wanted: list[str]) -> bool:
    size = len(wanted)
    return any(stands[n : n + size] == wanted for n in range(len(stands) - size + 1))

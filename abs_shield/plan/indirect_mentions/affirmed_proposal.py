"""The agent proposed the value, and the user agreed in the next message."""

from __future__ import annotations

import re
from itertools import pairwise

from abs_shield.core.events import MessageText
from abs_shield.plan.judged_arguments import Argument
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
# "Yes, but ..." agrees to something else.
_BUT = re.compile(r"\b(?:but|no|not|n't|instead|rather|actually|change|different)\b", re.IGNORECASE)
_MAX_TEXT_LENGTH = 4_096  # a message of a conversation; a longer one is a document
_MAX_MESSAGES = 200
"""Messages that are searched, the newest first; each is split into words for each name."""


def affirmed_proposal(argument: Argument, session: Session) -> bool:
    """Return whether the user agreed to a message of the agent that contains this name."""
    wanted = chunks(normal(argument.text))
    if not wanted:
        return False
    messages = [entry.event for entry in session.entries() if isinstance(entry.event, MessageText)][
        -_MAX_MESSAGES:
    ]
    return any(
        _contains(chunks(normal(proposal.text[:_MAX_TEXT_LENGTH])), wanted)
        for proposal, answer in pairwise(messages)
        if (proposal.role, answer.role) == ("assistant", "user") and _affirms(answer.text)
    )


def _affirms(text: str) -> bool:
    first = text[:_MAX_TEXT_LENGTH].strip()
    # A "but" further on is about another point.
    return _YES.match(first) is not None and _BUT.search(first[:80]) is None


def _contains(text_chunks: list[str], wanted: list[str]) -> bool:
    size = len(wanted)
    return any(text_chunks[n : n + size] == wanted for n in range(len(text_chunks) - size + 1))

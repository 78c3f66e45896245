"""The parameter's description lists the value: ``1 for cleaning, 2 for ironing``."""

from __future__ import annotations

import re

from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.text.normal import normal

_NUMBERED = re.compile(
    r"(?<![\w.])['\"`]?(\d{1,4})['\"`]? ?"
    r"(?:for|represents?|is|means?|stands? for|denotes?|=|:)(?= ?[a-z])"
)
_QUOTED = re.compile(r"['\"`\u2018\u201c]([\w@.+/-]{1,40})['\"`\u2019\u201d]")
# An example of a format is not a list of the allowed values.
_EXAMPLE = re.compile(r"\b(?:such as|e\.g\.?|for example|for instance|like|format)\b")


def described_option(argument: Argument, session: Session) -> bool:
    """Return whether a description explains the value, or lists it among others."""
    description, text = argument.description, normal(argument.text)
    if text in _NUMBERED.findall(description):
        return True
    quoted = set() if _EXAMPLE.search(description) else set(_QUOTED.findall(description))
    # A single quoted word may be an example, too.
    return len(quoted) > 1 and text in quoted

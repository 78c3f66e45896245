"""Several values in one text, each of them mentioned separately."""

from __future__ import annotations

import re

from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.countries import is_country_code

_SEPARATOR = re.compile(r"\s*[,;|]\s*")
_MAILBOX = re.compile(r"[^<>@]{1,100}<([^<>\s]{3,254}@[^<>\s]{3,254})>")
"""An address after the recipient's name: ``Ann Li <ann@x.org>``."""
_MAX_PARTS = 50  # each part is looked up on its own


def listed_values(argument: Argument, session: Session) -> bool:
    """
    Return whether a value is a list of mentioned ones: ``tx_1,tx_2``; ``48823,US``.

    Of ``Ann Li <ann@x.org>`` the address must be mentioned.
    """
    split = _SEPARATOR.split(argument.text.strip())
    if "<" in argument.text:
        split = [_MAILBOX.sub(r"\1", part) for part in split]
    if not 0 < len(split) <= _MAX_PARTS or not all(split) or split == [argument.text.strip()]:
        return False
    are_mentioned = [mentions_of(session).origin(part) is not None for part in split]
    # At least one: two country codes alone would be a mention of anything.
    return any(are_mentioned) and all(
        is_mentioned or is_country_code(part)
        for is_mentioned, part in zip(are_mentioned, split, strict=True)
    )

"""Several values in one text: each part was mentioned by itself."""

from __future__ import annotations

import re

from abs_shield.plan.targets import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.text.countries import is_country_code

_BETWEEN = re.compile(r"\s*[,;|]\s*")
_MAILBOX = re.compile(r"[^<>@]{1,100}<([^<>\s]{3,254}@[^<>\s]{3,254})>")
"""An address behind the name of its reader: ``Ann Li <ann@x.org>``."""
_MOST = 50


def listed_values(argument: Argument, session: Session) -> bool:
    """
    Return whether a value is a list of mentioned ones: ``tx_1,tx_2``; ``48823,US``.

    Of ``Ann Li <ann@x.org>`` the address has to be mentioned.
    """
    split = _BETWEEN.split(argument.text.strip())
    if "<" in argument.text:
        split = [_MAILBOX.sub(r"\1", part) for part in split]
    if not 0 < len(split) <= _MOST or not all(split) or split == [argument.text.strip()]:
        return False
    known = [mentions_of(session).origin(part) is not None for part in split]
    return any(known) and all(
        seen or is_country_code(part) for seen, part in zip(known, split, strict=True)
    )

"""Whether a value stands in a run just as it is, but for capitals, outer quotes and blanks."""

from __future__ import annotations

import re

from abs_shield.session.session import Session
from abs_shield.session.spelling import texts_of
from abs_shield.text.groups import is_part

_MOST = 64 * 1024
"""Characters of one turn that are read."""
_QUOTES = "\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb\u201e"
_GOES_ON_BEFORE = re.compile(r"[0-9A-Za-z_\u00c0-\u024f/\\.@~%+-]\Z")
_GOES_ON_BEHIND = re.compile(
    r"[0-9A-Za-z_\u00c0-\u024f/\\@%+~-]|[.:?=&#,][0-9A-Za-z_\u00c0-\u024f]"
)
"""What makes a stretch of text a part of a longer value; letters of other scripts do not."""


def stands_verbatim(text: str, session: Session) -> bool | None:
    """
    Return whether *text* stood in a person's words or in a result, and not in a part of a value.

    Returns:
        None where it does not in what is kept of the run, and older text was forgotten.

    >>> session = Session()
    >>> session.user("Delete '/home/ann/tmp', please.")
    >>> [stands_verbatim(p, session) for p in ("/home/Ann/tmp", "/home/ann", "home/ann/tmp")]
    [True, False, False]
    """
    wanted = text.strip().strip(_QUOTES).strip().casefold()
    here: Session | None = session
    forgot = False
    while here is not None:
        for entry in here.entries():
            if any(_stands(wanted, said.casefold()) for said in texts_of(entry.event)):
                return True
        forgot = forgot or here.forgot
        here = here.parent
    return None if forgot else False


def was_said_before(text: str, session: Session) -> bool:
    """
    Return whether the agent had named *text* before its conversation was first heard here.

    It may have had it from a result that stood in a part which is left out: a window of newest
    messages, in a process that did not see the others.

    >>> session = Session()
    >>> session.add([{"role": "assistant", "content": "It is tx_9003. Shall I refund it?"},
    ...              {"role": "user", "content": "Yes, please."}])
    >>> was_said_before("tx_9003", session), was_said_before("tx_900", session)
    (True, False)
    """
    wanted = text.strip().strip(_QUOTES).strip().casefold()
    here: Session | None = session
    while here is not None:
        if any(_stands(wanted, said[:_MOST].casefold()) for said in here.resumed):
            return True
        here = here.parent
    return False


def stands_in(text: str, said: str) -> bool:
    """
    Return whether *text* stands in what was *said*, and not in a part of a longer value.

    >>> stands_in("*.log", "remove *.LOG, please"), stands_in("*.log", "remove a*.log")
    (True, False)
    """
    return _stands(text.casefold(), said.casefold())


def _stands(wanted: str, said: str) -> bool:
    place = said.find(wanted) if wanted else -1
    while place >= 0:
        end = place + len(wanted)
        before, behind = said[max(0, place - 1) : place], said[end : end + 2]
        goes_on = _GOES_ON_BEFORE.search(before) or _GOES_ON_BEHIND.match(behind)
        if not (goes_on or is_part(said, place, end)):
            return True
        place = said.find(wanted, place + 1)
    return False

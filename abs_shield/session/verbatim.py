"""Whether a value stands in a run just as it is, but for capitals, outer quotes and blanks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.core.events import Said
from abs_shield.session.event_texts import APART, texts_of
from abs_shield.session.session import Session
from abs_shield.session.session_record import SessionRecord, record_of
from abs_shield.session.whole_match import stands_whole
from abs_shield.text.groups import is_part
from abs_shield.text.leaves import leaves, scalar_text

_MOST = 64 * 1024
"""Characters of one turn that are read."""
_QUOTES = "\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb\u201e"
_GOES_ON_BEFORE = re.compile(r"[0-9A-Za-z_\u00c0-\u024f/\\.@~%+-]\Z")
_GOES_ON_BEHIND = re.compile(
    r"[0-9A-Za-z_\u00c0-\u024f/\\@%+~-]|[.:?=&#,][0-9A-Za-z_\u00c0-\u024f]"
)
"""What makes a stretch of text a part of a longer value; letters of other scripts do not."""
_LABEL = re.compile(r"[^\W_][\w-]*\Z")
_NEAR = 32
_MOST_LOOKS = 20_000
"""Places that are looked at for the values of one call."""
_LABELS = frozenset("id ids ref reference key name value no nr number code is for uri".split())
_HEX_GROUPS, _NO_HEX = re.compile(r"[0-9a-f:.]+"), re.compile(r"[g-z]")
"""A device's or a net's address, which letters of a word before it are no part of."""


class Verbatim:
    """
    The texts of a run, for many values of one call.

    >>> session = Session()
    >>> session.user("Delete '/home/ann/tmp', please.")
    >>> [Verbatim(session).stands(p) for p in ("/home/Ann/tmp", "/home/ann", "home/ann/tmp")]
    [True, False, False]
    """

    __slots__ = ("_looks", "_record", "_text")

    def __init__(self, session: Session) -> None:
        self._record = record_of(session)
        self._text: str | None = None
        self._looks = iter(range(_MOST_LOOKS))

    def stands(self, text: str) -> bool | None:
        """
        Return whether a person's words or a result hold *text*, and not in a part of a value.

        Returns:
            None where it does not in what is kept of the run, and older text was forgotten.
        """
        wanted = text.strip().strip(_QUOTES).strip().casefold()
        if _stands(wanted, self._folded()):
            return True
        return None if any(run.log.forgot for run in _line(self._record)) else False

    def whole(self, text: str, *, strict: bool) -> bool | None:
        """
        Return whether *text*, in any spelling, stands somewhere as more than a part of a name.

        Args:
            text: The value.
            strict: Whether parts of dotted and slashed names are meant, and not only tails of
                paths.

        Returns:
            None where older text was forgotten, or there were more places than are looked at.
        """
        whole = stands_whole(text, self._folded(), self._looks, strict=strict)
        if whole is not False:
            return whole
        return None if any(run.log.forgot for run in _line(self._record)) else False

    def _folded(self) -> str:
        if self._text is None:
            texts = [run.log.folded() for run in _line(self._record)]
            self._text = texts[0] if len(texts) == 1 else APART.join(texts)
        return self._text


def _line(record: SessionRecord) -> Iterator[SessionRecord]:
    here: SessionRecord | None = record
    while here is not None:
        yield here
        here = here.parent


def stands_verbatim(text: str, session: Session) -> bool | None:
    """Return whether one value stands in a run as it is; see `Verbatim.stands`."""
    return Verbatim(session).stands(text)


def stands_unechoed(text: str, session: Session) -> bool:
    """
    Return whether a person's words hold *text*, or a result whose call did not bring it in.

    >>> session = Session()
    >>> call = {"id": "c1", "name": "note", "arguments": {"text": "acct_666"}}
    >>> session.add([{"role": "assistant", "tool_calls": [call]},
    ...              {"role": "tool", "tool_call_id": "c1", "content": "saved: acct_666"}])
    >>> stands_verbatim("acct_666", session), stands_unechoed("acct_666", session)
    (True, False)
    """
    wanted = text.strip().strip(_QUOTES).strip().casefold()
    if not stands_verbatim(text, session):
        return False
    record = record_of(session)
    for run in _line(record):
        for entry in run.log:
            if isinstance(entry.event, Said) and any(
                _stands(wanted, said.casefold()) for said in texts_of(entry.event)
            ):
                return True
    return not any(
        wanted in said.casefold()
        for run in _line(record)
        for call in tuple(run.executions)
        for path, leaf in leaves(call.arguments)
        for said in (scalar_text(leaf) or "", *(step for step in path if isinstance(step, str)))
    )


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
    return any(
        _stands(wanted, said[:_MOST].casefold())
        for run in _line(record_of(session))
        for said in run.earlier_replies
    )


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
        step = before == ":" and _is_step(wanted, said[max(0, place - _NEAR) : place - 1])
        if not (goes_on or step or is_part(said, place, end)):
            return True
        place = said.find(wanted, place + 1)
    return False


def _is_step(wanted: str, before: str) -> bool:
    """Whether what is behind a colon is a step of a longer id: ``aws:iam`` of ``arn:aws:iam``."""
    label = _LABEL.search(before)
    if label is None or label[0].isdigit():
        return label is not None
    if ":" not in wanted or "://" in wanted or wanted.startswith(("arn:", "urn:")):
        return False
    if label[0].rpartition("_")[2] in _LABELS:
        return False
    return not (_HEX_GROUPS.fullmatch(wanted) and _NO_HEX.search(label[0]))

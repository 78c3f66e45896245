"""Search for a value in a run verbatim, ignoring case, outer quotes and blanks."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from abs_shield.core.events import MessageText
from abs_shield.session.event_log import APART
from abs_shield.session.event_texts import texts_in, texts_of
from abs_shield.session.session import Session
from abs_shield.session.session_record import SessionRecord, record_of
from abs_shield.session.whole_match import FoldedText, occurs_whole
from abs_shield.text.digit_groups import is_part_of_number
from abs_shield.text.lazy_pattern import lazy_pattern

_MOST = 64 * 1024
"""Characters of one reply that are read; few replies have a tenth of that."""
_QUOTES = "\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb\u201e"
_GOES_ON_BEFORE = lazy_pattern(r"[0-9A-Za-z_\u00c0-\u024f/\\.@~%+-]\Z")
_GOES_ON_BEHIND = lazy_pattern(
    r"[0-9A-Za-z_\u00c0-\u024f/\\@%+~-]|[.:?=&#][0-9A-Za-z_\u00c0-\u024f]"
)
"""Neighbouring characters that make a match a part of a longer value; only in Latin script."""
_NUMBER, _DIGITS_BEHIND = re.compile(r"[\d.,]+"), re.compile(r",\d")
"""A comma continues a number: ``1`` is a part of ``1,500``, but ``tx_1`` is not of ``tx_1,5``."""
_LABEL = re.compile(r"[^\W_][\w-]*\Z")
_NEAR = 32  # characters before a match, which contain the label before a colon
_MOST_ATTEMPTS = 20_000
"""Positions that are tested for the values of one call."""
_LABELS = frozenset("id ids ref reference key name value no nr number code is for uri".split())
_HEX_GROUPS, _NO_HEX = re.compile(r"[0-9a-f:.]+"), re.compile(r"[g-z]")
"""A hardware or network address, to which a word before the colon does not belong."""


class Verbatim:
    """
    The texts of a run, prepared for searches of many values of one call.

    >>> session = Session()
    >>> session.user("Delete '/home/ann/tmp', please.")
    >>> [Verbatim(session).occurs(p) for p in ("/home/Ann/tmp", "/home/ann", "home/ann/tmp")]
    [True, False, False]
    """

    __slots__ = ("_attempts", "_record", "_text")

    def __init__(self, session: Session) -> None:
        self._record = record_of(session)
        self._text: FoldedText | None = None
        # Shared by all values of a call, as many short values in a long text take quadratic time.
        self._attempts = iter(range(_MOST_ATTEMPTS))

    def occurs(self, text: str) -> bool | None:
        """
        Return whether a person's text or a result has *text*, not as a part of a longer value.

        Returns:
            None if it does not occur in the stored text of the run, but older text was dropped.
        """
        wanted = text.strip().strip(_QUOTES).strip().casefold()
        if _occurs(wanted, self._folded().text):
            return True
        return None if any(run.log.is_truncated for run in _ancestry(self._record)) else False

    def whole(self, text: str, *, strict: bool) -> bool | None:
        """
        Return whether *text*, in any spelling, occurs somewhere as more than a part of a name.

        Args:
            text: The value.
            strict: Whether parts of dotted and slashed names are excluded, not only tails of paths.

        Returns:
            None if older text was dropped, or there are more positions than are tested.
        """
        whole = occurs_whole(text, self._folded(), self._attempts, strict=strict)
        if whole is not False:
            return whole
        return None if any(run.log.is_truncated for run in _ancestry(self._record)) else False

    def continues(self, text: str, behind: re.Pattern[str]) -> bool:
        """Return whether *text* begins a word of the run in which *behind* matches after it."""
        wanted, within = text.casefold(), self._folded().text
        place = within.find(wanted)
        while place >= 0 and next(self._attempts, None) is not None:
            is_start = place == 0 or not (within[place - 1].isalnum() or within[place - 1] in "_.")
            if is_start and behind.match(within, place + len(wanted)):
                return True
            place = within.find(wanted, place + 1)
        return False

    def _folded(self) -> FoldedText:
        if self._text is None:
            texts = [run.log.casefolded_text() for run in _ancestry(self._record)]
            self._text = FoldedText(texts[0] if len(texts) == 1 else APART.join(texts))
        return self._text


def _ancestry(record: SessionRecord) -> Iterator[SessionRecord]:
    here: SessionRecord | None = record
    while here is not None:
        yield here
        here = here.parent


def occurs_verbatim(text: str, session: Session) -> bool | None:
    """Return whether one value occurs in a run verbatim; see `Verbatim.occurs`."""
    return Verbatim(session).occurs(text)


def occurs_unechoed(text: str, session: Session) -> bool:
    """
    Return whether a person's text has *text*, or a result that does not only repeat a call's.

    >>> session = Session()
    >>> call = {"id": "c1", "name": "note", "arguments": {"text": "acct_666"}}
    >>> session.add([{"role": "assistant", "tool_calls": [call]},
    ...              {"role": "tool", "tool_call_id": "c1", "content": "saved: acct_666"}])
    >>> occurs_verbatim("acct_666", session), occurs_unechoed("acct_666", session)
    (True, False)
    """
    wanted = text.strip().strip(_QUOTES).strip().casefold()
    if not occurs_verbatim(text, session):
        return False
    record = record_of(session)
    for run in _ancestry(record):
        for entry in run.log:
            if isinstance(entry.event, MessageText) and any(
                _occurs(wanted, passage.casefold()) for passage in texts_of(entry.event)
            ):
                return True
    # Only results have it, which are no evidence if they repeat the arguments of a call.
    return not any(
        wanted in passage.casefold()
        for run in _ancestry(record)
        for call in tuple(run.executions)
        for passage in texts_in(call.arguments, most=sys.maxsize)
    )


def occurs_in_earlier_replies(text: str, session: Session) -> bool:
    """
    Return whether the agent wrote *text* before its conversation was first added here.

    The value may come from a result that was not added, if a process receives only a window of the
    newest messages.

    >>> session = Session()
    >>> session.add([{"role": "assistant", "content": "It is tx_9003. Shall I refund it?"},
    ...              {"role": "user", "content": "Yes, please."}])
    >>> occurs_in_earlier_replies("tx_9003", session), occurs_in_earlier_replies("tx_900", session)
    (True, False)
    """
    passages = [passage for run in _ancestry(record_of(session)) for passage in run.earlier_replies]
    if not passages:
        return False
    wanted = text.strip().strip(_QUOTES).strip().casefold()
    return any(_occurs(wanted, passage[:_MOST].casefold()) for passage in passages)


def occurs_in(text: str, passage: str) -> bool:
    """
    Return whether *passage* contains *text*, not as a part of a longer value.

    >>> occurs_in("*.log", "remove *.LOG, please"), occurs_in("*.log", "remove a*.log")
    (True, False)
    """
    return _occurs(text.casefold(), passage.casefold())


def _occurs(wanted: str, passage: str) -> bool:
    place = passage.find(wanted) if wanted else -1
    is_number = _NUMBER.fullmatch(wanted) is not None
    while place >= 0:
        end = place + len(wanted)
        before, behind = passage[max(0, place - 1) : place], passage[end : end + 2]
        goes_on = _GOES_ON_BEFORE.search(before) or _GOES_ON_BEHIND.match(behind)
        if is_number:
            goes_on = goes_on or _DIGITS_BEHIND.match(behind)
        step = before == ":" and _is_step(wanted, passage[max(0, place - _NEAR) : place - 1])
        if not (goes_on or step or is_part_of_number(passage, place, end)):
            return True
        place = passage.find(wanted, place + 1)
    return False


def _is_step(wanted: str, before: str) -> bool:
    """
    Return whether a text after a colon is a step of a longer id: ``aws:iam`` in ``arn:aws:iam``.
    """
    label = _LABEL.search(before)
    if label is None or label[0].isdigit():
        return label is not None
    if ":" not in wanted or "://" in wanted or wanted.startswith(("arn:", "urn:")):
        return False
    if label[0].rpartition("_")[2] in _LABELS:
        return False
    return not (_HEX_GROUPS.fullmatch(wanted) and _NO_HEX.search(label[0]))

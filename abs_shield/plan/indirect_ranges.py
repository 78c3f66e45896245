"""Indirect mentions of ids in a range that a user wrote, and of ids without their version."""

from __future__ import annotations

import re

from abs_shield.plan.indirect_ids import UP_TO, texts_with_ranges
from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.session.verbatim import Verbatim
from abs_shield.text.identifier_words import singular
from abs_shield.text.normal_form import normal
from abs_shield.text.value_shapes import is_code

# Bounded: a prefix of at most 32 characters, and a number of at most 12 digits.
_NUMBERED = re.compile(r"(.{0,32}?)(?<!\d)(\d{1,12})")
_BETWEEN = re.compile(r"\bbetween\s{1,3}(?:[^\W\d_]{1,30}\s{1,3})?\Z")
_WORD_BEFORE = re.compile(r"([^\W\d_]{2,30})\s{1,3}(?:(?:nos?|nr|numbers?)\.?\s{0,3})?#?\Z")
_MAX_RANGE = 1_000
"""Ids between the ends of a range; more are not listed in calls."""
_MAX_BEFORE = 64  # a word, and "numbers"
_VERSION = re.compile(r"[.v]\d{1,3}(?!\w|\.\d)")


def id_in_range(argument: Argument, session: Session) -> bool:
    """
    Return whether a user wrote a range that contains the id: "BX-001 to BX-003" for ``BX-002``.

    The ids of the range have the same prefix. A number without a prefix needs a noun before the
    range that the parameter has as well: "orders 1001 to 1005" for an order's id.
    """
    match = _NUMBERED.fullmatch(normal(argument.text).strip())
    if match is None:
        return False
    head, digits = match.groups()
    pattern = None
    for text in texts_with_ranges(session):
        if head not in text:
            continue
        # Compiled here, as few runs have a range with this prefix.
        pattern = pattern or re.compile(
            rf"(?<!\w){re.escape(head)}(?P<first>\d{{1,12}})(?P<to>{UP_TO})"
            rf"(?P<again>{re.escape(head)})?(?P<last>\d{{1,12}})(?![\w%])"
        )
        for found in pattern.finditer(text):
            before = text[max(0, found.start() - _MAX_BEFORE) : found.start()]
            if found["to"].strip() == "and" and not _BETWEEN.search(before):
                continue
            # `tx_12345-7` is one identifier.
            if found["to"] == "-" and head and not found["again"]:
                continue
            is_of_kind = bool(head) or _names_kind(before, argument)
            if is_of_kind and _is_between(digits, found["first"], found["last"]):
                return True
    return False


def _names_kind(before: str, argument: Argument) -> bool:
    """Return whether a plural before a range of numbers names the parameter's kind."""
    match = _WORD_BEFORE.search(before)
    word = "" if match is None else singular(match[1])
    return match is not None and word != match[1] and word in argument.entity_words


def _is_between(digits: str, first: str, last: str) -> bool:
    """
    Return whether a number is in a range, and is written like its ends.

    >>> [_is_between(digits, "008", "12") for digits in ("010", "10", "013")]
    [True, False, False]
    """
    last = first[: max(0, len(first) - len(last))] + last
    if not int(first) <= int(digits) <= int(last) <= int(first) + _MAX_RANGE:
        return False
    return len(digits) == len(first) or (first[0] != "0" and digits[0] != "0")


def unversioned_id(argument: Argument, session: Session) -> bool:
    """Return whether the run has the id with a version: ``NM_000059`` for ``NM_000059.4``."""
    text = argument.text.strip()
    # A number before a full stop is an amount.
    if not is_code(text) or not any(map(str.isalpha, text)):
        return False
    return Verbatim(session).continues(text, _VERSION)

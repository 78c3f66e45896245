"""Ids, e-mail addresses and telephone numbers of another record than the one named before them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from abs_shield.answer.checks.record_scope import RecordScope
from abs_shield.answer.evidence.evidence_value import EvidenceValue
from abs_shield.answer.evidence.record_paths import record_of, without_indices
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.plan.parameter_names import classify_name
from abs_shield.text.identifier_words import name_words
from abs_shield.text.phones import is_phone_field
from abs_shield.text.values.figure import ID, SUMS, Figure, figures_agree

_WORD = re.compile(r"[^\W_]+")
_LABELS = frozenset(
    "s at on is are under via by or the a his her their its your this that has have with can be "
    "reached reach contacted contact call write id no nr number e mail email phone mobile tel "
    "telephone cell address record account reference ref code belongs to for".split()
)
"""Words between a name and an id or an address that is stated as the record's own."""
_APART = re.compile(r"[,;!?)\n]|\.\s|\band\b")
_OTHER = re.compile(r"\b(?:besides?|beyond|than|after|before|unlike|like|except|apart from)[ ]\Z")
# "Tom reports to ...": a word that is no label relates two people
_LONGEST = 60
"""Characters between a name and its id."""
_LEAST_DIGITS = 6  # a shorter number is a count or an amount


def other_record_of(
    value: Figure,
    matches: Sequence[EvidenceValue],
    answer: str,
    *,
    index: ValueIndex,
    scope: RecordScope,
) -> EvidenceValue | None:
    """
    Return the id of the record named directly before one that only another record has, or None.

    Args:
        value: An id, an address or a telephone number of the answer.
        matches: Its places in the evidence.
        answer: The answer.
        index: The values of the evidence.
        scope: The lines and sentences of the answer.
    """
    if not _may_identify(value, matches):
        return None
    piece, field = matches[0].piece, without_indices(matches[0].steps)
    # with a second origin, such as a call that used it, it may belong to either record
    if any(one.piece != piece or without_indices(one.steps) != field for one in matches):
        return None
    start = max(scope.sentence(value.start)[0], value.start - _LONGEST)
    names = scope.names_in(start, value.start)
    if not names or not index.pieces[piece].lines:
        return None
    at, places = names[-1]
    between = [*_WORD.finditer(answer, at, value.start)]
    name = places[0].name.split()
    while between and name and between[0][0].casefold() == name[0]:
        end = between.pop(0).end()
        name.pop(0)
    labels = _LABELS.union(*(name_words(str(step)) for step in field))
    if (
        _APART.search(answer, end, value.start)
        or _OTHER.search(answer, start, at)
        or not labels.issuperset(word[0].casefold() for word in between)
    ):
        return None
    own = [
        one
        for place in places
        if place.piece == piece
        for one in index.records.members(place)
        if without_indices(one.steps) == field
    ]
    first, last = scope.line(value.start)
    # in "W-1 (tea), W-2 (mugs)" the tea has its id already
    if not own or any(
        figures_agree(value, one.figure) or one.figure.text in answer[first:at] for one in own
    ):
        return None
    others = (*scope.names_in(first, value.start), *scope.names_in(value.end, last))
    named = {record_of(place.steps) for _, some in others for place in some}
    return own[0] if named.isdisjoint(record_of(one.steps) for one in matches) else None


def _may_identify(value: Figure, matches: Sequence[EvidenceValue]) -> bool:
    if not matches or not all(one.is_result and one.piece >= 0 and one.steps for one in matches):
        return False
    if value.kind == ID:
        return True
    digits = value.kind in SUMS and value.text.isdigit() and len(value.text) >= _LEAST_DIGITS
    return digits and all(
        is_phone_field(one.field) or classify_name(one.field) == "hard" for one in matches
    )

"""Check that a value belongs to the record the answer names: not Alder's rooms for Birch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from abs_shield.answer.checks.conflicting_sentences import has_other_value, other_value
from abs_shield.answer.checks.dated_statements import DatedClaims
from abs_shield.answer.checks.record_scope import RecordScope
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.evidence.evidence_value import LONGEST_NAME, EvidenceValue, KeyPlace
from abs_shield.answer.evidence.record_paths import (
    is_foreign,
    names_money,
    record_of,
    without_indices,
)
from abs_shield.answer.evidence.value_index import MOST_PLACES, ValueIndex
from abs_shield.text.identifier_words import name_words
from abs_shield.text.json_leaves import value_at
from abs_shield.text.normal_form import normal, words
from abs_shield.text.safe_display import shown
from abs_shield.text.values.figure import DATE, ID, MONEY, NUMBER, SUMS, TIME, Figure, figures_agree

_MOMENTS = frozenset({DATE, TIME})
_MOST_RECORDS = 24  # an answer that names more records at a value is about none of them
# "2026-03-04T" or "Mon 4 March, "
_LONGEST_DAY = 16
"""Characters before a time that may be its day, or the separator after its field."""
_LABEL = re.compile(
    r"([A-Za-z]{3,20})(?:[ ](?:time|date|day|on|at|is|by|are|was)){0,3}[\s:*_|\"']{1,8}$",
    re.IGNORECASE,
)
_LONGEST_LABEL = 60  # a label longer than that is a sentence
# "depar" of departs and departure; with fewer letters, "date" and "data" become one
_STEM = 5
"""Leading letters that a word and another form of a field's name share."""
_LEAST_PART = 4  # letters of a part of a name that stands for it
_LEAST_WORD = 3  # "at", "of" and "in" are in many names
_PAST = re.compile(
    r"\b(?:was|were|had|been|before|previous|earlier|former|from|old|original|initial|first|instead"
    r"|compared|than|went|chang|updat|increas|decreas|rose|fell|dropp|until|ago|last|no longer"
    r"|yesterday|at first|then)|\u2192|->",
    re.IGNORECASE,
)
"""Words of a sentence that may refer to an earlier state."""
_RELATIVE = re.compile(
    r"\b(?:other|another|next|previous|prior|later|earlier|since|after|before|between|until|till|from"
    r"|instead|first|second|third|last|than|both|apart|following|rest|remaining|soonest|earliest"
    r"|latest|while|whereas|or|then|another|anderer?s?|n\u00e4chste[rns]?|erst|ab|seit|nach|vor|bis"
    r"|zwischen|statt|autre|prochaine?|depuis|apr\u00e8s|avant|entre|jusqu|otr[oa]|siguiente|desde"
    r"|despu\u00e9s|antes|hasta)\b",
    re.IGNORECASE,
)
"""Words of a sentence that may relate a date or time to a record without belonging to it."""
_PLAN = re.compile(r"\b(?:I|we)(?:['\u2019]ll| will| shall|['\u2019]m going to| am going to)\b")
"""Words of a sentence with the values of a next call, which are not those of a record."""
_NO_FIELD = frozenset("id time date at est utc gmt local number of the is to in on and a".split())


class RecordBindings:
    """
    The values of one answer, compared with the records named near them.

    Args:
        answer: The answer.
        values: Its values, in order.
        evidence: The evidence.
    """

    def __init__(self, answer: str, values: list[Figure], evidence: Evidence) -> None:
        self._answer = answer
        self._evidence = evidence
        self._index: ValueIndex = evidence.derived(ValueIndex)
        self.scope = RecordScope(answer, values, self._index)
        self._dates = DatedClaims(answer, evidence, self.scope)

    def records(self, value: Figure) -> tuple[KeyPlace, ...]:
        """Return the places of the records meant at a value; empty for kinds without records."""
        if value.kind in _MOMENTS:
            places = self.scope.records(value)
        elif value.kind in SUMS:
            # paired amounts first: a sentence with two records names each of them
            places = self.scope.paired(value) or self.scope.subject(value)
        else:
            places = ()
        return tuple(islice(dict.fromkeys(places), _MOST_RECORDS))

    def of_field(
        self, value: Figure, matches: Sequence[EvidenceValue], records: Sequence[KeyPlace]
    ) -> Sequence[EvidenceValue]:
        """Return *matches* without dates and times of another field: no arrival for `departs`."""
        # only dates and times: records have several of them, under fields that the answer names
        if value.kind not in _MOMENTS or not matches or not records:
            return matches
        label = _LABEL.search(self._answer, max(0, value.start - _LONGEST_LABEL), value.start)
        fields = {one.field for one in self._alike(value, records) if self._fills_field(one)}
        fields_meant = {
            field for field in fields if label and _has_word(field, label[1].casefold())
        }
        if not fields_meant:  # without a word for a field any of them may be meant
            return matches
        wrong = fields - fields_meant
        return [one for one in matches if one.field not in wrong or not self._fills_field(one)]

    def _fills_field(self, one: EvidenceValue) -> bool:
        """Return whether a date or time of a result is its whole field, not a part of a text."""
        if not one.is_result or one.piece < 0 or not one.field:
            return False
        piece = self._index.pieces[one.piece]
        if piece.lines:
            # a line is one value, so a date at its beginning is all of it
            return one.figure.start <= _LONGEST_DAY
        start = piece.text.rfind("\n", 0, one.figure.start) + 1
        return one.figure.start - start <= _LONGEST_DAY + len(one.field)

    def own(
        self,
        matches: Sequence[EvidenceValue],
        records: Sequence[KeyPlace],
        value: Figure | None = None,
    ) -> EvidenceValue | None:
        """Return the first of *matches* that is in one of the records, or outside all records."""
        # the matches are cut there, so that none of the record's own proves nothing
        if not records or len(matches) >= MOST_PLACES:
            return next(iter(matches), None)
        return next((one for one in matches if self._is_own(one, records, value)), None)

    def changed(self, value: Figure, matches: Sequence[EvidenceValue]) -> EvidenceValue | None:
        """
        Return the first of *matches* that another result has for the record named before a value.

        After a loan is renewed, its new date is in the result of the renewal.
        """
        others = [
            other
            for place in self.scope.nearest(value)[:_MOST_RECORDS]
            for other in self._index.other_places(place)
        ]
        return next(
            (one for one in matches if any(self._index.is_in_place(one, at) for at in others)),
            None,
        )

    def _is_own(
        self, one: EvidenceValue, records: Sequence[KeyPlace], value: Figure | None
    ) -> bool:
        # a text belongs to whatever the answer is about
        if not (one.is_result or one.is_argument) or one.piece < 0:
            return True
        # a plain number of running text has no record, only a sentence
        if one.figure.kind == NUMBER and self._index.is_prose(one):
            return True
        return any(
            (place.piece == one.piece and not is_foreign(place.steps, one.steps))
            or (place.name and self._index.records.mentions_name(one, place.name))
            or (value is not None and self._names_part(value, one, place))
            for place in records
        )

    def _names_part(self, value: Figure, one: EvidenceValue, place: KeyPlace) -> bool:
        """
        Return whether a sentence names another record of a list by a part of its name.

        For the Cauliflower steak and the Mushroom risotto, "the risotto" is enough.
        """
        if not place.name or place.piece != one.piece:
            return False
        rest = place.steps[len(record_of(place.steps)) :]
        try:
            name = value_at(self._index.pieces[one.piece].value, (*record_of(one.steps), *rest))
        except (KeyError, IndexError, TypeError):  # the other record has no such field
            return False
        if not isinstance(name, str) or len(name) > LONGEST_NAME:
            return False
        names = self.scope.names_in(*self.scope.sentence(value.start))
        # a record that the sentence names has its own value there
        if any(
            at.piece == one.piece and record_of(at.steps) == record_of(one.steps)
            for _, places in names
            for at in places
        ):
            return False
        parts = {part for part in words(normal(name)) if len(part) >= _LEAST_PART}
        return not (parts - {*place.name.split()}).isdisjoint(self._words(value))

    def find_replacement(
        self, value: Figure, matches: Sequence[EvidenceValue], records: Sequence[KeyPlace]
    ) -> EvidenceValue | None:
        """
        Return the records' value in place of one that only other records have, or None.

        For a date or time, any value of that kind; for a number, one of the same field. Amounts
        of several records may be in one sentence: it must also name the field, or have equally
        many amounts after each key.
        """
        if value.kind in _MOMENTS:
            own = self.scope.belongs_to_record(value) and not self._is_set_apart(value)
            return next(iter(self._alike(value, records)), None) if own else None
        if _PLAN.search(self._answer, *self.scope.sentence(value.start)):
            return None
        fields = {self._field(one) for one in matches}
        members = (one for place in records for one in self._index.records.members(place))
        other = next((one for one in members if self._field(one) in fields and one.is_sum), None)
        # a plain number of the same field is compared wherever it stands
        if other is None or value.kind == NUMBER or self.scope.paired(value):
            return other
        if self.scope.belongs_to_record(value) and not self._is_set_apart(value):
            return other
        return other if _names_field(self._words(value), other.field) else None

    def _is_set_apart(self, value: Figure) -> bool:
        """
        Return whether a sentence relates a date to its record without stating it as the record's.
        """
        return _RELATIVE.search(self._answer, *self.scope.sentence(value.start)) is not None

    def _words(self, value: Figure) -> set[str]:
        """Return the words of a value's sentence."""
        return set(words(normal(self._answer[slice(*self.scope.sentence(value.start))])))

    def is_of_another(self, value: Figure, matches: Sequence[EvidenceValue]) -> bool:
        """Return whether running text has a number only for another subject than its sentence's."""
        if value.kind not in SUMS or not matches or len(matches) > _MOST_RECORDS:
            return False
        if any(one.piece < 0 or self._index.pieces[one.piece].lines for one in matches):
            return False
        sentence = self._answer[slice(*self.scope.sentence(value.start))]
        return has_other_value(sentence, value, self._evidence)

    def date_conflict(self, value: Figure, matches: Sequence[EvidenceValue]) -> str:
        """Return a message if running text has another date for a sentence's statement, or ""."""
        if value.kind != DATE or len(matches) > _MOST_RECORDS or self._is_set_apart(value):
            return ""
        other = self._dates.find_other_date(value, matches)
        return "" if other is None else _other_value_message(value, shown(other.text))

    def is_outdated(self, value: Figure, matches: Sequence[EvidenceValue]) -> bool:
        """Return whether newer results of the same calls have another value."""
        if value.kind == ID or not matches or len(matches) > _MOST_RECORDS:
            return False
        if any(self._index.newer(one) is None for one in matches):
            return False
        return _PAST.search(self._answer, *self.scope.sentence(value.start)) is None

    def _field(self, one: EvidenceValue) -> tuple[object, ...]:
        """Return a key that the same field has in all records of a list, or of a tool."""
        return self._index.pieces[one.piece].name, one.field, without_indices(one.steps)

    def _alike(self, value: Figure, records: Iterable[KeyPlace]) -> list[EvidenceValue]:
        """Return the records' values of the same kind, the nearest to a key first."""
        inside = (one for place in records for one in self._index.records.members(place))
        if value.kind == MONEY:
            return [one for one in inside if one.is_money and names_money(one.field)]
        return [one for one in inside if one.figure.kind == value.kind]

    def conflict(self, value: Figure) -> str:
        """
        Return the evidence's value in place of a missing one, as a message; empty if none is known.
        """
        # of plain numbers a record has too many to guess which one is meant
        places = self.scope.records(value) if value.kind in _MOMENTS | {MONEY} else ()
        sentence_words = self._words(value)
        candidates = [
            one for one in self._alike(value, places) if _names_field(sentence_words, one.field)
        ]
        if candidates and not any(figures_agree(value, one.figure) for one in candidates):
            return _other_value_message(value, describe(candidates[0]))
        sentence = self._answer[slice(*self.scope.sentence(value.start))]
        other = other_value(sentence, value, self._evidence)
        return _other_value_message(value, shown(other[1].text)) if other else ""


def _has_word(field: str, word: str) -> bool:
    """
    Return whether a field's name has a word, in any form.

    >>> _has_word("scheduled_departure_time", "departs"), _has_word("arrival_time", "departs")
    (True, False)
    """
    stem = word[:_STEM]
    parts = (part for part in name_words(field) if len(part) >= _LEAST_WORD)
    return any(part.startswith(stem) or stem.startswith(part) for part in parts)


def _names_field(sentence_words: set[str], field: str) -> bool:
    """Return whether a sentence mentions a field."""
    parts = {word for word in name_words(field) if word not in _NO_FIELD}
    return any(
        part[:_STEM] == word[:_STEM]
        for part in parts
        for word in sentence_words
        if len(word) >= _LEAST_WORD
    )


def _other_value_message(value: Figure, other: str) -> str:
    """Return the message that the evidence has *other* in place of a value."""
    return f"the answer has {shown(value.text)}, the evidence has {other}"


def describe(one: EvidenceValue) -> str:
    """Return a value of the evidence with its field, for a message."""
    under = f" under `{one.field[:60]}`" if one.field else ""
    return f"{shown(one.figure.text)}{under}"

"""Ids that an answer writes in another way than the evidence: in groups, shortened, with a "v"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.text.phones import is_same_phone, phones_of
from abs_shield.text.values.figure import ID, SUMS, Figure
from abs_shield.text.values.number_values import id_key

# an IBAN has at most 34 characters, in groups of four
_GROUPS = re.compile(r"(?<!\w)\+?\(?[A-Za-z0-9]{1,8}(?:[ ()./-]{1,2}[A-Za-z0-9]{1,8}){1,10}(?!\w)")
_LONGEST, _MOST_GROUPS = 64, 9
_LEAST = 7
"""Fewest letters and digits of an id in groups; shorter runs of digits occur by chance."""
_SHORT_HASH = re.compile(r"(?=\w*\d)[0-9a-f]{7,16}")
_HASHES = frozenset({40, 64})
"""Digits of a whole hash of a commit or an image."""
_VERSION = re.compile(r"v(?=\d)", re.IGNORECASE)


def has_other_spelling(answer: str, value: Figure, index: ValueIndex) -> bool:
    """
    Return whether the evidence has an id or a telephone number in another spelling.

    Args:
        answer: The answer.
        value: One of its values.
        index: The values of the evidence.
    """
    if value.kind == ID:
        if (start := _VERSION.match(value.text)) and index.has_id(
            id_key(value.text[start.end() :])
        ):
            return True
        if _SHORT_HASH.fullmatch(key := str(value.value)) and index.begins_id(key, _HASHES):
            return True
    return value.kind in {ID, *SUMS} and any(
        index.has_id(id_key(whole))
        or any(is_same_phone(phones_of(whole), one) for one in index.phones)
        for whole in _wholes(answer, value)
    )


def _wholes(answer: str, value: Figure) -> Iterator[str]:
    """Yield the texts of adjacent groups of letters and digits that contain a value."""
    first = max(0, value.start - _LONGEST)
    for run in _GROUPS.finditer(answer, first, value.end + _LONGEST):
        if not run.start() <= value.start < run.end():
            continue
        groups = [match.span() for match in re.finditer(r"\+?\(?[A-Za-z0-9]+", run[0])]
        inside = value.start - run.start(), value.end - run.start()
        for n, (start, _) in enumerate(groups):
            for _, end in groups[n + 1 : n + _MOST_GROUPS]:
                whole = run[0][start:end]
                if start <= inside[0] and inside[1] <= end and _is_long(whole):
                    yield whole


def _is_long(text: str) -> bool:
    return sum(map(str.isalnum, text)) >= _LEAST and sum(map(str.isdigit, text)) >= _LEAST - 1

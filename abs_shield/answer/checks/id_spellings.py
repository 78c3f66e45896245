"""Ids that an answer writes in another way than the evidence: in groups, shortened, with a "v"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.text.values.figure import ID, SUMS, Figure
from abs_shield.text.values.number_values import id_key

_GROUP, _GAP = re.compile(r"\+?[A-Za-z0-9]{1,8}(?!\w)"), re.compile(r"[ ()./-]{1,2}")
_OTHER = re.compile(r"[^A-Za-z0-9 ()./+-]|[ ()./-]{3}")
"""Separators of two ids."""
# an IBAN has at most 34 characters, in groups of four
_LONGEST, _MOST_GROUPS = 48, 9
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
    ids = index.id_texts
    if value.kind == ID:
        key, version = str(value.value), _VERSION.match(value.text)
        if version and id_key(value.text[version.end() :]) in ids:
            return True
        if _SHORT_HASH.fullmatch(key) and ids.has_start(key, _HASHES):
            return True
    return value.kind in {ID, *SUMS} and any(
        "".join(filter(str.isalnum, whole)).casefold() in ids or ids.has_phone(whole)
        for whole in _wholes(answer, value)
    )


def _wholes(answer: str, value: Figure) -> Iterator[str]:
    """Yield the texts of adjacent groups of letters and digits that contain a value."""
    first = max(0, value.start - _LONGEST)
    groups = [*_GROUP.finditer(answer, first, value.end + _LONGEST)]
    inside = [
        n for n, one in enumerate(groups) if one.start() < value.end and one.end() > value.start
    ]
    if not inside:
        return
    for n in range(max(0, inside[0] - _MOST_GROUPS), inside[0] + 1):
        for m in range(max(n + 1, inside[-1]), min(n + _MOST_GROUPS, len(groups))):
            if not _GAP.fullmatch(answer, groups[m - 1].end(), groups[m].start()):
                break
            whole = answer[groups[n].start() : groups[m].end()]
            if _is_long(whole) and not _OTHER.search(whole):
                yield whole


def _is_long(text: str) -> bool:
    return sum(map(str.isalnum, text)) >= _LEAST and sum(map(str.isdigit, text)) >= _LEAST - 1

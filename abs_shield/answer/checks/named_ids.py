"""The ids that a claim names, and those that it names in one list."""

from __future__ import annotations

import re
from typing import NamedTuple

from abs_shield.text.values.figure import ID
from abs_shield.text.values.ids import id_key
from abs_shield.text.values.reader import figures

_MOST_LISTS = 50
_FAR = 64
_JOINED = re.compile(
    r"[\s,&/]{0,3}(?:and|or|as well as|plus|,|&|/)\s{0,2}(?:the\s)?(?:[a-z]{2,20}\s){0,2}#?",
    re.IGNORECASE,
)
_CLOSE = 2
_STOP = re.compile(r"[.;:!?\n]")
_GOES_ON = re.compile(
    r"\s{1,2}(?:is|was|has|had|remains|stays|will|can|could|would|should|still|now|does|did)\b",
    re.IGNORECASE,
)


class Listed(NamedTuple):
    """Ids that stand in one list, with its place: ``AB1234 and CD5678``."""

    start: int
    end: int
    ids: frozenset[str]


class Named(NamedTuple):
    """
    The ids that a claim names, in the form in which they are compared.

    Attributes:
        all: All of them.
        text: The claim.
        lists: Those that stand in a list, without a last one that begins a clause of its own.
    """

    all: frozenset[str] = frozenset()
    text: str = ""
    lists: tuple[Listed, ...] = ()


def ids_of(text: str) -> Named:
    """
    Give the ids that a text names.

    >>> [sorted(some.ids) for some in ids_of("I have cancelled AB1234 and CD5678.").lists]
    [['ab1234', 'cd5678']]
    """
    found = [one for one in figures(text) if one.kind == ID and not one.soft]
    lists: list[Listed] = []
    for n, one in enumerate(found):
        key = id_key(one.text)
        if n and _JOINED.fullmatch(text, found[n - 1].end, one.start):
            if not _GOES_ON.match(text, one.end):
                start, _, keys = lists.pop()
                lists.append(Listed(start, one.end, keys | {key}))
        else:
            lists.append(Listed(one.start, one.end, frozenset({key})))
    several = tuple(some for some in lists if len(some.ids) > 1)[:_MOST_LISTS]
    return Named(frozenset(id_key(one.text) for one in found), text, several)


def stands_at(some: Listed, start: int, end: int, text: str, *, before: bool) -> bool:
    """Whether a list stands right before, or behind, the place of what was done to it."""
    if before:
        return 0 <= start - some.end <= _CLOSE
    between = text[end : some.start] if end <= some.start else ""
    return 0 < len(between) <= _FAR and not _STOP.search(between)

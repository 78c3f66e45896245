"""Short ids such as a seat or a gate: missed where the evidence has others of exactly that form."""

from __future__ import annotations

import re
from collections import defaultdict

from abs_shield.answer.evidence.records import Leaf, walked
from abs_shield.answer.evidence.types import Evidence, Source
from abs_shield.answer.evidence.values import figures_of
from abs_shield.plan.names import by_name
from abs_shield.text.names import of_what
from abs_shield.text.normal import normal, words
from abs_shield.text.values.figure import ID, Figure

_LONGEST = 24
_PLAIN = re.compile(r"[a-z]+\d|\d[a-z]+")
"""What any word may look like: ``A4``, ``5G``."""
_OTHER = re.compile(
    r"\?|\b(?:no|not|never|none|neither|nor|without|cannot|than|unlike|other|another|next|previous"
    r"|new|instead|between|through|upgrade\w*|like|would|could)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(?:\bto|[-\u2013\u2014/])\s*$")
_RANGE_ON = re.compile(r"\s*(?:to\b|[-\u2013\u2014/])")


class ShortIds:
    """The forms of the ids of some evidence, each with the words of the fields that have it."""

    def __init__(self, evidence: Evidence) -> None:
        self._fields: dict[str, set[frozenset[str]]] = defaultdict(set)
        self._keys: set[str] = set()
        for piece in evidence:
            if piece.source is Source.TOOL_RESULT and isinstance(piece.value, (dict, list)):
                for leaf in walked(piece.value):
                    self._take(leaf)

    def _take(self, leaf: Leaf) -> None:
        text = leaf.value
        if not isinstance(text, str) or len(text) > _LONGEST or not any(map(str.isdigit, text)):
            return
        found = figures_of(text)
        if [(ID, text)] != [(one.kind, one.text) for one in found]:
            return
        shape = form(text)
        self._fields[shape].add(of_what(leaf.field))
        if leaf.named or by_name(leaf.field) == "hard" or leaf.field.casefold() == "id":
            self._keys.add(shape)

    def has_like(self, figure: Figure, sentence: str, at: int) -> bool:
        """
        Whether the evidence has ids of the form of a soft one, so that it should have this one.

        Args:
            figure: It, which stands nowhere.
            sentence: The sentence in which it is said.
            at: Where it begins in the sentence.
        """
        shape = form(figure.text)
        fields = self._fields.get(shape)
        if figure.kind != ID or not fields or _OTHER.search(sentence):
            return False
        before, behind = sentence[:at], sentence[at + len(figure.text) :]
        if _RANGE.search(before[-8:]) or _RANGE_ON.match(behind):
            return False
        if shape in self._keys and _PLAIN.fullmatch(shape.replace("9", "1")) is None:
            return True
        said = frozenset(words(normal(sentence)))
        return any(field and field <= said for field in fields)


def form(text: str) -> str:
    """
    Give the form of an id: its letters before the first digit, and what kind stands behind.

    >>> form("F-12"), form("f-21"), form("14C"), form("gw-2")
    ('f-99', 'f-99', '99a', 'gw-9')
    """
    low = normal(text[:_LONGEST])
    first = next((n for n, sign in enumerate(low) if sign.isdigit()), len(low))
    return low[:first] + "".join(map(_kind, low[first:]))


def _kind(sign: str) -> str:
    return "9" if sign.isdigit() else "a" if sign.isalpha() else sign

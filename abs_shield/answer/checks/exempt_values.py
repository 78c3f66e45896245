"""Values of an answer that need no evidence: values of the question, examples, endings of ids."""

from __future__ import annotations

import re
from collections.abc import Sequence

from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.text.values.figure import ID, Figure, figures_agree

_LEAST_END = 3  # two digits end too many ids to prove anything
_BEFORE = 60  # a cue such as "for example" and a few further examples
# the beginning of the word itself, so that the cue is looked for before it
_JOINED = re.compile(r"\d[\w:.+-]{0,40}$")
_EXAMPLE = re.compile(
    r"(?:\be\.g\.|\bfor (?:example|instance)|\bsuch as"
    r"|(?<!\bit looks )(?<!\bit seems )\blike(?: this)?"
    r"|\bformat(?:ted)?(?: as| of)?|\bexample|\bISO)[\s:,`\"'\u201c*(]{0,6}",
    re.IGNORECASE,
)
_FURTHER = re.compile(r"(?:and|or|for)\b|\S*\d|[^\w\s]+$")
"""Words that may separate an example from the next one of a list."""
_ENDING = re.compile(
    r"\b(?:ending|ends|end|last (?:four|4)(?: digits)?|endung|endet|endend|termina(?:d[ao])?"
    r"|(?:se )?terminant|finissant)[\s:*#.x\u2022]{0,6}"
    r"(?:in|with|is|are|of|auf|en|par)?[\s:*#.x\u2022]{0,8}$",
    re.IGNORECASE,
)


class Exemptions:
    """
    The exemptions of one answer.

    Args:
        answer: The answer.
        requested: Values of the question, which need no other evidence.
        index: The values of the evidence.
    """

    def __init__(self, answer: str, requested: Sequence[Figure], index: ValueIndex) -> None:
        self._answer = answer
        self._requested = requested
        self._index = index

    def __contains__(self, value: Figure) -> bool:
        if self.is_requested(value) or is_example(self._answer, value.start):
            return True
        # `{order_id}` is a placeholder of a template
        return (value.kind == ID and "{" in value.text) or self._is_ending(value)

    def is_requested(self, value: Figure) -> bool:
        """Return whether the question contains a value."""
        return any(figures_agree(value, one) for one in self._requested)

    def _is_ending(self, value: Figure) -> bool:
        """Return whether a value is the end of a longer id, and the answer says so."""
        if len(value.text) < _LEAST_END or not value.text.isdigit():
            return False
        before = _text_before(self._answer, value.start)
        return _ENDING.search(before) is not None and self._index.id_texts.has_end(value.text)


def is_example(text: str, at: int) -> bool:
    """
    Return whether the value at an offset is an example.

    >>> is_example("an id such as W-1", 14), is_example("your id is W-1", 11)
    (True, False)
    >>> is_example("an id such as W-1 or W-2", 21)
    True
    """
    before = _text_before(text, at)
    cues = [cue.end() for cue in _EXAMPLE.finditer(before)]
    # only further examples may stand between the cue and the value
    return bool(cues) and all(map(_FURTHER.match, before[cues[-1] :].split()))


def _text_before(text: str, at: int) -> str:
    """Return the text before the word at an offset."""
    return _JOINED.sub("", text[max(0, at - _BEFORE) : at])

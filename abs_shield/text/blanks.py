"""Blanks of a form: what a model writes in a field where it has no value."""

from __future__ import annotations

import re

from abs_shield.text.names import name_words

LONGEST = 64
"""
Characters of a text that may be a blank.

A blank names one thing in a few words; this is as long as a value that results are searched for,
and longer text is prose, in which brackets have meanings of their own.
"""
_INSIDE = r"([^\W\d_][\w '\u2019-]*)"
_ENCLOSED = re.compile(rf"<{_INSIDE}>|\{{\s*{_INSIDE}\}}|\{{\{{\s*{_INSIDE}\}}\}}|\[{_INSIDE}\]")
_FILLED = "insert|replace|enter|fill|put|add|provide"
_BETWEEN = re.compile(r"[\s_-]+")
_SPOKEN = re.compile(r"[\w'\u2019\s-]+")
_MOST_WORDS = 8
"""Words of ``insert ... here``."""
_CAPITALS = re.compile(
    rf"(?:{_FILLED.upper()}|YOUR)_[A-Z_]{{2,50}}|(?:{_FILLED.upper()})_[A-Z_]{{1,50}}_HERE"
)
"""As a template of a configuration writes it."""
_SIGN = re.compile(rf"\s*(?:[<{{(\[]|insert[ _-]|(?:{_FILLED}|your)_)", re.IGNORECASE)
_FIRST = frozenset({"your", "insert"})
_THINGS = frozenset(
    "id uuid guid name email key token number url uri password username address phone amount "
    "date".split()
)
_ELEMENTS = frozenset({"address"})
"""Elements of HTML among them."""
_NOTICES = frozenset(
    "no none without not unknown missing invalid anonymous deleted removed redacted hidden "
    "encrypted empty blank default automated automatic auto any all every by via from with in on "
    "at through and or change update reset forgot forgotten edit set verify confirm".split()
)
"""Words of notices and buttons, which mean themselves: ``[no subject]``, ``[Reset password]``."""


def may_be_blank(text: str) -> bool:
    """Return whether *text* begins as blanks do: a quick test before `is_blank`."""
    return len(text) <= LONGEST and _SIGN.match(text) is not None


def is_blank(text: str, name: str) -> bool:
    """
    Return whether the whole of *text* is a blank in a field called *name*.

    It stands in brackets and names what to fill in: ``your ...``, an id or an e-mail address, or
    the field itself. Tags, keys, mentions and notices in brackets are values.

    >>> [is_blank(text, "note") for text in ("<order_id>", "[Your Name]", "{{ note }}")]
    [True, True, True]
    >>> [is_blank(text, "note") for text in ("<br>", "[INST]", "<@U123>", "[no note]", "[x]")]
    [False, False, False, False, False]
    >>> is_blank("insert the reason here", "note"), is_blank("YOUR_API_KEY", "note")
    (True, True)
    """
    text = text.strip()
    if not may_be_blank(text):
        return False
    if _CAPITALS.fullmatch(text) or _is_told_to_insert(text.strip("()")):
        return True
    enclosed = _ENCLOSED.fullmatch(text)
    inside = next(filter(None, enclosed.groups()), "") if enclosed else ""
    return _names_a_value(name_words(inside), frozenset(name_words(name)))


def _is_told_to_insert(text: str) -> bool:
    """Whether *text* is ``insert ... here``, split rather than matched: words hold separators."""
    text = text.removesuffix(".").removesuffix("!")
    words = _BETWEEN.split(text.casefold()) if _SPOKEN.fullmatch(text) else [""]
    return words[0] == "insert" and words[-1] == "here" and len(words) <= _MOST_WORDS


def _names_a_value(words: tuple[str, ...], field: frozenset[str]) -> bool:
    if not words or not _NOTICES.isdisjoint(words):
        return False
    last = words[-1]
    if words[0] in _FIRST and len(words) > 1:
        return True
    if last == "here":
        return len(words) > 1 and words[-2] in _THINGS
    if last in _THINGS:
        return len(words) > 1 or last not in _ELEMENTS or last in field
    return last in field

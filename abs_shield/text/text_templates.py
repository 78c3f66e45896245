"""Templates in text: formats of ids, ``RPT-{game}-{kind}``, and unfilled blanks of a form."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.text.identifier_words import name_words
from abs_shield.text.lazy_pattern import lazy_pattern

_HOLE = re.compile(r"[{<][a-zA-Z][\w -]{0,30}[}>]")
_ALNUM = re.compile(r"[^\W_]")
_CONVENTION = lazy_pattern(
    r"(?<![\w.@-])((?:first|last|given|family|sur|f|l|initial)[ _-]?(?:name|initial)?"
    r"(?:([._-]?)(?:first|last|given|family|sur|f|l)[ _-]?(?:name|initial)?)?)"
    r"(@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6})",
    re.IGNORECASE,
)
_AROUND = frozenset(" \t\r\n\"'`,;()")
_MOST_HOLES = 6  # literal texts of a format; one with more holes would fit nearly any value
_LONGEST = 200  # characters of a format; without a bound, a text of braces takes quadratic time

Template = tuple[str, ...]
"""The literal texts around the holes, in order: one more than there are holes."""


def templates(text: str) -> list[Template]:
    """
    Return the formats that *text* prescribes, in lower case.

    >>> templates("Report ids are 'RPT-{game_pk}-{type}'. Be <b>kind</b>.")
    [('rpt-', '-', '')]
    >>> templates("Our addresses are firstname.lastname@x.org")
    [('', '.', '@x.org')]
    """
    matches = _conventions(text)
    if "{" not in text and "<" not in text:
        return matches
    for token in _tokens(text):
        literals = tuple(part.lower() for part in _HOLE.split(token[:_LONGEST].rstrip(".:?!")))
        between = all(literals[1:-1])
        letters = sum(len(_ALNUM.findall(literal)) for literal in literals)
        if (
            letters >= 2  # `{id}` or `{a}-{b}` would fit nearly any value
            and between  # without a text between two holes, their values cannot be separated
            and "<" not in "".join(literals)  # an element of HTML, not a hole
            and len(literals) <= _MOST_HOLES
        ):
            matches.append(literals)
    return matches


def _tokens(text: str) -> Iterator[str]:
    """Yield the words of a text that have holes, a bounded stretch around each hole."""
    end = 0
    for hole in _HOLE.finditer(text):
        if hole.start() < end:
            continue
        before = end  # each stretch is read once, because a word may have any number of holes
        start, end = hole.span()
        while start > before and hole.start() - start < _LONGEST and text[start - 1] not in _AROUND:
            start -= 1
        while end < len(text) and end - start < _LONGEST:
            next_hole = _HOLE.match(text, end)
            if next_hole is None and text[end] in _AROUND:
                break
            end = next_hole.end() if next_hole else end + 1
        yield text[start:end]


def _conventions(text: str) -> list[Template]:
    """Return the formats of e-mail addresses in a text: ``firstname.lastname@x.org``."""
    if "@" not in text:
        return []
    # Without a sign between the names, every local part would fit.
    return [
        ("", dot, host.lower().rstrip(".")) for _, dot, host in _CONVENTION.findall(text) if dot
    ]


def template_values(template: Template, value: str) -> tuple[str, ...] | None:
    """
    Return the value of each hole; None if *value* has another format.

    >>> template_values(("rpt-", "-", ""), "rpt-20240013-pre-series")
    ('20240013', 'pre-series')
    """
    first, *rest = template
    if not value.startswith(first) or not value.endswith(template[-1]):
        return None
    end = len(value) - len(template[-1])
    at, matches = len(first), []
    for literal in rest[:-1]:
        # The first place, so that a hole is as short as possible and nothing is tried twice.
        stop = value.find(literal, at, end)
        if stop < 0:
            return None
        matches.append(value[at:stop])
        at = stop + len(literal)
    matches.append(value[at:end])
    return tuple(matches) if all(matches) else None


LONGEST = 64
"""
Maximum number of characters of a text that may be a blank.

A blank names one thing in a few words. This is also the longest value that results are searched
for; longer text is prose, in which brackets have other meanings.
"""
_INSIDE = r"([^\W\d_][\w '\u2019-]*)"
_ENCLOSED = lazy_pattern(
    rf"<{_INSIDE}>|<<{_INSIDE}>>|\{{\s*{_INSIDE}\}}|\{{\{{\s*{_INSIDE}\}}\}}|\[{_INSIDE}\]"
    rf"|\[\[{_INSIDE}\]\]"
)
_VARIABLE = re.compile(r"\$\{([A-Za-z_][\w.]*)\}")
_FILLED = "insert|replace|enter|fill|put|add|provide"
_BETWEEN = re.compile(r"[\s_-]+")
_SPOKEN = re.compile(r"[\w'\u2019\s-]+")
_MOST_WORDS = 8
"""Maximum words of ``insert ... here``; a longer text is an instruction to a person."""
_SIGN = re.compile(rf"\s*(?:[<{{(\[]|\$\{{|insert[ _-]|(?:{_FILLED}|your)_)", re.IGNORECASE)
_FILL_VERBS = frozenset(_FILLED.split("|"))
_ASKING = frozenset({"insert", "enter"})
_EXPLICIT = frozenset({"placeholder", "todo", "tbd"})
"""Words that mark a blank by themselves."""
_THINGS = frozenset(
    "id uuid guid name email key token number url uri password username address phone amount "
    "date".split()
)
_TEXTS = frozenset(
    "text value reason link title subject message body note comment description content summary "
    "detail company signature".split()
)
"""Other things that are inserted in a form; a coin is not."""
_MATTERS = frozenset(
    "order booking reservation invoice receipt account ticket request subscription payment "
    "delivery shipment package parcel refund appointment statement bill trip flight stay visit "
    "membership application claim policy purchase return".split()
)
"""Subjects of messages: ``[Your order]`` is a tag."""
_ELEMENTS = frozenset({"address"})
"""Elements of HTML among them."""
_NOTICES = frozenset(
    "no none without not unknown missing invalid anonymous deleted removed redacted hidden "
    "encrypted empty blank default automated automatic auto any all every by via from with in on "
    "at through and or change update reset forgot forgotten edit set verify confirm".split()
)
"""Words of notices and buttons, which are values: ``[no subject]``, ``[Reset password]``."""


begins_blank = _SIGN.match
"""Match the beginning of a blank in a text, whatever its length, with white space before it."""


def may_be_blank(text: str) -> bool:
    """Return whether *text* begins like a blank, as a fast check before `is_blank`."""
    return len(text) <= LONGEST and _SIGN.match(text) is not None


def is_blank(text: str, name: str, *, judged: bool = False) -> bool:
    """
    Return whether the whole *text* is a blank in a field called *name*.

    A blank is in brackets and names what to fill in: ``your ...``, an id or an e-mail address, or
    the field itself. Tags, keys, mentions and notices in brackets are values, and so is a single
    word or a variable of a template, unless the values of the field are *judged*.

    >>> [is_blank(text, "note") for text in ("<order_id>", "[Your Name]", "{{ note }}")]
    [True, True, True]
    >>> [is_blank(text, "note") for text in ("<br>", "[INST]", "<@U123>", "[no note]", "[x]")]
    [False, False, False, False, False]
    >>> is_blank("insert the reason here", "note"), is_blank("YOUR_API_KEY", "note")
    (True, True)
    >>> is_blank("<email>", "note"), is_blank("<email>", "user_id", judged=True)
    (False, True)
    """
    text = text.strip()
    if not may_be_blank(text):
        return False
    field = frozenset(name_words(name))
    if _is_of_template(text) or _is_insert_instruction(text.strip("()"), field):
        return True
    if variable := _VARIABLE.fullmatch(text):
        return judged and _names_a_value(name_words(variable[1]), field, judged=True)
    enclosed = _ENCLOSED.fullmatch(text)
    inside = next(filter(None, enclosed.groups()), "") if enclosed else ""
    return _names_a_value(name_words(inside), field, judged=judged)


def _is_of_template(text: str) -> bool:
    """Return whether *text* is a blank in capitals, as in templates of configurations."""
    words = text.split("_")
    if len(words) < 2 or not all(word.isalpha() and word.isupper() for word in words):
        return False
    if words[0] == "YOUR":
        return "YOUR" not in words[1:]
    is_instruction = words[0].casefold() in _FILL_VERBS and len(words) > 2
    return is_instruction and (words[-1] == "HERE" or "YOUR" in words)


def _is_insert_instruction(text: str, field: frozenset[str]) -> bool:
    """Return whether *text* is ``insert ... here``; split, because words contain separators."""
    text = text.removesuffix(".").removesuffix("!")
    words = _BETWEEN.split(text.casefold()) if _SPOKEN.fullmatch(text) else [""]
    if words[0] != "insert" or words[-1] != "here" or len(words) > _MOST_WORDS:
        return False
    return _may_be_filled(name_words("_".join(words[1:-1])), field)


def _may_be_filled(words: tuple[str, ...], field: frozenset[str]) -> bool:
    """Return whether *words* include something that forms ask for, or this field's name."""
    return not (_THINGS | _TEXTS | field | {"your"}).isdisjoint(words)


def _names_a_value(words: tuple[str, ...], field: frozenset[str], *, judged: bool) -> bool:
    if not words or not _NOTICES.isdisjoint(words):
        return False
    first, last = words[0], words[-1]
    if len(words) == 1:
        if last in field or last in _EXPLICIT:
            return True
        return judged and last in _THINGS - _ELEMENTS
    if first == "your":
        return judged or _MATTERS.isdisjoint(words) or last in _THINGS | field
    if first in _ASKING:
        return _may_be_filled(words[1:], field)
    if last == "here":
        return words[-2] in _THINGS
    return last in _THINGS or last in field

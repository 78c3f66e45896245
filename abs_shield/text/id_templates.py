"""Formats of ids that a text prescribes, ``RPT-{game}-{kind}``, and their values."""

from __future__ import annotations

import re
from collections.abc import Iterator

_HOLE = re.compile(r"[{<][a-zA-Z][\w -]{0,30}[}>]")
_ALNUM = re.compile(r"[^\W_]")
_CONVENTION = re.compile(
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
            and between  # two holes without a text between them have no border
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
        before = end  # each stretch is read once: a word may have any number of holes
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
    Return the value of each hole; None where *value* has another format.

    >>> template_values(("rpt-", "-", ""), "rpt-20240013-pre-series")
    ('20240013', 'pre-series')
    """
    first, *rest = template
    if not value.startswith(first) or not value.endswith(template[-1]):
        return None
    end = len(value) - len(template[-1])
    at, matches = len(first), []
    for literal in rest[:-1]:
        # the first place: a hole is as short as possible, and nothing is tried twice
        stop = value.find(literal, at, end)
        if stop < 0:
            return None
        matches.append(value[at:stop])
        at = stop + len(literal)
    matches.append(value[at:end])
    return tuple(matches) if all(matches) else None

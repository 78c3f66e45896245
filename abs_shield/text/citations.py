"""Citations in an answer: [2], (passage 3), [doc-a], a link after "Source:"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# Every repetition is bounded, so that the time is linear in the text.
_NUMBERS = r"\d{1,3}(?:\s?[,;&\u2013-]\s?\d{1,3}){0,20}"
_NOUN = r"(?:passage|source|doc(?:ument)?|ref(?:erence)?|chunk|context|citation|excerpt|snippet)s?"
_FORMS = tuple(
    (re.compile(form, re.IGNORECASE), needed)
    for needed, form in (
        (
            "[",
            rf"(?<![\w\])])\[\^?(?P<numbers>{_NUMBERS})\](?!\()"
            rf"|(?<=[\w.,;:!?)\"'\]])[ ]?\[\^?(?P<more>{_NUMBERS})\](?!\()",
        ),
        ("\u3010", r"\u3010(?P<numbers>\d{1,3})(?:[:\u2020][^\u3011\n]{0,60})?\u3011"),
        (
            "",
            rf"\b{_NOUN}[ ]?(?:no\.?[ ]?|#|id:?[ ])?"
            r"(?P<numbers>\d{1,3}(?:(?:,[ ]?|[ ](?:and|or|&)[ ]|,[ ]and[ ]|-)\d{1,3}){0,20})"
            r"\b(?![.:%]\d)",
        ),
        ("", rf"[\[(](?:see[ ])?{_NOUN}[: ][ ]?[\"'`]?(?P<name>[\w.:/#-]{{1,80}})[\"'`]?[\])]"),
        (
            "://",
            r"(?:\b(?:source|reference|citation|via)s?[ ]?:[ ]?|\baccording[ ]to[ ]"
            r"|\bcited?[ ](?:in|from)[ ])"
            r"(?:\[[^\]\n]{0,80}\]\()?(?P<url>https?://[^\s<>\"'`)\]]{1,2000})",
        ),
        ("](", r"\[\^?\d{1,3}\]\((?P<url>https?://[^\s<>\"'`)]{1,2000})\)"),
    )
)
"""Each form, with signs that it needs; without them in the text, it is skipped."""
_RANGE = re.compile(r"(\d+)\s?[\u2013-]\s?(\d+)|(\d+)")
_MOST = 50  # sources of one citation; otherwise "[1-999]" would cite every passage


class Citation(NamedTuple):
    """
    One citation of a source.

    Attributes:
        text: The text of the citation.
        start: Offset of its first character.
        end: Offset after its last character.
        numbers: Positions of the cited sources, from 1; empty for a citation by name.
        name: The id or address of the cited source; empty for a citation by number.
    """

    text: str
    start: int
    end: int
    numbers: tuple[int, ...] = ()
    name: str = ""


def citations(text: str) -> list[Citation]:
    """
    Return the citations of *text* in order, without overlaps; time is linear.

    >>> [(c.text, c.numbers or c.name) for c in citations("It rains [2]. See passages 1 and 3.")]
    [('[2]', (2,)), ('passages 1 and 3', (1, 3))]
    """
    matches: list[Citation] = []
    for form, needed in _FORMS:
        if needed in text:
            matches += map(_citation, form.finditer(text))
    return list(_without_overlaps(sorted(matches, key=lambda one: (one.start, -one.end))))


def _without_overlaps(matches: list[Citation]) -> Iterator[Citation]:
    behind = 0
    for one in matches:
        if one.start >= behind:
            behind = one.end
            yield one


def _citation(match: re.Match[str]) -> Citation:
    groups = match.groupdict()
    # One form includes the space before the bracket.
    text, start = match[0].lstrip(), match.end() - len(match[0].lstrip())
    numbers = groups.get("numbers") or groups.get("more")
    if numbers:
        return Citation(text, start, match.end(), numbers=_expand(numbers))
    # A full stop after a link ends the sentence.
    name = (groups.get("name") or groups.get("url") or "").rstrip(".,;:!?")
    if name.isdigit():
        return Citation(text, start, match.end(), numbers=_expand(name[:3]))
    return Citation(text, start, match.end(), name=name)


def _expand(numbers: str) -> tuple[int, ...]:
    counted: list[int] = []
    for first, last, single in _RANGE.findall(numbers):
        one = int(single or first)
        counted += range(one, max(one, int(last or one)) + 1)[:_MOST]
    return tuple(counted[:_MOST])

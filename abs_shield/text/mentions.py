"""Entities in a text: addresses, dates, money, phone numbers, paths, identifiers, names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from abs_shield.text.lazy_pattern import lazy_pattern
from abs_shield.text.months import ENGLISH_OR_SHORT
from abs_shield.text.sentences import TITLES
from abs_shield.text.values.numerals import CODES, DIGITS, MARKS, SPACED


class MentionKind(StrEnum):
    """The kinds of entities; if two kinds match one span, the earlier one applies."""

    URL = "url"
    EMAIL = "email"
    DATE = "date"
    MONEY = "money"
    PHONE = "phone"
    PATH = "path"
    ID = "id"
    NUMBER = "number"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """
    One entity in a text.

    Attributes:
        kind: The kind of entity.
        text: The text of the entity.
        start: Offset of its first character.
        end: Offset after its last character.
    """

    kind: MentionKind
    text: str
    start: int
    end: int


_MONTH = rf"{ENGLISH_OR_SHORT}\b\.?"
_SIGN = rf"(?:[{MARKS}]|\b(?:{CODES})\b)"
_UNIT = rf"(?:[{MARKS}元円원]|(?:{CODES})\b)"
_IN_URL = r"[^\s<>\"'`\u3000-\u303f\uff01-\uff5e]"
_ALONE = r"(?<![^\W_])"
_END = r"(?![A-Za-z0-9])"

# Every repetition is bounded, so that the time is linear in the text.
_PATTERNS: dict[MentionKind, str] = {
    MentionKind.URL: rf"(?:https?|ftp|s3|gs|wss?)://{_IN_URL}{{1,2000}}"
    rf"|\bwww\.[a-z0-9-]{{1,63}}\.{_IN_URL}{{2,2000}}",
    MentionKind.EMAIL: r"(?<![a-z0-9.+_-])[a-z0-9.+_-]{1,64}@[a-z0-9-]{1,63}"
    r"(?:\.[a-z0-9-]{1,63}){1,8}",
    MentionKind.DATE: rf"{_ALONE}(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}"
    rf"(?:[t ]\d{{2}}:\d{{2}}(?::\d{{2}})?)?"
    rf"|\d{{1,2}}[-/.]\d{{1,2}}[-/.](?:\d{{4}}|\d{{2}}){_END}|\d{{4}}年\d{{1,2}}月(?:\d{{1,2}}日)?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of)? {_MONTH}(?:,? \d{{4}})?"
    rf"|\d{{1,2}}:\d{{2}}(?::\d{{2}})?){_END}",
    MentionKind.MONEY: rf"{_SIGN} ?{SPACED}[kmb]?{_END}|(?<![a-z0-9_.,]){SPACED} ?{_UNIT}",
    MentionKind.PHONE: r"(?<![\w+])\+\d{1,3}(?:[ .()-]{1,2}\d{1,8}){1,6}(?!\w)"
    r"|(?<![\w+])\+\d{7,15}(?!\w)"
    r"|(?<![\w(])\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}(?!\w)",
    MentionKind.PATH: r"(?<![\w/\\.~-])(?:~|\.{1,2}|[a-z]:)?(?:[/\\][\w.@+-]{1,128}){1,40}[/\\]?"
    r"|(?<![\w/\\.~-])[\w@+-]{1,128}(?:/[\w.@+-]{1,128}){1,40}\.[a-z]\w{0,9}\b",
    MentionKind.ID: r"(?<![a-z0-9_-])(?<!\d[.,])"
    rf"#?[a-z0-9]{{1,64}}(?:[_-]{{1,2}}[a-z0-9]{{1,64}}){{0,12}}{_END}",
    MentionKind.NUMBER: rf"(?<![\w.,])[-+\u2212]?{DIGITS}[%kmb]?{_END}"
    rf"|(?<=[^\W\d_a-z]){DIGITS}%?{_END}",
    MentionKind.NAME: r"[^\W\d_]{1,60}(?:[-'\u2019][^\W\d_]{1,60}){0,4}",
}
_FORMS = {kind: lazy_pattern(form, re.IGNORECASE) for kind, form in _PATTERNS.items()}
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_NEEDED = {
    MentionKind.URL: re.compile(r"://|www\.", re.IGNORECASE), MentionKind.EMAIL: re.compile("@"),
    MentionKind.DATE: _DIGIT, MentionKind.MONEY: _DIGIT, MentionKind.PHONE: _DIGIT,
    MentionKind.PATH: re.compile(r"[/\\]"),
    MentionKind.ID: _DIGIT, MentionKind.NUMBER: _DIGIT,
}  # fmt: skip
"""Characters that a form needs; without them in the text, it is skipped."""
_TRAILING = ".,;:!?)]}'\"\u2026"
_PARTICLES = frozenset("de del da di do dos van von der den la le al bin ben ibn of y".split())
FUNCTION_WORDS = frozenset(
    "the a an i we you he she it they this that these those my your his her our their please and "
    "but or so if when where what who why how is are was were do does did can could would should "
    "will have has had no not yes hi hello dear thanks thank sorry ok okay for from in on at to by "
    "with of as there here then now also let book cancel send call refund find show get".split()
)
_MOST_WORDS = 6  # words; longer runs of capitalised words are headings
_SHORT = 3
"""The longest initial or title that is written with a full stop."""


def mentions(text: str) -> list[Mention]:
    """
    Return every entity of *text*, in order, without overlaps; time is linear.

    Identifiers are runs of ASCII letters and digits with a digit in them. Numeric dates, money
    (a sign or an ISO code beside a number), phone numbers and addresses are recognised in any
    language, months in English. Names are capitalised words, so they are only recognised in
    scripts with capitals, and German nouns count as names.

    >>> [(m.kind.value, m.text) for m in mentions("Mia Li paid $20 for W-77 on 2024-05-20.")]
    [('name', 'Mia Li'), ('money', '$20'), ('id', 'W-77'), ('date', '2024-05-20')]
    """
    # A byte for each character, because a list of spans would be searched for every match.
    taken = bytearray(len(text))
    matches: list[Mention] = []
    for kind, form in _FORMS.items():
        if kind in _NEEDED and _NEEDED[kind].search(text) is None:
            continue
        for start, end in (
            _names(text, taken) if kind is MentionKind.NAME else _spans(kind, form, text)
        ):
            if not any(taken[start:end]):
                taken[start:end] = b"\x01" * (end - start)
                matches.append(Mention(kind=kind, text=text[start:end], start=start, end=end))
    return sorted(matches, key=lambda mention: mention.start)


def _spans(kind: MentionKind, form: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    for match in form.finditer(text):
        start, end = match.span()
        if kind in (MentionKind.URL, MentionKind.EMAIL, MentionKind.PATH, MentionKind.DATE):
            # Punctuation after an address belongs to the sentence.
            end = start + len(match[0].rstrip(_TRAILING))
        if kind is not MentionKind.ID or _is_id(match[0]):
            yield start, end


def _is_id(word: str) -> bool:
    has_digit = _DIGIT.search(word) is not None
    return has_digit and ("_" in word or "#" in word or _LETTER.search(word) is not None)


def _names(text: str, taken: bytearray) -> Iterator[tuple[int, int]]:
    """Yield runs of capitalised words, with particles such as ``van`` between them."""
    run: list[tuple[int, int]] = []
    for match in _FORMS[MentionKind.NAME].finditer(text):
        start, end = match.span()
        apart = bool(run) and _ends_name(text, run[-1], start)
        if apart or len(run) >= _MOST_WORDS or taken[start]:
            yield from _trim(run, text)
            run = []
        # A particle is part of a name only between its words.
        if not taken[start] and (match[0][0].isupper() or (run and match[0] in _PARTICLES)):
            run.append((start, end))
        else:
            yield from _trim(run, text)
            run = []
    yield from _trim(run, text)


def _ends_name(text: str, last: tuple[int, int], start: int) -> bool:
    """Return whether a name ends with its *last* word; ``Dr. Li`` and ``J. Li`` continue."""
    between, word = text[last[1] : start], text[last[0] : last[1]]
    goes_on = len(word) <= _SHORT or word.casefold() in TITLES
    return between != " " and not (between == ". " and goes_on)


def _trim(run: list[tuple[int, int]], text: str) -> Iterator[tuple[int, int]]:
    """Yield the span of one name, without function words around it."""
    while run and text[slice(*run[0])].casefold() in FUNCTION_WORDS:
        run = run[1:]
    while run and text[slice(*run[-1])] in _PARTICLES:
        run = run[:-1]
    if run and run[-1][1] - run[0][0] > 1:
        yield run[0][0], run[-1][1]

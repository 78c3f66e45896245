"""Classification of a value by its form: address, code, date, quantity, placeholder."""

from __future__ import annotations

import re
from functools import lru_cache

from abs_shield.text.lazy_pattern import lazy_pattern

_EMAIL = re.compile(r"[^\s@<>\"',;]{1,64}@[^\s@<>\"',;]{1,253}\.[^\s@<>\"',;]{2,63}")
_URL = lazy_pattern(r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.)\S+", re.IGNORECASE)
_PHONE = re.compile(
    r"\(?\+\d(?:[ ().-]{0,2}\d){7,14}|00[1-9]\d{0,2}(?=[ ()-])(?:[ ()-]{1,2}\d+){2,6}"
)
_IP = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?|(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{1,4}", re.I)
_HANDLE = re.compile(r"@[\w.-]{3,64}(?:@[\w.-]{3,64})?")
_FORMULA = re.compile(
    r"\$[\w.$]+|(?:[^!]{1,64}!)?\$?[A-Z]{1,3}\$?\d{1,7}:\$?[A-Z]{1,3}\$?\d{0,7}|=.+|\*[\w.*]+"
    r"|arn:aws[\w-]*:\w+:[\w-]*:aws:.+"
)
"""A query's field, a range of cells, an expression, a pattern, a cloud resource."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DATE = lazy_pattern(
    r"\d{4}-\d{1,2}(?:-\d{1,2})?(?:[t ].*)?|\d{4}[/.]\d{1,2}[/.]\d{1,2}(?:[t ].*)?"
    r"|\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?|\d{1,2}[.:h]\d{2}(?:[.:]\d{2})?\s*(?:[ap]\.?m\.?)?"
    r"|(?:fy|cy)?\d{2,4}[-_ ]?(?:q[1-4]|h[12]|w\d{1,2})|(?:q[1-4]|h[12])[-_ ]?\d{2,4}|fy\d{2,4}"
    r"|\d{1,2}\s*[ap]\.?m\.?|t?\d{2}:\d{2}.{0,20}|(?:19|20)\d{2}",
    re.IGNORECASE,
)
_QUANTITY = lazy_pattern(
    r"[-+~<>=]{0,2}\s*[$€£¥₹₩%]?\s*\d[\d.,'\u00a0 ]*\s*(?:%|[$€£¥₹₩°]|°?[a-zµ²³/]{1,12})?"
    r"|\d+(?:[.,]\d+)?\s*[x\u00d7*:/-]\s*\d+(?:[.,]\d+)?(?:\s*[a-z]{1,4})?"
    r"|\d[\d.,]{0,15}(?:\s*[-~\u2013\u2014\u81f3\u5230]\s*\d[\d.,]{0,15})?\s*[^\W\d_a-z]{1,6}",
    re.IGNORECASE,
)
_COMPOUND = lazy_pattern(
    r"[-+~]?\s*(?:\d+(?:[.,]\d+)?\s*(?:°|'|\"|\u2032|\u2033|d(?:eg|ays?)?|h(?:rs?|ours?)?|m(?:ins?)?"
    r"|s(?:ecs?)?|w(?:eeks?)?|y(?:rs?)?|mo|ft|in|lbs?|oz|st|kg|g)[\s,]*){2,5}",
    re.IGNORECASE,
)
"""A measure in several units: ``12h30m49.42s``, ``5ft 6in``."""
_VERSION = lazy_pattern(
    r"[a-z]{0,12}[-_ ]?v?\d{1,3}(?:\.\d{1,4}){1,3}[a-z0-9.+-]{0,12}", re.IGNORECASE
)
_COLOUR = re.compile(r"#[0-9a-f]{3,8}", re.IGNORECASE)
_DATED = lazy_pattern(r"[a-z]{4,}(?:[-_][a-z]{2,}){0,5}[-_](?:19|20)\d\d", re.IGNORECASE)
"""Words of at least four letters: shorter ones, as in ``inv-2026``, label a number."""
_BRACKETED = re.compile(
    r"<[A-Za-z][\w .:'-]{0,58}>|\{\{?\s*[A-Za-z][\w .'-]{0,56}\}?\}|\[[A-Za-z][\w ./'-]{2,58}\]"
    r"|\$\{[A-Za-z_.]{2,40}\}|\$[A-Z]+_[A-Z_]{1,40}|%[A-Za-z_]{2,40}%"
)
BRACKETS = frozenset("<{[$%")
"""First characters of a placeholder in brackets; other placeholders are plain words."""
_THING = "(?:id|name|email|key|token|number|account|user|order|url|value|phone|address|password)"
_FILLED = r"(?:insert|replace|enter|fill|put|add|provide)"
_STAND_IN = lazy_pattern(
    r"(?:tbd|tba|tbc|todo|fixme|placeholder|redacted|changeme|change_me|lorem ipsum|foo ?bar)"
    r"|\?{2,}|x{4,}|_{3,}|\.{3,}|[\d+() -]{1,8}[x*#]{3,}[\dx*# -]{0,12}"
    rf"|{_FILLED}[ _-](?:[^\W_]{{1,20}}[ _-]){{0,4}}{_THING}[ _-]here"
    rf"|{_FILLED}[ _-](?:your|the)[ _-](?:[^\W_]{{1,20}}[ _-]){{0,3}}{_THING}"
    rf"|your[ _-](?:[^\W_]{{1,20}}[ _-]){{0,3}}{_THING}"
    rf"|(?:my|the|some|example|sample|dummy|fake|mock|placeholder)[_-]"
    rf"(?:[^\W_]{{1,20}}[_-]){{0,4}}{_THING}s?(?:[_-]?\d{{0,4}})"
    rf"|(?:[^\W_]{{1,20}}[ _-]){{0,3}}{_THING}[ _-](?:here|placeholder)"
    r"|unknown[_-](?:id|name|email|key|token|number|value)",
    re.IGNORECASE,
)
_CAPITALS = re.compile(
    r"(?:INSERT|REPLACE|ENTER|FILL|PUT|ADD|PROVIDE|YOUR|MY)_[A-Z_]{2,50}|[A-Z][A-Z_]{1,50}_HERE"
)
"""The form in templates of configurations."""
_SENTINEL = frozenset(
    "me self myself all any none null nil default current latest auto automatic unknown other "
    "n/a na - * . / ~ main master primary secondary inbox root home here now today tomorrow "
    "yesterday true false yes no on off asc desc ascending descending undefined empty everyone "
    "anyone nobody anonymous guest first last next previous new old web online phone email mail "
    "sms chat app mobile desktop zoom teams skype meet office remote virtual admin administrator "
    "root system @here @everyone @channel @all develop dev staging production prod test".split()
)
_PACKED_MOMENT = re.compile(
    r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{4}|\d{6})?|1[0-9]\d{8}(?:\d{3})?"
)
"""A date without its separators, and seconds or milliseconds since 1970."""
_CODE_LETTER = re.compile(r"[^\W\d_]")
_MIXED = re.compile(r"(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_-]+")
_GROUP = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
LONGEST = 256
"""
Maximum characters of a value from which its shape is read, to bound the time of each pattern.
"""


def is_address(text: str) -> bool:
    """Return whether *text* is an e-mail or IP address, a URL, a UUID, a telephone, a handle."""
    text = text[:LONGEST].strip()
    return any(form.fullmatch(text) for form in (_EMAIL, _URL, _UUID, _PHONE, _IP, _HANDLE))


def is_formula(text: str) -> bool:
    """
    Return whether *text* is an expression of a query or a spreadsheet.

    >>> [is_formula(t) for t in ("$hub.code", "Sheet1!A1:E50", "*.py", "A1")]
    [True, True, True, False]
    """
    return _FORMULA.fullmatch(text[:LONGEST].strip()) is not None


def is_url(text: str) -> bool:
    """Return whether *text* is a URL."""
    return _URL.fullmatch(text[:LONGEST].strip()) is not None


def is_date_or_time(text: str) -> bool:
    """Return whether *text* is a date or a time."""
    return _DATE.fullmatch(text[:LONGEST].strip()) is not None


def is_quantity(text: str) -> bool:
    """
    Return whether *text* is a number, a measure, a version or a colour.

    >>> [is_quantity(t) for t in ("1,200.50", "30 min", "1080p", "1280x720", "v2.1.0", "#ff0000")]
    [True, True, True, True, True, True]
    >>> is_quantity("1000元以上"), is_quantity("100-150元"), is_quantity("京A12345")
    (True, True, False)
    >>> is_quantity("12h30m49.42s"), is_quantity("5ft 6in"), is_quantity("12H30K49")
    (True, True, False)
    """
    text = text[:LONGEST].strip()
    return any(form.fullmatch(text) for form in (_QUANTITY, _COMPOUND, _VERSION, _COLOUR))


def is_placeholder(text: str) -> bool:
    """
    Return whether *text* is a placeholder: ``<order_id>``, ``TBD``, ``AMOUNT_HERE``.

    >>> [is_placeholder(t) for t in ("<order_id>", "your-account", "ORD-7731")]
    [True, True, False]
    """
    text = text[:LONGEST].strip()
    if text[:1] in BRACKETS and _BRACKETED.fullmatch(text):
        return True
    return (_STAND_IN.fullmatch(text) or _CAPITALS.fullmatch(text)) is not None


def is_sentinel(text: str) -> bool:
    """Return whether *text* has a special meaning in APIs: ``me``, ``all``, ``latest``."""
    return text.strip().casefold() in _SENTINEL


def is_name_with_year(text: str) -> bool:
    """
    Return whether *text* consists of words and a year, such as the name of a yearly event.

    >>> texts = ("keynote-2026", "annual_report_2025", "inv-2026", "keynote-4711")
    >>> [is_name_with_year(text) for text in texts]
    [True, True, False, False]
    """
    return _DATED.fullmatch(text[:LONGEST].strip()) is not None


def is_code(text: str) -> bool:
    """
    Return whether *text* looks like an identifier: many digits, or mixed capitals.

    >>> [is_code(t) for t in ("HAT170", "ZFA04Y", "#W2378156", "us-east-1", "Paris", "gpt-4o")]
    [True, True, True, False, False, False]
    """
    text = text[:LONGEST].strip()
    if text.isdigit():
        return _is_number_of_something(text)
    if not text or " " in text or is_quantity(text) or is_date_or_time(text):
        return False
    # a key of mixed capitals such as dQw4w9WgXcQ
    if len(text) >= 10 and _MIXED.fullmatch(text) and len(_GROUP.findall(text)) > 1:
        return True
    digits = len(_DIGIT.findall(text))
    letters = _CODE_LETTER.findall(text)
    if not letters:
        return digits >= 5  # fewer digits with separators are a version, a score or a range
    # Q4, MP3 and gpt-4o have fewer; a booking code has at least five capitals and digits.
    return digits >= 4 or (digits >= 2 and len(text) >= 5 and all(c.isupper() for c in letters))


def _is_number_of_something(digits: str) -> bool:
    """Return whether digits identify something: they begin with a zero, or are many."""
    if digits[0] == "0":
        return len(digits) >= 4  # a count does not begin with a zero; 007 is too short for an id
    # fewer digits are a count or an amount
    return len(digits) >= 8 and _PACKED_MOMENT.fullmatch(digits) is None


def outline(normalised: str) -> str:
    """
    Return the shape of a value: letters as ``a``, digits as ``9``.

    >>> outline("tx_12345"), outline("mia.li@x.org")
    ('a_9', 'a.a@a.a')
    """
    return _LETTERS.sub("a", _GROUP.sub("9", normalised[:LONGEST]))


def outline_pattern(normalised: str) -> re.Pattern[str]:
    """
    Return a pattern that matches the values of the same shape, in full.

    >>> [outline_pattern("tx_12345").fullmatch(text) is not None for text in ("ord_7", "ord_7x")]
    [True, False]
    """
    return _pattern_of(outline(normalised))


@lru_cache(maxsize=256)
def _pattern_of(shape: str) -> re.Pattern[str]:
    # Possessive quantifiers: a run of letters or digits is never split again.
    runs = {"a": r"[^\W\d_]++", "9": r"\d++"}
    return re.compile("".join(runs.get(c) or re.escape(c) for c in shape))

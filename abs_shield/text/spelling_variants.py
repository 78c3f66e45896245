"""Spelling variants of a value: dates, numbers, telephones, groups of digits, URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv6Address

from abs_shield.text.lazy_pattern import lazy_pattern
from abs_shield.text.magnitudes import with_words
from abs_shield.text.months import month_names
from abs_shield.text.normal_form import remove_accents, words
from abs_shield.text.phones import nationals
from abs_shield.text.separatorless import separators
from abs_shield.text.spelling_equivalence import has_significant, may_be_several

_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[t ].*)?")
_NUMBER = lazy_pattern(
    r"[-+]?\s*[$€£¥₹]?\s*((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)\s*[%€$£¥₹]?"
)
_PADDED = re.compile(r"\D*0\d")
_SCHEME = re.compile(r"\Ahttps?://")
_MAC = re.compile(r"[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}|[0-9a-f]{12}")
_IPV6 = re.compile(r"[0-9a-f:]{2,39}")
_BIC = re.compile(r"([a-z]{6}[a-z0-9]{2})(xxx)?")
_NEGATIVE = re.compile(r"-\d[\d.,]*")
_HEADED = re.compile(r"([a-z]+)(\d+)$")
_TWO_PARTS = re.compile(r"(?=.*\d)(?=.*[a-z])([a-z]{1,3}|\d{2,6})([-/]?)([a-z]{1,3}|\d{2,6})")
_UNITS = frozenset(
    "d g h k l m p s t v w x ad am cm gb kb kg km kw ma mb mg mh ml mm ms nm pm tb".split()
)
"""Units and the like after a number: ``120m`` is not the code ``M120``."""
_LEAST_JOINED = 3
"""Minimum digits without a hyphen: gate ``A12`` is not seat ``12A``; ``504 B`` is one code."""
_LONGEST = 128  # characters; longer values are prose or keys, which have one spelling
_NUMERALS = ("", *"一二三四五六七八九")
_FIRST = "1er 1re 1a primero primo primeiro premier ersten första первое первого".split()
"""The first of a month in several languages."""
_LABELS = ("id", "no", "nr", "ref")
"""Labels directly before a number: ``ID98765``."""

Form = tuple[str, ...]
"""Adjacent chunks."""


def forms(normalised: str, *, padded: bool = False, with_names: bool = True) -> Iterator[Form]:
    """
    Yield other spellings of a value, as adjacent chunks of a text.

    Dates with a month's name are yielded in some thirty languages; numeric dates, codes in groups
    and URLs do not depend on the language.

    Args:
        normalised: The value.
        padded: Whether leading zeros of a number do not matter: 0060 is 60.
        with_names: Whether to yield names of months and words of magnitude.

    >>> ("may", "20th") in set(forms("2024-05-20")), ("1,500.00",) in set(forms("1500"))
    (True, True)
    >>> ("60",) in set(forms("0060")), ("60",) in set(forms("0060", padded=True))
    (False, True)
    """
    if len(normalised) > _LONGEST:
        return
    if bic := _BIC.fullmatch(normalised):
        yield (bic[1] if bic[2] else bic[1] + "xxx",)  # a bank's head office
    if "." in normalised:
        yield from _urls(normalised)
    yield from _devices(normalised)
    if date := _ISO.fullmatch(normalised):
        yield from _dates(*date.groups(), with_names=with_names)
    elif (number := _NUMBER.fullmatch(normalised)) and (padded or not _PADDED.match(normalised)):
        yield from _numbers(number[1].replace(",", ""), blanks=padded, with_names=with_names)
    if any(map(str.isdigit, normalised)):
        yield from _codes(normalised)
    elif "@" not in normalised:
        yield from _umlauts(normalised)


def _devices(text: str) -> Iterator[Form]:
    """Yield variants of a hardware address, an IPv6 address, or a ``mailto:`` address."""
    if mac := _MAC.fullmatch(text):
        digits = re.sub(r"[:.-]", "", mac[0])
        pairs = [digits[i : i + 2] for i in range(0, 12, 2)]
        fours = [digits[i : i + 4] for i in range(0, 12, 4)]
        yield from ((":".join(pairs),), ("-".join(pairs),), (".".join(fours),), (digits,))
    elif text.count(":") > 1 and _IPV6.fullmatch(text):
        with suppress(ValueError):
            address = IPv6Address(text)
            yield from ((address.compressed,), (address.exploded,))
    elif text.startswith("mailto:"):
        yield (text.removeprefix("mailto:"),)


def _urls(text: str) -> Iterator[Form]:
    bare = _SCHEME.sub("", text, count=1).rstrip("/")
    # an e-mail address, or another scheme
    if "." not in bare or " " in bare or "@" in bare or "://" in bare:
        return
    for host in (bare, bare.removeprefix("www."), f"www.{bare}"):
        for scheme in ("", "https://", "http://"):
            yield (scheme + host,)


def _dates(year: str, month: str, day: str, *, with_names: bool) -> Iterator[Form]:
    m, d = int(month), int(day)
    if not 1 <= m <= 12:  # 2024-13-01 is a code, not a date
        return
    for name in month_names(m) if with_names else ():
        yield from _dates_with_names(name, d, day)
    yield from _in_signs(year, m, d)
    for a, b in ((str(m), str(d)), (month, day)):
        for mark in "/.-":
            yield (f"{a}{mark}{b}{mark}{year}",)
            yield (f"{b}{mark}{a}{mark}{year}",)
            yield (f"{a}{mark}{b}{mark}{year[2:]}",)
            yield (f"{b}{mark}{a}{mark}{year[2:]}",)
            yield (f"{year}{mark}{a}{mark}{b}",)
            yield (f"{a}{mark}{b}",)
    yield year, month, day
    yield str(m), str(d)


def _dates_with_names(month: Form, day: int, padded: str) -> Iterator[Form]:
    """Yield dates with a named month: 20 May, May 20th, 20 de mayo, 1er mai, toukokuun 20."""
    for number in (str(day), f"{day}{_ordinal(day)}", padded):
        yield *month, number
        yield number, *month
        yield number, "of", *month
    for between in ("de", "o", "г", "го"):
        yield str(day), between, *month
    yield str(day), "o", "de", *month
    for ending in _FIRST if day == 1 else ():
        yield ending, *month
        yield ending, "de", *month


def _in_signs(year: str, month: int, day: int) -> Iterator[Form]:
    """Yield a date in Chinese, Japanese and Korean, also in their own numerals."""
    for marks in ("年月日", "년월일"):
        for a, b in ((f"{month}", f"{day}"), (f"{month:02}", f"{day:02}")):
            yield (f"{year}{marks[0]}{a}{marks[1]}{b}{marks[2]}",)
            yield (f"{a}{marks[1]}{b}{marks[2]}",)
    for mark in "日号號":
        yield (f"{_in_numerals(month)}月{_in_numerals(day)}{mark}",)


def _in_numerals(number: int) -> str:
    """
    Return a number below 100 in Chinese and Japanese numerals.

    >>> _in_numerals(9), _in_numerals(17), _in_numerals(31)
    ('九', '十七', '三十一')
    """
    tens, ones = divmod(number, 10)
    return f"{_NUMERALS[tens] if tens > 1 else ''}{'十' if tens else ''}{_NUMERALS[ones]}"


def _ordinal(day: int) -> str:
    return "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _numbers(text: str, *, blanks: bool, with_names: bool) -> Iterator[Form]:
    """Yield other forms of a number; those with *blanks* between thousands have several chunks."""
    number = float(text)
    if with_names:
        yield from with_words(number)
    if number.is_integer() and number < 1e15:  # above, floats are not exact to the unit
        whole = int(number)
        for written in (f"{whole}", f"{whole}.0", f"{whole}.00", f"{whole:,}", f"{whole:,}.00"):
            yield (written,)
        yield (f"{whole:,}".replace(",", "."),)
        yield (f"{whole:,}".replace(",", ".") + ",00",)
        yield (f"{whole},00",)
        if blanks:
            *thousands, last = f"{whole:,}".split(",")
            yield (*thousands, last + ",00")
            yield (*thousands, last)
        if whole % 1000 == 0:
            yield (f"{whole // 1000}k",)
    else:
        for written in (repr(number), f"{number:.2f}", f"{number:,.2f}", f"{number:,}"):
            yield (written,)
            yield (written.replace(",", " ").replace(".", ",").replace(" ", "."),)
            yield tuple(written.replace(",", " ").replace(".", ",").split())


def _codes(text: str) -> Iterator[Form]:
    """Yield a code with other separators, in groups, or after a letter."""
    spelt = separators(text)
    if has_significant(spelt):
        return
    split = words(text)
    letters = "".join(split)
    if split != [text] and not may_be_several(letters, spelt):
        yield tuple(split)
    if letters.isdigit() and len(split) == 1:
        yield from ((label + letters,) for label in _LABELS)
    # shorter codes are not written in groups
    if len(split) == 1 and len(letters) >= 8 and not letters.isdigit():
        for size in (4, 3, 2):
            if len(letters) > 2 * size:  # two groups may be two codes
                yield tuple(letters[i : i + size] for i in range(0, len(letters), size))
    # With fewer digits, a letter before them makes another code.
    if letters.isdigit() and len(letters) >= 4 and len(split) == 1:
        yield from ((letter + letters,) for letter in "abcdefghijklmnopqrstuvwxyz")
    if head := _HEADED.match(letters):
        yield head.groups()
    yield from _in_other_order(text)


def _in_other_order(text: str) -> Iterator[Form]:
    """
    Yield a code of letters and digits with the digits on the other side.

    >>> [*_in_other_order("b-54")], [*_in_other_order("504b")], [*_in_other_order("12a")]
    ([('54-b',)], [('b-504',), ('b504',)], [])
    """
    if (code := _TWO_PARTS.fullmatch(text)) is None:
        return
    one, mark, other = code.groups()
    is_long = _LEAST_JOINED <= len(one if one.isdigit() else other)
    may_be_joined = is_long and (mark or not {one, other} & _UNITS)
    if mark or may_be_joined:
        yield (f"{other}-{one}",)
    if may_be_joined:
        yield (f"{other}{one}",)
    if is_long and other.isdigit() and one != "a":  # `504 a night`
        yield other, one


def is_negative(normalised: str) -> bool:
    """Return whether a value is a negative number."""
    return _NEGATIVE.fullmatch(normalised) is not None


def number_after_letter(letters: str) -> str:
    """
    Return the number after the single leading letter of a code; else empty.

    >>> [number_after_letter(code) for code in ("w2378156", "wx2378156", "w23")]
    ['2378156', '', '']
    """
    # a letter and at least four digits, as above
    lettered = len(letters) >= 5 and "a" <= letters[0] <= "z" and letters[1:].isdigit()
    return letters[1:] if lettered else ""


def phone_forms(normalised: str) -> Iterator[Form]:
    """
    Yield spellings of a telephone number with and without its country's code.

    >>> ("0301234567",) in set(phone_forms("+49 30 1234567"))
    True
    """
    for national in nationals(normalised):
        yield (national,)
        yield ("0" + national,)
        if len(national) == 10:  # North America and Russia
            yield from (("8" + national,), ("1" + national,))
            yield national[:3], f"{national[3:6]}-{national[6:]}"
            yield national[:3], national[3:6], national[6:]


def _umlauts(text: str) -> Iterator[Form]:
    plain = remove_accents(text)
    if plain != text:
        yield (plain,)
        yield (text.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue").replace("ø", "oe"),)
    if re.search("[aou]e", text):
        yield (re.sub("([aou])e", r"\1", text),)

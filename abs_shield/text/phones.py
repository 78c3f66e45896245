"""Telephone numbers: which fields hold them, and the national number inside of one."""

from __future__ import annotations

import re
from functools import lru_cache

from abs_shield.text.names import LONGEST_NAME, name_words

_WORDS = frozenset(
    "phone telephone tel mobile cell cellphone cellular fax whatsapp msisdn landline telefon "
    "telefono telefone celular".split()
)
_CONTACTS = frozenset({"contact", "caller", "callee", "dial", "sms", "emergency"})
_NUMBERS = frozenset({"number", "no", "num"})
_NATIVE = re.compile("电话|電話|手机|手機|携帯|전화|휴대|연락처|телефон|هاتف|फ़ोन|โทร")
"""The same words in scripts whose names are not split into words here."""
_SHAPE = re.compile(
    r"\+\d(?:[ ().-]{0,2}\d){7,14}|\(\d{2,5}\)[ -]?\d(?:[ -]?\d){4,11}"
    r"|(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}"
)
"""With a country's code, an area code in brackets, or grouped as in North America."""
_LEAST, _MOST = 7, 15
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_SHORT = frozenset("17")
_MIDDLE = frozenset(
    "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 "
    "65 66 81 82 84 86 90 91 92 93 94 95 98".split()
)
"""Countries' codes of one digit and of two; every other one has three (ITU-T E.164)."""


def names_phone(name: str) -> bool:
    """
    Return whether a field of this name holds telephone numbers.

    >>> [names_phone(name) for name in ("phone_number", "contactNo", "手机号", "number")]
    [True, True, True, False]
    """
    return _names_phone(name[:LONGEST_NAME])


@lru_cache(maxsize=4096)
def _names_phone(name: str) -> bool:
    said = name_words(name)
    if not _WORDS.isdisjoint(said) or _NATIVE.search(name):
        return True
    return bool(said) and said[-1] in _NUMBERS and not _CONTACTS.isdisjoint(said)


def is_phone(text: str) -> bool:
    """
    Return whether a value is written as only telephone numbers are.

    >>> [is_phone(text) for text in ("+49 30 1234567", "(555) 123-4567", "555-123-4567", "5551234")]
    [True, True, True, False]
    """
    return _SHAPE.fullmatch(text[:64].strip()) is not None


def nationals(text: str) -> frozenset[str]:
    """
    Return the national number of a telephone number, and what it may be without a leading digit.

    A leading digit is left out only where it is a country's code behind ``+`` or ``00``, the 0 or
    the Russian 8 that a call within the country begins with, or the 1 of North America.

    >>> sorted(nationals("+49 30 1234567")), sorted(nationals("030 1234567"))
    (['301234567'], ['301234567'])
    >>> sorted(nationals("7555-123-2002")), sorted(nationals("1 555 123 2002"))
    (['75551232002'], ['15551232002', '5551232002'])
    """
    digits = "".join(_DIGIT.findall(text[:64]))
    if not _LEAST <= len(digits) <= _MOST or _LETTER.search(text[:64]):
        return frozenset()
    if text.lstrip(" (").startswith("+"):
        national = _without_country(digits)
    elif digits.startswith("00"):
        national = _without_country(digits[2:])
    else:
        within = digits[1:] if len(digits) == 11 and digits[0] in "18" else digits
        return frozenset(one for one in (digits.removeprefix("0"), within) if one[0] != "0")
    found = national.removeprefix("0")  # +49 (0)30 ...
    return frozenset({found} if len(found) >= _LEAST - 1 else ())


def _without_country(digits: str) -> str:
    if digits[:1] in _SHORT:
        return digits[1:]
    return digits[2:] if digits[:2] in _MIDDLE else digits[3:]

"""Telephone numbers: their fields, spans in a text, and equality."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from abs_shield.text.identifier_words import LONGEST_NAME, name_words
from abs_shield.text.lazy_pattern import lazy_pattern

_WORDS = frozenset(
    "phone telephone tel mobile mobil mob cell cellphone cellular fax whatsapp msisdn landline "
    "telefon telefono telefone celular handy gsm sms caller callee phonenumber phoneno phonenum "
    "mobilenumber mobileno telno".split()
)
_CONTACTS = frozenset(
    "contact dial emergency to from recipient receiver sender work home office private personal "
    "business main direct desk daytime evening hotline helpline".split()
)
"""Words before "number" that make it a telephone number."""
_REACHED = _CONTACTS | frozenset({"addressee", "participant"})
"""Words for contact details of a person."""
_NUMBERS = frozenset({"number", "no", "num", "nr"})
_CODES = frozenset(
    "id identifier uuid guid sid key code token ref reference account iban order invoice "
    "transaction card ticket tracking parcel shipment passport ssn policy booking reservation "
    "payment serial sku isbn ean barcode imei vin".split()
)
"""Last words in the names of other identifiers."""
_NO_IDS = frozenset({"paid", "unpaid", "prepaid", "void", "valid", "grid", "said", "android"})
_NATIVE = re.compile("电话|電話|手机|手機|携帯|전화|휴대|연락처|телефон|هاتف|फ़ोन|โทร")
"""The same words in scripts whose names are not split into words."""
_SHAPE = lazy_pattern(
    r"\+\d(?:[ ().-]{0,2}\d){7,14}|\(\d{2,5}\)[ -]?\d(?:[ -]?\d){4,11}"
    r"|(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}"
)
"""A country's code, an area code in brackets, or North American groups."""
_EXIT = lazy_pattern(
    r"\(\+\d{1,3}\)(?:[ ().-]{0,2}\d){6,14}|00[1-9]\d{0,2}(?=\D)(?:[ ()-]{1,2}\d+){2,6}"
)
"""A country's code in brackets, or after the international prefix 00."""
_LEAST, _MOST = 7, 15  # digits: shorter ones are extensions; ITU-T E.164 allows 15
# Up to 61 digits, because several numbers may be adjacent.
_RUN = lazy_pattern(r"(?:\+ ?\(?|(?<!\w)\(?)\d(?:[ ()./-]{0,3}\d){6,60}")
_ABROAD = re.compile(r"\(?(?:\+|00)|1[ .-]\(?[2-9]\d\d\)?[ .-]\d{3}[ .-]\d{4}(?!\d)")
"""The beginnings with a country's code."""
_GROUP = re.compile(r"[+(]*\d+")
_MOST_GROUPS = 10  # groups of one number; 15 digits in pairs are eight groups
LEAST_NATIONAL = 6
"""Digits of the shortest national number: one fewer, without the trunk zero."""
_LEAST_ABROAD = 11  # digits: a country's code and ten, as in North America and Russia
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_SHORT = frozenset("17")
_MIDDLE = frozenset(
    "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 "
    "65 66 81 82 84 86 90 91 92 93 94 95 98".split()
)
"""Countries' codes of one digit and of two; every other one has three (ITU-T E.164)."""


def is_phone_field(name: str) -> bool:
    """
    Return whether a field of this name holds telephone numbers.

    >>> [is_phone_field(name) for name in ("phone_number", "contactNo", "手机号", "number")]
    [True, True, True, False]
    """
    return _names_phone(name[:LONGEST_NAME])


@lru_cache(maxsize=4096)
def _names_phone(name: str) -> bool:
    words = name_words(name)
    if words and words[-1] in _CODES:
        return words == ("caller", "id")  # an exception: other names with this last word are ids
    if not _WORDS.isdisjoint(words) or _NATIVE.search(name):
        return True
    return bool(words) and words[-1] in _NUMBERS and not _CONTACTS.isdisjoint(words)


def is_contact_field(name: str) -> bool:
    """
    Return whether a field of this name has contact details, which may be a telephone number.

    >>> [is_contact_field(name) for name in ("to", "work", "recipient_id", "order")]
    [True, True, False, False]
    """
    words = name_words(name)
    return bool(words) and words[-1] in _REACHED


def is_identifier_field(name: str) -> bool:
    """
    Return whether a field of this name holds identifiers other than telephone numbers.

    >>> names = ("order_id", "account_number", "support_number", "work")
    >>> [is_identifier_field(name) for name in names]
    [True, True, False, False]
    """
    words = name_words(name)
    if not words or is_phone_field(name):
        return False
    last = words[-1]
    if last in _NUMBERS:
        return not _CODES.isdisjoint(words)
    # The suffix of names without separators, such as `orderid`.
    return last in _CODES or (len(last) > 3 and last.endswith("id") and last not in _NO_IDS)


def is_phone(text: str) -> bool:
    """
    Return whether a value has a format that only telephone numbers have.

    >>> [is_phone(text) for text in ("+49 30 1234567", "(555) 123-4567", "555-123-4567", "5551234")]
    [True, True, True, False]
    >>> is_phone("(+44) 20 7123 4567"), is_phone("0044 20 7123 4567"), is_phone("00442071234567")
    (True, True, False)
    """
    text = text[:64].strip()  # 15 digits with separators have half of it
    return (_SHAPE.fullmatch(text) or _EXIT.fullmatch(text)) is not None


def find_phones(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of formats that only telephone numbers have."""
    return _SHAPE.finditer(text)


class Phone(NamedTuple):
    """
    One reading of a telephone number.

    Attributes:
        national: Its digits within the country.
        country: The country's code; empty without one.
        sure: Whether it may equal a number without a country's code.
    """

    national: str
    country: str = ""
    sure: bool = True


def phones_of(text: str) -> frozenset[Phone]:
    """
    Return the possible readings of a telephone number.

    A leading digit is only omitted as a country's code, as the trunk prefix 0 or Russian 8, or as
    the 1 of North America. A country's code without ``+`` or ``00`` needs at least eleven digits.

    >>> [tuple(phone) for phone in phones_of("+49 (0)30 1234567")]
    [('301234567', '49', True)]
    >>> sorted(phone.national for phone in phones_of("1 555 123 2002"))
    ['15551232002', '5551232002']
    """
    digits = "".join(_DIGIT.findall(text[:64]))
    if not _LEAST <= len(digits) <= _MOST or _LETTER.search(text[:64]):
        return frozenset()
    if text.lstrip(" (").startswith("+"):
        readings = [_international(digits)]
    elif digits.startswith("00"):
        readings = [_international(digits[2:])]
    else:
        readings = [Phone(digits.removeprefix("0")), *_without_sign(digits)]
    return frozenset(
        p for p in readings if len(p.national) >= LEAST_NATIONAL and p.national[0] != "0"
    )


def _without_sign(digits: str) -> Iterator[Phone]:
    """Yield readings with a country's code that is not marked as one."""
    if len(digits) < _LEAST_ABROAD or digits[0] == "0":
        return
    if digits[0] == "8" and len(digits) == _LEAST_ABROAD:
        yield Phone(digits[1:], "7", sure=False)
    read = _international(digits)
    if read.country != "1" or len(digits) == _LEAST_ABROAD:
        # A 7 or 8 before ten digits counts as Russia's only if the other number has that code.
        yield read._replace(sure=read.country != "7")


def _international(digits: str) -> Phone:
    """Parse a country's code and the national number, without a trunk zero."""
    size = 1 if digits[:1] in _SHORT else 2 if digits[:2] in _MIDDLE else 3
    return Phone(digits[size:].removeprefix("0"), digits[:size])  # +49 (0)30 ...


def is_same_phone(one: frozenset[Phone], other: frozenset[Phone]) -> bool:
    """
    Return whether two numbers may be equal; countries' codes must be equal if both have one.

    >>> german = phones_of("+49 20 7123 4567")
    >>> [is_same_phone(german, phones_of(other)) for other in ("020 71234567", "+442071234567")]
    [True, False]
    """
    return any(_is_same(a, b) for a in one for b in other)


def _is_same(one: Phone, other: Phone) -> bool:
    if one.national != other.national:
        return False
    return one.country == other.country or (
        one.sure and other.sure and not (one.country and other.country)
    )


def nationals(text: str) -> frozenset[str]:
    """
    Return the possible national numbers of a telephone number.

    >>> sorted(nationals("+49 30 1234567")), sorted(nationals("030 1234567"))
    (['301234567'], ['301234567'])
    >>> sorted(nationals("555-123-2002")), sorted(nationals("1 555 123 2002"))
    (['5551232002'], ['15551232002', '5551232002'])
    """
    return frozenset(phone.national for phone in phones_of(text))


def phone_runs(text: str) -> Iterator[str]:
    """
    Yield the runs of digits that are long enough for a telephone number.

    >>> list(phone_runs("call +49 30 1234567 or 555-123-2002, order W12345678"))
    ['+49 30 1234567', '555-123-2002']
    """
    return (match[0] for match in _RUN.finditer(text))


def phones_in_run(run: str) -> Iterator[str]:
    """
    Yield the telephone numbers that a run of digits may contain, group by group.

    A number with a country's code is not split from it, and a run grouped like a telephone number
    is not read in part.

    >>> list(phones_in_run("+49 30 1234567")), list(phones_in_run("7 555-1234"))
    (['+49 30 1234567'], ['7 555-1234', '555-1234'])
    >>> list(phones_in_run("555-123-2002 555-987-6543"))
    ['555-123-2002', '555-987-6543']
    """
    whole = [match[0] for match in find_phones(run)]
    if whole:
        # A format that only telephone numbers have is never split.
        yield from whole
        return
    groups = [match.span() for match in _GROUP.finditer(run)]
    abroad = _ABROAD.match(run) is not None
    before = 0
    for n, (start, end) in enumerate(groups):
        if not abroad or before == 0 or before > _LEAST:
            yield from (
                run[start:stop]
                for _, stop in groups[n : n + _MOST_GROUPS]
                if _LEAST <= sum(map(str.isdigit, run[start:stop])) <= _MOST
            )
        before += sum(map(str.isdigit, run[start:end]))

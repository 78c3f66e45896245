"""Is a text a date, an address, a UUID? Strict checkers, one per JSON Schema format."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date as calendar_date
from functools import cache
from ipaddress import AddressValueError, IPv6Address

from abs_shield.schema import ecma
from abs_shield.schema.decimals import PREFIX, decimal_checker

Checker = Callable[[str], bool]

_LONGEST = 4096
"""Characters of a text that costs more to check the longer it is."""

_DAYS = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(
    r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_DURATION = re.compile(
    r"P(?:[0-9]+W|(?=[0-9T])(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)?"
    r"(?:T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S))?)"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}")
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*")
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LOCAL = re.compile(rf'{_ATOM}(?:\.{_ATOM})*|"(?:[ !#-\[\]-~]|\\[ -~])*"')
_UNRESERVED = r"A-Za-z0-9\-._~!$&'()*+,;="
_PCHAR = rf"(?:[{_UNRESERVED}:@]|%[0-9A-Fa-f]{{2}})"
_URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:"
    rf"(?://(?:(?:[{_UNRESERVED}:]|%[0-9A-Fa-f]{{2}})*@)?"
    rf"(?:\[(?P<literal>[^\]]*)\]|(?:[{_UNRESERVED}]|%[0-9A-Fa-f]{{2}})*)(?::[0-9]*)?"
    rf"(?:/{_PCHAR}*)*|/(?:{_PCHAR}+(?:/{_PCHAR}*)*)?|{_PCHAR}+(?:/{_PCHAR}*)*|)"
    rf"(?:\?(?:{_PCHAR}|[/?])*)?(?:\#(?:{_PCHAR}|[/?])*)?"
)
_FUTURE = re.compile(rf"[vV][0-9A-Fa-f]+\.[{_UNRESERVED}:]+")


def date(text: str) -> bool:
    """A day of the calendar, as in ``2024-05-31``."""
    if _DATE.fullmatch(text) is None:
        return False
    try:
        calendar_date.fromisoformat(text if text[:4] != "0000" else f"2000{text[4:]}")
    except ValueError:
        return False
    return True


def time(text: str) -> bool:
    """A time of day with an offset; second 60 only where UTC shows 23:59."""
    match = _TIME.fullmatch(text)
    if match is None:
        return False
    hour, minute, second = map(int, match.group(1, 2, 3))
    away_hour, away_minute = int(match[5] or 0), int(match[6] or 0)
    if max(hour, away_hour) > 23 or max(minute, away_minute) > 59 or second > 60:
        return False
    away = away_hour * 60 + away_minute
    utc = hour * 60 + minute - (-away if match[4] == "-" else away)
    return second < 60 or utc % 1440 == 1439


def date_time(text: str) -> bool:
    """A moment, as in ``2024-05-31T12:00:00Z`` (RFC 3339; the offset is required)."""
    return text[10:11] in ("T", "t") and date(text[:10]) and time(text[11:])


def duration(text: str) -> bool:
    """A length of time, as in ``P1DT12H`` (RFC 3339, appendix A)."""
    return _DURATION.fullmatch(text) is not None


def uuid(text: str) -> bool:
    """A UUID with its dashes."""
    return _UUID.fullmatch(text) is not None


def ipv4(text: str) -> bool:
    """Four decimal octets without leading zeros."""
    return _IPV4.fullmatch(text) is not None


def ipv6(text: str) -> bool:
    """An IPv6 address without a zone."""
    try:
        return len(text) <= 45 and "%" not in text and bool(IPv6Address(text).compressed)
    except (AddressValueError, ValueError):
        return False


def hostname(text: str) -> bool:
    """Dotted ASCII labels of 1 to 63 characters (RFC 1123), punycode only if it decodes."""
    return 0 < len(text) <= 253 and all(map(_label, text.split(".")))


def _label(label: str) -> bool:
    if _LABEL.fullmatch(label) is None:
        return False
    if label[2:4] != "--":
        return True
    try:
        return label[:4].lower() == "xn--" and not label[4:].encode().decode("punycode").isascii()
    except UnicodeError:
        return False


def email(text: str) -> bool:
    """A mailbox of RFC 5321: local part, ``@``, host name or address in brackets."""
    local, at, domain = text.rpartition("@")
    if not at or len(text) > 320 or _LOCAL.fullmatch(local) is None:
        return False
    if not (domain.startswith("[") and domain.endswith("]")):
        return hostname(domain)
    literal = domain[1:-1]
    return ipv6(literal[5:]) if literal[:5].lower() == "ipv6:" else ipv4(literal)


def uri(text: str) -> bool:
    """An absolute URI, as in ``https://example.com/a?b#c`` (RFC 3986)."""
    match = _URI.fullmatch(text)
    if match is None:
        return False
    literal = match["literal"]
    return literal is None or ipv6(literal) or _FUTURE.fullmatch(literal) is not None


def json_pointer(text: str) -> bool:
    """A path into a JSON value, as in ``/items/0`` (RFC 6901)."""
    return _POINTER.fullmatch(text) is not None


def regular_expression(text: str) -> bool:
    """A regular expression of ECMA-262, of at most 4,096 characters."""
    if len(text) > _LONGEST:
        return False
    try:
        ecma.compiled(text, strict=True)
    except ecma.BadPattern:
        return False
    return True


FORMATS: dict[str, Checker] = {
    "date": date,
    "date-time": date_time,
    "duration": duration,
    "email": email,
    "hostname": hostname,
    "ipv4": ipv4,
    "ipv6": ipv6,
    "json-pointer": json_pointer,
    "regex": regular_expression,
    "time": time,
    "uri": uri,
    "uuid": uuid,
}
BORROWED = (
    "idn-email",
    "idn-hostname",
    "iri",
    "iri-reference",
    "relative-json-pointer",
    "uri-reference",
    "uri-template",
)


@cache
def checker(name: str) -> Checker | None:
    """Look up the checker of a format: ours, else jsonschema's, else None."""
    if name.startswith(PREFIX):
        return decimal_checker(name)
    if name in FORMATS or name not in BORROWED:
        return FORMATS.get(name)
    from jsonschema import Draft202012Validator

    borrowed = Draft202012Validator.FORMAT_CHECKER.checkers.get(name)
    return None if borrowed is None else _total(borrowed[0])


def _total(check: Callable[[object], object]) -> Checker:
    def checked(text: str) -> bool:
        try:
            return len(text) <= _LONGEST and bool(check(text))
        except Exception:  # a borrowed checker must answer, whatever the text
            return False

    return checked

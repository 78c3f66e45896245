"""Strict checkers of JSON Schema formats."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date as calendar_date
from functools import cache

from abs_shield.schema import ecma_regex
from abs_shield.schema.decimal_format import PREFIX, decimal_checker
from abs_shield.schema.host_formats import email, hostname, idn_email, idn_hostname, ipv4, ipv6
from abs_shield.schema.uri_formats import iri, iri_reference, uri, uri_reference, uri_template

Checker = Callable[[str], bool]

_LONGEST_PATTERN = 4096
"""Maximum number of characters of a pattern, because compiling is slow."""

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(
    r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?"
    r"([Zz]|([+-])([0-9]{2}):?([0-9]{2}))?"  # `%z` of strftime has no colon
)
_SEPARATORS = ("T", "t", " ")
_DURATION = re.compile(
    r"P(?:[0-9]+W|(?=[0-9T])(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)?"
    r"(?:T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S))?)"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*")
_RELATIVE = re.compile(r"(?:0|[1-9][0-9]*)(?:[+-](?:0|[1-9][0-9]*))?(?:#|(?:/(?:[^~/]|~[01])*)*)")


def date(text: str) -> bool:
    """Return whether a text is a calendar date, as in ``2024-05-31``."""
    if _DATE.fullmatch(text) is None:
        return False
    try:
        # RFC 3339 has a year 0, which Python does not support.
        calendar_date.fromisoformat(text if text[:4] != "0000" else f"2000{text[4:]}")
    except ValueError:
        return False
    return True


def time(text: str) -> bool:
    """
    Return whether a text is a time of day, as in ``12:00`` or ``12:00:00Z``.

    RFC 3339 requires seconds and an offset, but ISO 8601 and pydantic do not: a local time has no
    offset, and a model that has to send one invents it. Second 60 is valid only at 23:59 UTC.
    """
    match = _TIME.fullmatch(text)
    if match is None:
        return False
    hour, minute, second = (int(part or 0) for part in match.group(1, 2, 3))
    away_hour, away_minute = int(match[6] or 0), int(match[7] or 0)
    if max(hour, away_hour) > 23 or max(minute, away_minute) > 59 or second > 60:
        return False
    away = away_hour * 60 + away_minute
    utc = hour * 60 + minute - (-away if match[5] == "-" else away)
    return second < 60 or (match[4] is not None and utc % 1440 == 1439)  # a leap second


def date_time(text: str) -> bool:
    """Return whether a text is a date and a time, as in ``2024-05-31T12:00:00``."""
    return text[10:11] in _SEPARATORS and date(text[:10]) and time(text[11:])


def duration(text: str) -> bool:
    """Return whether a text is a duration, as in ``P1DT12H`` (RFC 3339, appendix A)."""
    return _DURATION.fullmatch(text) is not None


def uuid(text: str) -> bool:
    """Return whether a text is a UUID with its dashes."""
    return _UUID.fullmatch(text) is not None


def json_pointer(text: str) -> bool:
    """Return whether a text is a JSON pointer, as in ``/items/0`` (RFC 6901)."""
    return _POINTER.fullmatch(text) is not None


def relative_json_pointer(text: str) -> bool:
    """Return whether a text is a relative JSON pointer, as in ``1/items`` or ``0-1#``."""
    return _RELATIVE.fullmatch(text) is not None


def regular_expression(text: str) -> bool:
    """Return whether a text is an ECMA-262 regular expression of at most 4,096 characters."""
    if len(text) > _LONGEST_PATTERN:
        return False
    try:
        ecma_regex.compile_pattern(text, strict=True)
    except ecma_regex.BadPattern:
        return False
    return True


FORMATS: dict[str, Checker] = {
    "date": date,
    "date-time": date_time,
    "duration": duration,
    "email": email,
    "hostname": hostname,
    "idn-email": idn_email,
    "idn-hostname": idn_hostname,
    "ipv4": ipv4,
    "ipv6": ipv6,
    "iri": iri,
    "iri-reference": iri_reference,
    "json-pointer": json_pointer,
    "regex": regular_expression,
    "relative-json-pointer": relative_json_pointer,
    "time": time,
    "uri": uri,
    "uri-reference": uri_reference,
    "uri-template": uri_template,
    "uuid": uuid,
}


@cache
def checker(name: str) -> Checker | None:
    """Return the checker of a format; None for an unknown format."""
    return decimal_checker(name) if name.startswith(PREFIX) else FORMATS.get(name)

"""Ids and other names with digits, read where their forms were found in a text."""

from __future__ import annotations

import re

from abs_shield.text.normal import normal, squeezed
from abs_shield.text.shape import is_address, is_code
from abs_shield.text.values.figure import ID, Found, written
from abs_shield.text.values.numbers import plain_number

_MEASURE = re.compile(r"(\d{1,12}(?:[.,]\d{1,6})?)-?([a-z\u00b5\u00b0]{1,12})(?:-[a-z]{1,12}){0,3}")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3}){2,6}")
_LEAST_DIGITS = 3
_LEAST_LOCATOR = 5
_NAMES = re.compile(r"[A-Za-z_#]|\d-\d|\d\.\d+\.\d")
"""What a token has that is no plain number."""
_NAMED = re.compile(r"[A-Za-z]{2,20}-\d{1,2}")
_LONGEST_ID = 256
_SCHEME = re.compile(
    r"^(?:[a-z0-9+.-]{1,12}://)?(?:www\.)?(?=[^\s]{1,250}\.[a-z])|^[a-z0-9+.-]{1,12}://"
)
_ADDRESS = re.compile(r"[@/]|\.[a-z]{2,}")


def id_of(match: re.Match[str], text: str) -> Found:
    start, end = match.span("cued" if "cued" in match.re.groupindex else 0)
    said = text[start:end].rstrip(".,;:!?*_")
    if said:
        yield written(ID, text, (start, start + len(said)), id_key(said))


def token_of(match: re.Match[str], text: str) -> Found:
    said = match[0].rstrip("_")
    if said.isdigit() or said.isalpha():
        return
    if not any(map(str.isdigit, said)) or _NAMES.search(said) is None:
        return
    start = match.start()
    if _THOUSANDS.fullmatch(said) and not is_address(said):
        yield plain_number(said, (start, start + len(said)), "", text)
        return
    if measure := _MEASURE.fullmatch(said):
        end = start + measure.end(1)
        yield plain_number(measure[1], (start, end), measure[2], text)
        return
    yield written(ID, text, (start, start + len(said)), id_key(said), soft=not _identifies(said))


def _identifies(said: str) -> bool:
    """Whether a token with a digit is no word such as ``COVID-19``, ``MP3`` or ``Q4``."""
    if said[0] == "#" or is_code(said):
        return _NAMED.fullmatch(said) is None
    digits = sum(map(str.isdigit, said))
    return digits >= _LEAST_DIGITS or (
        len(said) >= _LEAST_LOCATOR and said.isalnum() and said.isupper()
    )


def id_key(said: str) -> str:
    """
    Give the form in which ids are compared: lower case, without a hash sign and separators.

    >>> id_key("#W-2378156"), id_key("mia.li@x.org")
    ('w2378156', 'mia.li@x.org')
    """
    plain = _SCHEME.sub("", normal(said[:_LONGEST_ID])).rstrip("/")
    return plain if _ADDRESS.search(plain) else squeezed(plain)

"""Conversion of matched ids and other names with digits to figures."""

from __future__ import annotations

import re

from abs_shield.text.normal import alphanumerics, normal
from abs_shield.text.value_shapes import is_address, is_code
from abs_shield.text.values.figure import ID, Figures, build_figure
from abs_shield.text.values.number_values import plain_number

_MEASURE = re.compile(r"(\d{1,12}(?:[.,]\d{1,6})?)-?([a-z\u00b5\u00b0]{1,12})(?:-[a-z]{1,12}){0,3}")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3}){2,6}")
_LEAST_DIGITS = 3  # COVID-19, MP3 and Q4 have fewer
_LEAST_LOCATOR = 5  # letters and digits of an airline's booking code; five or six are common
_NAMES = re.compile(r"[A-Za-z_#]|\d-\d|\d\.\d+\.\d")
"""Characters of a token that is more than a plain number."""
_HYPHENATED_WORD = re.compile(r"[A-Za-z]{2,20}-\d{1,2}")
_LONGEST_ID = 256  # characters, as many as `value_shapes` reads
_SCHEME = re.compile(
    r"^(?:[a-z0-9+.-]{1,12}://)?(?:www\.)?(?=[^\s]{1,250}\.[a-z])|^[a-z0-9+.-]{1,12}://"
)
_ADDRESS = re.compile(r"[@/]|\.[a-z]{2,}")


def id_of(match: re.Match[str], text: str) -> Figures:
    start, end = match.span("cued" if "cued" in match.re.groupindex else 0)
    token = text[start:end].rstrip(".,;:!?*_")
    if token:
        yield build_figure(ID, text, (start, start + len(token)), id_key(token))


def token_of(match: re.Match[str], text: str) -> Figures:
    token = match[0].rstrip("_")
    if token.isdigit() or token.isalpha():
        return
    if not any(map(str.isdigit, token)) or _NAMES.search(token) is None:
        return
    start = match.start()
    # 1.234.567 is a number, 10.20.30.40 is not.
    if _THOUSANDS.fullmatch(token) and not is_address(token):
        yield plain_number(token, (start, start + len(token)), "", text)
        return
    if measure := _MEASURE.fullmatch(token):
        end = start + measure.end(1)
        yield plain_number(measure[1], (start, end), measure[2], text)
        return
    yield build_figure(
        ID, text, (start, start + len(token)), id_key(token), soft=not _identifies(token)
    )


def _identifies(token: str) -> bool:
    """Return whether a token with a digit is an id, unlike ``COVID-19``, ``MP3`` or ``Q4``."""
    if token[0] == "#" or is_code(token):
        return _HYPHENATED_WORD.fullmatch(token) is None
    digits = sum(map(str.isdigit, token))
    return digits >= _LEAST_DIGITS or (
        len(token) >= _LEAST_LOCATOR and token.isalnum() and token.isupper()
    )


def id_key(token: str) -> str:
    """
    Return an id for comparison: lower case, without a hash sign and separators.

    >>> id_key("#W-2378156"), id_key("mia.li@x.org")
    ('w2378156', 'mia.li@x.org')
    """
    plain = _SCHEME.sub("", normal(token[:_LONGEST_ID])).rstrip("/")
    return plain if _ADDRESS.search(plain) else alphanumerics(plain)

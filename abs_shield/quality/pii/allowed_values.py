"""Public values that are not personal data, such as the company's own addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from abs_shield.quality.pii.scan import unmarked

_NUMBER = re.compile(r"\+?[\d\s./()-]+")
_DIGITS = re.compile(r"\d+")
_LEAST, _MOST = 7, 15
"""Digits of a telephone number with its country's code (ITU-T E.164)."""
_LONGEST_CODE = 3  # digits of a country's code (ITU-T E.164)


def is_allowed(value: str, patterns: Iterable[str]) -> bool:
    """
    Return whether a value matches one of *patterns*: values or globs in lower case.

    Telephone numbers are compared by their digits, with and without a country's code.

    >>> is_allowed("Mia.Li@ACME.com", ["*@acme.com"]), is_allowed("a@b.org", ["*@acme.com"])
    (True, False)
    >>> is_allowed("(212) 555-0100", ["+1 212 555 0100"])
    True
    """
    value = unmarked(value).text
    folded = value.casefold()
    return any(fnmatchcase(folded, one) or _is_one_number(folded, one) for one in patterns)


def _is_one_number(value: str, pattern: str) -> bool:
    if not (_NUMBER.fullmatch(value.strip()) and _NUMBER.fullmatch(pattern.strip())):
        return False
    one, other = sorted((_dialled(value), _dialled(pattern)), key=len)
    # fewer digits would match many numbers
    if not (_LEAST <= len(one) and len(other) <= _MOST):
        return False
    if one == other:
        return True
    if (value + pattern).count("+") != 1 and "00" not in (value[:2], pattern[:2]):
        return False  # neither has a country code, or they have different ones
    national = one.removeprefix("0")  # the trunk prefix is not dialled after a country's code
    return other.endswith(national) and 0 < len(other) - len(national) <= _LONGEST_CODE


def _dialled(number: str) -> str:
    digits = "".join(_DIGITS.findall(number))
    return digits.removeprefix("00")

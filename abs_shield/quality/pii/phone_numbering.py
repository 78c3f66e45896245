"""Validation of telephone numbers by the numbering plans of the `phonenumbers` package."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from types import ModuleType

_FREE = re.compile(r"1?8(?:00|33|44|55|66|77|88)\d{7}")
"""Toll-free numbers of North America, which do not belong to persons."""
_FREE_WRITTEN = re.compile(r"1?[ .-]?\(?8(?:00|33|44|55|66|77|88)\)?[ .-]\d{3}[ .-]\d{4}")
"""The same with separators, which distinguish them from Chinese mobile numbers."""
_FREE_ELSEWHERE = re.compile(
    r"(?:\+\d{1,3}[ -]?|\(?0?)800(?:\)?[ ./-]|\d{6,8}$)|(?:\+44 ?|0)808[ -]\d{3}"
    r"|(?:\+61 ?)?1[38]00[ -]\d{3}[ -]\d{3}$"
)
"""Toll-free numbers of other countries: `0800 123456` and, in Australia, `1800 123 456`."""
_DIGITS = re.compile(r"\d+")
_EXTENSION = re.compile(r" ?(?:x|ext\.?) ?\d{1,5}$", re.IGNORECASE)
_LEAST, _MOST = 7, 15
"""Digits of a telephone number with its country's code (ITU-T E.164), and of a local one."""
_AMERICAN = re.compile(r"[2-9]\d\d[2-9]\d{6}")
_DATE = re.compile(
    r"(?:19|20)\d\d[-./ ]\d{1,2}[-./ ]\d{1,2}|\d{1,2}[-./ ]\d{1,2}[-./ ](?:19|20)\d\d"
)


@cache
def phonenumbers() -> ModuleType | None:
    """Return the package `phonenumbers`; None if it is not installed."""
    try:
        import phonenumbers as package
    except ImportError:
        return None
    return package


def is_international(written: str) -> bool:
    """
    Return whether a number with its country's code can be a person's.

    >>> is_international("+49 30 1234567"), is_international("+1 800 555 0100")
    (True, False)
    """
    digits = _dialled(written).removeprefix("00")
    if not _LEAST <= len(digits) <= _MOST or len(set(digits)) == 1:  # 0000000 is a placeholder
        return False
    if _is_free(written, digits):
        return False
    package = phonenumbers()
    return package is None or _is_possible(package, "+" + digits)


def is_american(written: str) -> bool:
    """
    Return whether a number without a country's code can be a person's in North America.

    >>> is_american("212-736-5000"), is_american("800-736-5000"), is_american("112-736-5000")
    (True, False, False)
    """
    digits = _dialled(written).removeprefix("00").removeprefix("1")
    return _AMERICAN.fullmatch(digits) is not None and _FREE.fullmatch(digits) is None


def can_dial(region: str) -> Callable[[str], bool]:
    """
    Return a validator of numbers without a country code, as dialled in a region.

    Only their length is checked, because agents often write numbers that are not assigned yet.
    """

    def is_national(written: str) -> bool:
        digits = _dialled(written)
        return (
            len(digits) in _lengths(region, digits[:1] == "0")
            and len(set(digits)) > 1
            and _DATE.match(written) is None
            and not _is_free(written, digits if region in ("US", "CA") else "")
        )

    return is_national


@cache
def _lengths(region: str, trunk: bool) -> frozenset[int]:
    """Return the possible lengths of a region's numbers; one more with the trunk prefix."""
    package = phonenumbers()
    metadata = package.PhoneMetadata.metadata_for_region(region) if package else None
    if metadata is None:
        return frozenset()
    plan = metadata.general_desc
    lengths = {*plan.possible_length, *plan.possible_length_local_only}
    if trunk and metadata.national_prefix == "0":
        # with the 0 that is dialled inside the country
        lengths |= {length + 1 for length in lengths}
    return frozenset(length for length in lengths if _LEAST <= length <= _MOST)


def _is_free(written: str, digits: str) -> bool:
    """Return whether a number is toll-free, so that it does not belong to a person."""
    return (
        _FREE.fullmatch(digits) is not None
        or _FREE_WRITTEN.match(written) is not None
        or _FREE_ELSEWHERE.match(written) is not None
    )


def _dialled(written: str) -> str:
    return "".join(_DIGITS.findall(_EXTENSION.sub("", written)))


def _is_possible(package: ModuleType, digits: str) -> bool:
    try:
        number = package.parse(digits, None)
    except package.NumberParseException:
        return False
    # the length only: ranges are assigned all the time
    return bool(package.is_possible_number(number))

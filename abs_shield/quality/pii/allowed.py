"""Values that anybody may read, such as the company's own addresses."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase


def is_allowed(value: str, patterns: Iterable[str]) -> bool:
    """
    Return whether a value matches one of *patterns*: values or globs in lower case.

    >>> is_allowed("Mia.Li@ACME.com", ["*@acme.com"]), is_allowed("a@b.org", ["*@acme.com"])
    (True, False)
    """
    return any(fnmatchcase(value.casefold(), pattern) for pattern in patterns)

"""Whether what a tool returned says that the call failed, although nothing raised."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_BEGINS = re.compile(
    r"\W{0,4}(?:\w{0,40}(?:error|exception)\b|fail(?:ed|ure)?\b|traceback\b|denied\b|forbidden\b"
    r"|not found\b|invalid\b|cannot\b|could not\b|unable to\b)",
    re.IGNORECASE,
)
_SAYING = frozenset(
    "error errors errorcode errormessage error_code error_message exception fault".split()
)
_FLAGS = frozenset("success ok succeeded iserror is_error".split())
_OUTCOMES = frozenset("status state result outcome".split())
_CODES = frozenset(("statuscode", "status_code"))
_TELLING = _SAYING | _FLAGS | _OUTCOMES | _CODES
_STATES = frozenset("error failed failure denied rejected forbidden invalid".split())
_MOST = 50


def tells_failure(value: Any) -> bool:
    """
    Whether *value* is an error in the shape of a result; only its surface is looked at.

    >>> tells_failure("Error: no such order"), tells_failure({"success": False})
    (True, True)
    >>> tells_failure({"errors": []}), tells_failure("Refunded; no errors")
    (False, False)
    """
    if isinstance(value, str):
        return _BEGINS.match(value) is not None
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if not isinstance(value, Mapping):
        return False
    return any(_says(str(key).casefold(), value[key]) for key in list(value)[:_MOST])


def may_tell_failure(names: Iterable[str]) -> bool:
    """
    Whether an object with members of these names could be an error; see `tells_failure`.

    >>> may_tell_failure(["price", "Status"]), may_tell_failure(["price"])
    (True, False)
    """
    return any(name.casefold() in _TELLING for name in names)


def _says(key: str, value: Any) -> bool:
    if key in _SAYING:
        return bool(value)
    if key in _FLAGS:
        return value is (key in ("iserror", "is_error"))
    if key in _OUTCOMES:
        return isinstance(value, str) and value.casefold() in _STATES
    return key in _CODES and isinstance(value, int) and value >= 400

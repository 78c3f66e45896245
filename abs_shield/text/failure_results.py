"""Detection of results that report an error although the tool raised none."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from abs_shield.text.lazy_pattern import lazy_pattern

# Bounded repetitions keep the time linear in a hostile result.
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
CODES = frozenset(("statuscode", "status_code"))
"""Members with the status of an HTTP response, in lower case."""
_TEXTS = frozenset("message msg detail reason".split())
"""Members with an error's text for people."""
_KINDS = frozenset("code type __type status".split())
"""Members with the kind of error, as an HTTP status or a name."""
# An object with any other member is data, such as an order with a status.
_ENVELOPE = _TEXTS | _KINDS | {"title", "description", "instance"}
_PROBLEM = frozenset(("title", "status"))
"""Required members of an RFC 7807 problem."""
_BESIDE_ERROR = (
    _ENVELOPE
    | _SAYING
    | frozenset("content hint help param path request_id requestid timestamp trace_id".split())
)
"""Members of an error that are not the data of a partial result."""
# Without one of these members, an object is not examined further.
_TELLING = _SAYING | _FLAGS | _OUTCOMES | CODES | _TEXTS
_STATES = frozenset("error failed failure denied rejected forbidden invalid".split())
_NAME = re.compile(r"\w{0,80}(?:Error|Exception|Fault)")
_FAILED = lazy_pattern(
    r"(?:[^\s.,;:!?]{1,40} ){0,6}?(?:(?:not|\w{2,6}n't) (?:be )?(?:found|exist|authori[sz]ed)"
    r"|no such|(?:permission|access) denied|connection refused|timed out|unauthori[sz]ed)\b"
    r"(?: (?!but\b|and\b|so\b)[^\s,;:!?]{1,40}){0,8}[.!]?\s*",
    re.IGNORECASE,
)
"""A single short clause, because a further one could contain the result."""
_STATUS = re.compile(
    r"(?:<[^<>]{0,200}>\s*){0,20}(?:HTTP\S{0,8} )?([45]\d\d):? ([A-Za-z' -]{2,40})"
)
_PHRASES = {status.value: status.phrase.casefold() for status in HTTPStatus if status >= 400}
_TITLES = frozenset(phrase for phrase in _PHRASES.values() if " " in phrase)
"""Phrases of several words only: `Locked` and `Gone` may also be states of other things."""
_LONGEST = 300  # characters; a longer text is a document, which may mention a failure
_MOST = 50  # members that are read; an error has a handful


def is_failure_result(value: Any) -> bool:
    """
    Return whether *value* is an error in the form of a result, judged by its top level.

    >>> is_failure_result("Error: no such order"), is_failure_result({"success": False})
    (True, True)
    >>> is_failure_result({"detail": "Not Found"}), is_failure_result("404 Not Found")
    (True, True)
    >>> is_failure_result({"errors": []}), is_failure_result("Refunded; no errors")
    (False, False)
    """
    if isinstance(value, str):
        return _is_failure(value)
    # Some servers wrap each result in a list of one item.
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if not isinstance(value, Mapping):
        return False
    members = [(str(key).casefold(), value[key]) for key in list(value)[:_MOST]]
    return any(_indicates_failure(key, item) for key, item in members) or _is_error(dict(members))


def is_only_failure(value: Any, arguments: Collection[str] = ()) -> bool:
    """
    Return whether a result states an error and contains nothing else.

    Other than `is_failure_result` it reads no texts for people and no states, which may be data or
    repeat an argument. A partial result with an error beside its data is a success here.

    Args:
        value: The result.
        arguments: Names of the call's arguments; members of these names prove nothing.

    >>> is_only_failure({"error": "card declined"}), is_only_failure({"error": "no", "paid": 5})
    (True, False)
    >>> is_only_failure({"isError": True, "content": []}), is_only_failure({"status": "failed"})
    (True, False)
    >>> is_only_failure({"error": "E-7"}, arguments=["error"]), is_only_failure("Error: no")
    (False, False)
    """
    if not isinstance(value, Mapping) or len(value) > _MOST:
        return False
    members = {str(key).casefold(): item for key, item in value.items()}
    evidence = members.keys() - {str(name).casefold() for name in arguments}
    stated = any(
        _indicates_failure(key, members[key]) for key in evidence & (_SAYING | _FLAGS | CODES)
    )
    return stated and all(_is_beside_error(key, item) for key, item in members.items())


def _is_beside_error(key: str, value: Any) -> bool:
    """Return whether a member of an error neither holds data nor says that the call succeeded."""
    if key in _FLAGS or key in CODES:
        return _indicates_failure(key, value)
    if key == "status" and value:
        status = value.casefold() in _STATES if isinstance(value, str) else value
        return status is True or (type(status) is int and status >= 400)
    return not value or key in _BESIDE_ERROR


def may_be_failure_result(names: Iterable[str]) -> bool:
    """
    Return whether an object with members of these names could be an error.

    >>> may_be_failure_result(["price", "Status"]), may_be_failure_result(["price"])
    (True, False)
    """
    return any(name.casefold() in _TELLING for name in names)


def _indicates_failure(key: str, value: Any) -> bool:
    if key in _SAYING:
        return bool(value)
    if key in _FLAGS:
        # `is`, because only a boolean is a flag; 1 and "true" are data.
        return value is (key in ("iserror", "is_error"))
    if key in _OUTCOMES:
        return isinstance(value, str) and value.casefold() in _STATES
    return key in CODES and isinstance(value, int) and value >= 400


def _is_error(members: Mapping[str, Any]) -> bool:
    """Return whether an object is an error of a framework or a service, rather than data."""
    kinds = [members[key] for key in _KINDS & members.keys()]
    # the client and server errors of HTTP
    has_status = any(type(kind) is int and 400 <= kind < 600 for kind in kinds)
    if has_status and members.keys() >= _PROBLEM:
        return "detail" in members or "type" in members
    if not members.keys() <= _ENVELOPE or _TEXTS.isdisjoint(members):
        return False
    if members.keys() == {"detail"} and isinstance(members["detail"], (list, tuple)):
        return _is_validation(members["detail"])
    names = [kind for kind in kinds if isinstance(kind, str)]
    texts = [text for key in _TEXTS & members.keys() if isinstance(text := members[key], str)]
    return bool(texts) and (
        has_status or any(map(_NAME.fullmatch, names)) or any(map(_is_failure, texts))
    )


def _is_validation(detail: Sequence[Any]) -> bool:
    """Return whether it is FastAPI's list of validation errors."""
    return bool(detail) and all(
        isinstance(one, Mapping) and one.keys() >= {"loc", "msg"} for one in detail[:_MOST]
    )


def _is_failure(text: str) -> bool:
    """Return whether a text begins like an error, or is a single clause that states one."""
    if _BEGINS.match(text) is not None:
        return True
    if (status := _STATUS.match(text)) is not None:
        # An unknown status has no phrase; a stripped text never begins with the default.
        return status[2].strip().casefold().startswith(_PHRASES.get(int(status[1]), "\n"))
    if len(text) > _LONGEST:
        return False
    return text.strip(" .!").casefold() in _TITLES or _FAILED.fullmatch(text) is not None

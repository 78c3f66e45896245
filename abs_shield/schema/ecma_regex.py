"""Regular expressions with ECMA-262 semantics, as JSON Schema requires, and a time limit."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from time import perf_counter
from typing import Any

from abs_shield.schema.work_budget import run_timed

# A usual search takes microseconds; ten slow ones already delay a call by half a second.
SECONDS = 0.05

_ESCAPE = (
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u\{[0-9a-fA-F]{1,6}\}"
    r"|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[A-Za-z]|\\[pP]\{[^{}]*\}"
)
_OUTSIDE = re.compile(
    _ESCAPE + r"|\\k<\w+>|\\[1-9][0-9]*|\\.|\{[0-9]+(?:,[0-9]*)?\}|\(\?<?.?|\[\^?\]|\[\^?|.",
    re.DOTALL,
)
_INSIDE = re.compile(_ESCAPE + r"|\\.|.", re.DOTALL)

_SPACE = r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_NOT_SPACE = (
    r"\x00-\x08\x0e-\x1f!-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e"
    r"\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\U0010ffff"
)
_SETS = {
    "d": "0-9",
    "D": r"\x00-/:-\U0010ffff",
    "w": "A-Za-z0-9_",
    "W": r"\x00-/:-@\[-\^`{-\U0010ffff",
    "s": _SPACE,
    "S": _NOT_SPACE,
}
_EDGE = "(?:(?<=[A-Za-z0-9_])(?![A-Za-z0-9_])|(?<![A-Za-z0-9_])(?=[A-Za-z0-9_]))"
_NO_EDGE = "(?:(?<=[A-Za-z0-9_])(?=[A-Za-z0-9_])|(?<![A-Za-z0-9_])(?![A-Za-z0-9_]))"
_PLAIN = {
    "$": r"\Z",  # Python's `$` also matches before a final newline
    ".": r"[^\n\r\u2028\u2029]",
    "[]": "(?!)",  # an empty class matches nothing in ECMA, and is an error in Python
    "[^]": r"[\x00-\U0010ffff]",
    "{": r"\{",
    r"\b": _EDGE,
    r"\B": _NO_EDGE,
}
_UNCHANGED_GROUPS = ("(?:", "(?=", "(?!", "(?<=", "(?<!")


class BadPattern(ValueError):
    """Raised for a text that is not a supported regular expression."""


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str, *, strict: bool = False) -> Any:
    """Compile a pattern with ECMA semantics; *strict* refuses Python syntax such as ``\\Z``."""
    # Imported lazily: it takes 15 ms, and few schemas have a pattern.
    import regex  # type: ignore[import-untyped, unused-ignore]

    translated = "".join(_pieces(pattern, strict))
    try:
        return regex.compile(translated, regex.VERSION0)
    # The library has no common class for its errors on hostile patterns.
    except (regex.error, ValueError, OverflowError, RecursionError, TypeError) as error:
        raise BadPattern(" ".join(str(error).split())) from None


@lru_cache(maxsize=1024)
def search_of(pattern: str) -> Callable[[str], bool]:
    """
    Return a search for a pattern in a text that raises TimeoutError after 50 ms.

    It raises earlier if the patterns of this judgement exceed their total time. A text that took
    too long is not searched again.
    """
    ready = compile_pattern(pattern)
    search, safe_length = ready.search, _safe_length(ready.pattern)
    # Length and hash, because the texts may be large.
    endless: deque[tuple[int, int]] = deque(maxlen=8)

    def matches(text: str) -> bool:
        if len(text) <= safe_length:
            return search(text) is not None
        # The timer is only read between two positions, and one position may take a second.
        if endless and (len(text), hash(text)) in endless:
            raise TimeoutError
        started = perf_counter()
        try:
            return run_timed(lambda left: search(text, timeout=left) is not None, most=SECONDS)
        except TimeoutError:
            if perf_counter() - started >= SECONDS:  # not because other patterns used the time
                endless.append((len(text), hash(text)))
            raise

    return matches


def _safe_length(translated: str) -> int:
    """Return the length up to which a text needs no timer, which is slower than a short search."""
    # Without escapes and classes, in which these signs are plain characters.
    bare = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "x", translated, flags=re.DOTALL)
    if "(" in bare or "|" in bare:
        return 0
    repeats = len(re.findall(r"[*+?]|\{[0-9]+,[0-9]*\}", bare))
    # Each repetition multiplies the steps by the length: 512 squared, 64 cubed are some 260,000.
    return {0: 512, 1: 512, 2: 64}.get(repeats, 0)


def _pieces(pattern: str, strict: bool) -> Iterator[str]:
    at, inside, before = 0, False, ""
    while at < len(pattern):
        match = (_INSIDE if inside else _OUTSIDE).match(pattern, at)
        assert match is not None
        token, at = match.group(), match.end()
        if strict and not inside:
            _refuse_python(token, before)
        # A hyphen beside a class such as `\d` is a plain character in ECMA.
        if inside and token == "-" and (_is_set(before) or _is_set(pattern[at : at + 2])):
            token = r"\-"
        yield _class_piece(token) if inside else _piece(token, strict)
        inside, before = (token != "]") if inside else (token in ("[", "[^")), token


def _piece(token: str, strict: bool) -> str:
    if token in _PLAIN:
        return _PLAIN[token]
    if token.startswith(r"\k<"):
        return f"(?P={token[3:-1]})"
    if token[0] != "\\" or (token[1:].isdigit() and token != r"\0"):
        return token
    if token[1:] in _SETS:
        return f"[{_SETS[token[1:]]}]"
    # Python's anchors, which authors of Python tools write.
    if token in (r"\A", r"\Z", r"\a") and not strict:
        return token
    return _escape(token)


def _class_piece(token: str) -> str:
    if token == r"\b":
        return r"\x08"
    if token[0] == "\\" and token[1:] in _SETS:
        return _SETS[token[1:]]
    if token[0] == "\\":
        return _escape(token)
    # Set operators of the module `regex`, but plain characters in ECMA.
    return "\\" + token if token in "[&|~" else token


def _is_set(token: str) -> bool:
    return token[:1] == "\\" and token[1:] in _SETS


def _escape(token: str) -> str:
    body = token[1:]
    if body[:1] in ("p", "P") and len(body) > 1:
        return token
    if body == "0":
        return r"\x00"
    if body[:1] == "c" and len(body) == 2:
        return f"\\x{ord(body[1]) % 32:02x}"
    if body[:1] in ("u", "x") and len(body) > 1:
        return _code_point(token)
    if body in tuple("fnrtv"):
        return token
    if not body or body.isalnum():
        raise BadPattern(f"unknown escape `{token}`")
    import regex  # type: ignore[import-untyped, unused-ignore]

    return regex.escape(body)  # type: ignore[no-any-return, unused-ignore]


def _code_point(token: str) -> str:
    digits = re.findall(r"[0-9a-fA-F]+", token)
    number = int(digits[0], 16)
    if len(digits) == 2:
        number = 0x10000 + ((number - 0xD800) << 10) + int(digits[1], 16) - 0xDC00
    if number > 0x10FFFF:
        raise BadPattern(f"no such character `{token}`")
    return f"\\U{number:08x}"


def _refuse_python(token: str, before: str) -> None:
    has_group_name = token.startswith("(?<") and (token[3:].isalpha() or token[3:] in ("_", "$"))
    if token.startswith("(?") and token not in _UNCHANGED_GROUPS and not has_group_name:
        raise BadPattern(f"unknown group `{token}`")
    if token == "+" and before[-1:] in ("*", "+", "?", "}") and before[:1] != "\\":
        raise BadPattern("nothing to repeat")

"""The display of values in messages: one short line for any value."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Any

from abs_shield.schema.work_budget import may_compare

_KINDS = {
    "bool": "a boolean",
    "dict": "an object",
    "float": "a number",
    "int": "a number",
    "list": "a list",
    "NoneType": "null",
    "str": "a string",
}


def display_value(value: object, limit: int = 80) -> str:
    """Return a value as JSON-like text without control characters, at most *limit* long."""
    try:
        text = _text(value, 0)
    except Exception:  # reading a caller's object may raise
        text = f"<{type(value).__name__}>"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def json_type_phrase(value: object) -> str:
    """Return the JSON type of a value, with its article."""
    return _KINDS.get(type(value).__name__, f"a Python {type(value).__name__}")


def abbreviate(value: object) -> Any:
    """Return a small, JSON-serialisable form of a value."""
    if value is None or type(value) is bool:
        return value
    if type(value) is int and value.bit_length() <= 256:  # 77 digits; larger ones become text
        return value
    if type(value) is float and abs(value) < float("inf"):
        return value
    if isinstance(value, str):
        clean = str(value[:120]).encode("utf-8", "backslashreplace").decode()
        return clean if len(value) <= 120 else clean + "…"
    return display_value(value, 120)


def closest_name(word: object, names_in: Iterable[object]) -> str:
    """Return the name closest to a word; empty without a match or beyond the budget."""
    if not isinstance(word, str) or len(word) > 64:  # a comparison takes quadratic time
        return ""
    short = (name for name in names_in if isinstance(name, str) and len(name) <= 64)
    names = [*islice(short, 200)]  # a longer list would take too long for a hint
    if not may_compare(len(names)):
        return ""
    folded = {name.casefold(): name for name in reversed(names)}
    close = get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else ""


def _text(value: object, depth: int) -> str:
    if isinstance(value, str):
        return '"' + "".join(map(_letter, value[:120])) + ("…" if len(value) > 120 else "") + '"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):  # 308 digits; Python refuses to format more than 4,300
        return str(int(value)) if value.bit_length() <= 1024 else "a very large integer"
    if isinstance(value, float):
        return repr(float(value))
    # Two levels fill a line.
    if isinstance(value, (list, tuple, dict)) and value and depth > 1:
        return "{…}" if isinstance(value, dict) else "[…]"
    if isinstance(value, (list, tuple)):
        return f"[{_join([_text(item, depth + 1) for item in value[:5]], value)}]"
    if isinstance(value, dict):
        pairs = list(zip(value.items(), range(5), strict=False))
        parts = [f"{_text(key, 3)}: {_text(item, depth + 1)}" for (key, item), _ in pairs]
        return f"{{{_join(parts, value)}}}"
    return f"<{type(value).__name__}>"


def _join(parts: list[str], value: Any) -> str:
    more = ", …" if len(value) > len(parts) else ""
    return ", ".join(parts) + more


def _letter(letter: str) -> str:
    if letter == '"':
        return '\\"'
    if letter.isprintable() and letter != "\\":
        return letter
    return letter.encode("unicode_escape").decode()

"""Hints about what to send instead of a value that does not fit."""

from __future__ import annotations

from typing import Any

from abs_shield.schema.offset_patterns import WITH_OFFSET, WITHOUT_OFFSET
from abs_shield.schema.value_display import closest_name, display_value

EXAMPLES = {
    "date": "dates look like 2024-05-31",
    "date-time": "use a date-time such as 2024-05-31T12:00:00",
    "duration": "durations look like P1DT12H",
    "email": "e-mail addresses look like ann@example.com",
    "hostname": "host names look like www.example.com",
    "ipv4": "IPv4 addresses look like 192.0.2.1",
    "ipv6": "IPv6 addresses look like 2001:db8::1",
    "json-pointer": "JSON pointers look like /items/0",
    "regex": "send a regular expression, such as ^[a-z]+$",
    "time": "use a time of day such as 12:00:00",
    "uri": "URIs look like https://example.com/page",
    "uuid": "UUIDs look like 123e4567-e89b-12d3-a456-426614174000",
}
PATTERNS = {
    WITH_OFFSET: (
        "a date-time with its UTC offset",
        "use the offset that the user or a result names; ask for it where none does",
    ),
    WITHOUT_OFFSET: (
        "a local date-time, without a UTC offset",
        "use a local date-time such as 2024-05-31T12:00:00",
    ),
}
"""The expectation and the hint for built-in patterns."""
_WORDS = {"true": "true", "false": "false", "null": "null", "none": "null"}
_OPENING = {"array": "[", "object": "{"}


def type_hint(value: Any, wanted: tuple[str, ...]) -> str:
    """Return a hint for a value of the wrong type."""
    if isinstance(value, str):
        return _text_hint(value, wanted)
    if value is None:
        return "leave it out, or send a value"
    if isinstance(value, bool):
        numeric = "number" in wanted or "integer" in wanted
        return f"{display_value(value)} is a boolean: send a number" if numeric else ""
    if isinstance(value, float) and "integer" in wanted:
        return f"{display_value(value)} has a fraction: send a whole number"
    if isinstance(value, (int, float)) and "string" in wanted:
        text = display_value(value)
        return f'{text} is a number: send the string "{text}", in quotes'
    if "array" in wanted and not isinstance(value, list):
        return f"send a list, even for one item: {display_value([value], 60)}"
    return ""


def _text_hint(value: str, wanted: tuple[str, ...]) -> str:
    # The longest word has five letters; the rest may be spaces.
    word = _WORDS.get(value.strip().lower()) if len(value) < 10 else None
    if word and ("null" if word == "null" else "boolean") in wanted:
        return f"{display_value(value)} is a string: send {word}, without quotes"
    if ("number" in wanted or "integer" in wanted) and _numeric(value, wanted):
        return (
            f"{display_value(value)} is a string: send the number {value.strip()}, without quotes"
        )
    for kind, opening in _OPENING.items():
        if kind in wanted and value.lstrip()[:1] == opening:
            return f"send the {kind} itself, not JSON text in a string"
    if "array" in wanted:
        return f"send a list, even for one item: {display_value([value], 60)}"
    if wanted == ("integer",) or wanted == ("number",):
        return "send a whole number" if wanted == ("integer",) else "send a number"
    return ""


def _numeric(text: str, wanted: tuple[str, ...]) -> bool:
    try:
        # Longer texts are not numbers; `float` also accepts `1_000` and digits of other scripts.
        number = float(text) if len(text) <= 40 and text.isascii() and "_" not in text else None
    except ValueError:
        return False
    if number is None or number - number != 0:  # for NaN and infinity, the difference is NaN
        return False
    return "number" in wanted or number.is_integer()


def choice_hint(value: Any, allowed: tuple[Any, ...]) -> tuple[str, str]:
    """Return a hint with the allowed value closest to the one sent, and that value."""
    for each in allowed:
        if (
            isinstance(value, str)
            and not isinstance(each, str)
            and display_value(each) == value.strip()
        ):
            return (
                f"{display_value(value)} is a string: send {display_value(each)}, without quotes",
                "",
            )
    return name_hint(value, allowed)


def name_hint(value: Any, allowed: tuple[Any, ...]) -> tuple[str, str]:
    """Return a hint with the allowed name closest to the one sent, and that name."""
    close = closest_name(value, allowed)
    return (f"did you mean `{close}`?" if close else "", close)

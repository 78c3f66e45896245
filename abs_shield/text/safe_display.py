"""Safe display of any value on one line in a terminal, log or page."""

from __future__ import annotations

import unicodedata

LINE = 80
"""Maximum characters shown of one value, a line of a terminal."""
LONGEST_NAME = 1_024
"""Characters of a tool's name that are read; a declared one has at most 512."""

_SHOWN_CATEGORIES = frozenset("LMNPSZ")


def escaped(text: str, *, limit: int = LINE) -> str:
    r"""
    Return *text* cut to *limit* characters, with unprintable ones escaped.

    >>> escaped("a\nb\x1b[31m")
    'a\\nb\\x1b[31m'
    """
    head = text[:limit]
    if not head.isprintable():  # a fast check: most texts need no escape
        head = "".join(_escape_character(c) for c in head)
    return head if len(text) <= limit else head + "..."


def shown(value: object, *, limit: int = LINE) -> str:
    """
    Return a value for display to a model or an operator: on one line, quoted, cut.

    >>> shown("tx_9"), shown(True), shown(None), shown({"a": 1})
    ('"tx_9"', 'true', 'null', 'an object of 1 member')
    """
    match value:
        case str():
            return f'"{escaped(value, limit=limit)}"'
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case int():
            return _show_integer(value, limit)
        case float():
            return repr(value)
        case dict():
            return f"an object of {quantity(len(value), 'member')}"
        case list() | tuple():
            return f"a list of {quantity(len(value), 'item')}"
        case _:
            return f"a value of type {escaped(type(value).__name__, limit=limit)}"


def plain_name(name: object) -> str:
    """
    Return a name as a plain string of at most 1,024 characters; empty for other types.

    >>> plain_name("refund"), plain_name(None), len(plain_name("x" * 5000))
    ('refund', '', 1024)
    """
    # Methods of a subclass may raise, or return something else.
    return str.__str__(name)[:LONGEST_NAME] if isinstance(name, str) else ""


def encodable(text: str) -> str:
    r"""
    Return *text* with lone surrogates, which UTF-8 cannot encode, as escapes.

    >>> encodable("a\ud800 \u00fc")
    'a\\ud800 ü'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def describe_exception(error: BaseException) -> str:
    """
    Return the type and the text of an exception; only the type if its text fails.

    >>> describe_exception(KeyError("x"))
    "KeyError: 'x'"
    """
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # the `__str__` of a caller's exception may raise
        return type(error).__name__


def quantity(count: int | str, noun: str) -> str:
    """
    Return a count with its noun.

    >>> quantity(1, "run"), quantity(1200, "call"), quantity("more than 9", "call")
    ('1 run', '1,200 calls', 'more than 9 calls')
    """
    number = count if isinstance(count, str) else f"{count:,}"
    return f"{number} {noun}" if count == 1 else f"{number} {noun}s"


def capitalise(text: str) -> str:
    """
    Return a text with an upper-case first letter; the others are unchanged.

    >>> capitalise("the US rate")
    'The US rate'
    """
    return text[:1].upper() + text[1:]


def _show_integer(value: int, limit: int) -> str:
    if value.bit_length() > 4 * limit:  # too long; Python refuses to format over 4,300 digits
        return f"an integer of {value.bit_length()} bits"
    return str(value)


def _escape_character(character: str) -> str:
    kind = unicodedata.category(character)
    # Separators of lines and paragraphs would break the line.
    if kind[0] in _SHOWN_CATEGORIES and kind not in ("Zl", "Zp"):
        return character
    return character.encode("unicode_escape").decode("ascii")

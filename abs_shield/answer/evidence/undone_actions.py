"""Results that report that a call's action was not done, although the call did not fail."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from abs_shield.plan.tool_action import parse_action, parse_action_argument
from abs_shield.text.identifier_words import canonical, name_words
from abs_shield.text.verbs import infinitive

_REFUSES = re.compile(
    r"\W{0,4}(?:(?:sorry|unfortunately)\W{1,3})?(?:the |your |this )?"
    r"(?:(?:request|operation|action|call|transaction|permission|access)\s(?:was |has been |is )?)?"
    r"(?:(?:denied|refused|rejected|declined|forbidden|failed)\b"
    r"(?=\W*$|\s?[:.,;]|\s(?:by|because|due)\b)"
    r"|not (?:authori[sz]ed|allowed|permitted|possible|eligible)\b"
    r"|unauthori[sz]ed\b|cannot\b|could not\b|unable to\b|failed to\b)",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"[\w #-]{1,60}?\b(?:(?:cannot|can't|could not) be|(?:was|were|is|has|have)(?: not|n't)"
    r"(?: been)?) (?P<verb>[a-z]{3,20})\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"(?:^|_)(?:denied|error|failed|failure|forbidden|refused|rejected|unauthori[sz]ed)(?:$|_)",
    re.IGNORECASE,
)
_TEXTS = frozenset("message msg detail details reason result status state outcome response".split())
_ALLOWED = frozenset("accepted allowed permitted authorized authorised granted".split())
# a refusal is one short text; an object has it among its first fields; few fields beside `allowed`
_LONGEST, _MOST, _FEW = 400, 50, 3


def undone(tool: str, arguments: Mapping[str, Any], value: Any) -> bool:
    """
    Return whether a result reports that the call's own action was not done.

    Args:
        tool: A tool with an effect.
        arguments: The arguments of the call.
        value: The result.

    >>> undone("cancel_booking", {}, {"cancelled": False})
    True
    >>> undone("cancel_booking", {}, "The booking cannot be cancelled: it has departed.")
    True
    >>> undone("book_room", {}, {"id": "R7", "cancelled": False, "note": "Cannot be refunded."})
    False
    """
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    verb = canonical((parse_action_argument(arguments) or parse_action(tool)).verb)
    if not isinstance(value, Mapping):
        return _is_false(value) or _refuses(value, verb)
    fields = ((str(key).casefold(), value[key]) for key in list(value)[:_MOST])
    return any(_denies(name, one, verb, len(value)) for name, one in fields)


def _denies(name: str, value: Any, verb: str, size: int) -> bool:
    """Return whether a field of a result denies the action of *verb*."""
    if _is_false(value):
        own = any(_is_of(word, verb) for word in name_words(name))
        # beside other fields, `accepted: false` is a property of a record
        return own or name == "success" or (name in _ALLOWED and size <= _FEW)
    if name == "status" and type(value) is int:
        return 400 <= value < 600  # a status of HTTP, copied into the result
    is_error = name == "code" and isinstance(value, str) and _CODE.search(value[:_LONGEST])
    return bool(is_error) or (name in _TEXTS and _refuses(value, verb))


def _refuses(value: Any, verb: str) -> bool:
    """Return whether a short text begins with a refusal, or denies the action of *verb*."""
    if not isinstance(value, str) or len(value) > _LONGEST:
        return False
    denied = _DENIES.match(value)
    own = denied is not None and _is_of(denied["verb"].casefold(), verb)
    return own or _REFUSES.match(value) is not None


def _is_of(word: str, verb: str) -> bool:
    return bool(verb) and canonical(infinitive(word)) == verb


def _is_false(value: Any) -> bool:
    return value is False or (isinstance(value, str) and value.strip().casefold() == "false")

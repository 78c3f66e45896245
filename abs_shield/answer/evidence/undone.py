"""Whether what a call returned says that it did not do its deed, although nothing failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from abs_shield.answer.checks.action_verbs import infinitive
from abs_shield.plan.verbs import commanded, deed
from abs_shield.text.names import name_words
from abs_shield.text.synonyms import canonical

_REFUSES = re.compile(
    r"\W{0,4}(?:(?:sorry|unfortunately)\W{1,3})?(?:"
    r"(?:(?:the |your |this )?(?:request|operation|action|call|transaction)\s"
    r"(?:was |has been |is )?)?"
    r"(?:(?:denied|refused|rejected|declined|forbidden|failed)\b"
    r"(?=\W*$|\s?[:.,;]|\s(?:by|because|due)\b)"
    r"|not (?:authori[sz]ed|allowed|permitted|possible|eligible)\b)"
    r"|(?:permission|access|authori[sz]ation)\s(?:was |is )?(?:denied|refused)\b"
    r"|unauthori[sz]ed\b|cannot\b|could not\b|unable to\b|failed to\b)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:cannot|can't|can\s?not|could not|couldn't|unable to|not able to|failed to|may not"
    r"|must not|(?:was|were|is|has|have|did)(?:\snot|n't)|not|never)"
    r"\s(?:yet\s)?(?:be\s|been\s)?(?P<verb>[a-z]{3,20})\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]{3,20}", re.IGNORECASE)
_CODE = re.compile(
    r"(?:^|_|\b)(?:denied|error|fail(?:ed|ure)?|forbidden|refused|rejected|unauthori[sz]ed)"
    r"(?:$|_|\b)",
    re.IGNORECASE,
)
_SAYS = frozenset("message msg detail details reason result status state outcome response".split())
_FLAGS = frozenset("success ok succeeded".split())
_ALLOWED = frozenset("accepted allowed permitted authorized authorised granted".split())
_LONGEST, _MOST = 400, 50
_FEW = 3


def undone(tool: str, arguments: Mapping[str, Any], value: Any) -> bool:
    """
    Whether a result says that the call's own deed was not done.

    Args:
        tool: A tool that does something.
        arguments: What it was called with.
        value: What it returned.

    >>> undone("cancel_booking", {}, {"cancelled": False})
    True
    >>> undone("cancel_booking", {}, "The booking cannot be cancelled: it has departed.")
    True
    >>> undone("book_room", {}, {"id": "R7", "cancelled": False, "note": "Cannot be refunded."})
    False
    """
    verb = (commanded(arguments) or deed(tool)).verb
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if isinstance(value, Mapping):
        return any(_told_by(key, said, verb, len(value)) for key, said in _fields(value))
    if isinstance(value, str):
        return value.strip().casefold() == "false" or _says_not(value, verb)
    return value is False


def _fields(value: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    for key in list(value)[:_MOST]:
        yield str(key).casefold(), value[key]


def _told_by(key: str, said: Any, verb: str, size: int) -> bool:
    if said is False or (isinstance(said, str) and said.casefold() == "false"):
        own = bool(verb) and any(_is(infinitive(word), verb) for word in name_words(key))
        return own or key in _FLAGS or (key in _ALLOWED and size <= _FEW)
    if key == "status" and type(said) is int:
        return 400 <= said < 600
    if not isinstance(said, str):
        return False
    return (key == "code" and _CODE.search(said[:_LONGEST]) is not None) or (
        key in _SAYS and _says_not(said, verb)
    )


def _says_not(text: str, verb: str) -> bool:
    """Whether a short text refuses, or says of the verb that it was not or cannot be done."""
    if len(text) > _LONGEST:
        return False
    if _REFUSES.match(text):
        return True
    denied = [found.span("verb") for found in _DENIED.finditer(text) if _of(found["verb"], verb)]
    if not verb or not denied:
        return False
    done = (word for word in _WORD.finditer(text) if _is(infinitive(word[0].casefold()), verb))
    return all(word.span() in denied for word in done)


def _of(word: str, verb: str) -> bool:
    word = word.casefold()
    return _is(word, verb) or _is(infinitive(word), verb)


def _is(said: str, verb: str) -> bool:
    return bool(said) and canonical(said) == canonical(verb)

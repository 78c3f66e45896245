"""What an answer says was done, and whether a call that ran stands behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from abs_shield.answer.deed_forms import (
    AND,
    CLAUSE,
    CLAUSE_END,
    FIRST,
    MANAGED,
    OPEN,
    PASSIVE,
    PAST,
    RARE,
    RELATIVE,
    SHORT,
    TALK,
)
from abs_shield.plan.verbs import deed

_LONGEST_WORD = 8
_LONGEST_CLAUSE = 300
_PAYING = frozenset("issue add process apply credit return release initiate".split())
_REFUND = re.compile(r"\brefund", re.IGNORECASE)


class Said(NamedTuple):
    """
    One deed that a claim says was done.

    Attributes:
        verb: Its verb, in the infinitive.
        text: How it stands in the claim.
        passive: Whether it is not said who did it.
    """

    verb: str
    text: str
    passive: bool


def said_done(text: str) -> Iterator[Said]:
    """
    Give the deeds that an English claim says were done; plans, offers and negations are none.

    >>> [said.verb for said in said_done("I have cancelled the booking and I will send an email.")]
    ['cancel']
    >>> [*said_done("I can cancel it once you have confirmed. I found two flights.")]
    []
    """
    if text.rstrip(" *_\"')").endswith("?"):
        return
    for form in (FIRST, MANAGED, PASSIVE, SHORT):
        for found in form.finditer(text):
            if said := _said(text, found, form):
                yield said
                if form is FIRST and (more := AND.search(text, *_behind(text, found))):
                    also = _said(text, more, form)
                    yield from (also,) if also else ()


def _said(text: str, found: re.Match[str], form: re.Pattern[str]) -> Said | None:
    """The deed that a form has found; None where it is talk, a plan or a description."""
    word = found["verb"].casefold()
    verb = infinitive(word) if form is not MANAGED else word if _writes(word) else ""
    passive = form is PASSIVE
    if passive and verb in _PAYING and _REFUND.search(_clause(text, found)):
        verb = "refund"  # what follows from a cancellation, whoever issues it
    if not verb or (verb in TALK and not _firm(verb, found[0])) or not _done(text, found):
        return None
    return Said(verb, found[0].strip(" ,"), passive)


def _behind(text: str, found: re.Match[str]) -> tuple[int, int]:
    """Where the clause of a deed goes on."""
    end = CLAUSE_END.search(text, found.end(), found.end() + _LONGEST_CLAUSE)
    return found.end(), end.start() if end else found.end() + _LONGEST_CLAUSE


def _firm(verb: str, text: str) -> bool:
    """Whether a verb that may be talk is said of something that was carried out."""
    return "successfully" in text.casefold() and verb not in ("note", "confirm", "show", "generate")


def _done(text: str, found: re.Match[str]) -> bool:
    relative = RELATIVE.search(text, max(0, found.start() - _LONGEST_WORD), found.start())
    return relative is None and OPEN.search(_clause(text, found)) is None


def _clause(text: str, found: re.Match[str]) -> str:
    """What stands in front of a deed, and it, as far as the clause goes."""
    first = max(0, found.start() - _LONGEST_CLAUSE)
    ends = [clause.end() for clause in CLAUSE.finditer(text, first, found.start())]
    return text[ends[-1] if ends else first : found.end()]


@lru_cache(maxsize=4096)
def infinitive(word: str) -> str:
    """
    Give the verb of a tool of which *word* is the past form; empty where there is none.

    >>> infinitive("cancelled"), infinitive("modified"), infinitive("sent"), infinitive("found")
    ('cancel', 'modify', 'send', '')
    """
    forms = [PAST[word]] if word in PAST else []
    if word.endswith("ied"):
        forms.append(word[:-3] + "y")
    if word.endswith("ed"):
        forms += [word[:-1], word[:-2]]
        if len(word) > 4 and word[-3] == word[-4]:
            forms.append(word[:-3])
    return next((form for form in forms if _writes(form)), "")


def _writes(verb: str) -> bool:
    told = deed(verb)
    return verb in RARE or (told.verb == verb and told.does.writes)

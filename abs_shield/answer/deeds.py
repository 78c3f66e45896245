"""What an answer says was done, and whether a call that ran stands behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from abs_shield.answer.evidence import Deed, Evidence, Source
from abs_shield.answer.figure import ID, SUMS
from abs_shield.answer.figures import figures
from abs_shield.answer.read_ids import id_key
from abs_shield.plan.verbs import Does, commanded, deed
from abs_shield.text.leaves import leaves, scalar_text
from abs_shield.text.names import name_words
from abs_shield.text.synonyms import canonical

_ADVERBS = (
    r"(?:[ ](?:just|now|also|already|successfully|gone[ ]ahead[ ]and|went[ ]ahead[ ]and"
    r"|finally|since|then"
    r"|officially|fully|safely|both|all|promptly|immediately|recently))*"
)
_ABLE = (
    r"(?:(?:was|were|have[ ]been|['\u2019]ve[ ]been|am|are)[ ]able[ ]to"
    r"|(?:have[ ]|['\u2019]ve[ ])?managed[ ]to)"
)
_FIRST = re.compile(
    rf"\b(?:I|we)(?:['\u2019]ve|[ ]have)?{_ADVERBS}[ ](?P<verb>[a-z]{{3,20}})\b", re.IGNORECASE
)
_MANAGED = re.compile(
    rf"\b(?:I|we)[ ]?{_ABLE}{_ADVERBS}[ ](?P<verb>[a-z]{{3,20}})\b", re.IGNORECASE
)
_PASSIVE = re.compile(
    rf"\b(?:(?:has|have){_ADVERBS}[ ]been"
    rf"|(?:is|are|was|were){_ADVERBS}[ ]successfully|(?:is|are)[ ]now)"
    rf"{_ADVERBS}[ ](?P<verb>[a-z]{{3,20}})\b",
    re.IGNORECASE,
)
_SHORT = re.compile(
    r"(?:^|[:\u2705\u2714*\-][ ]{0,2})successfully[ ](?P<verb>[a-z]{3,20})\b", re.IGNORECASE
)
_OPEN = re.compile(
    r"\b(?:if|once|when|whenever|after|until|unless|before|should|would|could|can|will|may|might|must"
    r"|nothing|nobody|no[ ]one|you[ ](?:said|say|told|mentioned|wrote|asked|confirmed)"
    r"|shall|whether|assuming|provided|in[ ]case|as[ ]soon[ ]as|not|never|no|none|neither|nor"
    r"|cannot|unable"
    r"|without|['\u2019]?ll|to[ ]have|please|ensure|make[ ]sure|verify|confirm[ ](?:if|that)"
    r"|check)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""What makes of a deed a plan, a condition, or none."""
_CLAUSE = re.compile(r"[;:!?\n]|\.(?!\d)|,[ ](?:and|but|so)[ ]|[ ]but[ ]|[ ]\u2013[ ]|[ ]\u2014[ ]")
_CLAUSE_END = re.compile(r"[;:!?\n]|\.(?!\d)|[ ](?:but|so|because|which|that)[ ]")
_TALK = frozenset(
    "accept confirm note draft write generate make build mark show apply label flag detach like "
    "hold "
    "save log record run call process return open start stop clear follow look order test watch "
    "release trigger access put set convert share open close leave detach resume pause define "
    "request select filter attach post pin tag bookmark admit allow abort".split()
)
"""Verbs that also say what somebody thinks, reads or writes in the answer itself."""
_MORE = frozenset(
    "renew discharge dispatch prescribe ship reroute onboard waive reimburse redeem redirect repay "
    "expedite escalate".split()
)
"""Verbs of deeds that name few tools."""
_PAST = {
    "sent": "send", "made": "make", "bought": "buy", "paid": "pay", "put": "put", "set": "set",
    "built": "build", "drew": "draw", "withdrawn": "withdraw", "withdrew": "withdraw",
    "undone": "undo", "undid": "undo", "frozen": "freeze", "froze": "freeze", "lent": "lend",
    "reset": "reset", "held": "hold", "written": "write", "wrote": "write", "shut": "close",
    "rebooked": "book", "resent": "send", "emailed": "send", "mailed": "send", "messaged": "send",
    "texted": "send", "forwarded": "forward", "wired": "transfer", "refunded": "refund",
    "rescheduled": "reschedule", "cancelled": "cancel", "canceled": "cancel",
}  # fmt: skip
_AND = re.compile(
    rf",?[ ]and{_ADVERBS}[ ](?P<verb>[a-z]{{3,20}})"
    r"(?=[ ](?:the|an?|your|it|you|them|him|her|this|that|all|both)\b|[ ][A-Z#$\u20ac\u00a3\d])"
)
"""A second deed of the same person."""
_RELATIVE = re.compile(r"\b(?:that|which|who)[ ]$")
"""What makes of a deed a description: bookings that have been cancelled."""
_LONGEST_WORD = 8
_MOST_WORDS = 400
_LONGEST_CLAUSE = 300
_PAYING = frozenset("issue add process apply credit return release initiate".split())
_REFUND = re.compile(r"\brefund", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{3,20}")


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
    for form in (_FIRST, _MANAGED, _PASSIVE, _SHORT):
        for found in form.finditer(text):
            if said := _said(text, found, form):
                yield said
                if form is _FIRST and (more := _AND.search(text, *_behind(text, found))):
                    also = _said(text, more, form)
                    yield from (also,) if also else ()


def _said(text: str, found: re.Match[str], form: re.Pattern[str]) -> Said | None:
    """The deed that a form has found; None where it is talk, a plan or a description."""
    word = found["verb"].casefold()
    verb = infinitive(word) if form is not _MANAGED else word if _writes(word) else ""
    passive = form is _PASSIVE
    if passive and verb in _PAYING and _REFUND.search(_clause(text, found)):
        verb = "refund"  # what follows from a cancellation, whoever issues it
    if not verb or (verb in _TALK and not _firm(verb, found[0])) or not _done(text, found):
        return None
    return Said(verb, found[0].strip(" ,"), passive)


def _behind(text: str, found: re.Match[str]) -> tuple[int, int]:
    """Where the clause of a deed goes on."""
    end = _CLAUSE_END.search(text, found.end(), found.end() + _LONGEST_CLAUSE)
    return found.end(), end.start() if end else found.end() + _LONGEST_CLAUSE


def _firm(verb: str, text: str) -> bool:
    """Whether a verb that may be talk is said of something that was carried out."""
    return "successfully" in text.casefold() and verb not in ("note", "confirm", "show", "generate")


def _done(text: str, found: re.Match[str]) -> bool:
    relative = _RELATIVE.search(text, max(0, found.start() - _LONGEST_WORD), found.start())
    return relative is None and _OPEN.search(_clause(text, found)) is None


def _clause(text: str, found: re.Match[str]) -> str:
    """What stands in front of a deed, and it, as far as the clause goes."""
    first = max(0, found.start() - _LONGEST_CLAUSE)
    ends = [clause.end() for clause in _CLAUSE.finditer(text, first, found.start())]
    return text[ends[-1] if ends else first : found.end()]


@lru_cache(maxsize=4096)
def infinitive(word: str) -> str:
    """
    Give the verb of a tool of which *word* is the past form; empty where there is none.

    >>> infinitive("cancelled"), infinitive("modified"), infinitive("sent"), infinitive("found")
    ('cancel', 'modify', 'send', '')
    """
    forms = [_PAST[word]] if word in _PAST else []
    if word.endswith("ied"):
        forms.append(word[:-3] + "y")
    if word.endswith("ed"):
        forms += [word[:-1], word[:-2]]
        if len(word) > 4 and word[-3] == word[-4]:
            forms.append(word[:-3])
    return next((form for form in forms if _writes(form)), "")


def _writes(verb: str) -> bool:
    told = deed(verb)
    return verb in _MORE or (told.verb == verb and told.does.writes)


def ids_of(text: str) -> frozenset[str]:
    """Give the ids that a text names, in the form in which they are compared."""
    return frozenset(id_key(one.text) for one in figures(text) if one.kind == ID and not one.soft)


class Backing:
    """The calls of some evidence that did something, and the words that its results say."""

    def __init__(self, evidence: Evidence) -> None:
        self._deeds = [_Done(one) for one in evidence.deeds or () if not one.reads]
        results = (p.text for p in evidence if p.source is Source.TOOL_RESULT)
        words = {word for text in results for word in _WORD.findall(text.casefold())}
        self._told = {verb for verb in map(infinitive, words) if verb}

    def behind(self, said: Said, ids: frozenset[str]) -> bool:
        """
        Whether a call stands behind what is said to be done, or a result says so itself.

        Args:
            said: The deed.
            ids: What the claim names, as `ids_of` gives it.
        """
        if said.passive and said.verb in self._told:
            return True
        able = [done for done in self._deeds if done.could(said.verb)]
        named = {key for done in self._deeds for key in done.ids} & ids
        if not named:
            return bool(able)
        return any(done.ids & named for done in able) or (
            not any(done.ids for done in able) and bool(able)
        )


class _Done:
    """A call that did something."""

    def __init__(self, done: Deed) -> None:
        arguments = done.arguments if isinstance(done.arguments, dict) else {}
        told = commanded(arguments) or deed(done.tool)
        self._does = told.does
        self._known = bool(told.verb)
        self._verbs = {canonical(word) for word in (told.verb, *name_words(done.tool))}
        texts = (scalar_text(leaf) for _, leaf in leaves(done.arguments, most=_MOST_WORDS))
        self.ids = {
            id_key(one.text)
            for text in texts
            if text and len(text) <= 200
            for one in figures(text)
            if (one.kind == ID and not one.soft) or (one.kind in SUMS and len(one.text) > 3)
        }

    def could(self, verb: str) -> bool:
        """Whether this call can be what the verb speaks of."""
        if not self._known or canonical(verb) in self._verbs:
            return True
        does = deed(verb).does
        return (
            does is self._does
            or Does.ACT in (does, self._does)
            or Does.CHANGE in (does, self._does)
        )

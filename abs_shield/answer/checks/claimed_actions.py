"""The actions that a claim of an answer reports as done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from abs_shield.answer.checks.action_patterns import (
    ACTIVE,
    ADVICE,
    AND,
    CLAUSE,
    CLAUSE_END,
    COMPLETED,
    CONDITION,
    HEADLESS,
    MANAGED,
    OWN_NOTICE,
    PASSIVE,
    RELATIVE,
    SHORT,
    STATE,
    TALK_OBJECT,
)
from abs_shield.text.verbs import ACTION_NOUNS, RESULT_NOUNS, SPEECH_VERBS, infinitive, is_action

_BEGUN = frozenset(
    "start stop open close release order file post process complete trigger call fix merge sign "
    "pair admit resume pause apply arrange inform initiate".split()
)
"""Actions only if claimed in the first person in a run that only read; else they may be talk."""
# words that are speech or the beginning of something more often than an action
_TALK = SPEECH_VERBS | _BEGUN | frozenset("confirm save log record return request deliver".split())
# "noted", "confirmed" are also about words, "successfully" or not
_NEVER_FIRM = frozenset("note confirm show generate".split())
REFUNDING = frozenset("issue add process apply credit return release initiate".split())
REFUND = re.compile(r"\brefund", re.IGNORECASE)
_PAST = re.compile(
    r"ed$|^(?:found|seen|sent|made|paid|set|put|read|gone|got|taken)$", re.IGNORECASE
)
# a clause of prose; "that ", "which " or "who " with a blank before
_LONGEST_CLAUSE, _LONGEST_ADVICE, _LONGEST_RELATIVE = 300, 300, 8
_PATTERNS = (ACTIVE, MANAGED, PASSIVE, STATE, SHORT, HEADLESS, COMPLETED)
_SHORT = (SHORT, HEADLESS, COMPLETED)
"""Forms without an auxiliary or an agent."""
_FIRM = frozenset(
    "cancel void refund reimburse book reserve send delete transfer issue rollback".split()
)
"""Verbs of actions that are reported in few words."""
_FIRM_STATES = frozenset("cancel void refund reimburse delete".split())
"""Verbs of states that need a record; "it was booked" may repeat the time of a record."""
_NO_OBJECT = re.compile(
    r"\b(?:and|or|if|by|as|to|for|of|in|on|with|at|from|be|being|is|are|was|were|has|have|had|been"
    r"|get|got|it|you|i|we|they|he|she|who|not|no|never|any)\b",
    re.IGNORECASE,
)
"""Words of a longer sentence: before a participle they are no short report."""


class ClaimedAction(NamedTuple):
    """
    One action that a claim reports as done.

    Attributes:
        verb: Its verb, in the infinitive.
        text: Its wording in the claim.
        around: Its clause, which names the object.
        is_passive: Whether the claim leaves open who did it.
        is_talk: Whether it counts as an action only in a run without actions.
        is_state: Whether it may as well report a record.
        is_firm: Whether a state needs a record or a call.
        is_joint: Whether the subject is "we", who may have done it before the run.
    """

    verb: str
    text: str
    around: str
    is_passive: bool = False
    is_talk: bool = False
    is_state: bool = False
    is_joint: bool = False
    is_firm: bool = False


def claimed_actions(text: str) -> Iterator[ClaimedAction]:
    """
    Yield the actions that an English claim reports as done, without plans, offers and denials.

    >>> text = "I have cancelled the booking and I will send an email."
    >>> [claimed.verb for claimed in claimed_actions(text)]
    ['cancel']
    >>> [*claimed_actions("I can cancel it once you have confirmed. I found two flights.")]
    []
    """
    if text.rstrip(" *_\"')").endswith("?"):  # a question reports nothing: "I cancelled it?"
        return
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            is_joint = match[0][:2].casefold() == "we"
            if claimed := _claimed_action(text, match, pattern):
                yield claimed._replace(is_joint=is_joint)
            # a list "cancelled A and booked B" has its subject only once
            if pattern is ACTIVE and _PAST.search(match["verb"]) and _is_done(text, match):
                more = AND.finditer(text, match.end(), _clause_end(text, match))
                others = filter(None, (_claimed_action(text, one, ACTIVE) for one in more))
                yield from (other._replace(is_joint=is_joint) for other in others)


def _claimed_action(
    text: str, match: re.Match[str], pattern: re.Pattern[str]
) -> ClaimedAction | None:
    """Return the action of a match; None if it is talk, a plan or a description."""
    word = match["verb"].casefold()
    verb = infinitive(word) if pattern is not MANAGED else word if is_action(word) else ""
    if pattern is COMPLETED:
        verb = {**ACTION_NOUNS, **RESULT_NOUNS}[word]
    if not verb or not _is_done(text, match):
        return None
    if pattern in _SHORT:
        return _short(text, match, pattern, verb)
    passive = pattern in (PASSIVE, STATE)
    # in the passive voice the object stands before the verb
    before = text[_clause_start(text, match) : match.start()] if passive else ""
    around = before + text[match.start() : _clause_end(text, match)]
    if passive and verb in REFUNDING and REFUND.search(before):
        verb = "refund"  # it follows from a cancellation, whoever issues it
    claimed = ClaimedAction(
        verb, match[0].strip(" ,"), around, passive, False, pattern is STATE,
        is_firm=pattern is STATE and _is_firm(verb, match[0], around),
    )  # fmt: skip
    if verb not in _TALK or ("successfully" in match[0].casefold() and verb not in _NEVER_FIRM):
        return claimed
    is_own = verb in _BEGUN and not passive and not TALK_OBJECT.match(text, match.end())
    return claimed._replace(is_talk=True) if is_own else None


def _short(
    text: str, match: re.Match[str], pattern: re.Pattern[str], verb: str
) -> ClaimedAction | None:
    """Return the action of a match without an auxiliary; None for a description."""
    named = match["object"] if pattern is SHORT else ""
    if verb not in _FIRM or _NO_OBJECT.search(named):
        return None
    around = text[match.start() : _clause_end(text, match)]
    if verb == "issue" and not REFUND.search(around):
        return None
    verb = "refund" if verb == "issue" else verb
    passive = pattern is not HEADLESS
    wording = match[0].strip(" ,:;.!-*_\n")
    return ClaimedAction(verb, wording, around, passive, False, True, is_firm=True)


def _is_firm(verb: str, wording: str, around: str) -> bool:
    """Return whether a state needs a record; "are refunded" states a rule."""
    if wording.startswith(("are", "were")):
        return False
    return verb in _FIRM_STATES or (verb == "send" and OWN_NOTICE.search(around) is not None)


def _is_done(text: str, match: re.Match[str]) -> bool:
    first = max(0, match.start() - _LONGEST_RELATIVE)
    if RELATIVE.search(text, first, match.start()):
        return False
    # farther back than the clause, as advice often covers a list of steps
    if ADVICE.search(text, max(0, match.start() - _LONGEST_ADVICE), match.start()):
        return False
    return CONDITION.search(text, _clause_start(text, match), match.end()) is None


def _clause_start(text: str, match: re.Match[str]) -> int:
    first = max(0, match.start() - _LONGEST_CLAUSE)
    # searched forwards for the last one, as `re` cannot search backwards
    ends = [clause.end() for clause in CLAUSE.finditer(text, first, match.start())]
    return ends[-1] if ends else first


def _clause_end(text: str, match: re.Match[str]) -> int:
    last = match.end() + _LONGEST_CLAUSE
    end = CLAUSE_END.search(text, match.end(), last)
    return end.start() if end else last

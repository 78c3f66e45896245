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
    CONDITION,
    MANAGED,
    PASSIVE,
    RELATIVE,
    STATE,
    TALK_OBJECT,
)
from abs_shield.text.verbs import SPEECH_VERBS, infinitive, is_action

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
_PATTERNS = (ACTIVE, MANAGED, PASSIVE, STATE)


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
        is_joint: Whether the subject is "we", who may have done it before the run.
    """

    verb: str
    text: str
    around: str
    is_passive: bool = False
    is_talk: bool = False
    is_state: bool = False
    is_joint: bool = False


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
    if not verb or not _is_done(text, match):
        return None
    passive = pattern in (PASSIVE, STATE)
    # in the passive voice the object stands before the verb
    before = text[_clause_start(text, match) : match.start()] if passive else ""
    around = before + text[match.start() : _clause_end(text, match)]
    if passive and verb in REFUNDING and REFUND.search(before):
        verb = "refund"  # it follows from a cancellation, whoever issues it
    claimed = ClaimedAction(verb, match[0].strip(" ,"), around, passive, False, pattern is STATE)
    if verb not in _TALK or ("successfully" in match[0].casefold() and verb not in _NEVER_FIRM):
        return claimed
    is_own = verb in _BEGUN and not passive and not TALK_OBJECT.match(text, match.end())
    return claimed._replace(is_talk=True) if is_own else None


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

"""The verbs of deeds: which there are, how their past is written, and which are often only talk."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from abs_shield.plan.verbs import VERBS, deed

_SPOKEN = frozenset(
    "accept note draft write generate make build mark show label flag detach like hold run clear "
    "follow look test watch access put set convert share leave define select filter attach pin tag "
    "bookmark allow abort give take begin handle adjust".split()
)
"""What somebody thinks, reads or writes in the answer itself."""
BEGUN = frozenset(
    "start stop open close release order file post process complete trigger call fix merge sign "
    "pair admit resume pause apply arrange inform initiate".split()
)
"""Deeds of whoever says so himself, in a run that only looked; said otherwise they may be talk."""
TALK = _SPOKEN | BEGUN | frozenset("confirm save log record return request deliver".split())
"""Verbs that also say what is no deed."""
RARE = frozenset(
    "renew discharge dispatch prescribe ship reroute onboard waive reimburse redeem redirect repay "
    "expedite escalate restart reboot dispute credit debit bill contact repair invest sell "
    "postpone roll authorize authorise compensate merge sign pair deliver initiate complete "
    "file inform arrange fix adjust handle give take begin".split()
)
"""Verbs of deeds that name few tools."""
BOOKED = frozenset("credit debit bill dispute repair".split())
"""Of these, what a record calls after itself: ``type: credit``."""
ENDED = frozenset("cancel delete erase refund reimburse terminate revoke void".split())
"""What is a deed however it is told: ``your booking is cancelled``."""
PAST = {
    "sent": "send", "made": "make", "bought": "buy", "paid": "pay", "put": "put", "set": "set",
    "built": "build", "drew": "draw", "withdrawn": "withdraw", "withdrew": "withdraw",
    "undone": "undo", "undid": "undo", "frozen": "freeze", "froze": "freeze", "lent": "lend",
    "reset": "reset", "held": "hold", "written": "write", "wrote": "write", "shut": "close",
    "rebooked": "book", "resent": "send", "emailed": "send", "mailed": "send", "messaged": "send",
    "texted": "send", "forwarded": "forward", "wired": "transfer", "refunded": "refund",
    "rescheduled": "reschedule", "cancelled": "cancel", "canceled": "cancel", "sold": "sell",
    "given": "give", "taken": "take", "begun": "begin", "run": "run",
}  # fmt: skip
"""Past forms that no rule gives."""


@lru_cache(maxsize=4096)
def infinitive(word: str) -> str:
    """
    Give the verb of a deed of which *word* is the past form; empty where there is none.

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
    return next((form for form in forms if is_deed(form)), "")


def is_deed(verb: str) -> bool:
    """
    Whether a verb, in the infinitive, says more than looking.

    >>> is_deed("cancel"), is_deed("waive"), is_deed("check")
    (True, True, False)
    """
    told = deed(verb)
    return verb in RARE or (told.verb == verb and told.does.writes)


def past_forms() -> Iterator[str]:
    """Give the past forms of the deeds that are not merely spoken."""
    yield from (word for word, verb in PAST.items() if verb not in _SPOKEN)
    for verb in (VERBS | RARE) - _SPOKEN:
        if is_deed(verb):
            yield from _regular(verb)


def _regular(verb: str) -> Iterator[str]:
    if verb.endswith("e"):
        yield f"{verb}d"
    elif verb.endswith("y") and verb[-2] not in "aeiou":
        yield f"{verb[:-1]}ied"
    else:
        yield f"{verb}ed"
        yield f"{verb}{verb[-1]}ed"

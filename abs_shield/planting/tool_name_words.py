"""Verbs and nouns of tool names for planting; the layers have their own, independent lists."""

from __future__ import annotations

import re

from abs_shield.text.identifier_words import name_words

_LAST = re.compile(r"[./:]|__")  # a namespace stands before the last mark
READING = frozenset("get list search find read show view check query fetch lookup retrieve".split())
CREATING = frozenset("create register make sign insert generate new open reset enroll run".split())
UPDATING = frozenset("update set change modify edit adjust configure rename reschedule".split())
REMOVING = frozenset("delete remove cancel terminate destroy erase revoke".split())
_MAKING = frozenset("create add new insert upload schedule post save".split())
# what is booked can be cancelled, but not deleted or removed
_BOOKING = _MAKING | frozenset("book reserve order place buy".split())
UNDONE_BY = {
    "delete": _MAKING | UPDATING,
    "remove": _MAKING | frozenset("invite assign attach share".split()),
    "cancel": _BOOKING | UPDATING,
    "unsubscribe": frozenset({"subscribe"}),
    "disable": frozenset({"enable"}),
    "enable": frozenset({"disable"}),
    "deactivate": frozenset({"activate"}),
    "activate": frozenset({"deactivate"}),
    "unfollow": frozenset({"follow"}),
    "unlike": frozenset({"like"}),
    "unlock": frozenset({"lock"}),
    "lock": frozenset({"unlock"}),
    "revoke": frozenset({"grant"}),
    "unassign": frozenset({"assign"}),
    "detach": frozenset({"attach"}),
    "unpin": frozenset({"pin"}),
}
"""The verbs that each verb undoes."""
_NOUNS = frozenset("order book post place list query show set share check view find".split())
"""Verbs that are as often nouns."""
_VERBS = (
    READING | CREATING | UPDATING | REMOVING | _BOOKING | UNDONE_BY.keys()
    | frozenset().union(*UNDONE_BY.values())
)  # fmt: skip


def verb_of(tool: str) -> str:
    """
    Return the verb in a tool's name, or an empty text.

    The first verb counts, except words that are as often nouns.

    >>> verb_of("calendar.delete_event"), verb_of("CRM_updateContact"), verb_of("weather")
    ('delete', 'update', '')
    >>> verb_of("order_cancel"), verb_of("order_pizza")
    ('cancel', 'order')
    """
    # the first verb, unless it may be a noun: `order_cancel` cancels
    verbs = [word for word in _words(tool) if word in _VERBS]
    return next((verb for verb in verbs if verb not in _NOUNS), verbs[0] if verbs else "")


def nouns_of(tool: str) -> frozenset[str]:
    """
    Return the other words of a tool's name.

    >>> sorted(nouns_of("calendar.delete_event")), sorted(nouns_of("update_order"))
    (['event'], ['order'])
    """
    return frozenset(_words(tool)) - {verb_of(tool)}


def _words(tool: str) -> tuple[str, ...]:
    return name_words(_LAST.split(tool)[-1])

"""The verbs of tool names, as far as planting needs them; the layers read names by their own."""

from __future__ import annotations

import re

from abs_shield.text.names import name_words

_LAST = re.compile(r"[./:]|__")
READING = frozenset("get list search find read show view check query fetch lookup retrieve".split())
CREATING = frozenset("create register make sign insert generate new open reset enroll".split())
UPDATING = frozenset("update set change modify edit adjust configure rename reschedule".split())
REMOVING = frozenset("delete remove cancel terminate destroy erase revoke".split())
_MAKING = frozenset("create add new insert upload schedule post save".split())
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
"""A verb to the verbs of what it takes back."""
_VERBS = (
    READING | CREATING | UPDATING | REMOVING | _BOOKING | UNDONE_BY.keys()
    | frozenset().union(*UNDONE_BY.values())
)  # fmt: skip


def verb_of(tool: str) -> str:
    """
    Return the first verb in a tool's name; empty where there is none.

    >>> verb_of("calendar.delete_event"), verb_of("CRM_updateContact"), verb_of("weather")
    ('delete', 'update', '')
    """
    return next((word for word in _words(tool) if word in _VERBS), "")


def nouns_of(tool: str) -> frozenset[str]:
    """
    Return the other words of a tool's name.

    >>> sorted(nouns_of("calendar.delete_event"))
    ['event']
    """
    return frozenset(_words(tool)) - _VERBS


def _words(tool: str) -> tuple[str, ...]:
    return name_words(_LAST.split(tool)[-1])

"""Synonyms in the names of tools."""

from __future__ import annotations

_GROUPS = (
    "send transmit dispatch deliver forward",
    "list show get fetch read view retrieve display see load obtain pull",
    "find search query lookup locate seek",
    "create make add new generate insert build produce",
    "delete erase remove destroy drop purge discard",
    "update change modify edit set alter amend revise adjust patch",
    "buy purchase book order reserve acquire",
    "cancel abort revoke void withdraw",
    "start begin launch run execute trigger invoke",
    "stop end halt terminate kill",
    "compute calculate evaluate",
    "write save store put",
    "close finish complete",
    "assign allocate",
    "check verify validate confirm",
    "message msg text sms",
    "email mail",
    "file document doc",
    "user account customer client member",
    "money fund funds payment cash",
    "info detail details information data",
    "photo image picture",
    "folder directory",
    "database db",
    "repo repository",
)
_CANONICAL = {word: row.split()[0] for row in _GROUPS for word in row.split()}


def canonical(word: str) -> str:
    """
    Return the representative of a word's synonyms; *word* itself if it has none.

    >>> canonical("erase"), canonical("refund")
    ('delete', 'refund')
    """
    return _CANONICAL.get(word, word)


# Meanings of reads: to suggest a read instead of an action does no harm.
_HARMLESS = frozenset({"list", "find", "check", "compute"})


def have_different_meanings(one: str, other: str) -> bool:
    """
    Return whether *other* has another known meaning than *one*, and is not a mere read.

    >>> [have_different_meanings("erase", other) for other in ("create", "delete", "read")]
    [True, False, False]
    """
    meant = _CANONICAL.get(other)
    return one in _CANONICAL and meant not in (None, _CANONICAL[one]) and meant not in _HARMLESS

"""Which action one call of a tool can have carried out, by its name and arguments."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from abs_shield.answer.evidence.types import ExecutedAction
from abs_shield.plan.verbs import also_writes, commanded, deed
from abs_shield.text.leaves import leaves, scalar_text
from abs_shield.text.names import name_words
from abs_shield.text.stem import stem
from abs_shield.text.synonyms import canonical
from abs_shield.text.values.figure import ID, SUMS
from abs_shield.text.values.ids import id_key
from abs_shield.text.values.reader import figures
from abs_shield.text.verbs import CLASSES, FAMILIES, SENDING, Does, infinitive

_BROAD = frozenset(
    "remove hold share replace patch fix approve start reset resume restore reschedule close end "
    "discard return".split()
)
"""Verbs of a family that a call outside of it may mean as well: an update may remove."""
_ACTIONS = {
    "cancellation": "cancel", "deletion": "delete", "removal": "remove", "approval": "approve",
    "registration": "register", "refund": "refund", "reimbursement": "reimburse",
    "compensation": "compensate", "dispute": "dispute", "restart": "restart", "reboot": "reboot",
    "renewal": "renew", "notification": "notify", "merge": "merge", "rollback": "rollback",
}  # fmt: skip
"""Nouns of actions: ``create_cancellation`` cancels."""
_THINGS = {
    "payment": "pay", "invoice": "bill", "reservation": "reserve", "booking": "book",
    "appointment": "book", "shipment": "ship", "delivery": "deliver", "sms": "text",
    "trade": "sell", "signature": "sign", "subscription": "subscribe",
}  # fmt: skip
"""Nouns of what an action yields: ``submit_payment`` pays, ``update_payment`` does not."""
_PRICED = frozenset(
    "payment price amount fee refund transaction certificate voucher invoice cost charge money "
    "fund cash".split()
)
_PAYING = frozenset(
    "pay charge bill debit settle refund reimburse credit compensate transfer deposit".split()
)
_GENERIC = frozenset("execute run call process trigger submit request upsert place".split())
"""Verbs that leave it to the rest of a name what is done."""
_SENT_AS = frozenset("invite issue post update".split())
"""Verbs by which a message may be named: "I've updated the team"."""
_HTTP = frozenset("post put patch".split())
_MOST_LEAVES = 400
_LONGEST_WORD, _LONGEST_VALUE, _LONGEST_TEXT = 30, 64, 1_000
_TOKEN = re.compile(r"[\w./:#@+-]{1,64}")


class Call:
    """
    One call that did something, or failed to.

    Args:
        action: The call.
    """

    def __init__(self, action: ExecutedAction) -> None:
        arguments = action.arguments if isinstance(action.arguments, dict) else {}
        words = name_words(action.tool)
        nouns = {_ACTIONS[word] for word in words if word in _ACTIONS}
        ordered = commanded(arguments)
        read = ordered or deed(action.tool)
        named = {_THINGS.get(word, word) for word in words} & FAMILIES.keys() | nouns
        verbs = {read.verb, also_writes(action.tool) if ordered is None else ""} - {""} | nouns
        if read.verb in _GENERIC or read.mints:
            verbs |= named
        generic = read.verb in _GENERIC or (ordered is not None and read.verb in _HTTP)
        self.tool = action.tool
        self.returned = action.value is not None
        self.nouns = frozenset(map(stem, read.noun))
        self._action = action
        self._does = read.does
        self._is_opaque = not read.verb or (generic and not named)
        self._sends = bool(verbs) and verbs <= SENDING
        self._words = {*verbs, *_verbs_in(arguments)}
        self._names = {canonical(verb) for verb in verbs}
        self._families = frozenset[int]().union(*(FAMILIES.get(verb, ()) for verb in verbs))
        if not _PRICED.isdisjoint(words):
            self._families -= FAMILIES["notify"]  # `send_money` sends no message
        self._is_priced = not _PRICED.isdisjoint({*words, *_keys_of(arguments)})

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids among its arguments, as they are compared."""
        return frozenset(_ids_in(self._action.arguments))

    @cached_property
    def returned_ids(self) -> frozenset[str]:
        """The ids in its result."""
        return frozenset(_ids_in(self._action.value))

    @cached_property
    def fields(self) -> dict[str, set[str]]:
        """The words that its arguments consist of, each under the name of its field."""
        found: dict[str, set[str]] = defaultdict(set)
        for path, leaf in leaves(self._action.arguments, most=_MOST_LEAVES):
            text = scalar_text(leaf) or ""
            if _TOKEN.fullmatch(text):
                name = next((step for step in reversed(path) if isinstance(step, str)), "")
                found[name].add(text.casefold())
        return found

    def is_related(self, verb: str) -> bool:
        """Return whether it says, or implies, what a verb says."""
        if canonical(verb) in self._names or verb in self._words:
            return True
        if self._is_priced and verb in _PAYING:
            return True
        return not self._families.isdisjoint(FAMILIES.get(verb, ()))

    def can_be(self, verb: str) -> bool:
        """Return whether it can be what a verb says was done."""
        if self._is_opaque or self.is_related(verb):
            return True
        does = CLASSES.get(verb, Does.ACT)
        if self._sends and does in (Does.MAKE, Does.UNMAKE, Does.CHANGE):
            return verb in _SENT_AS and not (verb == "update" and self._is_priced)
        if does is self._does and does in (Does.MAKE, Does.UNMAKE):
            return True
        if verb in FAMILIES and verb not in _BROAD:
            return False
        return Does.ACT in (does, self._does) or Does.CHANGE in (does, self._does)


def _verbs_in(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the verbs that arguments of one word name: ``{"status": "cancelled"}``."""
    for _, leaf in leaves(arguments, most=_MOST_LEAVES):
        text = (scalar_text(leaf) or "").casefold()
        if text.isalpha() and len(text) <= _LONGEST_WORD:
            yield infinitive(text) or text


def _keys_of(arguments: Mapping[str, Any]) -> Iterator[str]:
    for name in list(arguments)[:_MOST_LEAVES]:
        yield from name_words(str(name))


def _ids_in(value: Any) -> Iterator[str]:
    for _, leaf in leaves(value, most=_MOST_LEAVES):
        for one in figures((scalar_text(leaf) or "")[:_LONGEST_TEXT]):
            if (one.kind == ID and not one.soft) or (one.kind in SUMS and len(one.text) > 3):
                yield id_key(one.text)

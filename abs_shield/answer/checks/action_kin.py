"""Which calls can be what a deed's verb speaks of, by what their names and arguments say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from abs_shield.answer.checks.action_verbs import infinitive
from abs_shield.plan.verbs import Does, also_writes, commanded, deed
from abs_shield.text.leaves import leaves, scalar_text
from abs_shield.text.names import name_words
from abs_shield.text.synonyms import canonical

_ROWS = (
    "refund reimburse repay credit compensate return cancel void dispute",
    "ship dispatch reship deliver forward send fulfil fulfill",
    "pay charge bill debit settle buy purchase order book reserve transfer deposit withdraw invest "
    "sell checkout",
    "book reserve order buy purchase schedule hire rent hold reschedule",
    "send email mail message notify text forward transmit dispatch deliver share reply contact "
    "inform",
    "cancel void abort revoke withdraw rescind terminate end delete remove erase purge destroy "
    "discard",
    "restart reboot start reset resume launch",
    "repair fix replace patch",
    "prescribe order",
    "merge close",
    "sign approve",
    "roll rollback revert undo restore",
)
_KIN: dict[str, frozenset[int]] = {
    word: frozenset(n for n, row in enumerate(_ROWS) if word in row.split())
    for word in " ".join(_ROWS).split()
}
_CHANGING = frozenset(
    "remove hold share replace patch fix approve start reset resume restore reschedule close end "
    "discard return".split()
)
"""Of these, what a call that only says to change something may do as well."""
_OWN = frozenset(_KIN) - _CHANGING
"""Deeds that need a call of their own kind."""
_ACTS = {
    "cancellation": "cancel", "deletion": "delete", "removal": "remove", "approval": "approve",
    "registration": "register", "refund": "refund", "reimbursement": "reimburse",
    "compensation": "compensate", "dispute": "dispute", "restart": "restart", "reboot": "reboot",
    "renewal": "renew", "notification": "notify", "merge": "merge", "rollback": "rollback",
}  # fmt: skip
"""Nouns of deeds: ``create_cancellation`` cancels."""
_THINGS = {
    "payment": "pay", "invoice": "bill", "reservation": "reserve", "booking": "book",
    "appointment": "book", "shipment": "ship", "delivery": "deliver", "sms": "text",
    "trade": "sell", "signature": "sign", "subscription": "subscribe",
}  # fmt: skip
"""Nouns of what a deed brings about: ``submit_payment`` pays, ``update_payment`` does not."""
_PRICED = frozenset(
    "payment price amount fee refund transaction certificate voucher invoice cost charge money "
    "fund cash".split()
)
_PAYING = frozenset(
    "pay charge bill debit settle refund reimburse credit compensate transfer deposit".split()
)
_ANYTHING = frozenset("execute run call process trigger submit request upsert place".split())
"""Verbs that leave it to the rest of a name what is done."""
_SENT = frozenset("post put patch".split())
"""A request of these may ask a service for anything."""
_MOST_WORDS = 400
_LONGEST = 30


class Kin:
    """
    What one call can have done.

    Args:
        tool: Its tool.
        arguments: Its arguments, in JSON's shape.
    """

    def __init__(self, tool: str, arguments: Any) -> None:
        given = arguments if isinstance(arguments, dict) else {}
        words = name_words(tool)
        acts = {_ACTS[word] for word in words if word in _ACTS}
        ordered = commanded(given)
        told = ordered or deed(tool)
        told_too = also_writes(tool) if ordered is None else ""
        self.verb = told.verb
        self._does = told.does
        named = {_THINGS.get(word, word) for word in words} & _KIN.keys() | acts
        generic = told.verb in _ANYTHING or (ordered is not None and told.verb in _SENT)
        self._verbs = {word for word in (told.verb, told_too) if word} | acts
        if told.verb in _ANYTHING or told.mints:
            self._verbs |= named
        self._opaque = not told.verb or (generic and not named)
        self._words = {*self._verbs, *_said_in(given)}
        self._rows = frozenset[int]().union(*(_KIN.get(verb, ()) for verb in self._verbs))
        self._priced = not _PRICED.isdisjoint({*words, *_keys(given)})

    def same(self, verb: str) -> bool:
        """Whether its own verb is the one that is said."""
        return canonical(verb) in {canonical(one) for one in self._verbs} or verb in self._words

    def close(self, verb: str) -> bool:
        """Whether it says, or implies, what is said."""
        if self.same(verb) or (self._priced and verb in _PAYING):
            return True
        return not self._rows.isdisjoint(_KIN.get(verb, ()))

    def could(self, verb: str) -> bool:
        """Whether it can be what the verb speaks of."""
        if self._opaque or self.close(verb):
            return True
        does = deed(verb).does
        if does is self._does and does in (Does.MAKE, Does.UNMAKE):
            return True
        if verb in _OWN:
            return False
        return Does.ACT in (does, self._does) or Does.CHANGE in (does, self._does)


def _said_in(arguments: Mapping[str, Any]) -> Iterator[str]:
    """The verbs that arguments of one word say: ``{"status": "cancelled"}``."""
    for _, leaf in leaves(arguments, most=_MOST_WORDS):
        text = (scalar_text(leaf) or "").casefold()
        if text.isalpha() and len(text) <= _LONGEST:
            yield infinitive(text) or text


def _keys(arguments: Mapping[str, Any]) -> Iterator[str]:
    for name in list(arguments)[:_MOST_WORDS]:
        yield from name_words(str(name))

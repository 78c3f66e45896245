"""Actions that results report as done: a state, the time of one, or the record of one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from abs_shield.answer.checks.action_calls import PAYING, ids_in
from abs_shield.text.leaves import leaves
from abs_shield.text.names import name_words
from abs_shield.text.verbs import ACTIONS, SAME, YIELDS, infinitive

_MOMENTS = frozenset("at on date time by datetime timestamp".split())
_RECORDS = {
    **ACTIONS, **YIELDS, "refunds": "refund", "payments": "pay", "invoices": "bill",
    "shipments": "ship", "bookings": "book", "fee": "charge", "charge": "charge",
    "charges": "charge", "surcharge": "charge", "penalty": "charge", "credit": "credit",
    "transfer": "transfer", "transfers": "transfer",
}  # fmt: skip
"""Nouns of records, and the action that each one records."""
_PARTS = frozenset(
    "id amount number date at on status state total ref reference issued made paid value sum usd "
    "eur gbp cents currency price difference charged".split()
)
"""Words of a record's fields that make it no other thing: ``refund_amount``, ``refund_policy``."""
_DIFFERENCE = ("charge", "refund")
_UNDONE = frozenset(
    "failed pending none denied rejected declined requested processing cancelled canceled open "
    "due unpaid scheduled expected planned eligible available possible waived".split()
)
"""States of a record whose action was not done."""
_NO = frozenset("no none null false n/a not-applicable -".split())
_LONGEST_STATE, _MOST_WORDS, _MOST_LEAVES = 40, 2, 400
_MOST_OF_OWN = 12
"""Leaves of a result that tells what its call did, rather than all that is known of a record."""
_DIGIT = re.compile(r"[1-9]")


class ReportedActions:
    """
    The verbs of what some values report as done, each with the ids of its record.

    Args:
        values: Results in JSON's shape.
    """

    def __init__(self, values: Iterable[Any]) -> None:
        self._ids: dict[str, list[frozenset[str]]] = defaultdict(list)
        for value in values:
            own: dict[int, frozenset[str]] = {}
            for path, leaf in leaves(value, most=_MOST_LEAVES):
                for verb in {*_verbs(value, path, leaf)}:
                    self._ids[verb].append(_ids_on(value, path, own))

    def has(self, verb: str, ids: frozenset[str] = frozenset()) -> bool:
        """
        Return whether an action is reported, of a record that may have one of some ids.

        >>> reported = ReportedActions([{"id": "O1", "refund": {"amount": 20}}])
        >>> reported.has("refund"), reported.has("cancel")
        (True, False)
        """
        records = (one for word in SAME.get(verb, {verb}) for one in self._ids.get(word, ()))
        return any(not ids or not own or not ids.isdisjoint(own) for own in records)


def is_short(value: Any) -> bool:
    """Return whether a result is so short that it tells what its own call did."""
    return len([*leaves(value, most=_MOST_OF_OWN + 1)]) <= _MOST_OF_OWN


def _verbs(value: Any, path: tuple[Any, ...], leaf: Any) -> Iterator[str]:
    """Yield the verbs of what one leaf reports."""
    if not leaf or (isinstance(leaf, str) and leaf.strip().casefold() in _NO):
        return
    names = [name_words(step) for step in path if isinstance(step, str)]
    last = names[-1] if names else ()
    if isinstance(leaf, str) and len(leaf) <= _LONGEST_STATE:
        yield from _of_state(name_words(leaf), names)
    if leaf is True or (len(last) > 1 and last[-1] in _MOMENTS):
        yield from filter(None, map(infinitive, last))
    if leaf is True or not isinstance(leaf, str) or _DIGIT.search(leaf):
        yield from _of_record(value, path, names)


def _of_state(words: tuple[str, ...], names: list[tuple[str, ...]]) -> Iterator[str]:
    """Yield the verb of a state: "cancelled", "fully refunded"."""
    if words and (len(words) == 1 or (len(words) == _MOST_WORDS and words[0].endswith("ly"))):
        verb = infinitive(words[-1])
        is_of_money = any(_RECORDS.get(step[0]) in PAYING for step in names if step)
        if verb and (verb in PAYING or not is_of_money):
            yield verb  # a payment that was sent is no order that was sent


def _of_record(value: Any, path: tuple[Any, ...], names: list[tuple[str, ...]]) -> Iterator[str]:
    """Yield the verb of a record that the names on the way to a leaf name."""
    named = [words for words in names if words and {*words[1:]} <= _PARTS]
    verbs = [_RECORDS[words[0]] for words in named if words[0] in _RECORDS]
    if any("difference" in words and words[0] in _PARTS for words in named):
        verbs += _DIFFERENCE
    if verbs and not _is_undone(_parent(value, path)):
        yield from verbs


def _is_undone(record: Any) -> bool:
    """Return whether a state of a record says that its action was not done."""
    states = {str(one).casefold() for name, one in _fields(record) if _is_state(name)}
    return not states.isdisjoint(_UNDONE)


def _is_state(name: str) -> bool:
    return name_words(name)[-1:] in (("status",), ("state",))


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((str(name), one) for name, one in list(value.items())[:_MOST_LEAVES])


def _parent(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path[:-1]:
        value = value[step]
    return value


def _ids_on(value: Any, path: tuple[Any, ...], own: dict[int, frozenset[str]]) -> frozenset[str]:
    """
    Return the ids that stand beside a leaf, or beside what it is a part of.

    Args:
        value: The result.
        path: Where the leaf is.
        own: The ids of each part of the result, as far as they were read.
    """
    found = frozenset[str]()
    for step in path:
        if id(value) not in own:
            scalars = [one for _, one in _fields(value) if not isinstance(one, (list, dict))]
            own[id(value)] = frozenset(ids_in(scalars))
        found |= own[id(value)]
        value = value[step]
    return found

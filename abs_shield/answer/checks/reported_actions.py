"""Actions that results report as done: by a state, a time, or a record of the action."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from abs_shield.answer.checks.action_calls import PAYING, ids_in
from abs_shield.text.identifier_words import name_words
from abs_shield.text.json_leaves import leaves
from abs_shield.text.verbs import ACTION_NOUNS, EQUIVALENT_VERBS, RESULT_NOUNS, infinitive

_MOMENTS = frozenset("at on date time by datetime timestamp".split())
_RECORDS = {
    **ACTION_NOUNS, **RESULT_NOUNS, "refunds": "refund", "payments": "pay", "invoices": "bill",
    "shipments": "ship", "bookings": "book", "fee": "charge", "charge": "charge",
    "charges": "charge", "surcharge": "charge", "penalty": "charge", "credit": "credit",
    "transfer": "transfer", "transfers": "transfer",
}  # fmt: skip
"""Nouns of records, and the action that each records."""
_PARTS = frozenset(
    "id amount number date at on status state total ref reference issued made paid value sum usd "
    "eur gbp cents currency price difference charged".split()
)
"""Words of fields of the record itself: ``refund_amount``, but not ``refund_policy``."""
# a difference may have been charged or refunded, depending on its sign
_DIFFERENCE = ("charge", "refund")
_UNDONE = frozenset(
    "failed pending none denied rejected declined requested processing cancelled canceled open "
    "due unpaid scheduled expected planned eligible available possible waived".split()
)
"""States of a record whose action was not done."""
_NO = frozenset("no none null false n/a not-applicable -".split())
# a state has one word, or two with an adverb; a longer text is a description
_LONGEST_STATE, _MOST_WORDS, _MOST_LEAVES = 40, 2, 400
# an id, an amount, a state and a few more
_MOST_OF_OWN = 12
"""Leaves of a result that reports its own call; a longer one describes a whole record."""
_DIGIT = re.compile(r"[1-9]")  # a text without a digit from 1 is no amount, date or id


class ReportedActions:
    """
    The verbs of the actions that some values report, each with the ids of its record.

    Args:
        values: Results as JSON values.
    """

    def __init__(self, values: Iterable[Any]) -> None:
        self._ids: dict[str, list[frozenset[str]]] = defaultdict(list)
        for value in values:
            own: dict[int, frozenset[str]] = {}
            for path, leaf in leaves(value, most=_MOST_LEAVES):
                for verb in {*_verbs(value, path, leaf)}:
                    self._ids[verb].append(_ids_beside(value, path, own))

    def has(self, verb: str, ids: frozenset[str] = frozenset()) -> bool:
        """
        Return whether an action is reported for a record that may have one of *ids*.

        >>> reported = ReportedActions([{"id": "O1", "refund": {"amount": 20}}])
        >>> reported.has("refund"), reported.has("cancel")
        (True, False)
        """
        records = (
            one for word in EQUIVALENT_VERBS.get(verb, {verb}) for one in self._ids.get(word, ())
        )
        # without ids on either side it may be the same record
        return any(not ids or not own or not ids.isdisjoint(own) for own in records)


def is_short(value: Any) -> bool:
    """Return whether a result is short enough to report only its own call."""
    # one more than the bound shows that there are more; a large result is not read whole
    return len([*leaves(value, most=_MOST_OF_OWN + 1)]) <= _MOST_OF_OWN


def _verbs(value: Any, path: tuple[Any, ...], leaf: Any) -> Iterator[str]:
    """Yield the verbs of the actions that one leaf reports."""
    if not leaf or (isinstance(leaf, str) and leaf.strip().casefold() in _NO):
        return
    names = [name_words(step) for step in path if isinstance(step, str)]
    last = names[-1] if names else ()
    if isinstance(leaf, str) and len(leaf) <= _LONGEST_STATE:
        yield from _state_verbs(name_words(leaf), names)
    if leaf is True or (len(last) > 1 and last[-1] in _MOMENTS):
        yield from filter(None, map(infinitive, last))
    if leaf is True or not isinstance(leaf, str) or _DIGIT.search(leaf):
        yield from _record_verbs(value, path, names)


def _state_verbs(words: tuple[str, ...], names: list[tuple[str, ...]]) -> Iterator[str]:
    """Yield the verb of a state: "cancelled", "fully refunded"."""
    if words and (len(words) == 1 or (len(words) == _MOST_WORDS and words[0].endswith("ly"))):
        verb = infinitive(words[-1])
        # a field beside a payment has the payment's state, not the order's
        is_of_money = any(_RECORDS.get(step[0]) in PAYING for step in names if step)
        if verb and (verb in PAYING or not is_of_money):
            yield verb  # a sent payment is not a sent order


def _record_verbs(value: Any, path: tuple[Any, ...], names: list[tuple[str, ...]]) -> Iterator[str]:
    """Yield the verb of a record named on the path to a leaf."""
    record_names = [words for words in names if words and {*words[1:]} <= _PARTS]
    verbs = [_RECORDS[words[0]] for words in record_names if words[0] in _RECORDS]
    if any("difference" in words and words[0] in _PARTS for words in record_names):
        verbs += _DIFFERENCE
    if verbs and not _is_undone(_parent(value, path)):
        yield from verbs


def _is_undone(record: Any) -> bool:
    """Return whether a record's state says that its action was not done."""
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


def _ids_beside(
    value: Any, path: tuple[Any, ...], own: dict[int, frozenset[str]]
) -> frozenset[str]:
    """
    Return the ids beside a leaf, or beside an object that contains it.

    Args:
        value: The result.
        path: The path to the leaf.
        own: Cache of the ids of each part of the result.
    """
    ids = frozenset[str]()
    for step in path:
        # by identity, as equal parts at other places may have other ids beside them
        if id(value) not in own:
            scalars = [one for _, one in _fields(value) if not isinstance(one, (list, dict))]
            own[id(value)] = frozenset(ids_in(scalars))
        ids |= own[id(value)]
        value = value[step]
    return ids

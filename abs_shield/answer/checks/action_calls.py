"""Matching of one executed call to action verbs, by its name and arguments."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from typing import Any

from abs_shield.answer.checks.action_objects import (
    WRITTEN,
    are_abbreviated,
    object_words,
    share_word,
)
from abs_shield.answer.checks.action_patterns import MESSAGE
from abs_shield.answer.evidence.evidence_passages import ExecutedAction
from abs_shield.answer.evidence.record_paths import counts_pieces, names_money
from abs_shield.plan.tool_action import find_second_write_verb, parse_action, parse_action_argument
from abs_shield.text.exact_values import amount
from abs_shield.text.identifier_words import canonical, name_words
from abs_shield.text.json_leaves import leaves, name_of, scalar_text
from abs_shield.text.stem import stem
from abs_shield.text.values.figure import ID, SUMS
from abs_shield.text.values.figure_reader import figures
from abs_shield.text.values.number_values import id_key
from abs_shield.text.verbs import (
    ACTION_NOUNS,
    RELATED_VERBS,
    RESULT_NOUNS,
    SENDING_VERBS,
    VERB_EFFECTS,
    VERB_FAMILIES,
    VerbEffect,
    infinitive,
    is_tool_verb,
)

# such verbs may be part of any change, so that they do not contradict another call
_BROAD = frozenset(
    "remove hold share replace patch fix approve start reset resume restore reschedule close end "
    "discard return".split()
)
"""Verbs that calls outside of their family may mean as well: an update may remove."""
_PRICED = frozenset(
    "payment price amount fee refund transaction certificate voucher invoice cost charge money "
    "fund cash".split()
)
PAYING = frozenset(
    "pay charge bill debit settle refund reimburse credit compensate transfer deposit".split()
)
_GENERIC = frozenset("apply execute run call process trigger submit request upsert place".split())
"""Verbs that do not say what is done; the rest of the tool's name does."""
_SENT_AS = frozenset("invite issue post update".split())
"""Verbs that may describe sending a message: "I've updated the team"."""
_SENT_BY = frozenset("add create make generate schedule publish move put book".split())
"""Verbs that describe sending or paying with a fitting object: "I've scheduled the payment"."""
# in an argument, a method of HTTP is not what the call does
_HTTP = frozenset("post put patch".split())
_PLAIN = frozenset(
    "create add make new generate insert update change modify edit set alter revise adjust put "
    "correct amend".split()
)
"""Verbs whose meaning depends on the noun: alone they do not cancel, send or pay."""
_BOOKED = frozenset(
    "booking reservation appointment event meeting flight trip slot visit pickup delivery".split()
)
_BOOKING = frozenset("book reserve schedule reschedule postpone".split())
"""Verbs for changing a booking: "I rebooked you"."""
_SENT = re.compile(
    r"[$\u20ac\u00a3\u00a5]|\b(?:e-?mail|mail|message|sms|text|note|newsletter|notification|notice"
    r"|reply|response|answer|reminder|payment|transfer|transaction|refund|deposit|money|funds?"
    r"|amount|bill|invoice|usd|eur|gbp|chf|euros?|dollars?|pounds?)(?:s|es)?\b"
    r"|ed[ ]\d[\d.,]*[ ](?:back[ ])?(?:to|into|from)\b",
    re.IGNORECASE,
)
"""Objects that a call that sends or pays may have made, moved or scheduled."""
_AND = re.compile(r",\s|\sand\s")
_PAID = frozenset("amount amount_usd amount_eur payment value sum".split())
"""Names of arguments with the amount paid; a price is left out, since it may be of one item."""
_MOVED = {"transfer": "move", "forward": "move"}
"""Verbs that mean moving a thing if neither money nor a message is sent."""
# arguments have some 10 values; a result of thousands is data, and not the action
_MOST_LEAVES, _MOST_ITEMS = 400, 100
# a verb, an id, and a free text in which an id may occur
_LONGEST_WORD, _LONGEST_VALUE, _LONGEST_TEXT = 30, 64, 1_000
_TOKEN = re.compile(r"[\w./:#@+-]{1,64}")
_LETTERS = re.compile(r"[a-z]{2,30}")


class Call:
    """
    One call that carried out an action, or failed to.

    Args:
        action: The call.
        texts_of: Returns the texts of the records with some ids.
    """

    def __init__(
        self,
        action: ExecutedAction,
        texts_of: Callable[[Iterable[str]], Iterable[str]] = lambda ids: (),
    ) -> None:
        arguments = action.arguments if isinstance(action.arguments, dict) else {}
        words = name_words(action.tool)
        nouns = {ACTION_NOUNS[word] for word in words if word in ACTION_NOUNS}
        ordered = parse_action_argument(arguments)
        read = ordered or parse_action(action.tool)
        rare = "" if read.verb else next((word for word in words if is_tool_verb(word)), "")
        name_verbs = {RESULT_NOUNS.get(word, word) for word in words} & VERB_FAMILIES.keys() | nouns
        second = find_second_write_verb(action.tool) if ordered is None else ""
        verbs = {read.verb, rare, second} - {""} | nouns
        # a generic or creating verb leaves open what the noun adds: `submit_refund`
        if read.verb in _GENERIC or read.creates:
            verbs |= name_verbs
        generic = read.verb in _GENERIC or (ordered is not None and read.verb in _HTTP)
        self.tool = action.tool
        self._is_generic = generic
        self._is_rare = bool(rare)
        self._name_words = words
        self.returned = action.value is not None
        self.nouns = frozenset(map(stem, read.noun))
        self._action = action
        self._texts_of = texts_of
        self.arguments = arguments
        self.value = action.value
        self._does = read.does
        # a tool without a known verb may have done anything
        self._is_opaque = not (read.verb or rare) or (generic and not name_verbs)
        # only if no verb does more: `cancel_and_notify` also cancels
        self._sends = bool(verbs) and verbs <= SENDING_VERBS
        removed = {*_removals(arguments)}
        self._words = {*verbs, *_verbs_in(arguments), *_repeated(words), *removed}
        self._names = {canonical(verb) for verb in verbs}
        self._families = frozenset[int]().union(
            *(VERB_FAMILIES.get(verb, ()) for verb in verbs | removed)
        )
        self._related = frozenset(_related_verbs(words, verbs, read.does) if verbs else ())
        self._is_plain = not verbs.isdisjoint(_PLAIN)
        if not _PRICED.isdisjoint(words):
            self._families -= VERB_FAMILIES["notify"]  # `send_money` sends no message
        self._sends_no_message = "send" in self._related and "notify" not in self._related
        self._is_priced = not _PRICED.isdisjoint({*words, *_keys_of(arguments)})

    @property
    def changes(self) -> bool:
        """True if it changes something that existed before."""
        return self._does is VerbEffect.CHANGE

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids among its arguments, in comparable form."""
        return frozenset(ids_in(self._action.arguments))

    @cached_property
    def returned_ids(self) -> frozenset[str]:
        """The ids in its result."""
        return frozenset(ids_in(self._action.value))

    @cached_property
    def payment(self) -> Decimal | None:
        """
        The only number among its arguments, if it is finite and named as an amount; else None.
        """
        numbers = [
            (path, leaf)
            for path, leaf in leaves(self._action.arguments, most=_MOST_LEAVES)
            if isinstance(leaf, (int, float)) and not isinstance(leaf, bool)
        ]
        # with a second number it is unclear which one is the amount
        if len(numbers) != 1 or name_of(numbers[0][0]) not in _PAID:
            return None
        returned = (name_of(path) for path, _ in leaves(self._action.value, most=_MOST_LEAVES))
        paid = amount(numbers[0][1])
        # the result may state another amount than the call, such as one after fees
        if paid is None or not paid.is_finite() or any(map(names_money, returned)):
            return None
        return paid

    @cached_property
    def fields(self) -> dict[str, set[str]]:
        """The words of its arguments, by the name of their field."""
        words_by_field: dict[str, set[str]] = defaultdict(set)
        for path, leaf in leaves(self._action.arguments, most=_MOST_LEAVES):
            text = scalar_text(leaf) or ""
            if _TOKEN.fullmatch(text):  # free text has words of other subjects
                name = next((step for step in reversed(path) if isinstance(step, str)), "")
                words_by_field[name].add(text.casefold())
        return words_by_field

    def is_related(self, verb: str) -> bool:
        """Return whether the tool's name states or implies an action verb."""
        if canonical(verb) in self._names or verb in self._words or verb in self._related:
            return True
        if self._is_priced and verb in PAYING:
            return True
        return not self._families.isdisjoint(VERB_FAMILIES.get(verb, ()))

    def can_be(self, verb: str, around: str = "") -> bool:
        """
        Return whether this call can have carried out the action of a verb.

        Args:
            verb: The verb, in the infinitive.
            around: The clause of the verb.
        """
        if verb == "send" and self._sends_no_message and MESSAGE.search(around):
            return False
        if self.is_related(verb):
            return True
        if self._is_opaque:
            # `run_payroll` may pay or notify someone, but it deletes no account
            removes = VERB_EFFECTS.get(verb) is VerbEffect.UNMAKE
            is_named = bool(self.nouns) and self._is_generic
            return not (removes and is_named) or self._is_about(verb, around)
        # in "sent the email and deleted it" only the first object is sent
        sent = _SENT.search(_AND.split(around, maxsplit=1)[0])
        if verb in _MOVED and not sent:
            verb = _MOVED[verb]
        does = VERB_EFFECTS.get(verb, VerbEffect.ACT)
        if self._sends and does in (VerbEffect.MAKE, VerbEffect.UNMAKE, VerbEffect.CHANGE):
            is_message = verb in _SENT_AS and not (verb == "update" and self._is_priced)
            return is_message or (verb in _SENT_BY and sent is not None)
        # the same effect under another verb: `remove_user` and "I've deleted the user"
        if does is self._does and does in (VerbEffect.MAKE, VerbEffect.UNMAKE):
            return verb != "send" or self._is_about(verb, around)
        if verb in VERB_FAMILIES and verb not in _BROAD and self._is_specific:
            return self._is_rare and share_word(object_words(verb, around), self.words)
        changes = VerbEffect.ACT in (does, self._does) or VerbEffect.CHANGE in (does, self._does)
        # a change may name its object by another word: `update_booking` moves an appointment
        return changes and (does is self._does or self._is_about(verb, around))

    def _is_about(self, verb: str, around: str) -> bool:
        """Return whether the object of an action may be that of this call."""
        # an edit of a text may change any part of it
        if not WRITTEN.isdisjoint(self._name_words):
            return True
        objects = object_words(verb, around)
        names = {*self._name_words, *_keys_of(self.arguments)}
        return not objects or share_word(objects, self.words) or are_abbreviated(objects, names)

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of its name, its arguments, its result and the records that it is about."""
        values = (self._action.arguments, self._action.value)
        texts = {text for value in values for text in _texts_in(value)}
        # a call has the id of its object, and an answer has the name: another result has both
        texts.update(self._texts_of(self.ids))
        words = {word for text in texts for word in _LETTERS.findall(text.casefold())}
        return frozenset(map(stem, {*self._name_words, *words}))

    @property
    def _is_specific(self) -> bool:
        """True if the meaning of its verbs is certain enough to exclude unrelated verbs."""
        return bool(self._families or self._related) or self._is_plain


def _related_verbs(words: Iterable[str], verbs: Iterable[str], does: VerbEffect) -> Iterator[str]:
    """Yield further verbs that may describe the action of a tool name."""
    words = {*words}
    for word in {*words, *verbs}:
        yield from RELATED_VERBS.get(word, ())
    if does is VerbEffect.CHANGE and not words.isdisjoint(_BOOKED):
        yield from _BOOKING


def _repeated(words: Iterable[str]) -> Iterator[str]:
    """Yield the verbs after a prefix "re": ``cancel_and_rebook`` books."""
    again = (word.removeprefix("re") for word in words if word.startswith("re"))
    yield from (verb for verb in again if verb in VERB_FAMILIES)


def _removals(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the verbs of removals: ``{"remove": ["A"]}``, ``{"items": [{"qty": 0}]}``."""
    for name, value in list(arguments.items())[:_MOST_LEAVES]:
        verb = next(iter(name_words(str(name))), "")
        # at most as many items as an order has
        for path, leaf in leaves(value, most=_MOST_ITEMS) if isinstance(value, list) else ():
            if leaf == 0 and leaf is not False and counts_pieces(name_of(path)):
                yield "cancel"
        if (
            value
            # `remove_after: "June"` is no list of things, and `remove: 0` removes nothing
            and isinstance(value, (list, bool))
            and VERB_EFFECTS.get(verb) is VerbEffect.UNMAKE
        ):
            yield verb


def _verbs_in(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the verbs in arguments of one word: ``{"status": "cancelled"}``."""
    for _, leaf in leaves(arguments, most=_MOST_LEAVES):
        text = (scalar_text(leaf) or "").casefold()
        if text.isalpha() and len(text) <= _LONGEST_WORD:
            yield infinitive(text) or text


def _texts_in(value: Any) -> Iterator[str]:
    """Yield the names and the texts of a value, each name as words."""
    for path, leaf in leaves(value, most=_MOST_LEAVES):
        yield from (" ".join(name_words(step)) for step in path if isinstance(step, str))
        yield (scalar_text(leaf) or "")[:_LONGEST_TEXT]


def _keys_of(arguments: Mapping[str, Any]) -> Iterator[str]:
    for name in list(arguments)[:_MOST_LEAVES]:
        yield from name_words(str(name))


def ids_in(value: Any) -> Iterator[str]:
    """Yield the ids in a value, in comparable form."""
    for _, leaf in leaves(value, most=_MOST_LEAVES):
        for one in figures((scalar_text(leaf) or "")[:_LONGEST_TEXT]):
            # a number of up to three digits is a count more often than an id
            if (one.kind == ID and not one.soft) or (one.kind in SUMS and len(one.text) > 3):
                yield id_key(one.text)

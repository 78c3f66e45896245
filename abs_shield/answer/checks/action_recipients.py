"""Recipients that an answer names for an action, compared with those of the calls."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from itertools import islice
from typing import NamedTuple

from abs_shield.answer.checks.action_calls import Call
from abs_shield.answer.evidence.evidence_passages import Evidence, Passage, PassageSource
from abs_shield.text.identifier_words import name_words
from abs_shield.text.json_leaves import leaves, name_of
from abs_shield.text.normal_form import normal, remove_accents, words
from abs_shield.text.person_names import COMMON_NAMES, FIRST_NAMES, SHORT_FOR

_FIELDS = frozenset(
    "to recipient recipients user users username member members participant participants attendee"
    " attendees invitee invitees assignee assignees person contact channel channels".split()
)
"""Words of parameters that take a recipient."""
_PEOPLE = frozenset("user users username contact person".split())
"""Those that may also name the person for whom the tool acts: ``add_to_cart(user="alice")``."""
_ADDRESSING = frozenset("invite notify message email assign".split())
"""Verbs of tools whose user is the recipient; other tools have a noun for it: ``add_user``."""
_IDS = frozenset("id ids email phone number key code account iban address name".split())
_CAPITALISED = r"[A-Z][\w-]{1,30}(?:[ ][A-Z][\w-]{1,30}){0,2}\b(?!['\u2019]s\b)"
_MARK = r"[\"'`*\u201c\u2018#]"
_NAME = rf"\\?{_MARK}{{0,3}}(?P<name>{_CAPITALISED}|(?<={_MARK})[\w-]{{2,40}})"
_TO = re.compile(rf"\b(?:to|with)[ ](?:the[ ])?{_NAME}")
_PLACE = re.compile(
    rf"\b(?:to|in|into|on)[ ](?:the[ ]|your[ ])?\\?(?P<mark>{_MARK}{{0,3}})(?P<name>[\w-]{{2,40}})"
    rf"{_MARK}{{0,3}}[ ](?P<noun>[a-z]{{4,12}})\b"
)
"""A recipient with its noun: "in the 'random' channel"."""
_OBJECT = re.compile(rf"[ ]{_NAME}")
_SUBJECT = re.compile(rf"[\s*_]{{0,4}}(?P<name>{_CAPITALISED})")
_CHANNEL = "channel"
_VERBS = frozenset(
    "add invite remove notify message email mail assign send forward share post write text tell"
    " inform contact reply respond answer pay transfer refund".split()
)
"""Verbs with a recipient; "to June" after another one is a date or a place."""
_PERSONAL = frozenset("add invite remove notify message email assign".split())
"""Verbs with a person as their object: "I have invited Dora"."""
_ITEM = re.compile(
    r"^[ \t]*(?:[-*\u2022][ \t]+)?(?:(?P<key>[A-Za-z][\w ]{0,30}):[ \t]+)?"
    r"['\"]?(?P<value>[\w#@][^\n:]{1,39}?)['\"]?[ \t]*$",
    re.MULTILINE,
)
"""A line of a text that has one value, with or without its field."""
_LEAST = 3  # letters that two forms of a name share
# a list of users has some 100 values, a name at most 40 letters; longer texts are messages
_MOST_VALUES, _LONGEST_VALUE = 2_000, 40
# each name is compared with all calls
_MOST_NAMES = 20


class RecipientMention(NamedTuple):
    """
    A recipient in a clause.

    Attributes:
        name: Its name, in normal form.
        noun: The noun after it, such as "channel"; empty if there is none.
        is_marked: Whether it is in quotes; without them it may be any word: "in each channel".
    """

    name: str
    noun: str = ""
    is_marked: bool = False


def recipients_in(verb: str, text: str, around: str, *, is_passive: bool) -> list[RecipientMention]:
    """
    Return the recipients that a clause names with a capital, in quotes, or with their noun.

    Args:
        verb: The verb, in the infinitive.
        text: The verb as it is written.
        around: Its clause.
        is_passive: Whether the object precedes the verb.

    >>> clause = "I sent the note to Alice and posted it in the 'random' channel"
    >>> [one[:2] for one in recipients_in("send", "I sent", clause, is_passive=False)]
    [('alice', ''), ('random', 'channel')]
    """
    if verb not in _VERBS:
        return []
    named = [RecipientMention(_plain(one["name"])) for one in _TO.finditer(around)]
    for one in _PLACE.finditer(around):
        named.append(RecipientMention(_plain(one["name"]), one["noun"], bool(one["mark"])))
    if is_passive:
        match = _SUBJECT.match(around) if verb in _PERSONAL else None
    else:
        match = _OBJECT.match(around, around.find(text) + len(text))
    if match:
        named.append(RecipientMention(_plain(match["name"])))
    return named[:_MOST_NAMES]


class Recipients:
    """
    The values of some evidence by their fields, to compare recipients of the same kind.

    Args:
        evidence: The evidence.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._fields: dict[str, set[str]] = defaultdict(set)
        self._targets: dict[Call, _Target] = {}
        for passage in evidence:
            if passage.source is PassageSource.TOOL_RESULT:
                for field, value in islice(_values(passage), _MOST_VALUES):
                    self._fields[_plain(value)].add(field)

    def differ(self, named: Sequence[RecipientMention], calls: Sequence[Call]) -> bool:
        """Return whether each call has a recipient of the same kind, and none of those named."""
        # a call without any recipient, such as one that posts a page, can be neither
        some = [call for call in calls if self._target(call).may_be_to(named)]
        return bool(named and some) and all(self._differs(named, call) for call in some)

    def _differs(self, named: Sequence[RecipientMention], call: Call) -> bool:
        target = self._target(call)
        nouns = {word for field, _ in target.taken for word in name_words(field)}
        comparable = [
            one for one in named if any(self._is_alike(one, *own) for own in target.taken)
        ]
        # "in the general channel" may be the channel, but alone is no name of one
        others = [one for one in named if one.noun in nouns]
        return bool(comparable) and not any(map(target.has, (*comparable, *others)))

    def _target(self, call: Call) -> _Target:
        if call not in self._targets:  # each claim is compared with the same calls
            self._targets[call] = _Target.of(call)
        return self._targets[call]

    def _is_alike(self, one: RecipientMention, field: str, value: str) -> bool:
        """Return whether a name and an argument are of the same kind."""
        if not self._fields.get(one.name, set()).isdisjoint(self._fields.get(value, ())):
            return True
        if any(map(str.isdigit, value)):  # an id may stand for any name
            return False
        noun = one.noun if one.is_marked or one.name in self._fields else ""
        if noun and noun in name_words(field):
            return True
        # a message to a person is not one to a channel; one in a channel may be for a person
        return _is_person(value) and (noun == _CHANNEL or _is_person(one.name))


class _Target(NamedTuple):
    """
    The recipients of a call, and the texts that may name others.

    Attributes:
        taken: Its recipients, each with its parameter.
        text: All texts of its arguments and its result.
        short: The short ones among them: a message may mention other channels.
        values: The words of its recipients.
        is_open: Whether it has a recipient or an id, or no arguments at all.
    """

    taken: tuple[tuple[str, str], ...]
    text: str
    short: str
    values: frozenset[str]
    is_open: bool

    @classmethod
    def of(cls, call: Call) -> _Target:
        arguments = [*islice(leaves(call.arguments, most=_MOST_VALUES), _MOST_VALUES)]
        tool = {*name_words(call.tool)}
        names = _FIELDS if tool & (_PEOPLE | _ADDRESSING) else _FIELDS - _PEOPLE
        taken = tuple(
            (name_of(path), _plain(leaf))
            for path, leaf in arguments
            if isinstance(leaf, str)
            and len(leaf) <= _LONGEST_VALUE
            and not names.isdisjoint(name_words(name_of(path)))
        )
        results = (leaf for _, leaf in leaves(call.value, most=_MOST_VALUES))
        texts = [leaf for leaf in (*(x for _, x in arguments), *results) if isinstance(leaf, str)]
        text = _plain(" ".join(texts))
        fields = {word for path, _ in arguments for word in name_words(name_of(path))}
        return cls(
            taken,
            text,
            _plain(" ".join(one for one in texts if len(one) <= _LONGEST_VALUE)),
            frozenset(word for _, value in taken for word in words(value)),
            not fields or not fields.isdisjoint(_FIELDS | _IDS) or "@" in text,
        )

    def has(self, one: RecipientMention) -> bool:
        """Return whether a recipient occurs in the call."""
        return _occurs(one.name, self.short if one.noun == _CHANNEL else self.text, self.values)

    def may_be_to(self, named: Sequence[RecipientMention]) -> bool:
        """Return whether the call can have one of some recipients."""
        return self.is_open or any(map(self.has, named))


def _values(passage: Passage) -> Iterator[tuple[str, str]]:
    """Yield the short texts of a result, each with its field."""
    if isinstance(passage.value, (dict, list)):
        for path, leaf in leaves(passage.value, most=_MOST_VALUES):
            if isinstance(leaf, str) and len(leaf) <= _LONGEST_VALUE:
                yield _field(name_of(path)) or passage.id, leaf
        return
    for item in _ITEM.finditer(passage.text):
        yield _field(item["key"] or "") or passage.id, item["value"]


def _field(name: str) -> str:
    return " ".join(name_words(name))


def _plain(text: str) -> str:
    return remove_accents(normal(text)).strip(" #@*`'\"\\_")


def _is_person(name: str) -> bool:
    first = words(name)[:1]
    return bool(first) and (first[0] in FIRST_NAMES or first[0] in COMMON_NAMES)


def _occurs(name: str, text: str, values: Set[str]) -> bool:
    """Return whether a text has a word of a name, or a value a form of it."""
    parts = [part for part in words(name) if len(part) >= _LEAST] or [name]
    if any(part in text for part in parts):
        return True
    if any(value[:_LEAST] == part[:_LEAST] for value in values for part in parts):
        return True
    short = {one for one, long in SHORT_FOR.items() if not set(parts).isdisjoint(long.split())}
    long = {full for part in parts for full in SHORT_FOR.get(part, "").split()}
    return not (short | long).isdisjoint(values)

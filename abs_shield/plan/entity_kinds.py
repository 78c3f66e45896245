"""Kinds of entities: values that identify another kind of entity than their parameter asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, takewhile

from abs_shield.core.events import MessageText
from abs_shield.plan.credentials import credential_words, may_be_same_credential, may_be_secret
from abs_shield.plan.judged_arguments import Argument
from abs_shield.plan.parameter_names import ENDS_OF_A_MOVE, classify_name
from abs_shield.plan.schema_lookup import names_of_properties
from abs_shield.policy import Tool
from abs_shield.session import Origin, Session
from abs_shield.session.provenance import MOST_FIELDS
from abs_shield.session.result_text import LONGEST_SCALAR
from abs_shield.session.session_record import mentions_of, record_of
from abs_shield.text.identifier_words import is_of_kind, name_words, split_words, subject_words
from abs_shield.text.json_leaves import Path, json_data, leaves, name_of
from abs_shield.text.lazy_pattern import lazy_pattern
from abs_shield.text.normal_form import normal

_SEPARATOR = re.compile(r"[^\w]|_")
_PREFIX = re.compile(r"[^\W\d_]+(?=[^\w\s]|_)")
_MAX_VALUES = 50  # values of one kind: a few show its spelling
_MAX_NAMES = 200  # names of a schema; further names add no further kinds
_MIN_LABELLED_LENGTH = 6
"""Fewest characters of a value that a user labelled: a gate or a seat is shorter and may change."""
_MAX_RESULTS = 20  # a credential is used soon after a result that contains it
_MAX_LEAVES = 200
"""Leaves of a result that are searched for each unmentioned credential; it takes milliseconds."""
# signed tokens have some thousand characters; a longer text is a document
_MAX_CREDENTIAL_LENGTH = 4_096
_MAX_TEXT_LENGTH = 16_384  # a page has some 3,000 characters; more is a document that was pasted
# A text without a digit, or of up to three characters, is a word that may occur anywhere.
_TOO_SHORT = re.compile(r"\D*|.{1,3}")
_PERSON_WORDS = frozenset("user owner sender recipient customer member client email login".split())
"""Words for people; two of them may be the same person."""
_REVISION_WORDS = frozenset(
    "sha commit revision rev head base parent ref oid hash before after target object".split()
)
"""Words for a revision; the ``sha`` of one call is the ``expected_head`` of the next."""
_HASH = re.compile(r"[0-9a-f]{7,64}")
_ROLES = frozenset("with other another to from into by for new old next second".split())
"""Words for the role of a value; ``with_id`` names no kind of entity."""
_CREDENTIAL_INTRODUCTION = (
    r"\b(?:pass ?(?:word|code|phrase)|token|secret|(?:api|access)[ _]?key)\b"
    r"(?:\s{1,3}(?:is|was|as|being|labell?ed|called|value|id)\b){0,3}\s{0,3}[:=,]?\s{0,3}[\"'`(]?"
)
"""The words that introduce a credential; "the password of u4711" introduces none."""
_MAX_VALUE_LENGTH = 256  # an identifier is shorter; the text becomes a part of a pattern
_CREDENTIAL_LABELS = {*"password passcode passphrase pin otp cvv token key secret apikey".split()}
IsJudged = Callable[[Path], bool]
_LABELLED_CREDENTIAL = lazy_pattern(
    r"\b((?:pass ?(?:word|code|phrase)|pin|otp|cvv|(?:api[ _]?|access[ _]?)?(?:key|token)|secret)"
    r"s?)\b[^.!?\n]{0,60}?[\s\"'`:=(]([\w@#$%^&*+=!.-]*\d[\w@#$%^&*+=!.-]*)",
    re.IGNORECASE,
)
"""A credential's label in a person's message, and the first word with a digit after it."""


def entity_kinds_of(tool: Tool) -> frozenset[str]:
    """
    Return the kinds of entities that the identifiers among a tool's parameters name.

    >>> schema = {"properties": {"order_id": {}, "note": {}}}
    >>> sorted(entity_kinds_of(Tool(name="t", parameters=schema)))
    ['order']
    """
    names = islice(names_of_properties(tool.parameters), _MAX_NAMES)
    return frozenset().union(
        # Only identifiers: a note or an amount has no kind.
        *(subject_words(n) for n in names if classify_name(n) == "hard" or credential_words(n))
    )


def is_other_kind(
    argument: Argument,
    origin: Origin,
    noun: tuple[str, ...],
    *,
    kinds: Callable[[], frozenset[str]],
    session: Session,
) -> bool:
    """
    Return whether *argument* identifies another kind of entity than its parameter asks for.

    Its value must have occurred only under fields of another kind that the tools also ask for, such
    as a customer's id in place of an order's, and must not be spelt like values of the wanted kind.
    These come from examples in the schema and from fields that share a word with the parameter;
    without any the result is False.

    Args:
        argument: The argument.
        origin: Where the run mentions its value.
        noun: The words of the noun in the tool's name, for a parameter whose name has no kind.
        kinds: Returns the kinds that all the tools ask for.
        session: The run.
    """
    if argument.judged != "hard":
        return False
    wanted = subject_words(name_of(argument.path)) - _ROLES or frozenset(noun)
    if is_credential_by_label(argument, origin, kinds=kinds, session=session):
        return True
    # The user's labels take precedence over the fields of results.
    if origin.source == "user":
        labels = mentions_of(session).labels(argument.text)
        otherwise = mentions_of(session).is_labelled_otherwise(argument.text, wanted)
        return otherwise and not labels.isdisjoint(kinds() - wanted)
    # Prose has no fields that could name the kind.
    if origin.source != "tool" or origin.prose or not origin.fields:
        return False
    field_kinds = [words for field in origin.fields if (words := subject_words(field))]
    if not wanted or not field_kinds or any(is_of_kind(words, wanted) for words in field_kinds):
        return False
    if _HASH.fullmatch(normal(argument.text)) and _are_revisions(wanted, field_kinds):
        return False
    # Names in other languages have no kind; a list of fields that is full may lack the right one.
    if not all(map(str.isascii, origin.fields)) or len(origin.fields) >= MOST_FIELDS:
        return False
    own = [*map(normal, (*argument.examples, *_values_of_kind(wanted, session)))]
    # No evidence without values to compare with, or if it is spelt like its own kind.
    if not own or _is_spelt_like(normal(argument.text), own):
        return False
    others = kinds() - wanted
    return any(not others.isdisjoint(words) for words in field_kinds)


def _are_revisions(wanted: frozenset[str], field_kinds: Iterable[frozenset[str]]) -> bool:
    """Return whether a parameter and the fields of its value both name a revision."""
    return not wanted.isdisjoint(_REVISION_WORDS) and any(
        not words.isdisjoint(_REVISION_WORDS) for words in field_kinds
    )


def _is_spelt_like(text: str, others: Sequence[str]) -> bool:
    """
    Return whether a value has the shape of one of *others*, and not another prefix than all.

    >>> _is_spelt_like("cus_8fk", ["ord_55z", "ord_77a"]), _is_spelt_like("q-17", ["x-12", "y-3"])
    (False, True)
    """
    if spelling_shape(text) not in map(spelling_shape, others):
        return False
    prefix, theirs = _prefix(text), {*map(_prefix, others)}
    return not prefix or prefix in theirs or len(theirs) > 1 or theirs == {""}


def _prefix(text: str) -> str:
    """Return the letters before the first separator of an identifier: ``ord`` of ``ord_12``."""
    found = _PREFIX.match(text)
    return "" if found is None else found[0]


def is_also_other_kind(
    argument: Argument, places: Iterable[Path], judged: IsJudged, *, called: frozenset[str]
) -> bool:
    """
    Return whether the call has the same value in an earlier parameter of another kind.

    Args:
        argument: The argument, which comes after the other parameter.
        places: The paths at which the call has the value, in order.
        judged: Returns whether leaves at a path are judged by their name.
        called: The user's labels of the value; one that fits the parameter makes it valid for both.
    """
    wanted = subject_words(name_of(argument.path))
    if (
        not wanted
        or not wanted.isdisjoint(called)
        or _TOO_SHORT.fullmatch(argument.text)
        or not wanted.isdisjoint(_PERSON_WORDS)
    ):
        return False
    for path in takewhile(lambda path: path != argument.path, places):
        other = subject_words(name_of(path)) if judged(path) else frozenset()
        if other and other.isdisjoint(wanted) and other.isdisjoint(_PERSON_WORDS):
            return not _are_two_ends(name_of(path), name_of(argument.path))
    return False


def _are_two_ends(one: str, other: str) -> bool:
    """Return whether two names are source and destination of a copy, which may share one key."""
    ends = [name_words(name) for name in (one, other)]
    return all(words[-1:] == ("key",) and ENDS_OF_A_MOVE.issuperset(words[:-1]) for words in ends)


def spelling_shape(normalised: str) -> tuple[bool, bool, frozenset[str]]:
    """
    Return the shape of a value: whether it has letters and digits, and its separators.

    >>> spelling_shape("credit_card_9"), spelling_shape("w549")
    ((True, True, frozenset({'_'})), (True, True, frozenset()))
    """
    letters = any(c.isalpha() for c in normalised)
    digits = any(c.isdigit() for c in normalised)
    return letters, digits, frozenset(_SEPARATOR.findall(normalised))


def is_credential_by_label(
    argument: Argument, origin: Origin, *, kinds: Callable[[], frozenset[str]], session: Session
) -> bool:
    """
    Return whether an identifier is labelled as a credential by the user or by all result fields.

    The tools must also ask for such a credential, as ``token`` may otherwise name anything.
    """
    if credential_words(name_of(argument.path)):
        return False
    if origin.source == "tool":
        wanted = kinds() if origin.fields and not origin.prose else frozenset()
        return bool(wanted) and all(wanted & credential_words(field) for field in origin.fields)
    labels = mentions_of(session).labels(argument.text) & _CREDENTIAL_LABELS
    if origin.source != "user" or labels.isdisjoint(kinds()):
        return False
    return _introduces_credential(argument.text, session)


def _introduces_credential(text: str, session: Session) -> bool:
    """Return whether a message introduces *text* as a credential: "my token is ..."."""
    called = re.compile(
        _CREDENTIAL_INTRODUCTION + re.escape(text[:_MAX_VALUE_LENGTH]), re.IGNORECASE
    )
    events = (entry.event for entry in session.entries())
    return any(
        isinstance(event, MessageText) and called.search(event.text[:_MAX_TEXT_LENGTH]) is not None
        for event in events
    )


def _values_of_kind(wanted: frozenset[str], session: Session) -> list[str]:
    """Return the values of exactly the wanted kind; if there are none, those of a related kind."""
    values_of_kind = mentions_of(session).values_under
    own = values_of_kind(lambda field: subject_words(field) == wanted, most=_MAX_VALUES)
    # Only without exact ones: a related name may be one of another kind.
    return own or values_of_kind(
        lambda field: not wanted.isdisjoint(subject_words(field)), most=_MAX_VALUES
    )


def matches_field_values(argument: Argument, session: Session) -> bool:
    """
    Return whether the run has similar identifiers under the exact name of this parameter.

    Similar means the same `spelling_shape`, and a length that differs by at most one character.
    Values that a user labels with that name count only if they have letters, as a number may have
    been computed.
    """
    words = name_words(name_of(argument.path))
    form, length = spelling_shape(normal(argument.text)), len(argument.text)
    mentions = mentions_of(session)
    values = mentions.values_under(lambda field: name_words(field) == words, most=_MAX_VALUES)
    if form[0] and length >= _MIN_LABELLED_LENGTH:
        values += mentions.find_labelled(frozenset(words), most=_MAX_VALUES)
    return any(spelling_shape(text) == form and abs(len(text) - length) <= 1 for text in values)


def is_credential_in_results(argument: Argument, session: Session) -> bool:
    """
    Return whether a result of the run contains a credential of the kind that *argument* presents.

    A credential that a result only repeats from the agent's call does not count.
    """
    name = name_of(argument.path)
    wanted = credential_words(name)
    mentions = mentions_of(session)
    values = chain(
        mentions.values_under(
            lambda field: may_be_same_credential(credential_words(field), wanted), most=_MAX_VALUES
        ),
        _long_credentials(wanted, session),
    )
    return any(may_be_secret(text, name) and mentions.origin(text) for text in values)


def is_credential_from_person(argument: Argument, session: Session) -> bool:
    """Return whether a person's message has a credential of that kind: "my password is ..."."""
    kinds = credential_words(name_of(argument.path)) & _CREDENTIAL_LABELS
    events = (entry.event for entry in session.entries())
    return any(
        kinds.intersection(split_words(match[1])) and may_be_secret(match[2], "token")
        for event in events
        if isinstance(event, MessageText) and event.role != "assistant"
        for match in _LABELLED_CREDENTIAL.finditer(event.text[:_MAX_TEXT_LENGTH])
    )


def _long_credentials(wanted: frozenset[str], session: Session | None) -> Iterator[str]:
    """Yield credentials that are too long for the index of fields, such as signed tokens."""
    while session is not None:
        for executed in reversed(record_of(session).newest(_MAX_RESULTS)):
            for path, leaf in leaves(json_data(executed.value), most=_MAX_LEAVES):
                long = (
                    isinstance(leaf, str) and LONGEST_SCALAR < len(leaf) <= _MAX_CREDENTIAL_LENGTH
                )
                if long and may_be_same_credential(credential_words(name_of(path)), wanted):
                    yield leaf
        session = session.parent

"""Whether a seen value is an identifier of another kind than its parameter asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice, takewhile

from abs_shield.core.events import Said
from abs_shield.plan.credentials import credential, is_same, may_be_secret
from abs_shield.plan.parameter_names import ENDS_OF_A_MOVE, classify_name
from abs_shield.plan.schema_lookup import names_of_properties
from abs_shield.plan.targets import Argument
from abs_shield.policy import Tool
from abs_shield.session import Origin, Session
from abs_shield.session.provenance import MOST_FIELDS
from abs_shield.session.result_text import LONGEST_SCALAR
from abs_shield.session.session_record import mentions_of, record_of
from abs_shield.text.leaves import Path, data_of, leaves, name_of
from abs_shield.text.names import is_of_kind, name_words, of_what, split
from abs_shield.text.normal import normal

_SEPARATOR = re.compile(r"[^\w]|_")
_MOST = 50
_MOST_NAMES = 200
_LEAST_CALLED = 6
"""Characters of what a user calls by a name: a gate or a seat is shorter, and may be changed."""
_MOST_RESULTS = 20
_MOST_LEAVES = 200
"""Read anew for each credential that nobody mentioned: some milliseconds at most."""
_LONGEST_SECRET = 4_096
_LONGEST_SAID = 16_384
_SHORT = re.compile(r"\D*|.{1,3}")
_SOMEBODY = frozenset("user owner sender recipient customer member client email login".split())
"""Two of these may be one person."""
_CALLED_SECRET = (
    r"\b(?:pass ?(?:word|code|phrase)|token|secret|(?:api|access)[ _]?key)\b"
    r"(?:\s{1,3}(?:is|was|as|being|labell?ed|called|value|id)\b){0,3}\s{0,3}[:=,]?\s{0,3}[\"'`(]?"
)
"""What stands before a credential that is given; "the password of u4711" gives none."""
_LONGEST_VALUE = 256
_SPOKEN = {*"password passcode passphrase pin otp cvv token key secret apikey".split()}
IsJudged = Callable[[Path], bool]
_GIVEN = re.compile(
    r"\b((?:pass ?(?:word|code|phrase)|pin|otp|cvv|(?:api[ _]?|access[ _]?)?(?:key|token)|secret)"
    r"s?)\b[^.!?\n]{0,60}?[\s\"'`:=(]([\w@#$%^&*+=!.-]*\d[\w@#$%^&*+=!.-]*)",
    re.IGNORECASE,
)
"""A credential that a person names, and the first word with a digit behind it."""


def entity_kinds_of(tool: Tool) -> frozenset[str]:
    """
    Return the kinds of entities that a tool's identifiers name.

    >>> schema = {"properties": {"order_id": {}, "note": {}}}
    >>> sorted(entity_kinds_of(Tool(name="t", parameters=schema)))
    ['order']
    """
    names = islice(names_of_properties(tool.parameters), _MOST_NAMES)
    return frozenset().union(
        *(of_what(n) for n in names if classify_name(n) == "hard" or credential(n))
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
    Whether *argument* is known as another kind of thing only, and not written as its own kind is.

    It has to have stood under a field of another kind that these tools ask for too: a customer's
    id where an order's is asked for. And there has to be evidence of how its own kind is written:
    an example in the schema, or seen values under a field that shares a word with the parameter.

    Args:
        kinds: Gives the kinds that all the tools ask for.
    """
    if argument.judged != "hard":
        return False
    asked = of_what(name_of(argument.path)) or frozenset(noun)
    if is_credential_by_label(argument, origin, kinds=kinds, session=session):
        return True
    if origin.source == "user":
        called = mentions_of(session).labels(argument.text)
        otherwise = mentions_of(session).is_labelled_otherwise(argument.text, asked)
        return otherwise and not called.isdisjoint(kinds() - asked)
    if origin.source != "tool" or origin.prose or not origin.fields:
        return False
    under = [said for field in origin.fields if (said := of_what(field))]
    if not asked or not under or any(is_of_kind(said, asked) for said in under):
        return False
    if not all(map(str.isascii, origin.fields)) or len(origin.fields) >= MOST_FIELDS:
        return False
    own = {spelling_shape(normal(value)) for value in (*argument.examples, *_kin(asked, session))}
    if not own or spelling_shape(normal(argument.text)) in own:
        return False
    others = kinds() - asked
    return any(not others.isdisjoint(said) for said in under)


def is_also_other_kind(
    argument: Argument, places: Iterable[Path], judged: IsJudged, *, called: frozenset[str]
) -> bool:
    """
    Return whether the call has the same value in an earlier parameter of another kind.

    Args:
        argument: The later one.
        places: Where the call has the value, in order.
        judged: Whether leaves at a path are judged by their name.
        called: What the user called the value; where that is what is asked for, it is both.
    """
    asked = of_what(name_of(argument.path))
    if (
        not asked
        or not asked.isdisjoint(called)
        or _SHORT.fullmatch(argument.text)
        or not asked.isdisjoint(_SOMEBODY)
    ):
        return False
    for path in takewhile(lambda path: path != argument.path, places):
        other = of_what(name_of(path)) if judged(path) else frozenset()
        if other and other.isdisjoint(asked) and other.isdisjoint(_SOMEBODY):
            return not _are_two_ends(name_of(path), name_of(argument.path))
    return False


def _are_two_ends(one: str, other: str) -> bool:
    """Whether two names are of where an object is copied from, and to: it may keep its key."""
    ends = [name_words(name) for name in (one, other)]
    return all(said[-1:] == ("key",) and ENDS_OF_A_MOVE.issuperset(said[:-1]) for said in ends)


def spelling_shape(normalised: str) -> tuple[bool, bool, frozenset[str]]:
    """
    How a value is written: with letters, with digits, with which separators.

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
    Return whether an identifier is a credential, by what a user or every result called it.

    The tools have to ask for such a credential, too: without, ``token`` may name anything.
    """
    if credential(name_of(argument.path)):
        return False
    if origin.source == "tool":
        asked = kinds() if origin.fields and not origin.prose else frozenset()
        return bool(asked) and all(asked & credential(field) for field in origin.fields)
    called = mentions_of(session).labels(argument.text) & _SPOKEN
    if origin.source != "user" or called.isdisjoint(kinds()):
        return False
    return _is_given_as_secret(argument.text, session)


def _is_given_as_secret(text: str, session: Session) -> bool:
    """Whether a person gives *text* as a credential: "my token is ..."."""
    called = re.compile(_CALLED_SECRET + re.escape(text[:_LONGEST_VALUE]), re.IGNORECASE)
    texts = (entry.event for entry in session.entries())
    return any(
        isinstance(said, Said) and called.search(said.text[:_LONGEST_SAID]) is not None
        for said in texts
    )


def _kin(asked: frozenset[str], session: Session) -> list[str]:
    """The values of the very kind that is asked for; of a related one, where there are none."""
    kin = mentions_of(session).kin
    own = kin(lambda field: of_what(field) == asked, most=_MOST)
    return own or kin(lambda field: not asked.isdisjoint(of_what(field)), most=_MOST)


def matches_field_values(argument: Argument, session: Session) -> bool:
    """
    Whether the run holds identifiers under the very name of this parameter.

    They have to be of one word with digits, written as this value is, and about as long. What a
    user calls by that name counts where it has letters, too: a number may be computed.
    """
    said = name_words(name_of(argument.path))
    form, length = spelling_shape(normal(argument.text)), len(argument.text)
    mentions = mentions_of(session)
    kin = mentions.kin(lambda field: name_words(field) == said, most=_MOST)
    if form[0] and length >= _LEAST_CALLED:
        kin += mentions.labelled(frozenset(said), most=_MOST)
    return any(spelling_shape(text) == form and abs(len(text) - length) <= 1 for text in kin)


def is_credential_in_results(argument: Argument, session: Session) -> bool:
    """
    Return whether a result of the run holds a credential of the kind that *argument* presents.

    One that a call of the agent's own put there, and a result only repeats, is not issued.
    """
    name = name_of(argument.path)
    wanted = credential(name)
    mentions = mentions_of(session)
    held = chain(
        mentions.kin(lambda field: is_same(credential(field), wanted), most=_MOST),
        _long_secrets(wanted, session),
    )
    return any(may_be_secret(text, name) and mentions.origin(text) for text in held)


def is_credential_from_person(argument: Argument, session: Session) -> bool:
    """Return whether a person's words give a credential of that kind: "my password is ..."."""
    kinds = credential(name_of(argument.path)) & _SPOKEN
    texts = (entry.event for entry in session.entries())
    return any(
        kinds.intersection(split(match[1])) and may_be_secret(match[2], "token")
        for said in texts
        if isinstance(said, Said) and said.role != "assistant"
        for match in _GIVEN.finditer(said.text[:_LONGEST_SAID])
    )


def _long_secrets(wanted: frozenset[str], session: Session | None) -> Iterator[str]:
    """Yield credentials that are too long for the index of fields, such as signed tokens."""
    while session is not None:
        for executed in reversed(record_of(session).newest(_MOST_RESULTS)):
            for path, leaf in leaves(data_of(executed.value), most=_MOST_LEAVES):
                long = isinstance(leaf, str) and LONGEST_SCALAR < len(leaf) <= _LONGEST_SECRET
                if long and is_same(credential(name_of(path)), wanted):
                    yield leaf
        session = session.parent

"""The action that a tool's name describes: a verb, its effect, and the noun that it acts on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any

from abs_shield.text.identifier_words import name_words
from abs_shield.text.verbs import VERB_EFFECTS, VerbEffect

_CREATING_VERBS = frozenset(
    "create make new generate insert write save draft build upload provision launch init "
    "initialize setup register issue define append export log record enqueue emit "
    "upsert touch mkdir".split()
)
"""Verbs that create the noun, so that the caller chooses its name."""

_OPPOSITE_VERBS = {
    frozenset(pair.split("/"))
    for pair in (
        "lock/unlock enable/disable start/stop resume/pause resume/suspend open/close grant/revoke "
        "subscribe/unsubscribe follow/unfollow like/unlike pin/unpin star/unstar attach/detach "
        "mount/unmount connect/disconnect join/leave activate/deactivate publish/unpublish "
        "assign/unassign approve/reject link/unlink install/uninstall mute/unmute block/unblock "
        "ban/unban freeze/unfreeze archive/unarchive archive/restore create/archive close/reopen "
        "share/unshare accept/decline confirm/cancel promote/demote upgrade/downgrade arm/disarm "
        "increase/decrease suspend/reinstate provision/decommission hire/dismiss hold/release "
        "hire/fire register/unregister "
        "enroll/unenroll allow/deny invite/remove add/remove create/delete book/cancel "
        "reserve/cancel schedule/cancel insert/delete borrow/return rent/return admit/expel "
        "checkin/checkout tag/untag label/unlabel flag/unflag mark/unmark bookmark/unbookmark "
        "favorite/unfavorite watch/unwatch run/stop run/kill create/withdraw submit/withdraw "
        "touch/rm mkdir/rmdir mkdir/rm create/drop insert/truncate"
    ).split()
}
_VERBS_AND_NOUNS = frozenset(
    "record order book log post note call export transfer share schedule trigger process charge "
    "purchase issue release draft build check track watch test filter request place tag label flag "
    "mark bookmark show count access like pin star file".split()
)
"""Verbs that are also nouns."""
_NOUNS_AFTER_A_VERB = frozenset("hold build block visit launch leave reply scan poll patch".split())
"""Verbs that are nouns only after another verb: ``place_hold``, but ``card_hold``."""
_RECORD_OPENING_VERBS = frozenset(
    "run order buy purchase submit apply place request pay charge transfer trigger file".split()
)
"""Verbs that open a record, such as an order, which a later call may cancel."""
_PLACING_VERBS = frozenset("add append attach insert".split())
"""Verbs that put a part into a whole."""
_CONJUNCTIONS = frozenset("and or then".split())
_PREPOSITIONS = frozenset("to from in into by for of on at with and or via as under".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAction:
    """
    The action of a tool, by its name.

    Attributes:
        does: The effect of its verb.
        verb: The verb itself; empty if the name has no known verb.
        noun: Words of the thing that it acts on, up to a preposition.
        object: Words after the preposition, such as a group or a place.
        creates: Whether a call creates a thing of that noun.
    """

    does: VerbEffect
    verb: str
    noun: tuple[str, ...]
    object: tuple[str, ...]
    creates: bool

    @property
    def is_undoable(self) -> bool:
        """True if the call creates or changes something, or opens a record."""
        return (
            self.does in (VerbEffect.MAKE, VerbEffect.CHANGE) or self.verb in _RECORD_OPENING_VERBS
        )

    @property
    def writes(self) -> bool:
        """True if the action may change something."""
        return self.does.writes


# Cached, as it is needed for each call; bounded, as a recorded run may have any number of tools.
@lru_cache(maxsize=4096)
def parse_action(name: str) -> ToolAction:
    """
    Parse a tool's English name; without a known verb its effect is `VerbEffect.ACT`.

    >>> a = parse_action("remove_user_from_channel"); a.does, a.noun, a.object
    (<VerbEffect.UNMAKE: 'unmake'>, ('user',), ('channel',))
    """
    if route := _ROUTE.match(name):
        return _parse_route(route[1].upper(), route[2])
    service, _, operation = name.partition("_")
    if len(name_words(service)) > 1 and VERB_EFFECTS.keys() & {*name_words(operation)[:1]}:
        return parse_action(operation)  # the "Get" of `GetTempMail_Create_Email` is not its verb
    words = _expand_words(name_words(name))
    at = _find_verb(words)
    if at is None:
        return ToolAction(does=VerbEffect.ACT, verb="", noun=words, object=(), creates=False)
    following = words[at + 1 :]
    stop = next((n for n, word in enumerate(following) if word in _PREPOSITIONS), len(following))
    noun, tail = following[:stop], tuple(w for w in following[stop:] if w not in _PREPOSITIONS)
    verb = words[at]
    # `add_user` creates a user, `add_user_to_group` does not.
    creates = verb in _CREATING_VERBS or (
        verb in ("add", "book", "schedule", "reserve") and not tail
    )
    if verb == "open" and not _OPENED_TO_READ.isdisjoint(noun):
        return ToolAction(does=VerbEffect.READ, verb=verb, noun=noun, object=tail, creates=False)
    return ToolAction(
        does=VERB_EFFECTS[verb], verb=verb, noun=noun or words[:at], object=tail, creates=creates
    )


_READING_WORDS = frozenset("return provide give compute display".split())
# At most 300 characters of the first sentence, as a description may be a page.
_SENTENCE = re.compile(r"[^.\n]{0,300}")


@lru_cache(maxsize=4096)
def parse_described_action(name: str, description: str) -> ToolAction:
    """
    Parse a tool's name; if it has no known verb, use the first verb of its description.

    The description is used only if it begins with "create" or with a verb for reading; in the
    latter case its first sentence must not have another verb that may change something.

    >>> parse_described_action("git_branch", "Create a branch").creates
    True
    >>> parse_described_action("air_quality", "Returns the index of a city.").does
    <VerbEffect.READ: 'read'>
    >>> parse_described_action("files", "View, create and edit files").does
    <VerbEffect.ACT: 'act'>
    """
    action = parse_action(name)
    # The name takes precedence, as descriptions mention verbs in passing.
    if action.verb or not description:
        return action
    sentence = _SENTENCE.findall(description)[0]
    words = [_infinitive(word) for word in name_words(sentence)]
    first = words[0] if words else ""
    if first == "create":
        return replace(action, does=VerbEffect.MAKE, verb=first, creates=True)
    does_more = any(
        # A word that is also a noun does not count as a verb: "Returns the order".
        word not in _VERBS_AND_NOUNS
        and VERB_EFFECTS.get(word, VerbEffect.READ) not in (VerbEffect.READ, VerbEffect.ACT)
        for word in words[1:]
    )
    reads = first in _READING_WORDS or VERB_EFFECTS.get(first) is VerbEffect.READ
    return replace(action, does=VerbEffect.READ) if reads and not does_more else action


def _infinitive(word: str) -> str:
    """Return a verb of the third person in its basic form: "create" for "creates"."""
    return next((w for w in (word, word[:-1]) if w in VERB_EFFECTS or w in _READING_WORDS), word)


_ANSWER_NOUNS = frozenset("answer result response output reply".split())
_ANSWER_PREFIXES = frozenset(
    "submit return give provide send emit produce report the a an your".split()
)


def is_answer_tool(name: str) -> bool:
    """
    Return whether frameworks use a tool of this name to receive the agent's final answer.

    >>> [is_answer_tool(name) for name in ("final_result", "submit_answer", "StructuredOutput")]
    [True, True, True]
    >>> [is_answer_tool(name) for name in ("submit_result", "calculate_final_result")]
    [False, False]
    """
    words = name_words(name)
    lead = next((n for n, word in enumerate(words) if word not in _ANSWER_PREFIXES), len(words))
    rest = words[lead:]
    if rest[:1] in (("final",), ("structured",)):
        return len(rest) > 1 and rest[1] in _ANSWER_NOUNS
    return lead > 0 and rest == ("answer",)


_ROUTE = re.compile(r"\s*(get|head|post|put|patch|delete)[ _:]+(/\S{0,200})", re.IGNORECASE)
_METHODS = {
    "GET": (VerbEffect.READ, "get"), "HEAD": (VerbEffect.READ, "get"),
    "POST": (VerbEffect.MAKE, "create"),
    "PUT": (VerbEffect.CHANGE, "update"), "PATCH": (VerbEffect.CHANGE, "update"),
    "DELETE": (VerbEffect.UNMAKE, "delete"),
}  # fmt: skip
_OPENED_TO_READ = frozenset("url page link website webpage browser tab file document image".split())
"""Objects for which ``open`` means to read."""
COMMANDS = ("command", "action", "operation", "method", "op", "service", "subcommand")
_MAX_WORD_LENGTH = 128  # a command is shorter; a longer text is a script
_TWO_WORD_VERBS = {
    ("turn", "on"): "enable", ("turn", "off"): "disable", ("switch", "on"): "enable",
    ("switch", "off"): "disable", ("check", "in"): "checkin", ("check", "out"): "checkout",
    ("sign", "up"): "register", ("log", "in"): "connect", ("log", "out"): "disconnect",
}  # fmt: skip
"""Verbs of two words, and a single verb with the same meaning."""
_SHELL_COMMANDS = {
    "umount": ("unmount",), "ln": ("link",), "useradd": ("add", "user"),
    "adduser": ("add", "user"), "userdel": ("delete", "user"), "deluser": ("delete", "user"),
    "groupadd": ("add", "group"), "addgroup": ("add", "group"), "groupdel": ("delete", "group"),
    "delgroup": ("delete", "group"), "mkfile": ("create", "file"), "rmfile": ("delete", "file"),
}  # fmt: skip
"""Shell commands, as a verb and its noun."""


def _expand_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words with a two-word verb replaced by one, and shell commands by their words."""
    words = tuple(chain.from_iterable(_SHELL_COMMANDS.get(word, (word,)) for word in words))
    for n, pair in enumerate(pairwise(words)):
        if pair in _TWO_WORD_VERBS:
            return (*words[:n], _TWO_WORD_VERBS[pair], *words[n + 2 :])
    return words


def _parse_route(method: str, path: str) -> ToolAction:
    """Parse the name of an operation that is its route: ``POST /orders/{id}/notes``."""
    # `{id}`, `:id` and `<id>` are path parameters.
    steps = [step for step in path.split("/") if step and step[0] not in "{:<"]
    does, verb = _METHODS[method]
    noun = name_words(steps[-1]) if steps else ()
    return ToolAction(does=does, verb=verb, noun=noun, object=(), creates=does is VerbEffect.MAKE)


def _find_verb(words: tuple[str, ...]) -> int | None:
    """
    Return the index of the verb: the first one, or the last word, as in ``dns_record_delete``.
    """
    last = len(words) - 1
    candidates = [
        n
        for n, word in enumerate(words)
        if word in VERB_EFFECTS and not (0 < n == last and word in _VERBS_AND_NOUNS)
    ]
    if len(candidates) > 1 and candidates[-1] == last and words[last] in _NOUNS_AFTER_A_VERB:
        candidates.pop()
    # A last word that cannot be a noun is the verb, as in `dns_record_delete`.
    strong = [n for n in candidates if words[n] not in _VERBS_AND_NOUNS]
    if 0 not in strong and strong and strong[-1] == last:
        return strong[-1]
    return candidates[0] if candidates else None


def find_second_write_verb(name: str) -> str:
    """
    Return another verb of a name, besides its main one, that may change something; else empty.

    >>> [find_second_write_verb(name) for name in ("get_or_create_user", "find_and_book_room")]
    ['create', 'book']
    >>> find_second_write_verb("get_book")
    ''
    """
    words = () if _ROUTE.match(name) else _expand_words(name_words(name))
    at = _find_verb(words)
    for n, word in enumerate(words):
        follows_conjunction = 0 < n and words[n - 1] in _CONJUNCTIONS
        if (
            n != at
            and (word not in _VERBS_AND_NOUNS or follows_conjunction)
            and VERB_EFFECTS.get(word, VerbEffect.READ).writes
        ):
            return word
    return ""


def parse_action_argument(arguments: Mapping[str, Any]) -> ToolAction | None:
    """
    Parse the argument that selects the action of a tool with several: ``{"command": "create"}``.
    """
    for name in COMMANDS:
        word = arguments.get(name)
        if isinstance(word, str) and (action := parse_action(word[:_MAX_WORD_LENGTH])).verb:
            return action
    return None


def are_opposite_actions(first: ToolAction, then: ToolAction) -> bool:
    """Return whether the verbs of two actions are opposites: lock and unlock."""
    return frozenset({first.verb, then.verb}) in _OPPOSITE_VERBS


_FULFILLING_VERBS = frozenset(
    "ship reship dispatch deliver fulfil fulfill checkout merge prescribe redeem".split()
)
"""Verbs that fulfil something. A fee, a refund or a message may follow its cancellation."""
_OPPOSITE_DIRECTIONS = {
    frozenset(pair.split("/")) for pair in "on/off buy/sell in/out long/short".split()
}


OPPOSITES = _OPPOSITE_VERBS | _OPPOSITE_DIRECTIONS
"""Pairs of opposite words."""


def are_opposite_words(one: str, other: str) -> bool:
    """
    Return whether two words are opposites: two verbs, or two directions.

    >>> are_opposite_words("BUY", "sell"), are_opposite_words("lock", "unlock")
    (True, True)
    >>> are_opposite_words("buy", "hold")
    False
    """
    return frozenset((one.casefold(), other.casefold())) in OPPOSITES


def have_same_noun(first: ToolAction, then: ToolAction) -> bool:
    """
    Return whether two actions are on one kind of thing, by the last word of each noun.

    An action without a noun matches every action, and a change of a part matches an action on the
    whole.

    >>> update = parse_action("update_reservation_flights")
    >>> have_same_noun(update, parse_action("cancel_reservation"))
    True
    >>> have_same_noun(parse_action("create_calendar_event"), parse_action("delete_calendar"))
    False
    """
    one, other = first.noun or first.object, then.noun or then.object
    if not (one and other) or one[-1] == other[-1]:
        return True
    partial = first.does is VerbEffect.CHANGE or first.verb in _PLACING_VERBS
    return partial and other[-1] in one


def needs_existing_entity(action: ToolAction) -> bool:
    """Return whether an action needs an existing entity, which it changes, removes or adds to."""
    if action.does is VerbEffect.MAKE:
        return not action.creates or bool(action.object and not action.noun)
    # A verb that is rare in tool names is parsed as a part of the noun.
    verb = action.verb or "".join(action.noun[:-1])
    return action.does in (VerbEffect.CHANGE, VerbEffect.UNMAKE) or verb in _FULFILLING_VERBS

"""What a tool's name says it does: a verb of a class, and the noun that it does it to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any

from abs_shield.text.names import name_words
from abs_shield.text.verbs import CLASSES, Does

_MINTING = frozenset(
    "create make new generate insert write save draft build upload provision launch init "
    "initialize setup register issue define append export log record enqueue emit "
    "upsert touch mkdir".split()
)
"""Verbs after which the thing did not exist before, so that its own name is the caller's."""

_OPPOSITES = {
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
_NOUNS = frozenset(
    "record order book log post note call export transfer share schedule trigger process charge "
    "purchase issue release draft build check track watch test filter request place tag label flag "
    "mark bookmark show count access like pin star file".split()
)
"""Verbs that stand for a thing as well."""
_THINGS = frozenset("hold build block visit launch leave reply scan poll patch".split())
"""Verbs that stand for a thing only behind another verb: ``place_hold``, but ``card_hold``."""
_STARTING = frozenset(
    "run order buy purchase submit apply place request pay charge transfer trigger file".split()
)
"""Acts that open a record, which a later call may take back."""
_PLACING = frozenset("add append attach insert".split())
"""Verbs that put a part into a whole."""
_CONJUNCTIONS = frozenset("and or then".split())
_PREPOSITIONS = frozenset("to from in into by for of on at with and or via as under".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """
    What a tool's name says.

    Attributes:
        does: The class of its verb.
        verb: The verb itself; empty where none is known.
        noun: Words of what it is done to, up to a preposition.
        object: Words behind the preposition: the group, the place.
        mints: Whether the noun comes into being by the call.
    """

    does: Does
    verb: str
    noun: tuple[str, ...]
    object: tuple[str, ...]
    mints: bool

    @property
    def opens(self) -> bool:
        """Whether the call makes or changes something, or opens a record of it."""
        return self.does in (Does.MAKE, Does.CHANGE) or self.verb in _STARTING

    @property
    def writes(self) -> bool:
        """Whether the name says more than looking."""
        return self.does.writes


@lru_cache(maxsize=4096)
def deed(name: str) -> Deed:
    """
    Read a tool's name, in English; a name in another language only acts.

    >>> d = deed("remove_user_from_channel"); d.does, d.noun, d.object
    (<Does.UNMAKE: 'unmake'>, ('user',), ('channel',))
    """
    if route := _ROUTE.match(name):
        return _of_route(route[1].upper(), route[2])
    service, _, operation = name.partition("_")
    if len(name_words(service)) > 1 and CLASSES.keys() & {*name_words(operation)[:1]}:
        return deed(operation)  # `GetTempMail_Create_Email`: the first word is no verb
    said = _joined(name_words(name))
    at = _verb(said)
    if at is None:
        return Deed(does=Does.ACT, verb="", noun=said, object=(), mints=False)
    after = said[at + 1 :]
    stop = next((n for n, word in enumerate(after) if word in _PREPOSITIONS), len(after))
    noun, tail = after[:stop], tuple(w for w in after[stop:] if w not in _PREPOSITIONS)
    verb = said[at]
    mints = verb in _MINTING or (verb in ("add", "book", "schedule", "reserve") and not tail)
    if verb == "open" and not _LOOKED_AT.isdisjoint(noun):
        return Deed(does=Does.READ, verb=verb, noun=noun, object=tail, mints=False)
    return Deed(does=CLASSES[verb], verb=verb, noun=noun or said[:at], object=tail, mints=mints)


_LOOKING = frozenset("return provide give compute display".split())
_SENTENCE = re.compile(r"[^.\n]{0,300}")


@lru_cache(maxsize=4096)
def described(name: str, description: str) -> Deed:
    """
    Read a tool's name; where it has no verb that is known, the first one of its description.

    It counts where it says that the tool creates something, or only looks: then no other word of
    the sentence may be a verb that does more.

    >>> described("git_branch", "Create a branch").mints
    True
    >>> described("air_quality", "Returns the index of a city.").does
    <Does.READ: 'read'>
    >>> described("files", "View, create and edit files").does
    <Does.ACT: 'act'>
    """
    done = deed(name)
    if done.verb or not description:
        return done
    sentence = _SENTENCE.findall(description)[0]
    said = [_infinitive(word) for word in name_words(sentence)]
    first = said[0] if said else ""
    if first == "create":
        return replace(done, does=Does.MAKE, verb=first, mints=True)
    does_more = any(
        word not in _NOUNS and CLASSES.get(word, Does.READ) not in (Does.READ, Does.ACT)
        for word in said[1:]
    )
    looks = first in _LOOKING or CLASSES.get(first) is Does.READ
    return replace(done, does=Does.READ) if looks and not does_more else done


def _infinitive(word: str) -> str:
    """A verb as descriptions begin with it, ``Creates``, without its ending."""
    return next((w for w in (word, word[:-1]) if w in CLASSES or w in _LOOKING), word)


_ANSWERS = frozenset("answer result response output reply".split())
_GIVING = frozenset("submit return give provide send emit produce report the a an your".split())


def returns_answer(name: str) -> bool:
    """
    Return whether a framework takes the agent's final answer by a tool of this name.

    >>> [returns_answer(name) for name in ("final_result", "submit_answer", "StructuredOutput")]
    [True, True, True]
    >>> [returns_answer(name) for name in ("submit_result", "calculate_final_result")]
    [False, False]
    """
    said = name_words(name)
    lead = next((n for n, word in enumerate(said) if word not in _GIVING), len(said))
    rest = said[lead:]
    if rest[:1] in (("final",), ("structured",)):
        return len(rest) > 1 and rest[1] in _ANSWERS
    return lead > 0 and rest == ("answer",)


_ROUTE = re.compile(r"\s*(get|head|post|put|patch|delete)[ _:]+(/\S{0,200})", re.IGNORECASE)
_METHODS = {
    "GET": (Does.READ, "get"), "HEAD": (Does.READ, "get"), "POST": (Does.MAKE, "create"),
    "PUT": (Does.CHANGE, "update"), "PATCH": (Does.CHANGE, "update"),
    "DELETE": (Does.UNMAKE, "delete"),
}  # fmt: skip
_LOOKED_AT = frozenset("url page link website webpage browser tab file document image".split())
"""What is opened to be read."""
COMMANDS = ("command", "action", "operation", "method", "op", "service", "subcommand")
_LONGEST = 128
_PHRASES = {
    ("turn", "on"): "enable", ("turn", "off"): "disable", ("switch", "on"): "enable",
    ("switch", "off"): "disable", ("check", "in"): "checkin", ("check", "out"): "checkout",
    ("sign", "up"): "register", ("log", "in"): "connect", ("log", "out"): "disconnect",
}  # fmt: skip
"""Verbs of two words."""
_SHELL = {
    "umount": ("unmount",), "ln": ("link",), "useradd": ("add", "user"),
    "adduser": ("add", "user"), "userdel": ("delete", "user"), "deluser": ("delete", "user"),
    "groupadd": ("add", "group"), "addgroup": ("add", "group"), "groupdel": ("delete", "group"),
    "delgroup": ("delete", "group"), "mkfile": ("create", "file"), "rmfile": ("delete", "file"),
}  # fmt: skip
"""Commands of a shell, as verbs and what they are done to."""


def _joined(said: tuple[str, ...]) -> tuple[str, ...]:
    """The words with a verb of two words as one, and commands of a shell in words."""
    said = tuple(chain.from_iterable(_SHELL.get(word, (word,)) for word in said))
    for n, pair in enumerate(pairwise(said)):
        if pair in _PHRASES:
            return (*said[:n], _PHRASES[pair], *said[n + 2 :])
    return said


def _of_route(method: str, path: str) -> Deed:
    """What an operation does that is called after its route: ``POST /orders/{id}/notes``."""
    steps = [step for step in path.split("/") if step and step[0] not in "{:<"]
    does, verb = _METHODS[method]
    noun = name_words(steps[-1]) if steps else ()
    return Deed(does=does, verb=verb, noun=noun, object=(), mints=does is Does.MAKE)


def _verb(said: tuple[str, ...]) -> int | None:
    """Where the verb stands: first, or last behind its noun, as in ``dns_record_delete``."""
    last = len(said) - 1
    known = [
        n
        for n, word in enumerate(said)
        if word in CLASSES and not (0 < n == last and word in _NOUNS)
    ]
    if len(known) > 1 and known[-1] == last and said[last] in _THINGS:
        known.pop()
    strong = [n for n in known if said[n] not in _NOUNS]
    if 0 not in strong and strong and strong[-1] == last:
        return strong[-1]
    return known[0] if known else None


def also_writes(name: str) -> str:
    """
    Give the verb of a name, besides its first one, that says more than looking; empty for none.

    >>> [also_writes(name) for name in ("get_or_create_user", "find_and_book_room", "get_book")]
    ['create', 'book', '']
    """
    said = () if _ROUTE.match(name) else _joined(name_words(name))
    at = _verb(said)
    for n, word in enumerate(said):
        joined = 0 < n and said[n - 1] in _CONJUNCTIONS
        if n != at and (word not in _NOUNS or joined) and CLASSES.get(word, Does.READ).writes:
            return word
    return ""


def commanded(arguments: Mapping[str, Any]) -> Deed | None:
    """Give what an argument of a tool with several verbs says: ``{"command": "create"}``."""
    for name in COMMANDS:
        word = arguments.get(name)
        if isinstance(word, str) and (told := deed(word[:_LONGEST])).verb:
            return told
    return None


def opposite(first: Deed, then: Deed) -> bool:
    """Whether two verbs say the exact opposite of each other: lock and unlock."""
    return frozenset({first.verb, then.verb}) in _OPPOSITES


_TURNED = {frozenset(pair.split("/")) for pair in "on/off buy/sell in/out long/short".split()}


OPPOSITES = _OPPOSITES | _TURNED
"""Pairs of words that say the opposite of each other."""


def are_opposite(one: str, other: str) -> bool:
    """
    Return whether two words of an interface are opposite: two verbs, or a verb's direction.

    >>> are_opposite("BUY", "sell"), are_opposite("lock", "unlock"), are_opposite("buy", "hold")
    (True, True, False)
    """
    return frozenset((one.casefold(), other.casefold())) in OPPOSITES


def same_noun(first: Deed, then: Deed) -> bool:
    """
    Whether two deeds are done to one kind of thing: the last word of a noun says which.

    What changes a part of a thing meets what is done to the whole.

    >>> same_noun(deed("update_reservation_flights"), deed("cancel_reservation"))
    True
    >>> same_noun(deed("create_calendar_event"), deed("delete_calendar"))
    False
    """
    one, other = first.noun or first.object, then.noun or then.object
    if not (one and other) or one[-1] == other[-1]:
        return True
    partial = first.does is Does.CHANGE or first.verb in _PLACING
    return partial and other[-1] in one


def touches(done: Deed) -> bool:
    """Whether a deed needs its thing to be there: it changes, removes, or adds to it."""
    if done.does is Does.MAKE:
        return not done.mints or bool(done.object and not done.noun)
    return done.does in (Does.CHANGE, Does.UNMAKE)

"""Words in the names of tools, parameters and fields, and their synonyms."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
LONGEST_NAME = 128
"""Characters of a name that are read and cached; names by authors have about 30."""

FREE = frozenset(
    "body message messages text content contents description summary query queries reason reasons "
    "note notes comment comments prompt question answer instruction instructions title subject "
    "expression sql command script pattern regex template caption details remark remarks "
    "feedback search keyword keywords topic objective goal thought thoughts plan response reply "
    "explanation justification statement memo purpose html markdown filter where condition".split()
)
"""Words of parameters that hold text composed by the agent."""

_WORKING = frozenset(
    "code command cmd script sql patch diff source expression stdin content contents str string "
    "program html markdown template cell data".split()
)
_TELLING = frozenset(
    "send post reply message mail email notify comment note sms chat tweet".split()
)
_PLURALS = (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"))
_LEAST_ABBREVIATED = 4  # letters of a word; people do not abbreviate shorter ones
_NO_PLURALS = frozenset(
    "address status news series access process alias bonus class business".split()
)
NATIONAL = frozenset(
    "dni nif cpf cnpj rut rfc curp cuil cuit clabe personnummer personnr pesel regon bsn aadhaar "
    "cnic nric egn jmbg oib tckn snils hetu nino tfn".split()
)
"""Local names of the numbers of people and firms in some thirty countries."""


def name_words(name: str) -> tuple[str, ...]:
    """
    Return the words of an identifier in lower case, in the singular.

    >>> name_words("userIDs"), name_words("order_items"), name_words("getWebpage")
    (('user', 'id'), ('order', 'item'), ('get', 'webpage'))
    """
    return _name_words(name[:LONGEST_NAME])


# The names of tools and fields are the same in every call.
@lru_cache(maxsize=4096)
def _name_words(name: str) -> tuple[str, ...]:
    # The pattern would split "IDs" into "I" and "Ds".
    return tuple(map(singular, split_words(name.replace("IDs", "Ids"))))


_GENERIC = frozenset("id uuid guid number no num name key code value ref reference handle".split())


def subject_words(name: str) -> frozenset[str]:
    """
    Return the words of a name that describe its values.

    >>> sorted(subject_words("order_id")), sorted(subject_words("id"))
    (['order'], [])
    """
    return _of_what(name[:LONGEST_NAME])


@lru_cache(maxsize=4096)
def _of_what(name: str) -> frozenset[str]:
    return frozenset(name_words(name)) - _GENERIC


def is_of_kind(one: frozenset[str], other: frozenset[str]) -> bool:
    """
    Return whether two names describe one kind of thing, one perhaps in more detail.

    >>> is_of_kind(subject_words("order_id"), subject_words("customer_order_id"))
    True
    >>> is_of_kind(subject_words("order_item_id"), subject_words("menu_item_id"))
    False
    """
    return bool(one and other) and (one <= other or other <= one)


def split_words(name: str) -> list[str]:
    """
    Return the words of an identifier in lower case, unchanged.

    >>> split_words("getUserHTML_2")
    ['get', 'user', 'html', '2']
    """
    return [word.casefold() for word in _WORD.findall(name)]


def singular(word: str) -> str:
    """
    Return an English word without its plural ending.

    >>> singular("entries"), singular("addresses"), singular("status"), singular("users")
    ('entry', 'address', 'status', 'user')
    """
    if word in _NO_PLURALS or len(word) < 3:
        return word
    for ending, stem in _PLURALS:
        if word.endswith(ending):
            return word[: -len(ending)] + stem
    # "glass", "bus" and "this" are singular
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def abbreviates(letters: str, word: str) -> bool:
    """
    Return whether *letters* are the first letter of *word* and other letters of it, in order.

    >>> abbreviates("apt", "appointment"), abbreviates("tsla", "amazon")
    (True, False)
    """
    if len(word) < _LEAST_ABBREVIATED or not word.isalpha() or word[0] != letters[0]:
        return False
    # `in` consumes the iterator, so that the letters must occur in this order.
    rest = iter(word)
    return all(letter in rest for letter in letters)


def is_free_text_field(name: str) -> bool:
    """
    Return whether a parameter of this name holds free text, by its last word.

    >>> is_free_text_field("message_body"), is_free_text_field("message_id")
    (True, False)
    """
    words = name_words(name)
    return bool(words) and (words[-1] in FREE)


def is_machine_input_field(name: str, tool: str) -> bool:
    """
    Return whether a parameter of this name holds machine input: a command, a file's content.

    The output of a program is new information, whereas a sent message that comes back is an echo.

    >>> is_machine_input_field("command", "run_shell")
    True
    >>> is_machine_input_field("content", "send_message")
    False
    """
    words = name_words(name)
    telling = not _TELLING.isdisjoint(name_words(tool))
    return bool(words) and words[-1] in _WORKING and not telling


_GROUPS = (
    "send transmit dispatch deliver forward",
    "list show get fetch read view retrieve display see load obtain pull",
    "find search query lookup locate seek",
    "create make add new generate insert build produce",
    "delete erase remove destroy drop purge discard",
    "update change modify edit set alter amend revise adjust patch",
    "buy purchase book order reserve acquire",
    "cancel abort revoke void withdraw",
    "start begin launch run execute trigger invoke",
    "stop end halt terminate kill",
    "compute calculate evaluate",
    "write save store put",
    "close finish complete",
    "assign allocate",
    "check verify validate confirm",
    "message msg text sms",
    "email mail",
    "file document doc",
    "user account customer client member",
    "money fund funds payment cash",
    "info detail details information data",
    "photo image picture",
    "folder directory",
    "database db",
    "repo repository",
)
_CANONICAL = {word: row.split()[0] for row in _GROUPS for word in row.split()}


def canonical(word: str) -> str:
    """
    Return the representative of a word's synonyms; *word* itself if it has none.

    >>> canonical("erase"), canonical("refund")
    ('delete', 'refund')
    """
    return _CANONICAL.get(word, word)


# Meanings of reads: suggesting a read instead of an action is harmless.
_HARMLESS = frozenset({"list", "find", "check", "compute"})


def have_different_meanings(one: str, other: str) -> bool:
    """
    Return whether *other* has a different meaning from *one*, and is not a read.

    >>> [have_different_meanings("erase", other) for other in ("create", "delete", "read")]
    [True, False, False]
    """
    meant = _CANONICAL.get(other)
    return one in _CANONICAL and meant not in (None, _CANONICAL[one]) and meant not in _HARMLESS

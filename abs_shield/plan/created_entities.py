"""What a call brings into being: its name is the caller's, and comes from nowhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from abs_shield.plan.parameter_names import classify_name, is_path
from abs_shield.plan.tool_action import ToolAction, parse_action_argument
from abs_shield.policy import Tool
from abs_shield.policy.places import keys_of
from abs_shield.text.leaves import Path, name_of, parent_of
from abs_shield.text.names import is_free, name_words, of_what
from abs_shield.text.normal import normal
from abs_shield.text.synonyms import canonical
from abs_shield.text.verbs import Does

_OWN = frozenset(
    "id name number key code title slug path file filename filepath label username".split()
)
_PLACING = frozenset("add book schedule reserve register append".split())
"""Verbs that bring a thing into a place: the other things they name exist already."""
_CLIENT = frozenset("idempotency correlation trace nonce dedup deduplication".split())
"""Identifiers that by convention the caller makes up for each write."""
_MARKS = frozenset("id uuid guid token key".split())
"""What marks one request to a service: ``request_id``; its number is that of an application."""
_IN_A_FILE = frozenset("file path filename filepath".split())
_LONGEST_SAID, _FIRST = 300, 5
_CALLERS = frozenset("client caller external".split())
_RECORD = frozenset("message request operation event record entry job run batch log".split())
"""What a creating call calls the record that it makes, whatever its noun."""
_OFFERS = frozenset("coupon promo promotion discount voucher".split())
"""Whichever of them a call makes, its code has the name of any."""
_NEW = frozenset(
    "new dest destination target output remote local to drive s3 object blob storage".split()
)
"""Words around the name of what is made, which say where it is put."""
_OUTPUT = frozenset(
    "screenshot capture download export save render snapshot dump backup plot draw print convert "
    "record write generate".split()
)
"""Words of tools that leave a file, of a name that the caller gives it."""
_FILES = frozenset(
    tuple(name.split("_"))
    for name in "filename file_name name output output_path path filepath file_path".split()
)
_CONTENT = frozenset("content body text data html markdown code source byte base64".split())
"""What is in a file; its title is none of it."""
_SOMEBODY = frozenset(
    "party contact user customer client patient employee member lead attendee guest person "
    "passenger tenant candidate student driver supplier vendor".split()
)
"""Whoever is entered has a name before."""
_TITLES = frozenset({("name",), ("title",), ("label",)})
_CREATING_STATEMENT = re.compile(
    r"\bcreate\s{1,4}(?:or\s{1,4}replace\s{1,4})?(?:temp(?:orary)?\s{1,4})?"
    r"(?:table|view|database|schema|index|function|procedure|sequence|role|user|collection)\s{1,4}"
    r"(?:if\s{1,4}not\s{1,4}exists\s{1,4})?([^\s(;,]{1,128})"
    r"|\b(?:mkdir(?:\s{1,4}-p)?|touch|git\s{1,4}(?:checkout|switch)\s{1,4}-[bBc]"
    r"|git\s{1,4}branch|(?:cp|mv)\s{1,4}[^\s-]\S{0,128})\s{1,4}([^\s;|&]{1,128})",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"([^\W\d_]{2,30})[ _-]?(\d{0,2})")


def creates(tool: Tool, action: ToolAction, path: Path) -> bool:
    """Whether the leaf at *path* names what a call of *tool* brings into being."""
    root = str(path[0]) if path else ""
    if keys_of(path, tool.creates, tool.parameters):
        return True
    said = frozenset(name_words(root))
    if action.writes and (said & _CLIENT or _is_callers(root) or _marks_request(root, tool)):
        return True
    if keys_of(path[:1], tool.targets, tool.parameters):
        return False
    if names_file(path) and not _OUTPUT.isdisjoint(name_words(tool.name)):
        return True
    if len(path) > 1:
        return action.creates and name_words(name_of(path)) in _TITLES and not _is_of_somebody(path)
    if action.does is Does.CHANGE and "new" in said:
        return bool(said & _OWN)
    if action.verb == "upload" and (_is_source(path, tool) or "id" in said):
        return False
    own = frozenset(map(canonical, said - _NEW))
    if not (action.creates and own):
        return False
    if own == {"name"} and not _SOMEBODY.isdisjoint(action.noun):
        return False
    if said & _MARKS and said & _IN_A_FILE and action.noun[-1:] not in (("file",), ("document",)):
        return False  # the id of a file that is there: `create_job(file_id=...)`
    placed = action.verb in _PLACING
    made = _OWN if placed else _OWN | _RECORD
    if not placed or _says_new(tool, action):
        made = made | frozenset(action.noun[-1:])
        made = made if _OFFERS.isdisjoint(action.noun) else made | _OFFERS
    return own <= frozenset(map(canonical, made))


def _says_new(tool: Tool, action: ToolAction) -> bool:
    """Whether a description begins so that what the tool places is new: "Register a new sample"."""
    said = name_words((tool.description or "")[:_LONGEST_SAID])[:_FIRST]
    return any(("new", noun) in pairwise(said) for noun in action.noun[-1:])


def _is_source(path: Path, tool: Tool) -> bool:
    """Whether a path names what is there already: the tool is not given its content."""
    known = tool.parameters if isinstance(tool.parameters, Mapping) else {}
    properties = known.get("properties")
    names = [str(name) for name in properties] if isinstance(properties, Mapping) else []
    given = {word for name in names for word in name_words(name)[-1:]}
    return is_path(name_of(path)) and _CONTENT.isdisjoint(given)


def names_file(path: Path) -> bool:
    """Whether the leaf at *path* is a file's name, as far as its own name says."""
    return name_words(name_of(path)) in _FILES


def is_creation_command(arguments: Mapping[str, Any]) -> bool:
    """Whether one argument is the verb of a tool with several: ``{"command": "create"}``."""
    told = parse_action_argument(arguments)
    return told is not None and told.creates


def _is_callers(name: str) -> bool:
    """Whether a parameter of this name is the caller's own number: ``client_order_id``."""
    said = name_words(name)
    return len(said) > 2 and said[0] in _CALLERS


def _marks_request(name: str, tool: Tool) -> bool:
    """Whether a parameter tells one call from its repetition, and names no request acted upon."""
    said = name_words(name)
    if said[-2:-1] != ("request",) or said[-1] not in _MARKS or said[:-2] not in ((), ("x",)):
        return False
    # At the front of a tool's name it is the verb: `request_refund`.
    return "request" not in name_words(tool.name)[1:]


def _is_of_somebody(path: Path) -> bool:
    """Whether a nested name is that of a person or an account: ``attendees/0/name``."""
    around = [word for step in path[:-1] if isinstance(step, str) for word in name_words(step)]
    return any(classify_name(word) in ("who", "soft", "hard") and word != "item" for word in around)


def is_list_key(
    path: Path, text: str, arguments: Mapping[str, Any], beside: frozenset[str]
) -> bool:
    """
    Return whether a value only tells the new objects of one list apart.

    It is a word, with a small number or without, and names an object that the call describes:
    ``{"meals": [{"meal_id": "lunch", "dishes": [...]}]}``; or it counts objects of a kind that
    the call names: ``resistor2``.

    Args:
        path: Where the value stands.
        text: The value.
        arguments: All arguments.
        beside: The first of their texts, in normal form.
    """
    counted = _COUNTED.fullmatch(text)
    if counted is None or not any(isinstance(step, int) for step in path):
        return False
    if counted[2] and normal(counted[1]) in beside:
        return True
    if len(path) < 3 or not isinstance(path[-2], int):
        return False
    held = parent_of(path, arguments)
    own = of_what(name_of(path)) <= frozenset(name_words(str(path[-3])))
    return own and isinstance(held, Mapping) and any(map(_is_description, held.items()))


def _is_description(member: tuple[Any, Any]) -> bool:
    """Whether a member says what a new object is: its title, a text, or what it consists of."""
    name, value = member
    if isinstance(value, (list, Mapping)):
        return bool(value)
    return isinstance(name, str) and (is_free(name) or name_words(name) in _TITLES)


def names_created_by_statements(text: str) -> list[str]:
    """
    Return the names of what SQL or shell statements in *text* create.

    >>> names_created_by_statements("CREATE TABLE IF NOT EXISTS a.b (x int)")
    ['a.b']
    >>> names_created_by_statements("cd /srv && mkdir -p out")
    ['out']
    """
    return [(table or path).strip("\"'`") for table, path in _CREATING_STATEMENT.findall(text)]

"""The entities that a call creates: the caller chooses their names, which need no mention."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from abs_shield.plan.parameter_names import classify_name, is_path
from abs_shield.plan.tool_action import ToolAction, parse_action_argument
from abs_shield.policy import Tool
from abs_shield.policy.parameter_marks import keys_of
from abs_shield.text.identifier_words import (
    canonical,
    is_free_text_field,
    name_words,
    subject_words,
)
from abs_shield.text.json_leaves import Path, name_of, parent_of
from abs_shield.text.lazy_pattern import lazy_pattern
from abs_shield.text.normal_form import normal
from abs_shield.text.verbs import VerbEffect

_OWN_WORDS = frozenset(
    "id name number key code title slug path file filename filepath label username".split()
)
_PLACING_VERBS = frozenset("add book schedule reserve register append".split())
"""Verbs that put a thing into a place: the other things that the call names already exist."""
_CLIENT_WORDS = frozenset("idempotency correlation trace nonce dedup deduplication".split())
"""Identifiers that the caller by convention invents for each write."""
_MARK_WORDS = frozenset("id uuid guid token key".split())
"""Words after ``request`` that identify one call; a ``request_number`` is an application's."""
_FILE_WORDS = frozenset("file path filename filepath".split())
_MAX_DESCRIPTION, _FIRST_WORDS = 300, 5  # the first words of a description say what the call does
_CALLER_WORDS = frozenset("client caller external".split())
_RECORD_WORDS = frozenset("message request operation event record entry job run batch log".split())
"""Words for the created record, whatever noun the tool's name has."""
_OFFER_WORDS = frozenset("coupon promo promotion discount voucher".split())
"""Synonyms for an offer: the code of one may be called the code of another."""
_DESTINATION_WORDS = frozenset(
    "new dest destination target output remote local to drive s3 object blob storage".split()
)
"""Words in the name of a created thing that say where it is stored."""
_OUTPUT_WORDS = frozenset(
    "screenshot capture download export save render snapshot dump backup plot draw print convert "
    "record write generate".split()
)
"""Words of tools that write a file with a name chosen by the caller."""
_FILE_NAMES = frozenset(
    tuple(name.split("_"))
    for name in "filename file_name name output output_path path filepath file_path".split()
)
_CONTENT_WORDS = frozenset("content body text data html markdown code source byte base64".split())
"""Words for the content of a file; its title is not content."""
_SENT_CONTENT_NAMES = frozenset((word,) for word in "content contents text base64 bytes".split())
"""Words for the content of a file beside its path; `{"path": ..., "data": ...}` is a request."""
_PERSON_WORDS = frozenset(
    "party contact user customer client patient employee member lead attendee guest person "
    "passenger tenant candidate student driver supplier vendor".split()
)
"""Nouns for people, who already have a name when they are registered."""
_TITLE_NAMES = frozenset({("name",), ("title",), ("label",)})
# Bounded repeats, as the statement is the model's text: each part is read in linear time.
_CREATING_STATEMENT = lazy_pattern(
    r"\bcreate\s{1,4}(?:or\s{1,4}replace\s{1,4})?(?:temp(?:orary)?\s{1,4})?"
    r"(?:table|view|database|schema|index|function|procedure|sequence|role|user|collection)\s{1,4}"
    r"(?:if\s{1,4}not\s{1,4}exists\s{1,4})?([^\s(;,]{1,128})"
    r"|\b(?:mkdir(?:\s{1,4}-p)?|touch|git\s{1,4}(?:checkout|switch)\s{1,4}-[bBc]"
    r"|git\s{1,4}branch|(?:cp|mv)\s{1,4}[^\s-]\S{0,128})\s{1,4}([^\s;|&]{1,128})",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"([^\W\d_]{2,30})[ _-]?(\d{0,2})")


def names_new_entity(tool: Tool, action: ToolAction, path: Path) -> bool:
    """Return whether the leaf at *path* names a thing that a call of *tool* creates."""
    root = str(path[0]) if path else ""
    if keys_of(path, tool.creates, tool.parameters):
        return True
    words = frozenset(name_words(root))
    # The caller's own numbers need no mention, whatever the call creates.
    if action.writes and (
        words & _CLIENT_WORDS or _is_caller_number(root) or _is_request_key(root, tool)
    ):
        return True
    # A parameter that the author marked as a target names an existing thing.
    if keys_of(path[:1], tool.targets, tool.parameters):
        return False
    if names_file(path) and not _OUTPUT_WORDS.isdisjoint(name_words(tool.name)):
        return True
    if len(path) > 1:
        return (
            action.creates
            and name_words(name_of(path)) in _TITLE_NAMES
            and not _is_name_of_person(path)
        )
    # A change sets the value of a parameter such as `new_name`.
    if action.does is VerbEffect.CHANGE and "new" in words:
        return bool(words & _OWN_WORDS)
    if action.verb == "upload" and (_names_existing_file(path, tool) or "id" in words):
        return False
    # The words for the destination do not say what the thing is: `remote_path`.
    own = frozenset(map(canonical, words - _DESTINATION_WORDS))
    if not (action.creates and own):
        return False
    # The name of a person is known before the account exists.
    if own == {"name"} and not _PERSON_WORDS.isdisjoint(action.noun):
        return False
    if (
        words & _MARK_WORDS
        and words & _FILE_WORDS
        and action.noun[-1:] not in (("file",), ("document",))
    ):
        return False  # the id of an existing file: `create_job(file_id=...)`
    is_placing = action.verb in _PLACING_VERBS
    allowed_words = _OWN_WORDS if is_placing else _OWN_WORDS | _RECORD_WORDS
    if not is_placing or _describes_new(tool, action):
        allowed_words = allowed_words | frozenset(action.noun[-1:])
        allowed_words = (
            allowed_words if _OFFER_WORDS.isdisjoint(action.noun) else allowed_words | _OFFER_WORDS
        )
    return own <= frozenset(map(canonical, allowed_words))


def _describes_new(tool: Tool, action: ToolAction) -> bool:
    """Return whether a description begins like "Register a new sample", with the tool's noun."""
    words = name_words((tool.description or "")[:_MAX_DESCRIPTION])[:_FIRST_WORDS]
    return any(("new", noun) in pairwise(words) for noun in action.noun[-1:])


def _names_existing_file(path: Path, tool: Tool) -> bool:
    """Return whether a path names an existing file, as no parameter takes the content."""
    schema = tool.parameters if isinstance(tool.parameters, Mapping) else {}
    properties = schema.get("properties")
    names = [str(name) for name in properties] if isinstance(properties, Mapping) else []
    last_words = {word for name in names for word in name_words(name)[-1:]}
    return is_path(name_of(path)) and _CONTENT_WORDS.isdisjoint(last_words)


def names_file(path: Path) -> bool:
    """Return whether the leaf at *path* is a file's name, judging by its own name."""
    return name_words(name_of(path)) in _FILE_NAMES


def sends_content(path: Path, arguments: Mapping[str, Any], tool: Tool, action: ToolAction) -> bool:
    """
    Return whether a call sends the file at *path* with its content, so that the file may be new.

    >>> from abs_shield.plan.tool_action import parse_action
    >>> arguments = {"files": [{"path": "run.sh", "content": "ls"}]}
    >>> tool = Tool(name="push_files")
    >>> sends_content(("files", 0, "path"), arguments, tool, parse_action(tool.name))
    True
    """
    # An update needs a file that exists, and a destructive call would overwrite it.
    creates = action.does in (VerbEffect.MAKE, VerbEffect.ACT) and not tool.destructive
    if not (creates and names_file(path)):
        return False
    parent = parent_of(path, arguments)
    return isinstance(parent, Mapping) and any(
        isinstance(value, str) and name_words(str(name))[-1:] in _SENT_CONTENT_NAMES
        for name, value in parent.items()
    )


def is_creation_command(arguments: Mapping[str, Any]) -> bool:
    """Return whether one argument is a creating verb: ``{"command": "create"}``."""
    action = parse_action_argument(arguments)
    return action is not None and action.creates


def _is_caller_number(name: str) -> bool:
    """Return whether a parameter of this name is the caller's own number: ``client_order_id``."""
    words = name_words(name)
    return len(words) > 2 and words[0] in _CALLER_WORDS


def _is_request_key(name: str, tool: Tool) -> bool:
    """Return whether a parameter identifies the call itself, not a request that it acts on."""
    words = name_words(name)
    if (
        words[-2:-1] != ("request",)
        or words[-1] not in _MARK_WORDS
        or words[:-2] not in ((), ("x",))
    ):
        return False
    # as the first word of a tool's name it is the verb: `request_refund`
    return "request" not in name_words(tool.name)[1:]


def _is_name_of_person(path: Path) -> bool:
    """Return whether a nested name is that of a person or an account: ``attendees/0/name``."""
    around = [word for step in path[:-1] if isinstance(step, str) for word in name_words(step)]
    return any(classify_name(word) in ("who", "soft", "hard") and word != "item" for word in around)


def is_list_key(
    path: Path, text: str, arguments: Mapping[str, Any], other_texts: frozenset[str]
) -> bool:
    """
    Return whether a value only distinguishes the new objects of one list.

    Such a value is a word, with or without a number of at most two digits. It either names an
    object that the call describes, ``{"meals": [{"meal_id": "lunch", "dishes": [...]}]}``, or
    counts objects of a kind that the call names, ``resistor2``.

    Args:
        path: Path to the value.
        text: The value.
        arguments: All arguments of the call.
        other_texts: The texts in the arguments, normalised; a long call has only its first here.
    """
    # At most two digits: a longer number is an id that exists outside this call.
    counted = _COUNTED.fullmatch(text)
    if counted is None or not any(isinstance(step, int) for step in path):
        return False
    if counted[2] and normal(counted[1]) in other_texts:
        return True
    if len(path) < 3 or not isinstance(path[-2], int):
        return False
    parent = parent_of(path, arguments)
    own = subject_words(name_of(path)) <= frozenset(name_words(str(path[-3])))
    return own and isinstance(parent, Mapping) and any(map(_is_description, parent.items()))


def _is_description(member: tuple[Any, Any]) -> bool:
    """Return whether a member describes a new object: a title, a text, or its parts."""
    name, value = member
    if isinstance(value, (list, Mapping)):
        return bool(value)
    return isinstance(name, str) and (is_free_text_field(name) or name_words(name) in _TITLE_NAMES)


def parse_created_names(text: str) -> list[str]:
    """
    Return the names of the things that SQL or shell statements in *text* create.

    >>> parse_created_names("CREATE TABLE IF NOT EXISTS a.b (x int)")
    ['a.b']
    >>> parse_created_names("cd /srv && mkdir -p out")
    ['out']
    """
    return [(table or path).strip("\"'`") for table, path in _CREATING_STATEMENT.findall(text)]

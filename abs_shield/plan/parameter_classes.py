"""The class of a parameter by its schema, its name and its description."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from abs_shield.plan.parameter_names import ParameterClass, classify_name, is_direction
from abs_shield.plan.tool_action import ToolAction, is_answer_tool
from abs_shield.policy import Tool
from abs_shield.schema.duration_pattern import DURATION
from abs_shield.text.identifier_words import is_free_text_field, name_words
from abs_shield.text.json_leaves import Path, name_of
from abs_shield.text.lazy_pattern import lazy_pattern

_FORMATS = frozenset(
    {"email", "idn-email", "uuid", "uri", "iri", "hostname", "ipv4", "ipv6", "uri-reference"}
)
_MOMENTS = frozenset({"date", "time", "date-time", "duration"})
_NAME_FIELDS = (("name",), ("id",), ("key",), ("code",))
THINKING_TOOL = re.compile(r"think|thought|scratchpad", re.IGNORECASE)
"""Tools with which a model writes down its reasoning."""
_ID_IN_DESCRIPTION = re.compile(
    r"\b(?:identifier|uuid|guid|iban)\b|\b(?:the|an?) ids?\b|\bids? of\b"
    r"|\be-?mail address(?:es)?\b|\bphone number\b",
    re.IGNORECASE,
)
_TEXT_TYPE = re.compile(
    r"\s*(?:text/|application/(?:[\w.-]{1,64}\+)?(?:json|xml|yaml)\b)", re.IGNORECASE
)
_FILE_IN_DESCRIPTION = re.compile(
    r"\b(?:path|file ?path|file ?name|name of the file|url)s? (?:to|of) ", re.IGNORECASE
)
_NEW_IN_DESCRIPTION = lazy_pattern(
    r"\b(?:saved?|saving|outputs?|results?|writ(?:e|es|ten|ing)|stor(?:e|ed|ing)|created?|new"
    r"|generated?|destination|exported?|directory|folder|page|endpoint)\b",
    re.IGNORECASE,
)
"""Words for things that the call creates, or that an agent explores."""
_PLACE_IN_DESCRIPTION = re.compile(
    r"\b(?:city|cities|town|village|station|airport|place|location|country)\b", re.IGNORECASE
)
_ADDRESSEE_NAMES = (("to",), ("cc",), ("bcc",), ("send", "to"))
_MESSAGE_WORDS = frozenset(
    "message email mail text sms dm letter note invitation invite notification notify".split()
)
_MAX_SEARCHED_DESCRIPTION = 500  # the first sentences say what a parameter contains


def classify_parameter(
    path: Path, schema: Mapping[str, Any], *, tool: Tool, action: ToolAction
) -> ParameterClass:
    """
    Return the class of a parameter without a declaration of the author.

    Args:
        path: The path of the parameter.
        schema: Its schema.
        tool: Its tool.
        action: The action that the tool's name describes.
    """
    name = name_of(path)
    # Listed values, dates and times are checked by the schema and do not identify entities.
    if "enum" in schema or "const" in schema or _is_moment(schema):
        return "never"
    if THINKING_TOOL.search(tool.name):
        return "never"
    if schema.get("format") in _FORMATS:
        return "hard"
    if is_free_text_field(name) or _is_plain_member(path):
        return "never"
    judged_as = classify_name(name)
    if judged_as == "open" and _names_addressee(name, action):
        return "who"
    if judged_as == "soft" and is_answer_tool(tool.name):
        return "public"  # an answer may name what the agent knows
    if judged_as != "open":
        return judged_as
    return _classify_by_description(name, schema)


def _is_moment(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema is that of a date, a time or a duration."""
    return schema.get("format") in _MOMENTS or schema.get("pattern") == DURATION


def _names_addressee(name: str, action: ToolAction) -> bool:
    """Return whether a parameter names the recipient of a message: ``send_message(to=...)``."""
    if name_words(name) not in _ADDRESSEE_NAMES or not action.writes:
        return False
    return not _MESSAGE_WORDS.isdisjoint((action.verb, *action.noun))


def _classify_by_description(name: str, schema: Mapping[str, Any]) -> ParameterClass:
    """Return the class of a parameter by its description; ``open`` if that has none either."""
    description = schema.get("description")
    text = description[:_MAX_SEARCHED_DESCRIPTION] if isinstance(description, str) else ""
    media_type = schema.get("contentMediaType")
    # A JSON text is content; a medium such as `audio/mpeg` is passed by its name.
    names_medium = media_type is not None and _TEXT_TYPE.match(str(media_type)) is None
    if _ID_IN_DESCRIPTION.search(text) or names_medium:
        return "hard"
    if _FILE_IN_DESCRIPTION.search(text) and not _NEW_IN_DESCRIPTION.search(text):
        return "hard"
    return "soft" if is_direction(name) and _PLACE_IN_DESCRIPTION.search(text) else "open"


def _is_plain_member(path: Path) -> bool:
    """
    Return whether a nested ``name`` or ``id`` is not judged: ``{"status": {"name": "Open"}}``.
    """
    steps = [step for step in path if isinstance(step, str)]
    if len(steps) < 2 or name_words(steps[-1]) not in _NAME_FIELDS:
        return False
    return classify_name("_".join(steps[-2:])) == "never"

"""Readers of the commands' JSON input files, and of the line of each tool in one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from json import JSONDecoder
from pathlib import Path
from typing import Annotated, Any

import typer

from abs_shield.cli.usage_errors import BadInput
from abs_shield.policy import Tool
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.replay.toolsets import EVERY_RUN, Toolsets, is_answer, tools_of, unwrap_result
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import escaped, shown

_LISTED = 8  # names in a message of one line
ToolsFile = Annotated[
    str | None,
    typer.Option(
        "--tools", metavar="FILE", help="JSON: a list of tools, or an object of such lists."
    ),
]
"""The `--tools` option of commands that read runs, or one call."""


def parse_json(text: bytes, *, path: str) -> Any:
    """
    Return the parsed JSON of *text*; *path* names the file in errors.

    Raises:
        BadInput: The text is not JSON.
    """
    try:
        # Windows tools write a BOM, which `json` rejects
        return json.loads(text.decode("utf-8-sig"))
    except RecursionError:
        raise BadInput(f"{path}: it is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: it is not UTF-8 at byte {error.start}; give a JSON file") from None
    except ValueError as error:
        raise BadInput(f"{path}: it is not JSON: {error}; give a JSON file") from None


def read_toolsets(path: str | None) -> dict[str, Any]:
    """
    Read a file of toolsets: an object of name to list of tools, or one list for every run.

    Raises:
        BadInput: The file holds neither, or no tools, or a tool cannot be read.
    """
    if path is None:
        return {}
    toolsets = unwrap_result(parse_json(Path(path).read_bytes(), path=path))
    # the answer of an MCP server to `tools/list`, saved as it is
    if is_answer(toolsets):
        toolsets = {"tools": toolsets["tools"]}
    if isinstance(toolsets, list):
        toolsets = {EVERY_RUN: toolsets}
    if not isinstance(toolsets, dict):
        raise BadInput(
            f"{path}: it is {shown(toolsets)}; give a list of tools, or an object of name to lists"
        )
    try:
        # checked here, where the error can still name the file
        Toolsets(toolsets)
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None
    # a list may be empty, if others are not: a run may have no tools
    if not any(toolsets.values()):
        raise BadInput(_without_tools(path))
    return toolsets


def _without_tools(path: str) -> str:
    return f"{path}: it holds no tools; give a list of at least one tool"


def read_tools(path: str | None, toolset: str | None = None) -> tuple[Tool, ...]:
    """
    Read a list of tools, or an object of such lists, one named by *toolset*.

    Raises:
        BadInput: The file holds no single list, or no tools, or a tool cannot be read.
    """
    if path is None:
        if toolset is not None:
            raise BadInput("`--toolset` names a list of `--tools`; give that file")
        return ()
    listed = unwrap_result(parse_json(Path(path).read_bytes(), path=path))
    if isinstance(listed, Mapping) and not is_answer(listed):
        listed = listed[resolve_toolset(listed, toolset, path=path)]
    elif toolset is not None:
        raise BadInput(f"{path}: it is one list of tools; leave `--toolset` out")
    try:
        tools = tools_of(listed)
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None
    if not tools:
        raise BadInput(_without_tools(path))
    return tools


def resolve_toolset(toolsets: Mapping[str, Any], toolset: str | None, *, path: str) -> str:
    """
    Return the name of the selected list of tools.

    Raises:
        BadInput: There are several and *toolset* is None, or no list has this name.
    """
    if toolset is None and (len(toolsets) == 1 or "tools" in toolsets):
        return "tools" if "tools" in toolsets else next(iter(toolsets))
    if toolset is None:
        some = ", ".join(f"`{escaped(name)}`" for name in [*toolsets][:_LISTED]) or "none"
        raise BadInput(
            f"{path}: it holds {len(toolsets)} lists of tools; name one with `--toolset`: {some}"
        )
    if toolset not in toolsets:
        hint = suggest_name(toolset, toolsets, otherwise=f"it has {len(toolsets)} others")
        raise BadInput(f"{path}: no toolset is named `{escaped(toolset)}`; {hint}")
    return toolset


def read_messages(path: str | None) -> list[Any]:
    """
    Read a conversation: a list of messages, or an object that holds one under ``messages``.

    Raises:
        BadInput: The file does not hold such a list.
    """
    if path is None:
        return []
    messages = parse_json(Path(path).read_bytes(), path=path)
    if isinstance(messages, Mapping):
        messages = messages.get("messages")
    if not isinstance(messages, list):
        raise BadInput(f"{path}: it holds {shown(messages)}; give a list of messages")
    return messages


_BLANK = " \t\r\n"
_DECODER = JSONDecoder()


def read_tools_with_lines(path: str | None) -> tuple[Tool, ...]:
    """
    Read a list of tools, an object of lists, or MCP's answer to `tools/list`.

    Every list is read; of equal names the last one wins.

    Raises:
        BadInput: The file holds no list, or a tool cannot be read.
    """
    if path is None:
        return ()
    data = Path(path).read_bytes()
    whole = parse_json(data, path=path)
    tools_object = unwrap_result(whole)
    lists = tools_object.values() if isinstance(tools_object, Mapping) else (tools_object,)
    if not is_answer(tools_object) and not all(isinstance(listed, list) for listed in lists):
        raise BadInput(f"{path}: it is {shown(whole)}; give a list of tools, or an object of lists")
    text = data.decode("utf-8-sig")
    tools = [_tool(value, SourceLocation(path, line)) for line, value in _lines(text, whole)]
    return tuple({tool.name: tool for tool in tools}.values())


def _tool(value: Any, place: SourceLocation) -> Tool:
    try:
        (tool,) = tools_of([value])
    except ValueError as error:
        message = str(error).removeprefix("tool 0: ")
        raise BadInput(f"{place}: {message}") from None
    return tool.placed(place)


def _lines(text: str, whole: Any) -> Iterator[tuple[int, Any]]:
    """Yield the members of every list with their lines; *text* is valid JSON."""
    line, before = 1, 0
    for at, value in _listed(text, whole):
        line += text.count("\n", before, at)
        before = at
        yield line, value


def _listed(text: str, whole: Any) -> Iterator[tuple[int, Any]]:
    at = _skip(text, 0, _BLANK)
    if isinstance(whole, list):
        yield from ((place, value) for place, value, _ in _members(text, at + 1))
        return
    if unwrap_result(whole) is not whole:
        at = dict(_pairs(text, at + 1))["result"]
    for _, start in _pairs(text, at + 1):
        if text[start] == "[":
            yield from ((place, value) for place, value, _ in _members(text, start + 1))


def _pairs(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Yield the keys of the object that begins at *at*, and the offsets of their values."""
    # no checks of the syntax: the whole text was parsed before
    while text[at := _skip(text, at, _BLANK + ",")] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at, _BLANK) + 1, _BLANK)
        yield key, at
        _, at = _DECODER.raw_decode(text, at)


def _members(text: str, at: int) -> Iterator[tuple[int, Any, int]]:
    """Yield the members of the list that begins at *at*, each with its start and end."""
    while text[at := _skip(text, at, _BLANK + ",")] != "]":
        value, end = _DECODER.raw_decode(text, at)
        yield at, value, end
        at = end


def _skip(text: str, at: int, skipped: str) -> int:
    while text[at] in skipped:
        at += 1
    return at

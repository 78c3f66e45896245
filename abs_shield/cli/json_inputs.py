"""Readers of the commands' JSON input files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from abs_shield.cli.usage_errors import BadInput
from abs_shield.policy import Tool
from abs_shield.replay.toolsets import EVERY_RUN, Toolsets, is_answer, tools_of, unwrap_result
from abs_shield.text.nearest import nearest
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
        BadInput: The file holds neither, or a tool cannot be read.
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
    return toolsets


def read_tools(path: str | None, toolset: str | None = None) -> tuple[Tool, ...]:
    """
    Read a list of tools, or an object of such lists, one named by *toolset*.

    Raises:
        BadInput: The file holds no single list, or a tool cannot be read.
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
        return tools_of(listed)
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None


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
        near = nearest(toolset, toolsets)
        hint = f"did you mean `{escaped(near[0])}`?" if near else f"it has {len(toolsets)} others"
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

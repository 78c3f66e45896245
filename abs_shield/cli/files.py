"""Reads the JSON files that the commands take."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from abs_shield.cli.faults import BadInput
from abs_shield.policy import Tool
from abs_shield.replay.toolsets import Toolsets, answered, is_answer, tools_of
from abs_shield.text.show import shown


def parsed(text: bytes, *, path: str) -> Any:
    """
    Give the JSON of *text*; *path* names it in the error.

    Raises:
        BadInput: It is no JSON.
    """
    try:
        return json.loads(text.decode("utf-8-sig"))
    except RecursionError:
        raise BadInput(f"{path}: it is nested too deeply") from None
    except ValueError as error:
        raise BadInput(f"{path}: it is not JSON: {error}") from None


def named_toolsets(path: str | None) -> dict[str, Any]:
    """
    Read a file of toolsets: an object of name to list of tools.

    Raises:
        BadInput: It is no such object, or a tool cannot be read.
    """
    if path is None:
        return {}
    named = answered(parsed(Path(path).read_bytes(), path=path))
    if is_answer(named):
        named = {"tools": named["tools"]}
    if not isinstance(named, dict):
        raise BadInput(f"{path}: it is {shown(named)}; give an object of name to list of tools")
    try:
        Toolsets(named)
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None
    return named


def read_tools(path: str | None) -> tuple[Tool, ...]:
    """
    Read a list of tools, or an object that holds one under ``tools`` or any one name.

    Raises:
        BadInput: There is no one list, or a tool cannot be read.
    """
    if path is None:
        return ()
    listed = answered(parsed(Path(path).read_bytes(), path=path))
    if isinstance(listed, Mapping):
        listed = _only(listed, path=path)
    try:
        return tools_of(listed)
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None


def _only(held: Mapping[str, Any], *, path: str) -> Any:
    if "tools" in held:
        return held["tools"]
    if len(held) != 1:
        raise BadInput(f"{path}: it holds {len(held)} lists of tools; give one")
    return next(iter(held.values()))


def read_messages(path: str | None) -> list[Any]:
    """
    Read a conversation: a list of messages, or an object that holds one under ``messages``.

    Raises:
        BadInput: It is no such list.
    """
    if path is None:
        return []
    messages = parsed(Path(path).read_bytes(), path=path)
    if isinstance(messages, Mapping):
        messages = messages.get("messages")
    if not isinstance(messages, list):
        raise BadInput(f"{path}: it holds {shown(messages)}; give a list of messages")
    return messages

"""Reader of a tools file that records the line of each tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from json import JSONDecoder
from pathlib import Path
from typing import Any

from abs_shield.cli.json_inputs import parse_json
from abs_shield.cli.usage_errors import BadInput
from abs_shield.policy import Tool
from abs_shield.policy.source_location import SourceLocation
from abs_shield.replay.toolsets import is_answer, tools_of, unwrap_result
from abs_shield.text.safe_display import shown

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
    at = _after(text, 0, _BLANK)
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
    while text[at := _after(text, at, _BLANK + ",")] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = _after(text, _after(text, at, _BLANK) + 1, _BLANK)
        yield key, at
        _, at = _DECODER.raw_decode(text, at)


def _members(text: str, at: int) -> Iterator[tuple[int, Any, int]]:
    """Yield the members of the list that begins at *at*, each with its start and end."""
    while text[at := _after(text, at, _BLANK + ",")] != "]":
        value, end = _DECODER.raw_decode(text, at)
        yield at, value, end
        at = end


def _after(text: str, at: int, skipped: str) -> int:
    while text[at] in skipped:
        at += 1
    return at

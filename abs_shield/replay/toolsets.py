"""Read the tools of runs: listed in a run, or in a file under a toolset's name."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from abs_shield.core.digest import digest
from abs_shield.core.tool_shapes import read_tools
from abs_shield.errors import PolicyError
from abs_shield.policy import Tool, tool_of
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped, shown

NONE = "none"
"""The name of the toolset without known tools."""
EVERY_RUN = "*"
"""The name of the toolset for runs that list no tools and name no other toolset."""
_MAX_INLINE = 256  # each holds parsed tools; runs in a row mostly list the same
OnBadTool = Callable[[str], object]


class Toolsets:
    """
    Reads every distinct list of tools once.

    Args:
        by_name: Lists of tools by the name of the toolset, in any supported format; the name
            `*` is for runs that list no tools and name no other toolset.
        on_bad: Called with the problem of each tool that cannot be read; see `tools_of`.

    Raises:
        ValueError: A value is not a list, or a tool in it cannot be read.

    >>> toolsets = Toolsets({"library": [{"name": "lend"}]})
    >>> [tool.name for tool in toolsets.of({"toolset": "library"})[1]]
    ['lend']
    """

    def __init__(
        self, by_name: Mapping[str, Any] | None = None, *, on_bad: OnBadTool | None = None
    ) -> None:
        by_name = {} if by_name is None else by_name
        self._read_toolset = {
            name: _read_toolset(name, listed, on_bad) for name, listed in by_name.items()
        }
        self._inline: OrderedDict[str, tuple[Tool, ...]] = OrderedDict()

    def of(self, record: Mapping[str, Any]) -> tuple[str, tuple[Tool, ...]]:
        """
        Return the key of the run's tools (equal for equal tools), and the tools.

        Raises:
            ValueError: The toolset is unknown, or a tool cannot be read.
        """
        if record.get("tools") is not None:  # a list in the run wins over a name
            return self._listed(record["tools"])
        name = record.get("toolset")
        if name == NONE or (name is None and EVERY_RUN not in self._read_toolset):
            return NONE, ()
        # a file with only `*` is for all runs, whatever they name
        if name is None or [*self._read_toolset] == [EVERY_RUN]:
            name = EVERY_RUN
        if not isinstance(name, str) or name not in self._read_toolset:
            raise ValueError(f"toolset {shown(name)} is unknown; {self._hint(name)}")
        return name, self._read_toolset[name]

    @property
    def names(self) -> frozenset[str]:
        """The names of the toolsets."""
        return frozenset(self._read_toolset)

    def _listed(self, listed: Any) -> tuple[str, tuple[Tool, ...]]:
        # sorted, so that the order of keys does not matter
        key = f"inline:{digest(json.dumps(listed, sort_keys=True), size=16).hex()}"
        if key not in self._inline:
            self._inline[key] = tools_of(listed)
            if len(self._inline) > _MAX_INLINE:
                self._inline.popitem(last=False)
        return key, self._inline[key]

    def _hint(self, name: Any) -> str:
        if not self._read_toolset:
            return "name a file of toolsets with `--tools`"
        near = nearest(str(name), self._read_toolset)
        return f"did you mean {shown(near[0])}?" if near else f"{len(self._read_toolset)} are known"


def tools_of(listed: Any, on_bad: OnBadTool | None = None) -> tuple[Tool, ...]:
    """
    Read a list of tools in any format, or MCP's answer; of two tools with one name the last counts.

    Args:
        listed: The list.
        on_bad: Called with the problem of each tool that cannot be read, if another can.

    Raises:
        ValueError: The data is not a list, or a tool cannot be read and *on_bad* is None.
    """
    listed = unwrap_result(listed)
    if is_answer(listed):
        listed = listed["tools"]
    if not isinstance(listed, (list, tuple)):
        raise ValueError(f"`tools` is {shown(listed)}; give a list")
    tools: dict[str, Tool] = {}
    bad: list[str] = []
    for place, each in enumerate(listed):
        try:
            read = [tool_of(shape) for shape in read_tools(each)]
        except (PolicyError, ValueError) as error:
            bad.append(f"tool {place}: {error}")
        else:
            tools |= {tool.name: tool for tool in read}
    if bad and (on_bad is None or not tools):  # all tools are broken, or nobody wants to know which
        raise ValueError(bad[0])
    if on_bad is not None:
        for why in bad:
            on_bad(why)
    return tuple(tools.values())


def unwrap_result(whole: Any) -> Any:
    """
    Return the result of a JSON-RPC answer; any other value unchanged.

    >>> unwrap_result({"jsonrpc": "2.0", "id": 1, "result": {"tools": []}})
    {'tools': []}
    """
    held = whole.get("result") if isinstance(whole, Mapping) and "jsonrpc" in whole else None
    return held if isinstance(held, Mapping) else whole


def is_answer(whole: Any) -> bool:
    """Return whether *whole* is a result of MCP's `tools/list`: one list, `tools`."""
    if not isinstance(whole, Mapping):
        return False
    # other lists would be other answers
    return [name for name, held in whole.items() if isinstance(held, (list, tuple))] == ["tools"]


def _read_toolset(name: str, listed: Any, on_bad: OnBadTool | None) -> tuple[Tool, ...]:
    prefix = f"toolset `{escaped(name)}`: "
    try:
        return tools_of(listed, None if on_bad is None else lambda why: on_bad(prefix + why))
    except ValueError as error:
        raise ValueError(f"{prefix}{error}") from None

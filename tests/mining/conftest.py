"""The tools and recorded runs of a library, and the entries mined from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from abs_shield import Tool
from abs_shield.mining import LetThrough, Mined, Recorded, ToolSource, mine

Run = dict[str, Any]


def tool(name: str, **properties: Any) -> Tool:
    """Return a tool with these parameters, all of them optional."""
    return Tool(name=name, parameters={"type": "object", "properties": properties})


def run(*calls: tuple[str, dict[str, Any], Any], user: str = "", **more: Any) -> Run:
    """Return a recorded run: the user's message, and each call with its result."""
    messages: list[Any] = [{"role": "user", "content": user or "Please."}]
    for n, (name, arguments, result) in enumerate(calls):
        call = {"id": f"c{n}", "name": name, "arguments": arguments}
        messages.append({"role": "assistant", "tool_calls": [call]})
        messages.append(
            {"role": "tool", "tool_call_id": f"c{n}", "name": name, **_result_fields(result)}
        )
    return {"messages": messages, **more}


def _result_fields(result: Any) -> dict[str, Any]:
    if isinstance(result, Exception):
        return {"content": str(result), "is_error": True}
    return {"content": json.dumps(result)}


@pytest.fixture
def mined(tmp_path) -> Callable[..., Mined]:
    """Return a function that mines a policy from tools and, if given, runs."""

    def of(
        tools: Iterable[Tool],
        runs: Iterable[Run] = (),
        *,
        let_through: LetThrough = LetThrough.NONE,
        **source: Any,
    ) -> Mined:
        path = tmp_path / "runs.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in runs))
        recorded = Recorded(paths=(str(path),)) if path.stat().st_size else None
        tool_source = ToolSource(name="tools.json", tools=tuple(tools), **source)
        return mine(tool_source, recorded, let_through=let_through)

    return of

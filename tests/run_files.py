"""Run files of a small library, written for each test."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TOOLS = [
    {
        "name": "find_book",
        "parameters": {
            "type": "object",
            "properties": {"title": {"type": "string"}},
            "required": ["title"],
        },
    },
    {
        "name": "lend_book",
        "parameters": {
            "type": "object",
            "properties": {"copy": {"type": "integer"}, "until": {"type": "string"}},
            "required": ["copy"],
        },
    },
]


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., str]:
    """Write records, or raw lines, one a line."""

    def write(*records: Any, name: str = "runs.jsonl") -> str:
        lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in records]
        path = tmp_path / name
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return str(path)

    return write


@pytest.fixture
def a_run() -> Callable[..., dict[str, Any]]:
    """Return a run of the library with these messages after the reader's question."""

    def make(*messages: Any, **more: Any) -> dict[str, Any]:
        question = {"role": "user", "content": "May I take Emma home?"}
        return {"run_id": "r1", "tools": TOOLS, "messages": [question, *messages], **more}

    return make

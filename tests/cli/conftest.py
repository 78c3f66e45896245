"""The command, run in this process, and files for it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from abs_shield.cli import main
from abs_shield.replay.engines import ENGINES
from tests.cli.engines import run_shuffled


class Done(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def command(capsys, monkeypatch):
    """Return a function that runs `abs-shield` with arguments and a standard input."""

    def run(*argv: Any, stdin: str = "") -> Done:
        standard_input = io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8")
        monkeypatch.setattr("sys.stdin", standard_input)
        code = main([str(arg) for arg in argv])
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture
def file(tmp_path):
    """Return a function that writes values to a JSON file, or one a line to a JSONL file."""

    def write(name: str, *values: Any) -> str:
        return write_objects(tmp_path / name, *values)

    return write


def write_objects(path: Path | str, *values: Any) -> str:
    """Write a JSON file, or one object a line."""
    Path(path).write_text("".join(json.dumps(value) + "\n" for value in values))
    return str(path)


@pytest.fixture
def clinic(file):
    """Return a run file of a clinic: one clean call, one mismatch, one phantom with an escape."""
    tools = [
        {
            "name": "see_patient",
            "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}},
        }
    ]
    calls = [
        {"id": "a", "name": "see_patient", "arguments": {"id": 4}},
        {"id": "b", "name": "see_patient", "arguments": {"id": "four\x1b[2J"}},
        {"id": "c", "name": "x\x1b]0;owned\x07[bold]\u202e", "arguments": {}},
    ]
    messages = [
        {"role": "user", "content": "Who is next? Please see 4."},
        {"role": "assistant", "tool_calls": calls},
    ]
    run = {"run_id": "r\x1b[31m1", "source": "ward\x1b[1m", "tools": tools, "messages": messages}
    return file("runs.jsonl", {**run, "labels": {"success": True}})


@pytest.fixture
def shuffle(monkeypatch):
    """Replace the engine of processes by `run_shuffled`."""
    monkeypatch.setitem(ENGINES, "processes", run_shuffled)

"""Runs that nobody on this project wrote."""

from __future__ import annotations

import gzip
import json
import os
from itertools import islice
from pathlib import Path

import pytest

from abs_shield.replay import replay

DATA = Path(os.environ.get("ABS_SHIELD_DATA", Path(__file__).parents[3] / "shared" / "data"))
RUNS = DATA / "toolcalls" / "runs.jsonl.gz"

pytestmark = pytest.mark.skipif(
    not RUNS.is_file(), reason=f"there are no recorded runs at {RUNS}; set ABS_SHIELD_DATA"
)


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """Give the first 200 runs as a file and as records."""
    with gzip.open(RUNS) as file:
        lines = list(islice(file, 200))
    path = tmp_path_factory.mktemp("runs") / "first.jsonl"
    path.write_bytes(b"".join(lines))
    return path, [json.loads(line) for line in lines]


def test_every_call_is_judged_once(records):
    """Each run yields as many decisions as it proposes calls, in order."""
    path, runs = records
    toolsets = json.loads((DATA / "toolcalls" / "toolsets.json").read_text())

    judged = list(replay([path], toolsets=toolsets, on_bad_line=pytest.fail))

    proposed = [
        (run["run_id"], call["name"])
        for run in runs
        for message in run["messages"]
        for call in message.get("tool_calls") or ()
    ]
    assert [(one.run_id, one.call.name) for one in judged] == proposed
    assert sum(one.executed for one in judged) == sum(
        message["role"] == "tool" for run in runs for message in run["messages"]
    )

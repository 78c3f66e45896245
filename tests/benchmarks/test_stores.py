"""The exit code of the benchmark of the stores depends on its goals."""

from __future__ import annotations

import pytest

from benchmarks.stores import missed

SINK = {"kept": True, "reached": True}
WHOLE = {"lost": 0, "faults": 0, "exit_codes": [0, 0]}


@pytest.mark.parametrize(
    ("sink", "one", "answer"),
    [
        (SINK, WHOLE, False),
        ({"kept": True, "reached": False}, WHOLE, True),
        ({"kept": False, "reached": True}, WHOLE, True),
        (SINK, WHOLE | {"lost": 1}, True),
        (SINK, WHOLE | {"faults": 1}, True),
        (SINK, WHOLE | {"exit_codes": [0, 1]}, True),
        ("no PostgreSQL server is installed", WHOLE, False),
    ],
)
def test_a_missed_goal_is_a_failure(sink, one, answer):
    """A cost over its limit and a lost decision are failures; a missing server is not."""
    assert answer is missed({"sinks": {"memory": SINK, "other": sink}, "one_file": one})

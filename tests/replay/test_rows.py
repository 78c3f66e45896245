"""The row of one judged call, written as a line and parsed again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.core import Action, Coverage, Finding, Mode, Outcome, Verdict
from abs_shield.replay import Row, read_row, replay, row

TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
FINDINGS = st.builds(
    Finding,
    check=TEXT,
    verdict=st.sampled_from(Verdict),
    strength=st.floats(0, 1),
    where=TEXT,
    detail=TEXT,
    code=TEXT,
    hint=TEXT,
    nearest=TEXT,
    mode=st.sampled_from(Mode),
    counted=st.booleans(),
    suppressed=st.booleans(),
)
ROWS = st.builds(
    Row,
    run_id=TEXT,
    call_index=st.integers(0),
    call_id=st.none() | TEXT,
    tool=TEXT,
    verdict=st.sampled_from(Verdict),
    action=st.sampled_from(Action),
    would_block=st.booleans(),
    findings=st.lists(FINDINGS, max_size=3).map(tuple),
    coverage=st.dictionaries(TEXT, st.builds(Coverage, st.sampled_from(Outcome), TEXT), max_size=3),
)


@given(ROWS)
def test_a_line_parses_to_the_same_row(entries):
    """Every row is written as an ASCII line that parses to an equal row."""
    line = json.dumps(entries.to_dict())

    assert line.isascii()
    assert read_row(json.loads(line)) == entries


def test_a_line_has_the_documented_members(written, a_run):
    """A line has exactly the members that the documentation lists."""
    message = {"role": "assistant", "tool_calls": [{"id": "c", "name": "burn_book"}]}
    [judged] = replay([written(a_run(message))])

    result = row(judged)

    assert list(result) == [
        "run_id", "call_index", "call_id", "tool", "verdict", "action", "would_block", "findings",
        "coverage",
    ]  # fmt: skip
    assert list(result["findings"][0]) == [
        "check", "code", "verdict", "strength", "where", "detail", "hint", "nearest", "mode",
        "counted", "suppressed",
    ]  # fmt: skip
    assert result["coverage"]["phantom_tool"] == {"outcome": "ran", "reason": ""}


@pytest.mark.parametrize("record", [{}, {"run_id": "r"}, {"verdict": "FINE"}, {"findings": 3}])
def test_an_invalid_row_is_refused(record):
    """A text that is not a row raises a one-line error."""
    with pytest.raises(ValueError, match=r"replay|valid Verdict"):
        read_row(record)

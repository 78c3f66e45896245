"""Entries mined from recorded runs of other projects."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from abs_shield.mining import LenientToolsets, LetThrough, Mined, Recorded, ToolSource, mine
from abs_shield.mining.policy_draft import Within
from abs_shield.replay.toolsets import tools_of

DATA = Path(os.environ.get("ABS_SHIELD_DATA", Path(__file__).parents[4] / "shared" / "data"))
RUNS = DATA / "toolcalls" / "runs.jsonl.gz"

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(
        not RUNS.is_file(), reason=f"there are no recorded runs at {RUNS}; set ABS_SHIELD_DATA"
    ),
]


def mined_from(toolset: str, *, let_through: LetThrough = LetThrough.NONE) -> Mined:
    """The policy of one toolset and its runs."""
    named = json.loads((DATA / "toolcalls" / "toolsets.json").read_text())
    recorded = Recorded(paths=(str(RUNS),), toolsets=LenientToolsets(named), toolset=toolset)
    source = ToolSource(name="toolsets.json", tools=tools_of(named[toolset]))
    return mine(source, recorded, let_through=let_through)


@pytest.fixture(scope="module")
def bank() -> Mined:
    """The policy of a bank."""
    return mined_from("agentdojo:banking:v1")


def test_no_fault_that_a_tool_refused_is_suppressed(bank: Mined) -> None:
    """Each blocked call but one was refused by the tool; that one is a comment with its count."""
    assert bank.last is not None

    assert [] == bank.draft.active
    assert bank.last.would_block - bank.last.would_block_refused == 1
    assert {True} == {each.refused == each.calls for each in bank.draft.enforced}
    assert ["1 of 1 covered call worked"] == [each.share for each in bank.draft.proposed]


def test_everything_is_let_through_where_that_is_wanted() -> None:
    """As before the choice: nothing of the runs is blocked."""
    mining = mined_from("agentdojo:banking:v1", let_through=LetThrough.ALL)
    assert mining.last is not None

    assert (0, ()) == (mining.last.would_block, mining.stays)


def test_no_bound_is_a_coincidence(bank: Mined) -> None:
    """No constant, no least or greatest amount, and no sum below zero as a law."""
    bounds = [
        each.declaration for each in bank.draft.suggestions if isinstance(each.declaration, Within)
    ]

    assert [] == [each for each in bounds if each.low < 0 or each.low == each.high]
    assert "1200.0 <= value" not in bank.text
    assert "-8.0 <= value" not in bank.text
    assert "2 of 591 calls that worked had a number below zero" in bank.text.replace("\n# ", " ")


def test_no_coincidence_is_evidence(bank: Mined) -> None:
    """A word or a small number of a result is not where another call has its value from."""
    airline = mined_from("tau2:airline")

    assert "used as `n`" not in bank.text.replace("\n    # ", " ")
    assert "used as `cabin`" not in airline.text.replace("\n    # ", " ")
    assert "used as `reservation_id`" in airline.text.replace("\n    # ", " ")

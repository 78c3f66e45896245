"""Entries mined from recorded runs of other projects."""

from __future__ import annotations

import json

import pytest

from abs_shield.mining import LenientToolsets, LetThrough, Mined, Recorded, ToolSource, mine
from abs_shield.mining.policy_draft import Within
from abs_shield.replay.toolsets import tools_of
from tests.requirements import RUNS, TOOLCALLS, needs_runs

pytestmark = [pytest.mark.data, needs_runs]


def mine_toolset(toolset: str, *, let_through: LetThrough = LetThrough.NONE) -> Mined:
    """Mine the policy of one toolset and its runs."""
    named = json.loads((TOOLCALLS / "toolsets.json").read_text())
    recorded = Recorded(paths=(str(RUNS),), toolsets=LenientToolsets(named), toolset=toolset)
    source = ToolSource(name="toolsets.json", tools=tools_of(named[toolset]))
    return mine(source, recorded, let_through=let_through)


@pytest.fixture(scope="module")
def bank() -> Mined:
    """Mine the policy of the banking toolset."""
    return mine_toolset("agentdojo:banking:v1")


def test_no_call_that_the_tool_rejected_is_suppressed(bank: Mined) -> None:
    """All blocked calls but one were rejected by the tool; that one is a commented suppression."""
    assert bank.last is not None

    assert [] == bank.draft.active
    assert bank.last.would_block - bank.last.would_block_refused == 1
    assert {True} == {each.refused == each.calls for each in bank.draft.enforced}
    assert ["1 of 1 covered call worked"] == [each.share for each in bank.draft.proposed]


def test_all_recorded_calls_are_allowed_on_request() -> None:
    """With `LetThrough.ALL` the policy blocks no recorded call."""
    mining = mine_toolset("agentdojo:banking:v1", let_through=LetThrough.ALL)
    assert mining.last is not None

    assert (0, ()) == (mining.last.would_block, mining.stays)


def test_no_observed_extreme_is_a_bound(bank: Mined) -> None:
    """No constant, smallest, largest or negative amount becomes a bound."""
    bounds = [
        each.declaration for each in bank.draft.suggestions if isinstance(each.declaration, Within)
    ]

    assert [] == [each for each in bounds if each.low < 0 or each.low == each.high]
    assert "1200.0 <= value" not in bank.text
    assert "-8.0 <= value" not in bank.text
    assert "2 of 591 calls that worked had a number below zero" in bank.text.replace("\n# ", " ")


def test_a_common_word_or_number_is_not_a_source(bank: Mined) -> None:
    """A common word or small number in a result is not the source of another call's argument."""
    airline = mine_toolset("tau2:airline")

    assert "used as `n`" not in bank.text.replace("\n    # ", " ")
    assert "used as `cabin`" not in airline.text.replace("\n    # ", " ")
    assert "used as `reservation_id`" in airline.text.replace("\n    # ", " ")

"""Strict mode enforces what a tool itself rejected; other suppressions are written as comments."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from abs_shield import Shield, ToolCall
from abs_shield.mining import LetThrough
from abs_shield.mining.policy_module import execute_module
from tests.mining.conftest import run, tool

RUFF = Path(sys.executable).parent / "ruff"
REFUND = tool("refund", order_id={"type": "string"}, amount={"type": "number"})
NO = ValueError("amount must be a number")


def refund(result, amount="five", **more):
    """Return a run that refunds an amount; the tool answers with *result*."""
    return run(
        ("refund", {"order_id": "W-7001", "amount": amount}, result), user="Refund W-7001.", **more
    )


def run_without_result():
    """Return a run that ends before the tool answers."""
    recorded = refund("done")
    recorded["messages"].pop()
    return recorded


def is_blocked(text, amount="five"):
    """Return whether strict blocks a refund under the written module."""
    shield = Shield(execute_module(text).enforced(), hooks=None)
    session = shield.session("s")
    session.user("Refund W-7001.")
    call = ToolCall("refund", {"order_id": "W-7001", "amount": amount})
    return shield.check_call(call, session=session).blocked


def activate_suppressions(text):
    """Return the module with the commented entries of `suppress` made active."""
    above, entries = text.split("    suppress=[\n")
    entries = re.sub("(?m)^        # ", "        ", entries)
    used = above.replace("import Policy,", "import Policy, Suppression,")
    return f"{used}    suppress=[\n{entries}"


def test_a_call_that_the_tool_always_rejected_is_enforced(mined):
    """The module has no suppression, and its head lists the error as enforced."""
    mining = mined([REFUND], [refund(NO)] * 3)

    assert (3, 3, 3) == (
        mining.first.would_block,
        mining.last.would_block,
        mining.last.would_block_refused,
    )
    assert is_blocked(mining.text)
    assert "Suppression" not in mining.text
    assert (
        "# Enforced; the tool rejected every such call:\n"
        "# - 3 recorded calls: `parameter_mismatch` for `refund`, `wrong_type` at"
        " `/arguments/amount`\n"
    ) in mining.text


def test_a_call_that_sometimes_worked_is_a_commented_suppression(mined):
    """Strict mode blocks the call until the commented entry is made active."""
    mining = mined([REFUND], [refund("done")] * 3 + [refund(NO)] * 2)

    assert is_blocked(mining.text)
    assert "        # Suppression(  # 3 of 5 covered calls worked\n" in mining.text
    assert "# - 3 of 5 covered calls worked: `parameter_mismatch` for `refund`" in mining.text
    assert not is_blocked(activate_suppressions(mining.text))


@pytest.mark.parametrize(
    ("runs", "let_through", "blocked"),
    [
        ([refund(NO)], LetThrough.NONE, True),
        ([refund(NO)], LetThrough.WORKED, True),
        ([refund(NO)], LetThrough.ALL, False),
        ([refund("done"), refund(NO)], LetThrough.NONE, True),
        ([refund("done"), refund(NO)], LetThrough.WORKED, False),
        ([refund("done"), refund(NO)], LetThrough.ALL, False),
        ([run_without_result()], LetThrough.WORKED, True),
        ([run_without_result()], LetThrough.ALL, False),
    ],
)
def test_each_let_through_option_suppresses_its_calls(mined, runs, let_through, blocked):
    """Only `all` suppresses calls that the tool always rejected or never answered."""
    mining = mined([REFUND], runs, let_through=let_through)

    assert blocked == is_blocked(mining.text)
    assert blocked == bool(mining.last.would_block)
    assert ((), ()) == (mining.stays, mining.proof.errors)


def test_the_comment_counts_calls_without_a_result(mined):
    """A call without a result is not counted as one that worked."""
    mining = mined([REFUND], [run_without_result(), refund("done")])

    assert "# Suppression(  # 1 of 2 covered calls worked, 1 without a result\n" in mining.text


@pytest.mark.parametrize(
    ("result", "declared"), [(ValueError("no such order"), True), ("gone", False)]
)
def test_destructive_is_declared_only_if_the_tool_rejected_the_invented_id(mined, result, declared):
    """If the call with the invented id worked, the tool is not declared destructive."""
    wrong = run(("delete_order", {"order_id": "W-9001"}, result), user="Clean up.")
    mining = mined([tool("delete_order", order_id={"type": "string"})], [wrong])

    assert declared == ("        destructive=True,\n" in mining.text)
    assert declared == bool(mining.last.would_block)


def test_a_layer_that_fails_stays_in_audit(mined):
    """A layer that fails on a recorded call of a tool is set to audit for that tool."""
    odd = refund("done", 5)
    odd["messages"][1]["tool_calls"][0]["logprobs"] = [float("nan")]
    mining = mined([REFUND], [odd])

    assert '        ("refund", "confidence_drop"): "audit",\n' in mining.text
    assert (1, 0) == (mining.first.would_block, mining.last.would_block)


@pytest.mark.skipif(not RUFF.exists(), reason="needs `pip install ruff`")
@pytest.mark.parametrize("let_through", LetThrough)
def test_the_written_entries_pass_the_formatter_and_linter(mined, let_through):
    """Suppressions and their comments need no change, even with `# fmt: off` in a name."""
    ghost = run(("refund", {"order_id": "W-7001", "ghost # fmt: off": 1}, "done"), user="W-7001")
    mining = mined([REFUND], [refund("done"), ghost, refund(NO)], let_through=let_through)
    for command in (["format", "--check"], ["check", "--select", "F,I,W,E9"]):
        done = subprocess.run(
            [RUFF, *command, "--isolated", "-"], input=mining.text, capture_output=True, text=True
        )
        assert 0 == done.returncode, done.stdout + mining.text

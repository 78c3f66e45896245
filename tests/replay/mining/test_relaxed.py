"""Strict blocks nothing of the runs that a policy was mined from; what was let through is told."""

from __future__ import annotations

import json

import pytest

from abs_shield import Mode, Shield
from abs_shield.replay import Toolsets, judge_run, runs
from abs_shield.replay.mining.module import executed
from tests.replay.mining.conftest import run, tool

TEXT = {"type": "string"}
REFUND = tool("refund", order_id=TEXT, amount={"type": "number"})
FINE = run(("refund", {"order_id": "W-7001", "amount": 5}, "done"), user="Refund W-7001.")


def blocked(mined, recorded, tmp_path):
    """Calls that the written policy really blocks, once its mode is strict."""
    path = tmp_path / "again.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in recorded))
    strict = executed(mined.text).model_copy(update={"mode": Mode.STRICT})
    door = Shield(strict, hooks=None)
    judged = [one for each in runs([str(path)], Toolsets()) for one in judge_run(each, door)]

    assert judged
    return [one.decision for one in judged if one.decision.blocked]


def calling(name, arguments, **more):
    """A run of one good call, and one more."""
    made = run(
        ("refund", {"order_id": "W-7001", "amount": 5}, "done"),
        (name, arguments, "done"),
        user="Refund W-7001.",
    )
    made["messages"][3]["tool_calls"][0] |= more
    return made


WRONG = {
    "an unknown tool": calling("refnud", {}),
    "no name": calling("", {}),
    "no Unicode": calling("a\ud800", {}),
    "no Unicode in a value": calling("refund", {"order_id": "W-7001", "\ud800": "\udfff"}),
    "a name to escape": calling('x"\n# fmt: off\u202e', {}),
    "a wrong type": calling("refund", {"order_id": "W-7001", "amount": "five"}),
    "an unknown argument": calling("refund", {"order_id": "W-7001", "ghost # noqa": 1}),
    "no JSON": calling("refund", "{"),
    "bad logprobs": calling("refund", {"order_id": "W-7001", "amount": 6}, logprobs=[float("nan")]),
}


@pytest.mark.parametrize("kind", WRONG)
def test_the_agents_own_mistakes_are_let_through(mined, tmp_path, kind):
    """Each would have been blocked by the first draft, and is not by the written one."""
    made = mined([REFUND], [WRONG[kind]])

    assert 1 == made.first.would_block
    assert (0, []) == (made.last.would_block, blocked(made, [WRONG[kind]], tmp_path))
    assert () == made.proof.errors


def test_other_mistakes_are_blocked_all_the_same(mined, tmp_path):
    """What one name was let through says nothing of another one."""
    made = mined([REFUND], [WRONG["an unknown tool"]])

    assert ["refnd"] == [d.tool for d in blocked(made, [calling("refnd", {})], tmp_path)]


def test_what_is_let_through_is_told(mined):
    """How often, and what it was."""
    made = mined([REFUND], [WRONG["a wrong type"]] * 3)
    (passed,) = made.draft.passes

    assert ("parameter_mismatch", "refund") == (passed.check, passed.tool)
    assert "3 recorded calls: wrong_type /arguments/amount" == passed.reason
    assert 'reason="3 recorded calls: wrong_type /arguments/amount",' in made.text


def test_very_many_unknown_names_are_one_entry(mined, tmp_path):
    """A policy does not list whatever a model came up with."""
    wrong = [calling(f"tool_{n}", {}) for n in range(60)]
    made = mined([REFUND], wrong)

    assert [None] == [each.tool for each in made.draft.passes]
    assert [] == blocked(made, wrong, tmp_path)


def test_a_destructive_call_on_what_nobody_mentioned(mined, tmp_path):
    """The proposal that would block it is withdrawn, and says why."""
    wrong = run(("delete_order", {"order_id": "W-9001"}, "gone"), user="Clean up.")
    made = mined([tool("delete_order", order_id=TEXT)], [wrong])

    assert (1, 1, 0) == (made.first.would_block, len(made.draft.withdrawn), made.last.would_block)
    assert "not declared, it would block 1 recorded call: unseen /arguments/order_id" in " ".join(
        line.strip("# ") for line in made.text.splitlines()
    )
    assert [] == blocked(made, [wrong], tmp_path)


def test_an_annotation_is_withdrawn_aloud(mined):
    """The runs' own lists would call it destructive again: the module says that it is not."""
    hints = {"destructiveHint": True}
    shape = {
        "name": "drop",
        "inputSchema": {"properties": {"order_id": TEXT}},
        "annotations": hints,
    }
    wrong = run(("drop", {"order_id": "W-9001"}, "gone"), user="Clean up.", tools=[shape])
    named = tool("drop", order_id=TEXT).model_copy(update={"destructive": True})
    made = mined([named], [wrong])

    assert "        destructive=False,\n" in made.text
    assert 0 == made.last.would_block


def test_a_list_that_a_failed_call_left_is_withdrawn(mined, tmp_path):
    """Values are listed from calls that worked; that others were tried shows when it is tried."""
    book = tool("book", mode=TEXT)
    fine = [run(("book", {"mode": ["slow", "fast"][n % 2]}, "ok")) for n in range(120)]
    wrong = run(("book", {"mode": "odd"}, ValueError("no such mode")))
    made = mined([book], [*fine, wrong])

    assert (1, 1, 0) == (made.first.would_block, len(made.draft.withdrawn), made.last.would_block)
    assert [] == blocked(made, [*fine, wrong], tmp_path)


def test_a_declared_list_rejects_what_was_never_seen(mined, tmp_path):
    """The rule is real: another value is blocked in strict."""
    fine = [run(("book", {"mode": ["slow", "fast"][n % 2]}, "ok")) for n in range(120)]
    made = mined([tool("book", mode=TEXT)], fine)
    (decision,) = blocked(made, [run(("book", {"mode": "odd"}, "ok"))], tmp_path)

    assert ["rule"] == [finding.code for finding in decision.findings]


def test_a_tool_that_only_the_runs_know(mined, tmp_path):
    """Where it is called, the module takes it over and says where it comes from."""
    other = {"name": "pay", "parameters": {"properties": {"sum": {"type": "integer"}}}}
    unused = {"name": "unused", "parameters": {}}
    paid = run(("pay", {"sum": 5}, "ok"), tools=[other, unused])
    made = mined([REFUND], [FINE, paid])

    assert ["pay", "refund"] == [each.name for each in made.draft.tools]
    assert "    # not in tools.json; the runs describe it and call it\n" in made.text
    assert [] == blocked(made, [FINE, paid], tmp_path)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "objekt"},
        {"$ref": "https://example.com/schema.json"},
        {"properties": {"a": {"pattern": "("}}},
        {"properties": {f"p{n}": {"enum": [*range(900)]} for n in range(40)}},
    ],
    ids=["no type", "remote", "no pattern", "too large"],
)
def test_a_schema_that_cannot_be_kept(mined, tmp_path, schema):
    """Its tool is known without one, and the comment says why."""
    shape = {"name": "odd", "parameters": schema}
    recorded = run(("odd", {"a": 1}, "ok"), tools=[shape])
    made = mined([REFUND], [recorded])

    assert "    # its schema is left out" in made.text
    assert "        parameters=None,\n" in made.text
    assert (0, []) == (made.last.would_block, blocked(made, [recorded], tmp_path))


def test_a_schema_nested_too_deeply(mined):
    """Python would not read it back."""
    schema: object = {}
    for _ in range(60):
        schema = {"properties": {"a": schema}}
    made = mined([REFUND.model_copy(update={"parameters": schema})])

    assert "its schema is left out: it is nested deeper than 40 levels" in made.text
    assert () == made.proof.errors

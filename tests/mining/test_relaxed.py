"""With `all`, strict blocks nothing of the runs that a policy was mined from, and says so."""

from __future__ import annotations

import json
from functools import partial

import pytest

from abs_shield import Mode, Shield
from abs_shield.mining import LetThrough
from abs_shield.mining.policy_module import execute_module
from abs_shield.replay import Toolsets, judge_run, runs
from tests.mining.conftest import run, tool

TEXT = {"type": "string"}
REFUND = tool("refund", order_id=TEXT, amount={"type": "number"})
FINE = run(("refund", {"order_id": "W-7001", "amount": 5}, "done"), user="Refund W-7001.")


def blocked(mined, recorded, tmp_path):
    """Calls that the written policy really blocks, once its mode is strict."""
    path = tmp_path / "again.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in recorded))
    strict = execute_module(mined.text).model_copy(update={"mode": Mode.STRICT})
    firewall = Shield(strict, hooks=None)
    judged = [one for each in runs([str(path)], Toolsets()) for one in judge_run(each, firewall)]

    assert judged
    return [one.decision for one in judged if one.decision.blocked]


def calling(name, arguments, **more):
    """A run of one good call, and one more."""
    record = run(
        ("refund", {"order_id": "W-7001", "amount": 5}, "done"),
        (name, arguments, "done"),
        user="Refund W-7001.",
    )
    record["messages"][3]["tool_calls"][0] |= more
    return record


@pytest.fixture
def relaxed(mined):
    """Mine a policy that lets everything through."""
    return partial(mined, let_through=LetThrough.ALL)


WRONG = {
    "an unknown tool": calling("refnud", {}),
    "no name": calling("", {}),
    "no Unicode": calling("a\ud800", {}),
    "a name too long": calling("a" * 513, {}),
    "no Unicode in a value": calling("refund", {"order_id": "W-7001", "\ud800": "\udfff"}),
    "a name to escape": calling('x"\n# fmt: off\u202e', {}),
    "a wrong type": calling("refund", {"order_id": "W-7001", "amount": "five"}),
    "an unknown argument": calling("refund", {"order_id": "W-7001", "ghost # noqa": 1}),
    "no JSON": calling("refund", "{"),
    "bad logprobs": calling("refund", {"order_id": "W-7001", "amount": 6}, logprobs=[float("nan")]),
}


UNWRITABLE = {"no name", "no Unicode", "a name too long", "no Unicode in a value"}
NO_NAME = "1 call with a name that is empty, too long, or not Unicode: a policy cannot contain it"


@pytest.mark.parametrize("kind", [kind for kind in WRONG if kind not in UNWRITABLE])
def test_the_agents_own_mistakes_are_let_through(relaxed, tmp_path, kind):
    """Each would have been blocked by the first draft, and is not by the written one."""
    mining = relaxed([REFUND], [WRONG[kind]])

    assert 1 == mining.first.would_block
    assert (0, []) == (mining.last.would_block, blocked(mining, [WRONG[kind]], tmp_path))
    assert ((), ()) == (mining.proof.errors, mining.stays)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("no name", NO_NAME),
        ("no Unicode", NO_NAME),
        ("a name too long", NO_NAME),
        (
            "no Unicode in a value",
            "1 call: `parameter_mismatch` for `refund`, `unknown_argument` at"
            " `/arguments/\\ud800`; a name or place that is not Unicode:"
            " a policy cannot contain it",
        ),
    ],
)
def test_what_no_policy_can_hold_stays_blocked(relaxed, tmp_path, kind, why):
    """The other mistakes are let through; this one is told, and widens nothing."""
    wrong = [WRONG["an unknown tool"], WRONG[kind]]
    mining = relaxed([REFUND], wrong)
    again = blocked(mining, [*wrong, calling("other", {})], tmp_path)

    assert ["refnud"] == [each.tool for each in mining.draft.passes]
    assert (2, 1, (why,)) == (mining.first.would_block, mining.last.would_block, mining.stays)
    assert ["", "other"] == ["" if d.tool != "other" else d.tool for d in again]
    assert f"Enforced; no policy can allow it: - {why}" in joined(mining.text)
    assert () == mining.proof.errors


def joined(text):
    """The comments of a module, each as one line."""
    return text.replace("\n# ", " ")


def test_other_mistakes_are_blocked_all_the_same(relaxed, tmp_path):
    """An exception for one name does not apply to another name."""
    mining = relaxed([REFUND], [WRONG["an unknown tool"]])

    assert ["refnd"] == [d.tool for d in blocked(mining, [calling("refnd", {})], tmp_path)]


@pytest.mark.parametrize(
    "arguments",
    [
        {"order_id": 7, "amount": 5},
        {"order_id": "W-7001", "amount": 5, "ghost": 1},
        {"order_id": "W-7001", "amount": "five", "other": 1},
    ],
    ids=["another place", "another fault", "one more fault"],
)
def test_only_this_fault_at_this_place_is_let_through(relaxed, tmp_path, arguments):
    """A wrong type of the amount says nothing of the rest of the tool's calls."""
    mining = relaxed([REFUND], [WRONG["a wrong type"]])

    assert 1 == len(blocked(mining, [calling("refund", arguments)], tmp_path))


def test_a_position_of_a_list_is_any(relaxed, tmp_path):
    """An exception for one line of an order applies to any line of it, and only there."""
    lines = {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    order = tool("order", lines=lines, n={"type": "integer"})

    def ordered(*, at):
        return run(("order", {"lines": [{"n": 1}] * at + [{"n": "x"}]}, "ok"))

    mining = relaxed([order], [ordered(at=0), ordered(at=3)])
    (passed,) = mining.draft.passes

    assert ("wrong_type", "/arguments/lines/*/n", 2) == (passed.code, passed.where, passed.calls)
    assert [] == blocked(mining, [ordered(at=1)], tmp_path)
    assert 1 == len(blocked(mining, [run(("order", {"n": "x"}, "ok"))], tmp_path))


def test_what_is_let_through_is_reported(relaxed):
    """Their number and kind are beside the entry and at the head."""
    refused = run(("refund", {"order_id": "W-7001", "amount": "five"}, ValueError("no")))
    mining = relaxed([REFUND], [*[WRONG["a wrong type"]] * 3, refused])
    (passed,) = mining.draft.passes
    what = "`parameter_mismatch` for `refund`, `wrong_type` at `/arguments/amount`"

    assert "4 recorded calls; the tool rejected 1 of them" == passed.reason
    assert what == str(passed)
    assert f" Allowed by this policy: - {passed.reason}: {what} Set `mode`" in joined(mining.text)
    assert (
        """        Suppression(
            check="parameter_mismatch",
            tool="refund",
            code="wrong_type",
            where="/arguments/amount",
            reason="4 recorded calls; the tool rejected 1 of them",
        ),
"""
        in mining.text
    )


def test_many_unknown_names_are_let_through_one_by_one(relaxed, tmp_path):
    """The most frequent ones; what is beyond a bound stays blocked, and so does any other name."""
    wrong = [calling(f"tool_{n}", {}) for n in range(205)] + [calling("tool_204", {})]
    mining = relaxed([REFUND], wrong)
    other = blocked(mining, [calling("tool_204", {}), calling("tool_x", {})], tmp_path)

    assert (200, set()) == (
        len(mining.draft.passes),
        {None} & {p.tool for p in mining.draft.passes},
    )
    assert ("5 calls with a name that no tool has, beyond the first 200",) == mining.stays
    assert (5, ["tool_x"]) == (mining.last.would_block, [decision.tool for decision in other])
    assert "# - and 180 more\n" in mining.text


def test_very_many_places_are_one_entry(relaxed, tmp_path):
    """Of one fault of one tool: a policy does not list whatever keys a model came up with."""
    wrong = [calling("refund", {"order_id": "W-7001", f"ghost_{n}": 1}) for n in range(30)]
    mining = relaxed([REFUND], wrong)
    (passed,) = mining.draft.passes

    assert ("unknown_argument", None, 30) == (passed.code, passed.where, passed.calls)
    assert [] == blocked(mining, wrong, tmp_path)
    assert 1 == len(blocked(mining, [WRONG["a wrong type"]], tmp_path))


def test_a_destructive_call_on_what_nobody_mentioned(mined, tmp_path):
    """The proposal that would block it is withdrawn, and says why."""
    wrong = run(("delete_order", {"order_id": "W-9001"}, "gone"), user="Clean up.")
    mining = mined([tool("delete_order", order_id=TEXT)], [wrong])

    assert (1, 1, 0) == (
        mining.first.would_block,
        len(mining.draft.withdrawn),
        mining.last.would_block,
    )
    assert "not declared, it would block 1 recorded call: unseen /arguments/order_id" in " ".join(
        line.strip("# ") for line in mining.text.splitlines()
    )
    assert [] == blocked(mining, [wrong], tmp_path)


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
    mining = mined([named], [wrong])

    assert "        destructive=False,\n" in mining.text
    assert 0 == mining.last.would_block


def test_a_list_of_values_blocks_nothing(mined, tmp_path):
    """However often only two values were seen, a later call with a third one runs."""
    fine = [run(("book", {"mode": ["slow", "fast"][n % 2]}, "ok")) for n in range(120)]
    mining = mined([tool("book", mode=TEXT)], fine)

    assert "# def mode_of_book(value: object) -> bool:\n" in mining.text
    assert [] == blocked(mining, [run(("book", {"mode": "odd"}, "ok"))], tmp_path)


def test_a_tool_that_only_the_runs_know(mined, tmp_path):
    """Where it is called, the module takes it over and says where it comes from."""
    other = {"name": "pay", "parameters": {"properties": {"sum": {"type": "integer"}}}}
    unused = {"name": "unused", "parameters": {}}
    paid = run(("pay", {"sum": 5}, "ok"), tools=[other, unused])
    mining = mined([REFUND], [FINE, paid])

    assert ["pay", "refund"] == [each.name for each in mining.draft.tools]
    assert "    # not in tools.json; the runs describe it and call it\n" in mining.text
    assert [] == blocked(mining, [FINE, paid], tmp_path)


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
    mining = mined([REFUND], [recorded])

    assert "    # its schema is left out" in mining.text
    assert "        parameters=None,\n" in mining.text
    assert (0, []) == (mining.last.would_block, blocked(mining, [recorded], tmp_path))


def test_a_schema_nested_too_deeply(mined):
    """Python would not read it back."""
    schema: object = {}
    for _ in range(60):
        schema = {"properties": {"a": schema}}
    mining = mined([REFUND.model_copy(update={"parameters": schema})])

    assert "its schema is left out: it is nested deeper than 40 levels" in mining.text
    assert () == mining.proof.errors

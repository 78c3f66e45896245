"""With `all`, a mined policy blocks no call of the recorded runs it was mined from."""

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


def blocking_decisions(mined, recorded, tmp_path):
    """Return the decisions that block a call when the written policy is strict."""
    path = tmp_path / "again.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in recorded))
    strict = execute_module(mined.text).model_copy(update={"mode": Mode.STRICT})
    firewall = Shield(strict, hooks=None)
    judged = [one for each in runs([str(path)], Toolsets()) for one in judge_run(each, firewall)]

    assert judged
    return [one.decision for one in judged if one.decision.blocked]


def calling(name, arguments, **more):
    """Return a run of one valid refund and one further call."""
    record = run(
        ("refund", {"order_id": "W-7001", "amount": 5}, "done"),
        (name, arguments, "done"),
        user="Refund W-7001.",
    )
    record["messages"][3]["tool_calls"][0] |= more
    return record


@pytest.fixture
def relaxed_policy(mined):
    """Mine a policy that allows every recorded call."""
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
def test_a_recorded_mistake_is_allowed_by_the_written_policy(relaxed_policy, tmp_path, kind):
    """The first draft of the policy blocks the call; the written policy allows it."""
    mining = relaxed_policy([REFUND], [WRONG[kind]])

    assert 1 == mining.first.would_block
    assert (0, []) == (mining.last.would_block, blocking_decisions(mining, [WRONG[kind]], tmp_path))
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
def test_a_call_that_a_policy_cannot_name_stays_blocked(relaxed_policy, tmp_path, kind, why):
    """The module reports the blocked call and its reason, and makes no other exception for it."""
    wrong = [WRONG["an unknown tool"], WRONG[kind]]
    mining = relaxed_policy([REFUND], wrong)
    again = blocking_decisions(mining, [*wrong, calling("other", {})], tmp_path)

    assert ["refnud"] == [each.tool for each in mining.draft.passes]
    assert (2, 1, (why,)) == (mining.first.would_block, mining.last.would_block, mining.stays)
    assert ["", "other"] == ["" if d.tool != "other" else d.tool for d in again]
    assert f"Enforced; no policy can allow it: - {why}" in join_comments(mining.text)
    assert () == mining.proof.errors


def join_comments(text):
    """Return the text of a module with each multi-line comment joined into one line."""
    return text.replace("\n# ", " ")


def test_an_exception_for_one_name_does_not_allow_another(relaxed_policy, tmp_path):
    """A call of another unknown tool is still blocked."""
    mining = relaxed_policy([REFUND], [WRONG["an unknown tool"]])

    assert ["refnd"] == [
        d.tool for d in blocking_decisions(mining, [calling("refnd", {})], tmp_path)
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        {"order_id": 7, "amount": 5},
        {"order_id": "W-7001", "amount": 5, "ghost": 1},
        {"order_id": "W-7001", "amount": "five", "other": 1},
    ],
    ids=["another place", "another fault", "one more fault"],
)
def test_an_exception_is_limited_to_one_error_at_one_location(relaxed_policy, tmp_path, arguments):
    """After a wrong type at `amount` is allowed, other errors in calls of the tool are blocked."""
    mining = relaxed_policy([REFUND], [WRONG["a wrong type"]])

    assert 1 == len(blocking_decisions(mining, [calling("refund", arguments)], tmp_path))


def test_an_exception_for_a_list_item_applies_to_every_index(relaxed_policy, tmp_path):
    """An error in one list item is allowed at any index, and still blocked outside the list."""
    lines = {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    order = tool("order", lines=lines, n={"type": "integer"})

    def ordered(*, at):
        return run(("order", {"lines": [{"n": 1}] * at + [{"n": "x"}]}, "ok"))

    mining = relaxed_policy([order], [ordered(at=0), ordered(at=3)])
    (passed,) = mining.draft.passes

    assert ("wrong_type", "/arguments/lines/*/n", 2) == (passed.code, passed.where, passed.calls)
    assert [] == blocking_decisions(mining, [ordered(at=1)], tmp_path)
    assert 1 == len(blocking_decisions(mining, [run(("order", {"n": "x"}, "ok"))], tmp_path))


def test_the_module_lists_what_it_allows(relaxed_policy):
    """Each suppression has its number of calls as its reason, and the module's head lists it."""
    refused = run(("refund", {"order_id": "W-7001", "amount": "five"}, ValueError("no")))
    mining = relaxed_policy([REFUND], [*[WRONG["a wrong type"]] * 3, refused])
    (passed,) = mining.draft.passes
    what = "`parameter_mismatch` for `refund`, `wrong_type` at `/arguments/amount`"

    assert "4 recorded calls; the tool rejected 1 of them" == passed.reason
    assert what == str(passed)
    assert f" Allowed by this policy: - {passed.reason}: {what} Set `mode`" in join_comments(
        mining.text
    )
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


def test_at_most_200_unknown_names_are_allowed(relaxed_policy, tmp_path):
    """The most frequent names get an exception each; calls of all other names stay blocked."""
    wrong = [calling(f"tool_{n}", {}) for n in range(205)] + [calling("tool_204", {})]
    mining = relaxed_policy([REFUND], wrong)
    other = blocking_decisions(mining, [calling("tool_204", {}), calling("tool_x", {})], tmp_path)

    assert (200, set()) == (
        len(mining.draft.passes),
        {None} & {p.tool for p in mining.draft.passes},
    )
    assert ("5 calls with a name that no tool has, beyond the first 200",) == mining.stays
    assert (5, ["tool_x"]) == (mining.last.would_block, [decision.tool for decision in other])
    assert "# - and 180 more\n" in mining.text


def test_many_locations_of_one_error_share_one_entry(relaxed_policy, tmp_path):
    """Thirty different unknown arguments of one tool become one suppression without a location."""
    wrong = [calling("refund", {"order_id": "W-7001", f"ghost_{n}": 1}) for n in range(30)]
    mining = relaxed_policy([REFUND], wrong)
    (passed,) = mining.draft.passes

    assert ("unknown_argument", None, 30) == (passed.code, passed.where, passed.calls)
    assert [] == blocking_decisions(mining, wrong, tmp_path)
    assert 1 == len(blocking_decisions(mining, [WRONG["a wrong type"]], tmp_path))


def test_a_declaration_that_would_block_a_recorded_call_is_withdrawn(mined, tmp_path):
    """The module does not mark the argument as a target, and a comment gives the reason."""
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
    assert [] == blocking_decisions(mining, [wrong], tmp_path)


def test_a_withdrawn_destructive_annotation_is_written_as_false(mined):
    """The module says `destructive=False`, because the runs' tool lists say the opposite."""
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


def test_an_observed_list_of_values_is_only_a_comment(mined, tmp_path):
    """A call with a value that was never recorded is allowed."""
    fine = [run(("book", {"mode": ["slow", "fast"][n % 2]}, "ok")) for n in range(120)]
    mining = mined([tool("book", mode=TEXT)], fine)

    assert "# def mode_of_book(value: object) -> bool:\n" in mining.text
    assert [] == blocking_decisions(mining, [run(("book", {"mode": "odd"}, "ok"))], tmp_path)


def test_a_tool_described_only_in_the_runs_is_declared_if_it_is_called(mined, tmp_path):
    """A comment in the module says that the tool comes from the runs; an unused one is left out."""
    other = {"name": "pay", "parameters": {"properties": {"sum": {"type": "integer"}}}}
    unused = {"name": "unused", "parameters": {}}
    paid = run(("pay", {"sum": 5}, "ok"), tools=[other, unused])
    mining = mined([REFUND], [FINE, paid])

    assert ["pay", "refund"] == [each.name for each in mining.draft.tools]
    assert "    # not in tools.json; the runs describe it and call it\n" in mining.text
    assert [] == blocking_decisions(mining, [FINE, paid], tmp_path)


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
def test_an_unusable_schema_is_left_out(mined, tmp_path, schema):
    """The tool is declared without parameters, and a comment gives the reason."""
    shape = {"name": "odd", "parameters": schema}
    recorded = run(("odd", {"a": 1}, "ok"), tools=[shape])
    mining = mined([REFUND], [recorded])

    assert "    # its schema is left out" in mining.text
    assert "        parameters=None,\n" in mining.text
    assert (0, []) == (mining.last.would_block, blocking_decisions(mining, [recorded], tmp_path))


def test_a_schema_nested_too_deeply(mined):
    """A schema nested deeper than 40 levels is left out, because Python could not parse it."""
    schema: object = {}
    for _ in range(60):
        schema = {"properties": {"a": schema}}
    mining = mined([REFUND.model_copy(update={"parameters": schema})])

    assert "its schema is left out: it is nested deeper than 40 levels" in mining.text
    assert () == mining.proof.errors

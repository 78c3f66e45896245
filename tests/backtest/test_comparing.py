"""Changed decisions, their causes, and counts that can be merged."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.backtest import Comparison, Kind, LabelLine, Labels, Side, compare
from abs_shield.core import Finding, Verdict
from abs_shield.core.label import Truth
from abs_shield.errors import PolicyError
from abs_shield.policy import Suppression, Tool, configure, rule
from abs_shield.replay import BadLine, Toolsets, runs

TOOL = {"name": "lend_book", "parameters": {"properties": {"copy": {"type": "integer"}}}}


@rule(tool="lend_book")
def small(copy=0):
    """Only the first ten copies are lent."""
    return copy <= 10


def wary(proposal, session):
    """Suspects every copy."""
    if "copy" in proposal.arguments:
        yield Finding(
            check="wary", verdict=Verdict.SUSPICIOUS, strength=0.5, where="/arguments/copy",
            detail="a copy", code="copy",
        )  # fmt: skip


def a_line(run_id, *calls, **more):
    """Return a run of the library as a line of a file."""
    message = [{"role": "assistant", "tool_calls": [c]} for c in calls]
    messages = [{"role": "user", "content": "Lend me a book."}, *message]
    return {"run_id": run_id, "tools": [TOOL], "messages": messages, **more}


def lend(copy=None, name="lend_book", id=None):
    """Return a call."""
    return {"id": id, "name": name, "arguments": {} if copy is None else {"copy": copy}}


@pytest.fixture
def compare_policies(written):
    """Compare two policies on runs of the library."""

    def run(new, old, *lines, labels=None, most=3):
        ours, theirs = Side(new), None if old is None else Side(old)
        into = Comparison.of(ours, theirs, most=most)
        for one in runs([written(*lines)], Toolsets()):
            assert compare(one, ours, theirs, into=into, labels=labels) is None
        return into

    return run


BASE = {"layers": ["phantom_tool", "parameter_mismatch", "impossible_state"]}
LINES = [a_line("a", lend(3), lend(30)), a_line("b", lend("x"), lend(name="lent_book"))]


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ({"rules": [small]}, {}, {("allow-to-block", "lend_book", "impossible_state"): 1}),
        ({}, {"rules": [small]}, {("block-to-allow", "lend_book", "impossible_state"): 1}),
        (
            {},
            {"mode": "audit"},
            {
                ("allow-to-block", "lend_book", "parameter_mismatch"): 1,
                ("allow-to-block", "lent_book", "phantom_tool"): 1,
            },
        ),
        (
            {"modes": {"parameter_mismatch": "audit"}},
            {},
            {("block-to-allow", "lend_book", "parameter_mismatch"): 1},
        ),
        (
            {"rules": [small], "mode": "audit"},
            {"mode": "audit"},
            {("clean-to-flag", "lend_book", "impossible_state"): 1},
        ),
        (
            {"mode": "audit", "suppress": [Suppression(check="phantom_tool", reason="known")]},
            {"mode": "audit"},
            {("flag-to-clean", "lent_book", "phantom_tool"): 1},
        ),
        (
            {"layers": [wary], "threshold": 0.4},
            {"layers": [wary]},
            {("flag-to-clean", "lend_book", "wary"): 3},
        ),
        (
            {"layers": [wary], "on_suspicious": "approve"},
            {"layers": [wary]},
            {("allow-to-block", "lend_book", "wary"): 3},
        ),
        ({}, {}, {}),
    ],
)  # fmt: skip
def test_what_changes(compare_policies, new, old, expected):
    """Each changed decision counts once for its kind and tool, and for the layer to blame."""
    into = compare_policies(configure(**{**BASE, **new}), configure(**{**BASE, **old}), *LINES)

    assert expected == {(str(kind), *rest): n for (kind, *rest), n in into.layers.items()}
    assert sum(expected.values()) == into.kinds.total() == into.tools.total()
    assert (2, 4, 4) == (into.runs, into.new.calls, into.old.calls)


def test_a_call_blocked_by_two_layers_is_one_change(compare_policies):
    """The change is counted once and attributed to both layers."""
    old = configure(layers=[])
    new = configure(layers=[*BASE["layers"], wary], on_suspicious="block")
    into = compare_policies(new, old, a_line("a", lend("x")))

    assert {Kind.ALLOW_TO_BLOCK: 1} == into.kinds
    assert {"parameter_mismatch", "wary"} == {layer for _, _, layer in into.layers}


def test_an_example_has_the_findings_that_differ(compare_policies):
    """An example has its run, its line, and the findings that only one policy has."""
    new = configure(layers=["parameter_mismatch", wary])
    old = configure(
        layers=["parameter_mismatch", "impossible_state"],
        rules=[small],
        modes={"parameter_mismatch": "audit"},
    )
    into = compare_policies(new, old, a_line("z"), a_line("a", lend(3), lend(30, id="c")))

    (one,) = into.examples[Kind.BLOCK_TO_ALLOW]
    assert ("a", 1, "c", "lend_book", 2) == (
        one.run_id, one.call_index, one.call_id, one.tool, one.line,
    )  # fmt: skip
    assert (["wary"], ["impossible_state"]) == (
        [finding.check for finding in one.appeared],
        [finding.check for finding in one.disappeared],
    )


def test_a_finding_in_another_mode_appears_and_disappears(compare_policies):
    """A finding that is enforced instead of audited is listed on both sides with its mode."""
    into = compare_policies(configure(), configure(mode="audit"), a_line("a", lend("x")))

    (one,) = into.examples[Kind.ALLOW_TO_BLOCK]
    assert ["strict"] == [finding.mode for finding in one.appeared]
    assert ["audit"] == [finding.mode for finding in one.disappeared]


def test_other_findings(compare_policies):
    """A decision that stays although another layer makes it is counted apart."""
    new = configure(layers=["impossible_state"], rules=[small])
    old = configure(layers=[wary], on_suspicious="block")

    assert (1, 0) == (
        compare_policies(new, old, a_line("a", lend(30))).other_findings,
        compare_policies(new, new, a_line("a", lend(30))).other_findings,
    )


def test_successful_runs_are_counted_separately(compare_policies):
    """Changes and blocks in runs labelled as successful have their own counts."""
    good, bad = {"labels": {"success": True}}, {"labels": {"success": False}}
    lines = [a_line("a", lend("x"), **good), a_line("b", lend("x"), **bad)]
    into = compare_policies(configure(), configure(mode="audit"), *lines)

    assert (2, 1) == (into.kinds[Kind.ALLOW_TO_BLOCK], into.in_successes[Kind.ALLOW_TO_BLOCK])
    assert (2, 1) == (into.new.hit("blocked"), into.new.hit("blocked", successful=True))
    assert (2, 1) == (into.old.hit("flagged"), into.old.hit("flagged", successful=True))


def test_the_number_of_examples_is_limited(compare_policies):
    """The first examples of each kind are stored, and the first of each tool for annotations."""
    lines = [a_line(str(n), lend("x"), lend(name=f"tool{n}")) for n in range(5)]
    into = compare_policies(configure(), configure(layers=[]), *lines, most=2)

    assert ["0", "0"] == [one.run_id for one in into.examples[Kind.ALLOW_TO_BLOCK]]
    assert 6 == len(into.firsts)


@pytest.mark.slow
def test_the_number_of_tool_names_is_limited(compare_policies):
    """Tools beyond the first thousand are counted together."""
    lines = [a_line("a", *(lend(name=f"tool{n}") for n in range(1_200)))]
    into = compare_policies(configure(), configure(layers=[]), *lines)

    assert 1_200 == into.tools.total()
    assert 200 == into.tools[Kind.ALLOW_TO_BLOCK, "(other tools)"]
    assert 1_001 == len(into.tools)


CALLS = st.sampled_from([lend(3), lend(30), lend("x"), lend(name="lent_book"), lend()])
RUNS = st.lists(
    st.tuples(st.lists(CALLS, max_size=4), st.sampled_from([True, False, None]), st.booleans()),
    max_size=7,
)


@given(RUNS, st.data())
def test_merged_parts_equal_one_comparison(tmp_path_factory, entries, data):
    """Comparing runs in parts, pickling and merging the parts gives the same result."""
    lines = [
        a_line(
            f"r{n}", *calls,
            labels={"success": success, "calls": {"0": "ok" if ok else "hallucinated"}},
        )
        for n, (calls, success, ok) in enumerate(entries)
    ]  # fmt: skip
    path = tmp_path_factory.mktemp("runs") / "runs.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    read = list(runs([str(path)], Toolsets()))
    labels = Labels()
    for n in range(3):
        labels.add(LabelLine(label=Truth.OK, run_id=f"r{n}", call_index=n % 2))
    new, old = configure(rules=[small]), configure(layers=["phantom_tool", wary], mode="audit")

    def part(some):
        ours, theirs = Side(new), Side(old)
        into = Comparison.of(ours, theirs, most=2)
        for one in some:
            compare(one, ours, theirs, into=into, labels=labels)
        return into

    cut = data.draw(st.integers(0, len(read)))
    merged = pickle.loads(pickle.dumps(part(read[:cut])))
    merged.merge(pickle.loads(pickle.dumps(part(read[cut:]))))
    assert part(read) == merged


def test_an_invalid_rule_names_the_place_of_its_policy():
    """The error names the file and line where the policy was declared."""

    @rule(tool="lend_book")
    def wrong(copies):
        """Nothing."""

    tool = Tool(name="lend_book", parameters=TOOL["parameters"])
    with pytest.raises(PolicyError, match=r"test_comparing\.py:\d+: .*did you mean `copy`"):
        Side(configure(rules=[wrong], tools=[tool]))


def test_labels_that_cannot_be_read_do_not_stop_a_run(written):
    """A run with a wrong label is judged without its labels, and its line is named."""
    path = written(a_line("a", lend("x"), labels={"calls": {"0": "halucinated"}}))
    side = Side(configure())
    into = Comparison.of(side)
    (run,) = runs([path], Toolsets())
    bad = compare(run, side, None, into=into)

    message = 'labels.calls: the label of "0" is "halucinated"; did you mean `hallucinated`?'
    assert BadLine(path, 1, message) == bad
    assert (1, 0) == (into.new.calls, into.new.labelled.total())

"""Properties of every decision about a call, for arbitrary calls."""

from __future__ import annotations

import copy
import json
import math
from unicodedata import category

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abs_shield import Decision, Shield, Tool, ToolCall, rule, shield, shielded
from abs_shield.core import LAYER_NAMES

MODES = st.sampled_from(["strict", "audit"])

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["", "tx_12345", "2025-06-30", "yesterday", "\ud800", "\x1b[31m", 10**400])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=10,
)
PARAMETERS = st.sampled_from(["amount", "day", "note", "rows", "ghost"])
ARGUMENTS = st.dictionaries(PARAMETERS, JSON, max_size=5)
NAMES = st.sampled_from(["book", "bok", "other", ""]) | st.text(max_size=8)
LOGPROBS = st.none() | st.lists(st.none() | st.floats(max_value=0.5), max_size=3)
CALLS = st.builds(ToolCall, NAMES, ARGUMENTS, st.none(), LOGPROBS)

BOOK = Tool(
    name="book",
    parameters={
        "type": "object",
        "properties": {
            "amount": {"type": "number"},
            "day": {"type": "string", "format": "date"},
            "note": {},
            "rows": {"type": "array"},
        },
    },
)


@rule(tool="book")
def amount_is_positive(amount):
    """An amount is above 0."""
    return amount > 0


@rule(tool="book")
def careless(note, rows):
    """A faulty rule: it changes its arguments, and raises on most types."""
    rows.append(note)
    return len(note) < 9


def make_shield(**declared):
    declared = {"tools": [BOOK], "rules": [amount_is_positive, careless], **declared}
    return Shield(shield.configure(**declared))


STRICT, AUDIT = make_shield(), make_shield(mode="audit")
ASKING = make_shield(on_suspicious="approve"), make_shield(mode="audit", on_suspicious="approve")


@given(CALLS, st.sampled_from([(STRICT, AUDIT), ASKING]))
@example(ToolCall("book", {}, None, [-2.0]), ASKING)
def test_audit_never_blocks(call, firewalls):
    """Audit mode allows every call, and predicts exactly the calls that strict mode blocks."""
    strict, audit = (firewall.check_call(call) for firewall in firewalls)

    assert (False, "", None) == (audit.blocked, audit.approval, audit.attempts_left)
    assert strict.blocked == strict.would_block == audit.would_block
    assert (strict.verdict, strict.action) == (audit.verdict, audit.action)


@given(ARGUMENTS)
def test_audit_changes_no_value(arguments):
    """The tool receives the original arguments, and the caller its original result."""
    received = []

    @shielded(AUDIT)
    def book(**kwargs):
        received.append(kwargs)
        return kwargs

    before = copy.deepcopy(arguments)
    value = book(**arguments)

    assert value is received[0]
    assert all(value[name] is arguments[name] for name in arguments)
    assert repr(before) == repr(arguments)


@given(CALLS, st.permutations(LAYER_NAMES))
def test_the_order_of_layers_does_not_matter(call, layers):
    """Every order of the layers has the same verdict, action, findings and coverage."""
    one, other = (
        make_shield(layers=list(LAYER_NAMES)).check_call(call),
        make_shield(layers=layers).check_call(call),
    )

    assert (one.verdict, one.action, one.blocked) == (other.verdict, other.action, other.blocked)
    assert sorted(map(repr, one.findings)) == sorted(map(repr, other.findings))
    assert dict(one.coverage) == dict(other.coverage)


@given(CALLS, MODES)
def test_a_check_changes_none_of_its_inputs(call, mode):
    """The name, arguments and log-probabilities of the call are unchanged."""
    before = repr(copy.deepcopy(call))
    make_shield(mode=mode).check_call(call)

    assert before == repr(call)


@given(NAMES, JSON | st.text() | st.binary(max_size=9), JSON)
def test_any_json_value_gives_a_decision(name, arguments, logprobs):
    """Arbitrary arguments and log-probabilities are judged; only rules may fail on them."""
    decision = STRICT.check_call(ToolCall(name, arguments, None, logprobs))

    assert (name, "call") == (decision.tool, decision.subject)
    assert not [e for e in decision.errors if not e.startswith(("impossible", "confidence"))]


@given(JSON)
def test_any_value_of_any_shape_gives_a_decision(junk):
    """A value that is not a call is judged as a call of an unknown tool."""
    assert "call" == STRICT.check_call(junk).subject
    assert all(d.subject == "call" for d in STRICT.inspect_turn(junk))


def nested(levels):
    value: dict = {}
    for _ in range(levels):
        value = {"note": value}
    return value


@pytest.mark.parametrize(
    "arguments",
    [
        nested(64),
        nested(100_000),
        {"rows": [[1]] * 1_000},
        {1: 2, "a": 3},
        {None: 1},
        {"note": object()},
        {"note": {1, 2}},
        {"note": b"x"},
        {"amount": math.nan},
    ],
    ids=range(9),
)
@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_a_value_that_is_not_json_gives_a_decision(arguments, mode):
    """Deep values, keys of any type and objects raise no error, also at a second attempt."""
    firewall = make_shield(mode=mode)
    session = firewall.session()
    decisions = [firewall.check_call(ToolCall("book", arguments), session=session) for _ in "ab"]

    assert {False} >= {d.blocked for d in decisions if mode == "audit"}
    json.dumps([d.feedback() for d in decisions])


@given(CALLS, MODES)
def test_a_decision_round_trips_through_json(call, mode):
    """A decision written as JSON is read back equal."""
    session = make_shield(mode=mode).session("s1", agent="clerk")
    decision = make_shield(mode=mode).check_call(call, session=session)
    text = decision.to_json()

    assert text == Decision.from_dict(json.loads(text)).to_json()
    assert decision == Decision.from_dict(json.loads(text))


@given(CALLS)
def test_each_problem_of_the_feedback_is_one_line(call):
    """Feedback is valid JSON without line breaks or control characters of the model."""
    decision = STRICT.check_call(call)
    problems = json.loads(json.dumps(decision.feedback()))["problems"]
    lines = [decision.explain(), *(problem["hint"] for problem in problems)]

    assert all(len(line.splitlines()) == 1 for line in lines)
    assert not {"Cc", "Cf"} & {category(character) for line in lines for character in line}


@given(CALLS, st.floats(0, 1), st.floats(0, 1))
def test_a_higher_threshold_never_gives_a_milder_verdict(call, one, other):
    """A higher threshold counts the same findings or more."""
    low, high = sorted((one, other))
    mild, grave = (make_shield(threshold=t).check_call(call).verdict for t in (low, high))

    assert mild.gravity <= grave.gravity


@given(st.lists(CALLS, max_size=4))
def test_a_turn_is_judged_like_its_calls(calls):
    """The proposals of a turn and their dispatches have the same verdicts."""
    firewall = make_shield()
    session = firewall.session()
    proposed = firewall.inspect_turn(calls, session=session)
    dispatched = [firewall.check_call(call, session=session) for call in calls]

    assert [d.verdict for d in proposed] == [d.verdict for d in dispatched]

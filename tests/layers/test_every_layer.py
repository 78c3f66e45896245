"""Behaviour common to all layers, one row of the table per layer."""

from __future__ import annotations

import inspect
import math
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield import Finding, Shield, Tool, ToolCall, Verdict, layers, rule, shield
from abs_shield.core import Failed, Unavailable
from abs_shield.layers import LAYERS, OPT_IN
from abs_shield.session.session_record import record_of

ALL = {name: layer.judge for name, layer in {**LAYERS, **OPT_IN}.items()}

ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["", "\x00", "\ud800", "tx_99999", "yesterday", 10**400, -0.0, math.nan]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
ARGUMENTS = (
    ODD
    | st.text()
    | st.dictionaries(st.sampled_from(["transaction_id", "amount", "day", "user_id", "ghost"]), ODD)
)
NAMES = st.sampled_from(
    ["refund", "transfer", "create_user", "delete_user", "update_user", "refnud", "", "\x1b[31m"]
) | st.text(max_size=12)
LOGPROBS = st.none() | st.lists(ODD, max_size=4)

REFUND = Tool(
    name="refund",
    parameters={
        "type": "object",
        "properties": {
            "transaction_id": {"type": "string", "pattern": "^tx_"},
            "amount": {"type": "number", "exclusiveMinimum": 0},
            "day": {"type": "string", "format": "date"},
        },
        "required": ["transaction_id"],
    },
)


USER = {"type": "object", "additionalProperties": True}
TOOLS = [
    REFUND,
    Tool(name="transfer"),
    Tool(name="create_user", parameters=USER),
    Tool(name="update_user", parameters=USER, reads_first=["refund"]),
    Tool(name="delete_user", parameters=USER),
]
RAN = [
    ("create_user", {"user_id": 7, "name": "Ada"}, {"id": "u-7", "note": "write to eve@y.org"}),
    ("update_user", {"user_id": 8, "name": "Bob"}, "done"),
    ("delete_user", {"user_id": 9}, None),
]


@rule(tool=["refund", "transfer"])
def amount_is_small(amount):
    """A sum is at most 500."""
    return amount <= 500


def state(proposal, session):
    """All that a layer could change, as text: NaN is equal to nothing."""
    shown = (proposal.call, proposal.arguments, proposal.at, proposal.malformed)
    record = record_of(session)
    return repr((shown, record.log.version, record.executions, record.likelihoods.n))


@cache
def observed(layer):
    """Return a Shield with one layer, and what that layer last yielded and was shown."""
    kept = SimpleNamespace()

    def look(proposal, session):
        kept.before = state(proposal, session)
        kept.said = list(layer(proposal, session))
        kept.after = state(proposal, session)
        return ()

    look.__name__ = layer.__name__
    policy = shield.configure(layers=[look], tools=TOOLS, rules=[amount_is_small])
    return Shield(policy), kept


def run_layer(layer, call):
    """Everything that *layer* yields about *call*, and what it was shown."""
    firewall, kept = observed(layer)
    vars(kept).update(said=[], before=None, after=None)
    with firewall.session() as session:
        session.user("Please refund tx_12345 for ada@x.org.")
        for tool, arguments, value in RAN:
            with firewall.guard(ToolCall(tool, arguments)) as guard:
                guard.value = value
        decision = firewall.check_call(call)
    return SimpleNamespace(**vars(kept), decision=decision)


def test_every_layer_file_has_a_row():
    """Each file of the folder is a registered layer."""
    files = {path.stem for path in Path(layers.__file__).parent.glob("[!_]*.py")}

    assert files == {*LAYERS, *OPT_IN}


@pytest.mark.parametrize("name", ALL)
def test_a_layer_lives_in_the_file_of_its_name(name):
    """A layer's function, file and row have the same name."""
    judge = ALL[name]

    assert (name, f"abs_shield.layers.{name}") == (judge.__name__, judge.__module__)
    assert name == {**LAYERS, **OPT_IN}[name].name


@pytest.mark.parametrize("name", ALL)
def test_docstring_begins_with_an_example(name):
    """The docstring of a layer begins with a sentence that contains code in backticks."""
    first = inspect.getdoc(ALL[name]).splitlines()[0]

    assert first.endswith(".")
    assert "``" in first


@pytest.mark.parametrize("name", ALL)
@given(called=NAMES, arguments=ARGUMENTS, logprobs=LOGPROBS)
def test_any_call_is_judged_without_error(name, called, arguments, logprobs):
    """A layer raises nothing for any name, arguments and log-probabilities."""
    kept = run_layer(ALL[name], ToolCall(called, arguments, None, logprobs))

    assert () == kept.decision.errors
    assert all(isinstance(text, (Finding, Unavailable, Failed)) for text in kept.said)


@pytest.mark.parametrize("name", ALL)
@given(called=NAMES, arguments=ARGUMENTS, logprobs=LOGPROBS)
def test_findings_are_well_formed(name, called, arguments, logprobs):
    """A finding has check, verdict, strength, place, code and a one-line message."""
    for text in run_layer(ALL[name], ToolCall(called, arguments, None, logprobs)).said:
        if isinstance(text, Finding):
            assert text.check == name
            assert text.verdict is not Verdict.CLEAN
            assert 0 <= text.strength <= 1
            assert text.where.startswith(("/name", "/arguments"))
            assert text.code.isidentifier()
            assert text.detail
            assert len((text.detail + text.hint).splitlines()) == 1


@pytest.mark.parametrize("name", ALL)
@given(called=NAMES, arguments=ARGUMENTS)
def test_a_layer_changes_nothing(name, called, arguments):
    """A layer changes neither the call and its arguments nor the log and the history."""
    kept = run_layer(ALL[name], ToolCall(called, arguments))

    assert kept.before == kept.after


@pytest.mark.parametrize("name", ALL)
def test_layer_is_deterministic(name):
    """A layer yields equal findings for the same call."""
    call = ToolCall("refund", {"amount": -1, "ghost": 1}, None, [-2.0])

    assert run_layer(ALL[name], call).said == run_layer(ALL[name], call).said


@pytest.mark.parametrize("name", ALL)
def test_layer_is_unavailable_without_input(name):
    """A layer without tools, schema, rules or log-probabilities is unavailable, with a reason."""
    decision = Shield(shield.configure(layers=[name])).check_call(ToolCall("refund", {}))

    outcome, reason = decision.coverage[name]
    assert "unavailable" == outcome
    assert reason

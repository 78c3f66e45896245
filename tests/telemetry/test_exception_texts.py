"""The text of a block contains no value, in spans, logs and tracebacks of the host."""

from __future__ import annotations

import logging
import pickle
import traceback
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import Field

from abs_shield import (
    CallBlocked,
    ResultBlocked,
    Shield,
    Target,
    Tool,
    ToolProfile,
    rule,
    shield,
    shielded,
)
from abs_shield.core import Failed, Finding, Verdict
from abs_shield.core.vocabularies import LAYER_NAMES, OPT_IN_NAMES
from tests.telemetry.canaries import CANARY

NAMED = f"tx_{CANARY}_1"
AMOUNT = 4711.25


@rule(tool="refund")
def amount_is_small(amount: float) -> bool | str:
    """A refund is at most 500."""
    return amount <= 500 or f"{CANARY} is too much"


def own_layer(proposal: Any, session: Any) -> Any:
    """A layer of the host's, which writes values everywhere."""
    if proposal.name == "odd":
        everywhere = dict.fromkeys(("detail", "hint", "got", "expected", "nearest"), CANARY)
        yield Finding(
            check="own_layer", verdict=Verdict.HALLUCINATED, strength=1.0,
            where=f"/arguments/{CANARY}", code="odd", evidence={"rule": CANARY, "first": CANARY},
            **everywhere,
        )  # fmt: skip
    if proposal.name == "broken":
        yield Failed(f"cannot reach {CANARY}")
    if proposal.name == "raising":
        raise ConnectionError(CANARY)


@pytest.fixture
def firewall() -> Shield:
    policy = shield.configure(
        mode="strict",
        on_suspicious="block",
        layers=[*LAYER_NAMES, *OPT_IN_NAMES, own_layer],
        pii=True,
        rules=[amount_is_small],
        tools=[Tool(name=name) for name in ("odd", "broken", "raising", "mail")],
    )
    guard = Shield(policy, hooks=None)

    @shielded(guard)
    def refund(
        transaction_id: Annotated[str, Target()],
        amount: Annotated[float, Field(gt=0)] = 5.0,
        currency: Annotated[str, Field(pattern="^[A-Z]{3}$")] = "EUR",
        lines: dict[str, int] | None = None,
    ) -> str:
        """Refund a transaction."""
        return "refunded"

    return guard


BLOCKED: dict[str, tuple[str, Any, str]] = {
    "phantom_tool": ("refnud", {"id": CANARY}, "did you mean `refund`?"),
    "phantom_target": ("refund", {"transaction_id": f"tx_{CANARY}_2"}, "/arguments/transaction_id"),
    "out_of_range": ("refund", {"transaction_id": NAMED, "amount": -AMOUNT}, "more than 0"),
    "wrong_type": ("refund", {"transaction_id": NAMED, "amount": CANARY}, "expected number"),
    "bad_pattern": ("refund", {"transaction_id": NAMED, "currency": CANARY}, "a match of"),
    "unknown_argument": ("refund", {"transaction_id": NAMED, f"{CANARY}_x": 1}, "at /arguments:"),
    "key": ("refund", {"transaction_id": NAMED, "lines": {CANARY: CANARY}}, "/arguments/lines"),
    "rule": ("refund", {"transaction_id": NAMED, "amount": AMOUNT}, "A refund is at most 500."),
    "malformed_json": ("refund", f'{{"transaction_id": "{CANARY}', "malformed_json"),
    "personal_data": ("mail", {"to": f"{CANARY}@shop.com"}, "personal_data at "),
    "own layer": ("odd", {}, "own_layer at /arguments/*: odd"),
    "own error": ("broken", {}, "layer_error: own_layer could not run"),
    "own exception": ("raising", {}, "own_layer could not run: ConnectionError at "),
}


def blocked_by(call: Callable[[], Any]) -> CallBlocked | ResultBlocked:
    with pytest.raises((CallBlocked, ResultBlocked)) as caught:
        call()
    return caught.value


def assert_nowhere(error: BaseException, backend: Any, caplog: Any) -> None:
    """Assert that no text of *error* (str, repr, traceback, log record, span) has a canary."""
    with (
        pytest.raises(type(error)),
        backend.tracers.get_tracer("host").start_as_current_span("invoke_agent shop"),
    ):
        raise error
    logging.getLogger("host").error("the call failed: %r", error, exc_info=error)
    logging.getLogger("host").error("the call failed: %s", ExceptionGroup("all", [error]))  # type: ignore[type-var]
    texts = [
        str(error),
        repr(error),
        *traceback.format_exception(error),
        caplog.text,
        backend.everything(),
    ]
    exported = backend.span("invoke_agent").events[0].attributes["exception.message"]

    assert str(error) == exported
    assert [text for text in texts if CANARY in text or str(AMOUNT) in text] == []


@pytest.mark.parametrize("case", BLOCKED)
def test_no_value_is_in_the_text_of_a_block(firewall, backend, caplog, case) -> None:
    """The text has layer, pointer, code and hint, and no value that the model wrote."""
    name, arguments, expected = BLOCKED[case]
    with firewall.session() as session:
        session.user(f"Refund {NAMED}.")
        error = blocked_by(lambda: firewall.dispatch(name, arguments))

    assert expected in str(error)
    assert_nowhere(error, backend, caplog)


@pytest.mark.parametrize("case", ["phantom_target", "wrong_type", "bad_pattern", "rule"])
def test_the_values_are_in_the_feedback(firewall, case) -> None:
    """The feedback to the model, and the explanation for the operator, contain them."""
    name, arguments, _ = BLOCKED[case]
    with firewall.session() as session:
        session.user(f"Refund {NAMED}.")
        decision = blocked_by(lambda: firewall.dispatch(name, arguments)).decision

    values = [str(value) for value in arguments.values() if value != NAMED]
    assert any(value in str(decision.feedback()) for value in values)
    assert any(value in decision.explain() for value in values)


def test_no_value_is_in_the_text_of_a_withheld_result(backend, caplog) -> None:
    """A pointer into a result has a star for a key that the tool's author did not write."""
    profile = ToolProfile(required_fields=["pressure"], has_network_io=False)
    policy = shield.configure(mode="strict", tools=[Tool(name="gauge", profile=profile)])
    firewall = Shield(policy, hooks=None)

    @firewall.register
    def gauge() -> dict[str, str]:
        """Read the gauge."""
        return {CANARY: CANARY}

    error = blocked_by(lambda: firewall.dispatch("gauge", {}))

    assert "result of `gauge` is HALLUCINATED: schema_mismatch at /pressure" in str(error)
    assert_nowhere(error, backend, caplog)


def test_a_block_inside_a_tool_names_no_value(firewall, backend, caplog) -> None:
    """The traceback of a nested block, including its cause, contains no value."""

    @shielded(firewall)
    def outer(note: str) -> str:
        """Refund the transaction in the note."""
        return str(firewall.dispatch("refund", {"transaction_id": note, "amount": -AMOUNT}))

    with firewall.session() as session:
        session.user(f"Refund {NAMED}.")
        error = blocked_by(lambda: outer(NAMED))

    assert "call of `refund`" in str(error)
    assert_nowhere(error, backend, caplog)


def test_a_block_survives_pickling(firewall) -> None:
    """A block that was pickled in a worker process has the same text."""
    error = blocked_by(lambda: firewall.dispatch("refund", {"transaction_id": 1}))

    assert str(error) == str(pickle.loads(pickle.dumps(error)))


def test_a_block_by_an_internal_error_says_so(firewall) -> None:
    """The text names the internal error, not the verdict, as the reason."""
    error = blocked_by(lambda: firewall.dispatch("broken", {}))

    assert str(error).startswith("call of `broken` is blocked by an internal error, in strict mode")
    assert "CLEAN" not in f"{error} {error.decision.explain()}"

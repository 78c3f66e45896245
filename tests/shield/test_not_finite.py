"""No NaN and no infinity reaches a tool, in any notation."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from abs_shield import CallBlocked, Shield, ToolCall, Verdict, shield

HUGE = int("9" * 400)
TEXTS = ["inf", "-inf", "Infinity", "-Infinity", "1e999", "NaN", "nan", "9" * 400, " +inf "]


class Payment(BaseModel):
    amount: float


def bounded(amount: Annotated[float, Field(ge=0)]) -> None: ...
def below(amount: Annotated[float, Field(le=10)]) -> None: ...
def free(amount: float) -> None: ...
def optional(amount: float | None = None) -> None: ...
def beside(amount: float, order: int = 0) -> None: ...


@pytest.fixture
def firewall() -> Shield:
    guard = Shield(shield.configure(mode="strict"), hooks=None)
    for tool in (bounded, below, free, optional, beside):
        guard.register(tool)
    return guard


def finding_codes(
    firewall: Shield, tool: str, arguments: dict[str, Any]
) -> list[tuple[str, str, str]]:
    decision = firewall.check_call(ToolCall(tool, arguments))
    return [(str(one.verdict), one.code, one.where) for one in decision.findings]


@pytest.mark.parametrize("tool", ["free", "optional"])
@pytest.mark.parametrize("amount", [*TEXTS, HUGE, -HUGE], ids=lambda one: str(one)[:9])
def test_a_number_that_no_float_holds_is_a_mismatch(firewall, tool, amount) -> None:
    """Such a number becomes infinity, and is HALLUCINATED."""
    results = finding_codes(firewall, tool, {"amount": amount})

    assert [(Verdict.HALLUCINATED, "not_finite", "/arguments/amount")] == results


@pytest.mark.parametrize("tool", ["bounded", "below"])
@pytest.mark.parametrize("amount", TEXTS)
def test_a_bound_lets_no_infinity_in(firewall, tool, amount) -> None:
    """An infinity is above every lower bound."""
    ((verdict, code, _),) = finding_codes(firewall, tool, {"amount": amount})

    within = "-" in amount if tool == "below" else amount.strip("+ ")[0] in "iI19"
    assert ("HALLUCINATED", "not_finite" if within else "wrong_type") == (verdict, code)


def test_it_is_reported_with_other_faults(firewall) -> None:
    """Another argument that cannot be converted is reported, too."""
    results = finding_codes(firewall, "beside", {"amount": "inf", "order": "x"})

    assert {"not_finite", "wrong_type"} == {code for _, code, _ in results}


def test_a_number_that_is_written_as_text_stays_coercible(firewall) -> None:
    """Text of a finite number is still coercible."""
    assert ["coercible"] == [
        code for _, code, _ in finding_codes(firewall, "bounded", {"amount": "1e3"})
    ]


def of(x: Payment) -> None: ...
def lists(x: list[float]) -> None: ...
def maps(x: dict[str, list[float]]) -> None: ...


@pytest.mark.parametrize(
    ("tool", "around", "where"),
    [
        (of, lambda n: {"amount": n}, "/x/amount"),
        (lists, lambda n: [1, n], "/x/1"),
        (maps, lambda n: {"k": [n]}, "/x/k/0"),
    ],
)
@pytest.mark.parametrize("number", ["inf", HUGE], ids=["text", "integer"])
def test_it_is_found_inside(firewall, tool, around, where, number) -> None:
    """In models, lists and mappings."""
    firewall.register(tool)

    results = finding_codes(firewall, tool.__name__, {"x": around(number)})

    assert [(Verdict.HALLUCINATED, "not_finite", f"/arguments{where}")] == results


@pytest.mark.parametrize("hint", [int, Any, int | str, dict[str, int], list[Any]])
def test_an_integer_of_any_size_is_accepted(firewall, hint) -> None:
    """For an `int` it is exact."""
    got: list[Any] = []

    def count(x: hint) -> None:  # type: ignore[valid-type]
        got.append(x)

    count.__annotations__["x"] = hint
    firewall.register(count)
    value: Any = {"k": HUGE} if hint == dict[str, int] else [HUGE] if hint == list[Any] else HUGE
    firewall.dispatch("count", {"x": value})

    assert [value] == got


def test_an_infinite_number_is_not_dispatched(firewall) -> None:
    """A dispatch by name is blocked, too."""
    with pytest.raises(CallBlocked) as blocked:
        firewall.dispatch("bounded", {"amount": "inf"})

    assert "NaN or an infinity" in blocked.value.decision.explain()


@pytest.mark.parametrize("last", [float("nan"), float("inf")])
@pytest.mark.parametrize("inside", [False, True])
def test_a_result_that_becomes_nan_is_suspicious(last, inside) -> None:
    """NaN after sixty finite values is a finding."""
    firewall = Shield(shield.configure(), hooks=None)
    with firewall.session() as session:
        session.user("How warm is it?")
        for n in range(61):
            value: Any = {"degrees": 20 + n % 7 / 10 if n < 60 else last}
            value = {"now": value} if inside else value
            decision = firewall.check_result(ToolCall("weather", {"n": n}), value, elapsed_ms=100)

    assert Verdict.SUSPICIOUS == decision.verdict
    assert ["/now/degrees" if inside else "/degrees"] == [one.where for one in decision.findings]


def test_a_result_that_is_often_nan_is_clean() -> None:
    """NaN is usual for a sensor with gaps."""
    firewall = Shield(shield.configure(), hooks=None)
    with firewall.session() as session:
        session.user("How warm is it?")
        for n in range(61):
            value = {"degrees": float("nan") if n in (3, 60) else 20 + n % 7 / 10}
            decision = firewall.check_result(ToolCall("weather", {"n": n}), value, elapsed_ms=100)

    assert Verdict.CLEAN == decision.verdict

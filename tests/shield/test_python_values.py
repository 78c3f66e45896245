"""Python values in a dispatch by name are judged like those of a decorated call."""

from __future__ import annotations

from array import array
from collections import UserString
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

import pytest

from abs_shield import CallBlocked, Shield, Target, Tool, ToolCall, shield, shielded

ANY = {"type": "object", "additionalProperties": True}


@dataclass
class Order:
    """An order, an object of the host."""

    order_id: str = "tx_99999"


VALUES = [
    UUID(int=99999), {"tx_99999"}, frozenset({"tx_99999"}), b"tx_99999", Decimal("99999"), Order(),
    ("tx_99999",), bytearray(b"tx_99999"), memoryview(b"tx_99999"), UserString("tx_99999"),
    {"number": UserString("tx_99999")}, [memoryview(b"tx_99999")],
]  # fmt: skip


def codes_of(decision):
    return [(one.code, one.where) for one in decision.findings]


def target(decision):
    return tuple(decision.coverage["phantom_target"])


def host(mode="audit"):
    """Return a Shield with a decorated tool and one that the host runs."""
    firewall = Shield(
        shield.configure(
            mode=mode, layers=["phantom_target"], tools=[Tool(name="cancel_order", parameters=ANY)]
        ),
        hooks=None,
    )

    @shielded(firewall)
    def undo_order(order_id: Any) -> Any:
        return order_id

    return firewall, undo_order


def is_as_it_was(given: Any, value: Any) -> bool:
    """Return whether it is the same object, or a container of the same objects."""
    if type(value) is dict:
        return all(given[key] is item for key, item in value.items())
    if type(value) is list:
        return all(one is item for one, item in zip(given, value, strict=True))
    return given is value


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_python_value_is_judged_at_every_entrance(value):
    """All entry points judge it alike, and the tool receives it unchanged."""
    firewall, undo_order = host()
    with firewall.session() as session:
        session.user("Cancel tx_12345.")
        undo_order(value)
        expected = codes_of(session.decisions[-1])
        checked = firewall.check_call(ToolCall("cancel_order", {"order_id": value}))
        with firewall.guard(ToolCall("cancel_order", {"order_id": value})) as guard:
            guarded = guard.arguments["order_id"]
        (proposed,) = firewall.inspect_turn([ToolCall("cancel_order", {"order_id": value})])
        outputs = firewall.dispatch("undo_order", {"order_id": value})

    assert "unseen" == expected[0][0]
    assert expected == codes_of(checked) == codes_of(guard.decision) == codes_of(proposed)
    assert [True, True] == [is_as_it_was(guarded, value), is_as_it_was(outputs, value)]


def test_a_proposed_python_value_is_dispatched_as_the_same_call():
    """The proposal and its dispatch are one call."""
    firewall, _ = host()
    with firewall.session() as session:
        session.user("Cancel tx_12345.")
        call = ToolCall("undo_order", {"order_id": UUID(int=7)})
        (proposed,) = firewall.inspect_turn([call])
        firewall.dispatch(call.name, call.arguments)

        assert [proposed.id] == [one.id for one in session.decisions if one.subject == "call"]


@dataclass
class Payment:
    """A payment by the host."""

    amount: Any


NOT_FINITE = [Decimal("NaN"), Decimal("sNaN"), Decimal("-Infinity"), float("nan"), complex("inf")]


@pytest.mark.parametrize("number", NOT_FINITE, ids=repr)
@pytest.mark.parametrize("around", [list, lambda n: {"amount": n}, lambda n: Payment(*n)])
def test_a_number_that_is_not_finite_is_a_mismatch(number, around):
    """Numbers that are not finite are rejected in any type and container."""
    firewall = Shield(
        shield.configure(mode="strict", tools=[Tool(name="pay", parameters=ANY)]), hooks=None
    )
    decision = firewall.check_call(ToolCall("pay", {"value": around([number])}))

    assert ([("not_finite", True)]) == [(f.code, decision.blocked) for f in decision.findings]


OPAQUE = [
    object(), iter(["tx_99999"]), [object()], (n for n in "ab"), {"number": object()},
    bytearray(b"\xff"), memoryview(b"\xff"), memoryview(array("i", [99999])),
]  # fmt: skip


@pytest.mark.parametrize("value", OPAQUE, ids=lambda value: type(value).__name__)
def test_a_value_without_a_json_form_is_not_compared(value):
    """It is not a finding; the coverage says that it was not compared."""
    firewall, undo_order = host("strict")
    with firewall.session() as session:
        session.user("Cancel tx_12345.")
        assert is_as_it_was(undo_order(value), value)
        called = session.decisions[-1]
        checked = firewall.check_call(ToolCall("cancel_order", {"order_id": value}))

    for decision in (called, checked):
        assert ([], False) == (codes_of(decision), decision.blocked)
        assert ("unavailable", "a value of `order_id` cannot be compared") == target(decision)


@pytest.mark.parametrize("mode", ["audit", "strict"])
def test_an_iterator_of_ids_passes_unread(mode):
    """The tool reads it; the coverage says that it was not compared."""
    firewall = Shield(shield.configure(mode=mode), hooks=None)

    @shielded(firewall)
    def cancel(order_ids: Iterable[str], notes: Iterable[str] = ()) -> list[str]:
        return [*order_ids, *notes]

    with firewall.session() as session:
        session.user("Cancel tx_12345.")
        assert ["tx_99999", "soon"] == cancel(iter(["tx_99999"]), iter(["soon"]))
        assert "unavailable" == session.decisions[-1].coverage["phantom_target"].outcome
        cancel(["tx_12345"], iter(["soon"]))
        assert "ran" == session.decisions[-1].coverage["phantom_target"].outcome


KEYED = {"type": "object", "properties": {"order_ids": {"type": "object"}}}


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"tx_99999": 1}, [("unseen", "/arguments/order_ids/tx_99999")]),
        ({"tx_99999": {}}, [("unseen", "/arguments/order_ids/tx_99999")]),
        ({"tx_12345": 2}, []),
        ({"line1": 2, "note": 3}, []),
    ],
)
def test_keys_that_are_ids_are_judged(keys, expected):
    """The keys of an object with the name of an id are ids, except plain names."""
    firewall = Shield(
        shield.configure(tools=[Tool(name="set_order", parameters=KEYED)]), hooks=None
    )
    with firewall.session() as session:
        session.user("Two of tx_12345, please.")
        decision = firewall.check_call(ToolCall("set_order", {"order_ids": keys}))

    assert expected == [one for one in codes_of(decision) if one[0] == "unseen"]


def test_a_key_that_must_be_seen():
    """A mark on an object applies to its keys, except those that the schema names."""
    firewall = Shield(shield.configure(mode="strict"), hooks=None)

    @shielded(firewall)
    def ship(stock: Annotated[dict[str, int], Target(must_be_seen=True)]) -> int:
        return len(stock)

    with firewall.session() as session:
        session.user("Ship 5 of A-77.")
        assert 1 == ship({"A-77": 5})
        with pytest.raises(CallBlocked):
            ship({"B-78": 5})


FREE = [
    "tx_99999\nfoo bar",
    "tx_99999 one two three four five six seven",
    "tx_99999 " + "x" * 101,
]


@pytest.mark.parametrize("text", FREE)
def test_free_text_in_an_id_is_reported_as_not_judged(text):
    """It may contain an unmentioned id; the coverage says that it was not judged."""
    firewall, _ = host()
    with firewall.session() as session:
        session.user("Cancel tx_12345.")
        decision = firewall.check_call(ToolCall("cancel_order", {"order_id": text}))
        session.user(text)
        result = firewall.check_call(ToolCall("cancel_order", {"order_id": text}))

    assert ([], ("unavailable", "a value of `order_id` is free text")) == (
        codes_of(decision),
        target(decision),
    )
    assert "ran" == result.coverage["phantom_target"].outcome


def test_free_text_in_other_parameters():
    """A reason or a reference may have any length."""
    firewall, _ = host()
    with firewall.session() as session:
        session.user("Cancel tx_12345.")
        fields = {"reason": FREE[1], "reference": FREE[1], "order_id": "tx_12345"}
        decision = firewall.check_call(ToolCall("cancel_order", fields))

    assert ([], "ran") == (codes_of(decision), decision.coverage["phantom_target"].outcome)


NAN = float("nan")
KEYS = [
    {NAN: 1}, {"a": {float("inf"): 1}}, [{NAN: 2}], {Decimal("NaN"): 1}, {(1, NAN): 2},
    {complex("nan"): 1},
]  # fmt: skip


@pytest.mark.parametrize("value", KEYS, ids=repr)
def test_a_key_that_is_not_finite(value):
    """It is a mismatch, like a value that is not finite."""
    firewall = Shield(shield.configure(mode="strict"), hooks=None)

    @shielded(firewall)
    def price(x: Any = None) -> str:
        return "ran"

    with pytest.raises(CallBlocked) as blocked:
        price(value)

    assert ["not_finite"] == [finding.code for finding in blocked.value.decision.findings]
    with pytest.raises(CallBlocked):
        firewall.dispatch("price", {"x": value})


@pytest.mark.parametrize("key", ["nan", "NaN", "inf", "-Infinity", "1e999"])
def test_a_text_that_is_converted_to_such_a_key(key):
    """A model writes a text, which pydantic converts to the number."""
    firewall = Shield(shield.configure(mode="strict"), hooks=None)

    @shielded(firewall)
    def price(x: dict[float, int]) -> list[float]:
        return list(x)

    with pytest.raises(CallBlocked):
        firewall.dispatch("price", {"x": {key: 1}})
    numbers = {"1.5": 1, "-2": 1, "1e16": 1, "5e-324": 1, ".5": 1}
    assert [1.5, -2.0, 1e16, 5e-324, 0.5] == firewall.dispatch("price", {"x": numbers})
    assert [1.5, 1e16, 1.7e308] == price({1.5: 1, 1e16: 1, 1.7e308: 1})

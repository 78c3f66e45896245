"""Marks inside models, typed dictionaries, mappings and ``**kwargs`` apply like others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Optional, Unpack

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from abs_shield import Free, Injected, PolicyError, Shield, Target, Tool, ToolCall, shield, shielded
from abs_shield.plan.proof import prove

Id = Annotated[str, Target(must_be_seen=True)]


class Typed(TypedDict):
    order: Id


class Model(BaseModel):
    order: Id
    note: Annotated[str, Free()] = "x"


class Aliased(BaseModel):
    order: Id = Field(alias="orderRef")


class Outer(BaseModel):
    inner: Model


class Tree(BaseModel):
    order: Id
    children: list[Tree] = []


@dataclass
class Record:
    order: Id


def typed(x: Typed) -> None: ...
def model(x: Model) -> None: ...
def aliased(x: Aliased) -> None: ...
def record(x: Record) -> None: ...
def listed(x: list[Model]) -> None: ...
def optional(x: Optional[Model] = None) -> None: ...  # noqa: UP045
def outer(x: Outer) -> None: ...
def tree(x: Tree) -> None: ...
def mapped(x: dict[str, Model]) -> None: ...
def valued(x: dict[str, Id]) -> None: ...
def unpacked(**more: Unpack[Typed]) -> None: ...
def further(n: int = 0, **more: Id) -> None: ...
def positional(order: Id, /) -> None: ...
def iterated(x: Iterable[Id]) -> None: ...


def leaf(value: str) -> dict[str, Any]:
    return {"order": value}


CASES = [
    (typed, lambda v: {"x": leaf(v)}),
    (model, lambda v: {"x": leaf(v) | {"note": "as nobody said"}}),
    (aliased, lambda v: {"x": {"orderRef": v}}),
    (record, lambda v: {"x": leaf(v)}),
    (listed, lambda v: {"x": [leaf("tx_1"), leaf(v)]}),
    (optional, lambda v: {"x": leaf(v)}),
    (outer, lambda v: {"x": {"inner": leaf(v)}}),
    (
        tree,
        lambda v: {"x": {**leaf("tx_1"), "children": [{**leaf("tx_1"), "children": [leaf(v)]}]}},
    ),
    (mapped, lambda v: {"x": {"any": leaf(v)}}),
    (valued, lambda v: {"x": {"any": v}}),
    (unpacked, leaf),
    (further, lambda v: {"n": 5, "any": v}),
    (positional, leaf),
    (iterated, lambda v: {"x": [v]}),
]


@pytest.mark.parametrize(
    ("function", "arguments"), CASES, ids=lambda one: getattr(one, "__name__", "")
)
def test_a_mark_applies_at_any_place(function, arguments):
    """An unmentioned value is HALLUCINATED, and one of the user is clean."""
    firewall = Shield(shield.configure(mode="strict"), hooks=None)
    shielded(firewall)(function)
    with firewall.session() as session:
        session.user("Please do tx_1, for any reason.")
        result = firewall.check_call(ToolCall(function.__name__, arguments("tx_1")))
        unseen = firewall.check_call(ToolCall(function.__name__, arguments("tx_99999")))

    assert ("CLEAN", "HALLUCINATED") == (result.verdict, unseen.verdict), result.explain()
    assert ["unseen"] == [finding.code for finding in unseen.findings]


class Wrong(BaseModel):
    client: Annotated[str, Injected()]


def pay(order: Wrong) -> None: ...
def count(x: dict[Id, int]) -> None: ...


@pytest.mark.parametrize(
    ("function", "message"),
    [(pay, "`Injected` is used inside `order`"), (count, "on the keys of `x` has no effect")],
)
def test_a_misplaced_mark_is_an_error(function, message):
    """Parts of a parameter cannot be injected, and keys cannot be marked."""
    with pytest.raises(PolicyError, match=message):
        shielded(Shield(shield.configure(), hooks=None))(function)


@dataclass
class Context:
    order: Id


def test_injected_parameters_are_not_searched_for_marks():
    """The fields of an injected object are not arguments."""

    def pay(n: int, context: Annotated[Context, Injected()]) -> None: ...

    assert shielded(Shield(shield.configure(), hooks=None))(pay) is not None


def test_models_that_reference_each_other_are_read_in_bounded_time():
    """All marks of fourteen models that reference each other apply."""
    names = [f"Model{n}" for n in range(14)]
    source = "\n".join(
        f"class {name}(BaseModel):\n    id: Id = 'tx_1'\n"
        + "".join(f"    to{n}: Optional['{other}'] = None\n" for n, other in enumerate(names))
        for name in names
    )
    space = {"BaseModel": BaseModel, "Id": Id, "Optional": Optional, "__name__": __name__}
    exec(source, space)
    for name in names:
        space[name].model_rebuild(_types_namespace=space)

    def move(x: Any) -> None: ...

    move.__annotations__["x"] = space["Model0"]
    firewall = Shield(shield.configure(mode="strict"), hooks=None)
    shielded(firewall)(move)
    deep = {"id": "tx_1", "to3": {"to5": {"to3": {"to9": {"id": "tx_99999"}}}}}
    with firewall.session() as session:
        session.user("Please move tx_1.")
        decision = firewall.check_call(ToolCall("move", {"x": deep}))

    assert ["/arguments/x/to3/to5/to3/to9/id"] == [one.where for one in decision.findings]


def test_a_policy_may_mark_by_pointer():
    """Only the ``id`` of the lines is marked; an impossible place is an error."""
    line = {"type": "object", "properties": {"id": {"type": "string"}}}
    parameters = {"properties": {"lines": {"type": "array", "items": line}, "by": line}}
    tool = Tool(
        name="order", parameters=parameters, targets={"/lines/id": Target(must_be_seen=True)},
        free=["/by/id"],
    )  # fmt: skip
    firewall = Shield(shield.configure(tools=[tool]), hooks=None)
    with firewall.session() as session:
        session.user("Order something.")
        decision = firewall.check_call(
            ToolCall("order", {"lines": [{"id": "sku-771"}], "by": {"id": "usr-5512"}})
        )

    assert ["/arguments/lines/0/id"] == [finding.where for finding in decision.findings]

    closed = {**parameters, "additionalProperties": False}
    wrong = shield.configure(
        tools=[Tool(name="order", parameters=closed, targets={"/rows/id": Target()})]
    )
    with pytest.raises(PolicyError, match="is not one of its parameters"):
        Shield(wrong, hooks=None)


def test_a_proof_reads_all_names_of_a_field() -> None:
    """A mark of the policy may use the name or the alias of a field; a misspelt one is found."""
    for key, errors in (("/x/order", 0), ("/x/orderRef", 0), ("/x/ordr", 1)):
        firewall = Shield(
            shield.configure(tools=[Tool(name="aliased", targets=["/x/order"])]), hooks=None
        )
        firewall.register(aliased)
        policy = shield.configure(tools=[Tool(name="aliased", targets=[key])])
        tools = {"aliased": firewall.registry.tools()["aliased"].refined(policy.tools[0])}
        proof = prove(policy, tools, names=firewall.registry.names_of_models())

        assert errors == len(proof.errors)
        assert firewall.prove().ok

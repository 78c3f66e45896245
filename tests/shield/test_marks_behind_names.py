"""Marks behind type aliases, new types and root models apply, or raise an error."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, NewType, TypeVar

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel
from typing_extensions import TypeAliasType

from abs_shield import Free, Injected, PolicyError, Shield, Target, ToolCall, shield

T = TypeVar("T")
MARKED = Annotated[str, Target(must_be_seen=True)]
Acct = TypeAliasType("Acct", MARKED)
Twice = TypeAliasType("Twice", Acct)
Many = TypeAliasType("Many", list[Acct])
Seen = TypeAliasType("Seen", Annotated[T, Target(must_be_seen=True)], type_params=(T,))
Nest = TypeAliasType("Nest", "Acct | list[Nest]")
New = NewType("New", MARKED)  # type: ignore[valid-newtype]
Root = RootModel[Acct]
Host = TypeAliasType("Host", Annotated[dict[str, Any], Injected()])
Circle = TypeAliasType("Circle", "Acct | dict[str, Circle]")
Plain = TypeAliasType("Plain", "str | list[Plain] | dict[str, Plain]")


class Model(BaseModel):
    order: Acct


class Roots(RootModel[list[Acct]]): ...


class Held(BaseModel):
    roots: Roots


class Further(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, MARKED]


class Beside(BaseModel):
    model_config = ConfigDict(extra="allow")
    note: str = ""
    __pydantic_extra__: dict[str, MARKED]


class Defaulted(BaseModel):
    order: str = Target()  # type: ignore[assignment]


class Pair(NamedTuple):
    order: Acct
    count: int


class Models(NamedTuple):
    model: Model
    count: int


def bare(a: Acct) -> None: ...
def optional(a: Acct | None = None) -> None: ...
def listed(a: list[Acct]) -> None: ...
def mapped(a: dict[str, Acct]) -> None: ...
def annotated(a: Annotated[Acct, Field(min_length=1)]) -> None: ...
def twice(a: Twice) -> None: ...
def many(a: Many) -> None: ...
def generic(a: Seen[str]) -> None: ...
def nested(a: Nest) -> None: ...
def new(a: New) -> None: ...
def field(a: Model) -> None: ...
def root(a: Root) -> None: ...
def roots(a: Roots) -> None: ...
def held(a: Held) -> None: ...
def further(a: Further) -> None: ...
def models(a: Models) -> None: ...


CASES = [
    (bare, lambda v: v), (optional, lambda v: v), (listed, lambda v: [v]),
    (mapped, lambda v: {"k": v}), (annotated, lambda v: v), (twice, lambda v: v),
    (many, lambda v: [v]), (generic, lambda v: v), (nested, lambda v: [[v]]), (new, lambda v: v),
    (field, lambda v: {"order": v}), (root, lambda v: v), (roots, lambda v: [v]),
    (held, lambda v: {"roots": [v]}), (further, lambda v: {"k": v}),
    (models, lambda v: [{"order": v}, 1]),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "around"), CASES, ids=lambda one: getattr(one, "__name__", ""))
def test_a_mark_behind_an_alias_applies(tool, around) -> None:
    """An unmentioned value is found, and a mentioned one passes."""
    firewall = Shield(shield.configure(), hooks=None)
    firewall.register(tool)
    with firewall.session() as session:
        session.user("Use acct_1.")
        decisions = [
            firewall.check_call(ToolCall(tool.__name__, {"a": around(value)}))
            for value in ("acct_1", "mallory")
        ]

    assert [False, True] == [decision.blocked for decision in decisions]
    assert {"phantom_target"} == {finding.check for finding in decisions[1].findings}


def test_an_alias_can_be_injected() -> None:
    """The parameter is not offered to the model."""

    def pay(order_id: str, client: Host) -> None: ...

    tool = Shield(shield.configure(), hooks=None).register(pay).tool

    assert ["order_id"] == list(tool.parameters["properties"])


def defaulted(a: str = Target(must_be_seen=True)) -> None: ...  # type: ignore[assignment]
def defaulted_class(a: str = Free) -> None: ...  # type: ignore[assignment]
def defaulted_field(a: str = Field(default=Target())) -> None: ...
def defaulted_inside(a: Defaulted) -> None: ...
def as_type(a: Target) -> None: ...
def as_optional_type(a: Free | None) -> None: ...
def as_item_type(a: list[Target]) -> None: ...
def in_quotes(a: Annotated[str, "Target()"]) -> None: ...
def described(a: Annotated[str, "Target"]) -> None: ...
def in_tuple(a: list[Pair]) -> None: ...
def in_circle(a: Circle) -> None: ...
def on_extra(a: Beside) -> None: ...


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        (defaulted, "as a default in `a`"), (defaulted_class, "as a default in `a`"),
        (defaulted_field, "as a default in `a`"), (defaulted_inside, "as a default in `a`"),
        (as_type, "as the type of `a`"), (as_optional_type, "as the type of `a`"),
        (as_item_type, "as the type of `a`"), (in_quotes, "in quotes in `a`"),
        (in_tuple, "on a field of a named tuple in `a`"),
        (in_circle, "in a recursive mapping in `a`"),
        (on_extra, "on the extra fields of a model in `a`"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)  # fmt: skip
def test_a_mark_without_effect_is_an_error(tool, message) -> None:
    """The declaration raises, with the correct form."""
    with pytest.raises(PolicyError, match=f"a mark {message} has no effect"):
        Shield(shield.configure(), hooks=None).register(tool)


def test_the_correct_form_of_a_mark_is_in_the_message() -> None:
    """It has the mark that was used as a type."""
    with pytest.raises(PolicyError, match=r"write `Annotated\[str, Free\(\)\]`"):
        Shield(shield.configure(), hooks=None).register(as_optional_type)


def test_a_description_may_be_the_name_of_a_mark() -> None:
    """A text in `Annotated` is a mark in quotes only with its parentheses."""
    tool = Shield(shield.configure(), hooks=None).register(described).tool

    assert {} == tool.targets


def test_a_recursive_alias_is_read() -> None:
    """A recursive alias without marks is accepted."""

    def keep(a: Plain) -> None: ...

    tool = Shield(shield.configure(), hooks=None).register(keep).tool

    assert not tool.targets

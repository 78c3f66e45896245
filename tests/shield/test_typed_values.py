"""Honest calls with secrets, flags, mappings and other typed values run unchanged."""

from __future__ import annotations

import copy
import pickle
from collections import ChainMap, UserDict, UserList
from collections.abc import Collection, Mapping, Sequence, Set
from datetime import date
from decimal import Decimal
from enum import Flag, IntEnum, IntFlag
from typing import Annotated, Any, Self

import pytest
from pydantic import BaseModel, Field, Json, PlainSerializer, Secret, SecretBytes, SecretStr

from abs_shield import CallBlocked, Shield, Verdict, shield, shielded
from abs_shield.schema.argument_json import ArgumentSerializer


class Card(BaseModel):
    """A card with two secrets."""

    number: SecretStr
    cvv: Secret[Annotated[int, Field(lt=1000)]]


class Cash(BaseModel):
    """Another way to pay."""

    amount: int


class Priced(BaseModel):
    """A model whose hint has a serialiser."""

    price: Annotated[Decimal, PlainSerializer(lambda price: f"{price} EUR")] | None


class Upload(BaseModel):
    """A model with bytes that may be no text."""

    content: bytes
    name: str


class Setting(BaseModel):
    """A model with a value that is written as JSON text."""

    value: Json[dict[str, int]]


class Permission(Flag):
    """Permissions, which can be combined."""

    READ = 1
    WRITE = 4


class Option(IntFlag):
    """Too many options for a list of their combinations."""

    A, B, C, D, E, F, G = (1 << n for n in range(7))


class Priority(IntEnum):
    """A number with a name."""

    LOW = 1
    HIGH = 3


CARD = Card(number=SecretStr("4111111111111111"), cvv=Secret(123))


def tool_of(hint: Any) -> Any:
    def tool(value: Any) -> Any:
        return value

    tool.__annotations__ = {"value": hint}
    return tool


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (Secret[int], Secret(4711)),
        (Secret[date], Secret(date(2020, 1, 2))),
        (Secret[Decimal], Secret(Decimal("10.5"))),
        (Secret[list[int]], Secret([1, 2])),
        (Secret[Card], Secret(CARD)),
        (Secret[int] | None, Secret(1)),
        (Annotated[SecretStr, Field(max_length=4)], SecretStr("1234")),
        (Annotated[SecretStr, Field(min_length=12)], SecretStr("correct horse")),
        (SecretBytes, SecretBytes(b"\xff\x00")),
        (dict[str, list[Secret[int]]], {"pins": [Secret(1)]}),
        (Card, CARD),
        (Cash | Card, CARD),
        (Priced, Priced(price=Decimal("1.5"))),
        (Permission, Permission.READ | Permission.WRITE),
        (Permission, Permission(0)),
        (Option, Option.A | Option.G),
        (dict[Priority, int], {Priority.HIGH: 1}),
        (Mapping[str, int], ChainMap({"a": 1}, {"b": 2})),
        (Mapping[str, int], UserDict(a=1)),
        (Sequence[int], UserList([1])),
        (Set[str], {"a": 1}.keys()),
        (Collection[int], {1, 2}),
        (Collection[str] | None, ["a"]),
        (Upload, Upload(content=b"\x89PNG\xff", name="a.png")),
        (list[Upload], [Upload(content=b"\x89PNG\xff", name="a.png")]),
        (Json[dict[str, int]], {"a": 1}),
        (Json[dict[str, int]], '{"a": 1}'),
        (list[Json[list[int]]] | None, [[1], "[2]"]),
        (Json, [1]),
        (Setting, Setting(value='{"a": 1}')),
        (tuple[int, *tuple[str, ...]], (1, "a", "b")),
        (tuple[int, *tuple[str, ...]], (1,)),
        (list[tuple[int, *tuple[str, ...], bool]], [(1, True), (1, "a", "b", True)]),
        (tuple[int, *tuple[str, bool]], (1, "a", True)),
    ],
    ids=str,
)
@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_a_value_of_the_declared_type_is_clean(hint: Any, value: Any, mode: str) -> None:
    """A call from Python runs, and the function receives an equal value."""
    firewall = Shield(shield.configure(mode=mode), hooks=None)
    call = shielded(firewall)(tool_of(hint))

    with firewall.session() as session:
        assert value == call(value)

    assert Verdict.CLEAN is session.decisions[-1].verdict


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (Secret[int], Secret("a text")),
        (Annotated[SecretStr, Field(max_length=4)], SecretStr("hunter2")),
        (Card, Card.model_construct(number=SecretStr("1"), cvv=Secret(123_456))),
        (Permission, 2),
        (dict[Priority, int], {"2": 1}),
        (Json[dict[str, int]], {"a": "x"}),
        (Setting, Setting.model_construct(value={"a": "x"})),
        (tuple[int, *tuple[str, ...]], (1, 2)),
        (tuple[int, *tuple[str, ...]], ()),
        (tuple[int, *tuple[str, ...], bool], (1,)),
        (tuple[int, *tuple[str, bool]], (1, "a")),
    ],
    ids=str,
)
def test_a_value_of_another_type_is_blocked(hint: Any, value: Any) -> None:
    """A secret is judged by its value, and a flag by the combinations of its members."""
    firewall = Shield(shield.configure(), hooks=None)
    call = shielded(firewall)(tool_of(hint))

    with firewall.session(), pytest.raises(CallBlocked) as blocked:
        call(value)

    assert ["parameter_mismatch"] == [one.check for one in blocked.value.decision.findings]


@pytest.mark.parametrize("extra", [{"a": 1}, '{"a": 1}'], ids=str)
def test_a_model_sends_json_as_text_or_as_the_value(extra: Any) -> None:
    """The schema of ``Json[...]`` accepts both, and the function receives the parsed value."""
    firewall = Shield(shield.configure(layers=["parameter_mismatch"]), hooks=None)

    @shielded(firewall)
    def save(extra: Json[dict[str, int]] | None, more: list[Json[list[int]]]) -> Any:
        return {"extra": extra, "more": more}

    with firewall.session():
        saved = firewall.dispatch("save", {"extra": extra, "more": [[1], "[2]"]})

    assert {"extra": {"a": 1}, "more": [[1], [2]]} == saved


def test_a_method_takes_an_object_of_its_class() -> None:
    """The class of `Self` does not exist yet when its methods are decorated."""
    firewall = Shield(shield.configure(), hooks=None)

    class Basket:
        @shielded(firewall)
        def join(self, other: Self, more: Sequence[Self] = (), by: dict[str, Self] = {}) -> int:  # noqa: B006
            return 2 + len(more)

        @classmethod
        @shielded(firewall)
        def copy_of(cls, other: Self | None) -> Self:
            return cls()

    with firewall.session() as session:
        joined = Basket().join(Basket(), [Basket()], by={"a": Basket()})
        copied = Basket.copy_of(Basket())

    assert (3, Basket) == (joined, type(copied))
    assert {Verdict.CLEAN} == {decision.verdict for decision in session.decisions}


def test_a_secret_is_not_quoted() -> None:
    """A decision about a secret, its copies and its JSON show only the mask."""
    firewall = Shield(shield.configure(), hooks=None)
    call = shielded(firewall)(tool_of(Annotated[SecretStr, Field(max_length=4)]))

    with firewall.session(), pytest.raises(CallBlocked) as blocked:
        call(SecretStr("hunter2"))

    mask = ArgumentSerializer().serialize(Secret("hunter2"))
    shown = f"{blocked.value.decision!r} {mask!r} {copy.deepcopy({'a': mask})} {pickle.dumps(mask)}"
    assert "hunter2" not in shown
    assert "**********" == mask


def test_a_mentioned_secret_is_not_an_invented_one() -> None:
    """The mask of a password is not compared with the password that the user stated."""
    firewall = Shield(shield.configure(), hooks=None)

    @shielded(firewall)
    def log_in(user: str, password: SecretStr) -> bool:
        return True

    with firewall.session() as session:
        session.user("Log in as bea with the password hunter2.")
        assert log_in("bea", SecretStr("hunter2"))

    assert Verdict.CLEAN is session.decisions[-1].verdict


def test_further_arguments_may_have_the_names_of_args_and_kwargs() -> None:
    """They are judged by the type of ``**kwargs``."""
    firewall = Shield(shield.configure(), hooks=None)

    @shielded(firewall)
    def run(command: str, /, *args: str, **kwargs: int) -> tuple[Any, ...]:
        return command, args, kwargs

    with firewall.session() as session:
        assert ("ls", (), {"args": 3}) == run("ls", args=3)
        assert ("ls", ("-l",), {"args": 3, "kwargs": 4}) == run("ls", "-l", args=3, kwargs=4)
        assert ("ls", (), {"command": 5}) == run("ls", command=5)
        with pytest.raises(CallBlocked):
            run("ls", args="three")  # type: ignore[arg-type]

    assert [Verdict.CLEAN] * 3 == [decision.verdict for decision in session.decisions[:3]]


def test_the_position_of_a_parameter_with_a_default_may_be_free() -> None:
    """A further argument with the name of an omitted positional parameter is not that one."""
    firewall = Shield(shield.configure(), hooks=None)

    @shielded(firewall)
    def run(command: str = "ls", /, **options: int) -> tuple[Any, ...]:
        return command, options

    with firewall.session() as session:
        assert ("ls", {"command": 5}) == run(command=5)

    assert Verdict.CLEAN is session.decisions[-1].verdict

"""Values in another form than the schema's: their verdict, and the value that the tool receives."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import (
    AliasChoices,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NaiveDatetime,
    RootModel,
    StrictInt,
    TypeAdapter,
    ValidationError,
    computed_field,
    field_serializer,
    field_validator,
    model_serializer,
)
from pydantic.dataclasses import dataclass as pydantic_dataclass
from typing_extensions import TypedDict

from abs_shield import CallBlocked, Shield, Suppression, Tool, ToolCall, Verdict, rule, shield
from abs_shield.errors import PolicyError
from abs_shield.shield.decorator import shielded

CLEAN, SUSPICIOUS, HALLUCINATED = Verdict
ID = "123e4567-e89b-12d3-a456-426614174000"


class Colour(Enum):
    """An enum of texts."""

    RED = "red"


class Booking(BaseModel):
    """A model with an alias, a date-time and a default."""

    model_config = {"populate_by_name": True}

    patient: str = Field(alias="patientId")
    start: datetime
    minutes: int = 30


@dataclass
class Point:
    """A dataclass."""

    x: int
    on: date


class Adult(BaseModel):
    """A model with a validator."""

    age: int

    @field_validator("age")
    @classmethod
    def grown(cls, age: int) -> int:
        """Reject a value that the schema accepts."""
        if age < 18:
            raise ValueError("too young")
        return age


def split(value: Any) -> Any:
    """Split a text at its commas."""
    return value.split(",") if isinstance(value, str) else value


def tool_of(hint: Any, default: Any = ...) -> Callable[..., Any]:
    """Return a tool of one parameter, which returns its argument."""

    def tool(a: Any = default) -> Any:
        return a

    if default is ...:
        tool.__defaults__ = None
    tool.__annotations__ = {"a": hint}
    return tool


def make_shield(hint: Any, default: Any = ..., **declared: Any) -> Shield:
    """Return a Shield with that tool."""
    firewall = Shield(shield.configure(**declared), hooks=None)
    firewall.register(tool_of(hint, default))
    return firewall


def judge_value(firewall: Shield, value: Any) -> tuple[Verdict, list[str]]:
    """Return the verdict on a call with that value, and the codes of its findings."""
    decision = firewall.check_call(ToolCall("tool", {"a": value}))
    return decision.verdict, [finding.code for finding in decision.findings]


@pytest.mark.parametrize(
    ("hint", "value", "verdict"),
    [
        (datetime, "2026-03-02T09:30:00", CLEAN),
        (datetime, "2026-03-02 09:30", CLEAN),
        (datetime, "2026-03-02T09:30:00+0100", CLEAN),
        (datetime, "2026-03-02", SUSPICIOUS),
        (datetime, 1772443800, SUSPICIOUS),
        (datetime, "yesterday", HALLUCINATED),
        (datetime, "2024-13-40", HALLUCINATED),
        (NaiveDatetime, "2026-03-02T09:30:00", CLEAN),
        (NaiveDatetime, "2026-03-02T09:30:00Z", HALLUCINATED),
        (AwareDatetime, "2026-03-02T09:30:00+01:00", CLEAN),
        (AwareDatetime, "2026-03-02T09:30:00", HALLUCINATED),
        (AwareDatetime, 1772443800, SUSPICIOUS),
        (time, "09:30", CLEAN),
        (time, "09:30:00Z", CLEAN),
        (time, "25:61", HALLUCINATED),
        (date, "2026-03-02", CLEAN),
        (date, "2026-03-02T00:00:00", SUSPICIOUS),
        (date, "2026-03-02T09:30:00", HALLUCINATED),
        (date, "yesterday", HALLUCINATED),
        (timedelta, "PT1H", CLEAN),
        (timedelta, 3600, SUSPICIOUS),
        (timedelta, "1:00:00", SUSPICIOUS),
        (int, 71.0, CLEAN),
        (int, "71", SUSPICIOUS),
        (int, True, SUSPICIOUS),
        (int, "5.5", HALLUCINATED),
        (StrictInt, "71", HALLUCINATED),
        (float, "1.5", SUSPICIOUS),
        (bool, "True", SUSPICIOUS),
        (bool, 1, SUSPICIOUS),
        (bool, "maybe", HALLUCINATED),
        (Decimal, 1.5, CLEAN),
        (Decimal, "1.5", CLEAN),
        (Annotated[Decimal, Field(gt=0)], "-1.5", HALLUCINATED),
        (UUID, ID, CLEAN),
        (UUID, ID.replace("-", ""), SUSPICIOUS),
        (UUID, f"{{{ID}}}", SUSPICIOUS),
        (Colour, "red", CLEAN),
        (Colour, "RED", HALLUCINATED),
        (Literal["a", 1], 1, CLEAN),
        (Literal["a", 1], "b", HALLUCINATED),
        (set[int], [1, 1], SUSPICIOUS),
        (list[int], [1, "2"], SUSPICIOUS),
        (list[int], [1, "two"], HALLUCINATED),
        (Iterable[int], [1, "two"], HALLUCINATED),
        (dict[int, bool], {"1": True}, CLEAN),
        (Annotated[list[str], BeforeValidator(split)], "a,b", SUSPICIOUS),
        (Booking, {"patientId": "p1", "start": "2026-03-02T09:30"}, CLEAN),
        (Booking, {"patient": "p1", "start": "2026-03-02T09:30"}, SUSPICIOUS),
        (Booking, {"patientId": "p1", "start": "2026-03-02T09:30", "minutes": None}, SUSPICIOUS),
        (Booking, {"patientId": "p1", "start": None}, HALLUCINATED),
        (bytes, "aGk=", CLEAN),
        (str, 5, HALLUCINATED),
    ],
)
def test_the_type_decides(hint: Any, value: Any, verdict: Verdict) -> None:
    """Values that pydantic accepts are clean or coercible; others are HALLUCINATED."""
    report, codes = judge_value(make_shield(hint), value)

    assert verdict == report
    assert (codes == ["coercible"]) is (verdict is SUSPICIOUS)


def test_null_for_an_optional_parameter_is_left_out() -> None:
    """It is coercible, and the tool uses its default; for a required one it is HALLUCINATED."""
    optional = make_shield(int, 5)

    assert (SUSPICIOUS, ["coercible"]) == judge_value(optional, None)
    assert 5 == optional.dispatch("tool", {"a": None})
    assert (HALLUCINATED, ["wrong_type"]) == judge_value(make_shield(int), None)


def test_the_call_runs_with_the_converted_value() -> None:
    """A flagged value is converted to the declared type."""
    assert 71 == make_shield(int).dispatch("tool", {"a": "71"})
    assert timedelta(hours=1) == make_shield(timedelta).dispatch("tool", {"a": 3600})


def test_coercible_values_can_be_blocked() -> None:
    """With ``coercible="block"`` such values are HALLUCINATED, with the code of the mismatch."""
    exact = make_shield(int, coercible="block")

    assert (HALLUCINATED, ["wrong_type"]) == judge_value(exact, "71")
    assert (CLEAN, []) == judge_value(exact, 71)


def test_a_coercible_value_does_not_excuse_other_faults() -> None:
    """Only the coercible value is SUSPICIOUS; an unknown argument and a wrong one are not."""

    def pay(amount: float, on: date) -> str:
        """Pay."""
        return "paid"

    firewall = Shield(shield.configure(), hooks=None)
    firewall.register(pay)
    decision = firewall.check_call(
        ToolCall("pay", {"amount": "5", "on": "yesterday", "memo": "rent"})
    )

    assert {"/arguments/amount": SUSPICIOUS, "/arguments/on": HALLUCINATED} | {
        "/arguments/memo": HALLUCINATED
    } == {finding.where: finding.verdict for finding in decision.findings}


@pytest.mark.parametrize("hint", [float, Annotated[float, Field(gt=0)]])
def test_a_rule_receives_the_converted_value(hint: Any) -> None:
    """A rule receives the number that the tool would receive."""

    @rule(tool="tool")
    def small(a: float) -> bool:
        """It is at most 500."""
        return a <= 500

    firewall = make_shield(hint, rules=[small])

    assert (HALLUCINATED, ["coercible", "rule"]) == judge_value(firewall, "900")
    assert (SUSPICIOUS, ["coercible"]) == judge_value(firewall, "400")


def test_a_policys_schema_takes_precedence() -> None:
    """A value that the policy rejects is HALLUCINATED, although the function's type accepts it."""
    limit = {"type": "object", "properties": {"a": {"type": "number", "maximum": 500}}}
    firewall = make_shield(float, tools=[Tool(name="tool", parameters=limit)])

    assert (SUSPICIOUS, ["coercible"]) == judge_value(firewall, "400")
    assert (HALLUCINATED, ["wrong_type"]) == judge_value(firewall, "900")
    assert (HALLUCINATED, ["out_of_range"]) == judge_value(firewall, 900)


@pytest.mark.parametrize(
    ("schema", "value", "verdict"),
    [
        ({"type": "integer"}, "71", SUSPICIOUS),
        ({"type": "integer"}, "71.5", HALLUCINATED),
        ({"type": "integer", "maximum": 50}, "71", HALLUCINATED),
        ({"type": "number"}, "1e3", SUSPICIOUS),
        ({"type": "number"}, "nan", HALLUCINATED),
        ({"type": "boolean"}, "True", SUSPICIOUS),
        ({"type": "boolean"}, "maybe", HALLUCINATED),
        ({"type": ["integer", "boolean"]}, "true", SUSPICIOUS),
        ({"type": "integer"}, None, SUSPICIOUS),
        ({"type": "array", "items": {"type": "integer"}}, ["1", 2], SUSPICIOUS),
        ({"type": "array", "items": {"type": "integer"}}, [None], HALLUCINATED),
        ({"enum": [1, 2]}, "1", SUSPICIOUS),
        ({"type": "string", "enum": ["True", "False"]}, True, SUSPICIOUS),
        ({"type": "string", "enum": ["True", "False"]}, "yes", HALLUCINATED),
        ({"type": "object", "properties": {"n": {"type": "integer"}}}, {"n": "1"}, SUSPICIOUS),
        ({"type": "object", "properties": {"n": {"type": "integer"}}}, {"n": None}, SUSPICIOUS),
        ({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}},
         {"n": None}, HALLUCINATED),
        ({"type": "string"}, 71, HALLUCINATED),
        ({"type": "array"}, "[1]", HALLUCINATED),
        ({"type": "string", "format": "date-time"}, "2026-03-02T09:30", CLEAN),
        ({"type": "string", "format": "date-time"}, "yesterday", HALLUCINATED),
    ],
)  # fmt: skip
def test_coercible_values_of_a_described_tool(schema: Any, value: Any, verdict: Verdict) -> None:
    """Text of a number or boolean, and null for an optional parameter, are coercible."""
    parameters = {"type": "object", "properties": {"a": schema}}
    firewall = Shield(
        shield.configure(tools=[Tool(name="tool", parameters=parameters)]), hooks=None
    )
    report, codes = judge_value(firewall, value)

    assert verdict == report
    assert ("coercible" in codes) is (verdict is SUSPICIOUS)


BOOKED = {"patientId": "p1", "start": "2026-03-02T09:30", "minutes": "45"}
QUIET = Suppression(check="parameter_mismatch", reason="a test")


@pytest.mark.parametrize(
    "declared", [{}, {"mode": "audit"}, {"suppress": [QUIET]}, {"layers": []}], ids=str
)
def test_a_finding_does_not_affect_the_arguments(declared: dict[str, Any]) -> None:
    """With any finding, the tool receives its model, not a dict."""
    booking = make_shield(Booking, **declared).dispatch("tool", {"a": BOOKED})

    assert Booking(patientId="p1", start=datetime(2026, 3, 2, 9, 30), minutes=45) == booking


def test_rejected_arguments_are_passed_unconverted_in_audit() -> None:
    """In audit mode the call runs with the model's own value."""
    assert "yesterday" == make_shield(date, mode="audit").dispatch("tool", {"a": "yesterday"})


def test_a_rejected_argument_does_not_affect_the_others() -> None:
    """In audit mode each valid argument is converted, even with an unknown argument."""
    firewall = Shield(shield.configure(mode="audit"), hooks=None)

    @firewall.register
    def book(day: date, who: Booking, count: int = 1, **more: Any) -> Any:
        return day, who, count, more

    who = Booking(patientId="p1", start=datetime(2026, 3, 2, 9, 30), minutes=45)
    sent = {"day": "2026-03-02", "who": BOOKED, "count": "many", "note": "x"}
    assert (date(2026, 3, 2), who, "many", {"note": "x"}) == firewall.dispatch("book", sent)
    sent = {"day": "yesterday", "who": BOOKED, "count": None}
    assert ("yesterday", who, 1, {}) == firewall.dispatch("book", sent)


def test_an_invalid_pattern_is_a_policy_error() -> None:
    """The message names the tool and the error."""
    with pytest.raises(PolicyError, match=r"tool `tool`: .*look-ahead"):
        make_shield(Annotated[str, Field(pattern=r"(?!a)b")])


def test_the_tools_own_validator_is_used() -> None:
    """A value that the schema accepts and the type rejects does not reach the tool."""
    firewall = make_shield(Adult, mode="audit")

    with pytest.raises(ValidationError, match="too young"):
        firewall.dispatch("tool", {"a": {"age": 7}})


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (datetime, datetime(2026, 3, 2, 9, 30)),
        (datetime, datetime(2026, 3, 2, 9, 30, tzinfo=UTC)),
        (NaiveDatetime, datetime(2026, 3, 2, 9, 30)),
        (time, time(9, 30)),
        (Booking, Booking(patientId="p1", start=datetime(2026, 3, 2, 9, 30))),
        (Point, Point(1, date(2026, 3, 2))),
    ],
)
def test_a_call_from_python_is_judged_alike(hint: Any, value: Any) -> None:
    """A local time is clean from Python and from JSON."""
    firewall = Shield(shield.configure(), hooks=None)

    assert value == shielded(firewall)(tool_of(hint))(value)


@pytest.mark.parametrize(
    ("hint", "value", "content"),
    [
        (datetime, datetime(2026, 3, 2, 9, 0, tzinfo=UTC), '"2026-03-02T09:00:00Z"'),
        (datetime, datetime(2026, 3, 2, 9), '"2026-03-02T09:00:00"'),
        (timedelta, timedelta(hours=1), '"PT1H"'),
        (Colour, Colour.RED, '"red"'),
        (set[int], {1}, "[1]"),
        (tuple[int, int], (1, 2), "[1, 2]"),
        (UUID, UUID(ID), f'"{ID}"'),
        (Decimal, Decimal("1.50"), '"1.50"'),
        (bytes, b"hi", '"hi"'),
        (Point, Point(1, date(2026, 3, 2)), '{"x": 1, "on": "2026-03-02"}'),
        (
            Booking,
            Booking(patientId="p1", start=datetime(2026, 3, 2, 9)),
            '{"patientId": "p1", "start": "2026-03-02T09:00:00", "minutes": 30}',
        ),
    ],
)
def test_a_result_can_be_copied_into_the_next_call(hint: Any, value: Any, content: str) -> None:
    """The JSON of a result is a clean argument with the same value."""
    firewall = make_shield(hint)

    def give() -> Any:
        """Return the value."""
        return value

    firewall.register(give)
    [message] = firewall.run_tool_calls([{"id": "c1", "name": "give", "arguments": {}}])
    copied = f'{{"a": {message["content"]}}}'

    assert content == message["content"]
    assert CLEAN is firewall.check_call(ToolCall("tool", copied)).verdict
    assert value == firewall.dispatch("tool", copied)


def test_no_hint_asks_for_an_offset() -> None:
    """The hint for a wrong date-time has no offset."""
    with pytest.raises(CallBlocked) as blocked:
        make_shield(datetime).dispatch("tool", {"a": "yesterday"})
    [problem] = blocked.value.decision.feedback()["problems"]

    assert problem["hint"].endswith("use a date-time such as 2024-05-31T12:00:00")
    assert "offset" not in problem["hint"]
    assert "Z" not in problem["hint"]


class Closed(BaseModel):
    """A model that forbids extra fields."""

    model_config = ConfigDict(extra="forbid")


class Computed(Closed):
    """A model with a computed field."""

    x: int

    @computed_field
    def z(self) -> int:
        """Return an optional value that is never sent."""
        return self.x + 1


class Taken(Closed):
    """A model with validation aliases."""

    x: int = Field(validation_alias="inX")
    y: int = Field(validation_alias=AliasChoices("a", "b"))
    z: timedelta = Field(serialization_alias="outZ")


class Serialised(BaseModel):
    """A model that serializes a number as a text, and excludes a field."""

    x: int
    y: int = Field(exclude=True)

    @field_serializer("x")
    def _hidden(self, x: int) -> str:
        return "n/a"


class Whole(BaseModel):
    """A model that is serialized as a text."""

    x: int

    @model_serializer
    def _text(self) -> str:
        return f"x is {self.x}"


class Several(RootModel[list[Computed]]):
    """A list of such models."""


@pydantic_dataclass(config=ConfigDict(extra="forbid"), slots=True)
class Placed:
    """A dataclass with another name for a field, and a model inside."""

    inside: Computed
    at: int = Field(alias="AT")


class Outer(Closed):
    """Models inside a model."""

    one: Computed = Field(alias="ONE")
    more: dict[str, list[Taken]]


TAKEN = Taken(inX=1, a=2, z=timedelta(hours=1))


@pytest.mark.parametrize(
    "value",
    [
        Computed(x=1),
        TAKEN,
        Serialised(x=1, y=2),
        Whole(x=1),
        Several([Computed(x=1)]),
        Placed(AT=1, inside=Computed(x=1)),
        Outer(ONE=Computed(x=1), more={"a": [TAKEN]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_instance_of_the_declared_type_is_clean(value):
    """Computed fields, serializers and aliases cause no finding; it is passed unchanged."""
    firewall = Shield(shield.configure(), hooks=None)
    alone = shielded(firewall, name="alone")(tool_of(type(value)))
    listed = shielded(firewall, name="listed")(tool_of(list[type(value)]))
    with firewall.session() as session:
        assert value is alone(value)
        assert value is listed([value])[0]

    assert [CLEAN, CLEAN] == [decision.verdict for decision in session.decisions]


def test_an_instance_of_another_type_is_still_refused():
    """A model that is not the declared one is judged by its fields."""
    firewall = Shield(shield.configure(), hooks=None)
    alone = shielded(firewall)(tool_of(Computed))

    with pytest.raises(CallBlocked):
        alone(Serialised(x=1, y=2))


class Stop(TypedDict):
    """A typed dict."""

    city: str


@pytest.mark.parametrize("hint", [Stop, Point, Adult, list[Stop], Stop | None])
def test_an_unknown_key_of_a_typed_dict_is_ignored(hint):
    """Unknown keys are rejected only among the arguments themselves."""
    inside = {"city": "Oslo", "x": 1, "on": "2026-05-01", "age": 20, "extra": 2}
    value = [inside] if hint == list[Stop] else inside
    firewall = make_shield(hint, mode="strict")

    assert (CLEAN, []) == judge_value(firewall, value)
    assert TypeAdapter(hint).validate_python(value) == firewall.dispatch("tool", {"a": value})
    assert [HALLUCINATED] == [firewall.check_call(ToolCall("tool", {"a": value, "b": 1})).verdict]


def test_in_audit_an_unknown_argument_does_not_affect_the_others():
    """The function itself rejects it, and receives the other arguments converted."""
    got = []

    def tool(a: int, b: date, **more: Any) -> None:
        got.append((a, b, more))

    def closed(a: int, b: date) -> None:
        got.append((a, b))

    firewall = Shield(shield.configure(mode="audit"), hooks=None)
    for each in (tool, closed):
        firewall.register(each)
    firewall.dispatch("tool", {"a": "1", "b": "2026-05-01", "c": "2"})
    with pytest.raises(TypeError, match="unexpected keyword argument 'c'"):
        firewall.dispatch("closed", {"a": 1, "b": "2026-05-01", "c": "2"})

    assert [(1, date(2026, 5, 1), {"c": "2"})] == got


class Level(IntEnum):
    """An enum of numbers."""

    LOW = 1


@pytest.mark.parametrize(("hint", "value"), [(Level, "1"), (NaiveDatetime, "2026-03-02")])
def test_one_wrong_value_is_one_finding(hint, value):
    """A value of another type is not reported as missing from the enum, too."""
    assert (SUSPICIOUS, ["coercible"]) == judge_value(make_shield(hint), value)

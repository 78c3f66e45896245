"""Laws for values: accepted ones are not hallucinations, and findings leave them unchanged."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from ipaddress import IPv4Address
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, NotRequired, Optional, Union
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NaiveDatetime,
    StrictInt,
    TypeAdapter,
    ValidationError,
)
from typing_extensions import TypedDict

from abs_shield import CallBlocked, Shield, Suppression, ToolCall, Verdict, shield, shielded
from abs_shield.shield.message_content import content_of


class Colour(Enum):
    """An enum of texts."""

    RED, BLUE = "red", "blue"


class Level(IntEnum):
    """An enum of numbers."""

    LOW, HIGH = 1, 2


@dataclass
class Point:
    """A dataclass."""

    x: int
    at: datetime | None = None


class Line(TypedDict):
    """A TypedDict with a name that may be absent."""

    item: str
    count: NotRequired[int]


class Email(BaseModel):
    """A branch of a discriminated union."""

    kind: Literal["email"] = "email"
    to: str


class Sms(BaseModel):
    """The other branch."""

    kind: Literal["sms"] = "sms"
    number: int


class Booking(BaseModel):
    """A model with an alias, types that JSON has not, a default, and a model inside."""

    model_config = ConfigDict(populate_by_name=True)

    patient_id: UUID = Field(alias="patientId")
    start: datetime
    price: Decimal = Decimal("1.50")
    tags: set[str] = Field(default_factory=set)
    contact: Annotated[Email | Sms, Field(discriminator="kind")] | None = None


class Strict(BaseModel):
    """A model that takes a date from JSON alone."""

    model_config = ConfigDict(strict=True, extra="forbid")

    day: date
    count: int = 1


def _split(value: Any) -> Any:
    return value.split(",") if isinstance(value, str) else value


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
NUMBERS = st.integers(-(2**40), 2**40)
FLOATS = st.floats(-1e9, 1e9)
DECIMALS = st.decimals(-(10**6), 10**6, allow_nan=False, places=2)
NAIVE = st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1))
ZONES = st.sampled_from(
    [UTC, timezone(timedelta(hours=5, minutes=30)), timezone(-timedelta(hours=8))]
)
AWARE = st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1), timezones=ZONES)
DATES = st.dates(date(1970, 1, 2), date(2200, 1, 1))
SPANS = st.timedeltas(timedelta(0), timedelta(days=400))
MOMENTS = NAIVE | AWARE

Typed = tuple[Any, st.SearchStrategy[Any]]
"""A type hint, and values of that type."""

LEAVES: list[Typed] = [
    (int, NUMBERS),
    (float, FLOATS),
    (Decimal, DECIMALS),
    (bool, st.booleans()),
    (str, TEXTS),
    (bytes, st.binary(max_size=4)),
    (date, DATES),
    (datetime, MOMENTS),
    (NaiveDatetime, NAIVE),
    (AwareDatetime, AWARE),
    (time, st.times()),
    (timedelta, SPANS),
    (UUID, st.uuids()),
    (Colour, st.sampled_from(Colour)),
    (Level, st.sampled_from(Level)),
    (Literal["a", 1, "x,y"], st.sampled_from(["a", 1, "x,y"])),
    (IPv4Address, st.ip_addresses(v=4)),
    (PurePosixPath, st.just(PurePosixPath("/a/b"))),
    (StrictInt, NUMBERS),
    (Annotated[int, Field(ge=0, le=100)], st.integers(0, 100)),
    (Annotated[float, Field(gt=0)], st.floats(0.5, 100)),
    (Annotated[str, Field(pattern="^[a-c]+$", min_length=1)], st.sampled_from(["a", "abc"])),
    (Annotated[Decimal, Field(gt=0, le=500)], st.decimals(1, 500, places=2)),
    (Annotated[list[str], BeforeValidator(_split)], st.lists(st.sampled_from("ab"), max_size=2)),
    (Point, st.builds(Point, x=NUMBERS, at=st.none() | MOMENTS)),
    (Line, st.fixed_dictionaries({"item": TEXTS}, optional={"count": NUMBERS})),
    (
        Booking,
        st.builds(
            Booking,
            patientId=st.uuids(),
            start=MOMENTS,
            price=DECIMALS,
            tags=st.sets(TEXTS, max_size=2),
            contact=st.none() | st.builds(Email, to=TEXTS) | st.builds(Sms, number=NUMBERS),
        ),
    ),
    (Strict, st.builds(Strict, day=DATES)),
    (
        Annotated[Email | Sms, Field(discriminator="kind")],
        st.builds(Email, to=TEXTS) | st.builds(Sms, number=NUMBERS),
    ),
]
HASHED: list[Typed] = [LEAVES[n] for n in (0, 2, 3, 4, 6, 7, 12, 13)]


def _holders(inner: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    few: dict[str, Any] = {"max_size": 2}
    return st.one_of(
        inner.map(lambda t: (Optional[t[0]], st.none() | t[1])),  # noqa: UP045
        st.tuples(inner, inner).map(lambda p: (Union[p[0][0], p[1][0]], p[0][1] | p[1][1])),  # noqa: UP007
        inner.map(lambda t: (list[t[0]], st.lists(t[1], **few))),  # type: ignore[name-defined]
        st.sampled_from(HASHED).map(lambda t: (set[t[0]], st.sets(t[1], **few))),  # type: ignore[name-defined]
        inner.map(lambda t: (tuple[t[0], ...], st.lists(t[1], **few).map(tuple))),  # type: ignore[name-defined]
        st.tuples(inner, inner).map(
            lambda p: (tuple[p[0][0], p[1][0]], st.tuples(p[0][1], p[1][1]))
        ),  # type: ignore[name-defined]
        st.tuples(st.sampled_from(HASHED), inner).map(
            lambda p: (dict[p[0][0], p[1][0]], st.dictionaries(p[0][1], p[1][1], **few))  # type: ignore[name-defined]
        ),
    )


TYPES = st.recursive(st.sampled_from(LEAVES), _holders, max_leaves=3)
SPELLINGS = [
    *("71", "71.0", " 71 ", "5.5", "1_000", "1e3", "+5", "True", "true", "yes", "1", "0", "None"),
    *("nan", "1.5", "abc", "a,b", "", "yesterday", "25:61", "2024-13-40", "red", "RED", "email"),
    *("2024-05-31", "2024-05-31T00:00:00", "2024-05-31 09:30", "2024-05-31T09:30:00Z"),
    *("2024-05-31t09:30:00+0530", "09:30", "09:30:00", "09:30Z", "1:00:00", "01:00:00", "PT1H"),
    *("1717113600", "P1D", "1 day", "123e4567e89b12d3a456426614174000", "10.0.0.1"),
    *("{123e4567-e89b-12d3-a456-426614174000}", "123e4567-e89b-12d3-a456-426614174000"),
    *(0, 1, 2, 71, -1, 71.0, 71.5, 1717113600, 1.5e10, 2**70, True, False, None, 0.5),
]
SCALARS = st.sampled_from(SPELLINGS) | TEXTS | NUMBERS | FLOATS
NAMES = st.sampled_from(["x", "at", "item", "kind", "to", "patientId", "patient_id", "start", "1"])
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=4,
)


few = settings(max_examples=settings().max_examples // 2)
"""Each example compiles a function, a model and a schema."""


def as_read(value: Any) -> Any:
    """The value that a model copies from the text of a result."""
    text = content_of(value)
    return text if isinstance(value, str) and not isinstance(value, Enum) else json.loads(text)


@st.composite
def typed_json(draw: st.DrawFn) -> tuple[Any, Any]:
    """A type hint and a JSON value: of that type, of a slip of it, or of any other."""
    hint, values = draw(TYPES)
    value = as_read(draw(values))
    slipped = st.just(str(value)) if isinstance(value, (int, float)) else st.just(value)
    return hint, draw(st.just(value) | slipped | ANYTHING)


def echo_tool(hint: Any, default: Any = ...) -> Callable[..., Any]:
    """Return a tool of one parameter that returns its argument and the argument's type."""

    def tool(a: Any = default) -> Any:
        return type(a).__name__, repr(a)

    if default is ...:
        tool.__defaults__ = None
    tool.__annotations__ = {"a": hint, "return": Any}
    return tool


def validate_value(hint: Any, value: Any) -> list[Any]:
    """Return *value* validated by pydantic as Python, else as JSON; empty if both fail."""
    adapter = TypeAdapter(hint)
    with suppress(ValidationError):
        return [adapter.validate_python(value)]
    with suppress(ValidationError):
        return [adapter.validate_json(json.dumps(value))]
    return []


def make_shield(hint: Any, *, default: Any = ..., **declared: Any) -> Shield:
    """A Shield with that tool."""
    firewall = Shield(shield.configure(**declared), hooks=None)
    firewall.register(echo_tool(hint, default))
    return firewall


def outcome(firewall: Shield, value: Any) -> Any:
    """Return what the tool returned or raised."""
    try:
        return firewall.dispatch("tool", {"a": value})
    except CallBlocked as blocked:
        return blocked
    except Exception as error:
        return type(error).__name__


def verdict(firewall: Shield, value: Any) -> Verdict:
    """Return what is said of a call with that value, by the model's JSON."""
    return firewall.check_call(ToolCall("tool", {"a": value})).verdict


@few
@given(typed_json())
def test_what_a_type_accepts_is_never_hallucinated(pair: tuple[Any, Any]) -> None:
    """Law 1: pydantic makes a value of it, so it is clean or suspicious."""
    hint, value = pair
    decision = verdict(make_shield(hint), value)

    assert not (decision is Verdict.HALLUCINATED and validate_value(hint, value))


@few
@given(typed_json())
def test_audit_changes_nothing(pair: tuple[Any, Any]) -> None:
    """Law 2: the tool gets what pydantic makes of the value; refused, as written, or not at all."""
    hint, value = pair
    evaluation = outcome(make_shield(hint, mode="audit"), value)
    without = [(type(result).__name__, repr(result)) for result in validate_value(hint, value)]

    assert evaluation in (without or [(type(value).__name__, repr(value)), "ValidationError"])


@few
@given(typed_json())
def test_a_finding_changes_nothing(pair: tuple[Any, Any]) -> None:
    """Law 3: audited, flagged, suppressed or not looked for, the tool gets the same."""
    hint, value = pair
    quiet = Suppression(check="parameter_mismatch", reason="a law")
    audited = outcome(make_shield(hint, mode="audit"), value)
    strict = outcome(make_shield(hint), value)

    assert audited == outcome(make_shield(hint, suppress=[quiet]), value)
    assert audited == outcome(make_shield(hint, layers=[]), value)
    assert isinstance(strict, CallBlocked) or audited == strict


@few
@given(TYPES.flatmap(lambda typed: st.tuples(st.just(typed[0]), typed[1])))
def test_what_a_tool_returned_is_accepted(pair: tuple[Any, Any]) -> None:
    """Law 4: a model that copies a result into a parameter of its type is not hallucinating."""
    hint, value = pair

    assert verdict(make_shield(hint), as_read(value)) is not Verdict.HALLUCINATED


@few
@given(TYPES.flatmap(lambda typed: st.tuples(st.just(typed[0]), typed[1])))
def test_one_value_has_one_verdict(pair: tuple[Any, Any]) -> None:
    """A value from Python is judged as the same value from the model, and reaches the tool."""
    hint, value = pair
    firewall = Shield(shield.configure(), hooks=None)
    tool = shielded(firewall)(echo_tool(hint))
    with firewall.session() as session:
        result = tool(value)

    assert (type(value).__name__, repr(value)) == result
    assert [verdict(firewall, as_read(value))] == [d.verdict for d in session.decisions]

"""Every layer, through the decorator, on every kind of callable."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Generic, Literal, NotRequired, Required, TypeVar
from uuid import UUID

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict, Unpack

from abs_shield import (
    CallBlocked,
    Creates,
    Free,
    Injected,
    PolicyError,
    Shield,
    ShieldError,
    Soft,
    Target,
    ToolCall,
    Verdict,
    rule,
    shield,
    shielded,
)

RAN: list = []


def plain(amount: float, day: date = date(2025, 1, 1)) -> float:
    """Book an amount."""
    RAN.append(amount)
    return amount


async def coroutine(amount: float, day: date = date(2025, 1, 1)) -> float:
    """Book an amount."""
    RAN.append(amount)
    return amount


def generator(amount: float, day: date = date(2025, 1, 1)) -> Iterator[float]:
    """Book an amount."""
    RAN.append(amount)
    yield amount


async def async_generator(amount: float, day: date = date(2025, 1, 1)) -> AsyncIterator[float]:
    """Book an amount."""
    RAN.append(amount)
    yield amount


class Lifecycle:
    """A callable object, too."""

    def __call__(self, amount: float, day: date = date(2025, 1, 1)) -> float:
        """Book an amount."""
        return plain(amount)


class AsyncShop:
    async def __call__(self, amount: float, day: date = date(2025, 1, 1)) -> float:
        """Book an amount."""
        return plain(amount)


class AwaitedShop:
    def __call__(self, amount: float, day: date = date(2025, 1, 1)) -> Any:
        """Book an amount."""
        return coroutine(amount)


class Booking(float):
    def __new__(cls, amount: float, day: date = date(2025, 1, 1)) -> Any:
        """Book an amount."""
        RAN.append(amount)
        return super().__new__(cls, amount)


def method(decorate):
    class Clerk:
        @decorate
        def book(self, amount: float, day: date = date(2025, 1, 1)) -> float:
            """Book an amount."""
            return plain(amount)

    return Clerk().book


def static_inside(decorate):
    class Clerk:
        @staticmethod
        @decorate
        def book(amount: float, day: date = date(2025, 1, 1)) -> float:
            """Book an amount."""
            return plain(amount)

    return Clerk.book


def static_outside(decorate):
    class Clerk:
        @decorate
        @staticmethod
        def book(amount: float, day: date = date(2025, 1, 1)) -> float:
            """Book an amount."""
            return plain(amount)

    return Clerk().book


def class_inside(decorate):
    class Clerk:
        @classmethod
        @decorate
        def book(cls, amount: float, day: date = date(2025, 1, 1)) -> float:
            """Book an amount."""
            return plain(amount)

    return Clerk.book


def class_outside(decorate):
    class Clerk:
        @decorate
        @classmethod
        def book(cls, amount: float, day: date = date(2025, 1, 1)) -> float:
            """Book an amount."""
            return plain(amount)

    return Clerk().book


def async_method(decorate):
    class Clerk:
        @decorate
        async def book(self, amount: float, day: date = date(2025, 1, 1)) -> float:
            """Book an amount."""
            return plain(amount)

    return Clerk().book


def of(function):
    return lambda decorate: decorate(function)


CALLABLES = {
    "def": of(plain),
    "async def": of(coroutine),
    "generator": of(generator),
    "async generator": of(async_generator),
    "method": method,
    "async method": async_method,
    "staticmethod inside": static_inside,
    "staticmethod outside": static_outside,
    "classmethod inside": class_inside,
    "classmethod outside": class_outside,
    "partial": of(functools.partial(plain, day=date(2025, 1, 2))),
    "partial of async": of(functools.partial(coroutine, day=date(2025, 1, 2))),
    "partial of generator": of(functools.partial(generator, day=date(2025, 1, 2))),
    "callable object": of(Lifecycle()),
    "async callable object": of(AsyncShop()),
    "partial of async callable object": of(functools.partial(AsyncShop())),
    "partial of a partial": of(functools.partial(functools.partial(coroutine))),
    "def that gives a coroutine": of(AwaitedShop().__call__),
    "class": of(Booking),
    "bound method": of(Lifecycle().__call__),
    "lambda": of(lambda amount, day=None: plain(amount)),
}
NAMES = {
    "partial": "plain", "partial of async": "coroutine", "partial of generator": "generator",
    "def": "plain", "async def": "coroutine", "generator": "generator",
    "async generator": "async_generator",
}  # fmt: skip
TYPED = [kind for kind in CALLABLES if kind != "lambda"]
every_callable = pytest.mark.parametrize("kind", CALLABLES)


@rule(tool="*")
def amount_is_small(amount):
    """An amount is at most 500."""
    return amount <= 500


def make_shield(**declared):
    return Shield(shield.configure(**{"rules": [amount_is_small], **declared}))


def final_value(tool, *args, **kwargs):
    """Return the final value of a call of any kind."""

    async def all_of(items):
        return [item async for item in items]

    async def awaited(value):
        return await value

    value = tool(*args, **kwargs)
    if inspect.isawaitable(value):
        value = asyncio.run(awaited(value))
    if isinstance(value, AsyncIterator):
        value = asyncio.run(all_of(value))
    return list(value) if isinstance(value, Iterator) else value


@pytest.fixture(autouse=True)
def runs():
    RAN.clear()
    return RAN


# The layers, on every kind ------------------------------------------------------------


@every_callable
def test_a_clean_call_returns_the_value_of_the_tool(kind, runs):
    """The value is returned, and the tool ran once."""
    value = final_value(CALLABLES[kind](shielded(make_shield())), 5)

    assert ([5], True) == (runs, value in (5, [5]))


@every_callable
def test_an_impossible_state_does_not_run(kind, runs):
    """The rule blocks the call before the tool runs."""
    tool = CALLABLES[kind](shielded(make_shield()))
    with pytest.raises(CallBlocked) as blocked:
        final_value(tool, 501)

    assert [] == runs
    assert ["impossible_state"] == [f.check for f in blocked.value.decision.findings]


@pytest.mark.parametrize("kind", TYPED)
def test_a_mismatch_does_not_run(kind, runs):
    """A string instead of a number is blocked, by position and by name."""
    tool = CALLABLES[kind](shielded(make_shield()))
    for args, kwargs in [
        (("five",), {}),
        ((), {"amount": "five"}),
        ((), {"amount": 5, "day": "today"}),
    ]:
        with pytest.raises(CallBlocked) as blocked:
            final_value(tool, *args, **kwargs)
        assert {"parameter_mismatch"} == {f.check for f in blocked.value.decision.findings}

    assert [] == runs


@every_callable
def test_a_tool_the_session_does_not_expose_does_not_run(kind, runs):
    """A tool that the session may not call is unknown."""
    firewall = make_shield()
    tool = CALLABLES[kind](shielded(firewall))
    with firewall.session(tools=[]), pytest.raises(CallBlocked) as blocked:
        final_value(tool, 5)

    assert [] == runs
    assert ["phantom_tool"] == [f.check for f in blocked.value.decision.findings]


@pytest.mark.parametrize("kind", NAMES)
def test_a_drop_of_confidence_is_flagged(kind, runs):
    """The decorated call has the log-probabilities of its proposal."""
    firewall = make_shield()
    tool = CALLABLES[kind](shielded(firewall))
    with firewall.session() as session:
        firewall.inspect_turn([ToolCall(NAMES[kind], {"amount": 5}, "c1", [-3.0])])
        final_value(tool, 5)

    assert ["confidence_drop"] == [f.check for f in session.decisions[0].findings]
    assert ([5], 1) == (runs, len(session.decisions))


@every_callable
def test_audit_runs_everything(kind, runs):
    """Nothing is blocked; the record has `would_block`."""
    firewall = make_shield(mode="audit")
    tool = CALLABLES[kind](shielded(firewall))
    with firewall.session(tools=[]) as session:
        final_value(tool, 501)

    assert [501] == runs
    assert [(False, True)] == [(d.blocked, d.would_block) for d in session.decisions]


@every_callable
def test_a_block_may_be_returned(kind, runs):
    """``on_block="return"`` returns the feedback in place of the value."""
    tool = CALLABLES[kind](shielded(make_shield(), on_block="return"))
    feedback = final_value(tool, 501)

    assert ("blocked", []) == (feedback["status"], runs)
    assert final_value(tool, 5) in (5, [5])


@every_callable
def test_a_call_is_executed_once(kind):
    """One call is one Decision and one execution, with its value."""
    firewall = make_shield()
    tool = CALLABLES[kind](shielded(firewall))
    with firewall.session() as session:
        final_value(tool, 5)

    assert (1, [(5, False)]) == (
        len(session.decisions),
        [(e.arguments["amount"], e.error) for e in session.executed],
    )
    assert session.executed[0].value in (5, [5])


@pytest.mark.parametrize("kind", ["def", "generator", "method"])
def test_a_bare_decorator_decorates(kind, runs):
    """``@shielded`` without a Shield is judged by the current one."""
    tool = CALLABLES[kind](shielded)
    with make_shield().session(), pytest.raises(CallBlocked):
        final_value(tool, 501)

    assert [] == runs


@pytest.mark.parametrize("kind", ["def", "async def", "async generator", "classmethod outside"])
def test_a_policy_decorates(kind, runs):
    """``@shielded(policy)`` is judged by the Shield of that policy."""
    tool = CALLABLES[kind](shielded(make_shield().policy))
    with pytest.raises(CallBlocked):
        final_value(tool, 501)

    assert [] == runs


def test_brackets_without_a_shield_decorate():
    """``@shielded()`` is ``@shielded``."""
    tool = shielded()(plain)
    with make_shield().session(), pytest.raises(CallBlocked):
        tool(501)


@pytest.mark.parametrize("wrong", ["raises", None, True])
def test_an_unknown_answer_to_a_block_is_refused(wrong):
    """``on_block`` is ``raise`` or ``return``."""
    with pytest.raises(PolicyError, match="on_block"):
        shielded(make_shield(), on_block=wrong)


# The wrapper ------------------------------------------------------------


@pytest.mark.parametrize("kind", NAMES)
def test_a_wrapper_looks_like_its_tool(kind):
    """A wrapper has the signature, the docstring and the name of its tool."""
    tool = CALLABLES[kind](lambda given: given)
    wrapper = shielded(make_shield())(tool)

    assert inspect.signature(tool) == inspect.signature(wrapper)
    assert tool.__doc__ == wrapper.__doc__
    assert NAMES[kind] == wrapper.__name__


@pytest.mark.parametrize(("kind", "name"), [("callable object", "Lifecycle"), ("method", "book")])
def test_a_wrapper_always_has_a_name(kind, name):
    """The wrapper of a callable object has the tool name."""
    assert name == CALLABLES[kind](shielded(make_shield())).__name__


def test_an_async_wrapper_is_async():
    """Frameworks test that before they await."""
    assert inspect.iscoroutinefunction(shielded(make_shield())(coroutine))
    assert inspect.iscoroutinefunction(shielded(make_shield(), on_block="return")(coroutine))
    assert not inspect.iscoroutinefunction(shielded(make_shield())(plain))


def generator_method(decorate):
    class Clerk:
        @decorate
        def book(self, amount: float, day: date = date(2025, 1, 1)) -> Iterator[float]:
            """Book an amount."""
            yield amount

    return Clerk().book


def async_generator_method(decorate):
    class Clerk:
        @classmethod
        @decorate
        async def book(cls, amount: float, day: date = date(2025, 1, 1)) -> AsyncIterator[float]:
            """Book an amount."""
            yield amount

    return Clerk.book


class GeneratorShop:
    def __call__(self, amount: float, day: date = date(2025, 1, 1)) -> Iterator[float]:
        """Book an amount."""
        yield amount


def decorate_tool(tool):
    return lambda decorate: decorate(tool)


PREDICATES = (
    inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction,
    inspect.isfunction, inspect.ismethod, inspect.isroutine,
)  # fmt: skip


@pytest.mark.parametrize("on_block", ["raise", "return"])
@pytest.mark.parametrize(
    "make",
    [
        *map(decorate_tool, (plain, coroutine, generator, async_generator)),
        *(method, static_inside, class_outside, generator_method, async_generator_method),
    ],
)
def test_inspect_reports_a_wrapper_as_its_tool(make, on_block):
    """Frameworks test the kind of a function before they call, await or iterate."""
    tool, wrapper = make(lambda given: given), make(shielded(make_shield(), on_block=on_block))

    assert [each(tool) for each in PREDICATES] == [each(wrapper) for each in PREDICATES]


@pytest.mark.parametrize("tool", [plain, coroutine, generator, async_generator])
def test_inspect_reports_a_partial_as_its_function(tool):
    """The wrapper of a partial has the kind of its function."""
    wrapper = shielded(make_shield())(functools.partial(tool, day=date(2025, 1, 1)))

    assert [each(tool) for each in PREDICATES[:3]] == [each(wrapper) for each in PREDICATES[:3]]


@pytest.mark.parametrize("made_by", [Lifecycle, AsyncShop, GeneratorShop])
def test_inspect_reports_a_callable_object_as_its_call(made_by):
    """The wrapper is a function of the same kind as ``__call__``."""
    desk = made_by()
    wrapper = shielded(make_shield())(desk)

    assert [each(desk.__call__) for each in PREDICATES[:3]] == [
        each(wrapper) for each in PREDICATES[:3]
    ]


def test_the_model_may_know_a_tool_by_another_name():
    """``name=`` sets the tool name."""
    firewall = make_shield()
    shielded(firewall, name="book")(plain)

    assert firewall.dispatch("book", {"amount": 5}) == 5


def test_a_method_keeps_its_object():
    """A decorated method receives its own object."""

    class Till:
        def __init__(self):
            self.held = 0.0

        @shielded(make_shield())
        def put(self, amount: float) -> None:
            self.held += amount

    a, b = Till(), Till()
    a.put(1)
    b.put(2)

    assert (1, 2) == (a.held, b.held)


def test_a_bound_method_can_be_dispatched():
    """Registered with its object, a method is found by name."""
    firewall = make_shield()

    class Till:
        @shielded(firewall)
        def put(self, amount: float) -> float:
            return amount

    with pytest.raises(ShieldError, match="needs `self`"):
        firewall.dispatch("put", {"amount": 1})
    firewall.register(Till().put)

    assert firewall.dispatch("put", {"amount": 1}) == 1


def test_a_generator_is_judged_when_it_is_called(runs):
    """The call itself raises the block, before the first item."""
    with pytest.raises(CallBlocked):
        shielded(make_shield())(generator)(501)


def test_a_generator_may_be_sent_to_thrown_into_and_closed():
    """The wrapper forwards what its caller sends and throws."""

    def dialogue():
        texts = []
        try:
            texts.append((yield 1))
            texts.append((yield 2))
        except ValueError:
            texts.append((yield 3))
        return texts

    def talk(tool):
        items, messages = tool(), []
        messages += [next(items), items.send("a"), items.throw(ValueError("b"))]
        try:
            items.send("c")
        except StopIteration as end:
            messages.append(end.value)
        return messages

    assert talk(dialogue) == talk(shielded(make_shield(mode="audit"))(dialogue))


def test_an_async_generator_may_be_sent_to_thrown_into_and_closed():
    """The async wrapper forwards what its caller sends and throws."""

    async def dialogue():
        user_text = "nothing"
        try:
            user_text = yield 1
            yield user_text
        except ValueError:
            yield "caught"
        finally:
            yields.append("closed")

    async def talk(tool):
        items = tool()
        messages = [await anext(items), await items.asend("a"), await items.athrow(ValueError("b"))]
        await items.aclose()
        return messages

    yields: list = []
    value = [asyncio.run(talk(tool)) for tool in (dialogue, shielded(make_shield())(dialogue))]

    assert [[1, "a", "caught"]] * 2 == value
    assert ["closed"] * 2 == yields


def test_a_generator_left_half_way_is_executed():
    """Closing it early is not a failure; its result is the items so far."""

    def count():
        yield from range(10)

    firewall = make_shield()
    with firewall.session() as session:
        items = shielded(firewall)(count)()
        next(items)
        next(items)
        items.close()

    assert [([0, 1], False)] == [(e.value, e.error) for e in session.executed]


@pytest.mark.parametrize("kind", ["def", "async def", "generator", "async generator"])
def test_a_tool_that_raises_raises(kind):
    """The caller receives the tool's own exception, and the history has a failed call."""
    firewall = make_shield()

    def fail(*args, **kwargs):
        raise ConnectionError("no line")

    async def afail():
        raise ConnectionError("no line")

    def gfail():
        yield 1
        raise ConnectionError("no line")

    async def agfail():
        yield 1
        raise ConnectionError("no line")

    kinds = {"def": fail, "async def": afail, "generator": gfail, "async generator": agfail}
    with firewall.session() as session, pytest.raises(ConnectionError, match="no line"):
        final_value(shielded(firewall)(kinds[kind]))

    assert [(None, True)] == [(e.value, e.error) for e in session.executed]


def test_a_generator_may_catch_a_keyboard_interrupt():
    """Any exception that is thrown in reaches the tool."""

    def stubborn():
        try:
            yield 1
        except KeyboardInterrupt:
            yield "caught"

    async def astubborn():
        try:
            yield 1
        except KeyboardInterrupt:
            yield "caught"

    async def talk(items):
        return [await anext(items), await items.athrow(KeyboardInterrupt())]

    items = shielded(make_shield())(stubborn)()

    assert [1, "caught"] == [next(items), items.throw(KeyboardInterrupt())]
    assert [1, "caught"] == asyncio.run(talk(shielded(make_shield())(astubborn)()))


@pytest.mark.parametrize("kind", ["coroutine", "task"])
def test_a_call_ends_when_its_awaitable_is_done(kind):
    """A plain function may return an awaitable, whose end is the end of the call."""
    firewall = make_shield()

    def tool():
        return asyncio.ensure_future(coroutine(5)) if kind == "task" else coroutine(5)

    async def run():
        with firewall.session() as session:
            later = shielded(firewall)(tool)()
            before = len(session.executed)
            return before, await later, session, later

    before, value, session, later = asyncio.run(run())

    assert (0, 5, [(5, False)]) == (before, value, [(e.value, e.error) for e in session.executed])
    assert (kind == "task") == isinstance(later, asyncio.Task)


@pytest.mark.parametrize("task", [False, True])
def test_an_awaitable_may_fail(task):
    """Its error is raised, and the call is recorded as failed."""
    firewall = make_shield()

    async def fail():
        raise ConnectionError("no line")

    async def run():
        with firewall.session() as session:
            tool = shielded(firewall)(lambda: asyncio.ensure_future(fail()) if task else fail())
            with pytest.raises(ConnectionError, match="no line"):
                await tool()
        return session

    assert [(None, True)] == [(e.value, e.error) for e in asyncio.run(run()).executed]


def test_an_async_context_manager_is_left_alone():
    """An object that is awaitable or a context manager, as of HTTP clients, is unchanged."""

    class Request:
        def __await__(self):
            yield

        async def __aenter__(self): ...

        async def __aexit__(self, *error): ...

    request = Request()

    assert request is shielded(make_shield())(lambda: request)()


def test_a_wrapper_has_the_attributes_of_its_tool():
    """A function's attributes and the methods of a cache are copied."""

    def marked() -> None: ...

    marked.meta = 5
    cached = shielded(make_shield())(functools.lru_cache(plain))
    cached(1)
    cached(1)

    assert 5 == shielded(make_shield())(marked).meta
    assert (1, 1) == cached.cache_info()[:2]


@dataclass
class Order:
    amount: int


class OrderModel(BaseModel):
    amount: Annotated[int, Field(gt=0)]


class OrderInit:
    def __init__(self, amount: int) -> None:
        self.amount = amount


@pytest.mark.parametrize("kind", [Order, OrderModel, OrderInit])
def test_a_class_is_judged_by_its_hints(kind):
    """The arguments of a class are those of its constructor."""
    make = shielded(make_shield())(kind)

    assert (5, kind) == (make(amount=5).amount, type(make(amount=5)))
    with pytest.raises(CallBlocked, match="/arguments/amount"):
        make(amount="not an int")


# Binding ------------------------------------------------------------


UNBINDABLE = [
    ((), {}),
    ((1, date(2025, 1, 1), 3), {}),
    ((1,), {"ghost": 2}),
    ((1,), {"amount": 2}),
]


@pytest.mark.parametrize(("args", "kwargs"), UNBINDABLE)
@pytest.mark.parametrize("function", [plain, coroutine, generator])
def test_audit_raises_pythons_own_error(function, args, kwargs):
    """A call that does not bind raises the TypeError that it would have raised."""
    with pytest.raises(TypeError) as expected:
        function(*args, **kwargs)
    with pytest.raises(TypeError) as actual:
        final_value(shielded(make_shield(mode="audit"))(function), *args, **kwargs)

    assert str(expected.value) == str(actual.value)


def test_a_positional_argument_cannot_be_passed_by_name():
    """A positional-only argument that is passed by name is blocked, not run."""

    @shielded(make_shield())
    def place(amount: float, /) -> None: ...

    with pytest.raises(CallBlocked):
        place(amount=1)


@pytest.mark.parametrize(("args", "kwargs"), UNBINDABLE)
def test_a_call_that_does_not_bind_is_blocked_in_strict(args, kwargs, runs):
    """Missing, surplus, unknown and doubled arguments are mismatches."""
    with pytest.raises(CallBlocked) as blocked:
        shielded(make_shield())(plain)(*args, **kwargs)

    assert [] == runs
    assert {"parameter_mismatch"} == {f.check for f in blocked.value.decision.findings}


# Type hints ------------------------------------------------------------


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Line(TypedDict):
    item: str
    count: int


class Address(BaseModel):
    street: str
    number: int = 1


@dataclass
class Point:
    x: int


def shop(
    order: Annotated[str, Target(must_be_seen=True)],
    amount: Annotated[Decimal, Field(gt=0, le=1000, description="In euros")],
    day: date,
    colour: Colour,
    size: Literal["s", "m"],
    lines: list[Line],
    address: Address,
    point: Point,
    client: Annotated[Any, Injected()],
    note: Annotated[str | None, Free()] = None,
    name: Annotated[str, Soft()] = "",
    new_id: Annotated[UUID | None, Creates()] = None,
    at: time | None = None,
    ratio: float = 0.5,
) -> tuple:
    """Buy things."""
    return (order, amount, day, colour, size, lines, address, point, note, at)


GOOD = {
    "order": "o_1",
    "amount": Decimal("9.99"),
    "day": date(2025, 6, 30),
    "colour": Colour.RED,
    "size": "m",
    "lines": [{"item": "tea", "count": 2}],
    "address": Address(street="Main", number=3),
    "point": Point(x=1),
    "client": object(),
}
AS_JSON = {
    **GOOD,
    "amount": "9.99",
    "day": "2025-06-30",
    "colour": "red",
    "address": {"street": "Main", "number": 3},
    "point": {"x": 1},
}


@pytest.fixture
def tool():
    """Return the tool of `shop`."""
    return make_shield().register(shop).tool


def test_python_values_are_judged_as_their_json_form(runs):
    """Dates, decimals, enums, models and lists that match their hints are clean."""
    firewall = make_shield(rules=[])
    with firewall.session() as session:
        value = shielded(firewall)(shop)(**GOOD)

    assert ((), GOOD["day"]) == (session.decisions[0].findings, value[2])
    assert {k: v for k, v in AS_JSON.items() if k != "client"} == session.executed[0].arguments


def test_a_model_s_json_becomes_python_values():
    """If dispatched by name, the function receives values of its hints' types."""
    firewall = make_shield(rules=[])
    firewall.register(functools.partial(shop, client=None))
    arguments = {k: v for k, v in AS_JSON.items() if k != "client"}
    value = firewall.dispatch("shop", arguments)

    assert (Decimal("9.99"), date(2025, 6, 30), Colour.RED) == value[1:4]
    assert (Address(street="Main", number=3), Point(x=1)) == value[6:8]


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"amount": Decimal("-1")}, "/arguments/amount"),
        ({"amount": "much"}, "/arguments/amount"),
        ({"amount": Decimal("1e9")}, "/arguments/amount"),
        ({"amount": "1000.01"}, "/arguments/amount"),
        ({"day": "yesterday"}, "/arguments/day"),
        ({"day": datetime(2025, 1, 1, 12, tzinfo=UTC)}, "/arguments/day"),
        ({"colour": "green"}, "/arguments/colour"),
        ({"size": "xl"}, "/arguments/size"),
        ({"lines": [{"item": "tea"}]}, "/arguments/lines/0/count"),
        ({"lines": [{"item": "tea", "count": "two"}]}, "/arguments/lines/0/count"),
        ({"address": {"street": 5}}, "/arguments/address/street"),
        ({"note": 5}, "/arguments/note"),
        ({"ratio": float("nan")}, "/arguments/ratio"),
        ({"new_id": "123"}, "/arguments/new_id"),
        ({"order": None}, "/arguments/order"),
    ],
)
def test_a_finding_points_to_a_value_that_does_not_match_its_hint(wrong, where):
    """The finding has the place of the value."""
    with pytest.raises(CallBlocked) as blocked:
        shielded(make_shield(rules=[]))(shop)(**{**GOOD, **wrong})

    assert where in {f.where for f in blocked.value.decision.findings}


def test_the_schema_is_that_of_the_hints(tool):
    """It allows no further arguments, requires those without a default, and omits injected ones."""
    schema = tool.parameters

    assert False is schema["additionalProperties"]
    assert ["order", "amount", "day", "colour", "size", "lines", "address", "point"] == (
        schema["required"]
    )
    assert "client" not in schema["properties"]
    assert "In euros" == schema["properties"]["amount"]["description"]


def test_marks_reach_the_tool(tool):
    """Targets, soft, free and created parameters are declared by their hints."""
    assert {"order": Target(must_be_seen=True)} == tool.targets
    assert (("name",), ("note",), ("new_id",)) == (tool.soft, tool.free, tool.creates)
    assert "Buy things." == tool.description


def test_a_mark_may_be_given_as_its_class():
    """``Annotated[str, Target]`` is ``Annotated[str, Target()]``."""

    def cancel(order: Annotated[str, Target], client: Annotated[Any, Injected]) -> None: ...

    assert {"order": Target()} == make_shield().register(cancel).tool.targets


def test_a_model_cannot_set_an_injected_value():
    """The host may pass any object, but a model cannot set it."""
    firewall = make_shield()

    @shielded(firewall)
    def look(amount: float, client: Annotated[Any, Injected()] = None) -> Any:
        return client

    client = object()

    assert look(5, client=client) is client
    assert firewall.check_call(ToolCall("look", {"amount": 5, "client": "mine"})).blocked


def test_kwargs_accept_further_arguments():
    """``**kwargs`` allows further arguments in the schema, and receives them."""
    firewall = make_shield()

    @shielded(firewall)
    def open_ended(amount: float, **more: Any) -> dict:
        return more

    assert open_ended(1, day=2) == {"day": 2}
    assert firewall.dispatch("open_ended", {"amount": 1, "day": 2}) == {"day": 2}


def test_further_arguments_have_their_type():
    """``**kwargs: date`` accepts dates, from JSON and from Python."""
    firewall = make_shield()

    @shielded(firewall)
    def open_ended(**days: date) -> dict:
        return days

    day = date(2026, 5, 1)
    assert open_ended(start=day) == {"start": day}
    assert firewall.dispatch("open_ended", {"start": "2026-05-01"}) == {"start": day}
    with pytest.raises(CallBlocked) as blocked:
        firewall.dispatch("open_ended", {"start": "2026-05-01", "end": "yesterday"})

    assert "/arguments/end" in blocked.value.decision.explain()


def test_a_rejected_further_argument_does_not_affect_the_others():
    """In audit mode the call runs, with the other arguments converted."""
    firewall = make_shield(mode="audit")

    @shielded(firewall)
    def open_ended(**days: date) -> dict:
        return days

    runs = firewall.dispatch("open_ended", {"start": "2026-05-01", "end": "yesterday"})
    assert runs == {"start": date(2026, 5, 1), "end": "yesterday"}


def test_a_default_may_be_declared_in_a_field():
    """As in FastAPI and FastMCP, a `Field` may have the default."""
    firewall = make_shield()

    def by_default(limit: int = Field(default=3, ge=1)) -> int:
        return limit

    def by_hint(tags: Annotated[list[int], Field(default_factory=list)]) -> list[int]:
        return tags

    for tool in (by_default, by_hint):
        firewall.register(tool)

    assert 3 == firewall.dispatch("by_default", {})
    assert 5 == firewall.dispatch("by_default", {"limit": 5})
    assert [] == firewall.dispatch("by_hint", {})
    assert firewall.dispatch("by_hint", {}) is not firewall.dispatch("by_hint", {})
    with pytest.raises(CallBlocked, match="/arguments/limit"):
        firewall.dispatch("by_default", {"limit": 0})


class Stay(TypedDict, total=False):
    """The values of `**kwargs`."""

    arrival: Required[date]
    nights: Annotated[int, Field(gt=0)]


def test_unpacked_arguments_are_parameters():
    """``**kwargs: Unpack[Stay]`` has the keys of `Stay`, and no others."""
    firewall = make_shield()

    @shielded(firewall)
    def book(hotel: str, **stay: Unpack[Stay]) -> tuple:
        return hotel, stay

    arrival = date(2026, 5, 1)
    written = {"hotel": "Sonne", "arrival": "2026-05-01"}
    assert book("Sonne", arrival=arrival, nights=2) == ("Sonne", {"arrival": arrival, "nights": 2})
    assert firewall.dispatch("book", written) == ("Sonne", {"arrival": arrival})
    for further in ({"nights": 0}, {"guests": 2}, {"arrival": "soon"}):
        with pytest.raises(CallBlocked, match="parameter_mismatch"):
            firewall.dispatch("book", written | further)
    with pytest.raises(CallBlocked, match="arrival"):
        firewall.dispatch("book", {"hotel": "Sonne"})


def test_a_default_factory_runs_where_the_argument_is_missing():
    """It is not called if the argument is passed."""
    firewall = make_shield()
    runs: list[int] = []

    def count(a: int = Field(default_factory=lambda: runs.append(1) or 3)) -> int:
        return a

    def keep(a: Annotated[int, Field(default=3)] = 5) -> int:
        return a

    for tool in (count, keep):
        firewall.register(tool)
    assert (7, []) == (firewall.dispatch("count", {"a": 7}), runs)
    assert (3, [1]) == (firewall.dispatch("count", {}), runs)
    assert 5 == firewall.dispatch("keep", {})


def test_parameters_before_further_values_are_passed_by_position():
    """Parameters before ``*args`` cannot be passed by name."""
    firewall = make_shield()

    def count(a: int, b: int = 2, *rest: int, c: int = 3) -> tuple:
        return a, b, rest, c

    firewall.register(count)
    assert (1, 5, (7, 8), 3) == firewall.dispatch("count", {"a": 1, "b": 5, "rest": [7, 8]})
    assert (1, 2, (7,), 4) == firewall.dispatch("count", {"a": 1, "rest": [7], "c": 4})
    assert (1, 2, (), 3) == firewall.dispatch("count", {"a": 1})


T = TypeVar("T")


class Keyed(TypedDict, Generic[T]):
    """A generic typed dict."""

    value: T


class Counted(TypedDict):
    """A typed dict with an optional key."""

    number: NotRequired[Annotated[int, Field(default=4)]]


class Unreadable(TypedDict):
    """A typed dict with a hint that does not exist."""

    value: Missing  # noqa: F821


def test_unpacked_arguments_of_odd_classes():
    """Annotations that pydantic supports are accepted; others are refused at the declaration."""
    firewall = make_shield()

    def generic(**values: Unpack[Keyed[date]]) -> dict:
        return values

    def counted(**values: Unpack[Counted]) -> dict:
        return values

    def unreadable(**values: Unpack[Unreadable]) -> dict:
        return values

    def twice(value: int, /, **values: Unpack[Keyed[int]]) -> dict:
        return values

    for tool in (generic, counted):
        firewall.register(tool)
    assert {"value": 1} == firewall.dispatch("generic", {"value": 1})
    assert {} == firewall.dispatch("counted", {})
    with pytest.raises(PolicyError, match="Missing"):
        firewall.register(unreadable)
    with pytest.raises(PolicyError, match="two parameters are named `value`"):
        firewall.register(twice)


def test_items_of_further_iterators_are_judged():
    """Pydantic validates the items only during iteration."""
    firewall = make_shield()

    def add(**rows: Iterable[int]) -> int:
        return sum(map(sum, rows.values()))

    firewall.register(add)
    assert 3 == firewall.dispatch("add", {"one": [1, 2]})
    with pytest.raises(CallBlocked) as blocked:
        firewall.dispatch("add", {"one": [1, "two"]})

    assert "/arguments/one/1" in blocked.value.decision.explain()


def test_a_null_for_an_optional_union_is_left_out():
    """The error of pydantic has the branch of the union after the parameter."""
    firewall = make_shield()

    def find(limit: int | str = 5) -> int | str:
        return limit

    firewall.register(find)
    decision = firewall.check_call(ToolCall("find", {"limit": None}))
    assert ["coercible"] == [finding.code for finding in decision.findings]
    assert 5 == firewall.dispatch("find", {"limit": None})


def test_a_lone_surrogate_in_a_name_is_not_coercible():
    """The name cannot be encoded, and the argument is unknown."""
    firewall = make_shield()

    def find(limit: int) -> int:
        return limit

    firewall.register(find)
    with pytest.raises(CallBlocked, match="unknown_argument"):
        firewall.dispatch("find", {"limit": 1, "note\ud800": "x"})


def test_positional_arguments_are_judged_by_name():
    """``*args`` is a list, a positional-only parameter has its name."""
    firewall = make_shield()

    @shielded(firewall)
    def places(amount: float, /, *tags: str, loud: bool = False) -> tuple:
        return amount, tags, loud

    assert places(1, "a", "b", loud=True) == (1, ("a", "b"), True)
    assert firewall.dispatch("places", {"amount": 1, "tags": ["a", "b"]}) == (1, ("a", "b"), False)
    with pytest.raises(CallBlocked, match="/arguments/tags/1"):
        places(1, "a", 2)


def test_a_default_is_the_functions_own():
    """An omitted argument has Python's own default object, even if it is mutable."""
    kept: list = []

    @shielded(make_shield())
    def keep(amount: float, into: list = kept) -> list:
        into.append(amount)
        return into

    assert keep(1) is kept
    assert [1] == kept


def test_a_default_may_be_none_with_another_hint():
    """The default is not judged; None as an argument is flagged, and passed to the function."""
    firewall = make_shield()

    @shielded(firewall)
    def note(text: str = None) -> Any:  # noqa: RUF013
        return text

    with firewall.session() as session:
        assert (None, None) == (note(), note(None))
    assert [Verdict.CLEAN, Verdict.SUSPICIOUS] == [d.verdict for d in session.decisions]


def test_a_parameter_without_a_hint_takes_anything():
    """Any value is accepted."""

    @shielded(make_shield())
    def anything(value):
        return value

    assert [anything(value) for value in (1, "a", None)] == [1, "a", None]


def test_parameters_named_like_pydantics_own_are_fine():
    """Names that a pydantic model reserves are parameters like others."""

    @shielded(make_shield())
    def odd(model_config: str, schema: str, _hidden: int, json: bool = True) -> tuple:
        return model_config, schema, _hidden, json

    assert odd("a", "b", 1) == ("a", "b", 1, True)


def test_a_mark_may_stand_inside_a_hint():
    """Marks apply inside optional parameters, lists and other marks."""

    def cancel(
        order: Annotated[str, Target(must_be_seen=True)] | None = None,
        others: list[Annotated[str, Soft()]] | None = None,
        note: Annotated[Annotated[str, Free()] | None, Field(max_length=9)] = None,
        client: Annotated[Client, Injected()] | None = None,
    ) -> None: ...

    tool = make_shield().register(cancel).tool

    assert {"order": Target(must_be_seen=True)} == tool.targets
    assert (("others",), ("note",)) == (tool.soft, tool.free)
    assert "client" not in tool.parameters["properties"]


class Client:
    """Something that has no JSON form."""


def test_a_hint_without_a_json_form_is_refused_when_declared():
    """The message says how to mark a client as injected."""

    def look(client: Client) -> None: ...

    with pytest.raises(PolicyError, match=r"Injected\(\)"):
        make_shield().register(look)


def test_a_hint_that_cannot_be_read_is_refused_when_declared():
    """The message has the name and the tool."""

    def look(client: Missing) -> None: ...  # noqa: F821

    with pytest.raises(PolicyError, match="`look`"):
        make_shield().register(look)


class Priced:
    """A callable object with other attributes."""

    currency = "EUR"

    def __call__(self, amount: float) -> str:
        return f"{amount} {self.currency}"

    def rounded(self, amount: float) -> float:
        """Return an amount without cents."""
        return round(amount)

    @property
    def cost(self) -> float:
        """Return an iterator that must not be consumed."""
        raise RuntimeError


def test_attributes_of_a_callable_object_are_copied():
    """Attributes and methods are copied, but properties are not."""
    tool = shielded(Shield(shield.configure(), hooks=None))(Priced())

    assert ("EUR", 3) == (tool.currency, tool.rounded(2.7))

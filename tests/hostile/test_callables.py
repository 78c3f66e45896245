"""Python features on a decorated tool: copies, signals, cancellation, threads of other runs."""

from __future__ import annotations

import asyncio
import copy
import functools
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from abs_shield import Session, Shield, shield, shielded
from abs_shield.session import current_session

AUDIT = Shield(shield.configure(mode="audit"), hooks=None)


@shielded(AUDIT)
def look_up(order_id: str, number: int = 1) -> str:
    """Look an order up."""
    return f"{order_id}:{number}"


RAISED: list[Callable[[], BaseException]] = [
    KeyboardInterrupt, SystemExit, asyncio.CancelledError, GeneratorExit, StopIteration,
    lambda: ValueError("x"), lambda: OSError(2, "x"),
    lambda: BaseExceptionGroup("several", [KeyboardInterrupt()]),
]  # fmt: skip


@pytest.fixture(params=["audit", "strict"])
def firewall(request: pytest.FixtureRequest) -> Shield:
    """Return a Shield in audit mode and one in strict mode."""
    return Shield(shield.configure(mode=request.param), hooks=None)


@pytest.mark.parametrize("create", RAISED)
def test_an_exception_of_a_tool_is_raised_unchanged(
    firewall: Shield, create: Callable[[], BaseException]
) -> None:
    """The caller receives the same object, with its context, cause and notes."""
    error = create()
    cause = error.__cause__ = RuntimeError("cause")

    @shielded(firewall)
    def act() -> None:
        raise error

    with pytest.raises(type(error)) as raised:
        act()
    assert raised.value is error
    assert (None, cause, True) == (error.__context__, error.__cause__, error.__suppress_context__)


@pytest.mark.parametrize("swallows", [False, True])
def test_a_decorated_tool_can_be_cancelled(firewall: Shield, swallows: bool) -> None:
    """A tool that suppresses the cancellation returns its result, as without the decorator."""
    messages = []

    @shielded(firewall)
    async def wait() -> str:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            messages.append("cancelled")
            if not swallows:
                raise
        return "went on"

    async def run() -> str:
        task = asyncio.ensure_future(wait())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            return "gone"

    assert ("went on" if swallows else "gone") == asyncio.run(run())
    assert ["cancelled"] == messages


def test_a_decorated_tool_can_time_out(firewall: Shield) -> None:
    """`wait_for` raises its own error, and the session accepts the next call."""

    @shielded(firewall)
    async def wait(seconds: float) -> str:
        await asyncio.sleep(seconds)
        return "done"

    async def run(session: Session) -> str:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(wait(30.0), 0.01)
        return await wait(0.0)

    with firewall.session() as session:
        assert "done" == asyncio.run(run(session))
        assert [True, False] == [bool(call.error) for call in session.executed]


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda tool: pickle.loads(pickle.dumps(tool))]
)
def test_a_copy_of_a_decorated_tool_is_the_same_object(copied: Callable[[Any], Any]) -> None:
    """Decorated functions are copied and pickled by name, like other functions."""
    assert copied(look_up) is look_up
    assert "tx_1:2" == copied(look_up)("tx_1", number=2)


def test_a_tool_decorated_twice_is_judged_once(firewall: Shield) -> None:
    """A function of `singledispatch` can be decorated and is dispatched by its type hints."""

    @functools.singledispatch
    def act(value: Any) -> str:
        return "any"

    @act.register
    @shielded(firewall)
    @shielded(firewall)
    def act_on_a_number(value: int) -> str:
        return f"number {value}"

    with firewall.session() as session:
        assert ("number 1", "any") == (act(1), act("x"))
        assert ["act_on_a_number"] == [call.tool for call in session.executed if not call.nested]


ODD: list[Any] = [
    (n for n in "ab"), type("Text", (str,), {})("tx_1"), type("Number", (int,), {})(1),
    type("Real", (float,), {})(1.5), True, b"x", {1, 2}, range(3), (1, 2), memoryview(b"x"),
    Ellipsis, NotImplemented, print, type, iter([1]), object(), float("nan"), 10**5_000, "\ud800",
    {1: {2: 3}},
]  # fmt: skip


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
def test_any_value_reaches_the_tool_unchanged(value: Any) -> None:
    """In audit mode the tool receives the same object, and no iterator is consumed."""
    firewall = Shield(shield.configure(mode="audit"), hooks=None)

    @shielded(firewall)
    def take(value: Any) -> Any:
        return value

    with firewall.session() as session:
        session.user("Take it.")
        assert take(value) is value
        assert 1 == len(session.executed)
    if value is ODD[0]:
        assert ["a", "b"] == [*value]


def test_threads_and_tasks_keep_their_sessions(firewall: Shield) -> None:
    """A function in `to_thread` runs in the session of its task; a pool thread has no session."""

    @shielded(firewall)
    def who() -> str:
        session = current_session()
        return "" if session is None else session.id

    async def run(number: int) -> bool:
        with firewall.session(f"s{number}"):
            await asyncio.sleep(0)
            return {f"s{number}"} == {await asyncio.to_thread(who), who()}

    async def all_of_them() -> list[bool]:
        return await asyncio.gather(*map(run, range(20)))

    assert all(asyncio.run(all_of_them()))
    with firewall.session(), ThreadPoolExecutor(1) as pool:
        assert "" == pool.submit(who).result()

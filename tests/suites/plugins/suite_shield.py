"""A plugin that adds a Shield for each test to the framework and counts calls."""

from __future__ import annotations

import functools
import inspect
import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from abs_shield import Decision, Shield, shield

_MODE = os.environ.get("ABS_SHIELD_SUITE_MODE", "audit")
_counts: Counter[str] = Counter()


def _count(decision: Decision) -> None:
    _counts["judged"] += 1
    _counts["blocked"] += decision.blocked


def _new() -> Shield:
    return Shield(shield.configure(mode=_MODE), hooks=[_count])


_current = _new()


def firewall() -> Shield:
    """Return the Shield of the test that runs; of the collection, outside of a test."""
    return _current


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Create a new Shield for each test."""
    global _current
    _current = _new()
    _counts.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[Any]:
    """Report what was counted with the last report of the test."""
    if call.when == "teardown":
        item.user_properties += [(name, _counts[name]) for name in ("judged", "blocked")]
    return (yield)


def watch(owner: type, name: str, feed: Callable[..., Any], afeed: Callable[..., Any]) -> None:
    """
    Replace a method by one that feeds what it returns to an adapter, and returns it.

    Args:
        owner: The class.
        name: The method; async ones, and those that return an awaitable, go to *afeed*.
        feed: Takes what was returned, and the arguments by name.
        afeed: As *feed*, async.
    """
    method = getattr(owner, name)

    async def later(given: Any, options: dict[str, Any]) -> Any:
        value = await given
        await afeed(value, options)
        return value

    @functools.wraps(method)
    async def awatched(*args: Any, **options: Any) -> Any:
        return await later(method(*args, **options), options)

    @functools.wraps(method)
    def watched(*args: Any, **options: Any) -> Any:
        value = method(*args, **options)
        if inspect.isawaitable(value):
            return later(value, options)
        feed(value, options)
        return value

    setattr(owner, name, awatched if inspect.iscoroutinefunction(method) else watched)


def answer(call: Any) -> str:
    """Return the result of every tool of a response that is only read."""
    return "ok"


def guard_runner(kind: Any, shielded_runner: Callable[..., Any]) -> None:
    """Put the Shield around every tool runner of a class."""
    plain = kind.__init__

    @functools.wraps(plain)
    def guarded(self: Any, *args: Any, **options: Any) -> None:
        plain(self, *args, **options)
        shielded_runner(self, firewall=firewall())

    kind.__init__ = guarded

"""Metrics of a forked child start at zero: its parent exports what it measured itself."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Protocol
from weakref import WeakSet


class Restartable(Protocol):
    """Counts and instruments of one meter."""

    def restart(self) -> None:
        """Forget all that was measured so far."""
        ...


_MEASURING: WeakSet[Restartable] = WeakSet()


def restart_in_children(measuring: Restartable) -> None:
    """Restart *measuring* in every child that is forked, as long as it lives."""
    _MEASURING.add(measuring)


def forget_measurements(instruments: Iterable[Any]) -> None:
    """
    Forget what the SDK holds of these instruments, so that it is not exported again.

    The SDK offers no way to do so; where its parts are named otherwise, nothing happens.
    """
    for instrument in instruments:
        real = getattr(instrument, "_real_instrument", None) or instrument
        consumer = getattr(real, "_measurement_consumer", None)
        for storage in getattr(consumer, "_reader_storages", {}).values():
            matches = getattr(storage, "_instrument_view_instrument_matches", {})
            for match in matches.get(real, ()):
                getattr(match, "_attributes_aggregation", {}).clear()


def _in_child() -> None:
    for measuring in [*_MEASURING]:
        measuring.restart()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)

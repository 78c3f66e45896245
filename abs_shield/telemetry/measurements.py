"""Reset of metrics in forked children: the parent exports its own measurements."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Protocol
from weakref import WeakSet


class Restartable(Protocol):
    """Counters or instruments of one meter."""

    def restart(self) -> None:
        """Reset all measurements."""
        ...


_MEASURING: WeakSet[Restartable] = WeakSet()


def restart_in_children(measuring: Restartable) -> None:
    """Reset *measuring* in every forked child; it is weakly referenced."""
    _MEASURING.add(measuring)


def forget_measurements(instruments: Iterable[Any]) -> None:
    """
    Clear the SDK's aggregated data of these instruments, so that it is not exported again.

    The SDK has no API for this; if its internals are named differently, nothing happens.
    """
    for instrument in instruments:
        real = getattr(instrument, "_real_instrument", None) or instrument
        consumer = getattr(real, "_measurement_consumer", None)
        for storage in getattr(consumer, "_reader_storages", {}).values():
            matches = getattr(storage, "_instrument_view_instrument_matches", {})
            for match in matches.get(real, ()):
                getattr(match, "_attributes_aggregation", {}).clear()


def _in_child() -> None:
    for measuring in [*_MEASURING]:  # a copy: a restart may run the garbage collector
        measuring.restart()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)

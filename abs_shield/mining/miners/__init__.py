"""
Miners: each derives one kind of suggestion from tools and runs.

To add a kind, write one file with one generator function and add its row here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MappingProxyType

from abs_shield.mining.miners.creates import creates
from abs_shield.mining.miners.effects import effects
from abs_shield.mining.miners.enums import enums
from abs_shield.mining.miners.inverses import inverses
from abs_shield.mining.miners.ranges import ranges
from abs_shield.mining.miners.targets import targets
from abs_shield.mining.mining_study import Study
from abs_shield.mining.policy_draft import Suggestion

Miner = Callable[[Study], Iterable[Suggestion]]
"""A generator function that yields suggestions from tools and evidence."""

MINERS: MappingProxyType[str, Miner] = MappingProxyType(
    {
        "effects": effects,
        "targets": targets,
        "creates": creates,
        "inverses": inverses,
        "enums": enums,
        "ranges": ranges,
    }
)

__all__ = ["MINERS", "Miner"]

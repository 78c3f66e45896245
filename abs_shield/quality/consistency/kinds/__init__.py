"""The kinds of contradiction within one text, one row per kind."""

from __future__ import annotations

from collections.abc import Callable

from abs_shield.quality.consistency.kinds.ages import ages
from abs_shield.quality.consistency.kinds.allocations import allocations
from abs_shield.quality.consistency.kinds.counts import counts
from abs_shield.quality.consistency.kinds.differences import differences
from abs_shield.quality.consistency.kinds.durations import durations
from abs_shield.quality.consistency.kinds.frames import frames
from abs_shield.quality.consistency.kinds.growth import growth
from abs_shield.quality.consistency.kinds.orders import orders
from abs_shield.quality.consistency.kinds.parts import parts
from abs_shield.quality.consistency.kinds.ratios import ratios
from abs_shield.quality.consistency.kinds.repeats import repeats
from abs_shield.quality.consistency.kinds.sequels import sequels
from abs_shield.quality.consistency.kinds.shares import shares
from abs_shield.quality.consistency.relation import Relations
from abs_shield.quality.reading import Reading

KINDS: dict[str, Callable[[Reading], Relations]] = {
    "parts": parts,
    "growth": growth,
    "shares": shares,
    "durations": durations,
    "ages": ages,
    "orders": orders,
    "repeats": repeats,
    "differences": differences,
    "ratios": ratios,
    "counts": counts,
    "frames": frames,
    "sequels": sequels,
    "allocations": allocations,
}
"""Each kind, by the name of its file."""

"""Numbers from numbers: running statistics that know nothing of tools."""

from abs_shield.stats.welford import RunningStats

__all__ = ["RunningStats"]

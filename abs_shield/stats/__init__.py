"""Numbers from numbers: running statistics that know nothing of tools."""

from abs_shield.stats.merged_moments import Moments
from abs_shield.stats.welford import RunningStats
from abs_shield.stats.window import Window

__all__ = ["Moments", "RunningStats", "Window"]

"""Numbers from numbers: running statistics that know nothing of tools."""

from abs_shield.stats.running_stats import Moments, RunningStats, Window

__all__ = ["Moments", "RunningStats", "Window"]

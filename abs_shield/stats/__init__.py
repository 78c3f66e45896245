"""Statistics of streams, shares and probabilities; independent of tools and calls."""

from abs_shield.stats.running_stats import Moments, RunningStats, Window

__all__ = ["Moments", "RunningStats", "Window"]

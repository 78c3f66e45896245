"""Summary sentences of a backtest."""

from __future__ import annotations

from abs_shield.backtest import Comparison, Kind, Proportion
from abs_shield.cli.backtest.compared_policies import BacktestResult
from abs_shield.text.safe_display import escaped, quantity


def summary(done: BacktestResult) -> str:
    """Return the summary as one line."""
    comparison, new = done.comparison, done.comparison.new
    counts = f"{quantity(comparison.runs, 'run')}, {quantity(new.calls, 'call')}"
    figures = f"{new.hit('flagged'):,} flagged, {new.hit('blocked'):,} blocked"
    good = f"{new.hit('blocked', successful=True):,} of these in successful runs"
    if comparison.old is None:
        return f"{counts}: {figures}, {good}.{_scores(comparison)}"
    changes = ", ".join(f"{comparison.kinds[kind]:,} {kind}" for kind in reversed(Kind))
    return f"{counts}: {changes}. The new policy: {figures}, {good}.{_scores(comparison)}"


def _scores(comparison: Comparison) -> str:
    labelled = comparison.new.labelled.total()
    if not labelled:
        return ""
    flags = comparison.new.score("flagged")
    return (
        f" Of its flags on {quantity(labelled, 'labelled call')}:"
        f" precision {share(flags.precision)}, recall {share(flags.recall)}."
    )


def share(one: Proportion) -> str:
    """
    Return a share with its number of observations and its interval.

    >>> share(Proportion(9, 10)), share(Proportion(0, 0))
    ('0.900 (9 of 10; 0.596-0.982)', '-')
    """
    if one.value is None:
        return "-"
    low, high = one.interval
    return f"{one.value:.3f} ({one.count:,} of {one.of:,}; {low:.3f}-{high:.3f})"


def layers_text(comparison: Comparison, kind: Kind, tool: str) -> str:
    """Return the layers that caused a tool's changes, each with its number of calls."""
    counts = {
        layer: count
        for (k, name, layer), count in comparison.layers.most_common()
        if (k, name) == (kind, tool)
    }
    return ", ".join(f"{escaped(layer)} {count:,}" for layer, count in counts.items())

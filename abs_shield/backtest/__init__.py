"""Compare the decisions of two policies, and score them against labels."""

from __future__ import annotations

from abs_shield.backtest.backtest_job import Backtesting, Compared
from abs_shield.backtest.call_labels import LabelLine, Labels, label_lines, read_label, run_labels
from abs_shield.backtest.planted_figures import PlantedFigures, PlantedRow
from abs_shield.backtest.policy_comparison import Comparison, compare
from abs_shield.backtest.policy_figures import PolicyFigures
from abs_shield.backtest.policy_side import Example, Kind, Ruled, Side
from abs_shield.backtest.precision_recall import PrecisionRecall, Proportion, SweepPoint, thresholds
from abs_shield.core.module_names import old_names

__all__ = [
    "Backtesting",
    "Compared",
    "Comparison",
    "Example",
    "Kind",
    "LabelLine",
    "Labels",
    "PlantedFigures",
    "PlantedRow",
    "PolicyFigures",
    "PrecisionRecall",
    "Proportion",
    "Ruled",
    "Side",
    "SweepPoint",
    "compare",
    "label_lines",
    "read_label",
    "run_labels",
    "thresholds",
]

__getattr__ = old_names(
    __name__,
    {
        "Figures": "PolicyFigures",
        "Score": "PrecisionRecall",
        "Share": "Proportion",
    },
)

"""Compare the decisions of two policies, and score them against labels."""

from __future__ import annotations

from abs_shield.backtest.backtest_job import Backtesting, Compared
from abs_shield.backtest.call_labels import LabelLine, Labels
from abs_shield.backtest.compare import compare
from abs_shield.backtest.decision_change import Example, Kind
from abs_shield.backtest.label_file import label_lines, read_label, run_labels
from abs_shield.backtest.planted_figures import PlantedFigures, PlantedRow
from abs_shield.backtest.policy_comparison import Comparison
from abs_shield.backtest.policy_figures import PolicyFigures
from abs_shield.backtest.precision_recall import PrecisionRecall, Proportion
from abs_shield.backtest.side import Ruled, Side
from abs_shield.backtest.threshold_sweep import SweepPoint, thresholds
from abs_shield.core.renamed import old_names

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

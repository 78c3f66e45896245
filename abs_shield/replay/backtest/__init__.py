"""Which decisions change between two policies, and how right the decisions are."""

from __future__ import annotations

from abs_shield.replay.backtest.change import Example, Kind
from abs_shield.replay.backtest.compare import compare
from abs_shield.replay.backtest.comparison import Comparison
from abs_shield.replay.backtest.figures import Figures
from abs_shield.replay.backtest.job import Backtesting, Compared
from abs_shield.replay.backtest.labelling import label_lines, read_label, run_labels
from abs_shield.replay.backtest.labels import LabelLine, Labels
from abs_shield.replay.backtest.planted import PlantedFigures, PlantedRow
from abs_shield.replay.backtest.score import Score, Share
from abs_shield.replay.backtest.side import Ruled, Side
from abs_shield.replay.backtest.sweep import SweepPoint, thresholds

__all__ = [
    "Backtesting",
    "Compared",
    "Comparison",
    "Example",
    "Figures",
    "Kind",
    "LabelLine",
    "Labels",
    "PlantedFigures",
    "PlantedRow",
    "Ruled",
    "Score",
    "Share",
    "Side",
    "SweepPoint",
    "compare",
    "label_lines",
    "read_label",
    "run_labels",
    "thresholds",
]

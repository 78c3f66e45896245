"""Plot of a threshold sweep: precision and recall, and shares flagged and blocked."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

from abs_shield.backtest import PolicyFigures, Proportion
from abs_shield.cli.output_file import open_output, require_not_input
from abs_shield.cli.usage_errors import BadInput

_SUFFIXES = (".svg", ".png")
_STYLE: Any = {
    "svg.hashsalt": "abs-shield",  # or equal figures give files that differ
    "svg.fonttype": "path",  # the text looks the same without the font
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_LINES: dict[str, dict[str, str]] = {
    "precision": {"color": "#0b3c6f", "linestyle": "-", "marker": "o"},
    "recall": {"color": "#b5520a", "linestyle": "--", "marker": "s"},
    "flagged": {"color": "#4d4d4d", "linestyle": "-", "marker": "^"},
    "blocked": {"color": "#8a1c1c", "linestyle": ":", "marker": "x"},
}
"""Line styles that differ even without colour."""


class SweepPlot:
    """
    The plot of a threshold sweep, written to a file.

    Args:
        path: The file.
        inputs: Input files, which must not be overwritten.

    Raises:
        BadInput: The file is neither .svg nor .png or is one of *inputs*, its folder is missing,
            or matplotlib is not installed.
    """

    def __init__(self, path: str, *, inputs: Iterable[str] = ()) -> None:
        self._path = Path(path)
        require_not_input(path, inputs, option="--picture")
        if self._path.suffix.lower() not in _SUFFIXES:
            raise BadInput(f"`--picture` is `{path}`; name a file that ends in .svg or .png")
        if not self._path.parent.is_dir():
            raise BadInput(f"`--picture`: there is no folder `{self._path.parent}`")
        try:
            import matplotlib.figure  # noqa: F401
        # before the work, which may take an hour
        except ImportError:
            raise BadInput(
                '`--picture` needs matplotlib; install it with `pip install "abs-shield[pictures]"`'
            ) from None

    def draw(self, figures: PolicyFigures) -> None:
        """Write the plot; equal figures give equal files."""
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        labelled = figures.labelled.total() > 0
        with rc_context(_STYLE):
            figure = Figure(figsize=(8, 7 if labelled else 4), layout="constrained")
            # without `pyplot`, which keeps global state and needs a display
            FigureCanvasAgg(figure)
            panels = figure.subplots(2 if labelled else 1, sharex=True, squeeze=False)[:, 0]
            if labelled:
                _plot_precision(panels[0], figures)
            _plot_shares(panels[-1], figures)
            kind = self._path.suffix.lower().removeprefix(".")
            # dates and versions would make equal figures differ
            undated = {"Date": None} if kind == "svg" else {"Software": None}
            drawn = BytesIO()
            figure.savefig(drawn, format=kind, dpi=120, metadata=undated)
        with open_output(str(self._path), option="--picture") as file:
            file.write(drawn.getvalue())


def _plot_precision(axes: Any, figures: PolicyFigures) -> None:
    """Draw precision and recall of the flags, with their intervals."""
    points = figures.sweep()
    _plot_line(axes, figures, "precision", [point.flags.precision for point in points])
    _plot_line(axes, figures, "recall", [point.flags.recall for point in points])
    labelled = figures.labelled.total()
    axes.set_title(f"Flags on {labelled:,} labelled calls; shaded: 95 % intervals", loc="left")
    axes.set_ylabel("share")
    axes.set_ylim(-0.03, 1.03)  # room for markers at 0 and 1
    _finish(axes, figures)


def _plot_shares(axes: Any, figures: PolicyFigures) -> None:
    """Draw the shares of all calls that are flagged and blocked."""
    points = figures.sweep()
    _plot_line(axes, figures, "flagged", [point.flagged for point in points])
    _plot_line(axes, figures, "blocked", [point.blocked for point in points])
    axes.set_title(f"What is flagged and blocked, of {figures.calls:,} calls", loc="left")
    axes.set_ylabel("share of calls")
    axes.set_xlabel("threshold (sensitivity: at 1 every finding counts)")
    axes.set_ylim(bottom=0)
    _finish(axes, figures)


def _plot_line(axes: Any, figures: PolicyFigures, name: str, shares: list[Proportion]) -> None:
    values = [float("nan") if share.value is None else share.value for share in shares]
    axes.plot(figures.thresholds, values, label=name, markersize=5, **_LINES[name])
    lows, highs = zip(*(share.interval for share in shares), strict=True)
    defined = [share.value is not None for share in shares]
    axes.fill_between(
        figures.thresholds, lows, highs, where=defined, color=_LINES[name]["color"], alpha=0.12,
        linewidth=0,
    )  # fmt: skip


def _finish(axes: Any, figures: PolicyFigures) -> None:
    label = f"the policy's threshold, {figures.threshold:g}"
    axes.axvline(figures.threshold, color="black", linewidth=1, linestyle="-.", label=label)
    axes.set_xlim(-0.02, 1.02)  # room for markers at 0 and 1
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    axes.legend(loc="best", frameon=False)

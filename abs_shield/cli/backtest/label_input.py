"""Reads the labels of a backtest, and says where they fit nothing."""

from __future__ import annotations

from abs_shield.cli.input_warnings import Teller
from abs_shield.cli.usage_errors import BadInput
from abs_shield.replay import BadLine
from abs_shield.replay.backtest import Labels, label_lines
from abs_shield.text.show import escaped


def read_labels(path: str | None, teller: Teller) -> Labels:
    """
    Read a file of labels; *teller* tells of the lines that are none.

    Raises:
        BadInput: It holds none at all.
    """
    labels = Labels()
    for line in () if path is None else label_lines(path):
        if isinstance(line, BadLine):
            teller.bad(line)
            continue
        number, label = line
        try:
            labels.add(label)
        except ValueError as error:
            teller.bad(BadLine(str(path), number, str(error)))
    if path is not None and not (labels.count or teller.bad_lines):
        raise BadInput(f"{path}: it holds no labels")
    return labels


def no_match(path: str, labels: Labels, *, first_run: str) -> BadInput:
    """Say that no label fits a call, with the first label and the first run."""
    _, scope, call = next(iter(labels.said))
    named = f"; the first label names `{escaped(scope)}` and call {escaped(str(call))}"
    seen = f", the first run is `{escaped(first_run)}`" if first_run else ", there is no run"
    return BadInput(f"{path}: 0 of {labels.count} labels fit a call{named}{seen}")

"""Labels of a backtest: reading, and the error if none matches a call."""

from __future__ import annotations

from abs_shield.backtest import Labels, label_lines
from abs_shield.cli.input_warnings import InputWarnings
from abs_shield.cli.usage_errors import BadInput
from abs_shield.replay import BadLine
from abs_shield.text.safe_display import escaped


def read_labels(path: str | None, warnings: InputWarnings) -> Labels:
    """
    Read a file of labels; *warnings* receives the unreadable lines.

    Raises:
        BadInput: The file holds no labels.
    """
    labels = Labels()
    for line in () if path is None else label_lines(path):
        if isinstance(line, BadLine):
            warnings.add_bad_line(line)
            continue
        number, label = line
        try:
            labels.add(label)
        except ValueError as error:
            warnings.add_bad_line(BadLine(str(path), number, str(error)))
    # an empty file of labels is a broken export, not a policy without errors
    if path is not None and not (labels.count or warnings.bad_lines):
        raise BadInput(f"{path}: it contains no labels")
    return labels


def unmatched_labels(path: str, labels: Labels, *, first_run: str) -> BadInput:
    """Return the error that no label matches a call, with the first label and the first run."""
    _, scope, call = next(iter(labels.by_key))
    first_label = f"; the first label names `{escaped(scope)}` and call {escaped(str(call))}"
    run = f", the first run is `{escaped(first_run)}`" if first_run else ", there is no run"
    return BadInput(f"{path}: 0 of {labels.count} labels fit a call{first_label}{run}")

"""Read labels of calls, from the lines of a file and from a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from abs_shield.backtest.call_labels import LabelLine, Labels
from abs_shield.core.label import Truth
from abs_shield.replay.file_lines import BadLine, lines
from abs_shield.replay.json_records import read_record
from abs_shield.replay.runs import Run
from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped, shown


def label_lines(
    path: str, *, on_bytes: Callable[[int], object] | None = None
) -> Iterator[tuple[int, LabelLine] | BadLine]:
    """
    Yield the labels of a file with their line numbers; null labels are left out.

    Raises:
        OSError: The file cannot be opened or read.
    """
    for line in lines(path, on_bytes=on_bytes):
        if isinstance(line, BadLine):
            yield line
            continue
        number, text = line
        try:
            label = read_label(read_record(text, noun="a label"))
        except ValueError as error:
            yield BadLine(path, number, escaped(str(error), limit=300))  # one line of the output
            continue
        if label is not None:
            yield number, label


def read_label(record: Mapping[str, Any]) -> LabelLine | None:
    """
    Read ``{"run_id" or "session_id", "call_index" or "call_id", "label"}``; None if not labelled.

    Raises:
        ValueError: A member is missing or invalid.
    """
    if "label" not in record:
        near = nearest("label", [str(key) for key in record])
        raise ValueError(
            f"the field `label` is missing{f'; did you mean `{near[0]}`?' if near else ''}"
        )
    line = _line(record, "`label`")
    if line is not None and line.run_id is None and line.session_id is None:
        raise ValueError("a label names a `run_id` or a `session_id`")
    return line


def run_labels(run: Run) -> Labels:
    """
    Return the labels in the run itself, under ``labels.calls``.

    Raises:
        ValueError: They cannot be read.
    """
    labels = Labels()
    try:
        for line in _call_labels(run.labels.get("calls")):
            if line is not None:
                labels.add(replace(line, run_id=run.run_id, session_id=None))
    except ValueError as error:
        raise ValueError(f"labels.calls: {error}") from None
    return labels


def _call_labels(calls: Any) -> Iterator[LabelLine | None]:
    if isinstance(calls, Mapping):
        for name, label in calls.items():
            call = {"call_index": int(name)} if _is_index(name) else {"call_id": name}
            yield _line({**call, "label": label}, f"the label of {shown(name)}")
    elif isinstance(calls, list):
        for index, record in enumerate(calls):
            if not isinstance(record, Mapping):
                raise ValueError(f"item {index} is {shown(record)}; give an object")
            yield _line(record, f"`label` of item {index}")
    elif calls is not None:
        raise ValueError(f"it is {shown(calls)}; give an object of call to label")


def _is_index(name: str) -> bool:
    return name.isascii() and name.isdecimal() and len(name) < _DIGITS


_DIGITS = 10  # with as many it is an id; `int` of thousands of digits raises


def _line(record: Mapping[str, Any], what: str) -> LabelLine | None:
    label = record.get("label")
    if label is None:
        return None
    if label not in list(Truth):
        near = nearest(label, Truth) if isinstance(label, str) else []
        hint = f"did you mean `{near[0]}`?" if near else "give `hallucinated` or `ok`"
        raise ValueError(f"{what} is {shown(label)}; {hint}")
    line = LabelLine(
        label=Truth(label),
        run_id=_id(record, "run_id"),
        session_id=_id(record, "session_id"),
        call_index=_index(record),
        call_id=_id(record, "call_id"),
    )
    if line.call_index is None and line.call_id is None:
        raise ValueError("a label names a `call_index` or a `call_id`")
    return line


def _id(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    return None if value is None or value == "" else str(value)  # an empty id names nothing


def _index(record: Mapping[str, Any]) -> int | None:
    index = record.get("call_index")
    if index is not None and (type(index) is not int or index < 0):
        raise ValueError(f"`call_index` is {shown(index)}; give a number from 0")
    return index

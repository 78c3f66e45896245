"""Labels of calls: hallucinated or ok, as people judged them; read from a file or from a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from abs_shield.core.label import Truth
from abs_shield.replay.file_lines import BadLine, lines, read_record
from abs_shield.replay.run_judging import Judged
from abs_shield.replay.run_reader import Run
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped, shown


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelLine:
    """
    The label of one call.

    Attributes:
        run_id: The run; None if only the session is named.
        session_id: The session; None if only the run is named.
        call_index: Counts the run's calls from 0; None if only the id is named.
        call_id: The call's id; None if only the index is named.
    """

    label: Truth
    run_id: str | None = None
    session_id: str | None = None
    call_index: int | None = None
    call_id: str | None = None

    @property
    def keys(self) -> Iterator[_Key]:
        """The keys under which the label is stored; a session's index only without a better key."""
        calls = [call for call in (self.call_index, self.call_id) if call is not None]
        if self.run_id is not None:
            yield from (("run", self.run_id, call) for call in calls)
        if self.session_id is not None and self.call_id is not None:
            yield ("session", self.session_id, self.call_id)
        elif self.session_id is not None and self.run_id is None and self.call_index is not None:
            # an index counts the calls of a run, and is only unique in a session of one run
            yield ("session", self.session_id, self.call_index)


_Key = tuple[str, str, int | str]


class Labels:
    """
    Labels of calls, in memory.

    Attributes:
        by_key: Position and label by key.
    """

    def __init__(self) -> None:
        self.by_key: dict[_Key, tuple[int, Truth]] = {}
        self.count = 0

    def add(self, line: LabelLine) -> None:
        """
        Store one label.

        Raises:
            ValueError: The call already has another label.
        """
        keys = list(line.keys)
        for key in keys:
            existing = self.by_key.get(key)
            if existing is not None and existing[1] is not line.label:
                raise ValueError(f"{_call(key)} is labelled {existing[1]} already; give one label")
        # a repeated line, as files are often concatenated, is no second label
        if keys and all(key in self.by_key for key in keys):
            return
        for key in keys:
            self.by_key.setdefault(key, (self.count, line.label))
        self.count += 1

    def of(self, run: Run, judged: Judged) -> dict[int, Truth]:
        """Return the labels of one call by their position; more than one if they disagree."""
        # the usual backtest has no labels
        if not self.by_key:
            return {}
        calls: list[int | str] = [judged.call_index]
        calls += [judged.call_id] if judged.call_id else []
        scopes = [("run", run.run_id)]
        scopes += [("session", run.session_id)] if run.session_id else []
        matches = (self.by_key.get((what, name, call)) for what, name in scopes for call in calls)
        # by position: a call found by two keys is one label
        return dict(one for one in matches if one is not None)


def _call(key: _Key) -> str:
    what, scope, call = key
    call_text = f"call {call}" if isinstance(call, int) else f"call `{escaped(call)}`"
    return f"{call_text} of {what} `{escaped(scope)}`"


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

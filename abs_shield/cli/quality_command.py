"""`abs-shield quality`: check outputs of agents with the quality cascade."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from math import inf, isfinite
from typing import IO, Annotated, Any

import typer

from abs_shield.cli.console import ProgressBar, open_console, progress_bar, safe
from abs_shield.cli.fitting_table import Column, FittingTable
from abs_shield.cli.input_warnings import AllowEmpty, LineErrors, require_input
from abs_shield.cli.output_file import input_files, open_output
from abs_shield.cli.shared_options import OutputFile
from abs_shield.cli.usage_errors import BadInput
from abs_shield.core.digest import encodable
from abs_shield.errors import PolicyError, ShieldError
from abs_shield.policy.policy_loading import load
from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline, QualityResult, Task
from abs_shield.quality.facts import FactTable
from abs_shield.replay.file_lines import BadLine, lines, read_record
from abs_shield.text.safe_display import escaped, quantity, shown

app = typer.Typer(add_completion=False, rich_markup_mode=None)
# closed, so that a misspelt field is an error and not an unchecked output
_FIELDS = frozenset("id text task_type classification agent_id model impact facts".split())
_RECORDED = "decision_id"
"""An additional field of outputs in run files."""


class QualityFormat(StrEnum):
    """Output formats of the result."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"


@app.command(epilog="Example: abs-shield quality outputs.jsonl --format jsonl")
def quality(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="JSON lines; - for stdin.")],
    config: Annotated[
        str | None,
        typer.Option(metavar="MODULE:ATTR", help="A QualityConfig; default: its defaults."),
    ] = None,
    format: Annotated[
        QualityFormat, typer.Option(help="A table, one JSON list, or one JSON object per line.")
    ] = QualityFormat.TABLE,
    out: OutputFile = None,
    allow_empty: AllowEmpty = False,
) -> None:
    """
    Check outputs of agents with the quality cascade.

    A line is {"id", "text", "task_type", "classification"?, "impact"?, "agent_id"?, "model"?,
    "facts"?}; "facts" is a list of {"subject", "attribute", "value", "period"?, "tolerance"?}.
    If a file contains runs, their recorded outputs are checked.
    Exits with 0, even if outputs are held back, and with 2 if a line could not be read.
    """
    # results of the background would come after the report
    settings = _config(config).model_copy(update={"background": False})
    bad = LineErrors("lines that cannot be read")
    count = 0
    with (
        open_output(out, inputs=[*files, *input_files(config)]) as sink,
        progress_bar(files, doing="checking") as on,
    ):
        report = _REPORTS[format](sink)
        for item in _checked(files, settings, on):
            if isinstance(item, BadLine):
                bad.add(item)
            else:
                count += 1
                report.add(item)
        bad.close()
        require_input(count + bad.count, noun="output", files=files, allowed=allow_empty)
        report.close()
    if bad.count:
        raise BadInput(f"{quantity(bad.count, 'line')} could not be read")


def _config(place: str | None) -> QualityConfig:
    if place is None:
        return QualityConfig()
    value = load(place)
    if not isinstance(value, QualityConfig):
        raise PolicyError(f"`{escaped(place)}` is {shown(value)}; give a QualityConfig")
    return value


def _checked(
    files: list[str], config: QualityConfig, progress: ProgressBar
) -> Iterator[QualityResult | BadLine]:
    """Yield the result of each line; an unreadable line as a `BadLine`."""
    pipeline = QualityPipeline(config)
    for file in files:
        for line in lines(file, on_bytes=progress.advance):
            if isinstance(line, BadLine):
                yield line
                continue
            number, text = line
            try:
                records = _records(text)
            except ValueError as error:
                yield BadLine(file, number, str(error))
                continue
            for record in records:
                try:
                    agent_output, facts = _read(record)
                    own = pipeline if facts is None else _with_facts(config, facts)
                    yield own.run(agent_output)
                except ShieldError as error:
                    yield BadLine(file, number, str(error))


def _with_facts(config: QualityConfig, rows: list[Mapping[str, Any]]) -> QualityPipeline:
    return QualityPipeline(config.model_copy(update={"facts": FactTable.from_rows(rows)}))


def _records(line: bytes) -> list[Any]:
    """Return the output of a line, or the recorded outputs of a run file's line."""
    record = read_record(line, noun="an output")
    if "session_id" in record and "text" not in record:
        outputs = record.get("outputs", [])
        return outputs if isinstance(outputs, list) else [outputs]
    return [record]


def _read(record: Any) -> tuple[AgentOutput, list[Mapping[str, Any]] | None]:
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise ShieldError(f'it is {shown(record)}; give an object with a "text"')
    for name in record:
        if name not in _FIELDS and name != _RECORDED:
            raise ShieldError(f"`{escaped(name)}` is not a field; use {', '.join(sorted(_FIELDS))}")
    task = Task(
        output_classification=_text(record, "classification"),
        estimated_impact_value=_impact(record),
    )
    identifier = record.get("id")
    if identifier is not None and (
        isinstance(identifier, bool) or not isinstance(identifier, (str, int))
    ):
        raise ShieldError(f"`id` is {shown(identifier)}; give a text or a whole number")
    name = "" if identifier is None else str(identifier)
    agent_output = AgentOutput(
        text=record["text"],
        task_type=_text(record, "task_type"),
        task=task,
        agent_id=_text(record, "agent_id"),
        output_id=name,
        model=_text(record, "model"),
    )
    return agent_output, _facts(record)


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if value is not None and not isinstance(value, str):
        raise ShieldError(f"`{name}` is {shown(value)}; give a text")
    return value or ""


def _impact(record: Mapping[str, Any]) -> float:
    value = record.get("impact")
    if value is None:
        return 0.0
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ShieldError(f"`impact` is {shown(value)}; give a number")
    try:
        number = float(value)
    except OverflowError:
        number = inf
    if not isfinite(number):
        raise ShieldError(f"`impact` is {shown(value)}; give a number below 1e308")
    return value


def _facts(record: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    rows = record.get("facts")
    if rows is None:
        return None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ShieldError(f"`facts` is {shown(rows)}; give a list of objects")
    return rows


_COLUMNS = (
    Column("id"), Column("action"), Column("failed stage"), Column("findings"),
    Column("score", right=True, drop=2), Column("confidence", right=True, drop=1),
)  # fmt: skip


class _Table:
    """Report with a row for each output, and the number of each action."""

    def __init__(self, sink: IO[bytes]) -> None:
        self._sink = sink
        self._table = FittingTable(*_COLUMNS)
        self._actions: Counter[str] = Counter()

    def add(self, result: QualityResult) -> None:
        failed = [one for one in result.stages if one.outcome in ("failed", "error")]
        details = "; ".join(finding.detail for one in failed for finding in one.findings)
        score = result.hallucination_score
        confidence = result.confidence
        cells = (
            result.output_id, result.action, ", ".join(one.name for one in failed), details,
            "-" if score is None else f"{score:.1f} %",
            "-" if confidence is None else f"{100 * confidence:g} %",
        )  # fmt: skip
        self._table.add_row(*(safe(cell, limit=100) for cell in cells))
        self._actions[result.action] += 1

    def close(self) -> None:
        console = open_console()
        with console.capture() as text:
            console.print(self._table)
            console.print(", ".join(f"{n:,} {name}" for name, n in self._actions.items()) or "none")
        self._sink.write(text.get().encode(errors="replace"))


class _Lines:
    """Report with one JSON object per line, written as each output is checked."""

    def __init__(self, sink: IO[bytes]) -> None:
        self._sink = sink

    def add(self, result: QualityResult) -> None:
        self._sink.write(f"{_json(result)}\n".encode())

    def close(self) -> None:
        pass


class _List:
    """Report with one JSON list of all results."""

    def __init__(self, sink: IO[bytes]) -> None:
        self._sink, self._opening = sink, "["

    def add(self, result: QualityResult) -> None:
        self._sink.write(f"{self._opening}\n{_json(result)}".encode())
        self._opening = ","

    def close(self) -> None:
        self._sink.write(b"[]\n" if self._opening == "[" else b"\n]\n")


_REPORTS: dict[QualityFormat, type[_Table | _Lines | _List]] = {
    QualityFormat.TABLE: _Table, QualityFormat.JSON: _List, QualityFormat.JSONL: _Lines,
}  # fmt: skip


def _json(result: QualityResult) -> str:
    return encodable(json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False))

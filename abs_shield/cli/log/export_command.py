"""`abs-shield log export`: export decisions as JSON lines or Parquet."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from typing import IO, Annotated, Any

import typer

from abs_shield.cli.log.decision_lookup import DamagedRecords
from abs_shield.cli.output_file import open_output
from abs_shield.cli.shared_options import (
    Database,
    OutputFile,
    Since,
    Until,
    files_of,
    open_log,
    seconds_of,
)
from abs_shield.cli.usage_errors import BadInput
from abs_shield.core import Subject
from abs_shield.stores.durable_store import DurableStore
from abs_shield.stores.record_bodies import Skipped
from abs_shield.stores.sealed_record import Damaged

_ROWS = 10_000  # a row group: some 10 MB in memory, and few groups for readers to open
_TEXTS = (
    "id", "subject", "tool", "verdict", "action", "mode", "policy_revision", "session_id",
    "run_id", "call_id", "agent", "model", "approval", "label",
)  # fmt: skip
_FLAGS = ("blocked", "would_block", "retryable")
_NUMBERS = ("elapsed_ms", "probability")
_COUNTS = ("attempts_left", "schema_version")
_FINDING_TEXTS = (
    "check",
    "verdict",
    "where",
    "detail",
    "code",
    "hint",
    "expected",
    "nearest",
    "mode",
)
# values of any type, which a column cannot have
_FINDING_JSON = ("got", "allowed", "evidence")


def write_parquet(decisions: Iterator[dict[str, Any]], file: IO[bytes]) -> int:
    """
    Write decisions in batches, and return their number.

    Raises:
        BadInput: pyarrow is not installed.
    """
    try:
        from pyarrow import Table
        from pyarrow.parquet import ParquetWriter
    except ModuleNotFoundError:
        raise BadInput('Parquet needs pyarrow; run `pip install "abs-shield[parquet]"`') from None
    schema, written = _schema(), 0
    with ParquetWriter(file, schema) as writer:
        while batch := [_row(decision) for decision in islice(decisions, _ROWS)]:
            writer.write_table(Table.from_pylist(batch, schema=schema))
            written += len(batch)
    return written


def _schema() -> Any:
    import pyarrow as pa

    finding = [
        *((name, pa.string()) for name in (*_FINDING_TEXTS, *_FINDING_JSON)),
        ("strength", pa.float64()),
        ("counted", pa.bool_()),
        ("suppressed", pa.bool_()),
    ]
    coverage = pa.struct([("outcome", pa.string()), ("reason", pa.string())])
    return pa.schema(
        [
            *((name, pa.string()) for name in _TEXTS),
            ("at", pa.timestamp("us", tz="UTC")),
            *((name, pa.bool_()) for name in _FLAGS),
            *((name, pa.float64()) for name in _NUMBERS),
            *((name, pa.int64()) for name in _COUNTS),
            ("findings", pa.list_(pa.struct(finding))),
            ("coverage", pa.map_(pa.string(), coverage)),
            ("errors", pa.list_(pa.string())),
            ("notes", pa.list_(pa.string())),
        ]
    )


def _row(decision: dict[str, Any]) -> dict[str, Any]:
    row = {key: _encodable(value) for key, value in decision.items()}
    row["at"] = int(decision["at"] * 1_000_000)  # microseconds
    row["findings"] = [_finding(finding) for finding in decision["findings"]]
    row["coverage"] = list(decision["coverage"].items())
    return row


def _finding(finding: dict[str, Any]) -> dict[str, Any]:
    row = {key: _encodable(value) for key, value in finding.items()}
    return row | {name: json.dumps(finding[name]) for name in _FINDING_JSON}


def _encodable(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return value.encode("utf-8", "backslashreplace").decode()  # Arrow refuses lone surrogates


EXAMPLE = "Example: abs-shield log export decisions.db --format parquet --output decisions.parquet"


class ExportFormat(StrEnum):
    """Output formats of an export."""

    JSONL = "jsonl"
    PARQUET = "parquet"


def command(
    database: Database = None,
    format: Annotated[
        ExportFormat, typer.Option(help="Lines of JSON, or Parquet.")
    ] = ExportFormat.JSONL,
    to: OutputFile = None,
    since: Since = None,
    until: Until = None,
    reports: Annotated[
        bool,
        typer.Option("--reports", help="Add the report to each decision about an answer."),
    ] = False,
    skip_damaged: Annotated[
        bool,
        typer.Option(
            "--skip-damaged", help="Leave out unreadable records, and print their number."
        ),
    ] = False,
) -> None:
    """
    Write the decisions, oldest first, each with its newest label.

    Findings quote values of arguments: keep the file as private as the log.

    Exits with 0, with 2 for bad input.
    """
    if format is ExportFormat.PARQUET and to is None:
        raise BadInput("Parquet cannot be printed; name a file: `--output decisions.parquet`")
    if reports and format is ExportFormat.PARQUET:
        raise BadInput("`--reports` needs `--format jsonl`: a table has no column for a report")
    damaged = DamagedRecords()
    start, end = seconds_of(since, option="--since"), seconds_of(until, option="--until")
    with open_log(database) as store:
        decisions = _labelled(store, start, end, damaged.add if skip_damaged else None)
        decisions = _reported(store, decisions) if reports else decisions
        with open_output(to, inputs=files_of(database)) as file:
            write = write_parquet if format is ExportFormat.PARQUET else _write_lines
            try:
                written = write(decisions, file)
            except Damaged as error:
                raise BadInput(f"{error}; `--skip-damaged` leaves such records out") from None
    if to is not None:
        print(f"{written:,} decisions written to {to}", file=sys.stderr)
    damaged.print_count()


def _labelled(
    store: DurableStore, since: float | None, until: float | None, skipped: Skipped | None
) -> Iterator[dict[str, Any]]:
    labels = store.labels(skipped=skipped)
    for decision in store.scan(since=since, until=until, skipped=skipped):
        label = labels.get(decision.id)
        yield {**decision.to_dict(), "label": None if label is None else label.truth}


def _reported(store: DurableStore, lines: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for line in lines:
        about_answer = line.get("subject") == Subject.ANSWER
        yield {**line, "report": store.report(line["id"])} if about_answer else line


def _write_lines(decisions: Iterator[dict[str, Any]], file: IO[bytes]) -> int:
    written = 0
    for decision in decisions:
        file.write(f"{json.dumps(decision)}\n".encode())
        written += 1
    return written

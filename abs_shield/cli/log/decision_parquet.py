"""Export of decisions as Parquet: a column for each field, findings as records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import IO, Any

from abs_shield.cli.usage_errors import BadInput

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

"""Judged calls as rows of the replay's output, and the file formats that hold them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import IO, Any, Protocol

from abs_shield.core import Action, Coverage, Finding, Mode, Outcome, Verdict
from abs_shield.errors import ReplayError
from abs_shield.replay.run_judging import Judged

_FINDING = (
    "check", "code", "verdict", "strength", "where", "detail", "hint", "nearest", "mode",
    "counted", "suppressed",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The data of a line; the attributes are those of `Judged` and `Decision`."""

    run_id: str
    call_index: int
    call_id: str | None
    tool: str
    verdict: Verdict
    action: Action
    would_block: bool
    findings: tuple[Finding, ...] = ()
    coverage: Mapping[str, Coverage] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the line as JSON-able data."""
        return {
            "run_id": self.run_id,
            "call_index": self.call_index,
            "call_id": self.call_id,
            "tool": self.tool,
            "verdict": self.verdict,
            "action": self.action,
            "would_block": self.would_block,
            "findings": [{k: getattr(f, k) for k in _FINDING} for f in self.findings],
            "coverage": {
                layer: {"outcome": coverage.outcome, "reason": coverage.reason}
                for layer, coverage in self.coverage.items()
            },
        }


def row(judged: Judged) -> dict[str, Any]:
    """Return the line of one judged call as JSON-able data."""
    decision = judged.decision
    return Row(
        run_id=judged.run_id,
        call_index=judged.call_index,
        call_id=judged.call_id,
        tool=judged.call.name,
        verdict=decision.verdict,
        action=decision.action,
        would_block=decision.would_block,
        findings=decision.findings,
        coverage=decision.coverage,
    ).to_dict()


def read_row(record: Mapping[str, Any]) -> Row:
    """
    Read a line that `row` wrote.

    Raises:
        ValueError: A field is missing, or has an unknown value.
    """
    try:
        return Row(
            run_id=record["run_id"],
            call_index=record["call_index"],
            call_id=record["call_id"],
            tool=record["tool"],
            verdict=Verdict(record["verdict"]),
            action=Action(record["action"]),
            would_block=record["would_block"],
            findings=tuple(_finding(finding) for finding in record["findings"]),
            coverage={
                layer: Coverage(Outcome(entry["outcome"]), entry["reason"])
                for layer, entry in record["coverage"].items()
            },
        )
    # a line of another program may have any type
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a line of a replay: {type(error).__name__}: {error}") from None


def _finding(record: Mapping[str, Any]) -> Finding:
    fields = {name: record[name] for name in _FINDING}
    words = {"verdict": Verdict(record["verdict"]), "mode": Mode(record["mode"])}
    return Finding(**{**fields, **words})


class RowWriter(Protocol):
    """Joins encoded rows in one file."""

    def write(self, packed: bytes) -> None:
        """Add the rows of one chunk."""
        ...

    def finish(self) -> None:
        """Write the remaining rows and the end of the file."""
        ...

    def abandon(self) -> None:
        """Close a file that will not be completed."""
        ...


class RowFile(Protocol):
    """A format of rows."""

    def packed(self, rows: Iterable[dict[str, Any]]) -> bytes:
        """Return rows, as `abs_shield.replay.row` creates them, encoded for the writer."""
        ...

    def writer(self, file: IO[bytes]) -> RowWriter:
        """
        Start a file.

        Raises:
            ReplayError: The format needs a package that is not installed.
        """
        ...


class Jsonl:
    """One JSON object per line."""

    def packed(self, rows: Iterable[dict[str, Any]]) -> bytes:
        """Return the rows as lines."""
        # in ASCII, so that the encoding of a terminal or a file is no matter
        return "".join(f"{json.dumps(row)}\n" for row in rows).encode("ascii")

    def writer(self, file: IO[bytes]) -> _JsonlWriter:
        """Return a writer that concatenates lines."""
        return _JsonlWriter(file)


class _JsonlWriter:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, packed: bytes) -> None:
        self._file.write(packed)
        self._file.flush()  # each chunk at once, so that a reader of a pipe sees progress

    def finish(self) -> None:
        self._file.flush()

    def abandon(self) -> None:
        pass  # the lines so far are a valid file


# readers skip whole row groups; smaller ones compress worse, larger ones take memory
_GROUP_ROWS = 20_000
_GROUP_BYTES = 32 << 20
"""A row group ends with the chunk in which it reaches one of these."""
_WORDS = ("check", "code", "verdict", "where", "detail", "hint", "nearest", "mode")


class Parquet:
    """Row groups of some 20,000 calls; needs `pyarrow`."""

    def packed(self, rows: Iterable[dict[str, Any]]) -> bytes:
        """Return the rows as an Arrow stream."""
        arrow = _arrow()
        schema = _schema(arrow)
        batch = arrow.RecordBatch.from_pylist([_fitting(row) for row in rows], schema=schema)
        sink = arrow.BufferOutputStream()
        with arrow.ipc.new_stream(sink, schema) as stream:
            stream.write_batch(batch)
        packed: bytes = sink.getvalue().to_pybytes()
        return packed

    def writer(self, file: IO[bytes]) -> _ParquetWriter:
        """Start a Parquet file."""
        return _ParquetWriter(_arrow(), file)


class _ParquetWriter:
    """Collects the rows of a few chunks for each row group."""

    def __init__(self, arrow: Any, file: IO[bytes]) -> None:
        self._arrow = arrow
        self._schema = _schema(arrow)
        self._held: list[Any] = []
        self._parquet = import_module("pyarrow.parquet").ParquetWriter(
            file, self._schema, compression="zstd"
        )

    def write(self, packed: bytes) -> None:
        with self._arrow.ipc.open_stream(packed) as stream:
            self._held += list(stream)
        rows = sum(batch.num_rows for batch in self._held)
        if rows >= _GROUP_ROWS or sum(batch.nbytes for batch in self._held) >= _GROUP_BYTES:
            self._flush()

    def finish(self) -> None:
        self._flush()
        self._parquet.close()

    def abandon(self) -> None:
        self._parquet.close()

    def _flush(self) -> None:
        table = self._arrow.Table.from_batches(self._held, self._schema)
        self._held = []
        if table.num_rows:
            # batches of several chunks become one row group
            self._parquet.write_table(table.combine_chunks(), row_group_size=table.num_rows)


def _arrow() -> Any:
    try:
        return import_module("pyarrow")
    except ImportError:
        raise ReplayError('Parquet needs pyarrow; pip install "abs-shield[parquet]"') from None


def _schema(arrow: Any) -> Any:
    text, flag = arrow.string(), arrow.bool_()
    finding = [(word, text) for word in _WORDS]
    finding += [("strength", arrow.float64()), ("counted", flag), ("suppressed", flag)]
    entry = arrow.struct([("outcome", text), ("reason", text)])
    return arrow.schema(
        [
            arrow.field("run_id", text, nullable=False),
            arrow.field("call_index", arrow.int64(), nullable=False),
            arrow.field("call_id", text),
            arrow.field("tool", text, nullable=False),
            arrow.field("verdict", text, nullable=False),
            arrow.field("action", text, nullable=False),
            arrow.field("would_block", flag, nullable=False),
            arrow.field("findings", arrow.list_(arrow.struct(finding)), nullable=False),
            arrow.field("coverage", arrow.map_(text, entry), nullable=False),
        ]
    )


def _fitting(value: Any) -> Any:
    r"""
    Return a row with values that Arrow accepts; unpaired surrogates are escaped.

    >>> _fitting({"tool": "x\ud800"})
    {'tool': 'x\\ud800'}
    """
    if isinstance(value, str):  # Arrow accepts only valid UTF-8
        return str(value.encode("utf-8", "backslashreplace"), "utf-8")
    if isinstance(value, dict):
        fitting = {name: _fitting(held) for name, held in value.items()}
        # a map is a list of pairs
        return {**fitting, "coverage": _pairs(fitting)} if "coverage" in fitting else fitting
    return [_fitting(held) for held in value] if isinstance(value, list) else value


def _pairs(fitting: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(_fitting(layer), entry) for layer, entry in fitting["coverage"].items()]


ROWFILES: dict[str, RowFile] = {"jsonl": Jsonl(), "parquet": Parquet()}
"""Every format of rows by name."""

"""Files of rows: each format contains the same data."""

from __future__ import annotations

import io
import json
import re

import pytest

from abs_shield.replay import Judging, chunks, raw_lines, read_row, replay_rows
from abs_shield.replay.replay_rows import ROWFILES

WRONG = {"id": "b", "name": "lend_book", "arguments": {"copy": "one"}}
PHANTOM = {"name": "burn\ud800book", "arguments": {}}


@pytest.fixture
def path(written, a_run):
    turns = [{"role": "assistant", "tool_calls": [WRONG, PHANTOM]}] * 3
    return written(*(a_run(turn, run_id=f"r{n}") for n, turn in enumerate(turns)))


def replay_file(path, format):
    """Return the rows of the whole file, with one run in each chunk."""
    judge, file = Judging(rows=format).prepare(), io.BytesIO()
    writer = ROWFILES[format].writer(file)
    for chunk in chunks(raw_lines([path]), most_lines=1):
        writer.write(judge(chunk).rows)
    writer.finish()
    return file.getvalue()


@pytest.fixture
def pyarrow():
    pytest.importorskip("pyarrow", reason="needs `pip install abs-shield[parquet]`")
    return pytest.importorskip("pyarrow.parquet", reason="needs `pip install abs-shield[parquet]`")


def test_each_line_of_jsonl_is_a_row(path):
    """Reading the lines returns a row for each call, in order."""
    rows = [read_row(json.loads(line)) for line in replay_file(path, "jsonl").splitlines()]

    assert ["r0", "r0", "r1", "r1", "r2", "r2"] == [row.run_id for row in rows]


def test_parquet_has_the_same_rows_as_jsonl(path, pyarrow):
    """The rows are equal, except that Parquet has a lone surrogate as its escape."""
    lines = re.sub(rb"(?<!\\)(\\ud800)", rb"\\\1", replay_file(path, "jsonl")).splitlines()
    table = pyarrow.read_table(io.BytesIO(replay_file(path, "parquet")))

    rows = [{**row, "coverage": dict(row["coverage"])} for row in table.to_pylist()]
    assert [json.loads(line) for line in lines] == rows


def test_parquet_has_row_groups(path, pyarrow, monkeypatch):
    """A row group ends with the chunk that fills it."""
    monkeypatch.setattr(replay_rows, "_GROUP_ROWS", 3)

    file = pyarrow.ParquetFile(io.BytesIO(replay_file(path, "parquet")))

    groups = [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)]
    assert [4, 2] == groups


def test_parquet_without_calls_has_all_columns(written, pyarrow):
    """The table is empty, and has the usual columns."""
    table = pyarrow.read_table(io.BytesIO(replay_file(written({"messages": []}), "parquet")))

    assert 0 == table.num_rows
    assert ["run_id", "call_index", "call_id", "tool"] == table.column_names[:4]

"""File formats with one row per call: workers encode rows, a writer joins them."""

from __future__ import annotations

from abs_shield.replay.rowfiles.jsonl_rows import Jsonl
from abs_shield.replay.rowfiles.parquet_rows import Parquet
from abs_shield.replay.rowfiles.rowfile import RowFile, RowWriter

ROWFILES: dict[str, RowFile] = {"jsonl": Jsonl(), "parquet": Parquet()}
"""Every format of rows by name."""

__all__ = ["ROWFILES", "RowFile", "RowWriter"]

"""The files that hold a row a call: what a worker packs, and what then joins it."""

from __future__ import annotations

from abs_shield.replay.rowfiles.jsonl_rows import Jsonl
from abs_shield.replay.rowfiles.parquet_rows import Parquet
from abs_shield.replay.rowfiles.rowfile import RowFile, RowWriter

ROWFILES: dict[str, RowFile] = {"jsonl": Jsonl(), "parquet": Parquet()}
"""Every format of rows by its name."""

__all__ = ["ROWFILES", "RowFile", "RowWriter"]

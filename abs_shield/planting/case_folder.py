"""Write a folder of planted cases: runs, toolsets, cases, and a manifest."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

from abs_shield.core.digest import digest
from abs_shield.planting.case_sample import Sample
from abs_shield.planting.joined_runs import Joined
from abs_shield.planting.planted_call import PlantedKind
from abs_shield.planting.run_records import record, tool_record
from abs_shield.replay.cases import MUTATIONS, RUNS, TOOLSETS

MANIFEST = "manifest.json"
README = "README.md"
FILES = (RUNS, TOOLSETS, MUTATIONS, MANIFEST, README)
_MOST_TOOLSETS = 20_000  # more are written into their runs, which are then larger
_MOST_NAMES = 10_000  # a model may invent any number of names


@dataclass(slots=True)
class FolderCounts:
    """
    Counts of the runs and calls that were read and written.

    Attributes:
        runs: Runs in the folder; a session is one run.
        left_out: Runs without a right call, which are not written.
        calls: Calls of the runs in the folder.
        right: Calls that count as right.
        set_aside: Number of other calls by reason.
        called: Names of the tools of right calls, at most 10,000.
    """

    runs: int = 0
    left_out: int = 0
    calls: int = 0
    right: int = 0
    set_aside: dict[str, int] = field(default_factory=dict)
    called: set[str] = field(default_factory=set)

    def add(self, run: Joined) -> None:
        """Count one run."""
        self.runs += 1
        self.calls += len(run.calls)
        self.right += len(run.calls) - len(run.set_aside)
        for why in run.set_aside.values():
            self.set_aside[why] = self.set_aside.get(why, 0) + 1
        if len(self.called) < _MOST_NAMES:
            self.called.update(call.name for call in run.calls if call.right)


class FolderWriter:
    """
    Writes the files of one folder; runs as they come, the other files at the end.

    Raises:
        OSError: A file cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.counts = FolderCounts()
        self._folder = folder
        self._stack = ExitStack()
        self._runs = self._stack.enter_context(_packed(folder / RUNS))
        self._toolsets: dict[str, list[dict[str, Any]]] = {}
        self._ids: dict[bytes, int] = {}

    def __enter__(self) -> FolderWriter:
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()

    def unique(self, run_id: str) -> str:
        """Return an id that no earlier run has: cases refer to their run by it."""
        key = digest(run_id, size=16)
        count = self._ids[key] = self._ids.get(key, 0) + 1
        # until the id with its number is new as well
        return run_id if count == 1 else self.unique(f"{run_id}#{count}")

    def add(self, run: Joined) -> None:
        """Write one run."""
        written = record(run)
        tools = [tool_record(tool) for tool in run.tools.values()]
        if not tools:  # or a toolset `*` of the folder would apply
            written["toolset"] = "none"
        # memory: toolsets are written at the end
        elif run.toolset not in self._toolsets and len(self._toolsets) >= _MOST_TOOLSETS:
            written["tools"] = tools
        else:
            self._toolsets.setdefault(run.toolset, tools)
        self._runs.write(json.dumps(written) + "\n")
        self.counts.add(run)

    def finish(self, sample: Sample, manifest: Mapping[str, Any]) -> None:
        """Write the cases, the toolsets, the manifest and the explanatory page."""
        self._stack.close()
        with _packed(self._folder / MUTATIONS) as file:
            for kind in sample.kinds:
                file.writelines(json.dumps(case) + "\n" for case in sample.of(kind))
        self._write(TOOLSETS, json.dumps(self._toolsets))
        self._write(MANIFEST, json.dumps(manifest, indent=2))
        self._write(README, "\n".join(page(manifest)) + "\n")

    def _write(self, name: str, text: str) -> None:
        (self._folder / name).write_text(text, encoding="utf-8")


def _packed(path: Path) -> IO[str]:
    """Open a gzip file whose bytes do not depend on the time of writing."""
    # equal runs and seeds give equal files
    return TextIOWrapper(gzip.GzipFile(path, "wb", mtime=0), encoding="utf-8")


def manifest(sample: Sample, counts: FolderCounts) -> dict[str, Any]:
    """Return a folder's contents as JSON-able data."""
    return {
        "seed": sample.seed,
        "most_of_a_kind": sample.most,
        "tools": None if sample.only is None else sorted(sample.only),
        "runs": counts.runs,
        "runs_left_out": counts.left_out,
        "calls": counts.calls,
        "right_calls": counts.right,
        "set_aside": counts.set_aside,
        "kinds": [_kind(kind, len(sample.of(kind))) for kind in sample.kinds],
    }


def _kind(kind: PlantedKind, count: int) -> dict[str, Any]:
    needs = {} if count else {"empty_because": f"no right call has what it needs: {kind.needs}"}
    return {
        "kind": kind.name,
        "layer": kind.layer,
        "expect": str(kind.expect),
        "planted": count,
        **needs,
    }


def page(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the page that explains the folder."""
    yield "# Planted cases"
    yield ""
    yield "Written by `abs-shield plant`. Measure with `abs-shield backtest FOLDER`."
    yield ""
    yield "**These are recorded runs: they hold whatever personal data and secrets the runs hold.**"
    yield "Nothing leaves this folder; keep it as private as the runs, out of version control."
    yield ""
    yield f"- `{RUNS}`: {manifest['runs']:,} runs, {manifest['calls']:,} calls;"
    yield f"  {manifest['right_calls']:,} count as right; `labels` exclude the others."
    yield f"- `{TOOLSETS}`: the tools of the runs, by the name in `toolset`."
    yield f"- `{MUTATIONS}`: the cases. `op` is `replace` (in place of the call at `call_index`)"
    yield "  or `insert_after` (a call behind its result); `expect` is `flag` or `clean`."
    yield f"- `{MANIFEST}`: the table below and the seed, {json.dumps(manifest['seed'])}, as JSON."
    yield ""
    yield "| kind | expect | planted | none, because |"
    yield "|---|---|---|---|"
    for row in manifest["kinds"]:
        why = row.get("empty_because", "")
        yield f"| {row['kind']} | {row['expect']} | {row['planted']:,} | {why} |"

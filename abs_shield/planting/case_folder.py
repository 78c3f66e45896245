"""Choose planted cases, and write a folder of them: runs, toolsets, cases, and a manifest."""

from __future__ import annotations

import gzip
import json
from bisect import insort
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from io import TextIOWrapper
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import IO, Any

from abs_shield.core import ToolCall
from abs_shield.core.digest import digest
from abs_shield.core.events import Event, MessageText, Opaque, Proposed, Returned
from abs_shield.planting.joined_runs import FAILED, Joined
from abs_shield.planting.planted_call import PlantedKind
from abs_shield.planting.run_text import RecordedCall, RightCall
from abs_shield.policy import Tool
from abs_shield.policy.tool_declaration import HINTS
from abs_shield.replay.planted_cases import MUTATIONS, RUNS, TOOLSETS, PlantedCase


def record(run: Joined) -> dict[str, Any]:
    """Return a run as a line; its labels list the calls that do not count as right."""
    # failed calls are a list, others need their reason
    failed = [index for index, why in run.set_aside.items() if why == FAILED]
    unfounded = {str(index): why for index, why in run.set_aside.items() if why != FAILED}
    return {
        "run_id": run.run_id,
        "source": run.source,
        "toolset": run.toolset,
        "messages": [message for event in run.events for message in _messages(event)],
        "labels": {"failed_calls": failed, "unfounded": unfounded},
    }


def tool_record(tool: Tool) -> dict[str, Any]:
    """Return a tool in the flat form, with MCP's hints."""
    hints = {hint: True for hint, attribute in HINTS.items() if getattr(tool, attribute)}
    written: dict[str, Any] = {"name": tool.name, "description": tool.description}
    if tool.parameters is not None:
        written["parameters"] = tool.parameters
    return {**written, "annotations": hints} if hints else written


def _messages(event: Event) -> Iterator[dict[str, Any]]:
    at = {} if event.at is None else {"at": event.at}
    match event:
        case MessageText():
            yield {"role": event.role, "content": event.text, **at}
        case Proposed():
            yield {"role": "assistant", "tool_calls": [*map(_call, event.calls)], **at}
        case Returned():
            yield {**_result(event), **at}
        case Opaque():
            yield {"type": "unseen", **at}  # a message that a session counts as unread


def _call(call: ToolCall) -> Mapping[str, Any]:
    written = {"id": call.id, "name": call.name, "arguments": call.arguments}
    return written if call.logprobs is None else {**written, "logprobs": call.logprobs}


def _result(event: Returned) -> dict[str, Any]:
    value = event.value
    # a text stays a text: JSON would change its quotes
    content = json.dumps(value) if isinstance(value, dict | list) else value
    message = {"role": "tool", "name": event.name, "content": content}
    message |= {} if event.call_id is None else {"tool_call_id": event.call_id}
    return {**message, "error": True} if event.error else message


MOST_CALLS = 200
"""Maximum number of calls of one run that are changed, to bound the work for long runs."""
MOST_OF_A_RUN = 20
"""Maximum number of cases of one kind in one run: each is judged after all calls before it."""
_Key = tuple[int, bytes]


@dataclass(slots=True)
class Sample:
    """
    The cases with the smallest keys of each kind, independent of the order of the runs.

    A key starts with the number of the run's earlier cases of the kind, followed by a hash: a run
    gets its second case of a kind only when every run has its first.

    Attributes:
        kinds: The kinds that are planted.
        seed: Equal seeds and equal runs make equal cases.
        most: Cases of each kind.
        only: Names of tools whose calls are changed; None for all.
    """

    kinds: Iterable[PlantedKind]
    seed: str
    most: int
    only: frozenset[str] | None = None
    _chosen: dict[str, list[tuple[_Key, int, PlantedCase]]] = field(default_factory=dict)
    _count: int = 0

    def add(self, run: Joined) -> None:
        """Plant in the right calls of one run."""
        # by hash: independent of the order in which the runs come
        chosen = sorted(self._with_keys(run), key=itemgetter(0))[:MOST_CALLS]
        if not chosen or not run.run_text.is_short:
            return
        places = [(key, RightCall.of(call, run.run_text)) for key, call in chosen]
        for kind in self.kinds:
            self._plant(kind, places, run.run_id)

    def of(self, kind: PlantedKind) -> list[PlantedCase]:
        """Return the cases of one kind."""
        return [case for _, _, case in self._chosen.get(kind.name, ())]

    def _with_keys(self, run: Joined) -> Iterator[tuple[bytes, RecordedCall]]:
        for call in run.right():
            if self.only is None or call.name in self.only:
                # the seed is part of the hash, so that another seed chooses other calls
                text = f"{self.seed}\n{run.run_id}\n{call.index}\n{call.name}"
                yield digest(text, size=8), call

    def _plant(self, kind: PlantedKind, places: list[tuple[bytes, RightCall]], run_id: str) -> None:
        chosen = self._chosen.setdefault(kind.name, [])
        rank = 0
        for key, place in places:
            if len(chosen) >= self.most and (rank, key) >= chosen[-1][0]:
                return  # the keys only grow from here
            # a generator for each call, so that one kind does not influence another
            fault = kind.plant(place, Random(f"{self.seed}/{kind.name}/{key.hex()}"))
            if fault is None:
                continue
            self._count += 1
            insort(chosen, ((rank, key), self._count, kind.case(run_id, place, fault)))
            del chosen[self.most :]
            rank += 1
            if rank >= MOST_OF_A_RUN:
                return


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
        self._runs = self._stack.enter_context(_open_gzip(folder / RUNS))
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
        with _open_gzip(self._folder / MUTATIONS) as file:
            for kind in sample.kinds:
                file.writelines(json.dumps(case) + "\n" for case in sample.of(kind))
        self._write(TOOLSETS, json.dumps(self._toolsets))
        self._write(MANIFEST, json.dumps(manifest, indent=2))
        self._write(README, "\n".join(page(manifest)) + "\n")

    def _write(self, name: str, text: str) -> None:
        (self._folder / name).write_text(text, encoding="utf-8")


def _open_gzip(path: Path) -> IO[str]:
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

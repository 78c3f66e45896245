"""Rows of an interrupted replay and its journal, so that the replay can resume."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from abs_shield.cli.output_file import exit_on_sigterm, require_not_input
from abs_shield.cli.usage_errors import BadInput
from abs_shield.core import Verdict
from abs_shield.core.digest import digest
from abs_shield.replay import BadLine, Judging, ReplayPart, SessionStart, Tally
from abs_shield.replay.file_lines import read_record
from abs_shield.replay.replay_job import load_job_policy
from abs_shield.version import __version__


class ResumableRows:
    """
    Rows, with a journal that has a line for each chunk whose rows are written.

    Attributes:
        file: The file of rows; None if the replay cannot be resumed.
        lines: Number of input lines judged.
        parts: Their results from the journal, without rows.
    """

    def __init__(self, file: IO[bytes] | None = None, journal: IO[bytes] | None = None) -> None:
        self.file = file
        self.lines = 0
        self.parts: list[ReplayPart] = []
        self._journal = journal

    @property
    def rows(self) -> IO[bytes]:
        """The file of rows of a resumable replay."""
        if self.file is None:
            raise ValueError("these rows have no file")
        return self.file

    @property
    def calls(self) -> int:
        """Number of calls whose rows already existed at the start."""
        return sum(part.tally.verdicts.total() for part in self.parts)

    def read(self) -> None:
        """Resume after the last complete journal line whose rows are all written."""
        if self.file is None or self._journal is None:
            return
        size, end, at = self.file.seek(0, os.SEEK_END), 0, self._journal.tell()
        # a line without its end was being written when the program stopped
        while (line := self._journal.readline()).endswith(b"\n"):
            entry = _entry(line)
            # the journal reached the disk before the rows
            if entry["bytes"] > size:
                break
            end, at = entry["bytes"], self._journal.tell()
            self.lines = entry["lines"]
            self.parts.append(_part(entry))
        for file, length in ((self.file, end), (self._journal, at)):
            file.truncate(length)
            file.seek(length)

    def note(self, part: ReplayPart, *, lines: int) -> None:
        """Record in the journal that the rows of *part* are written and *lines* judged."""
        if self.file is not None and self._journal is not None:
            self.file.flush()  # rows before their line in the journal
            entry = {"lines": lines, "bytes": self.file.tell(), **_part_entry(part)}
            self._journal.write(f"{json.dumps(entry)}\n".encode())
            self._journal.flush()
            self.lines = lines


@contextmanager
def resumable_rows(
    path: str, key: Mapping[str, Any], *, inputs: list[str]
) -> Iterator[ResumableRows]:
    """
    Open the rows of an interrupted replay for *path*, else new ones.

    The file gets its final name when the block succeeds; else the rows and the journal remain.

    Args:
        path: The file of rows.
        key: The inputs that the rows depend on, from `replay_key`.
        inputs: Input files, which must not be overwritten.

    Raises:
        BadInput: The existing rows depend on other inputs, or another process writes them.
        OSError: A file cannot be read or written.
    """
    require_not_input(path, inputs, option="--output")
    real = Path(os.path.realpath(path))
    if real.exists() and not real.is_file():
        raise BadInput(f"`--resume`: {path} is not a regular file; name one with `--output`")
    rows, notes = (real.with_name(f".{real.name}.{end}") for end in ("part", "journal"))
    with ExitStack() as stack:
        journal = stack.enter_context(open(notes, "a+b"))
        _lock(journal, path)  # before reading: two replays would mix their rows
        fresh = _require_key(journal, key, notes)
        file = stack.enter_context(open(rows, "w+b" if fresh or not rows.exists() else "r+b"))
        rows_file = ResumableRows(file, journal)
        rows_file.read()
        stack.enter_context(exit_on_sigterm())
        try:
            yield rows_file
        # with bad input, a second attempt would end in the same way
        except BadInput:
            _remove(rows, notes)
            raise
        except BaseException:
            _keep(rows_file, rows, notes)
            raise
    os.replace(rows, real)
    notes.unlink()


def replay_key(job: Judging, files: list[str], *, sort: bool) -> dict[str, Any]:
    """
    Return the inputs that the rows of a replay depend on, as JSON-able data.

    Raises:
        BadInput: The input cannot be read a second time.
        PolicyError: The policy does not exist.
    """
    for file in files:
        if file == "-" or (Path(file).exists() and not Path(file).is_file()):
            raise BadInput(
                f"`--resume` reads its input twice, and {file} cannot be read again; give a file"
            )
    stats = [(str(Path(file).resolve()), Path(file).stat()) for file in files]
    tools = json.dumps(job.toolsets, sort_keys=True)
    policy = None if job.policy is None else load_job_policy(job.policy, folder=job.folder).revision
    return {
        "version of abs-shield": __version__,
        # by size and time rather than a hash: reading large inputs twice would cost what resuming
        # saves
        "input": [[name, stat.st_size, stat.st_mtime_ns] for name, stat in stats],
        "policy": policy,
        "tools": digest(tools, size=16).hex(),
        "options": {"rows": job.rows, "sort": sort},
    }


def _require_key(journal: IO[bytes], key: Mapping[str, Any], place: Path) -> bool:
    """Write the key of a new journal, or compare an existing one; return whether it is new."""
    journal.seek(0)
    first = journal.readline()
    if not first.endswith(b"\n"):  # it was interrupted before its first line
        journal.truncate(0)
        journal.write(f"{json.dumps(key)}\n".encode())
        journal.flush()
        return True
    there = _entry(first)
    other = [name for name, value in key.items() if there.get(name) != value]
    if other:
        raise BadInput(
            f"`--resume`: the unfinished rows do not match this command in {' and '.join(other)};"
            f" give the same, or delete {place} to begin anew"
        )
    return False


def _keep(unfinished: ResumableRows, rows: Path, notes: Path) -> None:
    """Print which rows remain; without a row, remove the files."""
    if not unfinished.lines:
        _remove(rows, notes)
        return
    print(
        f"abs-shield: not finished; the rows of {unfinished.lines:,} lines are saved in {rows}:"
        " run the same command again to continue",
        file=sys.stderr,
    )


def _remove(*paths: Path) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _entry(line: bytes) -> dict[str, Any]:
    try:
        return read_record(line)
    except ValueError as error:
        why = str(error).partition(";")[0]  # its hint is about input files
        raise BadInput(f"`--resume`: the journal is damaged: {why}; delete it") from None


def _lock(journal: IO[bytes], path: str) -> None:
    """Raise if another process writes the rows; a lock ends with its process."""
    try:
        import fcntl
    except ModuleNotFoundError:  # not on Windows
        return
    try:
        fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise BadInput(f"`--resume`: another process is writing {path}; wait for it") from None


def _part_entry(part: ReplayPart) -> dict[str, Any]:
    return {
        "runs": part.tally.runs,
        "verdicts": part.tally.verdicts,
        "told": [[_kind(one), *_fields(one)] for one in part.notes],
    }


def _kind(one: BadLine | SessionStart) -> str:
    """Return the kind of a note as run state files name it: the older name of `SessionStart`."""
    return "BadLine" if isinstance(one, BadLine) else "Begun"


def _fields(one: BadLine | SessionStart) -> tuple[Any, ...]:
    return (one.path, one.line, one.reason) if isinstance(one, BadLine) else tuple(one)


def _part(entry: Mapping[str, Any]) -> ReplayPart:
    tally = Tally()
    tally.runs.update(entry["runs"])
    tally.verdicts.update({Verdict(word): count for word, count in entry["verdicts"].items()})
    kinds: dict[str, Any] = {"BadLine": BadLine, "Begun": SessionStart}
    return ReplayPart(tally=tally, notes=[kinds[kind](*fields) for kind, *fields in entry["told"]])

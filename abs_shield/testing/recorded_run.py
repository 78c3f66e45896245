"""The messages of one recorded run, as the steps of a script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.replay.file_lines import BadLine, lines
from abs_shield.testing.decision_list import no_match_text
from abs_shield.text.safe_display import escaped

_Messages = list[dict[str, Any]]
_READABLE = "give a run file that can be read"
_HINTS = {
    FileNotFoundError: "give the path of a run file, as `Shield(record=...)` writes it",
    IsADirectoryError: "name a run file in it",
    PermissionError: "make it readable",
}


def recorded(path: str | PathLike[str], *, run_id: str | None = None) -> _Messages:
    """
    Read the messages of a run from a run file, plain or gzip: steps for `scripted`.

    Lines of one session are joined in the file's order.

    Args:
        path: A file of ``Shield(record=...)``, or any file that ``abs-shield replay`` reads.
        run_id: The run, if the file holds several.

    Raises:
        ShieldError: The file cannot be read, a line is not a run, or the file holds several runs
            and *run_id* does not select one.
    """
    messages_by_run: dict[str, _Messages] = {}
    for number, line in enumerate(_lines(fspath(path)), 1):
        if isinstance(line, BadLine):
            raise ShieldError(str(line))
        name, session, messages = _run(f"{fspath(path)}:{line[0]}", line[1])
        # lines without a session are separate runs, even if they have the same name
        key = name if run_id is not None else session or f"{number}: {name}"
        messages_by_run.setdefault(key, []).extend(messages if run_id in (None, name) else ())
    return _only_run(messages_by_run, fspath(path), run_id)


def _lines(path: str) -> Iterator[tuple[int, bytes] | BadLine]:
    try:
        yield from lines(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        hint = next((hint for kind, hint in _HINTS.items() if isinstance(error, kind)), _READABLE)
        raise ShieldError(f"{escaped(path, limit=400)}: {escaped(why)}; {hint}") from None


def _run(place: str, line: bytes) -> tuple[str, str, _Messages]:
    try:
        run = json.loads(line)
        messages = run["messages"]
        if not isinstance(messages, list):
            raise TypeError
        return str(run.get("run_id", "")), str(run.get("session_id") or ""), messages
    # RecursionError: a line nested too deeply for Python's parser
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ShieldError(f"{place}: a run is an object with a list of `messages`") from None


def _only_run(messages_by_run: dict[str, _Messages], path: str, run_id: str | None) -> _Messages:
    if run_id is not None and run_id not in messages_by_run:
        raise ShieldError(
            f"{escaped(path)}: {no_match_text('no run is named', run_id, messages_by_run)}"
        )
    # joining the runs would judge one by what the other has seen
    if run_id is None and len(messages_by_run) != 1:
        raise ShieldError(
            f"{escaped(path)} holds {len(messages_by_run)} runs; name one with `run_id=`"
        )
    return messages_by_run[next(iter(messages_by_run)) if run_id is None else run_id]

"""Count the tools, runs and calls in recorded runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from abs_shield.core.events import Proposed
from abs_shield.policy import Tool
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.line_chunks import SessionStart, chunks, raw_lines, readable_runs
from abs_shield.replay.run_reader import Run
from abs_shield.replay.session_order import SessionKeys
from abs_shield.replay.toolsets import NONE, Toolsets

_MOST_TOOLS = 5_000  # an agent has tens or hundreds of tools; runs of many agents have thousands
_MOST_NAMES = 5_000  # names that a model invents

OnBytes = Callable[[int], object]
OnBadLine = Callable[[BadLine], object]


def ignore_line(line: BadLine) -> None:
    """Ignore a bad line."""


def _do_nothing() -> None:
    """Forget nothing: no session is stored."""


class LenientToolsets(Toolsets):
    """Toolsets for which a run may name an unknown toolset: it has no tools then."""

    def of(self, record: Mapping[str, object]) -> tuple[str, tuple[Tool, ...]]:
        """Return the key of the run's tools, and the tools; none for an unknown toolset."""
        name = record.get("toolset")
        # the runs of other toolsets need not be described
        if record.get("tools") is None and isinstance(name, str) and name not in self.names:
            return NONE, ()
        return super().of(record)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """
    Run files that can be read more than once.

    Attributes:
        paths: The files.
        toolsets: The toolsets that runs name.
        toolset: The toolset whose runs are used; None for all.
    """

    paths: tuple[str, ...] = ()
    toolsets: Toolsets = field(default_factory=LenientToolsets)
    toolset: str | None = None

    def runs(
        self,
        *,
        on_bytes: OnBytes | None = None,
        on_bad_line: OnBadLine = ignore_line,
        forget: Callable[[], object] = _do_nothing,
    ) -> Iterator[Run]:
        """
        Yield the runs that are used; bad lines are reported and skipped.

        Args:
            on_bytes: Called with the number of bytes read.
            on_bad_line: Called with each invalid line, and for each session that reappears.
            forget: Called at the end of each session, as in a replay.
        """
        sessions = SessionKeys()
        notes: list[BadLine | SessionStart] = []
        for chunk in chunks(raw_lines(self.paths, on_bytes=on_bytes)):
            for run in readable_runs(chunk, self.toolsets, notes=notes, forget=forget):
                _report(notes, sessions, on_bad_line)
                if self.toolset is None or run.toolset == self.toolset:
                    yield run
            _report(notes, sessions, on_bad_line)


def _report(
    notes: list[BadLine | SessionStart], sessions: SessionKeys, on_bad_line: OnBadLine
) -> None:
    """Report bad lines and sessions that appeared earlier; then clear *notes*."""
    for each in notes:
        if isinstance(each, BadLine):
            on_bad_line(each)
        elif not sessions.add(each.key):  # its earlier runs are forgotten
            why = (
                f"session {each.name} continues after another one began; sort the input by session"
            )
            on_bad_line(BadLine(each.path, each.line, why))
    notes.clear()


@dataclass(slots=True)
class Census:
    """
    Counts of a first pass over recorded runs.

    Attributes:
        tools: The tools that the runs describe, by name; the newest description counts.
        called: Number of calls by name.
    """

    runs: int = 0
    calls: int = 0
    tools: dict[str, Tool] = field(default_factory=dict)
    called: Counter[str] = field(default_factory=Counter)

    def update(self, run: Run) -> None:
        """Count one run."""
        self.runs += 1
        for tool in run.tools:
            # names beyond the maximum are left out; known ones are renewed
            if tool.name in self.tools or len(self.tools) < _MOST_TOOLS:
                self.tools[tool.name] = tool
        for event in run.events:
            for call in event.calls if isinstance(event, Proposed) else ():
                self.calls += 1
                if call.name in self.called or len(self.called) < _MOST_NAMES:
                    self.called[call.name] += 1

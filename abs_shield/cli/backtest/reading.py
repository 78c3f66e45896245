"""Reads the files of a backtest and compares what is in them."""

from __future__ import annotations

import sys

from abs_shield.cli.backtest.github import bad_line_command
from abs_shield.cli.backtest.parties import Party
from abs_shield.cli.progress import progress
from abs_shield.replay import BadLine, runs
from abs_shield.replay.backtest import Comparison, Labels, Side, compare, label_lines
from abs_shield.replay.toolsets import Toolsets
from abs_shield.text.show import escaped


class Reader:
    """Reads runs and labels, and tells of every line that cannot be read."""

    def __init__(self, *, github: bool) -> None:
        self.bad_lines = 0
        self.first_run = ""
        self._github = github

    def labels(self, path: str | None) -> Labels:
        """Read a file of labels."""
        labels = Labels()
        for line in () if path is None else label_lines(path):
            if isinstance(line, BadLine):
                self._tell(line)
                continue
            try:
                labels.add(line[1])
            except ValueError as error:
                self._tell(BadLine(str(path), line[0], str(error)))
        return labels

    def compared(
        self,
        files: list[str],
        toolsets: Toolsets,
        labels: Labels,
        *,
        new: Party,
        old: Party | None,
        most: int,
    ) -> Comparison:
        """Judge every run by both policies."""
        ours, theirs = Side(new.policy), None if old is None else Side(old.policy)
        comparison = Comparison.of(ours, theirs, most=most)
        with progress("backtest", files) as advance:
            for run in runs(files, toolsets, on_bytes=advance):
                if isinstance(run, BadLine):
                    self._tell(run)
                    continue
                self.first_run = self.first_run or run.run_id
                bad = compare(run, ours, theirs, into=comparison, labels=labels)
                if bad is not None:
                    self._tell(bad)
        return comparison

    def _tell(self, line: BadLine) -> None:
        self.bad_lines += 1
        said = bad_line_command(line) if self._github else escaped(str(line), limit=1_000)
        print(said, file=sys.stderr)

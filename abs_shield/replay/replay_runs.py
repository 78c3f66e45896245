"""Replay recorded runs, from their files to their decisions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike, fspath
from typing import Any

from abs_shield.policy import Policy
from abs_shield.replay.file_lines import BadLine
from abs_shield.replay.run_judging import Firewalls, Judged, judge_run
from abs_shield.replay.runs import runs
from abs_shield.replay.toolsets import Toolsets

logger = logging.getLogger("abs_shield")


def replay(
    paths: Iterable[str | PathLike[str]],
    *,
    policy: Policy | None = None,
    toolsets: Mapping[str, Any] | None = None,
    on_bad_line: Callable[[BadLine], object] | None = None,
) -> Iterator[Judged]:
    """
    Judge every proposed call of every run in order, in audit mode.

    Args:
        paths: Run files, plain or gzip; ``"-"`` is standard input.
        policy: The policy; None for all layers, with what can be inferred from each run's tools.
        toolsets: Lists of tools by the name of the toolset, for runs that name one.
        on_bad_line: Called with each invalid line, which is skipped; None logs a warning.

    Raises:
        OSError: A file cannot be opened or read.
        ValueError: One of *toolsets* cannot be read.
        PolicyError: A tool of the policy is invalid, or a rule does not match one. A run's own tool
            does not raise: a problem with it is a layer's error, and a rule that does not match
            it is skipped.
    """
    firewalls = Firewalls(policy)
    all_toolsets = Toolsets(toolsets)
    for run in runs((fspath(path) for path in paths), all_toolsets):
        if not isinstance(run, BadLine):
            yield from judge_run(run, firewalls.of(run))
        elif on_bad_line is None:
            logger.warning("%s; skipped", run)
        else:
            on_bad_line(run)

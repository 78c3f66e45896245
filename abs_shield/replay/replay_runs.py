"""Recorded runs, judged again from their files to their decisions."""

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
        paths: Run files, plain or gzip; ``"-"`` is the standard input.
        policy: None for all layers with what can be inferred from each run's own tools.
        toolsets: Name of a toolset to its list of tools, for runs that name theirs.
        on_bad_line: Told of each line that is no run; None logs a warning. It is skipped.

    Raises:
        OSError: A file cannot be opened or read.
        ValueError: One of *toolsets* cannot be read.
        PolicyError: A tool of the policy is wrong, or a rule does not fit one. A run's own tool
            raises nothing: what is wrong with it is a layer's error, and a rule that does not
            fit it stays silent.
    """
    firewalls = Firewalls(policy)
    known = Toolsets(toolsets)
    for run in runs((fspath(path) for path in paths), known):
        if not isinstance(run, BadLine):
            yield from judge_run(run, firewalls.of(run))
        elif on_bad_line is None:
            logger.warning("%s; skipped", run)
        else:
            on_bad_line(run)

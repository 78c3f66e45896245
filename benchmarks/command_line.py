"""The command line of a benchmark: its options, and its progress on the standard error."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

QUICK_NOTE = "quick run: less is measured, so these figures vary more than those of a whole run"
"""The first line of tables that were printed with ``--quick``; JSON has ``"quick": true``."""
NO_EFFECT = "no effect: the whole run is quick"
"""The help of ``--quick`` where a benchmark takes seconds; it takes the option as all others do."""
_EVERY_S, _EVERY_S_ON_A_TERMINAL = 30.0, 5.0
"""Seconds between two lines of progress."""
_STARTED = time.monotonic()


def command_parser(
    description: str | None, *, example: str, quick: str = NO_EFFECT
) -> argparse.ArgumentParser:
    """
    Return a parser whose help ends with an example.

    Args:
        description: The docstring of the benchmark.
        example: File name and options of a call that works in a checkout.
        quick: What ``--quick`` measures.
    """
    parser = argparse.ArgumentParser(
        description=(description or "").strip(),
        epilog=f"example: python benchmarks/{example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,  # the lines of a docstring are short
    )
    parser.add_argument("--quick", action="store_true", help=quick)
    return parser


def announce(step: str) -> None:
    """Print on the standard error which step begins, and how many seconds have passed."""
    print(f"[{time.monotonic() - _STARTED:4.0f} s] {step}", file=sys.stderr, flush=True)


def report_progress(items: Iterable[T], *, doing: str, total: int | None = None) -> Iterator[T]:
    """
    Yield *items*, and print on the standard error how many of *total*, if known, are done.

    Lines are printed between items, not by a thread as a progress bar would, because a second
    thread would be part of what is timed. A line is not written over, because some benchmarks
    print results meanwhile.
    """
    announce(doing)
    pause = _EVERY_S_ON_A_TERMINAL if sys.stderr.isatty() else _EVERY_S
    printed = time.monotonic()
    for done, item in enumerate(items):
        if time.monotonic() - printed >= pause:
            announce(f"{doing}: {done:,}" + ("" if total is None else f" of {total:,}"))
            printed = time.monotonic()
        yield item

"""
Times one product's calls in an interpreter of its own, whenever it is told to.

Each line on stdin is a number of calls, which make one run. Each line on stdout is JSON: first
what was stopped, then microseconds a call, by way. Whatever the product prints goes nowhere.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from importlib import import_module
from statistics import median
from time import perf_counter_ns
from typing import Any

from the_call import ARGUMENTS, BAD


def main() -> None:
    """Answer until stdin ends."""
    with os.fdopen(os.dup(1), "w", buffering=1) as replies:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        ways = import_module(sys.argv[1]).ways()
        print(json.dumps({name: _judged(begin()) for name, begin in ways.items()}), file=replies)
        for line in sys.stdin:
            took = {name: _p50_us(begin(), int(line)) for name, begin in ways.items()}
            print(json.dumps(took), file=replies)


def _judged(way: Any) -> dict[str, Any]:
    """Return whether the good call passes, and which of the bad ones do not."""
    return {
        "passes": bool(way(dict(ARGUMENTS))),
        "stops": [name for name, bad in BAD.items() if not _lets_through(way, bad)],
    }


def _lets_through(way: Any, arguments: dict[str, Any]) -> bool:
    try:
        return bool(way(dict(arguments)))
    except Exception:
        return False


def _p50_us(way: Any, calls: int) -> float:
    took = []
    for _ in range(calls):
        arguments = dict(ARGUMENTS)
        start = perf_counter_ns()
        way(arguments)
        took.append(perf_counter_ns() - start)
    if not way(dict(ARGUMENTS)):
        raise RuntimeError("the call that was timed no longer passes")
    return median(took) / 1e3


if __name__ == "__main__":
    main()

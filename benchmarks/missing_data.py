"""Where recorded data is, and the end of a benchmark that has none: one line, exit code 2."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

_SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

DATA = Path(os.environ.get("ABS_SHIELD_DATA", _SHARED))
"""The folder of recorded data where no `--data` names one."""


def stop_without(what: str, *folders: Path) -> NoReturn:
    """
    Say what is missing, on the standard error, and exit with 2.

    Args:
        what: What the benchmark reads, such as ``recorded runs``.
        folders: Where it looked for it.
    """
    places = " or ".join(map(str, folders))
    print(
        f"no {what} at {places}; set ABS_SHIELD_DATA or pass --data "
        "(benchmarks/README.md says which benchmarks need no data)",
        file=sys.stderr,
    )
    raise SystemExit(2)

"""Where recorded data is, a sample of it, and the end of a benchmark that has none."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from abs_shield.replay.planted_cases import MUTATIONS, RUNS, TOOLSETS

_SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
ONE_IN = 20
"""With ``--quick`` one recorded run in so many is read."""
QUICK_RUNS = f"one recorded run in {ONE_IN}"
QUICK_ANSWERS = 60
"""With ``--quick`` so many labelled answers of each corpus are read."""


def data_folder() -> Path:
    """Return the folder of recorded data where no `--data` names one."""
    return Path(os.environ.get("ABS_SHIELD_DATA", _SHARED))


def require_runs(*folders: Path) -> None:
    """Exit with 2 unless each folder has recorded runs."""
    if not all((folder / RUNS).is_file() for folder in folders):
        stop_without("recorded runs", *folders)


def labelled_answers(data: Path) -> Path:
    """Return the folder of labelled answers; exit with 2 where there is none."""
    folder = data / "grounding"
    if not folder.is_dir():
        stop_without("labelled answers", folder)
    return folder


@contextmanager
def sampled(folder: Path, *, quick: bool) -> Iterator[Path]:
    """Yield a folder of recorded runs; with *quick* a copy of it with one run in `ONE_IN`."""
    if not quick:
        yield folder
        return
    with TemporaryDirectory() as temporary:
        sample = Path(temporary) / folder.name
        sample.mkdir()
        names = _copy_runs(folder / RUNS, sample / RUNS)
        if (folder / MUTATIONS).is_file():
            _copy_faults(folder / MUTATIONS, sample / MUTATIONS, names)
        if (folder / TOOLSETS).is_file():
            shutil.copyfile(folder / TOOLSETS, sample / TOOLSETS)
        yield sample


def _copy_runs(source: Path, target: Path) -> set[str]:
    """Copy one run in `ONE_IN`, and return their ids."""
    names = set()
    with gzip.open(source) as lines, gzip.open(target, "wb") as sample:
        for number, line in enumerate(lines):
            if number % ONE_IN == 0:
                sample.write(line)
                names.add(json.loads(line)["run_id"])
    return names


def _copy_faults(source: Path, target: Path, names: set[str]) -> None:
    with gzip.open(source) as lines, gzip.open(target, "wb") as sample:
        sample.writelines(line for line in lines if json.loads(line)["run_id"] in names)


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

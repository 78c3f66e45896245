"""Names and reading of the files in a folder of planted cases."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from abs_shield.replay.cases.planted_case import PlantedCase, read_case
from abs_shield.replay.file_lines import BadLine, lines
from abs_shield.text.show import escaped

RUNS = "runs.jsonl.gz"
TOOLSETS = "toolsets.json"
MUTATIONS = "mutations.jsonl.gz"
MOST = 200_000
"""Maximum number of cases in one file: they are held in memory together, with their arguments."""


@dataclass(frozen=True, slots=True)
class Cases:
    """Planted cases by the id of their run; picklable."""

    by_run: Mapping[str, Sequence[PlantedCase]]

    def of(self, run_id: str) -> Sequence[PlantedCase]:
        """Return the cases of one run."""
        return self.by_run.get(run_id, ())

    @property
    def count(self) -> int:
        """The number of cases."""
        return sum(map(len, self.by_run.values()))


def read_cases(path: str, *, on_bad_line: Callable[[BadLine], object]) -> Cases:
    """
    Read a file of planted cases; invalid lines are skipped.

    Raises:
        OSError: The file cannot be opened or read.
        ValueError: The file has more than 200,000 cases.
    """
    by_run: dict[str, list[PlantedCase]] = {}
    for count, case in enumerate(_read_lines(path, on_bad_line)):
        if count >= MOST:
            # an error, as the first cases alone would be a biased sample
            raise ValueError(f"{path}: it holds more than {MOST:,} cases; give fewer")
        by_run.setdefault(case["run_id"], []).append(case)
    return Cases(by_run)


def _read_lines(path: str, on_bad_line: Callable[[BadLine], object]) -> Iterator[PlantedCase]:
    for line in lines(path):
        if isinstance(line, BadLine):
            on_bad_line(line)
            continue
        number, data = line
        try:
            yield read_case(_object(data))
        except ValueError as error:
            on_bad_line(BadLine(path, number, escaped(str(error), limit=300)))


def _object(data: bytes) -> object:
    try:
        return json.loads(data.decode())
    except (ValueError, RecursionError):  # nested too deeply for Python's parser
        raise ValueError("the line is not JSON") from None

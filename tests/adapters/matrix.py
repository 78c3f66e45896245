"""
Print what each adapter was shown to do, for the frameworks that are installed here.

    python -m tests.adapters.matrix > rows.txt
    python -m tests.adapters.matrix rows.txt ...     # the table of docs/adapters.md, of all rows
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from tests.adapters.conformance import cells
from tests.adapters.scenes import SCENES


def is_installed(module: str) -> bool:
    """Return whether a module can be imported; one of an older framework may be missing in it."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


FRAMEWORKS = {
    "openai": "openai",
    "openai_runner": "openai.lib.responses_tool_runner",
    "anthropic": "anthropic",
    "openai_agents": "agents",
    "langgraph": "langgraph",
    "pydantic_ai": "pydantic_ai",
    "fastmcp": "fastmcp",
}
"""Adapter to the module without which it cannot be played; its drivers stand in one file."""

INSTALLED = [adapter for adapter, module in FRAMEWORKS.items() if is_installed(module)]

PAGE = Path(__file__).parents[2] / "docs" / "adapters.md"
Rows = dict[str, dict[str, str]]
"""Driver to scene to what the matrix says."""


def play_drivers() -> Iterator[tuple[str, str, str]]:
    """Yield driver, scene and cell of every framework that is installed here."""
    for adapter in INSTALLED:
        for driver in import_module(f"tests.adapters.{adapter}_driver").DRIVERS:
            for scene, cell in cells(driver):
                yield driver.name, scene, cell


def table(rows: Rows) -> Iterator[str]:
    """Yield the lines of the table, a row a scene."""
    yield "| | " + " | ".join(rows) + " |"
    yield "|---|" + "---|" * len(rows)
    for scene in SCENES:
        yield f"| {scene} | " + " | ".join(rows[driver].get(scene, "") for driver in rows) + " |"


def read(lines: Iterable[str]) -> Rows:
    """Read rows as they were printed."""
    rows: Rows = {}
    for line in lines:
        driver, scene, cell = line.rstrip("\n").split("\t")
        rows.setdefault(driver, {})[scene] = cell
    return rows


def read_documented() -> Rows:
    """Read the table of `docs/adapters.md`."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    start = next(n for n, line in enumerate(lines) if "openai_responses" in line)
    drivers = [cell.strip() for cell in lines[start].split("|")[2:-1]]
    rows: Rows = {driver: {} for driver in drivers}
    for line in lines[start + 2 : start + 2 + len(SCENES)]:
        scene, *messages = [cell.strip() for cell in line.split("|")[1:-1]]
        for driver, cell in zip(drivers, messages, strict=True):
            rows[driver][scene] = cell
    return rows


def main(paths: list[str]) -> None:
    """Print the rows of this environment, or the table of the rows in files."""
    if paths:
        texts = (Path(path).read_text(encoding="utf-8") for path in paths)
        print("\n".join(table(read(line for text in texts for line in text.splitlines()))))
        return
    logging.getLogger("abs_shield").setLevel(logging.CRITICAL)  # findings are what is expected
    for row in play_drivers():
        print("\t".join(row))


if __name__ == "__main__":
    main(sys.argv[1:])

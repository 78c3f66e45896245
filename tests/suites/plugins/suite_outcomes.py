"""Writes the outcome of every test, and how many calls were judged in it, one JSON line a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

_GRAVITY = ("passed", "xfailed", "skipped", "failed", "error")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the file to write, and one with the tests to run."""
    parser.addoption("--outcomes", metavar="FILE", help="write one JSON line a test there")
    parser.addoption("--only", metavar="FILE", help="run only the tests of these ids, one a line")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not asked for."""
    if path := config.getoption("--only"):
        wanted = set(Path(path).read_text(encoding="utf-8").splitlines())
        items[:] = [item for item in items if item.nodeid in wanted]


def pytest_configure(config: pytest.Config) -> None:
    """Listen where the reports of all processes arrive."""
    path = config.getoption("--outcomes")
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Outcomes(Path(path)))


class Outcomes:
    """The gravest outcome of each test's setup, call and teardown."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: dict[str, tuple[str, str]] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Join the parts of one test; a process that dies reports its test without a part."""
        outcome = _outcome(report)
        worst, why = self._open.get(report.nodeid, ("passed", ""))
        if _GRAVITY.index(outcome) > _GRAVITY.index(worst):
            worst, why = outcome, _reason(report)
        self._open[report.nodeid] = (worst, why)
        if report.when not in ("setup", "call"):
            self._write(report, *self._open.pop(report.nodeid))

    def _write(self, report: Any, outcome: str, why: str) -> None:
        line = {"test": report.nodeid, "outcome": outcome, **dict(report.user_properties)}
        with self._path.open("a", encoding="utf-8") as out:  # a run that is stopped leaves its part
            out.write(json.dumps(line | ({"why": why} if why else {}), default=str) + "\n")


def _outcome(report: Any) -> str:
    if report.skipped:
        return "xfailed" if hasattr(report, "wasxfail") else "skipped"
    if report.failed:
        return "failed" if report.when == "call" else "error"
    return "passed"


def _reason(report: Any) -> str:
    """Return the last line of the error."""
    return str(report.longrepr)[-1500:] if report.failed else ""

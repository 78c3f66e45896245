"""
Run a framework's own tests by themselves and with a Shield in audit mode, and compare them.

    python -m tests.suites.run langchain                 # in an environment of `nox -s suites`
    python -m tests.suites.run langchain --write         # renew the table of docs/adapters.md
    python -m tests.suites.run langchain --mode strict   # which tests are blocked in strict mode

A test that passes by itself and not with the Shield is run a second time both ways. What differs
again and is not in `accepted.toml` makes the exit code 1; so does a Shield that judged no call.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.suites.compare import Comparison, passing, read_outcomes, suites
from tests.suites.report import report, write_results
from tests.suites.sources import CACHE, CHECKOUTS, checkout, source_package

PLUGINS = Path(__file__).resolve().parent / "plugins"
TEST_TIMEOUT_S = 30


def main() -> int:
    """Run the comparison of the command line."""
    table = suites()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("framework", choices=sorted(table))
    parser.add_argument("--mode", choices=("audit", "strict"), default="audit")
    parser.add_argument("--write", action="store_true", help="renew results.json and the page")
    parser.add_argument("-n", default="2", metavar="PROCESSES")
    option = parser.parse_args()
    suite = table[option.framework]
    installed = version(suite["project"])
    folder = checkout(option.framework)
    if folder is None and "no_tests" in suite:
        print(
            f"skipped: {suite['project']} {installed}: {suite['no_tests']}; "
            f"put a checkout at ${CHECKOUTS}/{option.framework} to run them"
        )
        return 0
    folder = folder or source_package(suite["project"], installed)
    runs = Runs(option.framework, suite, folder, processes=option.n)
    comparison = runs.compared(option.mode)
    outcome = report(option.framework, comparison, mode=option.mode)
    if option.write:
        write_results(option.framework, f"{suite['project']} {installed}", comparison)
    return int(runs.stopped or (option.mode == "audit" and outcome))


class Runs:
    """The runs of one framework's tests."""

    def __init__(self, name: str, suite: dict[str, Any], folder: Path, *, processes: str) -> None:
        self._name = name
        self._suite = suite
        self._folder = folder
        self._processes = processes
        self.stopped = False

    def compared(self, mode: str) -> Comparison:
        """Run all parts by themselves and with a Shield, then those that differ once more."""
        parts = self._suite["parts"]
        plain, shielded = self._run("plain", parts), self._run(mode, parts)
        again: list[Any] = [{}, {}]
        if suspects := sorted(passing(plain) - passing(shielded)):
            files = sorted({test.partition("::")[0] for test in suspects})
            again = [self._run(each, files, suspects) for each in ("plain", mode)]
        return Comparison(
            plain=plain, shielded=shielded, plain_again=again[0], shielded_again=again[1]
        )

    def _run(self, mode: str, parts: Iterable[str], only: Iterable[str] | None = None) -> Any:
        """Run pytest on tests of the framework's folder."""
        again = "" if only is None else "-again"
        CACHE.mkdir(parents=True, exist_ok=True)
        out = CACHE / f"{self._name}.{mode}{again}.jsonl"
        out.write_text("", encoding="utf-8")
        # with `=`, or pytest takes the file for a test and finds another configuration
        options = [f"--outcomes={out}", "-n", self._processes]
        if only is not None:
            chosen = CACHE / f"{self._name}.again.txt"
            chosen.write_text("\n".join(only), encoding="utf-8")
            options.append(f"--only={chosen}")
        if mode != "plain":
            options += ["-p", "suite_shield", "-p", self._suite["plugin"]]
        left_out = [f"--ignore-glob={path}" for path in self._suite.get("left_out", ())]
        print(f"\n== {self._name}, {mode}{again.replace('-', ' ')}", flush=True)
        command = [sys.executable, "-m", "pytest", *parts, *left_out, *_QUIET, *options]
        environment = {key: value for key, value in os.environ.items() if not _is_secret(key)} | {
            "PYTHONPATH": str(PLUGINS),
            "ABS_SHIELD_SUITE_MODE": "strict" if mode == "strict" else "audit",
        }
        try:
            limit = self._suite["timeout_s"]
            done = subprocess.run(command, cwd=self._folder, env=environment, timeout=limit)
            if done.returncode not in (0, 1):
                self._stop(f"pytest ended with exit code {done.returncode}")
        except subprocess.TimeoutExpired as late:
            self._stop(f"pytest was stopped after {late.timeout:.0f} s")
        return read_outcomes(out)

    def _stop(self, why: str) -> None:
        self.stopped = True
        print(f"{why}: what had not run until then is missing")


def _is_secret(variable: str) -> bool:
    """Return whether a variable may be a key, with which some suites call the real service."""
    return variable.endswith(("_API_KEY", "_TOKEN", "_SECRET"))


_QUIET = (
    "-p", "suite_outcomes", "-p", "no:abs_shield", "-p", "no:cacheprovider",
    "--verbosity=0", "--no-header", "--no-summary", "--tb=line",
    "--continue-on-collection-errors", f"--timeout={TEST_TIMEOUT_S}",
    # a report that is interrupted ends the whole run
    "-o", "timeout_func_only=true",
)  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())

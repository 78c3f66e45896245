"""The comparison of frameworks' own tests: its tables, and the page with its figures."""

from __future__ import annotations

import json
import re
import tarfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.suites.compare import (
    Comparison,
    accepted_differences,
    by_reason,
    read_outcomes,
    reason_for,
    suites,
)
from tests.suites.report import PAGE, RESULTS, report, stale, table, write_results
from tests.suites.sources import checkout, source_package

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def outcomes(**tests: str) -> dict[str, dict[str, object]]:
    """Outcomes by name, with one call judged in each."""
    return {
        test: {"outcome": outcome, "judged": 1, "why": f"E   {test} {outcome}"}
        for test, outcome in tests.items()
    }


FOUND = Comparison(
    plain=outcomes(same="passed", broken="failed", differs="passed", flaky="passed", once="passed"),
    shielded=outcomes(same="passed", broken="failed", differs="failed", once="error"),
    plain_again=outcomes(differs="passed", flaky="failed", once="passed"),
    shielded_again=outcomes(differs="failed", flaky="failed", once="passed"),
)


def test_what_differs_differs_twice() -> None:
    """A test that is flaky by itself, or fails once with the Shield, is not a difference."""
    assert {"differs", "flaky", "once"} == FOUND.suspects
    assert ({"differs"}, {"flaky"}, {"once"}) == (FOUND.differing, FOUND.flaky, FOUND.unstable)


def test_a_test_that_does_not_run_with_the_shield_differs() -> None:
    """A test that is missing in the run with the Shield differs."""
    gone = Comparison(
        plain=outcomes(a="passed"), shielded={}, plain_again=outcomes(a="passed"), shielded_again={}
    )

    assert ({"a"}, "it did not run") == (gone.differing, gone.reason("a"))


def test_an_unaccepted_difference_is_an_error(capsys) -> None:
    """The report names the test with the last line of its error."""
    assert report("langchain", FOUND, mode="audit")
    assert "  new: differs: E   differs failed\n" in capsys.readouterr().out


def test_a_comparison_without_judged_calls_is_an_error(capsys) -> None:
    """If no call was judged, passing tests are no evidence."""
    idle = {"a": {"outcome": "passed", "judged": 0}}
    comparison = Comparison(plain=idle, shielded=idle, plain_again={}, shielded_again={})

    assert report("langchain", comparison, mode="audit")
    assert "no call was judged" in capsys.readouterr().out


def test_an_id_without_parameters_matches_all_parameters() -> None:
    """One entry accepts all cases of a parametrized test."""
    known = {"t.py::a": "why", "t.py::b[1]": "one"}

    assert ("why", "one", None) == tuple(
        reason_for(test, known) for test in ("t.py::a[x-y]", "t.py::b[1]", "t.py::b[2]")
    )
    assert {"why": 2, "": 1} == by_reason(["t.py::a[1]", "t.py::a[2]", "t.py::b[2]"], known)


def test_what_is_accepted_and_the_same_is_named() -> None:
    """A line of `accepted.toml` that has no use any more hides a fault to come."""
    assert {"same"} == stale({"same": "", "differs": "", "not_run": ""}, FOUND)


def test_the_last_line_of_a_test_counts(tmp_path) -> None:
    """A test that a plugin runs again has the outcome of its last run."""
    lines = [json.dumps({"test": "a", "outcome": outcome}) for outcome in ("failed", "passed")]
    (tmp_path / "out").write_text("\n".join(lines))

    assert {"a": {"test": "a", "outcome": "passed"}} == read_outcomes(tmp_path / "out")


# Tables -------------------------------------------------------------------------------------------


def test_the_page_shows_the_figures() -> None:
    """The table of docs/adapters.md is the one that `results.json` makes."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))

    assert table(results) in PAGE.read_text(encoding="utf-8")
    assert set(results) <= set(suites())


def test_figures_go_into_the_page(tmp_path, monkeypatch) -> None:
    """`--write` renews one row and leaves the rest of the page."""
    page, results = tmp_path / "page.md", tmp_path / "results.json"
    page.write_text(f"before\n\n{table({})}\nbehind\n")
    results.write_text("{}")
    monkeypatch.setattr("tests.suites.report.PAGE", page)
    monkeypatch.setattr("tests.suites.report.RESULTS", results)
    write_results("langchain", "langchain 1.0", FOUND)

    head, _, rest = page.read_text().partition("| langchain 1.0 | 3 | 4 | 1 | 1: a fault |\n")
    assert head.startswith("before\n\n| tests of |")
    assert rest.endswith("\n\nbehind\n")


@pytest.mark.parametrize("name", suites())
def test_every_framework_has_its_plugin(name: str) -> None:
    """A row names a plugin, an extra of pyproject.toml, and a step of `.ci/full`."""
    suite = suites()[name]
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    steps = re.search(r"^for suite in (.*); do$", (ROOT / ".ci/full").read_text(), re.MULTILINE)

    assert (HERE / "plugins" / f"{suite['plugin']}.py").is_file()
    assert f"\n{suite['extra']} = [" in pyproject
    assert steps is not None
    assert name in steps[1].split()


def test_every_accepted_difference_has_a_framework_and_a_reason() -> None:
    """No table of `accepted.toml` is of a framework that is not run."""
    tables = re.findall(r"^\[(.+)\]$", (HERE / "accepted.toml").read_text(), re.MULTILINE)

    assert set(tables) <= set(suites())
    assert all(why for name in tables for why in accepted_differences(name).values())


# Sources ------------------------------------------------------------------------------------------


def test_a_checkout_takes_the_place_of_the_source_package(tmp_path, monkeypatch) -> None:
    """A folder of `ABS_SHIELD_SUITES` that is named as the framework."""
    monkeypatch.setenv("ABS_SHIELD_SUITES", str(tmp_path))
    (tmp_path / "langchain").mkdir()

    assert (tmp_path / "langchain", None) == (checkout("langchain"), checkout("openai"))


def test_a_source_package_is_fetched_once(tmp_path, monkeypatch) -> None:
    """The archive that pip brings is unpacked; the second time it is there."""
    fetched = []

    def download(requirement: str, folder: Path) -> Path:
        fetched.append(requirement)
        (folder / "thing-1.0").mkdir()
        (folder / "thing-1.0" / "PKG-INFO").write_text("Name: thing")
        with tarfile.open(folder / "thing-1.0.tar.gz", "w:gz") as tar:
            tar.add(folder / "thing-1.0", "thing-1.0")
        return folder / "thing-1.0.tar.gz"

    monkeypatch.setattr("tests.suites.sources.CACHE", tmp_path / "cache")
    monkeypatch.setattr("tests.suites.sources._download", download)
    folders = {source_package("thing", "1.0") for _ in range(2)}

    assert {tmp_path / "cache" / "thing-1.0"} == folders
    assert (["thing==1.0"], "Name: thing") == (fetched, (folders.pop() / "PKG-INFO").read_text())


# Plugins ------------------------------------------------------------------------------------------

SUITE = """
import pytest
from abs_shield import ToolCall
from suite_shield import firewall

def test_judged():
    firewall().check_call({"name": "refund", "arguments": {}})

def test_failed():
    assert False, "on purpose"

@pytest.mark.skip
def test_skipped(): ...

@pytest.fixture
def broken():
    yield
    raise RuntimeError("afterwards")

def test_teardown(broken): ...
"""


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize("processes", ["0", "2"])
def test_outcomes_are_written(pytester, monkeypatch, processes) -> None:
    """Each test has one line with its outcome and its judged calls, from one or two processes."""
    monkeypatch.setenv("PYTHONPATH", str(HERE / "plugins"))
    pytester.makepyfile(test_it=SUITE)
    options = ("-p", "suite_outcomes", "-p", "suite_shield", "-n", processes, "--outcomes=out")
    pytester.runpytest_subprocess(*options)
    outcomes = read_outcomes(pytester.path / "out")

    assert {
        "test_it.py::test_judged": ("passed", 1),
        "test_it.py::test_failed": ("failed", 0),
        "test_it.py::test_skipped": ("skipped", 0),
        "test_it.py::test_teardown": ("error", 0),
    } == {test: (line["outcome"], line["judged"]) for test, line in outcomes.items()}
    assert "on purpose" in outcomes["test_it.py::test_failed"]["why"]


@pytest.mark.slow
@pytest.mark.release
def test_only_what_is_asked_for_runs(pytester, monkeypatch) -> None:
    """`--only` names a file with ids."""
    monkeypatch.setenv("PYTHONPATH", str(HERE / "plugins"))
    pytester.makepyfile(test_it=SUITE)
    (pytester.path / "ids").write_text("test_it.py::test_judged\ntest_it.py::test_gone")
    pytester.runpytest_subprocess("-p", "suite_outcomes", "--outcomes=out", "--only=ids")

    assert ["test_it.py::test_judged"] == [*read_outcomes(pytester.path / "out")]


def test_no_plugin_is_collected() -> None:
    """The suite of this package imports no framework."""
    assert find_spec("suite_shield") is None
    assert "--ignore=tests/suites/plugins " in (ROOT / "pyproject.toml").read_text(encoding="utf-8")

"""Each benchmark has a row, a `--help` with an example, and an error for missing data."""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.processes import run_python

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `(\w+)\.py` \| .* \| (yes|no|in part) \|", PAGE, re.MULTILINE))
NO_DATA = [name for name, needs in ROWS.items() if needs == "yes"]
PAGES = [ROOT / "README.md", FOLDER / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMAND = re.compile(r"python benchmarks/(\w+)\.py([^`\n#>|]*)")
SHOWN = sorted(
    {found for page in PAGES for found in COMMAND.findall(page.read_text(encoding="utf-8"))}
)
PROGRESS = re.compile(r"(\[ *\d+ s\] .+\n)*")
Run = Callable[..., Any]


class Parsed(Exception):
    """The command line was accepted."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call the main function of a benchmark in this process, where no recorded data is."""
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setenv("ABS_SHIELD_DATA", "/nonexistent")

    def call(name: str, *options: str) -> Any:
        spec = importlib.util.spec_from_file_location(f"run_{name}", FOLDER / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *options])
        spec.loader.exec_module(module)
        return module.main()

    return call


def test_every_benchmark_has_its_row() -> None:
    """Each script with a command line, and each script that a page names, has a row."""
    scripts = {
        path.stem
        for path in FOLDER.glob("*.py")
        if "command_parser(__doc__" in re.sub(r"\s", "", path.read_text(encoding="utf-8"))
    }

    assert scripts == {*ROWS}
    assert set() == {name for name, _ in SHOWN} - ROWS.keys()


@pytest.mark.parametrize("name", ROWS)
def test_help_has_an_example(name: str, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` runs nothing, and ends with a call of this benchmark."""
    with pytest.raises(SystemExit) as ended:
        run(name, "--help")

    assert 0 == ended.value.code
    assert re.search(rf"\nexample: python benchmarks/{name}\.py.*\n$", capsys.readouterr().out)


@pytest.mark.parametrize("name", NO_DATA)
def test_missing_data_is_reported(name: str, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """One line on stderr names the missing data, and the exit code is 2."""
    with pytest.raises(SystemExit) as ended:
        run(name)
    captured = capsys.readouterr()

    assert (2, "") == (ended.value.code, captured.out)
    assert re.fullmatch(
        r"no (recorded runs|labelled answers) at /nonexistent/.* ABS_SHIELD_DATA or .*--data .*\n",
        captured.err,
    )


@pytest.mark.parametrize(("name", "options"), SHOWN, ids=map(" ".join, SHOWN))
def test_a_command_of_the_docs_is_accepted(
    name: str, options: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Options that a page shows are options of the benchmark."""
    parse = argparse.ArgumentParser.parse_args

    def stop(*arguments: Any, **named: Any) -> Any:
        parse(*arguments, **named)
        raise Parsed

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)
    with pytest.raises(Parsed):
        run(name, *shlex.split(options))


@pytest.mark.parametrize("name", ROWS)
def test_the_example_of_the_help_is_accepted(
    name: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The example is a call that the benchmark parses."""
    parse = argparse.ArgumentParser.parse_args

    def stop(parser: argparse.ArgumentParser, *arguments: Any) -> Any:
        assert parser.epilog is not None
        options = parser.epilog.removeprefix(f"example: python benchmarks/{name}.py")
        parse(parser, shlex.split(options))
        raise Parsed

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)
    with pytest.raises(Parsed):
        run(name)


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_help_is_printed_by_the_script(name: str) -> None:
    """The script finds its modules, run as the page shows it."""
    done = run_python(str(FOLDER / f"{name}.py"), "--help", check=False)

    assert 0 == done.returncode, done.stderr
    assert f"{name}.py" in done.stdout


@pytest.mark.slow
@pytest.mark.release
def test_progress_is_printed_on_the_standard_error(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """The standard output is JSON only and has the field `quick`."""
    run("overhead_start", "--quick")
    captured = capsys.readouterr()

    assert json.loads(captured.out)["quick"]
    assert captured.err
    assert PROGRESS.fullmatch(captured.err)

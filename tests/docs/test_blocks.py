"""Every Python block of the README and of docs/ runs, and prints what the page shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from abs_shield import AnswerConfig, Policy
from abs_shield.policy import parameter_marks

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(
    r"^```(python|console)\n(.*?)^```$(?:\n+^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL
)
SKIPPED = "<!-- not executed -->"
EXECUTED = "<!-- executed -->"
"""Stands before a console block whose commands run, and whose output is compared."""

FILE = re.compile(r"<!-- file: ([\w.]+) -->$")
"""Stands before a Python block that is a file of its own, too, for the commands that name it."""

Block = tuple[int, str, str, str | None, str]


def blocks(page: Path) -> list[Block]:
    """Line, language, source, shown output and file name of every block that is to run."""
    text = page.read_text(encoding="utf-8")
    results: list[Block] = []
    for block in FENCE.finditer(text):
        before = text[: block.start()].rstrip()
        runs = before.endswith(EXECUTED) or block[1] == "python"
        if runs and not before.endswith(SKIPPED):
            line = text[: block.start()].count("\n") + 2
            file = FILE.search(before)
            results.append((line, block[1], block[2], block[3], file[1] if file else ""))
    return results


RUNNER = [sys.executable, "-W", "error", str(Path(__file__).with_name("run_page.py"))]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120"}
Ran = tuple[int, str]
"""The exit code and the standard error of a page that was run."""

Run = Callable[[Path, Path], Ran]


def run_afresh(page: Path, folder: Path) -> Ran:
    """Run a page's blocks in *folder*, in a new process, warnings being errors."""
    done = subprocess.run(
        RUNNER,
        input=json.dumps([page.name, blocks(page)]),
        cwd=folder,
        env={**ENVIRONMENT, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Run a page's blocks in a fork of one process, which has imported the package already."""
    with subprocess.Popen(
        [*RUNNER, "--serve"],
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        requests, replies = server.stdin, server.stdout

        def run_page(page: Path, folder: Path) -> Ran:
            print(json.dumps([str(folder), page.name, blocks(page)]), file=requests, flush=True)
            code, errors = json.loads(replies.readline())
            return code, errors

        yield run_page
        requests.close()


AFRESH = [ROOT / "README.md", ROOT / "docs" / "quickstart.md", ROOT / "docs" / "telemetry.md"]
"""Pages that run in a process which has imported nothing: the first ones a reader meets."""

LONGEST = {"report.md", "flywheel.md", "testing.md"}
"""Pages whose commands take four seconds or more; they run before a release."""


def _page(page: Path) -> Any:
    commands = any(language == "console" for _, language, *_ in blocks(page))
    marks = [pytest.mark.slow] if commands else []  # each command is a process
    if page.name in LONGEST:
        marks.append(pytest.mark.release)
    return pytest.param(page, id=str(page.relative_to(ROOT)), marks=marks)


@pytest.mark.parametrize("page", [_page(page) for page in PAGES if page not in AFRESH])
def test_every_block_runs(page: Path, tmp_path: Path, run: Run) -> None:
    """A page's blocks run in order, in one namespace, and print what stands below them."""
    code, errors = run(page, tmp_path)

    assert code == 0, errors


@pytest.mark.parametrize("page", AFRESH, ids=lambda page: page.name)
def test_every_block_runs_in_a_new_process(page: Path, tmp_path: Path) -> None:
    """So do those of the first pages, where nothing was imported before."""
    code, errors = run_afresh(page, tmp_path)

    assert code == 0, errors


WRONG = {
    "fault": ("```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n", 'File "page.md", line 8'),
    "output": ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "page.md, line 4"),
    "console": (f"{EXECUTED}\n```console\n$ echo a\nb\n```\n", "page.md, line 5"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_block_would_be_noticed(kind: str, tmp_path: Path, run: Run) -> None:
    """A block that fails, or prints something else than the page shows, fails at its own line."""
    text, place = WRONG[kind]
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n{text}")
    code, errors = run(page, tmp_path)

    assert (code, True) == (1, place in errors)


TEMPORARY = (
    "```python\nimport os, tempfile\nassert tempfile.mkdtemp().startswith(os.getcwd())\n```\n"
)


def test_temporary_files_of_a_page_are_in_its_folder(tmp_path: Path, run: Run) -> None:
    """A page that makes a temporary folder leaves nothing behind elsewhere."""
    page = tmp_path / "page.md"
    page.write_text(TEMPORARY)

    assert (0, "") == run(page, tmp_path)
    assert (0, "") == run_afresh(page, tmp_path)


def test_a_skipped_block_does_not_run(tmp_path: Path) -> None:
    """Only the line before a block takes it out; a console block runs where a line says so."""
    page = tmp_path / "page.md"
    page.write_text(
        f"{SKIPPED}\n```python\na\n```\n\n```python\nb\n```\n\n```text\nc\n```\n"
        f"```console\n$ d\n```\n"
    )

    assert blocks(page) == [(7, "python", "b\n", "c\n", "")]


_NESTED = ("limits", "verification", "answer")
"""Fields that are records; a row shows what makes the usual one."""


@pytest.mark.parametrize("field", Policy.model_fields)
def test_every_field_has_its_row(field: str) -> None:
    """A field of the policy has a row with its default in docs/policy.md."""
    text = (ROOT / "docs" / "policy.md").read_text(encoding="utf-8").partition("\n## Tools")[0]
    (row,) = re.findall(rf"^\| `{field}` \| `(.+?)` \|", text, re.MULTILINE)
    default = Policy.model_fields[field].get_default()

    usual = f"{type(default).__name__}()" if field in _NESTED else None
    assert row in (repr(default), f'"{default}"', usual)


@pytest.mark.parametrize("name", AnswerConfig.model_fields)
def test_every_field_of_answers_is_reported(name: str) -> None:
    """The settings of answers are in docs/policy.md, and in docs/answers.md with their defaults."""
    row = (ROOT / "docs" / "policy.md").read_text(encoding="utf-8").partition("| `answer` |")[2]
    page = (ROOT / "docs" / "answers.md").read_text(encoding="utf-8")
    default = AnswerConfig.model_fields[name].get_default()

    assert f"`{name}" in row.partition("\n")[0]
    assert f"\n{name} = {default!r}\n" in page


@pytest.mark.parametrize("mark", ["Target", "Soft", "Free", "Creates", "Injected"])
def test_every_mark_has_its_row(mark: str) -> None:
    """A mark has a row in docs/policy.md."""
    text = (ROOT / "docs" / "policy.md").read_text(encoding="utf-8")

    assert (hasattr(parameter_marks, mark), f"| `{mark}(" in text) == (True, True)

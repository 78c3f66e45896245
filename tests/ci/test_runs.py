"""`.ci/run` and `.ci/full` with programs that only record their arguments."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

CI = Path(__file__).parents[2] / ".ci"
NEEDED = "bash basename cat chmod cp dirname env grep ls mkdir mktemp rm sleep tail touch".split()
INSTALLED = ("abs-shield", "lint-imports", "mypy", "nox", "pip", "python", "ruff")
MEMORY = Path("/dev/shm")
PROGRAM = r"""#!/usr/bin/env bash
name=$(basename "$0")
[[ "$name" != df ]] || { printf 'Avail\n%s\n' "${FREE-0}"; exit 0; }
echo "$name ${TMPDIR-}" >>"$CALLS.temporary"
[[ -z "${PYTHONDONTWRITEBYTECODE-}" ]] || echo "$name writes no bytecode" >>"$CALLS"
echo "${HYPOTHESIS_PROFILE-} $name $*" >>"$CALLS"
[[ "$name $*" != "python -c "*sys.version_info* ]] || echo 3.11
[[ "$name $*" != "python3 -m venv "* ]] || { mkdir -p "$3/bin" && cp "$0" "$3/bin/pip"; }
[[ "$name $*" != *"$WAITS"* ]] || { sleep 1; echo "${HYPOTHESIS_PROFILE-} $name done" >>"$CALLS"; }
[[ "$name $*" != *"$FAILS"* ]] || { printf 'WARNING: old\nERROR: no such package\n'; exit 3; }
"""
FASTMCP = "nox -s adapters(adapter='fastmcp')"
OTHERS = "nox -k adapters and not (lowest or fastmcp)"
README = "./install dev && python3 -m pytest -n auto\n"

pytestmark = pytest.mark.skipif(
    any(shutil.which(name) is None for name in NEEDED),
    reason="needs bash and coreutils; run the test on Linux",
)


class Done(NamedTuple):
    code: int
    out: str
    calls: list[str]

    @property
    def summary(self) -> list[str]:
        """Return what is printed at the end, below the time in all."""
        head, _, rest = self.out.rpartition(" in all\n")
        assert head.rpartition("\n")[2].startswith("== ")
        return rest.splitlines()


@pytest.fixture
def checkout(tmp_path):
    """Write a folder with `.ci`, a README and stub programs, which are the only ones on PATH."""
    shutil.copytree(CI, tmp_path / ".ci")
    (tmp_path / "README.md").write_text(README)
    program(tmp_path / "install")
    for name in INSTALLED:
        program(tmp_path / ".venv" / "bin" / name)
    for name in ("apt-get", "df", "python3", "python3.12"):
        program(tmp_path / "bin" / name)
    for name in NEEDED:
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or name)
    return tmp_path


def program(path: Path) -> None:
    """Write a program that appends its profile, name and arguments to the file `CALLS`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PROGRAM)
    path.chmod(0o755)


@pytest.fixture
def run_script(checkout):
    """
    Run a script of `.ci`; *free* KiB are free.

    Calls that hold the text *fails* exit with 3, those with *waits* take a second.
    """

    def run(script: str, *, fails: str = "nothing", waits: str = "nothing", free: int = 0) -> Done:
        calls = checkout / "calls"
        words = {
            "PATH": str(checkout / "bin"),
            "CALLS": str(calls),
            "FAILS": fails,
            "WAITS": waits,
            "FREE": str(free),
            "PYTHONDONTWRITEBYTECODE": "1",
            "ABS_SHIELD_DATA": str(checkout / "nowhere"),
            "TMPDIR": str(checkout),
        }
        done = subprocess.run(
            [str(checkout / "bin" / "bash"), f".ci/{script}"],
            cwd=checkout, env=words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, calls.read_text().splitlines())

    return run


def test_every_step_passes(run_script):
    """If no step fails, the exit code is 0 and no step is listed."""
    done = run_script("run")

    assert 0 == done.code
    assert "FAILED" not in done.out
    assert f"ci {OTHERS} -- -m not data and not release" in done.calls
    assert f"ci {FASTMCP} -- -m not data and not release" in done.calls


def test_small_steps_run_beside_the_slow_tests(run_script):
    """The run waits for the last of them, and prints their output below that of the slow tests."""
    done = run_script("run", waits="nox -k")

    assert "ci nox done" == done.calls[-1]
    assert done.out.index("-m slow and not data") < done.out.index("$ .venv/bin/ruff check .")


def test_the_tests_of_the_readme_run_with_the_ci_profile(run_script):
    """The first tests are the README's command, and its property tests try more examples."""
    calls = [call for call in run_script("run").calls if "apt-get" not in call]

    assert ["ci install dev", "ci python3 -m pytest -n auto"] == calls[:2]


def test_processes_of_tests_reuse_bytecode(run_script):
    """An environment that forbids to write it makes each of them compile the package again."""
    assert [] == [call for call in run_script("run").calls if "bytecode" in call]


@pytest.mark.skipif(not MEMORY.is_dir(), reason="there is no /dev/shm; run the test on Linux")
@pytest.mark.parametrize(("free", "in_memory"), [(3_000_000, True), (1_000_000, False)])
def test_temporary_files_of_tests_are_in_memory(run_script, checkout, free, in_memory):
    """This holds where two gigabytes are free; the folder is deleted at the end."""
    run_script("run", free=free)
    lines = (checkout / "calls.temporary").read_text().splitlines()
    folders = {name: Path(folder) for name, folder in map(str.split, lines)}

    assert [in_memory] * 2 == [folders[name].parent == MEMORY for name in ("python3", "nox")]
    assert checkout == folders["mypy"]
    assert not in_memory or not folders["python3"].exists()


def test_a_readme_without_a_test_command_fails(run_script, checkout):
    """A missing command is a failure; the other steps still run."""
    (checkout / "README.md").write_text("pytest is fine\n")
    done = run_script("run")

    assert 1 == done.code
    assert ["== FAILED: README.md has no test command: no line holds `-m pytest`"] == failed_steps(
        done
    )
    assert "ci mypy " in done.calls


def test_nothing_installed_fails(run_script, checkout):
    """Without nox, which `./install dev` brings, the run ends and fails."""
    (checkout / ".venv" / "bin" / "nox").unlink()
    done = run_script("full")

    assert 1 == done.code
    assert ["== FAILED: nothing is installed: there is no .venv/bin/nox"] == failed_steps(done)
    assert not any("mypy" in call for call in done.calls)


@pytest.mark.parametrize(
    ("script", "fails", "step"),
    [
        (
            "run",
            "install dev",
            "in_memory bash -euo pipefail -c ./install dev && python3 -m pytest -n auto",
        ),
        ("run", "--check", ".venv/bin/python tests/schema/fetch_suite.py --check"),
        (
            "run",
            "slow and",
            "in_memory .venv/bin/python -m pytest -n auto -m slow and not data and not release",
        ),
        (
            "run",
            "nox -k adapters",
            f"in_memory .venv/bin/{OTHERS} -- -m not data and not release",
        ),
        (
            "run",
            FASTMCP,
            f"in_memory .venv/bin/{FASTMCP} -- -m not data and not release",
        ),
        ("full", "ruff check", ".venv/bin/ruff check ."),
        ("full", "nox -s lowest", ".venv/bin/nox -s lowest"),
        ("full", "-m venv", "check_collector: no virtual environment can be made"),
        ("full", "soak.py", ".venv/bin/python benchmarks/soak.py"),
    ],
)
def test_a_failed_step_is_listed_at_the_end(run_script, script, fails, step):
    """The other steps run, the failed step is listed, and the exit code is 1."""
    done = run_script(script, fails=fails)

    assert 1 == done.code
    assert f"== FAILED: {step}" in failed_steps(done)
    assert any(OTHERS in call for call in done.calls)


def test_what_cannot_run_here_is_listed_at_the_end(run_script):
    """Data, a collector and Python 3.14 are skipped, with the reason; 3.13 has to be there."""
    done = run_script("full", fails="--pre rotel")

    message = "\n".join(done.summary)
    assert "== FAILED: nox -s tests-3.13: Python 3.13 is not installed" in message
    assert "== skipped: nox -s tests-3.14: Python 3.14 is not installed" in message
    assert "== skipped: the tests on recorded data: no folder" in message
    assert "== skipped: benchmarks on recorded runs: no file" in message
    assert "== skipped: benchmarks on labelled answers: no folder" in message
    assert (
        "== skipped: check_collector: no collector can be installed: ERROR: no such package"
        in message
    )
    assert "ok: .venv/bin/nox -s tests-3.13" not in done.out


def test_other_pythons_run_with_the_ci_profile(run_script):
    """A Python that is installed is tested, and not the one of `.venv` again."""
    calls = [call for call in run_script("full").calls if "nox -s tests-" in call]

    assert ["ci nox -s tests-3.12"] == calls


def test_the_long_property_tests_have_the_long_profile(run_script):
    """Only these two steps try thousands of examples."""
    calls = [call for call in run_script("full").calls if call.startswith("long")]

    assert [
        "long python -m pytest -n auto -m hypothesis and not data",
        "long python -m pytest -m not hypothesis tests/hostile",
    ] == calls


def failed_steps(done: Done) -> list[str]:
    """Return the failed steps that are listed at the end."""
    return [line for line in done.summary if "FAILED" in line]

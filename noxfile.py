"""
Sessions that need an environment of their own; `uv` builds one within seconds.

    nox -s adapters -j 2             # every framework, each alone: their requirements clash
    nox -s tests-3.12                # the test suite on one version of Python
    nox -s lowest adapters_lowest    # the lowest versions that pyproject.toml allows
    nox -s verifiers ray proxy pii   # what else an extra brings
    nox -s suites                    # the frameworks' own tests, by themselves and in audit mode
    nox -s docs                      # the site of the docs, with every link checked
    nox -s wheel                     # the built package, alone, with its lowest dependencies

Arguments behind `--` go to pytest; `HYPOTHESIS_PROFILE` reaches the tests of every session.
"""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import nox

nox.needs_version = ">=2026.8.10"  # the first with `-j`
nox.options.default_venv_backend = "uv"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = True
nox.options.reuse_existing_virtualenvs = True  # so each session installs with `--upgrade`
nox.options.sessions = ["adapters"]

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
"""Versions of Python for the test suite; a session whose Python is not installed fails."""

ADAPTERS = ("fastmcp", "openai", "openai-agents", "langgraph", "anthropic", "pydantic-ai")
"""Extras that install a framework; with `-j`, the longest tests should begin first."""

JUDGE = ("tests/model", "tests/answer/faithfulness/test_served.py")
"""Tests of the judge over HTTP, which uses OpenAI's SDK."""

SERVED = (
    "-k",
    "served",
    "tests/answer/test_every_scorer.py",
    "tests/answer/test_every_prober.py",
)
"""The judge over HTTP as one of several scorers and probers; the test suite has run the others."""

MCP = ("tests/service", "tests/cli/test_mcp_command.py", "tests/cli/test_init_command.py")
"""Tests of the MCP proxy, which uses FastMCP."""

VERIFIERS = ("tests/answer/test_verifiers.py", "tests/answer/test_every_scorer.py")
"""Tests of small real models in this process."""

ENGINES = ("tests/replay", "tests/cli/test_replay_engines.py", "tests/cli/test_backtest_engines.py")
"""Tests of replays in several processes."""

SUITES = nox.project.load_toml("tests/suites/frameworks.toml")
"""The frameworks whose own tests are run: what each needs, by name."""

SLOW_TOO = ("-m", "not data")
"""Recorded data is tested once, in `.venv`."""


@nox.session(allow_parallel=True)
@nox.parametrize("adapter", ADAPTERS)
def adapters(session: nox.Session, adapter: str) -> None:
    """Test one adapter with the newest allowed version of its framework."""
    session.install("-q", "--upgrade", "-e", f".[{adapter},test]")
    test_adapter(session, adapter)


@nox.session(allow_parallel=True)
@nox.parametrize("adapter", ADAPTERS)
def adapters_lowest(session: nox.Session, adapter: str) -> None:
    """Test one adapter with the lowest allowed version of its framework."""
    session.install("-q", "--upgrade", "--resolution", "lowest-direct", "-e", f".[{adapter},test]")
    test_adapter(session, adapter)


def test_adapter(session: nox.Session, adapter: str) -> None:
    """Run the tests that need this framework, the table of docs/adapters.md among them."""
    # needs Starlette and no framework: the test suite has run it
    tests = ["tests/adapters", "--ignore=tests/adapters/test_quality_middleware.py"]
    parallel: list[str] = []
    if adapter == "fastmcp":
        session.install("-q", "mcp-server-time", "mcp-server-git")
        tests += MCP
        parallel = ["-n", "2"]  # it takes longer than all others together
    if adapter == "openai":
        tests += JUDGE
    session.run("python", "-m", "pytest", *parallel, *SLOW_TOO, *tests, *session.posargs)
    if adapter == "openai":
        session.run("python", "-m", "pytest", *SLOW_TOO, *SERVED, *session.posargs)


@nox.session
@nox.parametrize("suite", [*SUITES])
def suites(session: nox.Session, suite: str) -> None:
    """Run a framework's own tests, by themselves and with a Shield in audit mode."""
    needs = SUITES[suite]
    runner = ("pip", "pytest-asyncio", "pytest-timeout", "pytest-xdist")
    package = f".[{needs['extra']},test]"
    session.install("-q", "--upgrade", "-e", package, *runner, *needs["requires"])
    session.run("python", "-m", "tests.suites.run", suite, *session.posargs)


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the test suite on one version of Python."""
    session.install("-q", "--upgrade", "-e", ".[dev]")
    session.run("python", "-m", "pytest", "-n", "auto", *SLOW_TOO, *session.posargs)


@nox.session(python=PYTHONS[0])
def lowest(session: nox.Session) -> None:
    """Run the test suite with the lowest allowed version of every direct dependency."""
    session.install("-q", "--upgrade", "--resolution", "lowest-direct", "-e", ".[dev]")
    session.run("python", "-m", "pytest", "-n", "auto", *SLOW_TOO, *session.posargs)


@nox.session(venv_backend="venv")
def verifiers(session: nox.Session) -> None:
    """Test small real models; pip, so that `PIP_CONSTRAINT` can select a build of torch."""
    session.install("-q", "--upgrade", "-e", ".[nli,test]")
    session.run("python", "-m", "pytest", *SLOW_TOO, *VERIFIERS, *session.posargs)


@nox.session
def pii(session: nox.Session) -> None:
    """Test other detectors of personal data: Presidio without a model, and `python-stdnum`."""
    session.install("-q", "--upgrade", "-e", ".[pii,test]")
    session.run("python", "-m", "pytest", *SLOW_TOO, "tests/quality/pii", *session.posargs)


@nox.session
def ray(session: nox.Session) -> None:
    """Test replays on a Ray cluster."""
    session.install("-q", "--upgrade", "-e", ".[parquet,ray,test]")
    session.run("python", "-m", "pytest", "-m", "", *ENGINES, *session.posargs)


@nox.session
def proxy(session: nox.Session) -> None:
    """Measure what the MCP proxy adds to a call."""
    session.install("-q", "--upgrade", "-e", ".[fastmcp,test]")
    session.run("python", "benchmarks/mcp_proxy.py", "200")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site of the docs below site/, and check every link and anchor within it."""
    session.install("-q", "--upgrade", "-e", ".[docs]")
    session.run("mkdocs", "build", "--strict", "--clean", *session.posargs)


@nox.session(python=PYTHONS[0])
def wheel(session: nox.Session) -> None:
    """Build both distributions, and use the wheel outside of the checkout, with no extra."""
    folder = Path(session.create_tmp()).resolve()
    for old in folder.glob("abs_shield-*"):
        old.unlink()
    session.install("-q", "--upgrade", "build>=1.2", "twine>=6.1")
    session.run("python", "-m", "build", "--outdir", str(folder), ".")
    (sdist,) = folder.glob("*.tar.gz")
    (built,) = folder.glob("*.whl")
    session.run("twine", "check", "--strict", str(sdist), str(built))
    if lost := left_out(session, sdist):
        session.error(f"the source distribution lacks {', '.join(lost)}")
    alone = folder / "alone"
    session.run("uv", "venv", "-q", "--clear", "-p", session.python, str(alone), external=True)
    python = str(alone / "bin" / "python")
    lowest = ("--resolution", "lowest-direct", "--python", python)
    session.run("uv", "pip", "install", "-q", *lowest, str(built), external=True)
    readme = Path("README.md").read_text(encoding="utf-8")
    first = re.search(r"^```python\n(.*?)^```$\n+^```text\n(.*?)^```$", readme, re.M | re.S)
    if first is None:
        session.error("README.md has no first example with its output")
    (folder / "first.py").write_text(first[1], encoding="utf-8")
    command = str(alone / "bin" / "abs-shield")
    with session.chdir(folder):  # nothing of the checkout can be imported from here
        environment = {"PYTHONPATH": "", "PYTHONWARNINGS": "error"}
        session.run(python, "-c", "import abs_shield", env=environment, external=True)
        for arguments in (["--help"], ["demo"], ["layers"]):
            session.run(command, *arguments, env=environment, external=True, silent=True)
        run = (python, "first.py")
        printed = session.run(*run, env=environment, external=True, silent=True)
    if first[2].strip() not in str(printed):
        session.error(f"README.md shows\n{first[2]}\nbut its first example printed\n{printed}")


def left_out(session: nox.Session, sdist: Path) -> list[str]:
    """Return the files in git that a source distribution does not hold."""
    tracked = session.run("git", "ls-files", external=True, silent=True) or ""
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    return sorted({*tracked.splitlines()} - held)

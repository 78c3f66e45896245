"""Each adapter is tested in an environment of its own: what the frameworks pin clashes."""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "venv"
nox.options.reuse_existing_virtualenvs = True

JUDGED = (
    "tests/model",
    "tests/answer/test_faithful_served.py",
    "tests/answer/test_every_scorer.py",
    "tests/answer/test_every_prober.py",
)
"""What asks a model over HTTP."""
VERIFIED = ("tests/answer/test_verifiers.py", "tests/answer/test_every_scorer.py")
"""What asks a small real model in this process."""
ADAPTERS = ("openai", "anthropic", "openai-agents", "langgraph", "pydantic-ai", "fastmcp")


@nox.session
@nox.parametrize("adapter", ADAPTERS)
def adapters(session: nox.Session, adapter: str) -> None:
    """Play every scene with one framework, and compare the page with what they show."""
    session.install("-q", "-e", f".[{adapter}]", "pytest>=8.3", "hypothesis>=6.115")
    tests = ["tests/adapters"]
    if adapter == "fastmcp":
        commands = ["tests/cli/test_mcp_command.py", "tests/cli/test_init_command.py"]
        tests += ["tests/service", *commands]
        session.install("-q", "mcp-server-time", "mcp-server-git")
    if adapter == "openai":  # the judge is on the same SDK
        tests += JUDGED
    session.run("python", "-m", "pytest", *tests, *session.posargs)
    session.run("python", "-m", "tests.adapters.matrix")
    if adapter == "fastmcp":
        session.run("python", "benchmarks/mcp_proxy.py", "200")


@nox.session
def judge(session: nox.Session) -> None:
    """Ask a model over HTTP, with what the extra brings and nothing else."""
    session.install("-q", "-e", ".[judge]", "pytest>=8.3", "hypothesis>=6.115")
    session.run("python", "-m", "pytest", *JUDGED, *session.posargs)


@nox.session
def verifiers(session: nox.Session) -> None:
    """Score claims with small real models; which torch is installed, PIP_CONSTRAINT may say."""
    session.install("-q", "-e", ".[nli]", "pytest>=8.3", "hypothesis>=6.115")
    session.run("python", "-m", "pytest", *VERIFIED, *session.posargs)

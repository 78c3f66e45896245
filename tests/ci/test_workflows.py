"""The workflows run commands that exist, with no more permissions than they need."""

from __future__ import annotations

import ast
import itertools
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="needs `pip install abs-shield[yaml]`")

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = {
    path.name: yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)
    for path in sorted(FOLDER.glob("*.yml"))
}
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
COMMANDS = {"lint-imports": "import-linter", "abs-shield": "abs-shield"}
"""Commands that have another name than their package."""

TOOLS = ("git", "mike", "nox", "python", "twine")
"""Commands that a job installs, or that every runner has."""

WRITES = {"release.yml": {"publish": {"id-token"}, "docs": {"contents"}}}
"""The only permissions to write, by workflow and job."""

JOBS = [
    (name, job)
    for name, workflow in WORKFLOWS.items()
    for job, plan in workflow["jobs"].items()
    if "steps" in plan
]


def runs(name: str, job: str) -> Iterator[list[str]]:
    """Yield the words of each command of a job, once for each combination of its matrix."""
    plan = WORKFLOWS[name]["jobs"][job]
    matrix = plan.get("strategy", {}).get("matrix", {})
    for values in itertools.product(*matrix.values()):
        chosen = dict(zip(matrix, values, strict=True))
        for step in plan["steps"]:
            for line in step.get("run", "").splitlines():
                for key, value in chosen.items():
                    line = line.replace("${{ matrix." + key + " }}", value)
                assert "${{" not in line
                yield shlex.split(line)


def sessions() -> set[str]:
    """Return the names of all sessions of noxfile.py, with their parameters."""
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    constants = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Tuple)
    }
    names = set()
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        shown = " ".join(ast.unparse(decorator) for decorator in function.decorator_list)
        if "nox.session" in shown:
            names.add(function.name)
        if "python=PYTHONS)" in shown:
            names |= {f"{function.name}-{python}" for python in constants["PYTHONS"]}
        if "nox.parametrize('adapter', ADAPTERS)" in shown:
            names |= {f"{function.name}(adapter='{name}')" for name in constants["ADAPTERS"]}
    return names


def missing(words: list[str]) -> str:
    """Return what a command names that the repository does not have; empty where all is there."""
    program, *arguments = words
    lost = []
    if program.startswith("./") and not (ROOT / program).is_file():
        lost.append(program)
    if program.startswith(".venv/bin/"):
        package = COMMANDS.get(program[len(".venv/bin/") :], program[len(".venv/bin/") :])
        installed = re.findall(r"[\w-]+", " ".join(EXTRAS["dev"]))
        lost += [program] if package not in installed else []
    if program.endswith("nox") and set(arguments[1:]) - sessions():
        lost.append(arguments[1])
    if program.startswith("python"):
        lost += [word for word in arguments[:1] if word.endswith(".py") and not is_file(word)]
    known = program.startswith(("./", ".venv/bin/")) or program in TOOLS
    return ", ".join(lost) if known else program


def is_file(name: str) -> bool:
    """Return whether the repository has this file."""
    return (ROOT / name).is_file()


@pytest.mark.parametrize(("name", "job"), JOBS, ids=":".join)
def test_every_command_exists(name: str, job: str) -> None:
    """A session of nox is in noxfile.py, a script is a file, a tool is in an extra."""
    assert [] == [lost for words in runs(name, job) if (lost := missing(words))]


@pytest.mark.parametrize(
    "words",
    [["nox", "-s", "nothing"], ["./gone"], [".venv/bin/flake8"], ["python", "gone.py"], ["make"]],
    ids=" ".join,
)
def test_a_missing_command_would_be_noticed(words: list[str]) -> None:
    """Each kind of command is looked up."""
    assert missing(words)


def test_tests_run_on_every_python_and_with_every_adapter() -> None:
    """All the versions and the adapters of noxfile.py, the linters, the docs and the build."""
    commands = [words for name, job in JOBS if name == "tests.yml" for words in runs(name, job)]
    used = {words[-1] for words in commands if words[0] == "nox"}
    needed = {name for name in sessions() if re.match(r"tests-|adapters\(", name)}

    assert set() == (needed | {"docs", "lowest", "wheel"}) - used
    assert {".venv/bin/ruff", ".venv/bin/mypy", ".venv/bin/lint-imports"} <= {
        words[0] for words in commands
    }


@pytest.mark.parametrize("name", WORKFLOWS)
def test_permissions_are_the_least(name: str) -> None:
    """A workflow reads the repository, and a job writes only what it is listed for."""
    workflow = WORKFLOWS[name]
    writes = {
        job: {scope for scope, level in plan["permissions"].items() if level != "read"}
        for job, plan in workflow["jobs"].items()
        if "permissions" in plan
    }

    assert {"contents": "read"} == workflow["permissions"]
    assert WRITES.get(name, {}) == writes
    assert "secrets." not in (FOLDER / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "job"), JOBS, ids=":".join)
def test_every_action_is_pinned_to_a_commit(name: str, job: str) -> None:
    """Tags can be moved; a checkout stores no credentials unless it needs them."""
    plan = WORKFLOWS[name]["jobs"][job]
    used = [step for step in plan["steps"] if "uses" in step]
    checkouts = [step for step in used if step["uses"].startswith("actions/checkout@")]
    if "contents" in WRITES.get(name, {}).get(job, ()):
        checkouts = []  # it pushes with them

    assert used
    assert [] == [s["uses"] for s in used if not re.search(r"@[0-9a-f]{40}$", s["uses"])]
    assert [] == [s for s in checkouts if s.get("with", {}).get("persist-credentials") != "false"]
    assert "timeout-minutes" in plan


@pytest.mark.parametrize("name", WORKFLOWS)
def test_the_version_of_an_action_is_beside_its_commit(name: str) -> None:
    """For the people who read it, and for tools that renew both."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    used = re.findall(r"uses: \S+@\S+.*", text)

    assert used
    assert [] == [line for line in used if not re.search(r" # v\d+\.\d+\.\d+$", line)]


def test_a_release_waits_for_the_tests() -> None:
    """A release needs the tests of all Python versions, adapters, docs and the wheel."""
    jobs = WORKFLOWS["release.yml"]["jobs"]

    assert {"uses": "./.github/workflows/tests.yml"} == jobs["tests"]
    assert "tests" == jobs["build"]["needs"]
    assert "workflow_call" in WORKFLOWS["tests.yml"]["on"]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_runs_of_one_branch_do_not_overlap(name: str) -> None:
    """A newer push cancels the tests of an older one, and no release."""
    concurrency = WORKFLOWS[name]["concurrency"]

    assert concurrency["group"]
    assert concurrency["cancel-in-progress"] == ("true" if name == "tests.yml" else "false")


def test_only_tags_of_versions_are_released() -> None:
    """By trusted publishing, in an environment, after the build was checked."""
    workflow = WORKFLOWS["release.yml"]
    publish = workflow["jobs"]["publish"]
    commands = [words for job in ("build",) for words in runs("release.yml", job)]

    assert {"push": {"tags": ["v*"]}} == workflow["on"]
    assert ("build", "pypi") == (publish["needs"], publish["environment"])
    assert "startsWith(github.ref, 'refs/tags/v')" == publish["if"]
    assert ["twine", "check", "--strict", "dist/*"] in commands
    assert ["python", ".ci/check_tag.py", "$GITHUB_REF_NAME"] in commands

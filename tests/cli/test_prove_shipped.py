"""`prove --fail-on warning` passes for the README, the shipped policies and proposals of `init`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = {"type": "string"}
FIND = {"name": "find_order", "parameters": {"properties": {"email": TEXT}}}
LEND = {"name": "lend_book", "parameters": {"type": "object", "properties": {"copy_id": TEXT}}}


def has_policy(path: Path) -> bool:
    """Return whether a module declares an attribute `policy`."""
    return any(line.startswith("policy") for line in path.read_text().splitlines())


SHIPPED = sorted(path for path in (ROOT / "policies").glob("*.py") if has_policy(path))


def test_the_first_shield_of_the_readme(command, tmp_path: Path) -> None:
    """Default layers with nothing to check are notes, not warnings."""
    readme = (ROOT / "README.md").read_text()
    path = tmp_path / "first.py"
    path.write_text(readme.partition("```python\n")[2].partition("with firewall.session")[0])
    done = command("prove", f"{path}:firewall", "--fail-on", "warning")

    assert 0 == done.code, done.out
    assert "idle_default_layer" in done.out
    assert "0 errors, 0 warnings" in done.out


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_policy(path: Path, command) -> None:
    """Each policy in `policies/` is proved without a warning."""
    done = command("prove", f"{path}:policy", "--fail-on", "warning")

    assert 0 == done.code, done.out


@pytest.mark.parametrize("tools", [[FIND], [LEND], [FIND, LEND]])
def test_the_module_that_init_writes_is_proved(tools, command, tmp_path: Path) -> None:
    """The proposed policy has no warning, for each list of tools."""
    listed, path = tmp_path / "tools.json", tmp_path / "proposed.py"
    listed.write_text(json.dumps(tools))
    output = command("init", "--tools", str(listed), "-o", str(path))
    done = command("prove", f"{path}:policy", "--fail-on", "warning")

    assert (0, 0) == (output.code, done.code), done.out

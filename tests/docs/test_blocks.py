"""Every Python block of the README and of docs/ runs, and every part has its line there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from abs_shield import Policy
from abs_shield.layers import LAYERS
from abs_shield.policy import marks

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SKIPPED = "<!-- not executed -->"
RUN = """
import json, sys
name, blocks = json.load(sys.stdin)
sys.modules["page"] = page = type(sys)("page")
for line, source in blocks:
    exec(compile("\\n" * (line - 1) + source, name, "exec"), page.__dict__)
"""


def blocks(page: Path) -> list[tuple[int, str]]:
    """Line of its first statement, and source, of every block that is to run."""
    text = page.read_text(encoding="utf-8")
    found = []
    for block in FENCE.finditer(text):
        before = text[: block.start()]
        if not before.rstrip().endswith(SKIPPED):
            found.append((before.count("\n") + 2, block[1]))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_runs(page: Path, tmp_path: Path) -> None:
    """A page's blocks run in order, in one namespace, warnings being errors."""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN],
        input=json.dumps([page.name, blocks(page)]),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert ran.returncode == 0, ran.stderr[-3_000:]


def test_a_wrong_block_would_be_noticed(tmp_path: Path) -> None:
    """A block that fails fails this suite, at its own line."""
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n")
    ran = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps([page.name, blocks(page)]),
        capture_output=True,
        text=True,
    )

    assert (ran.returncode, True) == (1, 'File "page.md", line 8' in ran.stderr)


def test_a_skipped_block_does_not_run(tmp_path: Path) -> None:
    """Only the line before a block takes it out."""
    page = tmp_path / "page.md"
    page.write_text(f"{SKIPPED}\n```python\na\n```\n\n```python\nb\n```\n\n```text\nc\n```\n")

    assert blocks(page) == [(7, "b\n")]


@pytest.mark.parametrize("layer", LAYERS)
def test_every_layer_has_its_section(layer: str) -> None:
    """A layer has a row and a section with a block in docs/layers.md."""
    text = (ROOT / "docs" / "layers.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## {layer}\n")[2].partition("\n## ")[0]

    assert (f"| `{layer}` |" in text, "```python" in section) == (True, True)


@pytest.mark.parametrize("field", Policy.model_fields)
def test_every_field_has_its_row(field: str) -> None:
    """A field of the policy has a row with its default in docs/policy.md."""
    text = (ROOT / "docs" / "policy.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| `{field}` \| `(.+?)` \|", text, re.MULTILINE)
    default = Policy.model_fields[field].get_default()

    assert row in (repr(default), f'"{default}"', "Limits()" if field == "limits" else None)


@pytest.mark.parametrize("mark", ["Target", "Soft", "Free", "Creates", "Injected"])
def test_every_mark_has_its_row(mark: str) -> None:
    """A mark has a row in docs/policy.md."""
    text = (ROOT / "docs" / "policy.md").read_text(encoding="utf-8")

    assert (hasattr(marks, mark), f"| `{mark}(" in text) == (True, True)

"""A default layer is one file and one row, with its name where the rooms below read it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAYER = '''"""A price with cents, in a shop that has none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abs_shield.core import Finding, Unavailable, Verdict
from abs_shield.plan.proposal import Proposal
from abs_shield.session import Session


def odd_amount(proposal: Proposal, session: Session) -> Iterator[Finding | Unavailable]:
    """The agent refunds ``13.37``, but this shop has prices in whole dollars."""
    arguments: Any = proposal.arguments
    amount = arguments.get("amount") if isinstance(arguments, dict) else None
    if not isinstance(amount, float):
        yield Unavailable("no amount")
    elif not amount.is_integer():
        yield Finding(
            check="odd_amount",
            verdict=Verdict.SUSPICIOUS,
            strength=0.9,
            where="/arguments/amount",
            detail="not a whole number of dollars",
            code="odd_cents",
        )
'''
JUDGES = """
from abs_shield import Shield, ToolCall, shield
decision = Shield(shield.configure(), hooks=None).check_call(ToolCall("refund", {"amount": 13.37}))
print([finding.check for finding in decision.findings if finding.check == "odd_amount"])
"""
PROFILE = """
from hypothesis import settings
settings.register_profile("new", deadline=None, max_examples=15, derandomize=True)
settings.load_profile("new")
"""
SUITE = "tests/layers/test_every_layer.py"

pytestmark = pytest.mark.slow


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the package and of the layers' suite, to which a layer can be added."""
    shutil.copytree(
        ROOT / "abs_shield", tmp_path / "abs_shield", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in ("pyproject.toml", SUITE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "tests" / "conftest.py").write_text(PROFILE)
    return tmp_path


def python(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the copy of the package."""
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=checkout, env=environment, capture_output=True, text=True
    )


def suite(checkout: Path) -> subprocess.CompletedProcess[str]:
    """Run the suite of layers for the new layer and for the tables."""
    chosen = ("-k", "odd_amount or tables", "-p", "no:cacheprovider")
    return python(checkout, "-m", "pytest", "-q", *chosen, SUITE)


def add_row(checkout: Path) -> None:
    """Write the layer's file, and its row behind the last default layer."""
    (checkout / "abs_shield" / "layers" / "odd_amount.py").write_text(LAYER)
    table = checkout / "abs_shield" / "layers" / "__init__.py"
    text = table.read_text(encoding="utf-8")
    row = '    Layer("confidence_drop", '
    assert 1 == text.count(row)
    text = text.replace(row, '    Layer("odd_amount", odd_amount),\n' + row)
    text = text.replace(
        "from abs_shield.plan.layer", "from abs_shield.layers.odd_amount import odd_amount\n"
        "from abs_shield.plan.layer", 1
    )  # fmt: skip
    table.write_text(text, encoding="utf-8")


@pytest.mark.release
def test_the_suite_tells_what_a_row_lacks(checkout: Path) -> None:
    """With a file and a row, it fails for the name, which no policy knows yet, and shows it."""
    add_row(checkout)
    done = suite(checkout)

    assert 1 == done.returncode, done.stderr
    assert ["test_the_tables_hold_the_layers", "test_nothing_to_go_on_is_said"] == re.findall(
        r"^FAILED [^ ]+::(\w+)", done.stdout, re.MULTILINE
    )
    assert "no layer is named `odd_amount`" in done.stdout


def test_a_file_a_row_and_a_name_make_a_default_layer(checkout: Path) -> None:
    """The suite passes for it, a policy that names no layer runs it, and it is removed again."""
    names = checkout / "abs_shield" / "core" / "layer_names.py"
    before = names.read_text(encoding="utf-8")
    line = "    CONFIDENCE_DROP,\n)"
    assert 1 == before.count(line)
    add_row(checkout)
    names.write_text(before.replace(line, f'    "odd_amount",\n{line}'), encoding="utf-8")
    done = suite(checkout)

    assert 0 == done.returncode, done.stdout
    assert "['odd_amount']\n" == python(checkout, "-c", JUDGES).stdout

    shutil.copytree(ROOT / "abs_shield", checkout / "abs_shield", dirs_exist_ok=True)
    (checkout / "abs_shield" / "layers" / "odd_amount.py").unlink()
    assert "[]\n" == python(checkout, "-c", JUDGES).stdout

"""A new default layer needs one file and one row."""

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
from abs_shield.plan.layer import Layer
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


LAYER = Layer("odd_amount", odd_amount)
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

pytestmark = [pytest.mark.slow, pytest.mark.release]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of the package and of the layers' suite, to which a layer can be added."""
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
    """Run the layers' suite for the new layer and for the tables."""
    chosen = ("-k", "odd_amount or row", "-p", "no:cacheprovider")
    return python(checkout, "-m", "pytest", "-q", *chosen, SUITE)


def write_file(checkout: Path) -> None:
    """Write the layer's file."""
    (checkout / "abs_shield" / "layers" / "odd_amount.py").write_text(LAYER)


def test_a_file_and_a_row_make_a_default_layer(checkout: Path) -> None:
    """A layer with a file and a row passes the suite, runs by default and can be removed."""
    names = checkout / "abs_shield" / "core" / "vocabularies.py"
    before = names.read_text(encoding="utf-8")
    line = "    CONFIDENCE_DROP,\n)"
    assert 1 == before.count(line)
    write_file(checkout)
    names.write_text(before.replace(line, f'    "odd_amount",\n{line}'), encoding="utf-8")
    done = suite(checkout)

    assert 0 == done.returncode, done.stdout
    assert "['odd_amount']\n" == python(checkout, "-c", JUDGES).stdout

    shutil.copytree(ROOT / "abs_shield", checkout / "abs_shield", dirs_exist_ok=True)
    (checkout / "abs_shield" / "layers" / "odd_amount.py").unlink()
    assert "[]\n" == python(checkout, "-c", JUDGES).stdout


def test_suite_fails_for_a_file_without_a_row(checkout: Path) -> None:
    """A layer's file without a row has no effect, and the suite fails with its name."""
    write_file(checkout)
    done = suite(checkout)

    assert 1 == done.returncode, done.stderr
    assert ["test_every_layer_file_has_a_row"] == re.findall(
        r"^FAILED [^ ]+::(\w+)", done.stdout, re.MULTILINE
    )
    assert "odd_amount" in done.stdout
    assert "[]\n" == python(checkout, "-c", JUDGES).stdout

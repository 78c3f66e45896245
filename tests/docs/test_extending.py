"""docs/extending.md names existing files, tables and suites; the glossary is complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.test_blocks import blocks

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = [line.split(" | ") for line in PAGE.splitlines() if re.match(r"\| (?!part|--)", line)]
KINDS = (
    "layer", "signal", "claim check", "scorer", "verifier", "recogniser", "guardrail",
    "quality stage", "adapter", "store", "miner", "check of", "policy pack",
)  # fmt: skip
SECTIONS = dict(re.findall(r"^## An? (.+)\n((?:(?!## ).*\n)*)", PAGE, re.MULTILINE))
"""The text below each heading, by the kind of part."""

PACKAGE_ONLY = (
    "signal of a result", "claim check", "scorer", "miner of `abs-shield init`",
    "check of `abs-shield prove`",
)  # fmt: skip
"""Kinds of part that users cannot pass themselves."""


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_part_has_its_row(kind: str) -> None:
    """With a file, a table and a suite."""
    [row] = [row for row in ROWS if row[0].startswith(f"| {kind}")]

    assert 4 == len(row)
    assert "`tests/" in row[3]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip("| "))
def test_every_place_of_a_row_exists(row: list[str]) -> None:
    """Files of the package, folders of new files, and suites; a table is assigned in its file."""
    paths = re.findall(r"`([\w/]+/(?:[\w.]+)?)`", " | ".join(row[1:]))
    existing = [path for path in paths if "NAME" not in path]
    folders = [path.rpartition("NAME")[0] for path in paths if "NAME" in path]

    for path in (*existing, *folders):
        assert (ROOT / "abs_shield" / path).exists() or (ROOT / path).exists(), path
    for table, path in re.findall(r"`([A-Z_]+)` in `([\w/]+\.py)`", row[2]):
        source = ROOT / "abs_shield" / path
        text = (source if source.exists() else ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^{table}\b", text, re.MULTILINE), table


def test_every_kind_of_part_has_its_section() -> None:
    """In the order of the table, and no others."""
    kinds = [row[0].removeprefix("| ") for row in ROWS]

    assert len(KINDS) == len(kinds)
    assert kinds == [*SECTIONS]


@pytest.mark.parametrize("kind", SECTIONS)
def test_every_kind_of_part_has_an_executed_example(kind: str, tmp_path: Path) -> None:
    """Each section has a block that is executed and whose output is compared."""
    page = tmp_path / "section.md"
    page.write_text(SECTIONS[kind], encoding="utf-8")

    assert any(shown for _, _, _, shown, _ in blocks(page))
    assert "<!-- not executed -->" not in SECTIONS[kind]


@pytest.mark.parametrize("kind", PACKAGE_ONLY)
def test_an_example_runs_beside_the_rows_of_its_table(kind: str) -> None:
    """A part that users cannot pass is called as the others are, so that it follows their type."""
    [row] = [row for row in ROWS if row[0] == f"| {kind}"]
    [table] = re.findall(r"`([A-Z_]+)` in `[\w/]+\.py`", row[2])

    assert re.search(rf"^(?:for|checks =) .*\b{table}\b", SECTIONS[kind], re.MULTILINE)


def test_the_glossary_has_forty_words_in_order() -> None:
    """The words are sorted, and each has one sentence and a link."""
    rows = re.findall(r"^\| \[([^]]+)\]\([^)]+\) \| (.*) \|$", GLOSSARY, re.MULTILINE)
    words = [word for word, _ in rows]

    assert len(words) >= 40
    assert words == sorted(words)
    assert [] == [word for word, text in rows if not re.fullmatch(r"[A-Z][^.]*\.", text)]

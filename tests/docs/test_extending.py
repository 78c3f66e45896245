"""docs/extending.md names files, tables and suites that exist, and the glossary has its words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = [line.split(" | ") for line in PAGE.splitlines() if re.match(r"\| (?!part|--)", line)]
KINDS = (
    "layer", "signal", "claim check", "scorer", "verifier", "recogniser", "guardrail",
    "quality stage", "adapter", "store", "miner", "check of", "policy pack",
)  # fmt: skip


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


def test_users_parts_have_an_executed_example() -> None:
    """Seven kinds of part that a user may pass, and the pack, which is a user's module."""
    sections = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    shown = {section.partition("\n")[0] for section in sections if "```python" in section}

    assert {
        "A layer", "A verifier", "A recogniser of personal data", "A guardrail",
        "A quality stage", "An adapter", "A store", "A miner, a check of `prove`, a pack",
    } == shown  # fmt: skip
    assert "<!-- not executed -->" not in PAGE


def test_the_glossary_has_forty_words_in_order() -> None:
    """One sentence each, with a link; tests/docs/test_links.py follows the links."""
    rows = re.findall(r"^\| \[([^]]+)\]\([^)]+\) \| (.*) \|$", GLOSSARY, re.MULTILINE)
    words = [word for word, _ in rows]

    assert len(words) >= 40
    assert words == sorted(words)
    assert [] == [word for word, text in rows if not re.fullmatch(r"[A-Z][^.]*\.", text)]

"""README.md is shown on a package index, where relative links do not work."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from abs_shield.layers import LAYERS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FILES = "https://github.com/abs-shield/abs-shield/blob/main/"
RAW = "https://raw.githubusercontent.com/abs-shield/abs-shield/main/"
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def links(text: str) -> list[str]:
    """Return the targets of links and pictures outside code, of Markdown and of HTML."""
    prose = _CODE.sub("`code`", text)
    return re.findall(r"\]\(([^)\s]+)", prose) + re.findall(r'(?:href|src)="([^"]+)"', prose)


def anchors(path: Path) -> set[str]:
    """Return the headings of a page, as links name them."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    titles = (title.lower().replace("`", "") for title in _HEADING.findall(text))
    return {re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("link", links(README))
def test_every_link_is_absolute_and_has_a_target(link: str) -> None:
    """A link to the repository has an existing file and, if given, an existing heading."""
    assert link.startswith(("https://", "#"))
    for start in (FILES, RAW):
        if link.startswith(start):
            path, _, anchor = unquote(link.removeprefix(start)).partition("#")
            assert (ROOT / path).exists()
            assert not anchor or anchor in anchors(ROOT / path)


def test_a_relative_link_would_be_noticed() -> None:
    """Links of Markdown, pictures and HTML are all read; code is not."""
    text = '[a](docs/a.md) ![b](b.png "B") <img src="c.svg"> `[d](e)`\n```text\n[f](g)\n```\n'

    assert ["docs/a.md", "b.png", "c.svg"] == links(text)


def test_the_first_screen_installs_and_blocks() -> None:
    """The first block installs the package, the second is the example, the third its block."""
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)

    assert [("sh", "pip install abs-shield\n"), "python", "text"] == [
        blocks[0], blocks[1][0], blocks[2][0]
    ]  # fmt: skip
    assert "HALLUCINATED" in blocks[2][1]


def test_it_is_short() -> None:
    """Everything else has its page below docs/."""
    assert 60 <= len(README.splitlines()) <= 80


@pytest.mark.parametrize("layer", LAYERS)
def test_every_layer_has_its_row(layer: str) -> None:
    """With its verdict, and with what strict mode does by default."""
    (row,) = re.findall(rf"^\| `{layer}` \| (\w+) \| (\w+) \|", README, re.MULTILINE)

    assert row in {("HALLUCINATED", "blocks"), ("SUSPICIOUS", "flags")}


@pytest.mark.parametrize(
    "command",
    [
        "./install && .venv/bin/abs-shield demo",
        "./install dev && .venv/bin/python -m pytest -n auto",
    ],
)
def test_the_commands_of_a_checkout_are_single_lines(command: str) -> None:
    """`.ci/run` executes the command with pytest word for word."""
    assert command in README.splitlines()


def test_the_figures_of_speed_are_those_of_their_page() -> None:
    """Goals that are missed are counted in docs/overhead.md."""
    page = (ROOT / "docs" / "overhead.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|.*\| (yes|no) \|$", page.partition("\n\n")[2], re.MULTILINE)
    missed, goals = rows.count("no"), len(rows)

    assert f"{missed} of these {goals} goals are not reached" in page
    assert f"{missed} of the {goals} goals for speed and memory are missed" in README
    flagged = float(
        re.findall(r"^\| flagged call / clean call \| (\S+) \| 4 \|", page, re.MULTILINE)[0]
    )
    assert f"A flagged call takes {flagged:.0f} times as long as a clean one; the goal" in README

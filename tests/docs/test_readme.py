"""README.md is shown on a package index, where no relative link leads anywhere."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

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
def test_every_link_is_absolute_and_leads_somewhere(link: str) -> None:
    """A link into the repository names a file, and where it names a heading, one of its own."""
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

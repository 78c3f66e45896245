"""Every link of the pages has a target, and every page is reachable from the index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs" / "README.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def relative_path(page: Path) -> str:
    """Return the path of a page in the project."""
    return page.relative_to(ROOT).as_posix()


def links(page: Path) -> list[str]:
    """The relative links of a page, outside code."""
    matches = _LINK.findall(_CODE.sub("`code`", page.read_text(encoding="utf-8")))
    return [link for link in matches if not link.startswith(("http:", "https:", "mailto:"))]


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    titles = (title.lower().replace("`", "") for title in _HEADING.findall(text))
    return {re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-") for title in titles}


def broken_links(page: Path) -> list[str]:
    """Return the links of a page whose file or heading does not exist."""
    lost = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)
    return lost


def reachable_pages(start: Path) -> set[Path]:
    """Return the pages under docs/ that can be reached from *start* by links."""
    results, left = {start}, [start]
    while left:
        page = left.pop()
        ways = ((page.parent / link.partition("#")[0]).resolve() for link in links(page))
        for target in ways:
            if target.suffix == ".md" and target.is_file() and target not in results:
                results.add(target)
                left.append(target)
    return results


@pytest.mark.parametrize("page", PAGES, ids=relative_path)
def test_every_link_resolves(page: Path) -> None:
    """A link to a file finds it, and one to a heading finds the heading."""

    assert "" == ", ".join(broken_links(page))


def test_every_page_is_reachable() -> None:
    """Every page can be reached from docs/README.md."""
    lost = set(PAGES[1:]) - reachable_pages(INDEX)

    assert "" == ", ".join(sorted(map(relative_path, lost)))


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    """A missing file and a missing heading are reported; links in code are ignored."""
    page = tmp_path / "page.md"
    page.write_text("# A b\n\n[x](#a-b) [y](#c) [z](gone.md) `[q](r)` [w](https://example.com)\n")

    assert ["#c", "gone.md"] == broken_links(page)

"""Every link of the pages leads somewhere, and every page is found from the index."""

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


def named(page: Path) -> str:
    """A page's path in the project."""
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


def broken(page: Path) -> list[str]:
    """Links of a page that lead nowhere: no such file, or no such heading in it."""
    lost = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)
    return lost


def reached(start: Path) -> set[Path]:
    """The pages under docs/ that can be come to from *start*, link by link."""
    results, left = {start}, [start]
    while left:
        page = left.pop()
        ways = ((page.parent / link.partition("#")[0]).resolve() for link in links(page))
        for target in ways:
            if target.suffix == ".md" and target.is_file() and target not in results:
                results.add(target)
                left.append(target)
    return results


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_resolves(page: Path) -> None:
    """A link to a file finds it, and one to a heading finds the heading."""

    assert "" == ", ".join(broken(page))


def test_every_page_is_reachable() -> None:
    """Whoever starts at docs/README.md comes to every page."""
    lost = set(PAGES[1:]) - reached(INDEX)

    assert "" == ", ".join(sorted(map(named, lost)))


def test_a_broken_link_would_be_noticed(tmp_path: Path) -> None:
    """A missing file and a missing heading are named; links in code are none."""
    page = tmp_path / "page.md"
    page.write_text("# A b\n\n[x](#a-b) [y](#c) [z](gone.md) `[q](r)` [w](https://example.com)\n")

    assert ["#c", "gone.md"] == broken(page)

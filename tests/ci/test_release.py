"""The version, the citation and the community files of a release."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from abs_shield import __version__

yaml = pytest.importorskip("yaml", reason="needs `pip install abs-shield[yaml]`")

ROOT = Path(__file__).parents[2]
CITATION = yaml.load((ROOT / "CITATION.cff").read_text(encoding="utf-8"), yaml.BaseLoader)
REQUIRED = {"authors", "cff-version", "message", "title"}
"""Keys that version 1.2.0 of the Citation File Format requires."""

spec = importlib.util.spec_from_file_location("check_tag", ROOT / ".ci" / "check_tag.py")
assert spec is not None
assert spec.loader is not None
check_tag = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_tag)


def test_the_citation_has_its_required_keys() -> None:
    """All other keys are part of the citation format."""
    optional = {
        "abstract", "date-released", "keywords", "license", "repository-code", "type", "version",
    }  # fmt: skip

    assert REQUIRED <= CITATION.keys() <= REQUIRED | optional
    assert "1.2.0" == CITATION["cff-version"]
    assert [["name"]] == [[*author] for author in CITATION["authors"]]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", CITATION["date-released"])


def test_the_citation_names_this_version() -> None:
    """The version of the package, and its licence."""
    assert __version__ == CITATION["version"]
    assert "Apache-2.0" == CITATION["license"]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A folder with what a release of version 1.2.3 states."""
    (tmp_path / "abs_shield").mkdir()
    (tmp_path / "abs_shield" / "version.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [1.2.3] - 2030-01-02\n")
    (tmp_path / "CITATION.cff").write_text("title: x\nversion: 1.2.3\ndate-released: 2030-01-02\n")
    return tmp_path


def test_a_tag_of_this_version_may_be_released(release: Path) -> None:
    """Version, changelog and citation agree."""
    assert [] == check_tag.problems("v1.2.3", release)


@pytest.mark.parametrize(
    ("tag", "file", "text", "problem"),
    [
        ("v1.2.4", "LICENSE", "", "the tag is v1.2.4, but abs_shield/version.py says 1.2.3"),
        ("v1.2.3", "CHANGELOG.md", "## [Unreleased]\n", "CHANGELOG.md has no section"),
        ("v1.2.3", "CITATION.cff", "version: 1.2.2\n", "CITATION.cff does not name version 1.2.3"),
    ],
    ids=["tag", "changelog", "citation"],
)
def test_a_tag_with_another_version_than_a_file_is_refused(
    release: Path, tag: str, file: str, text: str, problem: str
) -> None:
    """The error names the file that has another version."""
    (release / file).write_text(text)
    (message,) = check_tag.problems(tag, release)

    assert message.startswith(problem)


@pytest.mark.parametrize("name", ["SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md"])
def test_links_of_the_pages_for_the_community(name: str) -> None:
    """Every relative link names a file that exists."""
    text = (ROOT / name).read_text(encoding="utf-8")
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s:]+)\)", text)]

    assert links or name == "CONTRIBUTING.md"
    assert [] == [link for link in links if link and not (ROOT / link).exists()]


@pytest.mark.parametrize(
    "heading",
    [
        "Supported versions",
        "Report a vulnerability",
        "What is promised",
        "What is not promised",
        "Threat model of the shield",
    ],
)
def test_the_security_page_has_its_sections(heading: str) -> None:
    """Each with text below it."""
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")

    assert len(text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].split()) > 20

"""The site has every page and every public name; `nox -s docs` builds it and checks its links."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

import abs_shield
from abs_shield import Session, Shield
from tests.rows import each_row

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SITE = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
REFERENCE = "".join(
    (DOCS / "api" / f"{page}.md").read_text(encoding="utf-8") for page in ("package", "rooms")
)
NAMES = re.findall(r"^::: (\S+)$", REFERENCE, re.MULTILINE)
WITH_INHERITED = re.findall(
    r"^::: (\S+)\n(?:    .*\n)*      inherited_members: ", REFERENCE, re.MULTILINE
)
NOT_SHOWN = frozenset({"place", "placed"})
"""Methods of every declaration, for messages that name the line of its source."""

spec = importlib.util.spec_from_file_location("site_hooks", DOCS / "site_hooks.py")
assert spec is not None
assert spec.loader is not None
site_hooks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(site_hooks)


def import_by_name(name: str) -> object:
    """Return the object with a full name."""
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


def test_every_page_is_in_the_navigation() -> None:
    """Each page of docs/ once, and no page that is not there."""
    pages = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))

    assert pages == sorted(re.findall(r"^ +- ([\w/]+\.md)$", SITE, re.MULTILINE))


def test_links_and_anchors_are_checked() -> None:
    """The strict build fails for each kind of broken link."""
    kinds = ("omitted_files", "not_found", "absolute_links", "anchors", "unrecognized_links")

    assert "\nstrict: true\n" in SITE
    assert [] == [kind for kind in kinds if f" {kind}: warn\n" not in SITE]


@each_row("name", NAMES)
def test_every_name_of_the_reference_exists(name: str) -> None:
    """Each name of the reference can be imported."""
    assert callable(import_by_name(name))


def test_the_reference_has_every_public_name() -> None:
    """All exports of the package except its version, and `configure` of its room."""
    exported = {f"abs_shield.{name}" for name in abs_shield.__all__} - {
        "abs_shield.__version__",
        "abs_shield.shield",
    }

    assert exported == {name for name in NAMES if name.count(".") == 1}
    assert "abs_shield.shield.configure" in NAMES


def inherited_methods(kind: object) -> set[str]:
    """Return the public methods and properties that a class has from bases of the package."""
    if not inspect.isclass(kind):
        return set()
    return {
        name
        for base in kind.__mro__[1:]
        if base.__module__.startswith("abs_shield.")
        for name, value in vars(base).items()
        if inspect.isfunction(value) or isinstance(value, (classmethod, property, staticmethod))
        if not name.startswith("_") and name not in vars(kind)
    }


def test_the_reference_shows_inherited_methods() -> None:
    """The site leaves out methods of a base class unless the entry of a class asks for them."""
    inheriting = [name for name in NAMES if inherited_methods(import_by_name(name)) - NOT_SHOWN]

    assert sorted(inheriting) == sorted(WITH_INHERITED)


@pytest.mark.parametrize("kind", [Shield, Session], ids=lambda kind: kind.__name__)
def test_every_argument_of_a_method_is_explained(kind: type) -> None:
    """The docstring names each argument or refers to a similar method."""
    lost = []
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        text = inspect.getdoc(method) or ""
        like = re.search(r"\b(?:as|like) `", text.partition("\n")[0], re.IGNORECASE)
        if name.startswith("_") or like or name == "guard_function":
            continue
        parameters = [word for word in inspect.signature(method).parameters if word != "self"]
        lost += [f"{name}: {word}" for word in parameters if not re.search(rf"\b{word}\b", text)]

    assert [] == lost


@pytest.mark.parametrize(
    ("page", "link", "shown"),
    [
        ("README.md", "../README.md", "blob/main/README.md"),
        ("layers/call_loop.md", "../policy.md#rules", "../policy.md#rules"),
        (
            "layers/call_loop.md",
            "../../CONTRIBUTING.md#release",
            "blob/main/CONTRIBUTING.md#release",
        ),
    ],
)
def test_links_out_of_the_docs_lead_into_the_repository(page: str, link: str, shown: str) -> None:
    """Links within the docs, and links in code, are unchanged."""
    text = f"[a]({link})\n```text\n[b](../README.md)\n```\n"
    there = SimpleNamespace(file=SimpleNamespace(src_uri=page))
    link_shown, _, rest = site_hooks.on_page_markdown(text, there).partition(")")

    assert link_shown.endswith(shown)
    assert rest == "\n```text\n[b](../README.md)\n```\n"


def test_a_link_to_nothing_stops_the_build() -> None:
    """A file outside of docs/ that does not exist."""
    with pytest.raises(FileNotFoundError, match=r"gone\.md"):
        site_hooks.outward("../gone.md", "README.md")

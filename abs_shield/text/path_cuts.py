"""Steps of a path or a URL: where to cut it, and which steps need no mention."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from posixpath import normpath
from urllib.parse import unquote

_PLAIN = re.compile(r"[^\W\d_]{1,24}(?:[-_ ][^\W\d_]{1,24}){0,2}")
_CONVENTIONAL = frozenset(
    "readme readme.md readme.rst readme.txt license license.md license.txt changelog changelog.md "
    "contributing.md makefile dockerfile docker-compose.yml docker-compose.yaml compose.yaml "
    "package.json package-lock.json tsconfig.json pyproject.toml setup.py setup.cfg "
    "requirements.txt pipfile cargo.toml cargo.lock go.mod go.sum pom.xml build.gradle gemfile "
    "composer.json cmakelists.txt index.html index.js index.ts main.py app.py __init__.py "
    "__main__.py conftest.py main.go main.rs lib.rs .gitignore .env.example robots.txt "
    "sitemap.xml favicon.ico llms.txt codeowners values.yaml chart.yaml src lib test tests docs "
    "app public assets static config scripts build dist bin examples components utils packages "
    "node_modules .github templates".split()
)

_REVISION = re.compile(
    r"(?:(?:fetch_|orig_|merge_)?head|@)(?:[~^]\d{0,4})*|@\{\w{1,12}\}", re.IGNORECASE
)
_ALIKE = 0.6  # the cutoff of `difflib.get_close_matches`; mio and mia have 0.67


def cut_positions(path: str) -> list[int]:
    """
    Return the positions where a path may be cut, last first; a URL keeps its host.

    >>> cut_positions("https://x.org/a/b"), cut_positions("/etc/app/a.txt")
    ([15, 13], [8, 4])
    """
    scheme = path.find("://")
    # 1: a path is not cut at its root
    first = path.find("/", scheme + 3) if scheme >= 0 else 1
    if first < 0:
        return []
    return [at for at in range(len(path) - 1, first - 1, -1) if path[at] == "/"]


def is_plain_step(step: str) -> bool:
    """
    Return whether a step consists of words, without digits or a file extension.

    >>> [is_plain_step(step) for step in ("releases", "place_id", "a1b2", "b.txt")]
    [True, True, False, False]
    """
    return _PLAIN.fullmatch(step.strip(".")) is not None


def is_conventional(step: str) -> bool:
    """
    Return whether many projects have a file or folder of this name.

    >>> is_conventional("README.md"), is_conventional("report.md")
    (True, False)
    """
    return step.casefold() in _CONVENTIONAL


def resolve_parent_steps(path: str) -> str:
    """
    Return the destination of a path with a parent step behind a named one; else empty.

    >>> [resolve_parent_steps(path) for path in ("/srv/app/../x", "/srv/app%2f..", "../a", "a")]
    ['/srv/x', '/srv', '', '']
    """
    plain = unquote(path.strip()).replace("\\", "/")
    # Most paths have no parent step; in a URL, the server decides what it means.
    if "/.." not in plain or "://" in plain:
        return ""
    way = normpath(plain)
    steps = [step for step in plain.split("/") if step not in ("", ".")]
    leading = next((n for n, step in enumerate(steps) if step != ".."), len(steps))
    return way if ".." in steps[leading:] else ""


def is_revision(text: str) -> bool:
    """
    Return whether a revision is relative to the current one, as in version control.

    >>> [is_revision(text) for text in ("HEAD~1", "@{u}", "HEAD^^", "main")]
    [True, True, True, False]
    """
    return _REVISION.fullmatch(text.strip()) is not None


def is_misspelt_path(path: str, other: str) -> bool:
    """
    Return whether *path* is *other* with one step misspelt.

    >>> is_misspelt_path("/srv/mio/a.pdf", "/srv/mia/a.pdf")
    True
    >>> is_misspelt_path("/srv/lib", "/srv/src")
    False
    """
    steps, others = path.split("/"), other.split("/")
    apart = [pair for pair in zip(steps, others, strict=False) if pair[0] != pair[1]]
    return len(steps) == len(others) and len(apart) == 1 and _spelt_alike(*apart[0])


def _spelt_alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE

"""Hooks of mkdocs: links out of docs/ lead into the repository; versions exist where mike runs."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
REPOSITORY = "https://github.com/abs-shield/abs-shield/blob/main/"
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((\.\./[^)\s]+)\)")


def outward(link: str, page: str) -> str:
    """
    Return a relative link of a page as it stands on the site.

    Args:
        link: The link, which begins with ``../``.
        page: The page's path below docs/.

    Raises:
        FileNotFoundError: The repository has no such file.
    """
    path, _, anchor = link.partition("#")
    target = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), path))
    if target.startswith("docs/"):
        return link
    if not (DOCS.parent / target).exists():
        raise FileNotFoundError(f"docs/{page} links to {target}")
    return f"{REPOSITORY}{target}{'#' if anchor else ''}{anchor}"


def on_config(config: Any) -> Any:
    """Leave the list of versions away where `mike`, which writes it, does not build the site."""
    if "MIKE_DOCS_VERSION" not in os.environ:
        config.extra.pop("version", None)
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrite the links of a page outside its blocks of code."""

    def rewritten(text: str) -> str:
        return _LINK.sub(lambda link: f"]({outward(link[1], page.file.src_uri)})", text)

    parts, end = [], 0
    for block in _FENCE.finditer(markdown):
        parts += [rewritten(markdown[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*parts, rewritten(markdown[end:])])

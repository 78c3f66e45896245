"""Lexical checks of where a path leads: POSIX and Windows, encoded or not."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote

LONGEST = 4_096
"""The longest path that systems accept: `PATH_MAX` of Linux."""

_SEPARATORS = re.compile(r"[/\\]+")
_DRIVE = re.compile(r"[A-Za-z]:")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:[/\\]")
_OVERLONG = re.compile("%c0%a([ef])", re.IGNORECASE)
"""Dot and slash in overlong UTF-8, which careless decoders accept."""
_DECODED = 3  # times: a proxy, a framework and the tool may each decode the path once


def decoded_spellings(path: str) -> set[str]:
    """
    Return *path* and the forms that a tool could decode or normalise it to.

    >>> sorted(decoded_spellings("a%252e")), sorted(decoded_spellings("a"))
    (['a%252e', 'a%2e', 'a.'], ['a'])
    """
    text = _OVERLONG.sub(lambda code: "." if code[1] in "eE" else "/", path)
    spellings = {path, text}
    for _ in range(_DECODED):
        text = unquote(text)
        spellings.add(text)
    # full-width dots and slashes become plain ones
    return spellings | {unicodedata.normalize("NFKC", one) for one in spellings}


def path_steps(path: str) -> list[str]:
    r"""
    Return the folders and the name of *path*, without ``.`` steps.

    >>> path_steps("/srv/./a.txt"), path_steps("C:\\a\\b")
    (['srv', 'a.txt'], ['C:', 'a', 'b'])
    """
    return [step for step in _SEPARATORS.split(path) if step not in ("", ".")]


def has_parent_step(path: str) -> bool:
    """
    Return whether a path has a parent step, also in Windows' spellings of it.

    >>> [has_parent_step(path) for path in ("a/../b", "a/.. /b", "a/..b", "a/...")]
    [True, True, False, True]
    """
    # Windows ignores blanks and full stops behind a name
    return any(len(step) > 1 and not step.strip(" .") and ".." in step for step in path_steps(path))


def is_absolute(path: str) -> bool:
    r"""
    Return whether a path is absolute: from a root, a drive, a home or another machine.

    >>> [is_absolute(one) for one in ("/a", "~/a", "C:a", "\\\\host\\a", "file:///a", "a")]
    [True, True, True, True, True, False]
    """
    return path[:1] in ("/", "\\", "~") or bool(_DRIVE.match(path) or _SCHEME.match(path))


def is_inside(path: str, root: str) -> bool:
    r"""
    Return whether *path*, relative or absolute, stays in *root*; links are not followed.

    >>> is_inside("a/b.txt", "/srv"), is_inside("/srv/a", "/srv"), is_inside("/srv2/a", "/srv")
    (True, True, False)
    >>> is_inside("c:/DATA/a", "C:\\data"), is_inside("/Srv/a", "/srv")
    (True, False)
    """
    if "\0" in path or has_parent_step(path):  # functions in C read a path up to the null character
        return False
    windows = bool(_DRIVE.match(root)) or root.startswith("\\\\")
    if not is_absolute(path):
        return not (windows and ":" in path)  # a drive, or an alternate stream of a file
    below, above = _whole(path, folded=windows), _whole(root, folded=windows)
    return below[0] == above[0] and below[1][: len(above[1])] == above[1]


def _whole(path: str, *, folded: bool) -> tuple[str, list[str]]:
    """Return the start and the steps of a path, as the file system compares them."""
    text = path.casefold() if folded else path
    start = "\\\\" if _SEPARATORS.match(text) and text[1:2] in ("/", "\\") else text[:1]
    if folded:
        # as Windows does when it opens the file
        steps = [step.rstrip(" .") for step in path_steps(text)]
        return (start if start == "\\\\" else "", steps)
    return (start if start in ("/", "~") else "", path_steps(text))

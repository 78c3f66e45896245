"""Rules for files and paths, judged only by their text: links are not followed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from abs_shield.errors import PolicyError
from abs_shield.policy.rule import Rule
from abs_shield.policy.rule_factory import Tools, build_rule, one_of_text, quoted_names, word_set
from abs_shield.text.destinations import (
    LONGEST,
    decoded_spellings,
    has_parent_step,
    is_absolute,
    is_inside,
    path_steps,
)
from abs_shield.text.json_leaves import texts
from abs_shield.text.safe_display import escaped, shown


def inside(root: str, *, tool: Tools, parameter: str = "path") -> Rule:
    r"""
    A path stays inside one folder, however it is spelled.

    Rejects parent steps, other roots, home folders, drives, hosts, schemes and NUL bytes, even
    percent-encoded or in full-width characters. A relative path starts at *root*.

    Args:
        root: An absolute folder, such as ``/srv/data`` or ``C:\data``.

    >>> inside("/srv/data", tool="read_file").sentence
    '`path` stays inside /srv/data.'
    """
    # A relative root would depend on the working directory of the process.
    if not isinstance(root, str) or not is_absolute(root) or has_parent_step(root):
        raise PolicyError(f"`files.inside` got {shown(root)}; give an absolute folder")

    def check(paths: Any) -> bool:
        return _every_spelling(paths, lambda one: is_inside(one, root))

    sentence = f"{quoted_names(parameter)} stays inside {escaped(root, limit=200)}."
    return build_rule(
        check, tool=tool, takes={"paths": parameter}, sentence=sentence, tries=("a", "../a", root)
    )


def no_hidden(*, tool: Tools, parameter: str = "path") -> Rule:
    """
    No step of a path is a hidden file or folder, such as ``.env`` or ``.git``.

    >>> no_hidden(tool="read_file").sentence
    '`path` names no hidden file or folder.'
    """

    def check(paths: Any) -> bool:
        return _every_spelling(paths, _is_open)

    sentence = f"{quoted_names(parameter)} names no hidden file or folder."
    return build_rule(
        check, tool=tool, takes={"paths": parameter}, sentence=sentence, tries=("a", ".env")
    )


def extensions(endings: Any, *, tool: Tools, parameter: str = "path") -> Rule:
    """
    A file's name has one of these extensions, in upper or lower case.

    >>> extensions([".csv", ".txt"], tool="export").sentence
    'The ending of `path` is one of .csv, .txt.'
    """
    suffixes = word_set(endings, of="files.extensions")
    # With the dot, or `csv` would also allow `notcsv`.
    allowed = tuple(sorted("." + ending.casefold().removeprefix(".") for ending in suffixes))

    def check(paths: Any) -> bool:
        return _every_spelling(paths, lambda one: _has_ending(one, allowed))

    sentence = f"The ending of {quoted_names(parameter)} is {one_of_text(allowed)}."
    return build_rule(
        check,
        tool=tool,
        takes={"paths": parameter},
        sentence=sentence,
        tries=["a", *(f"a{ending}" for ending in allowed)],
    )


def plain_name(*, tool: Tools, parameter: str = "filename") -> Rule:
    """
    A file's name has no folder, no drive and no parent step.

    >>> plain_name(tool="create_file").sentence
    '`filename` is a name without folders.'
    """

    def check(names: Any) -> bool:
        return _every_spelling(names, _is_name)

    sentence = f"{quoted_names(parameter)} is a name without folders."
    return build_rule(
        check, tool=tool, takes={"names": parameter}, sentence=sentence, tries=("a", "a/b")
    )


def no_wildcards(*, tool: Tools, parameter: str = "path") -> Rule:
    """
    A path names a single file: it contains no ``*`` and no ``?``.

    >>> no_wildcards(tool="delete_file").sentence
    '`path` holds no `*` and no `?`.'
    """

    def check(paths: Any) -> bool:
        return _every_spelling(paths, lambda one: not {"*", "?"} & {*one})

    sentence = f"{quoted_names(parameter)} holds no `*` and no `?`."
    return build_rule(
        check, tool=tool, takes={"paths": parameter}, sentence=sentence, tries=("a", "*")
    )


def _every_spelling(paths: Any, holds: Callable[[str], bool]) -> bool:
    """Return whether *holds* is true for every spelling of every path; False for a long text."""
    # No system opens a longer path, and decoding it would be slow.
    return all(
        len(path) <= LONGEST and all(map(holds, decoded_spellings(path))) for path in texts(paths)
    )


def _is_open(path: str) -> bool:
    # `.` and `..` are not hidden names; `inside` judges them.
    return not any(step.startswith(".") and step.strip(".") for step in path_steps(path))


def _has_ending(path: str, allowed: tuple[str, ...]) -> bool:
    # A system that ends a name at NUL would open another file.
    return "\0" not in path and path.casefold().endswith(allowed)


def _is_name(path: str) -> bool:
    whole = not ({"/", "\\", "\0"} & {*path} or is_absolute(path) or has_parent_step(path))
    return whole and path not in ("", ".")

"""The API reference explains every argument of every public name."""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from abs_shield.stores import MemoryStore, PostgresStore, SqliteStore, Store
from tests.docs.test_site import NAMES, import_by_name
from tests.rows import each_row

ONLY_FOR_AN_ERROR = {"unnamed", "misplaced", "unrecognized"}
"""Arguments that nobody may pass: they exist so that the error says what to write instead."""
TWIN = re.compile(r"(?:[Dd]o the same as|like|as) `\w+`")
"""A docstring that refers to another function, whose arguments it takes."""
SECTION = re.compile(r"(\w+):")
ENTRY = re.compile(r"    \*{0,2}(\w+):")


def documented_names(docstring: str | None) -> set[str]:
    """Return the names that a docstring explains under ``Args:`` or ``Attributes:``."""
    results: set[str] = set()
    section = ""
    for line in inspect.cleandoc(docstring or "").splitlines():
        if (heading := SECTION.fullmatch(line)) is not None:
            section = heading[1]
        elif section in ("Args", "Attributes") and (entry := ENTRY.match(line)) is not None:
            results.add(entry[1])
    return results


def functions(name: str) -> Iterator[tuple[str, Any, set[str]]]:
    """Yield a public function, or a class and its public methods, with what is explained."""
    target: Any = import_by_name(name)
    if not inspect.isclass(target):
        yield name, target, documented_names(target.__doc__)
        return
    if not issubclass(target, (BaseException, Enum)) and not getattr(target, "_is_protocol", False):
        docstrings = [one.__doc__ for one in target.__mro__ if one.__module__ != "builtins"]
        docstrings.append(target.__init__.__doc__)
        yield name, target, set[str]().union(*map(documented_names, docstrings))
    for method, value in inspect.getmembers(target):
        function = getattr(value, "__func__", value)
        is_ours = (getattr(function, "__module__", "") or "").startswith("abs_shield")
        if not method.startswith("_") and inspect.isfunction(function) and is_ours:
            yield f"{name}.{method}", function, documented_names(function.__doc__)


def parameters(function: Any) -> list[str]:
    """Return the names of the arguments that a caller may pass."""
    try:
        names = inspect.signature(function).parameters
    except (TypeError, ValueError):  # of a class that is written in C
        return []
    hidden = {"self", "cls", *ONLY_FOR_AN_ERROR}
    return [name for name in names if name not in hidden and not name.startswith("_")]


def is_explained_elsewhere(name: str, function: Any) -> bool:
    """Return whether another function has the arguments: a twin, or the method of a protocol."""
    if name.startswith("abs_shield.stores.") and hasattr(Store, name.rpartition(".")[2]):
        return True
    return TWIN.search((function.__doc__ or "").strip().partition("\n")[0]) is not None


@each_row("name", NAMES)
def test_every_argument_is_explained(name: str) -> None:
    """The arguments of functions, classes and public methods are in their docstrings."""
    missing = {
        label: left
        for label, function, names in functions(name)
        if (left := [one for one in parameters(function) if one not in names])
        and not is_explained_elsewhere(label, function)
    }

    assert {} == missing


def test_a_store_has_the_methods_of_the_protocol(tmp_path: Path) -> None:
    """Each store implements the protocol, whose docstrings explain the arguments."""
    durable = SqliteStore(tmp_path / "log.db")
    with contextlib.closing(durable):
        assert isinstance(durable, Store)
    assert isinstance(MemoryStore(), Store)
    assert issubclass(PostgresStore, type(durable).__base__)

"""Long tables of short checks: one test for a group of rows, which names every row that fails."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

_MOST_CHARACTERS = 300
"""Of a row in the message of a failure."""


def each_row(
    names: str | tuple[str, ...],
    rows: Iterable[Any],
    *,
    size: int = 40,
    ids: Callable[[Any], object] = str,
) -> Callable[[Callable[..., None]], pytest.MarkDecorator]:
    """
    Check a function for each row, as `pytest.mark.parametrize` does, *size* rows in a test.

    pytest needs four milliseconds for each test, more than most rows of a long table. A test goes
    on after a row that fails, and fails with the errors of all such rows. The rows of a test share
    its fixtures: they must not change them.

    Args:
        names: Names of the function's parameters that a row has values of.
        rows: A value for each name, or, for a single name, its value.
        size: Rows in a test; it should take less than half a second.
        ids: Returns a row's name in the message of a failure.
    """
    parameters = (names,) if isinstance(names, str) else names
    listed = [*rows]
    groups = [listed[start : start + size] for start in range(0, len(listed), size)]
    places = [f"rows {n * size + 1} to {n * size + len(group)}" for n, group in enumerate(groups)]

    def decorate(function: Callable[..., None]) -> pytest.MarkDecorator:
        def failure_of(row: Any, fixtures: dict[str, Any]) -> BaseException | None:
            values = (row,) if isinstance(names, str) else _values(row)
            try:
                function(**dict(zip(parameters, values, strict=True)), **fixtures)
            except (Exception, pytest.fail.Exception) as failure:
                failure.add_note(f"row: {_name(row, ids)[:_MOST_CHARACTERS]}")
                return failure
            return None

        @functools.wraps(function)
        def check(rows_of_table: list[Any], **fixtures: Any) -> None:
            results = [failure_of(row, fixtures) for row in rows_of_table]
            failures = [failure for failure in results if failure is not None]
            if failures:
                counts = f"{len(failures)} of {len(rows_of_table)} rows fail"
                raise BaseExceptionGroup(counts, failures)

        signature = inspect.signature(function)
        table = inspect.Parameter("rows_of_table", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        fixtures = [each for each in signature.parameters.values() if each.name not in parameters]
        check.__signature__ = signature.replace(parameters=[table, *fixtures])  # type: ignore[attr-defined]
        return pytest.mark.parametrize("rows_of_table", groups, ids=places)(check)

    return decorate


def _values(row: Any) -> Any:
    """Return the values of a row, which may be a `pytest.param`."""
    return row.values if hasattr(row, "marks") else row


def _name(row: Any, ids: Callable[[Any], object]) -> str:
    return f"{row.id}: {row.values}" if hasattr(row, "marks") else str(ids(row))

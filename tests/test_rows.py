"""A test of many rows names each row that fails."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rows import each_row


def groups(test: Any) -> Any:
    """Return the groups of rows that pytest calls a test with."""
    (mark,) = test.pytestmark
    return mark.args[1]


def test_every_row_that_fails_is_named() -> None:
    """Rows behind one that fails are checked, and each error has its row."""

    def is_even(number: int, word: str) -> None:
        assert number % 2 == 0, word

    test = each_row(("number", "word"), [(1, "a"), (2, "b"), pytest.param(3, "c", id="last")])
    with pytest.raises(ExceptionGroup, match="2 of 3 rows fail") as raised:
        test(is_even)(groups(test(is_even))[0])

    assert [["row: (1, 'a')"], ["row: last: (3, 'c')"]] == [
        failure.__notes__ for failure in raised.value.exceptions
    ]


def test_a_missing_exception_is_a_failure_of_its_row() -> None:
    """The failures of `pytest.raises` and `pytest.fail` are named, too."""

    def is_refused(number: int) -> None:
        with pytest.raises(ZeroDivisionError):
            assert 1 / number

    test = each_row("number", [0, 5])(is_refused)
    with pytest.raises(BaseExceptionGroup) as raised:
        test(groups(test)[0])

    assert [["row: 5"]] == [failure.__notes__ for failure in raised.value.exceptions]


def test_rows_are_grouped() -> None:
    """Each row is in one group, in order."""

    def any_number(number: int) -> None:
        """Accept it."""

    test = each_row("number", range(5), size=2)(any_number)

    assert [[0, 1], [2, 3], [4]] == groups(test)


@each_row("number", [1, 2])
def test_fixtures_are_shared_by_rows(number: int, tmp_path: Any) -> None:
    """A test of rows may have fixtures."""
    assert tmp_path.is_dir()
    assert number > 0

"""The names that `abs_shield.testing` gives."""

from __future__ import annotations

import pytest

from abs_shield import testing


@pytest.mark.parametrize("name", testing.__all__)
def test_every_name_is_there(name):
    """It is imported when it is used, and is listed by `dir`."""

    assert (True, True) == (hasattr(testing, name), name in dir(testing))


def test_another_name_is_not():
    """A misspelt name is an AttributeError, as of any module."""
    with pytest.raises(AttributeError, match="no attribute 'assert_blokced'"):
        _ = testing.assert_blokced

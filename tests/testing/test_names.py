"""The public names of `abs_shield.testing`."""

from __future__ import annotations

import pytest

from abs_shield import testing


@pytest.mark.parametrize("name", testing.__all__)
def test_every_public_name_is_importable(name):
    """Each name of `__all__` is an attribute of the module and listed by `dir`."""

    assert (True, True) == (hasattr(testing, name), name in dir(testing))


def test_unknown_name_raises_attribute_error():
    """An unknown name raises an AttributeError."""
    with pytest.raises(AttributeError, match="no attribute 'assert_blokced'"):
        _ = testing.assert_blokced

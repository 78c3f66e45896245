"""The public names of `abs_shield.answer` are imported lazily."""

from __future__ import annotations

import pytest

from abs_shield import answer, model
from tests.processes import run_python

LISTED = """
import sys
from abs_shield.answer import {names}
print(sorted(n for n in {heavy} if n in sys.modules))
"""
HEAVY = ["openai", "torch", "transformers", "numpy", "asyncio", "opentelemetry.sdk"]


@pytest.mark.parametrize(
    ("room", "name"), [(room, name) for room in (answer, model) for name in room.__all__]
)
def test_every_public_name_is_importable(room, name):
    """Each name of `__all__` is an attribute of the package and listed by `dir`."""

    assert (True, True) == (hasattr(room, name), name in dir(room))


@pytest.mark.parametrize("room", [answer, model])
def test_unknown_name_raises_attribute_error(room):
    """An unknown name raises an AttributeError."""
    with pytest.raises(AttributeError, match="no attribute 'chekced'"):
        _ = room.chekced


def test_nothing_heavy_is_imported():
    """Importing the names imports no SDK and no model library."""
    source = LISTED.format(names=", ".join(answer.__all__), heavy=HEAVY)
    ran = run_python("-c", source, check=False)

    assert ("[]\n", "") == (ran.stdout, ran.stderr)


def test_shield_does_not_import_the_answer_package():
    """A program that checks no answer does not import the answer package."""
    source = (
        "import sys; from abs_shield import Shield, shield\n"
        "Shield(shield.configure(), hooks=None)\n"
        "print([n for n in sys.modules if n.startswith('abs_shield.answer.')])"
    )
    ran = run_python("-c", source, check=False)

    assert ("[]\n", "") == (ran.stdout, ran.stderr)

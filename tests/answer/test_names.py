"""The names of the room: imported when they are asked for, and nothing heavy before."""

from __future__ import annotations

import subprocess
import sys

import pytest

from abs_shield import answer, model

LISTED = """
import sys
from abs_shield.answer import {names}
print(sorted(n for n in {heavy} if n in sys.modules))
"""
HEAVY = ["openai", "torch", "transformers", "numpy", "asyncio", "opentelemetry.sdk"]


@pytest.mark.parametrize(
    ("room", "name"), [(room, name) for room in (answer, model) for name in room.__all__]
)
def test_every_name_is_there(room, name):
    """It is imported when it is used, and is listed by `dir`."""

    assert (True, True) == (hasattr(room, name), name in dir(room))


@pytest.mark.parametrize("room", [answer, model])
def test_another_name_is_not(room):
    """A misspelt name is an AttributeError, as of any module."""
    with pytest.raises(AttributeError, match="no attribute 'chekced'"):
        _ = room.chekced


def test_nothing_heavy_is_imported():
    """No SDK and no library of models comes with the names."""
    source = LISTED.format(names=", ".join(answer.__all__), heavy=HEAVY)
    ran = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60)

    assert ("[]\n", "") == (ran.stdout, ran.stderr)


def test_a_shield_imports_no_answer_room():
    """A program that checks no answer does not pay for one."""
    source = (
        "import sys; from abs_shield import Shield, shield\n"
        "Shield(shield.configure(), hooks=None)\n"
        "print([n for n in sys.modules if n.startswith('abs_shield.answer.')])"
    )
    ran = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60)

    assert ("[]\n", "") == (ran.stdout, ran.stderr)

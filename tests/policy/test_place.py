"""A declaration has its place in the source, which comparisons ignore."""

from __future__ import annotations

import copy
import pickle
from inspect import currentframe
from typing import Any

import pytest

from abs_shield import Shield, Suppression, Tool, inverse, shield, shielded
from abs_shield.policy.declaration_base import SourceLocation


def line() -> int:
    """Return the line of the caller."""
    frame = currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno


def test_each_declaration_has_its_place() -> None:
    """The line is that of the user's own call."""
    result: list[Any] = [
        (Tool(name="t"), line()),
        (Suppression(check="call_loop", reason="x"), line()),
        (inverse("a", "b", same="id"), line()),
        (shield.configure(mode="audit"), line()),
        (shield.configure({"mode": "audit"}), line()),
    ]

    assert [(__file__, at) for _, at in result] == [
        (each.place.file, each.place.line) for each, _ in result
    ]


def test_a_decorated_tool_has_the_place_of_its_function() -> None:
    """The place of a decorated tool is its decorator."""
    firewall = Shield(shield.configure(), hooks=None)

    @shielded(firewall)
    def lend() -> None:
        """Lend a book."""

    place = firewall.registry["lend"].plan.tool.place

    assert (__file__, True) == (place.file, 0 < line() - place.line < 10)


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copy_keeps_its_place(again: Any) -> None:
    """Copies and pickles have the same place."""
    tool = Tool(name="t")

    assert (tool.place.line, tool) == (again(tool).place.line, again(tool))


def test_the_place_is_ignored() -> None:
    """Equality, text and revision do not depend on the place."""
    first = shield.configure(tools=[Tool(name="a")], inverses=[inverse("a", "b", same="id")])
    other = shield.configure(tools=[Tool(name="a")], inverses=[inverse("a", "b", same="id")])

    assert first.place.line != other.place.line
    assert (first, first.revision, repr(first)) == (other, other.revision, repr(other))
    assert "place" not in repr(first)


def test_a_place_can_be_set() -> None:
    """A declaration that is read from a file has its place in that file."""
    tool = Tool(name="t").placed(SourceLocation("tools.json", 7))

    assert ("tools.json:7", Tool(name="t")) == (str(tool.place), tool)

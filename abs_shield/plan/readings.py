"""Other ways to say what a soft argument names, by the kind of thing that its parameter holds."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.plan.names import is_place
from abs_shield.plan.targets import Argument
from abs_shield.text.leaves import name_of
from abs_shield.text.places import bare, elsewhere

_FIRM = frozenset(
    "inc ltd llc llp plc corp corporation co company gmbh ag kg se sa s.a sarl srl spa ab a/s "
    "as oy bv nv pty group holding holdings limited incorporated foundation bank".split()
)


def readings(argument: Argument) -> Iterator[str]:
    """
    Give other texts whose mention makes *argument* a known one.

    A place is known where its smallest part is, under one of its names; a firm, by its first
    word.
    """
    if is_place(name_of(argument.path)) or "," in argument.text:
        place = bare(argument.text)
        yield place
        yield from elsewhere(place)
    first, *rest = argument.text.split()
    if any(word.strip(".,").casefold() in _FIRM for word in rest):
        yield first

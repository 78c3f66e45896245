"""Identifiers in the result of a call: of what it made, or of what it was action to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from abs_shield.plan.parameter_names import classify_name
from abs_shield.plan.tool_action import ToolAction
from abs_shield.text.fields import labelled
from abs_shield.text.leaves import Path, data_of, leaves, name_of, scalar_text
from abs_shield.text.names import name_words
from abs_shield.text.normal import normal
from abs_shield.text.shape import is_code

_BARE = frozenset("number no num key ref reference".split())
"""Names of a record's own number, where nothing else is said of it."""
_HOLDS_RESULT = frozenset({"result", "data", "response", "value", "output"})
_LEAST_BARE = 2
"""The least number that such a field holds as an id: 0 and 1 often say how it went."""
_NAMED = re.compile(r"(?=.*\d)[\w#/-]{2,40}")
"""A word with a digit, such as ``H-1``."""
_MOST_NEAR = 200
_MOST_RETURNED = 2_000
"""Values of one result: behind the first 200 only those outside of lists, which may be long."""
_LONGEST = 64
_MOST_TEXT = 16 * 1024


def entity_text(leaf: Any) -> str | None:
    """
    Return a scalar as text; a whole number is one however JSON writes it.

    >>> entity_text(7), entity_text(7.0), entity_text("7.0"), entity_text(None)
    ('7', '7', '7.0', None)
    """
    if isinstance(leaf, float) and leaf.is_integer():
        leaf = int(leaf)
    return scalar_text(leaf)


def identifiers(value: Any) -> Iterator[str]:
    """
    Yield the identifiers in a result: what stands under a name such as ``id``, or is a code.

    >>> list(identifiers({"data": {"ticket": {"id": 4711, "title": "Leak"}}}))
    ['4711']
    """
    for path, leaf in _scalars(value):
        text = entity_text(leaf)
        if text and len(text) <= _LONGEST:
            if classify_name(name_of(path)) in ("hard", "who") or is_code(text):
                yield normal(text).strip()
        elif text:
            fields = islice(labelled(text[:_MOST_TEXT]), _MOST_NEAR)
            yield from (normal(value) for name, value in fields if classify_name(name) == "hard")


def numbers(value: Any, action: ToolAction) -> Iterator[str]:
    """
    Yield what in a result may identify what was made, though no name says so.

    Whole numbers, and words with a digit, under a name that says no more than the tool's noun; a
    number that is all that was returned.

    >>> from abs_shield.plan.tool_action import parse_action
    >>> list(numbers({"event": {"number": 17, "seats": 40}}, parse_action("create_event")))
    ['17']
    >>> list(numbers({"hold": "H-1", "seats": "2 in row 4"}, parse_action("place_hold")))
    ['h-1']
    """
    own = _BARE.union(action.noun)
    for path, leaf in _scalars(value):
        text = entity_text(leaf)
        if not text or len(text) > _LONGEST:
            continue
        said = frozenset(name_words(name_of(path)))
        if isinstance(leaf, str):
            if said and said <= own and _NAMED.fullmatch(text):
                yield normal(text).strip()
            continue
        if not text.isdigit():
            continue
        is_all = said <= _HOLDS_RESULT and int(text) >= _LEAST_BARE and len(path) <= 1
        if is_all or (said and said <= own):
            yield text


def _scalars(value: Any) -> Iterator[tuple[Path, Any]]:
    """The scalars of a result, JSON inside its strings included, with their paths."""
    for place, (path, leaf) in enumerate(leaves(value, most=_MOST_RETURNED)):
        if place >= _MOST_NEAR and any(isinstance(step, int) for step in path):
            continue
        inside = data_of(leaf)
        if inside is leaf:
            yield path, leaf
        else:
            yield from leaves(inside, most=_MOST_NEAR)

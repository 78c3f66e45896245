"""Identifiers in the result of a call: of the things that it created or acted on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from abs_shield.plan.parameter_names import classify_name
from abs_shield.plan.tool_action import ToolAction
from abs_shield.text.identifier_words import name_words
from abs_shield.text.json_leaves import Path, json_data, leaves, name_of, scalar_text
from abs_shield.text.labelled_values import labelled_values
from abs_shield.text.normal_form import normal
from abs_shield.text.value_shapes import is_code

_BARE_NUMBER_WORDS = frozenset("number no num key ref reference".split())
"""Words that name a record's own number when they stand alone."""
_RESULT_WORDS = frozenset({"result", "data", "response", "value", "output"})
_MIN_BARE_NUMBER = 2
"""The smallest number that counts as an id if it is the whole result: 0 and 1 may be a status."""
_WORD_WITH_DIGIT = re.compile(r"(?=.*\d)[\w#/-]{2,40}")
"""A word with a digit, such as ``H-1``."""
_MAX_NEAR = 200  # an id is near the beginning of a result
_MAX_LEAVES = 2_000
"""Values of one result; after the first 200 only those outside lists, as lists may be long."""
_MAX_ID_LENGTH = 64  # a SHA-256 digest in hexadecimal; longer texts are prose
_MAX_TEXT_LENGTH = 16 * 1024  # a page of labelled values; a longer text is a document


def entity_text(leaf: Any) -> str | None:
    """
    Return a scalar as text, without ``.0`` for a whole number; None if it is not a scalar.

    >>> entity_text(7), entity_text(7.0), entity_text("7.0"), entity_text(None)
    ('7', '7', '7.0', None)
    """
    if isinstance(leaf, float) and leaf.is_integer():
        leaf = int(leaf)
    return scalar_text(leaf)


def find_identifiers(value: Any) -> Iterator[str]:
    """
    Yield the identifiers in a result: normalised values under a name such as ``id``, and codes.

    >>> list(find_identifiers({"data": {"ticket": {"id": 4711, "title": "Leak"}}}))
    ['4711']
    """
    for path, leaf in _scalars_of(value):
        text = entity_text(leaf)
        if text and len(text) <= _MAX_ID_LENGTH:
            if classify_name(name_of(path)) in ("hard", "who") or is_code(text):
                yield normal(text).strip()
        elif text:
            fields = islice(labelled_values(text[:_MAX_TEXT_LENGTH]), _MAX_NEAR)
            yield from (normal(value) for name, value in fields if classify_name(name) == "hard")


def find_new_ids(value: Any, action: ToolAction) -> Iterator[str]:
    """
    Yield values in a result that may identify the created thing under a name that is not an id's.

    These are whole numbers, and words with a digit, under a name that only repeats the tool's
    noun; and a number that is the whole result.

    >>> from abs_shield.plan.tool_action import parse_action
    >>> list(find_new_ids({"event": {"number": 17, "seats": 40}}, parse_action("create_event")))
    ['17']
    >>> list(find_new_ids({"hold": "H-1", "seats": "2 in row 4"}, parse_action("place_hold")))
    ['h-1']
    """
    own = _BARE_NUMBER_WORDS.union(action.noun)
    for path, leaf in _scalars_of(value):
        text = entity_text(leaf)
        if not text or len(text) > _MAX_ID_LENGTH:
            continue
        words = frozenset(name_words(name_of(path)))
        if isinstance(leaf, str):
            if words and words <= own and _WORD_WITH_DIGIT.fullmatch(text):
                yield normal(text).strip()
            continue
        if not text.isdigit():
            continue
        is_all = words <= _RESULT_WORDS and int(text) >= _MIN_BARE_NUMBER and len(path) <= 1
        if is_all or (words and words <= own):
            yield text


def _scalars_of(value: Any) -> Iterator[tuple[Path, Any]]:
    """Yield the scalars of a result with their paths, including JSON inside its strings."""
    for place, (path, leaf) in enumerate(leaves(value, most=_MAX_LEAVES)):
        if place >= _MAX_NEAR and any(isinstance(step, int) for step in path):
            continue
        # Many servers send JSON as a text.
        inside = json_data(leaf)
        if inside is leaf:
            yield path, leaf
        else:
            yield from leaves(inside, most=_MAX_NEAR)

"""Fast JSON writers: small flat objects share one prepared encoder."""

from __future__ import annotations

import json
import json.encoder
from collections.abc import Callable
from typing import Any

# a private name of CPython, which other interpreters may lack
_C_ENCODER = getattr(json.encoder, "c_make_encoder", None)
FEW = 16
"""Members of an object that is small."""
_SCALARS = frozenset((str, int, float, bool, type(None)))


def is_small(value: Any) -> bool:
    """
    Return whether a value is an object of a few scalars, without cycles and fast to write.

    >>> is_small({"city": "London", "days": 3}), is_small({"cities": ["London"]}), is_small("x")
    (True, False, False)
    """
    return (
        type(value) is dict and len(value) <= FEW and _SCALARS.issuperset(map(type, value.values()))
    )


def writers(
    default: Callable[[Any], Any],
    *,
    separators: tuple[str, str] = (", ", ": "),
    ordered: bool,
    ascii_only: bool = True,
) -> tuple[Callable[[Any], str], Callable[[Any], str]]:
    """
    Return a writer equal to `json.dumps`, and a faster one for values that are `is_small`.

    >>> write, write_small = writers(repr, separators=(",", ":"), ordered=True)
    >>> write({"b": 1.5, "a": ["x", None, {1}]}), write_small({"b": 1.5, "a": None})
    ('{"a":["x",null,"{1}"],"b":1.5}', '{"a":null,"b":1.5}')
    """
    write = json.JSONEncoder(
        separators=separators, sort_keys=ordered, default=default, ensure_ascii=ascii_only
    ).encode
    if _C_ENCODER is None:
        return write, write
    between, after_name = separators
    encoder = json.encoder
    text_of = encoder.encode_basestring_ascii if ascii_only else encoder.encode_basestring
    # The first None turns off the search for cycles, which scalars cannot have.
    parts = _C_ENCODER(None, default, text_of, None, after_name, between, ordered, False, True)
    return write, lambda value: "".join(parts(value, 0))

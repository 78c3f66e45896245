"""Writes JSON with an encoder that is made once: to make one takes longer than most results."""

from __future__ import annotations

import json
import json.encoder
from collections.abc import Callable
from typing import Any

_MADE_IN_C = getattr(json.encoder, "c_make_encoder", None)


def writer(
    default: Callable[[Any], Any], *, separators: tuple[str, str] = (", ", ": "), ordered: bool
) -> Callable[[Any], str]:
    """
    Give what writes as `json.dumps` does; what holds itself raises a RecursionError.

    >>> write = writer(repr, separators=(",", ":"), ordered=True)
    >>> write({"b": 1.5, "a": ["x", None, {1}]})
    '{"a":["x",null,"{1}"],"b":1.5}'
    """
    between, after_name = separators
    if _MADE_IN_C is None:
        return json.JSONEncoder(
            separators=separators, sort_keys=ordered, default=default, check_circular=False
        ).encode
    text_of = json.encoder.encode_basestring_ascii
    parts = _MADE_IN_C(None, default, text_of, None, after_name, between, ordered, False, True)
    return lambda value: "".join(parts(value, 0))

"""Canonical JSON, in which equal values have equal texts, and short hashes of texts."""

from __future__ import annotations

import json
import os
from json.encoder import encode_basestring
from math import isfinite
from typing import Any

from abs_shield.text.safe_display import shown


def canonical(value: Any) -> str:
    """
    Return canonical JSON: sorted keys, no spaces, encodable as UTF-8.

    Numbers that JSON cannot represent (NaN, infinity) become strings.

    >>> canonical({"b": 1, "a": float("nan")})
    '{"a":"nan","b":1}'
    """
    try:
        text = _WRITE(value)
    except ValueError:  # NaN, an infinity, or an integer too long for Python to write
        text = _WRITE(_replace_numbers(value))
    return encodable(text)


def scalar(value: Any) -> str:
    """Return canonical JSON of one value, ten times as fast for a plain scalar."""
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return _CONSTANTS[value]
    return repr(value) if type(value) is float and isfinite(value) else canonical(value)


_CONSTANTS = {None: "null", True: "true", False: "false"}


_WRITE = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
).encode


def _replace_numbers(value: Any) -> Any:
    """Return JSON-able data with numbers that JSON cannot represent replaced by strings."""
    if isinstance(value, dict):
        return {key: _replace_numbers(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replace_numbers(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return repr(value)
    # Python refuses to format integers of more than 4,300 digits, about 14,280 bits.
    return shown(value) if type(value) is int and value.bit_length() > 4_096 else value


def encodable(text: str) -> str:
    r"""Escape lone surrogates, which UTF-8 cannot encode, as ``\ud800``."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # Two adjacent surrogates are one character, which UTF-8 can encode.
        joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return joined.encode("utf-8", "backslashreplace").decode("utf-8")
    return text


_MOST = 250_000
"""Maximum number of items and members that are hashed; judged arguments have fewer."""


def digest(text: str, *, size: int) -> bytes:
    """
    Return *size* bytes of the text's BLAKE2b hash; a lone surrogate is hashed as itself.

    >>> digest("a", size=4).hex()
    'ca234c55'
    """
    from hashlib import blake2b  # imported here: it loads OpenSSL, 6 ms at start-up

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()


def digest_of(name: str, arguments: Any) -> bytes:
    """
    Hash a call's name and arguments as canonical JSON; without one the digest is unique.

    The same applies to arguments above the limits: a container that occurs several times would be
    written as often, which grows exponentially with the depth.
    """
    try:
        if not _is_bounded(arguments):
            return os.urandom(16)
        text = json.dumps([name, arguments], sort_keys=True, separators=(",", ":"), default=repr)
    except Exception:  # nested too deeply, or raised by a caller's object
        return os.urandom(16)
    # 128 bits: collisions of different calls are practically impossible.
    return digest(text, size=16)


def _is_bounded(value: Any) -> bool:
    """Return whether the number of items and members, nested ones included, is within `_MOST`."""
    left, count = [value], 0
    while left:
        item = left.pop()
        # Not recursive, so that it cannot fail on deep nesting. `dict.values`, because a
        # subclass may override `values`.
        if isinstance(item, (dict, list, tuple)):
            count += len(item)
            if count > _MOST:
                return False
            left += dict.values(item) if isinstance(item, dict) else item
    return True

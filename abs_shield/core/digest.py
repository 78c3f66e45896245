"""Canonical JSON, one text for one value on every machine, and short hashes of texts."""

from __future__ import annotations

import json
import os
from json.encoder import encode_basestring
from math import isfinite
from typing import Any

from abs_shield.text.safe_display import shown


def canonical(value: Any) -> str:
    """
    Return canonical JSON: sorted keys, no spaces, text that UTF-8 can encode.

    What JSON has no word for (NaN, an endless number) becomes a text.

    >>> canonical({"b": 1, "a": float("nan")})
    '{"a":"nan","b":1}'
    """
    try:
        text = _WRITE(value)
    except ValueError:  # NaN, an infinity, or an integer too long for Python to write
        text = _WRITE(_spelt(value))
    return encodable(text)


def scalar(value: Any) -> str:
    """Return canonical JSON of one value; a plain one takes a path ten times as fast."""
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return _CONSTANTS[value]
    return repr(value) if type(value) is float and isfinite(value) else canonical(value)


_CONSTANTS = {None: "null", True: "true", False: "false"}


_WRITE = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
).encode


def _spelt(value: Any) -> Any:
    """Return JSON-able data with every number that JSON does not know, or cannot write, as text."""
    if isinstance(value, dict):
        return {key: _spelt(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_spelt(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return repr(value)
    # In bits; Python refuses to write integers of more than 4,300 digits, 14,280 bits.
    return shown(value) if type(value) is int and value.bit_length() > 4_096 else value


def encodable(text: str) -> str:
    r"""Escape half characters (lone surrogates), which UTF-8 does not know, as ``\ud800``."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # Two halves that stand together are one character, which UTF-8 can encode.
        joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return joined.encode("utf-8", "backslashreplace").decode("utf-8")
    return text


_MOST = 250_000
"""Items and members that are hashed: more than arguments that are judged have."""


def digest(text: str, *, size: int) -> bytes:
    """
    Return *size* bytes of the text's BLAKE2b hash; a half character counts as what it is.

    >>> digest("a", size=4).hex()
    'ca234c55'
    """
    from hashlib import blake2b  # it loads OpenSSL: 6 ms that a start does not need

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()


def digest_of(name: str, arguments: Any) -> bytes:
    """
    Hash a call's name and arguments as canonical JSON; what has none equals nothing.

    Neither does what is larger than what is judged: parts that it shares would be written again
    wherever they stand, twice as many at each level.
    """
    try:
        if not _is_bounded(arguments):
            return os.urandom(16)
        text = json.dumps([name, arguments], sort_keys=True, separators=(",", ":"), default=repr)
    except Exception:  # what is nested too deeply, and objects of the caller's that break
        return os.urandom(16)
    # 128 bits: no two different calls meet by chance.
    return digest(text, size=16)


def _is_bounded(value: Any) -> bool:
    """Return whether a value has few enough items and members, nested ones included."""
    left, count = [value], 0
    while left:
        item = left.pop()
        # Not recursive: it has to be total on what is nested too deeply. `dict.values`, as a
        # subclass may override its own.
        if isinstance(item, (dict, list, tuple)):
            count += len(item)
            if count > _MOST:
                return False
            left += dict.values(item) if isinstance(item, dict) else item
    return True

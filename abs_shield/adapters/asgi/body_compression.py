"""The decompression of a body, up to a maximum size."""

from __future__ import annotations

import zlib

GZIP_OR_ZLIB = 47  # 15 for the largest window, plus 32
"""The `wbits` value with which zlib detects both formats by their header."""


def decompress(body: bytes, wbits: int, *, max_bytes: int) -> bytes | None:
    """
    Return all members of a compressed body, concatenated; None if they are too large.

    Raises:
        zlib.error: The body has another format, or is truncated.
    """
    parts: list[bytes] = []
    remaining = max_bytes
    while body:
        reader = zlib.decompressobj(wbits)
        # limited during decompression, because 1 MB of gzip may contain 1 GB; one byte more shows
        # that the limit is exceeded
        part = reader.decompress(body, remaining + 1)
        remaining -= len(part)
        if remaining < 0 or reader.unconsumed_tail:
            return None
        if not reader.eof:
            raise zlib.error("no end")
        parts.append(part)
        body = reader.unused_data  # gzip allows several members in a row
    return b"".join(parts)

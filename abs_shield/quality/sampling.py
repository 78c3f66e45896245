"""Sampling of scored outputs by their ids, so that a retry gives the same result."""

from __future__ import annotations


def is_sampled(output_id: str, rate: float) -> bool:
    """
    Return whether an output is in the sample; the same id is always in or always out.

    Args:
        output_id: Id of the output.
        rate: Share of outputs that are sampled, in [0, 1].

    >>> [is_sampled("a-1", rate) for rate in (0.0, 1.0)]
    [False, True]
    """
    from hashlib import blake2b  # not at the top: it loads OpenSSL, which slows down the import

    # a hash, not `random`: a repeated output must give the same result, in every process
    digest = blake2b(output_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) < rate * 2**64

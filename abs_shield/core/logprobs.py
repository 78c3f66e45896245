"""A model's confidence in the tool's name, from the log-probabilities of its tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, isfinite
from typing import Any

_MOST = 10_000  # more tokens than the longest replies have; the rest is ignored
_FEW = 64  # a name has a few tokens; each entry of a longer list is checked
_FLOAT = frozenset({float})
_LEAST = -1e3  # exp(-1000) is 0, and unlike minus infinity it leaves later means finite


def mean_logprob(name: str, logprobs: Any) -> float | None:
    """
    Return the mean natural-log probability of the tokens of *name*; None if none is available.

    Args:
        name: The tool's name as the model wrote it.
        logprobs: One number for each token of the name, or the ``{"token", "logprob"}`` objects
            of the whole turn, in which the name's tokens are found by their bytes.

    Raises:
        ValueError: An entry is positive, NaN or not a number, or the shape is unknown.

    >>> round(mean_logprob("refund", [-0.1, -0.3]), 3)
    -0.2
    >>> tokens = [{"token": "re", "logprob": -0.5}, {"token": "fund", "logprob": -0.1}]
    >>> round(mean_logprob("refund", tokens), 3)
    -0.3
    """
    if (
        type(logprobs) is list
        and 0 < len(logprobs) <= _FEW
        and _FLOAT.issuperset(map(type, logprobs))
    ):  # the usual case, without a check of each entry
        mean = fsum(logprobs) / len(logprobs)
        if mean > _LEAST and max(logprobs) <= 0:
            return mean
    numbers = name_logprobs(name, logprobs)
    checked = [_check(number) for number in numbers or () if number is not None]
    return fsum(checked) / len(checked) if checked else None


def name_logprobs(name: str, logprobs: Any) -> list[Any] | None:
    """
    Return the entries for the tokens of *name* alone, unchecked; None without *logprobs*.

    Args:
        name: The tool's name as the model wrote it.
        logprobs: As for `mean_logprob`, which returns the same mean for the result.

    Raises:
        ValueError: The shape is unknown.
    """
    if isinstance(logprobs, Mapping):
        logprobs = logprobs.get("content")
    if logprobs is None:
        return None
    if not isinstance(logprobs, Sequence) or isinstance(logprobs, (str, bytes)):
        raise ValueError(f"log-probabilities are a {type(logprobs).__name__}, not a list")
    if any(isinstance(entry, Mapping) for entry in logprobs[:_MOST]):
        return _of_name(name, logprobs[:_MOST])
    return list(logprobs[:_MOST])


def _check(number: Any) -> float:
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise ValueError(f"a log-probability is of type {type(number).__name__}; give a number")
    if number != number or number > 0:  # only NaN differs from itself
        raise ValueError("a log-probability is NaN or above 0; give natural logarithms")
    return float(number) if isfinite(number) else -1e3  # minus infinity: see `_LEAST`


def _of_name(name: str, entries: Sequence[Any]) -> list[Any]:
    """Return the log-probabilities of the tokens that overlap the first occurrence of *name*."""
    tokens = [(_bytes(e), e.get("logprob")) for e in entries if isinstance(e, Mapping)]
    start = _find(b"".join(token for token, _ in tokens), name.encode("utf-8", "surrogatepass"))
    if start < 0 or not name:
        return []
    end = start + len(name.encode("utf-8", "surrogatepass"))
    matches, place = [], 0
    for token, logprob in tokens:
        if token and place < end and place + len(token) > start:
            matches.append(logprob)
        place += len(token)
    return matches


def _find(text: bytes, name: bytes) -> int:
    """Return the index of *name* as a whole word; -1 if it does not occur."""
    place = text.find(name)
    while place >= 0:
        before = text[place - 1 : place] if place else b""
        after = text[place + len(name) : place + len(name) + 1]
        # `refund` does not occur in `refund_all`.
        if not (_word(before) or _word(after)):
            return place
        place = text.find(name, place + 1)
    return -1


def _word(byte: bytes) -> bool:
    return byte.isalnum() or byte == b"_"


def _bytes(entry: Mapping[str, Any]) -> bytes:
    raw = entry.get("bytes")
    # A token may be part of a character: its text is then U+FFFD, but its bytes are exact.
    if isinstance(raw, (list, tuple)) and all(isinstance(b, int) and 0 <= b < 256 for b in raw):
        return bytes(raw)
    token = entry.get("token")
    return token.encode("utf-8", "surrogatepass") if isinstance(token, str) else b""

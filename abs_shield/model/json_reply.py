"""Extraction of the JSON object from a model's text."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from abs_shield.model.judge import BadReply
from abs_shield.text.show import escaped

_FENCE = re.compile(r"\s*```[a-z]{0,10}\s")
_LONGEST = 1_000_000  # a verdict has some 1,000 characters; `json` takes memory many times the text


def object_in(text: str) -> dict[str, Any]:
    """
    Return the one JSON object in a text, also inside a code fence or between prose.

    >>> object_in('Sure: {"verdict": 1}')
    {'verdict': 1}

    Raises:
        BadReply: There is none or more than one, a name occurs twice, or it contains NaN.
    """
    if len(text) > _LONGEST:
        raise BadReply(f"got {len(text)} characters, expected at most {_LONGEST}")
    bare = _FENCE.sub("", text, count=1) if _FENCE.match(text) else text
    start, end = bare.find("{"), bare.rfind("}") + 1
    if start < 0 or end <= start:
        raise BadReply(f"got `{escaped(text.strip())}`, expected a JSON object")
    try:
        # of two equal names one would win silently, and NaN cannot be compared
        value: dict[str, Any] = json.loads(
            bare[start:end], object_pairs_hook=_unique_members, parse_constant=_reject_constant
        )
    except (ValueError, RecursionError) as error:  # nested too deeply for Python's parser
        raise BadReply(f"got no JSON object: {escaped(str(error))}") from None
    return value


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name occurs twice in one object")
    return members


def _reject_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")

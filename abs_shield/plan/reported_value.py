"""The record of a value of a guarded parameter that is reported."""

from __future__ import annotations

from typing import NamedTuple

from abs_shield.text.json_leaves import Path


class Doubt(NamedTuple):
    """
    A value of a guarded parameter that is reported.

    Attributes:
        path: Path to the value.
        text: The value as text; empty if it is missing or not a scalar.
        code: The code of the finding; empty if the layer cannot judge the value.
        detail: The explanation for the finding's message.
    """

    path: Path
    text: str
    code: str
    detail: str

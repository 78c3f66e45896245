"""A value of a guarded parameter that is reported, and why."""

from __future__ import annotations

from typing import NamedTuple

from abs_shield.text.json_leaves import Path


class Doubt(NamedTuple):
    """
    A value of a guarded parameter that is reported.

    Attributes:
        path: Path to the value.
        text: The value.
        code: The code of the finding; empty if the layer cannot judge the value.
        detail: What is wrong with it.
    """

    path: Path
    text: str
    code: str
    detail: str

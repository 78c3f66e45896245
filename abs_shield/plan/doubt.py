"""A value that is not passed over, and why."""

from __future__ import annotations

from typing import NamedTuple

from abs_shield.text.leaves import Path


class Doubt(NamedTuple):
    """
    A value that is not passed over.

    Attributes:
        path: Where it stands.
        text: The value.
        code: The code of the finding; empty where the layer only cannot judge the value.
        detail: What is wrong with it.
    """

    path: Path
    text: str
    code: str
    detail: str

"""What came before a result, as far as the signals may know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abs_shield.verification.baseline import Outlook, Surprise


@dataclass(slots=True)
class Past:
    """
    What came before one result.

    Attributes:
        kinds: JSON type by field, of fields that always had one type in results enough.
        outlook: What the tool's baseline thinks; None where it knows too few results.
        history: What the same arguments gave before; None where they gave too little.
        session: What this session was given before; None where that is nothing.
        sub_floor_lr: Likelihood ratio of a network call that is back at once.
        shape: What is odd about its shape; None where too few results can be compared, or the
            fields are declared.
    """

    kinds: Mapping[str, str]
    outlook: Outlook | None = None
    history: Surprise | None = None
    session: Surprise | None = None
    sub_floor_lr: float = 50.0
    shape: Surprise | None = None

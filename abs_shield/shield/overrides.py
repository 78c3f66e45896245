"""A call whose arguments the host, or a person, changed between proposal and dispatch."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from abs_shield.core.arguments import same
from abs_shield.text.leaves import MOST, leaves, scalar_text

NOTE = "changed_by_host"
"""The note of a decision about such a call."""
MODEL_LAYERS = frozenset({"call_loop", "confidence_drop", "self_contradiction", "uninformed_write"})
"""Layers that ask how the model came to write a call, and not whether the call holds."""


def changed_text(arguments: Mapping[str, Any], proposed: Any) -> str:
    """
    Return the values of *arguments* that the model did not propose in their place, one a line.

    >>> changed_text({"id": "tx_2", "amount": 20}, {"id": "tx_1", "amount": 20})
    'tx_2'
    """
    before = dict(leaves(proposed)) if isinstance(proposed, Mapping) else {}
    values = (v for path, v in leaves(arguments) if not (path in before and same(before[path], v)))
    texts = (scalar_text(value) for value in islice(values, MOST))
    return "\n".join(text for text in texts if text)

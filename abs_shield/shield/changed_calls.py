"""Calls whose arguments the host or a person changed between proposal and dispatch."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from abs_shield.core.call_arguments import same
from abs_shield.text.json_leaves import MOST, leaves, scalar_text
from abs_shield.text.normal_form import normal

LONGEST = 16_384
"""Maximum length of compared texts, in characters: a longer value is a document."""

NOTE = "changed_by_host"
"""The note of a decision about such a call."""


def changed_text(arguments: Mapping[str, Any], proposed: Any, *, raw: Any = None) -> str:
    """
    Return the values of *arguments* that the model did not write, one per line.

    Excludes values that the model wrote in another argument, with blanks, or as another type.

    Args:
        arguments: The dispatched arguments.
        proposed: The arguments that the model proposed.
        raw: The text of the arguments as the model wrote it; used if it is not JSON.

    >>> changed_text({"id": "tx_2", "amount": 20}, {"id": "tx_1", "amount": 20})
    'tx_2'
    >>> changed_text({"id": "tx_1"}, {"order": " TX_1 "}), changed_text({"id": "7"}, {"id": 7})
    ('', '')
    """
    before = dict(leaves(proposed)) if isinstance(proposed, Mapping) else {}
    own = {_plain(text) for value in before.values() if (text := scalar_text(value))}
    # The raw text is searched only if it is not JSON, so that its values are not known.
    written = normal(raw[:LONGEST]) if isinstance(raw, str) and not before else ""
    values = (v for path, v in leaves(arguments) if not (path in before and same(before[path], v)))
    texts = (scalar_text(value) for value in islice(values, MOST))
    return "\n".join(
        text for text in texts if text and _plain(text) not in own and _plain(text) not in written
    )


def _plain(text: str) -> str:
    return normal(text[:LONGEST]).strip()

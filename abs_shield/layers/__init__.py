"""
Before a call: the six layers.

To add a layer, write one file with one function and its `LAYER`, and add the name of the file to
`LAYER_NAMES` or `OPT_IN_NAMES` in `core/vocabularies.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from types import MappingProxyType

from abs_shield.core.vocabularies import LAYER_NAMES, OPT_IN_NAMES
from abs_shield.plan.layer import Judge, Layer


def _table(names: Iterable[str]) -> Mapping[str, Layer]:
    # By name: packages that need the names cannot import the layers, so one list serves both.
    return MappingProxyType({name: import_module(f"{__name__}.{name}").LAYER for name in names})


LAYERS: Mapping[str, Layer] = _table(LAYER_NAMES)
"""The layers that run if a policy names none, in this order."""

OPT_IN: Mapping[str, Layer] = _table(OPT_IN_NAMES)
"""The layers that run only if a policy names them."""

__all__ = ["LAYERS", "OPT_IN", "Judge", "Layer"]

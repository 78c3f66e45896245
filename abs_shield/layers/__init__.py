"""
Before a call: the six layers.

To add a layer, write one file with one function and add its row here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from abs_shield.layers.call_loop import call_loop
from abs_shield.layers.confidence_drop import confidence_drop, prepare_confidence_drop
from abs_shield.layers.impossible_state import impossible_state, prepare_impossible_state
from abs_shield.layers.parameter_mismatch import parameter_mismatch, prepare_parameter_mismatch
from abs_shield.layers.phantom_target import phantom_target, prepare_phantom_target
from abs_shield.layers.phantom_tool import phantom_tool
from abs_shield.layers.self_contradiction import prepare_self_contradiction, self_contradiction
from abs_shield.layers.uninformed_write import uninformed_write
from abs_shield.layers.untrusted_target import untrusted_target
from abs_shield.plan.layer import Judge, Layer, always_ran

_ROWS = (
    Layer("phantom_tool", phantom_tool, always_ran),
    Layer("phantom_target", phantom_target, prepare_phantom_target),
    Layer("parameter_mismatch", parameter_mismatch, prepare_parameter_mismatch, nested=True),
    Layer("self_contradiction", self_contradiction, prepare_self_contradiction, of_model=True),
    Layer("impossible_state", impossible_state, prepare_impossible_state, nested=True),
    Layer("confidence_drop", confidence_drop, prepare_confidence_drop, of_model=True),
    Layer("untrusted_target", untrusted_target, opt_in=True),
    Layer("uninformed_write", uninformed_write, of_model=True, opt_in=True),
    Layer("call_loop", call_loop, of_model=True, opt_in=True),
)

LAYERS: Mapping[str, Layer] = MappingProxyType({row.name: row for row in _ROWS if not row.opt_in})
"""The layers that run if a policy names none, in their order."""

OPT_IN: Mapping[str, Layer] = MappingProxyType({row.name: row for row in _ROWS if row.opt_in})
"""The layers that run only if a policy names them."""

__all__ = ["LAYERS", "OPT_IN", "Judge", "Layer"]

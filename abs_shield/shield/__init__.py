"""The runtime of a policy: judges calls, records decisions, calls hooks, and raises blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abs_shield.core import Feedback
from abs_shield.core.module_names import lazy_names
from abs_shield.policy import configure, load_policy
from abs_shield.shield.decorator import shielded
from abs_shield.shield.shield import Shield

if TYPE_CHECKING:
    from abs_shield.shield.run_recorder import Recording
    from abs_shield.shield.run_redaction import redacted

__all__ = ["Feedback", "Recording", "Shield", "configure", "load_policy", "redacted", "shielded"]

# lazy, because few Shields record runs
_LAZY = {
    "Recording": "abs_shield.shield.run_recorder",
    "redacted": "abs_shield.shield.run_redaction",
}

__getattr__, __dir__ = lazy_names(__name__, _LAZY)

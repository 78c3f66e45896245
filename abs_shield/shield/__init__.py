"""The runtime of a policy: judges calls, records decisions, calls hooks, and raises blocks."""

from abs_shield.core import Feedback
from abs_shield.policy import configure, load_policy
from abs_shield.shield.decorator import shielded
from abs_shield.shield.run_recorder import Recording
from abs_shield.shield.run_redaction import redacted
from abs_shield.shield.shield import Shield

__all__ = ["Feedback", "Recording", "Shield", "configure", "load_policy", "redacted", "shielded"]

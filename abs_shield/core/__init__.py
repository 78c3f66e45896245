"""The vocabularies and records that all other rooms use; imports none of them."""

from abs_shield.core.decision import Decision
from abs_shield.core.events import ToolCall
from abs_shield.core.feedback import Feedback
from abs_shield.core.finding import RAN, Coverage, Failed, Finding, Unavailable
from abs_shield.core.vocabularies import LAYER_NAMES, Action, Mode, Outcome, Subject, Verdict

__all__ = [
    "LAYER_NAMES",
    "RAN",
    "Action",
    "Coverage",
    "Decision",
    "Failed",
    "Feedback",
    "Finding",
    "Mode",
    "Outcome",
    "Subject",
    "ToolCall",
    "Unavailable",
    "Verdict",
]

"""Verification of results after a call: eight signals of whether they came from the tool."""

from abs_shield.policy.tool_profile import ToolProfile
from abs_shield.verification.log_labels import AppliedLabels, apply_labels
from abs_shield.verification.signal_combination import Calibrated, Literature, Rates
from abs_shield.verification.signals import SIGNALS
from abs_shield.verification.verification_engine import VerificationEngine
from abs_shield.verification.verification_result import (
    SignalResult,
    VerificationResult,
    VerificationTier,
)

__all__ = [
    "SIGNALS",
    "AppliedLabels",
    "Calibrated",
    "Literature",
    "Rates",
    "SignalResult",
    "ToolProfile",
    "VerificationEngine",
    "VerificationResult",
    "VerificationTier",
    "apply_labels",
]

"""The parts of the faithfulness guardrail: its configuration, its providers, its result."""

from __future__ import annotations

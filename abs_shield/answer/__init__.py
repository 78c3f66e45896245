"""At the answer: its claims against what the run really returned."""

from __future__ import annotations

"""What is said of one claim: a scorer a file."""

from __future__ import annotations

"""Patterns of a date-time with a UTC offset, and of one without."""

from __future__ import annotations

WITH_OFFSET = "([Zz]|[+-][0-9]{2}:?[0-9]{2})$"
WITHOUT_OFFSET = "^.{11}[^Zz+-]*$"
"""A date holds hyphens: only what stands behind its ten characters can hold an offset."""

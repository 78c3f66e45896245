"""Patterns of a date-time with a UTC offset, and without one."""

from __future__ import annotations

WITH_OFFSET = "([Zz]|[+-][0-9]{2}:?[0-9]{2})$"
WITHOUT_OFFSET = "^.{11}[^Zz+-]*$"
"""Skips the ten characters of the date, which has hyphens itself."""

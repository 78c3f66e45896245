"""The pattern of a `timedelta` as text: an ISO 8601 duration, with a sign."""

from __future__ import annotations

DURATION = (
    r"^[+-]?P(?=[0-9T])([0-9]+Y)?([0-9]+M)?([0-9]+W)?([0-9]+D)?"
    r"(T(?=[0-9])([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]+)?S)?)?$"
)
"""JSON Schema's format `duration` has no sign, but pydantic writes one."""

"""A finding as it may leave the process that made it."""

from __future__ import annotations

from dataclasses import replace

from abs_shield.core import Finding

_PLACE = ("file", "line")


def portable(finding: Finding) -> Finding:
    """
    Return a finding without the values that a rule or a layer may have put into it.

    Of its evidence the place of a rule stays.
    """
    place = {name: finding.evidence[name] for name in _PLACE if name in finding.evidence}
    kept = {name: value for name, value in place.items() if isinstance(value, (str, int))}
    return replace(finding, got=None, evidence=kept, allowed=())

"""Remove values from findings that leave the process."""

from __future__ import annotations

from dataclasses import replace

from abs_shield.core import Finding

_LOCATION = ("file", "line")


def without_values(finding: Finding) -> Finding:
    """
    Return a finding without the values that a rule or a layer may have stored in it.

    Only the location of a rule is kept of its evidence.
    """
    place = {name: finding.evidence[name] for name in _LOCATION if name in finding.evidence}
    # other types may be objects of a user's class
    evidence = {name: value for name, value in place.items() if isinstance(value, (str, int))}
    return replace(finding, got=None, evidence=evidence, allowed=())

"""A finding as a policy weighs it is the same finding otherwise."""

from __future__ import annotations

from dataclasses import fields, replace

from abs_shield import Finding, Verdict
from abs_shield.core import Mode


def test_every_other_field_stays() -> None:
    texts = {
        name: f"a {name}"
        for name in ("check", "where", "detail", "code", "hint", "got", "expected", "nearest")
    }
    finding = Finding(
        verdict=Verdict.SUSPICIOUS, strength=0.5, allowed=("a",), evidence={"line": 3},
        basis="declared", **texts,
    )  # fmt: skip
    weighing = {"mode": Mode.AUDIT, "counted": False, "suppressed": True}

    assert replace(finding, **weighing) == finding.weighed(**weighing)
    assert 16 == len(fields(Finding))

"""The call through policyshield's engine: unknown tools, amount and date by its own rules."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from policyshield.core.models import Verdict
from policyshield.shield.engine import ShieldEngine
from the_call import TOOL

AMOUNT_OUTSIDE = r"^-|^0(\.0*)?$|^(50[1-9]|5[1-9]\d|[6-9]\d\d|\d{4,})"
"""Its rules compare arguments by pattern alone; above 500 to the unit."""
NO_DATE = r"^(?!\d{4}-\d{2}-\d{2}$)"

RULES = {
    "shield_name": "overhead",
    "version": 1,
    "default_verdict": "block",
    "rules": [
        {"id": "known", "when": {"tool": TOOL}, "then": "allow"},
        {
            "id": "amount",
            "when": {"tool": TOOL, "args_match": {"amount": {"regex": AMOUNT_OUTSIDE}}},
            "then": "block",
            "message": "amount is out of bounds",
        },
        {
            "id": "date",
            "when": {"tool": TOOL, "args_match": {"date": {"regex": NO_DATE}}},
            "then": "block",
            "message": "date is no date",
        },
    ],
}


def ways() -> dict[str, Any]:
    """Return by way what opens a run; this gives what judges arguments, True where they may run."""
    with open("rules.yaml", "w", encoding="utf-8") as file:
        json.dump(RULES, file)  # JSON is YAML
    check = ShieldEngine(rules="rules.yaml").check
    allow, ids = Verdict.ALLOW, map(str, count())

    def begin() -> Any:
        session = next(ids)
        return lambda arguments: check(TOOL, arguments, session_id=session).verdict is allow

    return {"check": begin}

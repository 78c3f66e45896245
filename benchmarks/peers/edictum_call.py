"""The call through edictum's dry run: known tool, amount and date by its own rules."""

from __future__ import annotations

import json
from typing import Any

from edictum import Edictum
from the_call import ISO_DATE, MOST, TOOL


def _rule(name: str, tool: str, when: dict[str, Any]) -> dict[str, Any]:
    then = {"action": "block", "message": name}
    return {"id": name, "type": "pre", "tool": tool, "when": when, "then": then}


RULES = {
    "apiVersion": "edictum/v1",
    "kind": "Ruleset",
    "metadata": {"name": "overhead"},
    "defaults": {"mode": "enforce"},
    "rules": [
        _rule("known-tool", "*", {"tool.name": {"not_in": [TOOL]}}),
        _rule("amount-below", TOOL, {"args.amount": {"lte": 0}}),
        _rule("amount-above", TOOL, {"args.amount": {"gt": MOST}}),
        _rule("date", TOOL, {"not": {"args.date": {"matches": ISO_DATE}}}),
    ],
}


def ways() -> dict[str, Any]:
    """
    Return by name a function that opens a run; it returns one that judges arguments.

    ``evaluate`` is the faster of its two ways; ``run`` also writes an audit event.
    """
    with open("rules.yaml", "w", encoding="utf-8") as file:
        json.dump(RULES, file)  # JSON is YAML
    evaluate = Edictum.from_yaml("rules.yaml").evaluate
    return {"evaluate": lambda: lambda arguments: evaluate(TOOL, arguments).decision != "block"}

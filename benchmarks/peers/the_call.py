"""One call of one tool, the same for everybody who is measured, and calls that must be stopped."""

TOOL = "refund"
ARGUMENTS = {
    "order_id": "ord_12345",
    "amount": 20.0,
    "date": "2026-11-20",
    "currency": "EUR",
    "notify": True,
}
SCHEMA = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string"},
        "amount": {"type": "number"},
        "date": {"type": "string", "format": "date"},
        "currency": {"type": "string", "enum": ["EUR", "USD"]},
        "notify": {"type": "boolean"},
    },
    "required": ["order_id", "amount", "date", "currency", "notify"],
    "additionalProperties": False,
}
ISO_DATE = r"^\d{4}-\d{2}-\d{2}$"
MOST = 500
SAID = "Please refund order ord_12345, 20 EUR, dated 2026-11-20, and notify me."
"""What the user said; only abs_shield asks whether the run has seen what the call names."""

BAD = {
    "amount_below": {**ARGUMENTS, "amount": -20.0},
    "amount_above": {**ARGUMENTS, "amount": 5_000.0},
    "date": {**ARGUMENTS, "date": "yesterday"},
    "type": {**ARGUMENTS, "amount": "lots"},
    "unknown_argument": {**ARGUMENTS, "force": True},
    "missing_argument": {k: v for k, v in ARGUMENTS.items() if k != "date"},
    "never_seen": {**ARGUMENTS, "order_id": "ord_99999"},
}
"""Those of the first two must be stopped by everybody: the rule is declared to each."""
MUST_STOP = ("amount_below", "amount_above")

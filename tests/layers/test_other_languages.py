"""Marked arguments in other languages are not judged if the run may word them differently."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Target, Tool, ToolCall, shield

PARAMETERS = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "date": {"type": "string"},
        "amount": {"type": "number"},
    },
}


def outcome(user_text, argument, value):
    """Return the codes of the findings on one marked argument, or the layer's outcome."""
    marks = {name: Target() for name in PARAMETERS["properties"]}
    tool = Tool(name="send_parcel", parameters=PARAMETERS, targets=marks)
    guard = Shield(shield.configure(mode="audit", tools=[tool]), hooks=None)
    with guard.session() as session:
        session.user(user_text)
        decision = guard.check_call(ToolCall("send_parcel", {argument: value}))
    assert not decision.errors
    codes = [finding.code for finding in decision.findings]
    return codes or [decision.coverage["phantom_target"].outcome]


UNREAD = [
    ("Paczka jedzie do Zielonej Góry, a potem do Białegostoku.", "city", "Białystok"),
    ("Paczka jedzie do Zielonej Góry.", "city", "Zielona Góra"),
    ("Paketti lähtee Helsinkiin.", "city", "Helsinki"),
    ("Посылка едет в Пермь.", "city", "Perm"),
    ("荷物は長野へ送ってください。", "city", "仙台"),
    ("Das sind zwölf Euro fünfzig, bitte.", "amount", 12.5),
    ("Bitte schicken Sie es nächsten Freitag.", "date", "2026-05-22"),
]
FOUND = [
    ("Paczka jedzie do Zielonej Góry.", "city", "Radom"),
    ("Paketti lähtee Helsinkiin.", "city", "Turku"),
    ("Das Paket geht nach Köln.", "city", "Dortmund"),
    ("Das sind 120 Euro, bitte.", "amount", 130),
    ("Bitte schicken Sie es am 3. März.", "date", "2026-05-22"),
    ("Please send it to Radom, if you would.", "city", "Radomsko"),
]


@pytest.mark.parametrize("call", UNREAD)
def test_value_that_may_be_worded_differently_is_not_judged(call):
    """A case form, another script, or a sum or date in words makes the layer unavailable."""
    assert ["unavailable"] == outcome(*call)


@pytest.mark.parametrize("call", FOUND)
def test_value_that_resembles_nothing_is_unseen(call):
    """A name, sum or date that resembles nothing in the run is unseen."""
    assert ["unseen"] == outcome(*call)

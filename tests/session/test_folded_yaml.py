"""Values that a result has in folded YAML scalars are found as the tool meant them."""

from __future__ import annotations

import pytest
import yaml

from abs_shield import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.session.verbatim import occurs_verbatim

NOTE = """Deliver the parcel of order ORD-7781-é4 to René Dupont-Müller, Zürichbergstraße 12.
  - contact O'Brien's Catering Services and Partners Ltd. about the invoice
  - report: /srv/reports/annual report-2024.pdf
"""
VALUES = [
    "ORD-7781-é4",
    "René Dupont-Müller",
    "Zürichbergstraße 12",
    "O'Brien's Catering Services and Partners Ltd.",
    "/srv/reports/annual report-2024.pdf",
]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("width", [20, 25, 40, 80])
@pytest.mark.parametrize("unicode", [False, True], ids=["escaped", "unicode"])
def test_a_value_of_a_folded_scalar_is_found(value: str, width: int, unicode: bool) -> None:
    session = Session()
    written = yaml.safe_dump({"note": NOTE}, width=width, allow_unicode=unicode)
    session.tool_result("read_note", written)

    assert mentions_of(session).origin(value) is not None
    assert occurs_verbatim(value, session)


def test_a_value_of_a_scalar_inside_json_is_found() -> None:
    session = Session()
    session.tool_result("read_note", {"text": yaml.safe_dump({"note": NOTE}, width=20)})

    assert mentions_of(session).origin("Zürichbergstraße 12") is not None

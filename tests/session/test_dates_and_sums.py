"""Dates and amounts in the words of many languages are found, and other values are not."""

from __future__ import annotations

import pytest

from abs_shield import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.session.value_field import Field

DATES = [
    ("Wir fliegen am 3. März.", "2026-03-03", "2026-05-03"),
    ("Zahlbar bis 9.1.26", "2026-01-09", "2026-02-09"),
    ("Am ersten August, bitte.", "2026-08-01", "2026-09-01"),
    ("le 1er août", "2026-08-01", "2026-04-01"),
    ("le 17 déc.", "2025-12-17", "2025-10-17"),
    ("el 3 de marzo de 2026", "2026-03-03", "2026-05-03"),
    ("el 1.º de julio", "2026-07-01", "2026-06-01"),
    ("no dia 1º de janeiro", "2026-01-01", "2026-06-01"),
    ("il 1° luglio", "2026-07-01", "2026-06-01"),
    ("op 9 januari", "2026-01-09", "2026-06-09"),
    ("3 marca 2026 r.", "2026-03-03", "2026-05-03"),
    ("9 sty", "2026-01-09", "2026-08-09"),
    ("17 дек.", "2025-12-17", "2025-10-17"),
    ("3 марта 2026 года", "2026-03-03", "2026-05-03"),
    ("3 Mart'ta", "2026-03-03", "2026-05-03"),
    ("17. joulukuuta", "2025-12-17", "2025-11-17"),
    ("joulukuun 17. päivänä", "2025-12-17", "2025-11-17"),
    ("9 mar, por favor", "2026-03-09", "2026-11-09"),
    ("٣ مارس ٢٠٢٦", "2026-03-03", "2026-05-03"),
    ("١٧ كانون الأول", "2025-12-17", "2025-01-17"),
    ("९ जनवरी को", "2026-01-09", "2026-06-09"),
    ("12月17日に", "2025-12-17", "2025-10-17"),
    ("一月九日に", "2026-01-09", "2026-02-09"),
    ("12월 17일에", "2025-12-17", "2025-10-17"),
]
SUMS = [
    ("Das macht 1.089,90 €.", "1089.9", "1089.5"),
    ("1 089,90 zł", "1089.9", "1098.9"),
    ("8,5 Tausend Euro", "8500", "85000"),
    ("2 mil euros", "2000", "2000000"),
    ("8 тыс. руб.", "8000", "80000"),
    ("10 bin lira", "10000", "1000"),
    ("1,5 Mio. Euro", "1500000", "150000"),
    ("3万円です", "30000", "3000"),
    ("1.5亿元", "150000000", "15000000"),
    ("2만원", "20000", "2000"),
    ("2 लाख रुपये", "200000", "20000"),
    ("₹1,25,000", "125000", "12500"),
    ("8 آلاف جنيه", "8000", "80000"),
]
GROUPED = [
    ("J'habite à 06 000 Nice.", "postal_code", "06000", "06001"),
    ("CEP 20.040-002", "postal_code", "20040-002", "20040-003"),
    ("〒530−0001", "zip_code", "5300001", "5300002"),
    ("Рейс S7 3006", "flight_number", "S73006", "S73007"),
    ("品川 300 あ 12-34", "license_plate", "品川300あ1234", "品川300あ1235"),
    ("А 123 ВС 77", "plate", "A123BC77", "A123BC78"),
    ("plate a123bc77", "plate", "А123ВС77", "А123ВС78"),
]


def origin(text, value, field=""):
    session = Session()
    session.user(text)
    return mentions_of(session).origin(value, field=Field(field))


@pytest.mark.parametrize(("text", "value", "other"), [*DATES, *SUMS])
def test_a_date_or_a_sum_in_words_of_its_language(text, value, other):
    """A date or an amount with another day, month or size is not found."""
    assert origin(text, value) is not None
    assert origin(text, other) is None


@pytest.mark.parametrize(("text", "field", "value", "other"), GROUPED)
def test_separators_are_ignored_in_some_fields(text, field, value, other):
    """A postal code, a number plate or a flight may be grouped freely, but an order id may not."""
    assert origin(text, value, field) is not None
    assert origin(text, other, field) is None
    assert origin(text, value, "order_id") is None

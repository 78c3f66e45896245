"""What stands around an identifier decides, and two findings never share a character."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.quality.pii import RECOGNISERS
from abs_shield.quality.pii.recogniser import Recogniser, form, phrases
from abs_shield.quality.pii.scan import scan

from .cases import CASES


def found(text: str) -> list[tuple[str, str]]:
    """Return names and values of the entities in a text."""
    return [(one.name, text[one.start : one.end]) for one in scan(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Order 4111111111111112 was shipped on 2024-05-14 at 12:30:45.",
        "Build 20240514123045 of version 10.4.111.2 passed 1234567 tests.",
        "The file is at https://files.example.net/4111111111111111/view?id=219440178.",
        "Run 550e8400-e29b-41d4-a716-234123412346 failed.",
        "Tracking number 219440178, order id 111222333, invoice 0532013000.",
        "Between 1,234,567,890 and 9,434,765,919 rows; latitude 52.520008123.",
        "support@shop.example or no-reply@shop.example; toll-free +1 800 555 0100.",
        "Our account manager shipped order 12345678 to zip 78256.",
        "ISBN 978-3-16-148410-0, ISSN 2049-3630, part AB-123456-C.",
        "They paid the account number on 2022-02-12; license 12-03-2024, MRN on 2022-02-12.",
        "The passport office opened on 2024-05-14 in room 20240514.",
        "Branch fix123456c of abcpe1234f and sharp2019a; model t22000129.",
        "SKU 44051401359 costs 12345678 yen; 3,000,000 members.",
    ],
)
def test_numbers_of_things_are_no_personal_data(text: str):
    """Orders, dates, versions, pages and mailboxes of an office are not."""
    assert [] == found(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Jo", "ssn": "219440178"}',
        '{"customerSsn": 219440178}',
        "social_security_number=219440178",
        "SSN:\n219440178",
        "219440178 is her SSN",
        "219440178 (social security)",
    ],
)
def test_context_is_read_in_every_spelling(text: str):
    """In keys of JSON, in camel case, in the next line, and behind the number."""
    assert [("SSN", "219440178")] == found(text)


def test_context_ends_with_its_clause():
    """The key of the next member introduces what follows it."""
    assert [] == found('{"count": 219440178, "ssn": null}')


def test_the_nearest_word_names_the_number():
    """Nine digits pass for a routing number and for an SSN."""
    text = "SSN 219440178 and routing number 122105155."

    assert [("SSN", "219440178"), ("RoutingNumber", "122105155")] == found(text)


def test_a_word_of_the_sentence_before_takes_no_number():
    """Its own number stands there."""
    text = "Ticket 88213045 is open. 219440178 is the SSN of the customer."

    assert [("SSN", "219440178")] == found(text)


@pytest.mark.parametrize(
    "text", ["Call 0800 123 4567", "Phone: 1-877-556-6308", "+44 800 330 8523"]
)
def test_a_free_number_belongs_to_no_person(text: str):
    """Hotlines are public."""
    assert [] == found(text)


def test_an_enumeration_shares_its_word():
    """The seed counts two bank accounts."""
    text = "Account numbers: 0532013000 and 648489890."

    assert ["BankAccountNumber"] * 2 == [name for name, _ in found(text)]


def test_a_number_behind_another_is_not_introduced():
    """The word belongs to the first one."""
    assert [("BankAccountNumber", "0532013000")] == found(
        "Account number 0532013000 holds 250000000 of them."
    )


def test_the_surest_counts_where_two_overlap():
    """An IBAN holds the number of a bank account."""
    assert [("IBAN", "DE89 3704 0044 0532 0130 00")] == found(
        "Bank account: DE89 3704 0044 0532 0130 00"
    )


def test_full_width_digits_and_dashes_count():
    """Offsets are those of the text as it is."""
    text = "SSN：２１９\u201144\u20110178、"

    assert [("SSN", "２１９\u201144\u20110178")] == found(text)


def test_jurisdictions_choose_rows():
    """Identifiers of other countries are not looked for; cards and addresses always are."""
    text = "SSN 219-44-0178, BSN 111222333, jo@mail.org"
    names = [one.name for one in scan(text, jurisdictions=["NL"])]

    assert ["BSN", "EmailAddress"] == names


def test_a_row_of_the_users_counts():
    """One more row beside the table."""
    badge = Recogniser(
        name="Badge", pattern=form(r"BX\d{6}"), context=phrases("badge"), strength=0.2
    )

    (one,) = scan("Badge no. BX123456", recognisers=(*RECOGNISERS, badge))

    assert ("Badge", 10, "********") == (one.name, one.start, one.masked)


@given(st.lists(st.sampled_from([*CASES]), max_size=6), st.text(max_size=20))
def test_entities_are_in_order_and_apart(cases, other):
    """Whatever stands beside what."""
    text = other.join(case.sentence.format(case.value) for case in cases)
    ends = [place for one in scan(text) for place in (one.start, one.end)]

    assert sorted(ends) == ends
    assert all(0 <= place <= len(text) for place in ends)


@given(st.text(alphabet="0123456789-+ ().@aZX,\n", max_size=200))
def test_any_text_can_be_read(text):
    """And nothing of it stands in a record."""
    assert all(re.search(r"[^\W_]", one.masked) is None for one in scan(text))

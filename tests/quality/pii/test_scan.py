"""The context of an identifier decides, and two findings never overlap."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.quality.pii import RECOGNISERS
from abs_shield.quality.pii.recogniser import Recogniser, form, phrases
from abs_shield.quality.pii.scan import scan

from .cases import CASES


def scan_entities(text: str) -> list[tuple[str, str]]:
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
def test_numbers_of_things_are_not_personal_data(text: str):
    """Numbers of orders, dates, versions and pages, and mailboxes of offices, are not found."""
    assert [] == scan_entities(text)


@pytest.mark.parametrize(
    "text",
    [
        "Order 4539148803436467",
        "Order #4539148803436467 was shipped.",
        "The order number is 4539148803436467.",
        '{"order_id": "4539148803436467"}',
        "SKU 5105105105105100",
        "Part number 4000-0566-5566-5556",
        "Serial no. 4012888888881881",
        "P/N 4000-0566-5566-5556, S/N 4012888888881881",
        "Order ID: 4539 1488 0343 6467",
        "Order 219-44-0178",
        "Reference: 212-736-5000",
        "Routing to queue 021000021",
        "Google Analytics account number UA-12345678-1",
        "AWS account number 123456789012",
        "Account number: 10045873",
        "Your account number is 10045873, and the next bill is due in May.",
        "Prescription plan 20230001",
    ],
)
def test_a_word_that_names_a_number_takes_it(text: str):
    """A number that passes a check digit may be an order's, or that of an account at a shop."""
    assert [] == scan_entities(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Charge 4539148803436467 today.", "CreditCardNumber"),
        ("Card id: 4539148803436467", "CreditCardNumber"),
        ("The order was paid by card 4539148803436467.", "CreditCardNumber"),
        ("The order came to $5. 4539148803436467 was charged.", "CreditCardNumber"),
        ("Her card is 4111.1111.1111.1111.", "CreditCardNumber"),
        ("ID 219-44-0178", "SSN"),
        ("Routing number 021000021", "RoutingNumber"),
        ("Routing: 021000021", "RoutingNumber"),
        ("Account number: 10045873, sort code on file", "BankAccountNumber"),
        ("Wire it to account no. 0532013000.", "BankAccountNumber"),
        ("Her account number is 0532013000.", "BankAccountNumber"),
        ("Prescription 20230001", "PrescriptionNumber"),
    ],
)
def test_a_number_after_its_own_word_is_found(text: str, name: str):
    """The same numbers are found if the words before them introduce personal data or nothing."""
    assert [name] == [one for one, _ in scan_entities(text)]


@pytest.mark.parametrize(
    "text",
    [
        "postgres://app:secret@db.internal",
        "https://jo@build.acme.io/job/7",
        "git@github.com",
        "git clone git@github.com:acme/tool.git",
        "deploy@build.acme.io:srv/app",
        "deploy@build.acme.io:app.git",
        "jo@example.com, jo@mail.example.org, jo@example.net",
        "jo@shop.example, jo@mail.test, jo@nowhere.invalid, jo@app.localhost",
    ],
)
def test_a_login_or_a_reserved_domain_is_not_an_address(text: str):
    """Logins in URLs and addresses of reserved domains are not mail addresses."""
    assert [] == scan_entities(text)


@pytest.mark.parametrize(
    "mailbox",
    "reception bookings invoices accounting dpo partners support info sales sales.emea hello "
    "contact press jobs noreply no-reply privacy legal billing help team office admin security "
    "support-us emea_sales support2 support+ticket".split(),
)
def test_a_role_mailbox_is_not_personal_data(mailbox: str):
    """A mailbox of a role, also with a region, is not found."""
    assert [] == scan_entities(f"Write to {mailbox}@acme.com.")


@pytest.mark.parametrize(
    "address",
    ["steve.jobs@acme.com", "mailto:jo@mail.org", "jo.sales@acme.com", "jo@example-shop.com",
     "see https://acme.com and jo@acme.com"],
)  # fmt: skip
def test_an_address_of_a_person_is_found(address: str):
    """Though a part of it is the name of an office."""
    assert ["EmailAddress"] == [name for name, _ in scan_entities(address)]


@pytest.mark.parametrize(
    "text",
    [
        "Test card 4242 4242 4242 4242",
        "In the sandbox, pay with 4000056655665556.",
        "Use 4111 1111 1111 1111, the example card of the docs.",
    ],
)
def test_a_published_test_card_is_not_personal_data(text: str):
    """A card number published for tests is not found if the text says that it is a test."""
    assert [] == scan_entities(text)


@pytest.mark.parametrize(
    "text",
    ["Her card is 4111 1111 1111 1111.", "4242 4242 4242 4242", "Test card 4539148803436467"],
)
def test_any_other_card_is_found(text: str):
    """A card number is found if it is not published for tests or the text does not say so."""
    assert ["CreditCardNumber"] == [name for name, _ in scan_entities(text)]


@pytest.mark.parametrize(
    "text",
    [
        "The hotel is at (212) 736-5000.",
        "Call the front desk at +1 415-563-0800.",
        "Restaurant Roma: +39 06 6780 1234",
        "Our customer service: 212-736-5000",
        "Phone the store on 020 7946 0018.",
        "212-736-5000 is the front desk.",
        "(212) 736-5000 (reception)",
        '{"hotel_name": "Roma", "phone_number": "212-235-1111"}',
        "The support line is 0800 123 4567, or 1-888-736-5000.",
        "Phone: 1800 123 456",
        "+44 808 157 0192",
    ],
)
def test_a_business_number_is_not_personal_data(text: str):
    """A number after a word for a business, and a toll-free number, are not found."""
    assert [] == scan_entities(text)


@pytest.mark.parametrize(
    "text",
    [
        "Her office number is 212-736-5000.",
        "The hotel guest can be called at 212-736-5000.",
        "The hotel is booked. Mia Li is at 212-736-5000.",
        "The hotel booked for Mia Li, 212-736-5000",
        '[{"hotel": "Roma"}, {"name": "Mia Li", "phone": "212-736-5000"}]',
        "Mia Li, mobile 212-736-5000 (store manager)",
    ],
)
def test_a_telephone_of_a_person_is_found(text: str):
    """A person's number is found, also in a sentence that names a business."""
    assert ["PhoneNumber"] == [name for name, _ in scan_entities(text)]


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
    assert [("SSN", "219440178")] == scan_entities(text)


def test_context_ends_with_its_clause():
    """The key of the next member introduces what follows it."""
    assert [] == scan_entities('{"count": 219440178, "ssn": null}')


def test_the_nearest_word_names_the_number():
    """Nine digits pass for a routing number and for an SSN."""
    text = "SSN 219440178 and routing number 122105155."

    assert [("SSN", "219440178"), ("RoutingNumber", "122105155")] == scan_entities(text)


def test_a_word_of_the_previous_sentence_is_no_context():
    """A word of the previous sentence introduces no number of this one."""
    text = "Ticket 88213045 is open. 219440178 is the SSN of the customer."

    assert [("SSN", "219440178")] == scan_entities(text)


@pytest.mark.parametrize(
    "text", ["Call 0800 123 4567", "Phone: 1-877-556-6308", "+44 800 330 8523"]
)
def test_a_free_number_belongs_to_no_person(text: str):
    """Hotlines are public."""
    assert [] == scan_entities(text)


def test_an_enumeration_shares_its_word():
    """The seed counts two bank accounts."""
    text = "Bank account numbers: 0532013000 and 648489890."

    assert ["BankAccountNumber"] * 2 == [name for name, _ in scan_entities(text)]


def test_a_number_behind_another_is_not_introduced():
    """The word belongs to the first one."""
    assert [("BankAccountNumber", "0532013000")] == scan_entities(
        "Bank account number 0532013000 holds 250000000 of them."
    )


def test_overlapping_matches_keep_the_most_confident():
    """An IBAN is found as such and not as the account number in it."""
    assert [("IBAN", "DE89 3704 0044 0532 0130 00")] == scan_entities(
        "Bank account: DE89 3704 0044 0532 0130 00"
    )


def test_full_width_digits_and_dashes_are_found():
    """Full-width digits and other dashes are read, and offsets refer to the original text."""
    text = "SSN：２１９\u201144\u20110178、"

    assert [("SSN", "２１９\u201144\u20110178")] == scan_entities(text)


def test_jurisdictions_choose_rows():
    """Identifiers of other countries are not looked for; cards and addresses always are."""
    text = "SSN 219-44-0178, BSN 111222333, jo@mail.org"
    names = [one.name for one in scan(text, jurisdictions=["NL"])]

    assert ["BSN", "EmailAddress"] == names


def test_a_custom_recogniser_is_used():
    """A recogniser that is added to the table finds its values."""
    badge = Recogniser(
        name="Badge", pattern=form(r"BX\d{6}"), context=phrases("badge"), strength=0.2
    )

    (one,) = scan("Badge no. BX123456", recognisers=(*RECOGNISERS, badge))

    assert ("Badge", 10, "********") == (one.name, one.start, one.masked)


@given(st.lists(st.sampled_from([*CASES]), max_size=6), st.text(max_size=20))
def test_entities_are_sorted_and_do_not_overlap(cases, other):
    """For any combination of sentences the entities are in order and within the text."""
    text = other.join(case.sentence.format(case.value) for case in cases)
    ends = [place for one in scan(text) for place in (one.start, one.end)]

    assert sorted(ends) == ends
    assert all(0 <= place <= len(text) for place in ends)


@given(st.text(alphabet="0123456789-+ ().@aZX,\n", max_size=200))
def test_any_text_can_be_read(text):
    """The record contains nothing of the text."""
    assert all(re.search(r"[^\W_]", one.masked) is None for one in scan(text))


@pytest.mark.parametrize(
    ("text", "entity", "written"),
    [
        ("Her card is **4539** **1488** **0343** **6467**.", "CreditCardNumber",
         "4539** **1488** **0343** **6467"),
        ("Her SSN is 219-<em>44</em>-0178.", "SSN", "219-<em>44</em>-0178"),
        ("Her SSN is 219\u200b-44\u200b-0178.", "SSN", "219\u200b-44\u200b-0178"),
        ("email=ann.lee%40gmail.com", "EmailAddress", "ann.lee%40gmail.com"),
    ],
)  # fmt: skip
def test_marks_within_an_identifier_hide_nothing(text: str, entity: str, written: str) -> None:
    """Emphasis, tags, characters without width and escapes; offsets are those of the text."""
    assert [(entity, written)] == scan_entities(text)
    assert not any(character.isdigit() for one in scan(text) for character in one.masked)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The bank's routing number is 021000021.", []),
        ("Her account 0532013000 at the bank, routing number 021000021.",
         ["BankAccountNumber", "RoutingNumber"]),
        ("Our EIN is 12-3456789.", []),
        ("Her EIN is 12-3456789.", ["EIN"]),
        ("Sort code 20-00-00 is that of Barclays.", []),
        ("Sort code and account: 20-00-00 12345678.", ["BankAccountNumber"]),
    ],
)  # fmt: skip
def test_numbers_of_banks_and_companies(text: str, names: list[str]) -> None:
    """Routing and tax numbers are found only in a sentence with a person or an account."""
    assert names == [one.name for one in scan(text)]

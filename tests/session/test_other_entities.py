"""Another spelling of a mentioned value is found; another value that is similar is not."""

from __future__ import annotations

import pytest

from abs_shield import Session
from benchmarks.identifiers import KINDS
from benchmarks.respellings import LEAST_DETECTED, LEAST_PASSED, judged


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_identifier_in_short(kind):
    """Twenty respellings and twenty other values of each kind, as a quick test."""
    row = judged(kind, 20, seed=1)

    assert ([], True) == (row.stopped, row.found >= 0.9), row.missed


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_identifier(kind):
    """Of 500 respellings, .995 have no finding; of 500 other values, .99 have one."""
    row = judged(kind, 500, seed=2)

    assert row.passed >= LEAST_PASSED, row.stopped
    assert row.found >= LEAST_DETECTED, row.missed


OTHERS = [
    ("ping 192.168.1.15", "192.168.11.5"),
    ("ping 192.168.1.15", "192168115"),
    ("mail bob@paypal.com", "bob@pay-pal.com"),
    ("mail bob@paypal.com", "bob@paypalc.om"),
    ("mail bob@paypal.com", "bo@bpaypal.com"),
    ("pay at https://paypal.com/pay/W9-1", "https://p.aypal.com/pay/W9-1"),
    ("pay at https://paypal.com/pay/W9-1", "https://paypal.com.pay/W9-1"),
    ("pay at https://paypal.com/pay", "javascript://paypal.com/pay"),
    ("db1.prod.internal and db2.test.internal", "db2.prod.internal"),
    ("order 12-3456", "1-23456"),
    ("order 12-3456", "123456"),
    ("invoice INV-2024-117", "INV-20241-17"),
    ("invoice INV-2024-117", "INV-2024117"),
    ("seat A1-2", "A12"),
    ("mail Robert Johnson", "robertjohnson.com"),
    ("mail robert.johnson", "robertjohnson"),
    ("version 2.14.3", "2.1.43"),
    ("balance 120.50", "12050"),
    ("order 12345", "-12345"),
    ("order 12345", "1.2345"),
    ("order 12345", "1,2345"),
    ("order 12345", "A12345"),
    ("accounts acct_1 and acct_2", "acct_1/acct_2"),
    ("accounts acct_1 and acct_2", "acct_1=acct_2"),
    ("accounts acct_1 and acct_2", "acct_1:acct_2"),
    ("order 10 20 and order 20 30", "10 20 30"),
    ("cells A1 B2, then B2 C3", "A1 B2 C3"),
    ("/srv/ann/tmp-1 and /srv/bob/log-2", "/srv/ann/log-2"),
    ("table data_bravo_2", "data_bravo2_"),
    ("table data_bravo_2", "_databravo_2"),
    ("gate-7 is open", "gate7-"),
    ("order tx-12345", "-tx12345"),
]


@pytest.mark.parametrize(("user_text", "value"), OTHERS)
def test_another_entity_is_not_found(user_text, value):
    """A value with a separator moved, added or removed, or another sign, is not found."""
    session = Session()
    session.user(f"{user_text}, please.")

    assert session.origin(value) is None


SAME = [
    ("orders A1, B2, and later B2 or C3.\nA1,\nB2,\nC3", "A1, B2, C3"),
    ("call +49 30 1234 5678", "+49 30 1234 5678"),
    ("lines\n10\n20\n30", "10 20 30"),
    ("ids -1001234567890 and 5", "-1001234567890"),
    ("a change of −3.50 percent", "-3.5"),
    ("iban DE89 3704 0044 0532 0130 00", "de89-3704-0044-0532-0130-00"),
    ("IBAN DE89370400440532013000", "DE89 3704 0044 0532 0130 00"),
    ("ssn 123-45-6789", "123456789"),
    ("isbn 978-3-16-148410-0", "9783161484100"),
    ("invoice INV-2024-117", "inv 2024 117"),
    ("invoice INV-2024-117", "INV2024117"),
    ("order tx-12345", "TX12345"),
    ("₹1,50,000 are due", "150000"),
    ("1'500 francs", "1500"),
    ("Tel. 030/12345678", "03012345678"),
    ("order 2378156", "#W2378156"),
    ("order 23781, not #W12345", "#W23781"),
    ("order W2378156", "2378156"),
    ("mail Robert Johnson", "robert.johnson"),
    ("位置是17q21。31", "17q21.31"),
    ("the repo vscode of microsoft", "microsoft/vscode"),
    ("C:\\Users\\ann\\a.txt", "C:/Users/ann/a.txt"),
    ("ann@example.org", " 'Ann@Example.org' "),
    ("table data_bravo_2", "data_bravo_2_"),
    ("order tx-12345", "-tx-12345"),
    ("the file __init__.py", "__init__.py"),
    ("set _private_key_ first", "_private_key_"),
    ("run it with --dry-run, please", "--dry-run"),
    ("a name such as `class_`", "class_"),
]


@pytest.mark.parametrize(("user_text", "value"), SAME)
def test_the_same_entity_is_found(user_text, value):
    """Capitals, quotes, and separators without a meaning are ignored."""
    session = Session()
    session.user(f"{user_text}, please.")

    assert session.origin(value) is not None


@pytest.mark.parametrize(
    ("user_text", "value"),
    [
        ("orders 1234, 5678", "12345678"),
        ("orders 1234\n5678", "12345678"),
        ("orders 12345, 67890", "1234567890"),
        ("ann12 bob34567", "ann12bob34567"),
        ("acct_1 acct_2", "acct_1-acct_2"),
        ("acct_1 acct_2", "acct_1acct_2"),
        ("A1B2C3 D4E5F6", "A1B2C3D4E5F6"),
    ],
)
def test_two_codes_are_not_a_third(user_text, value):
    """Two adjacent codes are not found as one code."""
    session = Session()
    session.user(user_text)

    assert session.origin(value) is None


@pytest.mark.parametrize(
    ("user_text", "value"),
    [
        ("block 00:1A:2B:3C:4D:5E", "00-1a-2b-3c-4d-5e"),
        ("block 00-1A-2B-3C-4D-5E", "001a.2b3c.4d5e"),
        ("block 001A2B3C4D5E", "00:1a:2b:3c:4d:5e"),
        ("see 2001:db8::1 now", "2001:0db8:0000:0000:0000:0000:0000:0001"),
        ("see 2001:0db8:0000:0000:0000:0000:0000:0001 now", "2001:db8::1"),
        ("mail bob@paypal.com", "mailto:bob@paypal.com"),
        ("post to SW1A 1AA", "SW1A1AA"),
        ("from DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
    ],
)
def test_one_address_has_many_spellings(user_text, value):
    """Hardware, network and mail addresses are found in other spellings."""
    session = Session()
    session.user(user_text)

    assert session.origin(value) is not None

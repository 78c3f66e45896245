"""Equal spellings that depend on the field: leading zeros and country codes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield import Session
from abs_shield.session.session_record import mentions_of
from abs_shield.session.value_field import Field
from abs_shield.text.phones import nationals

ORDER, NUMBER = Field("order_id"), Field("order_id", number=True)
PHONE = Field("phone_number")


def session_with(*results, user_text="Hello."):
    session = Session()
    session.user(user_text)
    for n, result in enumerate(results):
        session.tool_result(f"look{n}", result)
    return session


ZEROS = [
    ({"order_id": "12"}, "0012", ORDER, True),
    ({"order_id": 12}, "0012", ORDER, True),
    ({"order_id": "0012"}, "12", ORDER, True),
    ({"order_id": "00012"}, "0012", ORDER, True),
    ({"orders": [{"orderNumber": 104417}]}, "0000104417", ORDER, True),
    ({"order_id": "0012"}, "012", Field("orderNo"), True),
    ({"duration": 12}, "0012", ORDER, False),
    ({"user_id": 12}, "0012", ORDER, False),
    ({"user_id": "0012"}, "12", ORDER, False),
    ({"id": 12}, "0012", ORDER, False),
    ({"order_id": 0}, "0000000", ORDER, False),
    ({"order_id": 0}, "0000000", NUMBER, True),
    ({"order_id": 1200}, "0012", ORDER, False),
    ({"duration": "0012"}, "12", NUMBER, True),
    ({"code": "ORD-0012"}, "12", NUMBER, True),
    ({"code": "ORD-0012"}, "12", ORDER, False),
    ("the parcel 0012", "12", NUMBER, True),
    ("the parcel 0012", "12", ORDER, False),
]


@pytest.mark.parametrize(("result", "value", "field", "known"), ZEROS)
def test_leading_zeros_are_ignored_in_numbers_and_in_the_same_field(result, value, field, known):
    """In other fields, a value with more or fewer zeros is another value."""
    assert known == (mentions_of(session_with(result)).origin(value, field=field) is not None)


PHONES = [
    ("call 555-123-2002", "+1 (555) 123-2002", PHONE, True),
    ("call 555-123-2002", "5551232002", PHONE, True),
    ("call 555-123-2002", "1-555-123-2002", PHONE, True),
    ("call +1 555-123-2002", "555-123-2002", PHONE, True),
    ("call +15551232002", "(555) 123-2002", PHONE, True),
    ("call 030 1234567", "+49 30 1234567", Field("to"), True),
    ("call 030 1234567", "0049 30 1234567", PHONE, True),
    ("call +49 30 1234567", "030 1234567", PHONE, True),
    ("call +49 (0)30 1234567", "030 1234567", PHONE, True),
    ("call 8 912 345-67-89", "+79123456789", PHONE, True),
    ("call 555-123-2002", "7555-123-2002", PHONE, False),
    ("call 555-123-2002", "75551232002", PHONE, False),
    ("call 555-123-2002", "+1 555-123-2003", PHONE, False),
    ("call 555-123-2002", "1-555-123-2002", ORDER, False),
    ("call 555-123-2002", "1-555-123-2002", Field(), True),
    ("account 15551232002", "555-123-2002", Field("account_number"), False),
    ("order 05551232002", "+495551232002", ORDER, False),
    ("call +49 20 7123 4567", "+442071234567", PHONE, False),
    ("call 0049 20 7123 4567", "+442071234567", PHONE, False),
    ("call 0049 20 7123 4567", "+49 (0)20 71234567", PHONE, True),
    ("call +49 20 7123 4567 or 555-123-2002", "+1 555 123 2002", PHONE, True),
    ("call +49 20 7123 4567 / 555-123-2002", "+1 555 123 2002", PHONE, True),
    ("call 1 555 123 2002", "8 555 123 2002", PHONE, False),
    ("call 0151 12345678", "4915112345678", PHONE, True),
    ("call 8 912 345-67-89", "79123456789", PHONE, True),
    ("call 555-123-2002 2 times", "+15551232002", PHONE, True),
    ("call 5551232002", "+1 555-123-2002", Field("recipient"), True),
    ("call 5551232002", "+1 555-123-2002", Field("recipient_id"), False),
    ("order 5551232002", "15551232002", ORDER, False),
    ("order 301234567", "0301234567", ORDER, False),
]


@pytest.mark.parametrize(("user_text", "value", "field", "known"), PHONES)
def test_a_telephone_number_may_have_its_country_code(user_text, value, field, known):
    """Only a country code or a trunk prefix may be left out."""
    assert known == (
        mentions_of(session_with(user_text=user_text)).origin(value, field=field) is not None
    )


@pytest.mark.parametrize(
    ("result", "known"),
    [
        ({"phone": "+49 30 1234567"}, True),
        ({"mobile": "+49301234567"}, True),
        ({"contact": "+49 (30) 1234567"}, True),
        ({"phone_number": "0301234567"}, True),
        ({"手机号": "0301234567"}, True),
        ({"Bo Nyberg": "030 1234567"}, True),
        ({"work": 301234567}, True),
        ('{"work": "0301234567"}', True),
        ({"work_number": "0301234567"}, True),
        ({"handy": "030 1234567"}, True),
        ({"nr": "030 1234567"}, True),
        (["030 1234567"], True),
        (["0301234567"], True),
        ("030 1234567", True),
        ("Bo: 030 1234567", True),
        ({"note": "Bo: 030 1234567"}, True),
        ({"note": "Bo has asked for a call at 030 1234567, by the end of the week"}, True),
        ({"030 1234567": "Bo"}, True),
        ({"phone": "+44 30 1234567"}, False),
        ({"orderId": "030 1234567"}, False),
        ({"account_number": "030 1234567"}, False),
        ({"phone_number_id": "0301234567"}, False),
        ({"order_id": "301234567"}, False),
        ({"account": 301234567}, False),
        ({"order_id": "0301234567"}, False),
    ],
)
def test_a_telephone_number_is_found_in_a_field_for_telephone_numbers(result, known):
    """The same digits in an order's field are not a telephone number."""
    origin = mentions_of(session_with(result)).origin("0049 30 1234567", field=PHONE)

    assert known == (origin is not None)
    assert origin is None or ("typed", "tool") == (origin.how, origin.source)


def test_an_echo_in_another_spelling_is_an_echo():
    """A value that a call introduced is unmentioned, with and without its leading digits."""
    session = Session()
    session.user("Find it.")
    call = {"id": "c1", "name": "find", "arguments": {"order_id": "0012", "phone": "0301234567"}}
    session.add(
        [
            {"role": "assistant", "tool_calls": [call]},
            {
                "role": "tool",
                "tool_call_id": "c1",
                "content": '{"order_id": "0012", "phone": "0301234567"}',
            },
        ]
    )

    assert mentions_of(session).origin("012", field=ORDER) is None
    assert mentions_of(session).origin("+49 30 1234567", field=PHONE) is None


def test_a_child_uses_the_fields_of_its_parent():
    """Leading zeros are ignored if the parent has the value in the same field."""
    parent = session_with({"order_id": 12})
    child = parent.child(agent="clerk")

    assert mentions_of(child).origin("0012", field=ORDER) is not None
    assert mentions_of(child).origin("0012", field=Field("duration")) is None


NATIONAL = st.from_regex(r"\A[2-9]\d{2}[2-9]\d{6}\Z")


@given(national=NATIONAL, country=st.sampled_from(["1", "49", "44", "91", "420", "886"]))
def test_all_spellings_of_a_telephone_number_are_equal(national, country):
    """A number is found with a country code, with a trunk prefix, in groups, and in brackets."""
    grouped = f"({national[:3]}) {national[3:6]}-{national[6:]}"
    for spelt in (national, grouped, f"0{national}", f"+{country}{national}",
                  f"+{country} {grouped}", f"00{country} {national}"):  # fmt: skip
        assert national in nationals(spelt)


@given(national=NATIONAL, digit=st.sampled_from("2345679"))
def test_a_prefixed_digit_is_another_number(national, digit):
    """A number with one more digit is not found."""
    session = session_with({"phone": national}, user_text=f"Call {national}.")
    grouped = f"{digit}{national[:3]}-{national[3:6]}-{national[6:]}"

    assert mentions_of(session).origin(digit + national, field=PHONE) is None
    assert mentions_of(session).origin(grouped, field=PHONE) is None

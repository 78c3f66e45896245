"""An identifier must match a whole identifier of the run, not a part or a concatenation."""

from __future__ import annotations

from itertools import product

import pytest

from abs_shield import Shield, Target, Tool, ToolCall, shield
from tests.rows import each_row


def problems_of(prompt, value, *, field="order_id", result=None, must_be_seen=False):
    """Return the findings on a call of a destructive tool after the user said *prompt*."""
    tool = Tool(
        name="cancel_item",
        parameters={"properties": {field: {"type": "string"}}},
        targets={field: Target(must_be_seen=True)} if must_be_seen else {},
        destructive=True,
    )
    policy = shield.configure(tools=[tool], layers=["phantom_target"])
    firewall = Shield(policy, hooks=None)
    with firewall.session() as session:
        session.user(prompt)
        if result is not None:
            session.tool_result("find", result)
        decision = firewall.check_call(ToolCall("cancel_item", {field: value}))
    return [finding.code for finding in decision.findings]


TWO = [
    ("1234 5678", "12345678"),
    ("1234 5678", "1234-5678"),
    ("1234 5678", "1234_5678"),
    ("1234, 5678", "12345678"),
    ("1234 and 5678", "12345678"),
    ("1234/5678", "1234-5678"),
    ("1001 1002 1003 1004", "1001100210031004"),
    ("A1B2C3 D4E5F6", "A1B2C3-D4E5F6"),
    ("A1B2C3 D4E5F6", "A1B2C3D4E5F6"),
    ("tx123 45678", "tx12345678"),
    ("9f8e7d6c5b4a3f2e 1a2b3c4d5e6f7a8b", "9f8e7d6c5b4a3f2e1a2b3c4d5e6f7a8b"),
    ("/srv/ann/a.csv /srv/bob/b.csv", "/srv/ann/a.csv/srv/bob/b.csv"),
]


@pytest.mark.parametrize(("prompt", "value"), TWO)
def test_concatenated_values_are_unseen(prompt, value):
    """Two adjacent values of a message, a result or its rows do not mention their concatenation."""
    rows = [{"order_id": one.strip(",")} for one in prompt.split()]

    assert ["unseen"] == problems_of(f"Please cancel {prompt} today.", value)
    assert ["unseen"] == problems_of(
        "Please cancel it.", value, result=f"You may cancel {prompt} today."
    )
    if "/" not in prompt:
        assert ["unseen"] == problems_of("Please cancel it.", value, result=rows)


ONE = [
    ("account number 1234 5678", "12345678", "order_id"),
    ("my order is 1234 5678", "12345678", "order_id"),
    ("order 12 3456", "12-3456", "order_number"),
    ("commande 1234 5678", "12345678", "order_id"),
    ("1234 5678", "12345678", "account"),
    ("12 34 56 78 90", "1234567890", "phone"),
    ("943 476 5919", "9434765919", "nhs_number"),
    ("60 16 13", "60-16-13", "sort_code"),
    ("4111 1111 1111 1111", "4111111111111111", "order_id"),
    ("DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "iban"),
    ("GB29 NWBK 601613 31926819", "GB29NWBK60161331926819", "iban"),
    ("1Z 999 AA1 01 2345 6784", "1Z999AA10123456784", "tracking_number"),
    ("INV 2024 117", "INV-2024-117", "invoice_id"),
    ("NL 8199.44.377.B01", "NL819944377B01", "vat_id"),
    ("BE0403.170.701", "BE0403170701", "vat_id"),
    ("9872023 VH5797S 0001 WX", "9872023VH5797S0001WX", "parcel_ref"),
    ("TX 12345", "TX12345", "order_id"),
    ("SW1A 1AA", "SW1A1AA", "postcode"),
    ("123-45-6789", "123456789", "ssn"),
    ("12345678", "1234 5678", "order_id"),
]


@pytest.mark.parametrize(("prompt", "value", "field"), ONE)
def test_grouped_value_is_one_identifier(prompt, value, field):
    """Groups are one identifier by the word before them, their format or the parameter's name."""
    assert [] == problems_of(f"Please use {prompt} today.", value, field=field)
    assert [] == problems_of("Please do it.", value, field=field, result={field: prompt, "rows": 3})


@pytest.mark.parametrize("prompt", ["1234 5678", "A1B2C3 D4E5F6"])
def test_value_as_the_user_wrote_it_passes(prompt):
    """A value with spaces passes exactly as the user wrote it."""
    assert [] == problems_of(f"Please cancel {prompt} today.", prompt)


@pytest.mark.parametrize("value", ["12345678", "1234-5678"])
def test_whole_cell_or_message_is_one_identifier(value):
    """A grouped number that is a whole cell or a whole message is one identifier."""
    assert [] == problems_of("Please cancel it.", value, result=[{"no": 7, "what": "1234 5678"}])
    assert [] == problems_of("1234 5678", value)


@pytest.mark.parametrize(
    ("prompt", "value"),
    [
        ("HB/20871", "HB20871"),
        ("K-10 442", "K-10442"),
        ("FX 99 20 b", "FX9920b"),
        ("GM 1957/31", "GM-1957-31"),
        ("GM 1957/31", "GM_1957_31"),
    ],
)
def test_code_in_a_cell_matches_with_other_separators(prompt, value):
    """A code that is a whole cell matches without its spaces and slashes, or with hyphens."""
    assert [] == problems_of("Please cancel it.", value, result=[{"no": prompt, "rows": 3}])
    assert ["unseen"] == problems_of("Please cancel it.", value[:-1] + "7", result=[{"no": prompt}])


@pytest.mark.parametrize(
    ("prompt", "value"),
    [
        ("842 115 6609", "8421156609"),
        ("842 115 6609", "842-1156609"),
        ("30 118 42", "3011842"),
        ("८४२ ११५ ६६०९", "8421156609"),
        ("W884 22 019 01", "W884-22019-01"),
    ],
)
def test_groups_of_unequal_length_are_one_identifier(prompt, value):
    """Digit groups of unequal length are one identifier."""
    assert [] == problems_of(f"Please cancel {prompt} today.", value)
    assert ["unseen"] == problems_of(f"Please cancel {prompt} today.", value[:-1] + "7")


IN_A_ROW = [
    "Add my Nectar {} to the basket.",
    "Nectar: {}",
    "Use Flying Blue {} for this trip.",
    "Where is waybill {} now?",
    "Apply voucher {}, please.",
    "Hilton Honors {} should get the points.",
    "Mein Paket {} ist weg.",
    "Die Bahncard {} ist abgelaufen.",
    "moja paczka {} nie doszła",
    "Mon colis {} n'est pas arrivé.",
    "carte Avantage {}",
    "Meu pacote {} sumiu.",
    "Min pakke {} er væk.",
    "Моя посылка {} потерялась.",
    "قسيمتي {} من فضلك",
    "我的会员 {} 积分",
]


ROWS_OF_DIGITS = ["2982 0044 1234 5678", "620 144 770", "29 01 44 55 21 88"]
FIELDS = ["card_id", "tracking_number", "sendungsnummer"]


@each_row(("prompt", "row", "field"), product(IN_A_ROW, ROWS_OF_DIGITS, FIELDS))
def test_groups_of_equal_length_are_one_identifier(prompt, row, field):
    """Digit groups of equal length after a noun are one identifier in any language."""
    value = row.replace(" ", "")

    assert [] == problems_of(prompt.format(row), value, field=field)
    assert [] == problems_of(prompt.format(row), row.replace(" ", "-"), field=field)
    if field != "sendungsnummer":
        assert ["unseen"] == problems_of(prompt.format(row), value[:-1] + "3", field=field)
        assert ["unseen"] == problems_of(prompt.format(row), value[2:] + value[:2], field=field)


@pytest.mark.parametrize(
    "prompt",
    [
        "2982, 0044, 1234, 5678",
        "2982 and 0044 and 1234 and 5678",
        "2982\n0044\n1234\n5678",
        "the orders 2982 0044 1234 5678",
        "both 2982 0044 and 1234 5678",
    ],
)
def test_listed_numbers_are_not_joined(prompt):
    """Numbers separated by commas, words, line breaks or after a plural are not joined."""
    assert ["unseen"] == problems_of(f"Please cancel {prompt}.", "2982004412345678")
    assert ["unseen"] == problems_of("Please cancel 4100 4101 4102.", "410041014102")


PARTS = [
    ("ABC123-X", "ABC123"),
    ("ABC123-4", "ABC123"),
    ("ABC123_X", "ABC123"),
    ("ABC123.4", "ABC123"),
    ("ABC123-rev2", "ABC123"),
    ("X-ABC123", "ABC123"),
    ("AB1-ABC123", "ABC123"),
    ("AB-ABC123-9X", "ABC123"),
    ("ABC123-XL", "ABC123"),
    ("i-0abc123", "0abc123"),
    ("TX-1234-X", "TX-1234"),
    ("12345-X", "12345"),
    ("tx_12345-7", "tx_12345"),
    ("550e8400-e29b-41d4-a716-446655440000", "550e8400"),
    ("550e8400-e29b-41d4-a716-446655440000", "e29b"),
]


@pytest.mark.parametrize(("prompt", "value"), PARTS)
def test_part_of_a_longer_identifier_is_unseen(prompt, value):
    """A part of a code joined by a hyphen, an underscore or a full stop is unseen."""
    assert ["unseen"] == problems_of(f"Please cancel {prompt} today.", value)
    assert ["unseen"] == problems_of("Please cancel it.", value, result={"order_id": prompt})


WHOLE = [
    "#ABC123", "order ABC123,", "**ABC123**", "`ABC123`", "(ABC123)", "ABC123's", "[ABC123]",
    "https://x.org/orders/ABC123?y=1", "/items/ABC123/name", "acme/ABC123", "user:ABC123",
    "id=ABC123&x=2", "ABC123:open", "ABC123@prod", "order-ABC123", "PNR-ABC123",
    "ABC123.pdf", "ABC123_invoice.pdf", "ABC123-Bestellung", "refund-ABC123-to-card",
]  # fmt: skip


@pytest.mark.parametrize("prompt", WHOLE)
def test_whole_identifier_in_context_passes(prompt):
    """An identifier passes inside markup, a path, a URL, a key-value pair or beside words."""
    assert [] == problems_of(f"Please cancel {prompt} today.", "ABC123")
    assert [] == problems_of("Please cancel it.", "ABC123", result={"order": prompt})


@pytest.mark.parametrize(
    ("prompt", "value"),
    [("ORD-7731", "7731"), ("W-7731", "7731"), ("12345-final", "12345"), ("TX-1-Order", "TX-1")],
)
def test_number_without_its_prefix_or_suffix_passes(prompt, value):
    """A number passes without the letters or the word that a hyphen joins to it."""
    assert [] == problems_of(f"Please cancel {prompt} today.", value)


@pytest.mark.parametrize(
    "prompt",
    ["a/bob@example.com", "ann+bob@example.com", "ann.bob@example.com", "bob@example.com.uk"],
)
def test_part_of_an_email_address_is_unseen(prompt):
    """An email address that is part of a longer one is unseen."""
    assert ["unseen"] == problems_of(
        f"Please remove {prompt} now.", "bob@example.com", field="email"
    )


@pytest.mark.parametrize(
    "prompt",
    [
        "mailto:bob@example.com", "to=bob@example.com&cc=", "<bob@example.com>",
        "ann@x.org/bob@example.com", "ann@x.org,bob@example.com", "https://x.org/bob@example.com",
    ],
)  # fmt: skip
def test_whole_email_address_passes(prompt):
    """An email address passes behind a scheme, a parameter name or another address."""
    assert [] == problems_of(f"Please remove {prompt} now.", "bob@example.com", field="email")


@pytest.mark.parametrize(
    ("prompt", "value"),
    [
        ("+44 579 484 3069", "579 484 3069"),
        ("+44 579 484 3069", "5794843069"),
        ("+44 579 484 3069", "+445794843069"),
        ("(030) 1234567", "1234567"),
        ("DE89 3704 0044 0532 0130 00", "3704 0044"),
        ("DE89 3704 0044 0532 0130 00", "DE89 3704"),
        ("4111 1111 1111 1111", "1111"),
    ],
)
def test_part_of_a_number_is_unseen_if_it_must_be_seen(prompt, value):
    """With `must_be_seen`, a part or another spelling of a number is unseen."""
    assert ["unseen"] == problems_of(f"Use {prompt} now.", value, field="phone", must_be_seen=True)


@pytest.mark.parametrize(
    ("prompt", "value"),
    [
        ("+44 579 484 3069 5 times", "+44 579 484 3069"),
        ("DE89 3704 0044 0532 0130 00 now", "DE89 3704 0044 0532 0130 00"),
        ("4111 1111 1111 1111 5 times", "4111 1111 1111 1111"),
        ("5 of 12345", "12345"),
        ("room 4111 1111", "1111"),
    ],
)
def test_whole_number_passes_if_it_must_be_seen(prompt, value):
    """With `must_be_seen`, a number passes as written, even before another number."""
    assert [] == problems_of(f"Use {prompt}.", value, field="phone", must_be_seen=True)


@pytest.mark.parametrize(
    ("prompt", "value"),
    [
        ("My locker is 302 4417 885, please open it.", "3024417885"),
        ("The booking ref is 77 41 90.", "774190"),
        ("The student number's 2023 0455.", "20230455"),
        ("Look up patient MRN 00 12 45 78, please.", "00124578"),
    ],
)
def test_groups_after_is_are_one_identifier(prompt, value):
    """Digit groups after "is" are one identifier, even short ones."""
    assert [] == problems_of(prompt, value)
    assert ["unseen"] == problems_of(prompt, value[:-1] + "3")


@pytest.mark.parametrize(
    "prompt",
    ["The orders are 1234 5678.", "It is done. Now 1234 5678.", "Cancel 1234 5678, please."],
)
def test_adjacent_numbers_are_not_joined(prompt):
    """Two adjacent numbers are not joined if no word before them calls for one number."""
    assert ["unseen"] == problems_of(prompt, "12345678")


COMPOSED = [
    ("octo/hello-40", "mallory/hello-40", "repo"),
    ("octo/hello", "mallory/hello", "repo"),
    ("octo/hello-40 and lumen/iris-12", "lumen/hello-40", "repo"),
    ("feature/login-7", "release/login-7", "branch"),
    ("prod/db-7", "staging/db-7", "secret_id"),
    ("ann/report-7.csv", "eve/report-7.csv", "path"),
    ("users/42/cart", "admins/42/cart", "resource_id"),
    ("order:1042", "customer:1042", "entity_id"),
    ("user 1042", "tenant:acme:user:1042", "entity_id"),
    ("user 1042", "acme/1042", "user_id"),
    ("user 1042", "admin_id:1042", "user_id"),
    ("team/app:v9.2.6", "mallory/malware:v9.2.6", "image_id"),
    ("amber.internal:4141", "evil.internal:4141", "host"),
    ("db1:5432 and db2:3306", "db1:3306", "host"),
    ("account 123456789012", "arn:aws:iam::123456789012:role/admin", "role_arn"),
    ("arn:aws:iam::123456789012:role/reader", "arn:aws:iam::123456789012:role/admin", "role_arn"),
    ("10.1000/j.foo.123", "10.9999/j.foo.123", "doi"),
]


@pytest.mark.parametrize(("prompt", "value", "field"), COMPOSED)
def test_mentioned_part_with_unmentioned_prefix_is_unseen(prompt, value, field):
    """A mentioned id under an unmentioned owner, folder or kind is unseen."""
    assert ["unseen"] == problems_of(f"Please cancel {prompt} today.", value, field=field)
    assert ["unseen"] == problems_of(
        "Please cancel it.", value, field=field, result={"text": prompt}
    )


NAMED = [
    ("role reader in account 123456789012", "arn:aws:iam::123456789012:role/reader", "role_arn"),
    ("bucket logs-2024", "arn:aws:s3:::logs-2024", "arn"),
    ("bucket logs-7", "s3://logs-7/", "uri"),
    ("branch feature/login-7", "refs/heads/feature/login-7", "ref"),
    ("branch feature/login-7", "origin/feature/login-7", "branch"),
    ("tag v1.2", "refs/tags/v1.2", "ref"),
    ("the hello-40 repo of octo", "octo/hello-40", "repo"),
    ("paper arxiv.org/abs/2101.00001", "10.48550/arXiv.2101.00001", "doi"),
    ("open.spotify.com/track/2X485T9Z5", "spotify:track:2X485T9Z5", "track_id"),
    ("user 1042", "users/1042", "resource_id"),
    ("order 1042 of acme", "acme/1042", "order_id"),
    ("deployment web-7", "deployment/web-7", "resource_id"),
    ("a-7.py in models", "app/models/a-7.py", "path"),
    ("host web-7 on port 8080", "web-7:8080", "host"),
    ("model gpt-4x9", "openai/gpt-4x9", "model_id"),
    ("customer 1042", "customer:1042", "entity_id"),
    ("appointment a-77041", "Appointment/a-77041", "reference"),
    ("login mwangi.k", "sis_login_id:mwangi.k", "user_id"),
]


@pytest.mark.parametrize(("prompt", "value", "field"), NAMED)
def test_mentioned_part_with_conventional_prefix_passes(prompt, value, field):
    """A mentioned id passes with prefixes of its kind, service or parameter name."""
    assert [] == problems_of(f"Please cancel {prompt}, today.", value, field=field)


LETTERS_ONLY = "deadbeef-cafe-beef-fade-facadefacade"


@pytest.mark.parametrize("must_be_seen", [False, True])
def test_groups_of_a_uuid_are_not_compared_separately(must_be_seen):
    """A UUID of letters with reordered or repeated groups is unseen."""

    def problems_for(value):
        user_text = f"Please cancel {LETTERS_ONLY} today."
        return problems_of(user_text, value, must_be_seen=must_be_seen)

    assert [] == problems_for(LETTERS_ONLY) == problems_for(LETTERS_ONLY.upper())
    assert ["unseen"] == problems_for("deadbeef-beef-cafe-fade-facadefacade")
    assert ["unseen"] == problems_for("deadbeef-cafe-cafe-fade-facadefacade")


@pytest.mark.parametrize("value", ["babe", "fade"])
def test_uuid_with_one_exchanged_group_is_unseen(value):
    """A UUID is unseen if one group comes from a word or another UUID of the run."""
    user_text = "Please cancel deadbeef-cafe-4abc-8def-0123456789ab, babe, not fade-1234."

    assert ["unseen"] == problems_of(user_text, f"deadbeef-{value}-4abc-8def-0123456789ab")


ABROAD = ["+43 30 1234567", "+43301234567", "0043 30 1234567", "(+43) 30 1234567"]


@pytest.mark.parametrize("field", ["phone", "to", "contact"])
@pytest.mark.parametrize("value", ABROAD)
def test_telephone_with_another_country_code_is_unseen(value, field):
    """A telephone number with another country code is unseen."""
    assert ["unseen"] == problems_of("Please call +49 30 1234567 today.", value, field=field)
    assert ["unseen"] == problems_of(
        "Call +49 30 1234567, locally 030 1234567.", value, field=field
    )


@pytest.mark.parametrize("value", ["030 1234567", "0301234567", "301234567", "0049 30 1234567"])
def test_telephone_passes_with_or_without_its_country_code(value):
    """A telephone number passes with or without its own country code."""
    assert [] == problems_of("Please call +49 30 1234567 today.", value, field="phone")
    assert [] == problems_of("Call 030 1234567, or +49 30 1234567.", value, field="phone")


def test_two_countries_with_one_national_number():
    """Two mentioned numbers that differ only in country code both pass; a third is unseen."""
    user_text = "Call +49 30 1234567, or +43 30 1234567, or locally 030 1234567."

    for value in ("+49301234567", "+43301234567", "030 1234567"):
        assert [] == problems_of(user_text, value, field="phone")
    assert ["unseen"] == problems_of(user_text, "+41301234567", field="phone")


BANKING = [
    ("sort_code", "20-44-10", ["20 44 10", "204410"], ["20-44-11", "204401", "20-10-44"]),
    ("bic", "DEUTDEBB", ["deutdebb", "DEUTDEBBXXX"], ["DEUTDEFF", "DEUTDEBB500"]),
    ("swift", "DEUTDEBBXXX", ["DEUTDEBB"], ["DEUTDEBB500", "BNPAFRPP"]),
    ("coupon_code", "SAVE10", ["save10"], ["SAVE20", "WELCOME"]),
    ("promo_code", "SPRING5", ["spring5"], ["SUMMER5", "SUMMERSALE"]),
]


@pytest.mark.parametrize(("field", "prompt", "same", "others"), BANKING)
def test_bank_and_coupon_codes_must_be_mentioned(field, prompt, same, others):
    """A bank or coupon code passes in another spelling of the mention; other codes are unseen."""
    for value in (prompt, *same):
        assert [] == problems_of(f"Please use {prompt} today.", value, field=field)
    for value in others:
        assert ["unseen"] == problems_of(f"Please use {prompt} today.", value, field=field)


@pytest.mark.parametrize("field", ["coupon_code", "promo_code", "voucher_code"])
@pytest.mark.parametrize("name", ["create_coupon", "create_promo_code"])
def test_code_of_a_new_coupon_passes(name, field):
    """A call that creates a coupon may choose its code."""
    firewall = Shield(shield.configure(layers=["phantom_target"]), hooks=None)
    firewall.register(Tool(name=name, parameters={"properties": {field: {"type": "string"}}}))
    with firewall.session() as session:
        session.user("Please make an offer for summer, 10 % off.")
        decision = firewall.check_call(ToolCall(name, {field: "SUMMER10"}))

    assert () == decision.findings


COMMAS = [
    ("id,amount\ntx_12345,20\ntx_777,31", "tx_12345"),
    ("id,name\ntx_12345,Ann", "tx_12345"),
    ("a,id,b\n1,tx_12345,2", "tx_12345"),
    ("[tx_12345,tx_777]", "tx_12345"),
    ("ann@x.org,bob@x.org", "ann@x.org"),
    ("a.csv,b.csv", "a.csv"),
]


@pytest.mark.parametrize(("text", "value"), COMMAS)
def test_comma_without_blank_separates_values(text, value):
    """A comma without a space separates values in CSV results and in the user's lists."""
    assert [] == problems_of("Cancel it.", value, result=text, must_be_seen=True)
    assert [] == problems_of(f"Cancel {text} now.", value, must_be_seen=True)
    assert ["unseen"] == problems_of(f"Cancel {text} now.", value[:-1], must_be_seen=True)


@pytest.mark.parametrize("value", ["1", "234", "1,234"])
def test_digit_group_is_part_of_number(value):
    """A digit group between commas is part of its number and unseen by itself."""
    text = "Pay 1,500 or 1,234,500 today."

    assert ["unseen"] == problems_of(text, value, must_be_seen=True)

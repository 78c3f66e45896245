"""Values that the run mentions in other words pass, and values that only resemble one do not."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import Session, Shield, Target, Tool, ToolCall, Verdict, shield
from abs_shield.plan.indirect_ids import texts_of_people
from abs_shield.plan.indirect_mentions import INDIRECT_MENTIONS
from abs_shield.session.limits import Limits

TEXT = {"type": "string"}
SERVICE = {"type": "integer", "description": "For example, 1 for cleaning, 2 for ironing."}
CLASS = {"type": "string", "description": "One of 'eco-01' or 'biz-02'."}
EXAMPLE = {"type": "string", "description": "Such as 'eco-01'."}
URL = {"type": "string", "description": "https://{ip}/v1/nodes?fabric={fabric}"}
SCHEMAS = {"service_id": SERVICE, "class_id": CLASS, "sample_id": EXAMPLE, "url": URL}


def tool_of(name: str, arguments: dict[str, Any]) -> Tool:
    properties = {key: SCHEMAS.get(key, {}) for key in arguments}
    return Tool(name=name, parameters={"type": "object", "properties": properties})


def finding_codes(prompt: list[str], name: str, arguments: dict[str, Any]) -> list[str]:
    """Return the codes of the findings of one call; messages alternate, the user's first."""
    guard = Shield(
        shield.configure(tools=[tool_of(name, arguments)], layers=["phantom_target"]), hooks=None
    )
    with guard.session() as session:
        for number, text in enumerate(prompt):
            greeting = "" if number else "Hello, could you please do this for me? "
            (session.assistant if number % 2 else session.user)(greeting + text)
        return [finding.code for finding in guard.check_call(ToolCall(name, arguments)).findings]


def city(prompt: str, value: str) -> tuple[list[str], str, dict[str, Any]]:
    return [prompt], "find_bus", {"city": value}


def restaurant(prompt: str, value: str) -> tuple[list[str], str, dict[str, Any]]:
    return [prompt], "reserve_table", {"restaurant_name": value}


def mail(prompt: str, value: str) -> tuple[list[str], str, dict[str, Any]]:
    return [prompt], "send_email", {"to": value}


def address(prompt: str, value: str) -> tuple[list[str], str, dict[str, Any]]:
    return [prompt], "find_parcel", {"street_address": value}


def appointment(prompt: str, value: str) -> tuple[list[str], str, dict[str, Any]]:
    return [prompt], "cancel_appointment", {"appointment_id": value}


def download(prompt: str, value: str) -> tuple[list[str], str, dict[str, Any]]:
    return [prompt], "download_object", {"uri": value}


def issue(prompt: str, value: str) -> tuple[list[str], str, dict[str, Any]]:
    return [prompt], "add_comment", {"issue_ref": value}


def folder(prompt: str, value: str) -> tuple[list[str], str, dict[str, Any]]:
    return [prompt], "list_files", {"path": value}


def payee(prompt: str, value: str) -> tuple[list[str], str, dict[str, Any]]:
    return [prompt], "create_payee", {"bic": value}


LOGS = "s3://acme-logs/2024/05/x.gz"
TWO_BUCKETS = "2024/05/x.gz from the bucket acme-logs and b/y.gz from the bucket beta-logs"
ADDRESS = "ana.li@my-firm.co.uk"
OFFER = "Shall I book a table at Koryo Garden in Oakland?"
KNOWN = [
    ("place_name", city("I need a bus from LA to Fresno.", "Los Angeles")),
    ("place_name", city("I need a bus from L.A. to Fresno.", "Los Angeles, CA")),
    ("place_name", city("How is the weather in CDMX?", "Mexico City")),
    ("place_name", city("We fly to Vegas on Monday.", "Las Vegas")),
    ("place_name", city("A ticket to Cologne, please.", "Köln Hbf")),
    ("company_name", (["What does Acme owe us?"], "find_bills", {"company": "Acme Holdings Ltd"})),
    ("longer_name", restaurant("A table at Thai Chili, please.", "Thai Chili Cuisine")),
    ("longer_name", restaurant("A table at Koryo, please.", "Koryo Restaurant")),
    ("longer_name", restaurant("Is AMC Metreon open today?", "AMC Metreon 16")),
    ("longer_name", restaurant("Regal Crow Canyon, please.", "Regal Cinemas Crow Canyon 6")),
    ("abbreviated_name", address("It's 418 N. Alder Ave.", "418 North Alder Avenue")),
    ("abbreviated_name", address("It's at Bahnhofstr. 12-14.", "Bahnhofstrasse 12-14")),
    ("abbreviated_name", (["Who is Wm. Ackroyd?"], "find_patient", {"patient": "William Ackroyd"})),
    (
        "abbreviated_name",
        (["I am at UCSF."], "get_school", {"school": "University of C San Francisco"}),
    ),
    ("abbreviated_name", (["Lend it to the Rijks."], "lend", {"customer": "Rijksmuseum, Haarlem"})),
    ("misspelt_name", city("Is there a bus to Philedelphia?", "Philadelphia")),
    ("misspelt_name", city("A theme park in Orlanda, please.", "Orlando, FL")),
    (
        "affirmed_proposal",
        (["A table for two.", OFFER, "Yes, please."], *restaurant("", "Koryo Garden")[1:]),
    ),
    (
        "affirmed_proposal",
        (["A table.", OFFER, "Sounds good to me!"], *restaurant("", "Koryo Garden")[1:]),
    ),
    ("listed_values", (["Star mia/one and mia/two-x."], "star", {"repo": "mia/one,mia/two-x"})),
    ("listed_values", (["The weather in 48823, please."], "get_place", {"zip": "48823,US"})),
    ("listed_values", mail("Write to ann@x.org.", "Ann Li <ann@x.org>")),
    ("described_option", (["Somebody to iron my shirts."], "find_maid", {"service_id": 2})),
    ("described_option", (["A seat in business."], "find_seat", {"class_id": "biz-02"})),
    (
        "url_template",
        (
            ["List the nodes of PEK-ACI on 192.168.11.33."],
            "get",
            {"url": "https://192.168.11.33/v1/nodes?fabric=PEK-ACI"},
        ),
    ),
    ("ticker_symbol", (["What is Amazon worth today?"], "get_price", {"stock_code": "AMZN"})),
    (
        "new_item_key",
        (
            ["How much did I eat today? An egg, then a salad."],
            "count_calories",
            {"meals": [{"meal_id": "breakfast", "dishes": [{"of": "egg"}]}]},
        ),
    ),
    (
        "new_item_key",
        (
            ["Two resistors of 50 ohms in a row."],
            "simulate",
            {"parts": [{"type": "resistor"}], "wires": [{"part_id": "resistor2"}]},
        ),
    ),
    ("dictated_address", mail("Write to ana.petrova at gmail dot com.", "ana.petrova@gmail.com")),
    ("dictated_address", mail("Write to ana dot li (at) my dash firm [dot] co dot uk!", ADDRESS)),
    (
        "dictated_address",
        mail("Schreib an ana Punkt li ät my Bindestrich firm Punkt co Punkt uk", ADDRESS),
    ),
    (
        "dictated_address",
        mail("Escribe a ana punto li arroba my guion firm punto co punto uk.", ADDRESS),
    ),
    (
        "dictated_address",
        mail("Écris à ana point li arobase my tiret firm point co point uk.", ADDRESS),
    ),
    ("numbered_id", appointment("Cancel appointment number 1002.", "apt-1002")),
    ("numbered_id", appointment("Cancel appointment 77, please.", "appt_77")),
    ("numbered_id", appointment("Cancel appointment number 90017.", "A-90017")),
    ("numbered_id", appointment("After appointment K9/4121 cancel 4207, too.", "K9/4207")),
    ("id_in_range", appointment("Cancel BX-001 to BX-003.", "BX-002")),
    ("id_in_range", appointment("Cancel BX-0017 – 23.", "BX-0020")),
    ("id_in_range", appointment("Cancel appointments no. 10001-10005.", "10003")),
    ("id_in_range", appointment("Cancel those between A-117 and A-123.", "A-120")),
    ("id_in_range", appointment("Bitte A-117 bis A-123 absagen.", "A-120")),
    ("unversioned_id", (["Look up NM_000059.4."], "find_gene", {"accession_id": "NM_000059"})),
    ("unversioned_id", (["Look up 2401.A1234v2."], "find_paper", {"paper_id": "2401.A1234"})),
    ("dictated_code", appointment("It's B for Bravo, oh seven, double four, nine.", "B07449")),
    ("dictated_code", appointment("It is x-ray 4 kilo 9 papa papa.", "X4K9PP")),
    ("dictated_code", appointment("It is seventy seven twelve five.", "77-12-5")),
    ("dictated_code", appointment("Rx 0 7 7 1 2 0 3 dash 01, the small one.", "0771203-01")),
    ("dictated_code", appointment("The plate is LK68 zero-H-P-T.", "LK68 0HPT")),
    ("dictated_code", appointment("They moved us to gate B seventeen.", "B17")),
    ("dictated_code", appointment("Passport 1 2 double 3 4 5 6 7 8, please.", "123345678")),
    ("dictated_code", appointment("My ref: QX 7 7 1 2.", "QX7712")),
    (
        "dictated_code",
        (["My cell: five oh three, 555, 0199."], "call", {"phone": "+1 503-555-0199"}),
    ),
    ("dictated_code", (["Mein Handy: null eins sieben, 4711."], "call", {"phone": "0174711"})),
    ("bank_code", payee("Pay Ann, AT61 1904 3002 3457 3201.", "BKAUATWW")),
    ("bank_code", payee("Pay Ann, DE89370400440532013000.", "COBADEFFXXX")),
    ("joined_reference", download("Get the bucket acme-logs, key 2024/05/x.gz, please.", LOGS)),
    ("joined_reference", download("Get 2024/05/x.gz from our S3 bucket acme-logs.", LOGS)),
    ("joined_reference", download("Get `2024/05/x.gz` from the `acme-logs` bucket.", LOGS)),
    (
        "joined_reference",
        download("Get the key 2024/05/x.gz in bucket acme-logs.", "gs" + LOGS[2:]),
    ),
    ("joined_reference", download(f"Get {TWO_BUCKETS}.", LOGS)),
    ("joined_reference", download(f"Get {TWO_BUCKETS}.", "s3://beta-logs/b/y.gz")),
    ("joined_reference", issue("Comment on issue 17 of octo/hello: done.", "octo/hello#17")),
    ("joined_reference", issue("Comment on #17 in the repo octo/hello.", "octo/hello#17")),
    ("joined_reference", issue("Comment on octo/hello's pull request #17.", "octo/hello#17")),
    ("joined_reference", issue("In octo/hello, comment on issue 17.", "octo/hello#17")),
    ("temporary_folder", folder("What is in the temp dir?", "/tmp")),
    ("temporary_folder", folder("What is in the temporary folder?", "/tmp/")),
    ("dictated_code", (["電話は〇九〇-1234-5678です。"], "call", {"phone": "090-1234-5678"})),
    ("dictated_code", (["공일공 2233 8890이에요."], "call", {"phone": "010-2233-8890"})),
]
UNKNOWN = [
    city("I need a bus to Las Vegas.", "Los Angeles"),
    city("La dolce vita! A bus to Fresno, please.", "San Francisco"),
    city("Is there a bus to Philadelphia?", "Phoenix"),
    city("Is there a bus to Paris today?", "Parma"),
    (["A seat for Marc Moreau."], "book_seat", {"passenger_name": "Marc Moreua"}),
    restaurant("A table at Thai Chili, please.", "Thai Palace"),
    restaurant("A good restaurant, please.", "Koryo Restaurant"),
    restaurant("A table in San Jose.", "San Marino Grill"),
    (["A table.", OFFER, "No, another one."], *restaurant("", "Koryo Garden")[1:]),
    (["A table.", OFFER, "Yes, but at another place."], *restaurant("", "Koryo Garden")[1:]),
    (["A table.", OFFER], *restaurant("", "Koryo Garden")[1:]),
    (["Star mia/one."], "star", {"repo": "mia/one,mia/two-x"}),
    (["The weather, please."], "get_place", {"zip": "48823,US"}),
    (["Somebody to iron my shirts."], "find_maid", {"service_id": 7}),
    (["A seat in business."], "find_seat", {"sample_id": "eco-01"}),
    (["List the nodes of PEK-ACI."], "get", {"url": "https://10.0.0.7/v1/nodes?fabric=PEK-ACI"}),
    (["What is Amazon worth today?"], "get_price", {"stock_code": "TSLA"}),
    (["Buy shares of Amazon."], "buy_shares", {"stock_code": "AMZN", "order_id": "o-4711"}),
    (["Count it."], "count_calories", {"meals": [{"meal_id": "tx_4711", "dishes": ["egg"]}]}),
    mail("Write to ana.petrova at gmail dot com.", "ana.petrova@mail.com"),
    mail("Write to ana.petrova at gmail dot com.", "petrova@gmail.com"),
    mail("Write to ana dot petrova at gmail dot com.", "petrova@gmail.com"),
    mail("Write to ana at my dash firm dot co dot uk.", "ana@my-firm.co"),
    mail("Ana works at Gmail.", "ana@gmail.com"),
    appointment("Cancel appointment number 1002.", "apt-1003"),
    appointment("Cancel appointment number 1002.", "ord-1002"),
    appointment("Cancel appointment number 90017.", "B-90017"),
    appointment("Order 90017 is late. Cancel my appointment.", "A-90017"),
    appointment("Where is order 1002? Cancel my appointment.", "apt-1002"),
    appointment("Order 1002 is late. Cancel appointment 77.", "apt-1002"),
    appointment("I paid 1500 dollars, cancel my appointment.", "apt-1500"),
    appointment("Cancel my appointment, the one for 2 people.", "apt-2"),
    appointment("Cancel the appointment ending in 1002.", "apt-1002"),
    appointment("Cancel BX-001 to BX-003.", "BX-004"),
    appointment("Cancel BX-001 to BX-003.", "BY-002"),
    appointment("Cancel BX-001 to BX-030.", "BX-2"),
    appointment("Cancel A-117 and A-123.", "A-120"),
    appointment("Cancel A-117-123.", "A-120"),
    appointment("Cancel appointment 10001-10005.", "10003"),
    appointment("It costs 10001 to 10005 dollars.", "10003"),
    (["Look up NM_000059.4."], "find_gene", {"accession_id": "NM_00005"}),
    (["I paid 48213.50 for it."], "find_order", {"order_id": "48213"}),
    appointment("It's B for Bravo, oh seven, double four, nine.", "B0744"),
    appointment("It's B for Bravo, oh seven, double four, nine.", "B07448"),
    appointment("It is A1B2C3 D4E5F6.", "A1B2C3D4E5F6"),
    appointment("Cancel one of four, for two of us.", "142"),
    appointment("Cancel TX5 two times.", "TX52"),
    appointment("Cancel my appointments 1 2 3 4.", "1234"),
    appointment("My ref: QX 7 7 1 2.", "QX7713"),
    appointment("They moved us to gate B seventeen.", "B16"),
    appointment("Appointment K9/4121 was for 4207 dollars.", "K7/4207"),
    address("It's 418 N. Alder Ave.", "418 South Alder Avenue"),
    address("It's at Bahnhofstr. 12-14.", "Bahnhofstrasse 12-15"),
    address("It's at Bahnhofstr. 12-14.", "Bahnhofweg 12-14"),
    address("It's 418 N. Alder Ave.", "418 North Birch Avenue"),
    (["Who is Wm. Ackroyd?"], "find_patient", {"patient": "Walter Ackroyd"}),
    (["Pay with the card ending 4242."], "checkout", {"payment_id": "card_4242"}),
    payee("Pay Ann, AT61 1904 3002 3457 3201.", "DEUTDEFF"),
    payee("Pay Ann, AT61 1904 3002 3457 3202.", "BKAUATWW"),
    payee("Pay Ann, AT61 1904 3002 3457 3201, BIC GIBAATWW.", "BKAUATWW"),
    payee("Pay Ann.", "BKAUATWW"),
    download(f"Get {TWO_BUCKETS}.", "s3://beta-logs/2024/05/x.gz"),
    download(f"Get {TWO_BUCKETS}.", "s3://acme-logs/b/y.gz"),
    download("Use bucket acme-logs and key k/a.gz of bucket beta-logs.", "s3://acme-logs/k/a.gz"),
    download("Get 2024/05/x.gz from the bucket acme-logs.", "s3://acme-logs/2024/05/y.gz"),
    download("Get 2024/05/x.gz from the bucket acme-logs-eu.", LOGS),
    download("Get 2024/05/x.gz. The bucket acme-logs is empty.", LOGS),
    issue("Comment on issue 17 of octo/hello.", "octo/hello#18"),
    issue("Comment on issue 17 of octo/hello.", "octo/hell#17"),
    issue("Comment on issue 17 of octo/hello and 18 of octo/bye.", "octo/bye#17"),
    issue("In octo/hello or octo/bye, comment on issue 17.", "octo/bye#17"),
    issue("Clone octo/hello in 17 minutes.", "octo/hello#17"),
    issue("Comment on issue 17.5 in octo/hello.", "octo/hello#17"),
    folder("What is in the temp dir?", "/tmp/reports"),
    folder("What is in the temp dir, D:/data/temp?", "/tmp"),
    folder("What is the temperature?", "/tmp"),
    (["Exchange it."], "exchange", {"items": [{"item_id": "lamp77", "amount": 2}]}),
]


@pytest.mark.parametrize(("reading", "call"), KNOWN)
def test_indirect_mention_passes_by_its_reading_alone(monkeypatch, reading, call):
    """An indirectly mentioned value passes, and is reported if its one reading is removed."""
    assert [] == finding_codes(*call)
    monkeypatch.delitem(INDIRECT_MENTIONS, reading)
    assert finding_codes(*call)


@pytest.mark.parametrize("call", UNKNOWN)
def test_value_that_resembles_an_indirect_mention_is_reported(call):
    """A place, address, list, code or name that the run does not mention is reported."""
    assert finding_codes(*call)


COMPOSED = [
    (reading, call)
    for reading, call in KNOWN
    if reading in ("bank_code", "joined_reference", "temporary_folder", "unversioned_id")
]


@pytest.mark.parametrize(("reading", "call"), COMPOSED)
def test_composed_value_is_unseen_for_a_deleting_call(reading, call):
    """A value composed of mentioned parts is unseen if the call deletes or must see it."""
    user_text, name, arguments = call
    (field,) = arguments
    must = {field: Target(must_be_seen=True)}

    assert ["unseen"] == finding_codes(user_text, "delete_object", arguments)
    for tool in (
        tool_of(name, arguments).model_copy(update={"destructive": True}),
        tool_of(name, arguments).model_copy(update={"targets": must}),
    ):
        guard = Shield(shield.configure(tools=[tool], layers=["phantom_target"]), hooks=None)
        with guard.session() as session:
            session.user(user_text[0])
            verdict = guard.check_call(ToolCall(name, arguments)).verdict
        assert Verdict.HALLUCINATED is verdict


@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_only_user_messages_combine_two_values(role):
    """Text of the agent or of a result does not combine two values into one."""
    guard = Shield(
        shield.configure(tools=[tool_of("get", {"uri": ""})], layers=["phantom_target"]), hooks=None
    )
    with guard.session() as session:
        session.user("Please find 2024/05/x.gz, and list acme-logs.")
        if role == "tool":
            session.tool_result("search", "2024/05/x.gz from the bucket acme-logs")
        else:
            session.assistant("I take 2024/05/x.gz from the bucket acme-logs.")

        assert ["unseen"] == [
            f.code for f in guard.check_call(ToolCall("get", {"uri": LOGS})).findings
        ]


def test_every_reading_has_a_row():
    """Each registered reading has at least one row in the table of this file."""
    assert {reading for reading, _ in KNOWN} | {"earlier_finding"} == set(INDIRECT_MENTIONS)


def test_repeated_unseen_name_is_reported_once():
    """An unseen name is reported in its first call only; another one is reported again."""
    guard = Shield(
        shield.configure(tools=[tool_of("find_bus", {"city": ""})], layers=["phantom_target"]),
        hooks=None,
    )

    def call(value: str) -> list[str]:
        with guard.guard(ToolCall("find_bus", {"city": value})) as running:
            running.value = []
        return [finding.code for finding in session.decisions[-1].findings]

    with guard.session() as session:
        session.user("Hello, I would like to take a bus to the sea with my family.")
        assert [["unseen"], [], ["unseen"]] == [call("Fresno"), call("Fresno"), call("Oakland")]


def test_flagged_proposal_is_flagged_at_its_dispatch():
    """A call flagged in its turn is flagged again when it is dispatched."""
    guard = Shield(
        shield.configure(tools=[tool_of("find_bus", {"city": ""})], layers=["phantom_target"]),
        hooks=None,
    )
    with guard.session() as session:
        session.user("Hello, I would like to take a bus to the sea with my family.")
        call = ToolCall("find_bus", {"city": "Fresno"}, "c1")
        (proposed,) = guard.inspect_turn([call])
        with guard.guard(call) as running:
            running.value = []

    assert ["unseen"] == [finding.code for finding in proposed.findings]
    assert ["unseen"] == [finding.code for finding in session.decisions[-1].findings]


KINDS = ["Check application A6789X for user MNO345.", "The booking 3426812 and card card_4893."]


@pytest.mark.parametrize(
    ("prompt", "arguments"),
    [
        (KINDS[0], {"application_id": "MNO345", "user_id": "A6789X"}),
        (KINDS[1], {"booking_id": "card_4893", "card_id": "3426812"}),
        ("My venue is V1234, my customer number C5678.", {"venue_id": "C5678", "customer_id": ""}),
    ],
)
def test_id_that_the_user_named_as_another_kind_is_reported(prompt, arguments):
    """An id is reported as `other_kind` if the user called it something else."""
    results = finding_codes([prompt], "check", arguments)

    assert "other_kind" in results


def test_value_in_two_parameters_is_reported_once():
    """One value as two kinds of id is reported once."""
    assert ["other_kind"] == finding_codes(
        ["Cancel 3426812."], "cancel", {"booking_id": "3426812", "ticket_id": "3426812"}
    )


@pytest.mark.parametrize(
    ("prompt", "arguments"),
    [
        (KINDS[0], {"application_id": "A6789X", "user_id": "MNO345"}),
        (KINDS[0], {"app_ref": "A6789X"}),
        ("Ship parcel 4711 to warehouse 4711.", {"parcel_id": "4711", "warehouse_id": "4711"}),
        ("My order is 4711.", {"order_id": "4711", "reference_id": "4711"}),
        ("Send it from acc_1 to acc_2.", {"from_account": "acc_1", "to_account": "acc_2"}),
        ("Mine is u_77.", {"user_id": "u_77", "owner_id": "u_77"}),
        ("Refund order W-77, please.", {"order_id": "W-77"}),
        ("Refund my purchase W-77, please.", {"order_id": "W-77"}),
    ],
)
def test_id_of_the_kind_that_the_user_named_passes(prompt, arguments):
    """An id passes if the user's words name the same kind or no kind."""
    assert [] == finding_codes([prompt], "check", arguments)


@pytest.mark.parametrize(
    ("prompt", "artist", "expected"),
    [
        ("Which records has LeBron James?", "Anneliese James", ["unseen"]),
        ("Which records has LeBron James?", "LeBron James", []),
        ("Who sang Thriller?", "Michael Jackson", []),
        ("Does James sing?", "James Brown", []),
    ],
)
def test_famous_name_passes_unless_it_is_half_the_users(prompt, artist, expected):
    """A famous name passes, unless only half of it matches a name that the user wrote."""
    assert expected == finding_codes([prompt], "find_records", {"artist": artist})


@pytest.mark.parametrize(("value", "found"), [("apt-1002", False), ("apt-1004", True)])
def test_users_number_passes_if_no_list_contains_it(value, found):
    """The user's number passes although a listed result has another; an invented one does not."""
    call = ToolCall("cancel_appointment", {"appointment_id": value})
    guard = Shield(shield.configure(tools=[tool_of(call.name, call.arguments)]), hooks=None)
    with guard.session() as session:
        session.user("Please cancel appointment 1002 for me.")
        session.tool_result("list_appointments", [{"appointment_id": "apt-1003"}])

        assert found == bool(guard.check_call(call).findings)


@pytest.mark.parametrize(("value", "found"), [("APT1002", False), ("APT1003", True)])
def test_prefix_from_parameter_name_is_accepted_in_german(value, found):
    """A number passes in a German run with a prefix that abbreviates the parameter's name."""
    call = ToolCall("cancel_appointment", {"appointment_id": value})
    guard = Shield(shield.configure(tools=[tool_of(call.name, call.arguments)]), hooks=None)
    with guard.session() as session:
        session.user("Bitte sagen Sie meinen Termin 1002 ab.")

        assert found == bool(guard.check_call(call).findings)


def test_newest_texts_of_people_are_those_among_the_newest_200_events():
    session = Session()
    session.user("first")
    session.system("second")
    assert [*texts_of_people(session)] == ["second", "first"]
    assert [*texts_of_people(session)] == ["second", "first"]
    session.assistant("not a person")
    session.user("third")
    assert [*texts_of_people(session)] == ["third", "second", "first"]
    for _ in range(197):
        session.assistant("not a person")
    assert [*texts_of_people(session)] == ["third", "second"]
    for _ in range(500):
        session.assistant("not a person")
    assert [*texts_of_people(session)] == []


def test_texts_of_people_end_where_the_run_dropped_text():
    session = Session(limits=Limits(text=300))
    session.user("a" * 100)
    session.user("b" * 100)
    assert len([*texts_of_people(session)]) == 1
    session.user("c" * 100)
    assert [*texts_of_people(session)] == ["c" * 100]

"""Kinds of values by name, schema or user: one wrong and one right value per row."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import Shield, Tool, ToolCall, shield

HELLO = "Hello, could you please do this for me? "
FILE = {"description": "URL or path to the sound"}
MEDIA = {"contentMediaType": "audio/mpeg"}
FROM = {"description": "The city where the train starts"}

MessageText = str | tuple[str, Any]
Row = tuple[list[MessageText], str, dict[str, Any], str, Any, Any]
"""What was said or returned, a tool with its schema, a parameter, a wrong and a right value."""

UNSEEN: list[Row] = [
    (
        ["Any games in Oakland?"],
        "find",
        {"city_of_event": {}},
        "city_of_event",
        "Tabitha",
        "Oakland",
    ),
    (["How far is Oakland?"], "find", {"city_b": {}}, "city_b", "Tabitha", "Oakland"),
    (
        ["A film by Alfred Hitchcock."],
        "find",
        {"directed_by": {}},
        "directed_by",
        "Evander Hitchcock",
        "Alfred Hitchcock",
    ),
    (
        ["The impact of Dr. Ben Roberts."],
        "get",
        {"researcher": {}},
        "researcher",
        "Anneliese Roberts",
        "Ben Roberts",
    ),
    (["From Oakland, today."], "find", {"from": FROM}, "from", "Tabitha", "Oakland"),
    (["Use talk_4.mp3."], "mix", {"sound": FILE}, "sound", "talk_5.mp3", "talk_4.mp3"),
    (["Use talk_4.mp3."], "mix", {"sound": MEDIA}, "sound", "talk_5.mp3", "talk_4.mp3"),
    (
        ["Send 6UjWd.mov, title Sea."],
        "upload_video",
        {"file_path": {}, "title": {}},
        "file_path",
        "2YjKq.mov",
        "6UjWd.mov",
    ),
    (["The fabric named network222."], "get", {"fabric": {}}, "fabric", "cmffnuf924", "network222"),
]
KINDS: list[Row] = [
    (["My access token is abc123xyz.", ("book", {"booking_id": "3426812"})], "cancel",
     {"booking_id": {}, "access_token": {}}, "booking_id", "abc123xyz", "3426812"),
    ([("login", {"access_token": "251675"}), ("book", {"booking_id": "3426812"})], "cancel",
     {"booking_id": {}, "access_token": {}}, "booking_id", "251675", "3426812"),
    (["Write for venue V1234 to customer C5678."], "answer",
     {"venue_id": {}, "inquiry": {"properties": {"customer_id": {}}}}, "venue_id",
     "C5678", "V1234"),
    ([("list", [{"menu_item_id": "latte-1"}, {"order_item_id": "7012"}])], "add",
     {"menu_item_id": {}, "order_item_id": {}}, "menu_item_id", "7012", "latte-1"),
    ([("find", {"customer_id": "cus_8fk21", "order_id": "ord_55zk1"})], "refund",
     {"order_id": {}, "customer_id": {}}, "order_id", "cus_8fk21", "ord_55zk1"),
]  # fmt: skip


def finding_codes(row: Row, value: Any) -> list[str]:
    user_text, name, properties, parameter, _, _ = row
    parameters = {"type": "object", "properties": properties}
    guard = Shield(
        shield.configure(tools=[Tool(name=name, parameters=parameters)], layers=["phantom_target"]),
        hooks=None,
    )
    with guard.session() as session:
        session.user(HELLO)
        for one in user_text:
            session.user(one) if isinstance(one, str) else session.tool_result(*one)
        call = ToolCall(name, {parameter: value})
        return [finding.code for finding in guard.check_call(call).findings]


@pytest.mark.parametrize("row", UNSEEN, ids=lambda row: row[3])
def test_unmentioned_value_of_a_kind_is_unseen(row: Row):
    """A value whose name or schema requires a mention is unseen without one, and passes with it."""
    assert (["unseen"], []) == (finding_codes(row, row[4]), finding_codes(row, row[5]))


@pytest.mark.parametrize("row", KINDS, ids=lambda row: str(row[4]))
def test_value_of_another_kind_is_reported(row: Row):
    """A value that the run has as another kind is reported; one of the right kind passes."""
    assert (["other_kind"], []) == (finding_codes(row, row[4]), finding_codes(row, row[5]))


def test_title_that_shares_a_word_with_the_agents_is_reported():
    """A song title that shares one word with the one the agent named is reported."""
    guard = Shield(shield.configure(layers=["phantom_target"]), hooks=None)
    with guard.session() as session:
        session.user(HELLO + "Any beauty on the radio?")
        session.assistant("How about African Beauty?")
        named = [guard.check_call(ToolCall("play", {"song_name": name})).findings
                 for name in ("Leopold Beauty", "African Beauty")]  # fmt: skip

    assert [1, 0] == [len(result) for result in named]


@pytest.mark.parametrize(
    ("prompt", "name", "arguments"),
    [
        ("Reset the password of u4711.", "reset_password", {"user_id": "u4711"}),
        ("Pay with token tok_5512.", "pay", {"card_id": "tok_5512"}),
        ("Save a chart of it.", "plot", {"target": "chart_9.png"}),
        ("Make a to-do list.", "create_file", {"filename": "todo"}),
        ("Sort the samples.", "list_samples", {"sort_by": "sample_id"}),
        ("Gate B12 is closed, use another.", "move_flight", {"gate": "C07"}),
        ("Somewhere warm from Oakland.", "find", {"to": "Honolulu beach"}),
    ],
)
def test_value_that_resembles_a_kind_passes(prompt: str, name: str, arguments: dict[str, Any]):
    """An honest value that only resembles one of these kinds passes."""
    described = {"target": {"description": "Path of the file that is saved, path to the chart"}}
    properties = {key: described.get(key, {}) for key in (*arguments, "session_id")}
    row: Row = ([prompt], name, properties, *next((key, 0, 0) for key in arguments))

    assert [] == finding_codes(row, next(iter(arguments.values())))


@pytest.mark.parametrize("value", ["TBD", "sample_id", "<username>"])
def test_placeholder_as_new_user_name_is_reported(value: str):
    """A placeholder as the name of a new account is reported; any other name passes."""
    row: Row = (["Register Mia."], "create_user", {"username": {}}, "username", value, "mia_22")

    assert (["placeholder"], []) == (finding_codes(row, value), finding_codes(row, "mia_22"))


NATIONAL = [
    ("dni", "12345678Z", "12345687Z"),
    ("dni", "72.514.880-K", "72.514.808-K"),
    ("cpf", "529.982.247-25", "529.982.274-25"),
    ("rut", "12.345.678-5", "12.345.687-5"),
    ("personnummer", "19811218-9876", "19811281-9876"),
    ("aadhaar", "2341 2341 2346", "2341 2341 2364"),
    ("bestell_nr", "4471120", "4471102"),
    ("kunden_nr", "K-4471", "K-4417"),
]


@pytest.mark.parametrize(("name", "prompt", "other"), NATIONAL)
def test_national_id_numbers_are_judged_by_parameter_name(name: str, prompt: str, other: str):
    """National id numbers must be mentioned, by the name of their parameter alone."""
    row: Row = ([f"Look me up, it is {prompt}."], "find", {name: {}}, name, other, prompt)

    assert ["unseen"] == finding_codes(row, other)
    assert [] == finding_codes(row, prompt)
    assert [] == finding_codes(row, "".join(filter(str.isalnum, prompt)))


PEOPLE = "nombre pasajero vorname nachname prenom passager cognome".split()


@pytest.mark.parametrize("name", PEOPLE)
def test_foreign_parameters_for_names_are_judged_in_english_runs(name: str):
    """Parameters such as `nombre` hold names of people, which English runs must mention."""
    row: Row = (["Please book it for Dana Kovac."], "book_seat", {name: {}}, name, "", "")

    assert ["unseen"] == finding_codes(row, "Marc Moreau")
    assert [] == finding_codes(row, "Dana Kovac")


def test_source_key_may_be_the_target_key():
    """An object key may be source and target of a copy; an order id is not an invoice id."""
    names = {"source_key": {}, "target_key": {}, "order_id": {}, "invoice_id": {}}
    tool = Tool(name="copy_object", parameters={"type": "object", "properties": names})
    firewall = Shield(shield.configure(tools=[tool]), hooks=None)
    with firewall.session() as session:
        session.user("Copy s3://kiln-raw/2026/05/a.parquet to kiln-safe, same path. Order w_7731.")
        key = "2026/05/a.parquet"
        same = ToolCall("copy_object", {"source_key": key, "target_key": key})
        other = ToolCall("copy_object", {"order_id": "w_7731", "invoice_id": "w_7731"})

        assert () == firewall.check_call(same).findings
        assert ["other_kind"] == [f.code for f in firewall.check_call(other).findings]


@pytest.mark.parametrize("name", ["with_id", "other_id", "new_id"])
def test_a_role_is_no_kind(name):
    """A parameter that is named by the role of its value takes the kind of the other one."""
    properties = {key: {"type": "string"} for key in ("shift_id", name)}
    swap = Tool(name="swap", parameters={"type": "object", "properties": properties})
    firewall = Shield(shield.configure(tools=[swap]), hooks=None)
    with firewall.session() as session:
        session.user("Swap my shift S-401 with Jo's.")
        session.tool_result(
            "shift",
            {"id": "S-401", name.removesuffix("_id"): {"name": "Jo Lind", "shift": "S-409"}},
        )
        call = ToolCall("swap", {"shift_id": "S-401", name: "S-409"})

        assert [] == [one.code for one in firewall.check_call(call).findings]


@pytest.mark.parametrize(
    ("media_type", "codes"),
    [
        ("application/json", []),
        ("application/geo+json", []),
        ("text/csv", []),
        ("image/png", ["unseen"]),
    ],
)
def test_a_text_type_does_not_make_a_parameter_an_identifier(media_type, codes):
    """A parameter for JSON or text takes content; one for another medium takes its name."""
    schema = {"properties": {"widgets": {"type": "string", "contentMediaType": media_type}}}
    tool = Tool(name="create_board", parameters=schema)
    firewall = Shield(shield.configure(tools=[tool], layers=["phantom_target"]), hooks=None)
    with firewall.session() as session:
        session.user("Create a board with a bar chart, please.")
        call = ToolCall("create_board", {"widgets": '[{"kind":"bar"}]'})

        assert codes == [finding.code for finding in firewall.check_call(call).findings]

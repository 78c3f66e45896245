"""Honest values of everyday calls pass, and invented ones are reported."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from abs_shield import Shield, Tool, ToolCall, shield

HELLO = "Hello, could you please do this for me? "


def problems_of(
    user_text: str, name: str, arguments: dict[str, Any], *, description: str = ""
) -> list[str]:
    """Return the findings on one call after the user said something, in English."""
    properties: dict[str, Any] = {key: {} for key in arguments}
    tool = Tool(
        name=name, description=description, parameters={"type": "object", "properties": properties}
    )
    guard = Shield(shield.configure(tools=[tool], layers=["phantom_target"]), hooks=None)
    with guard.session() as session:
        session.user(HELLO + user_text)
        return [finding.code for finding in guard.check_call(ToolCall(name, arguments)).findings]


RIGHT = [
    ("How high is M87?", "visibility", {"ra": "12h30m49.42s", "dec": "+12d23m28.0s"}, ""),
    ("A crown on tooth 30.", "submit_claim", {"cdt": "D2740"}, ""),
    ("Fix the tabs.", "git_branch", {"name": "fix/482-tabs"}, "Create a branch"),
    (
        "A new sample, the second of today.",
        "register_sample",
        {"sample_id": "TEV-20260428-2"},
        "Register a new sample",
    ),
    ("Is British Airways 117 on time?", "flight_status", {"flight": "BA117"}, ""),
    ("Pay Jussara, 283.114.907-66.", "pay_person", {"payee_id": "28311490766"}, ""),
    ("Move order K9/4121, then cancel 4207.", "cancel_order", {"order_id": "K9/4207"}, ""),
    ("Look at columns.py in src.", "read_file", {"path": "src/columns.py"}, ""),
    ("Text Marisol that it rains.", "send_message", {"to": "Marisol", "body": "It rains."}, ""),
    (
        "Move nda_2.pdf from /srv/share to archive/2026.",
        "move_file",
        {"src": "/srv/share/nda_2.pdf", "dst": "/srv/share/archive/2026/nda_2.pdf"},
        "",
    ),
    (
        "Roll ledger-api back to v2.14.3. Images are in registry.int.example/pay.",
        "set_image",
        {"image": "registry.int.example/pay/ledger-api:v2.14.3"},
        "",
    ),
    ("Describe orders_2 of the database.", "describe", {"table": "public.orders_2"}, ""),
]


@pytest.mark.parametrize(("user_text", "name", "arguments", "description"), RIGHT)
def test_honest_value_passes(user_text, name, arguments, description):
    """Measures, well-known codes, new names and values in other words pass."""
    assert [] == problems_of(user_text, name, arguments, description=description)


INVENTED = [
    ("Fix the tabs.", "git_branch", {"branch_id": "fix-482"}, "Lists the branches"),
    ("Order some tests.", "order_tests", {"sample_id": "TEV-20260428-2"}, "Order tests"),
    ("Is British Airways 117 on time?", "flight_status", {"flight": "LH117"}, ""),
    ("Pay Jussara, 283.114.907-66.", "pay_person", {"payee_id": "28311490776"}, ""),
    ("Ping 192.168.1.15.", "ping_host", {"host_id": "192168115"}, ""),
    ("Look at columns.py in src.", "read_file", {"path": "scr/parser/columns.py"}, ""),
    ("Tell them that it rains.", "send_message", {"to": "Gary Oldfield", "body": "It rains."}, ""),
    ("Translate FX_9920_b.", "create_job", {"file_id": "FX_9902_b"}, ""),
    ("Fly PG-77f.", "upload_mission", {"mission_id": "a8c41d02"}, ""),
    (
        "Move nda_2.pdf from /srv/share to archive/2026.",
        "move_file",
        {"dst": "/srv/share/archive/2025/nda_2.pdf"},
        "",
    ),
    (
        "Roll ledger-api back to v2.14.3. Images are in registry.int.example/pay.",
        "set_image",
        {"image": "registry.int.example/pay/ledger-api:v2.14.5"},
        "",
    ),
    ("Describe orders_2 of the database.", "describe", {"table": "public.orders_3"}, ""),
    ("The bike of De Wit.", "find_repair", {"bonnummer": "2600471"}, ""),
    ("Send somebody.", "schedule_visit", {"technician": "Gwendolyn Hart"}, ""),
]


@pytest.mark.parametrize(("user_text", "name", "arguments", "description"), INVENTED)
def test_invented_value_is_reported(user_text, name, arguments, description):
    """Misspelt ids and unmentioned prefixes, folders, recipients and entities are reported."""
    assert ["unseen"] == problems_of(user_text, name, arguments, description=description)


GIVEN = [
    ("Create a user with username emily123.", "create_user", {"username": "bpegj825"}),
    ("I need a file Notes2023.txt.", "touch", {"file_name": "Notes2043.txt"}),
    ("Draft a guide, and name it 'Guide_1.md'.", "touch", {"file_name": "Draft_4.md"}),
    ("Use the model vik/moondream2.", "describe_image", {"model": "xtq/abcdefghi3"}),
    ("Use the model vik/moondream2.", "describe_image", {"model": "vik/moondrem2"}),
]


@pytest.mark.parametrize(("user_text", "name", "arguments"), GIVEN)
def test_value_that_differs_from_the_users_is_reported(user_text, name, arguments):
    """A name that the agent may choose is reported if the user gave a different one."""
    assert ["unseen"] == problems_of(user_text, name, arguments)
    assert [] == problems_of("I need something new.", name, arguments)


CHOSEN = [
    ("Use the model gpt-4o.", "describe_image", {"model": "gpt-4o-mini-2"}),
    ("Copy the file a_1.csv.", "touch", {"file_name": "a_2.csv", "source": "a_1.csv"}),
    ("Take the file Notes2023.txt for one of 2024.", "touch", {"file_name": "Notes2024.txt"}),
    ("Files a_1.csv and b_2.csv are there.", "touch", {"file_name": "c_3.csv"}),
    ("The file is a_1.csv.", "touch", {"file_name": "test-a.py3"}),
    ("The file is a_1.csv.", "plot", {"file_name": "a_1.csv", "size": "320x240"}),
    ("Call 555-0100.", "create_note", {"number": "555-0199"}),
]


@pytest.mark.parametrize(("user_text", "name", "arguments"), CHOSEN)
def test_value_that_the_agent_may_choose_passes(user_text, name, arguments):
    """A value passes if it differs in form, is new beside the user's, or the user gave several."""
    assert [] == problems_of(user_text, name, arguments)


@pytest.mark.parametrize("hint", [timedelta, timedelta | None, list[timedelta]])
def test_duration_needs_no_mention(hint):
    """A `timedelta` is no identifier, whatever the parameter's name is."""

    def dispatch_crew(eta):
        """Send a crew."""

    dispatch_crew.__annotations__ = {"eta": hint}
    guard = Shield(shield.configure(layers=["phantom_target"]), hooks=None)
    guard.register(dispatch_crew)
    value = ["PT1H30M"] if hint == list[timedelta] else "PT1H30M"
    with guard.session() as session:
        session.user(HELLO + "They need an hour and a half.")
        decision = guard.check_call(ToolCall("dispatch_crew", {"eta": value}))

    assert () == decision.findings


def test_users_name_is_not_expected_after_its_use():
    """After a call has used the user's file name, a new file may have another name."""
    tools = [Tool(name=name, parameters={"type": "object"}) for name in ("read_file", "touch")]
    policy = shield.configure(tools=tools, layers=["phantom_target"])
    guard = Shield(policy, hooks=None)
    with guard.session() as session:
        session.user("Take the file Notes2023.txt for a new one of next year.")
        assert ["unseen"] == [
            finding.code
            for finding in guard.check_call(
                ToolCall("touch", {"file_name": "Notes2024.txt"})
            ).findings
        ]
        with guard.guard(ToolCall("read_file", {"path": "Notes2023.txt"})) as call:
            call.value = "notes"
        decision = guard.check_call(ToolCall("touch", {"file_name": "Notes2024.txt"}))

    assert () == decision.findings


def test_checkout_does_not_contradict_a_hold():
    """A checkout of held seats is not a contradiction of the hold."""
    tools = [Tool(name=name, parameters={"type": "object"}) for name in ("hold_seats", "checkout")]
    policy = shield.configure(tools=tools, layers=["self_contradiction"])
    guard = Shield(policy, hooks=None)
    with guard.session() as session:
        session.user("Two seats, please.")
        with guard.guard(ToolCall("hold_seats", {"show_id": "UV-1107"})) as call:
            call.value = "held"
        decision = guard.check_call(ToolCall("checkout", {"show_id": "UV-1107"}))

    assert () == decision.findings

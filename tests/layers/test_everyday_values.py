"""What names say of everyday calls: honest ones pass, invented values are found."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import Shield, Tool, ToolCall, shield

HELLO = "Hello, could you please do this for me? "


def codes(said: str, name: str, arguments: dict[str, Any], *, description: str = "") -> list[str]:
    """Return the findings on one call after the user said something, in English."""
    properties: dict[str, Any] = {key: {} for key in arguments}
    tool = Tool(
        name=name, description=description, parameters={"type": "object", "properties": properties}
    )
    guard = Shield(shield.configure(tools=[tool], layers=["phantom_target"]), hooks=None)
    with guard.session() as session:
        session.user(HELLO + said)
        return [found.code for found in guard.check_call(ToolCall(name, arguments)).findings]


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
]


@pytest.mark.parametrize(("said", "name", "arguments", "description"), RIGHT)
def test_an_honest_call(said, name, arguments, description):
    """A measure, a code that the world knows, a new name, what was said in other words."""
    assert [] == codes(said, name, arguments, description=description)


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
    ("The bike of De Wit.", "find_repair", {"bonnummer": "2600471"}, ""),
    ("Send somebody.", "schedule_visit", {"technician": "Gwendolyn Hart"}, ""),
]


@pytest.mark.parametrize(("said", "name", "arguments", "description"), INVENTED)
def test_an_invented_value(said, name, arguments, description):
    """A slip, another prefix, a folder, a recipient, what is there already."""
    assert ["unseen"] == codes(said, name, arguments, description=description)


def test_buying_what_was_held_takes_nothing_back():
    """A shop's checkout pays; it is no hotel's."""
    tools = [Tool(name=name, parameters={"type": "object"}) for name in ("hold_seats", "checkout")]
    policy = shield.configure(tools=tools, layers=["self_contradiction"])
    guard = Shield(policy, hooks=None)
    with guard.session() as session:
        session.user("Two seats, please.")
        with guard.guard(ToolCall("hold_seats", {"show_id": "UV-1107"})) as call:
            call.value = "held"
        decision = guard.check_call(ToolCall("checkout", {"show_id": "UV-1107"}))

    assert () == decision.findings

"""A run of a small office, in which every kind of fault has a place."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from abs_shield.planting import Joined, join_runs
from abs_shield.replay import Run, Toolsets, runs

Write = Callable[..., str]


def tool(name: str, required: Sequence[str] = (), **properties: Any) -> dict[str, Any]:
    """A tool whose arguments are texts, unless they say otherwise."""
    types = {
        key: {"type": held} if isinstance(held, str) else held for key, held in properties.items()
    }
    schema = {"type": "object", "properties": types, "required": list(required)}
    return {"name": name, "parameters": schema}


TEXT = "string"
OFFICE = [
    tool("get_order", ["order_id"], order_id=TEXT),
    tool("get_customer", ["email"], email=TEXT),
    tool("update_order", ["order_id"], order_id=TEXT, copies="integer",
         priority={"type": TEXT, "enum": ["low", "high"]}),
    tool("cancel_order", ["order_id"], order_id=TEXT),
    tool("book_room", ["room_id", "city"], room_id=TEXT, city=TEXT),
    tool("cancel_room", ["room_id"], room_id=TEXT),
    tool("read_page", ["url"], url=TEXT),
    tool("fetch_site", ["url"], url=TEXT),
    tool("call_person", ["phone"], phone=TEXT),
    tool("pay_account", ["iban", "amount"], iban=TEXT, amount="number"),
    tool("check_login", ["username", "password"], username=TEXT, password=TEXT),
    tool("get_ticket", ["ticket_id"], ticket_id=TEXT),
    tool("get_case", ["case_id"], case_id="integer"),
    tool("show_hotel", ["city"], city=TEXT),
    tool("get_account", ["account_id"], account_id=TEXT),
]  # fmt: skip
CALLS: list[tuple[str, dict[str, Any], Any]] = [
    ("get_order", {"order_id": "ord_48213"},
     {"order_id": "ord_48213", "customer_id": "C-77-194", "lines": [{"room_id": "RM9021"}]}),
    ("get_order", {"order_id": "#W583921"}, {"orders": [{"order_id": "ord_55120"}]}),
    ("get_customer", {"email": "ann.lee@example.org"}, {"name": "Ann Lee"}),
    ("update_order", {"order_id": "ord_48213", "priority": "high", "copies": 2}, {"ok": True}),
    ("get_account", {"account_id": "KFZ88104"}, {"name": "x"}),
    ("book_room", {"room_id": "RM9021", "city": "Trondheim"}, {"ok": True}),
    ("read_page", {"url": "https://example.org/menu"}, "Soup."),
    ("fetch_site", {"url": "www.example.org/today"}, "Fish."),
    ("call_person", {"phone": "+4670551289"}, "Called."),
    ("pay_account", {"iban": "DE89370400440532013000", "amount": 25.5}, "Paid."),
    ("check_login", {"username": "annlee7", "password": "kettle-941-moss"}, {"ok": True}),
    ("get_ticket", {"ticket_id": "739215"}, {"text": "Late."}),
    ("get_case", {"case_id": 812733}, {"text": "Lost."}),
    ("show_hotel", {"city": "San Marco"}, []),
    ("cancel_order", {"order_id": "ord_48213"}, {"ok": True}),
]  # fmt: skip
WORDS = (
    "Raise ord_48213 (of KFZ88104) to high, 2 copies, look at #W583921, book RM9021 in Trondheim,"
    " write to ann.lee@example.org, read https://example.org/menu and www.example.org/today, phone"
    " +4670551289, pay 25.5 to DE89370400440532013000. I am annlee7, kettle-941-moss."
    " Ticket 739215, case 812733, hotels of San Marco. Then drop the first one."
)


def messages(
    calls: Sequence[tuple[str, Mapping[str, Any], Any]] = CALLS, words: str = WORDS
) -> list[dict[str, Any]]:
    """The words of the user, and calls with their results."""
    built: list[dict[str, Any]] = [{"role": "user", "content": words}]
    for number, (name, arguments, result) in enumerate(calls):
        call = {"id": f"c{number}", "name": name, "arguments": arguments}
        built.append({"role": "assistant", "tool_calls": [call]})
        built.append({"role": "tool", "tool_call_id": f"c{number}", "content": json.dumps(result)})
    return built


def office(**changed: Any) -> dict[str, Any]:
    """Return the run as a record of a run file."""
    return {"run_id": "r1", "tools": OFFICE, "messages": messages(), **changed}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write records as a run file, and return its path."""

    def written(*records: Mapping[str, Any], name: str = "runs.jsonl") -> str:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return str(path)

    return written


@pytest.fixture
def read(write: Write) -> Callable[..., Joined]:
    """Read records as the runs of one session."""

    def joined_of(*records: Mapping[str, Any]) -> Joined:
        results = [run for run in runs([write(*records)], Toolsets()) if isinstance(run, Run)]
        assert len(results) == len(records)
        return join_runs(results)

    return joined_of

"""Recipients and tools that an answer names are those of the run's calls."""

from __future__ import annotations

import json

import pytest

from abs_shield.answer.checks.combined_checks import hard
from abs_shield.answer.claim_types import Claim, Opinion
from abs_shield.answer.evidence.evidence_collection import evidence_of
from abs_shield.session import Session

USERS = ("list_users", {}, ["Zorro", "Quince", "Alice"])
ACCOUNTS = ("list_payees", {}, "recipient: GB29NWBK6016\nrecipient: US1220000001\n")
RUNS = {
    "direct": [("send_message", {"recipient": "Alice", "body": "The taxi is here."})],
    "listed": [USERS, ("send_message", {"recipient": "Zorro", "body": "The taxi is here."})],
    "channel": [("post_message", {"channel": "general", "body": "Hello, Mark!"})],
    "page": [
        ("post_page", {"url": "www.x.org", "content": "The taxi is here."}),
        ("send_message", {"recipient": "Alice", "body": "The taxi is here."}),
    ],
    "id": [("send_message", {"user_id": "U77", "body": "The taxi is here."})],
    "mail": [("send_email", {"to": "sarah.connor@x.org", "body": "The taxi is here."})],
    "role": [("send_email", {"recipient": "billing@x.org", "body": "The taxi is here."})],
    "money": [ACCOUNTS, ("send_money", {"recipient": "US1220000001", "amount": 4})],
    "invite": [("invite_user", {"user": "Mike", "email": "m@x.org"})],
    "event": [("move_event", {"event": "dentist", "participants": ["alice"], "to": "2031-06-05"})],
    "parcel": [("create_shipment", {"country": "JO", "contact": "alice"})],
    "nickname": [
        ("list_users", {}, [{"user_name": "skiqueen", "full_name": "Sarah Lee"}]),
        ("send_message", {"recipient": "skiqueen", "body": "The taxi is here."}),
    ],
    "cart": [("add_to_cart", {"user": "alice", "item_id": 55})],
    "order": [("remove_item", {"username": "alice", "sku": "x-1"})],
    "transfer": [("transfer", {"user": "alice", "to_account": "DE12", "amount": 40})],
    "removed": [("remove_user_from_team", {"user": "Charlie"})],
    "customer": [("add_note", {"contact": "Acme", "text": "Call back."})],
}


def contradiction(run: str, answer: str) -> str:
    """Return why a sentence contradicts the calls of a run; empty if it does not."""
    session = Session()
    session.user("Please tell them about the taxi.")
    for n, (tool, arguments, *result) in enumerate(RUNS[run]):
        call = {"id": f"c{n}", "function": {"name": tool, "arguments": json.dumps(arguments)}}
        content = next((x if isinstance(x, str) else json.dumps(x) for x in result), "ok")
        session.add(
            [
                {"role": "assistant", "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"c{n}", "content": content},
            ]
        )
    (one,) = hard((Claim(answer, 0, len(answer)),), evidence_of(session), answer=answer)
    return one.contradicted if isinstance(one, Opinion) else ""


@pytest.mark.parametrize(
    ("run", "answer"),
    [
        ("direct", "I have sent the message to Charlie."),
        ("direct", "The message has been sent to Charlie."),
        ("direct", "I sent Charlie a message."),
        ("direct", "I have sent it to the 'random' channel."),
        ("listed", "I have sent the message to Quince."),
        ("channel", "I've sent the message to the 'random' channel."),
        ("page", "The message has been sent to Charlie."),
        ("mail", "I have sent the message to Charlie."),
        ("money", "I have refunded GB29NWBK6016."),
        ("invite", "I have invited Alice."),
        ("removed", "I have removed Bob."),
    ],
)
def test_other_recipient_contradicts(run: str, answer: str) -> None:
    """A claimed action contradicts a run whose calls have another recipient of the same kind."""
    assert "no successful call" in contradiction(run, answer)


@pytest.mark.parametrize(
    ("run", "answer"),
    [
        ("direct", "I have sent the message to Alice."),
        ("direct", "I have sent the message to Alicia."),
        ("direct", "I have sent Alice's message to her."),
        ("direct", "I have sent the message to Slack."),
        ("direct", "I have sent the message to your manager."),
        ("listed", "I have sent the message to Zorro, as Quince asked."),
        ("listed", "I have sent the message to Finance."),
        ("channel", "I have posted it in the 'general' channel."),
        ("channel", "I've sent the message to Mark."),
        ("channel", "I have sent the message in each channel."),
        ("channel", "I have replied to Bob."),
        ("channel", "I have sent the message to Bob."),  # who reads the channel
        ("channel", "I have sent the message to Bob in the general channel."),
        ("id", "I have sent the message to Charlie."),
        ("mail", "I have sent the message to Sarah."),
        ("role", "I have sent the message to Charlie."),
        ("money", "I have refunded US1220000001."),
        ("money", "I have sent $4 to Spotify."),
        ("invite", "I have invited Michael."),
        ("customer", "I have added the note to Salesforce."),
        ("cart", "I have added Rose to your cart."),
        ("order", "I have removed Lily from your order."),
        ("transfer", "I have transferred $40 to Sam."),
        ("event", "I have moved the event to June."),
        ("event", "I have moved the event with the dentist from Monday to Alex's birthday."),
        ("parcel", "I have sent the parcel to Jordan."),
        ("nickname", "I have sent the message to Sarah Lee."),
    ],
)
def test_own_recipient_or_another_kind_passes(run: str, answer: str) -> None:
    """The call's recipient passes in any form, and so does a name of another kind."""
    assert "" == contradiction(run, answer)


@pytest.mark.parametrize(
    "answer",
    [
        "The `get_unread_mail` function returned an empty list.",
        'I then used the "get_channel_members" tool.',
        "I've called `list_drafts()`, and there are none.",
    ],
)
def test_tool_that_was_not_called_contradicts(answer: str) -> None:
    """A result of a tool that no call of the run has contradicts it."""
    assert "no call of a tool of that name" in contradiction("listed", answer)


@pytest.mark.parametrize(
    "answer",
    [
        "The `list_users` function returned three names.",
        "I used the `send_message` tool.",
        "I can use the `list_drafts` function for that.",
        "If I called `list_drafts`, it would be empty.",
        "I called `list_drafts`, but it was rejected.",
        "The `list_drafts` function returns a list.",
    ],
)
def test_called_tool_or_plan_passes(answer: str) -> None:
    """A tool that was called passes, and so do plans, failures and descriptions."""
    assert "" == contradiction("listed", answer)


REPORTED = {
    "sent": ("send_message", {"recipient": "Alice"}, {"status": "sent"}),
    "removed": ("remove_member", {"member": "Alice"}, {"removed": True}),
}


@pytest.mark.parametrize(
    ("call", "answer", "is_wrong"),
    [
        ("sent", "I have sent it to Charlie.", True),
        ("sent", "I have sent it to Alice.", False),
        ("removed", "Charlie has been removed.", True),
        ("removed", "Alice has been removed.", False),
    ],
)
def test_a_reported_action_has_its_recipient(call, answer, is_wrong):
    """A call whose result reports the action is still not one for another recipient."""
    RUNS["reported"] = [REPORTED[call]]

    assert is_wrong == (contradiction("reported", answer) != "")

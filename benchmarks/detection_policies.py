"""Policies that an author of the recorded tools could write in ten minutes, by domain."""

from __future__ import annotations

from collections.abc import Iterable

from abs_shield import Policy, Target, Tool, inverse, shield
from abs_shield.policy import Inverse
from abs_shield.replay import Run

AIRLINE = (
    Tool(name="book_reservation", targets={"user_id": Target()}, soft=("origin", "destination")),
    Tool(name="cancel_reservation", targets={"reservation_id": Target()}, destructive=True),
    Tool(name="get_reservation_details", targets={"reservation_id": Target()}, read_only=True),
    Tool(name="get_user_details", targets={"user_id": Target()}, read_only=True),
    Tool(name="get_flight_status", targets={"flight_number": Target()}, read_only=True),
    Tool(name="search_direct_flight", soft=("origin", "destination"), read_only=True),
    Tool(name="search_onestop_flight", soft=("origin", "destination"), read_only=True),
    Tool(name="send_certificate", targets={"user_id": Target()}, destructive=True),
    Tool(
        name="update_reservation_baggages",
        targets={"reservation_id": Target(), "payment_id": Target()},
    ),
    Tool(
        name="update_reservation_flights",
        targets={"reservation_id": Target(), "payment_id": Target()},
    ),
    Tool(name="update_reservation_passengers", targets={"reservation_id": Target()}),
    Tool(name="calculate", free=("expression",), read_only=True),
    Tool(name="think", free=("thought",), read_only=True),
    Tool(name="transfer_to_human_agents", free=("summary",)),
)
_ADDRESS = ("address1", "address2", "city", "state", "country")
_ITEMS = {"order_id": Target(), "item_ids": Target(), "payment_method_id": Target()}
_NEW_ITEMS = {**_ITEMS, "new_item_ids": Target()}
RETAIL = (
    Tool(name="find_user_id_by_email", targets={"email": Target()}, read_only=True),
    Tool(
        name="find_user_id_by_name_zip",
        targets={"zip": Target()},
        soft=("first_name", "last_name"),
        read_only=True,
    ),
    Tool(name="get_order_details", targets={"order_id": Target()}, read_only=True),
    Tool(name="get_product_details", targets={"product_id": Target()}, read_only=True),
    Tool(name="get_item_details", targets={"item_id": Target()}, read_only=True),
    Tool(name="get_user_details", targets={"user_id": Target()}, read_only=True),
    Tool(name="cancel_pending_order", targets={"order_id": Target()}, destructive=True),
    Tool(name="exchange_delivered_order_items", targets=_NEW_ITEMS, destructive=True),
    Tool(name="return_delivered_order_items", targets=_ITEMS, destructive=True),
    Tool(name="modify_pending_order_items", targets=_NEW_ITEMS, destructive=True),
    Tool(
        name="modify_pending_order_address",
        targets={"order_id": Target(), "zip": Target()},
        soft=_ADDRESS,
    ),
    Tool(
        name="modify_pending_order_payment",
        targets={"order_id": Target(), "payment_method_id": Target()},
    ),
    Tool(
        name="modify_user_address",
        targets={"user_id": Target(), "zip": Target()},
        soft=_ADDRESS,
    ),
    Tool(name="calculate", free=("expression",), read_only=True),
    Tool(name="think", free=("thought",), read_only=True),
    Tool(name="transfer_to_human_agents", free=("summary",)),
)
BANKING = (
    Tool(
        name="send_money",
        targets={"recipient": Target()},
        free=("subject",),
        destructive=True,
    ),
    Tool(name="schedule_transaction", targets={"recipient": Target()}, free=("subject",)),
    Tool(
        name="update_scheduled_transaction",
        targets={"id": Target(), "recipient": Target()},
        free=("subject",),
    ),
    Tool(name="read_file", targets={"file_path": Target()}, read_only=True),
    Tool(name="update_password", free=("password",), destructive=True),
    Tool(name="update_user_info", soft=("first_name", "last_name", "street", "city")),
)
_CHANNEL = Target(allow=("general", "random"))
SLACK = (
    Tool(name="add_user_to_channel", targets={"user": Target(), "channel": _CHANNEL}),
    Tool(name="read_channel_messages", targets={"channel": _CHANNEL}, read_only=True),
    Tool(name="get_users_in_channel", targets={"channel": _CHANNEL}, read_only=True),
    Tool(name="read_inbox", targets={"user": Target()}, read_only=True),
    Tool(name="send_direct_message", targets={"recipient": Target()}, free=("body",)),
    Tool(name="send_channel_message", targets={"channel": _CHANNEL}, free=("body",)),
    Tool(name="invite_user_to_slack", targets={"user": Target(), "user_email": Target()}),
    Tool(name="remove_user_from_slack", targets={"user": Target()}, destructive=True),
    Tool(name="get_webpage", targets={"url": Target()}, read_only=True, open_world=True),
    Tool(name="post_webpage", targets={"url": Target()}, free=("content",)),
)
_PEOPLE = {"recipients": Target(), "cc": Target(), "bcc": Target()}
_EVENT = {"event_id": Target()}
_FILE = {"file_id": Target()}
WORKSPACE = (
    Tool(name="send_email", targets=_PEOPLE, free=("subject", "body"), destructive=True),
    Tool(name="delete_email", targets={"email_id": Target()}, destructive=True),
    Tool(name="search_emails", targets={"sender": Target()}, free=("query",), read_only=True),
    Tool(name="search_contacts_by_name", soft=("query",), read_only=True),
    Tool(name="search_contacts_by_email", free=("query",), read_only=True),
    Tool(name="search_calendar_events", free=("query",), read_only=True),
    Tool(
        name="create_calendar_event",
        targets={"participants": Target()},
        soft=("location",),
        free=("title", "description"),
    ),
    Tool(name="cancel_calendar_event", targets=_EVENT, destructive=True),
    Tool(name="reschedule_calendar_event", targets=_EVENT),
    Tool(
        name="add_calendar_event_participants",
        targets={**_EVENT, "participants": Target()},
    ),
    Tool(name="append_to_file", targets=_FILE, free=("content",)),
    Tool(name="search_files_by_filename", soft=("filename",), read_only=True),
    Tool(name="create_file", creates=("filename",), free=("content",)),
    Tool(name="delete_file", targets=_FILE, destructive=True),
    Tool(name="get_file_by_id", targets=_FILE, read_only=True),
    Tool(name="share_file", targets={**_FILE, "email": Target()}),
    Tool(name="search_files", free=("query",), read_only=True),
)


def _ended_by(then: str, firsts: str, *, same: str, final: bool = True) -> list[Inverse]:
    return [inverse(first, then, same=same, final=final) for first in firsts.split()]


INVERSES = {
    "airline": _ended_by(
        "cancel_reservation",
        "update_reservation_flights update_reservation_baggages update_reservation_passengers",
        same="reservation_id",
    ),
    "retail": [
        *_ended_by(
            "cancel_pending_order",
            "modify_pending_order_items modify_pending_order_address modify_pending_order_payment",
            same="order_id",
        ),
        inverse("exchange_delivered_order_items", "return_delivered_order_items", same="order_id"),
        inverse("return_delivered_order_items", "exchange_delivered_order_items", same="order_id"),
    ],
    "slack": _ended_by(
        "remove_user_from_slack", "invite_user_to_slack add_user_to_channel", same="user",
        final=False,
    ),
    "workspace": [
        *_ended_by(
            "cancel_calendar_event",
            "reschedule_calendar_event add_calendar_event_participants",
            same="event_id",
        ),
        *_ended_by("delete_file", "append_to_file share_file", same="file_id"),
    ],
}  # fmt: skip
TOOLS = {
    "airline": AIRLINE,
    "retail": RETAIL,
    "banking": BANKING,
    "slack": SLACK,
    "workspace": WORKSPACE,
}


def author_policy(run: Run) -> Policy:
    """
    Return the author's words about the tools that *run* has; nothing of a domain without an author.

    Words about other tools would make those exist.
    """
    domain = next((domain for domain in TOOLS if domain in run.toolset.split(":")), "")
    names = {tool.name for tool in run.tools}
    return shield.configure(
        mode="audit",
        tools=[tool for tool in TOOLS.get(domain, ()) if tool.name in names],
        inverses=_among(names, INVERSES.get(domain, ())),
    )


def _among(names: set[str], pairs: Iterable[Inverse]) -> list[Inverse]:
    return [pair for pair in pairs if {pair.first, pair.then} <= names]

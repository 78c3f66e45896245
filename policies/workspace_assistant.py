"""The policy of an office assistant: e-mail, calendar and files of one person."""

from __future__ import annotations

from abs_shield import Policy, Target, Tool, inverse, shield
from abs_shield.policy.packs import customer_service, dates, files, messaging
from policies.shapes import TEXT, TEXTS, or_null, takes, words

PEOPLE = ["recipients", "cc", "bcc"]
EVENT = {"event_id": TEXT}
FILE = {"file_id": TEXT}
READS = [
    "get_unread_emails",
    "get_sent_emails",
    "get_received_emails",
    "get_draft_emails",
    "get_current_day",
    "list_files",
]

TOOLS = [
    *[Tool(name=name, parameters=takes({}), read_only=True) for name in READS],
    Tool(
        name="send_email",
        parameters=takes(
            {"recipients": TEXTS, "subject": TEXT, "body": TEXT},
            {
                "attachments": or_null({"type": "array", "items": {"type": "object"}}),
                "cc": or_null(TEXTS),
                "bcc": or_null(TEXTS),
            },
        ),
        targets=dict.fromkeys(PEOPLE, Target()),
        free=("subject", "body"),
        destructive=True,
    ),
    Tool(
        name="delete_email",
        parameters=takes({"email_id": TEXT}),
        targets={"email_id": Target()},
        destructive=True,
    ),
    Tool(
        name="search_emails",
        parameters=takes({"query": TEXT}, {"sender": or_null(TEXT)}),
        targets={"sender": Target()},
        free=("query",),
        read_only=True,
        open_world=True,
    ),
    Tool(
        name="search_contacts_by_name",
        parameters=takes({"query": TEXT}),
        soft=("query",),
        read_only=True,
    ),
    Tool(
        name="search_contacts_by_email",
        parameters=takes({"query": TEXT}),
        free=("query",),
        read_only=True,
    ),
    Tool(
        name="search_calendar_events",
        parameters=takes({"query": TEXT}, {"date": or_null(TEXT)}),
        free=("query",),
        read_only=True,
    ),
    Tool(name="get_day_calendar_events", parameters=takes({"day": TEXT}), read_only=True),
    Tool(
        name="create_calendar_event",
        parameters=takes(
            {"title": TEXT, "start_time": TEXT, "end_time": TEXT},
            {"description": TEXT, "participants": or_null(TEXTS), "location": or_null(TEXT)},
        ),
        targets={"participants": Target()},
        soft=("location",),
        free=("title", "description"),
    ),
    Tool(
        name="reschedule_calendar_event",
        parameters=takes({**EVENT, "new_start_time": TEXT}, {"new_end_time": or_null(TEXT)}),
        targets={"event_id": Target()},
    ),
    Tool(
        name="add_calendar_event_participants",
        parameters=takes({**EVENT, "participants": TEXTS}),
        targets={"event_id": Target(), "participants": Target()},
    ),
    Tool(
        name="cancel_calendar_event",
        parameters=takes(EVENT),
        targets={"event_id": Target()},
        destructive=True,
    ),
    Tool(
        name="create_file",
        parameters=takes({"filename": TEXT, "content": TEXT}),
        creates=("filename",),
        free=("content",),
    ),
    Tool(
        name="append_to_file",
        parameters=takes({**FILE, "content": TEXT}),
        targets={"file_id": Target()},
        free=("content",),
    ),
    Tool(
        name="share_file",
        parameters=takes({**FILE, "email": TEXT, "permission": words("r", "rw")}),
        targets={"file_id": Target(), "email": Target()},
    ),
    Tool(
        name="delete_file",
        parameters=takes(FILE),
        targets={"file_id": Target()},
        destructive=True,
    ),
    Tool(
        name="get_file_by_id",
        parameters=takes(FILE),
        targets={"file_id": Target()},
        read_only=True,
    ),
    Tool(
        name="search_files_by_filename",
        parameters=takes({"filename": TEXT}),
        soft=("filename",),
        read_only=True,
    ),
    Tool(name="search_files", parameters=takes({"query": TEXT}), free=("query",), read_only=True),
]

RULES = [
    messaging.not_empty(tool="send_email", parameter="recipients"),
    messaging.not_empty(tool="send_email", parameter="body"),
    messaging.one_line(tool="send_email", parameter=["subject", *PEOPLE]),
    messaging.no_blanks(tool="send_email", parameter=["subject", "body"]),
    messaging.at_most_recipients(25, tool="send_email", parameter=PEOPLE),
    messaging.at_most_recipients(
        50,
        tool=["create_calendar_event", "add_calendar_event_participants"],
        parameter="participants",
    ),
    messaging.not_empty(tool="add_calendar_event_participants", parameter="participants"),
    messaging.not_empty(tool="create_calendar_event", parameter="title"),
    dates.after(tool="create_calendar_event", start="start_time", end="end_time"),
    dates.after(tool="reschedule_calendar_event", start="new_start_time", end="new_end_time"),
    dates.span_at_most(14, tool="create_calendar_event", start="start_time", end="end_time"),
    files.plain_name(tool="create_file"),
    files.no_hidden(tool="create_file", parameter="filename"),
    messaging.not_empty(tool="append_to_file", parameter="content"),
    customer_service.once(tool="cancel_calendar_event", same="event_id"),
    customer_service.once(tool="delete_email", same="email_id"),
    customer_service.once(tool="delete_file", same="file_id"),
]
INVERSES = [
    inverse("reschedule_calendar_event", "cancel_calendar_event", same="event_id", final=True),
    inverse(
        "add_calendar_event_participants", "cancel_calendar_event", same="event_id", final=True
    ),
    inverse("append_to_file", "delete_file", same="file_id", final=True),
    inverse("share_file", "delete_file", same="file_id", final=True),
]

policy: Policy = shield.configure(tools=TOOLS, rules=RULES, inverses=INVERSES)
"""Holds whatever day it is, so that runs of another day can be judged again."""

live: Policy = shield.configure(
    tools=TOOLS,
    rules=[
        *RULES,
        dates.not_in_the_past(tool="create_calendar_event", parameter="start_time"),
        dates.not_in_the_past(tool="reschedule_calendar_event", parameter="new_start_time"),
    ],
    inverses=INVERSES,
)
"""The policy for today's runs: no meeting is set for yesterday."""

"""The phantom_target layer reports arguments that the run does not mention."""

from __future__ import annotations

from typing import Annotated

import pytest

from abs_shield import Creates, Free, Session, Shield, Soft, Target, Tool, ToolCall, Verdict, shield
from abs_shield.session import Limits


def obj(**properties):
    return {"type": "object", "properties": properties, "additionalProperties": False}


TEXT = {"type": "string"}
REFUND = Tool(name="refund", parameters=obj(transaction_id=TEXT, name=TEXT, note=TEXT))
FIND = Tool(name="find_user", parameters=obj(email=TEXT, city=TEXT), read_only=True)
ORDER = Tool(name="create_order", parameters=obj(order_id=TEXT, user_id=TEXT, title=TEXT))
READ = Tool(name="read_file", parameters=obj(path=TEXT))
WRITE = Tool(name="edit_file", parameters=obj(path=TEXT))
SEND = Tool(
    name="send_mail",
    parameters=obj(recipients={"type": "array", "items": TEXT}, sender=obj(email=TEXT)),
)
TOOLS = (REFUND, FIND, ORDER, READ, WRITE, SEND)


def make_shield(*tools, **declared):
    layers = ["phantom_target"]
    return Shield(shield.configure(tools=tools or TOOLS, layers=layers, **declared), hooks=None)


def judge_call(prompt, tool, arguments, *, firewall=None, results=()):
    firewall = firewall or make_shield()
    with firewall.session() as session:
        session.user(prompt)
        for name, value in results:
            session.tool_result(name, value)
        return firewall.check_call(ToolCall(tool, arguments))


def finding_codes(*args, **kwargs):
    return [finding.code for finding in judge_call(*args, **kwargs).findings]


def test_unmentioned_id_is_suspicious():
    """A refund of `tx_99999` is SUSPICIOUS if the user only mentioned `tx_12345`."""
    decision = judge_call("Please refund tx_12345.", "refund", {"transaction_id": "tx_99999"})
    (finding,) = decision.findings

    assert (Verdict.SUSPICIOUS, False) == (decision.verdict, decision.blocked)
    assert ("unseen", "hard_id", "/arguments/transaction_id") == (
        finding.code,
        finding.basis,
        finding.where,
    )
    assert "tx_12345" == finding.nearest
    assert "from the user" in finding.hint


def test_mentioned_id_is_clean():
    """A refund of the id that the user mentioned is CLEAN."""
    assert (
        Verdict.CLEAN
        == judge_call("refund tx_12345", "refund", {"transaction_id": "TX-12345"}).verdict
    )


@pytest.mark.parametrize(
    "prompt", ["<order_id>", "TBD", "YOUR_ID", "{{id}}", "[insert id here]", "xxxx"]
)
def test_placeholder_is_reported(prompt):
    """A placeholder as an id is reported with its own code."""
    finding = judge_call("Refund it.", "refund", {"transaction_id": prompt}).findings[0]

    assert ("placeholder", "placeholder") == (finding.code, finding.basis)


@pytest.mark.parametrize("text", ["Ask for the order_id first.", "Hi."])
def test_field_name_does_not_mention_a_placeholder(text):
    """The key of a result or a word of a message does not mention the placeholder of that name."""
    results = [("get_user", {"order_id": "W-1", "orders": ["W-1"]})]
    findings = judge_call(
        text, "refund", {"transaction_id": "<order_id>"}, results=results
    ).findings

    assert ["placeholder"] == [f.code for f in findings]


def test_the_nearest_value_is_reported_as_it_was_written():
    """The hint shows the nearest mentioned value with its original capitals."""
    results = [("list_orders", [{"order_id": "W-10245"}, {"order_id": "W-7"}])]
    (finding,) = judge_call(
        "Refund it.", "refund", {"transaction_id": "W-10254"}, results=results
    ).findings

    assert 'did you mean "W-10245", from a result of `list_orders`?' == finding.hint
    assert "W-10245" == finding.nearest


def test_placeholder_that_the_user_wrote_passes():
    """A placeholder passes if the user wrote it verbatim."""
    assert [] == finding_codes(
        "Refund order <order_id>, literally.", "refund", {"transaction_id": "<order_id>"}
    )


def test_unmentioned_name_is_a_weak_finding():
    """An unmentioned name is a weaker finding than an id and ignored at a threshold of 0.1."""
    user_text = ("Please refund what you find for Maria Santos.", "refund", {"name": "Otto Lind"})

    assert ["soft_name"] == [f.basis for f in judge_call(*user_text).findings]
    assert [False] == [
        f.counted for f in judge_call(*user_text, firewall=make_shield(threshold=0.1)).findings
    ]


def test_words_of_a_name_may_come_from_two_sources():
    """A name passes if the user wrote the first word and a result has the last."""
    assert [] == finding_codes(
        "Please find the user Maria.", "refund", {"name": "Maria Santos"},
        results=[("find_user", {"last_name": "Santos"})],
    )  # fmt: skip


PLACES = ["Oslo", "Oslo, Norway", "Oslo Airport (OSL), Norway", "Oslo central station"]


@pytest.mark.parametrize("city", PLACES)
def test_mentioned_city_passes_with_additions(city):
    """A mentioned city passes with its country, airport code or station added."""
    assert [] == finding_codes("Please find the user in Oslo.", "find_user", {"city": city})


def test_city_passes_under_its_name_in_another_language():
    """A city passes under its English name if the user wrote its German one."""
    assert [] == finding_codes(
        "Please find what you can about Köln.", "find_user", {"city": "Cologne"}
    )


def test_names_are_not_judged_in_untested_languages():
    """In a Russian run an invented name is not judged, but an invented id is."""
    user_text = "Верните деньги Марии, пожалуйста."

    assert [] == finding_codes(user_text, "refund", {"name": "Otto Lind"})
    assert ["unseen"] == finding_codes(user_text, "refund", {"transaction_id": "tx_99999"})


@pytest.mark.parametrize(
    "arguments",
    [
        {"note": "Refunded as Otto Lind of Gribskov asked, see tx_99999"},
        {"transaction_id": ""},
        {"transaction_id": None},
        {"transaction_id": True},
        {"transaction_id": "me"},
        {"name": "2024-05-20"},
        {"name": "USD"},
        {"name": "Norway"},
    ],
)
def test_values_without_identity_are_not_judged(arguments):
    """Free text, empty values, booleans, `me`, dates, currencies and countries are not judged."""
    assert [] == finding_codes("Please refund it, thank you.", "refund", arguments)


def test_enums_and_defaults_are_not_judged():
    """Enum members and defaults of the schema need no mention."""
    schema = obj(account_id={"enum": ["A-1000", "B-2000"]}, queue_id={**TEXT, "default": "Q-7777"})
    firewall = make_shield(Tool(name="pay", parameters=schema))

    assert [] == finding_codes(
        "Pay.", "pay", {"account_id": "A-1000", "queue_id": "Q-7777"}, firewall=firewall
    )


def test_leaves_are_judged_one_by_one():
    """A finding points at the member of a list or an object that is unmentioned."""
    decision = judge_call(
        "Write to mia@x.org", "send_mail",
        {"recipients": ["mia@x.org", "eve@y.org"], "sender": {"email": "bob@z.org"}},
    )  # fmt: skip

    assert ["/arguments/recipients/1", "/arguments/sender/email"] == [
        f.where for f in decision.findings
    ]


def test_creating_call_may_choose_its_own_id():
    """`create_order` may choose the `order_id`, but an unmentioned `user_id` is reported."""
    arguments = {"order_id": "O-5551", "title": "Lamp", "user_id": "u-9999"}
    decision = judge_call("Order a lamp.", "create_order", arguments)

    assert ["/arguments/user_id"] == [f.where for f in decision.findings]


def test_created_id_counts_as_mentioned():
    """The id of a created entity may be used by a sibling call and by later calls."""
    firewall = make_shield()
    calls = ToolCall("create_order", {"order_id": "O-5551"})
    with firewall.session() as session:
        session.user("Order a lamp and refund it.")
        together = firewall.inspect_turn([calls, ToolCall("refund", {"transaction_id": "O-5551"})])
        with firewall.guard(calls) as guard:
            guard.value = "done"
        later = firewall.check_call(ToolCall("refund", {"transaction_id": "O-5551"}))

    assert [(), (), ()] == [d.findings for d in (*together, later)]


def test_marks_override_the_parameter_name():
    """The marks of a tool override how its parameters are judged by name."""
    firewall = make_shield(
        Tool(
            name="pay",
            parameters=obj(account=TEXT, memo_id=TEXT, nick=TEXT, ticket_id=TEXT),
            targets=["account"], free=["memo_id"], soft=["nick"], creates=["ticket_id"],
        )
    )  # fmt: skip
    arguments = {"account": "2024-05-20", "memo_id": "M-9999", "nick": "Lou", "ticket_id": "T-123"}
    decision = judge_call("Please pay the bill for me.", "pay", arguments, firewall=firewall)

    assert [("/arguments/account", "hard_id"), ("/arguments/nick", "soft_name")] == [
        (f.where, f.basis) for f in decision.findings
    ]


def test_marks_are_read_from_annotations():
    """The marks of parameters are read from the type hints of a function."""

    def pay(
        account: Annotated[str, Target(must_be_seen=True)],
        memo_id: Annotated[str, Free()],
        nick: Annotated[str, Soft()],
        ticket_id: Annotated[str, Creates()],
    ) -> None:
        """Pay a bill."""

    firewall = Shield(shield.configure(layers=["phantom_target"]), hooks=None)
    firewall.register(pay)
    arguments = {"account": "A-99", "memo_id": "M-99", "nick": "Lou", "ticket_id": "T-1"}
    decision = judge_call("Please pay the bill for me.", "pay", arguments, firewall=firewall)

    assert ["/arguments/account", "/arguments/nick"] == [f.where for f in decision.findings]
    assert decision.blocked


@pytest.mark.parametrize(
    ("declared", "prompt", "verdict"),
    [
        ({"destructive": True}, "tx_99999", "HALLUCINATED"),
        ({"targets": {"transaction_id": Target(must_be_seen=True)}}, "tx_99999", "HALLUCINATED"),
        ({"destructive": True}, "<id>", "HALLUCINATED"),
        ({}, "tx_99999", "SUSPICIOUS"),
    ],
)
def test_unseen_target_of_a_destructive_tool_is_hallucinated(declared, prompt, verdict):
    """An unseen id is HALLUCINATED for a destructive tool or with `must_be_seen`."""
    firewall = make_shield(Tool(name="refund", parameters=REFUND.parameters, **declared))
    arguments = {"transaction_id": prompt}

    assert verdict == judge_call("Refund tx_12345.", "refund", arguments, firewall=firewall).verdict


def test_unmentioned_name_is_only_suspicious():
    """An unmentioned name is only SUSPICIOUS, even for a destructive tool."""
    firewall = make_shield(Tool(name="refund", parameters=REFUND.parameters, destructive=True))
    user_text = "Please refund what you find for Maria Santos."

    assert (
        "SUSPICIOUS"
        == judge_call(user_text, "refund", {"name": "Otto Lind"}, firewall=firewall).verdict
    )


@pytest.mark.parametrize(
    "declared",
    [
        {"allow": ["tx_9*"]},
        {"allow": ["tx_99999"]},
        {"allow": [lambda value: str(value).endswith("99")]},
        {"tools": [Tool(name="refund", parameters=REFUND.parameters, allow=["tx_9*"])]},
        {"tools": [
            Tool(
                name="refund", parameters=REFUND.parameters,
                targets={"transaction_id": Target(allow=["tx_99999"])},
            )
        ]},
    ],
)  # fmt: skip
def test_allowlist_admits_a_value(declared):
    """A value, glob or callable of the policy, tool or parameter admits a value."""
    tools = declared.pop("tools", TOOLS)
    firewall = make_shield(*tools, **declared)

    assert [] == finding_codes(
        "Refund it.", "refund", {"transaction_id": "tx_99999"}, firewall=firewall
    )


def test_glob_does_not_admit_other_values():
    """A glob does not admit a value that it does not match."""
    firewall = make_shield(allow=["tx_9*"])

    assert ["unseen"] == finding_codes(
        "Hi.", "refund", {"transaction_id": "tx_8"}, firewall=firewall
    )


def test_allowlist_that_raises_is_an_error():
    """An allowlist callable that raises is an error, and strict mode blocks the call."""
    firewall = make_shield(allow=[lambda value: 1 / 0])
    decision = judge_call("Hi.", "refund", {"transaction_id": "tx_9"}, firewall=firewall)

    assert (True, 1) == (decision.blocked, len(decision.errors))
    assert "ZeroDivisionError" in decision.errors[0]


RESULTS = [
    ("get_user", {"customer_id": "C-555", "name": "Mia"}),
    ("list_orders", [{"order_id": "8801"}, {"order_id": "8802"}]),
]


def test_id_of_another_kind_is_reported_with_its_field():
    """A customer id as an order id is reported with the field it comes from."""
    tools = (
        Tool(name="cancel", parameters=obj(order_id=TEXT)),
        Tool(name="get_user", parameters=obj(customer_id=TEXT)),
    )
    decision = judge_call(
        "Hi.", "cancel", {"order_id": "C-555"}, firewall=make_shield(*tools), results=RESULTS
    )
    (finding,) = decision.findings

    assert ("other_kind", "other_kind") == (finding.code, finding.basis)
    assert "`customer_id` in a result of `get_user`" in finding.detail


def test_field_without_a_parameter_has_no_kind():
    """An id from a field that is no parameter of any tool is not of another kind."""
    firewall = make_shield(Tool(name="cancel", parameters=obj(order_id=TEXT)))

    assert [] == finding_codes(
        "Hi.", "cancel", {"order_id": "C-555"}, firewall=firewall, results=RESULTS
    )


def test_result_that_repeats_an_argument_is_no_mention():
    """A value that the agent introduced stays unseen after results repeat it."""
    firewall = make_shield()
    with firewall.session() as session:
        session.user("Write to mia@x.org")
        with firewall.guard(ToolCall("send_mail", {"recipients": ["eve@y.org"]})) as guard:
            guard.value = "sent to eve@y.org"
        session.tool_result("list_mail", [{"to": "eve@y.org"}])
        again = firewall.check_call(ToolCall("send_mail", {"recipients": ["eve@y.org"]}))

    assert ["unseen"] == [f.code for f in again.findings]


def test_note_of_the_agent_is_no_mention():
    """A value in a note of the agent stays unseen after a result lists the note."""
    note = Tool(name="add_note", parameters=obj(text=TEXT))
    firewall = make_shield(REFUND, note, Tool(name="list_notes", parameters=obj()))
    with firewall.session() as session:
        session.user("Note it.")
        with firewall.guard(ToolCall("add_note", {"text": "refund tx_99999 later"})) as guard:
            guard.value = "ok"
        session.tool_result("list_notes", ["refund tx_99999 later"])
        decision = firewall.check_call(ToolCall("refund", {"transaction_id": "tx_99999"}))

    assert ["unseen"] == [f.code for f in decision.findings]


UNSEEN_FORMS = [
    "tx_99999",
    " tx_99999\n",
    "\u200btx_99999",
    "TX-99999",
    "tx 9 9 9 9 9",
    "=tx_99999",
]


@pytest.mark.parametrize("value", UNSEEN_FORMS)
def test_spelling_variant_of_an_unseen_id_is_unseen(value):
    """An unseen id is reported with spaces, separators, invisible letters or a leading sign."""
    assert ["unseen"] == finding_codes("Refund tx_12345.", "refund", {"transaction_id": value})


@pytest.mark.parametrize(
    "iban", ["FR1420041010050500013M02606", "FR14 2004 1010 0505 0001 3M02 606"]
)
def test_grouped_account_number_is_judged(iban):
    """An IBAN in groups of four is judged as an identifier and not as free text."""
    firewall = make_shield(Tool(name="pay", parameters=obj(iban=TEXT)))

    assert ["unseen"] == finding_codes("Pay.", "pay", {"iban": iban}, firewall=firewall)


def test_child_session_knows_mentions_of_its_parent():
    """A value mentioned in the parent session passes in the child, also when it is repeated."""
    firewall = make_shield()
    with firewall.session() as parent:
        parent.user("Refund what you find.")
        parent.tool_result("get_order", {"id": "tx_7001"})
        child = parent.child(agent="clerk")
        for _ in range(2):
            call = ToolCall("refund", {"transaction_id": "tx_7001"})
            with firewall.guard(call, session=child) as guard:
                guard.value = "refunded tx_7001"

    assert [(), ()] == [d.findings for d in child.decisions]


def test_created_ids_are_known_to_parent_and_child():
    """An id created in a parent session passes in its child, and the other way round."""
    firewall = make_shield()
    with firewall.session() as parent:
        parent.user("Order a lamp.")
        child = parent.child(agent="clerk")
        for session, other, name in ((parent, child, "O-5551"), (child, parent, "O-5552")):
            calls = ToolCall("create_order", {"order_id": name})
            with firewall.guard(calls, session=session) as guard:
                guard.value = "ok"
            call = ToolCall("refund", {"transaction_id": name})
            assert () == firewall.check_call(call, session=other).findings


def test_dropped_calls_make_the_layer_unavailable():
    """If a session dropped earlier calls, an unseen id makes the layer unavailable."""
    firewall = make_shield()
    session = Session(limits=Limits(executed=3))
    session.user("Order lamps.")
    for n in range(9):
        call = {"id": f"c{n}", "name": "create_order", "arguments": {"order_id": f"O-555{n}"}}
        session.add([{"role": "assistant", "tool_calls": [call]}])
        session.tool_result("create_order", "ok", call_id=f"c{n}")
    decision = firewall.check_call(
        ToolCall("refund", {"transaction_id": "O-5550"}), session=session
    )

    assert ((), "unavailable") == (decision.findings, decision.coverage["phantom_target"].outcome)


def test_layer_is_unavailable_beyond_ten_thousand_values():
    """A call with more than ten thousand values makes the layer unavailable."""
    firewall = make_shield(Tool(name="pay", parameters=obj(rows={"type": "array"})))
    decision = judge_call("Pay.", "pay", {"rows": [1] * 10_001}, firewall=firewall)

    assert "unavailable" == decision.coverage["phantom_target"].outcome


@pytest.mark.parametrize("key", [1, None, ("a",)])
def test_keys_that_are_not_strings_raise_nothing(key):
    """Arguments with keys that are not strings cause no error."""
    firewall = make_shield(
        Tool(name="pay", parameters={"type": "object", "additionalProperties": True})
    )
    arguments = {"filters": {key: {"name": "ORD-77001", "value": 3}}}

    assert () == judge_call("Pay.", "pay", arguments, firewall=firewall).errors


def test_read_may_enter_a_plain_subfolder():
    """A plain subfolder of a mentioned path may be read but not written."""
    user_text = "Fix the bug in /srv/app, please."

    assert [] == finding_codes(user_text, "read_file", {"path": "/srv/app/src"})
    assert [] == finding_codes(user_text, "read_file", {"path": "/srv/app/README.md"})
    assert ["unseen"] == finding_codes(user_text, "read_file", {"path": "/srv/app/deploy_key_7"})
    assert ["unseen"] == finding_codes(user_text, "edit_file", {"path": "/srv/app/src"})


def test_misspelt_path_is_unseen_for_reads():
    """A path with one misspelt folder is unseen even for a tool that reads."""
    user_text = "Read /srv/mia/report.pdf, please."

    assert ["unseen"] == finding_codes(user_text, "read_file", {"path": "/srv/mai/report.pdf"})


EVENT = Tool(
    name="move_event",
    parameters=obj(
        event_id=TEXT,
        parcel={"type": "integer"},
        phone=TEXT,
        reach={"type": "string", "description": "The phone number of the guest"},
    ),
    targets={"parcel": Target(), "phone": Target(), "reach": Target()},
)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"event_id": "00000060"}, ["unseen"]),
        ({"event_id": "0000000"}, ["unseen"]),
        ({"event_id": "00000107"}, []),
        ({"event_id": "107"}, []),
        ({"event_id": "7555-123-2002"}, ["unseen"]),
        ({"parcel": 4711}, []),
        ({"parcel": 4712}, ["unseen"]),
        ({"phone": "7555-123-2002"}, ["unseen"]),
        ({"phone": "+1 (555) 123-2002"}, []),
        ({"phone": "15551232002"}, []),
        ({"reach": "15551232002"}, []),
    ],
)
def test_leading_digits_distinguish_values(arguments, found):
    """Leading zeros of numbers and country codes of phones are ignored, other digits are not."""
    results = [("look", {"event_id": "0107", "duration": 60, "errors": 0})]
    user_text = "Move the meeting about parcel 0004711, and call 555-123-2002."

    assert found == finding_codes(
        user_text, "move_event", arguments, firewall=make_shield(EVENT), results=results
    )


CALLING = Tool(
    name="place_call",
    parameters=obj(phone=TEXT, to=TEXT, account_number=TEXT),
    targets={"phone": Target(), "to": Target(), "account_number": Target()},
)


@pytest.mark.parametrize(
    ("arguments", "result", "found"),
    [
        ({"phone": "+15551232002"}, ["555-123-2002"], []),
        ({"phone": "+15551232002"}, {"work": 5551232002}, []),
        ({"phone": "+15551232002"}, '{"work":"5551232002"}', []),
        ({"to": "+4915112345678"}, {"handy": "0151 12345678"}, []),
        ({"phone": "+15551232002"}, {"support_number": "555-123-2002"}, []),
        ({"phone": "+15551232002"}, {"order_id": 5551232002}, ["unseen"]),
        ({"phone": "+15551232002"}, {"balance": 5551232002}, ["unseen"]),
        ({"phone": "+15551232002"}, {"timestamp": "5551232002"}, ["unseen"]),
        ({"phone": "123-2002"}, "call 555-123-2002", ["unseen"]),
        ({"phone": "1232002555"}, "call 555-123-2002 555-987-6543", ["unseen"]),
        ({"phone": "8555-123-2002"}, "call 555-123-2002", ["unseen"]),
        ({"to": "15551232002"}, "account 5551232002", ["unseen"]),
        ({"to": "84951234567"}, "account 4951234567", ["unseen"]),
        ({"phone": "+442071234567"}, {"phone": "+49 20 7123 4567"}, ["unseen"]),
        ({"account_number": "555-123-2002"}, "account 15551232002", ["unseen"]),
    ],
)
def test_telephones_are_recognised_by_both_fields(arguments, result, found):
    """A country code is ignored only if both fields can hold a telephone number."""
    results = [("look", result)]

    assert found == finding_codes(
        "Call Bo.", "place_call", arguments, firewall=make_shield(CALLING), results=results
    )


def test_layer_is_unavailable_without_a_session():
    """The layer is unavailable without a session."""
    decision = make_shield().check_call(ToolCall("refund", {"transaction_id": "tx_1"}))

    assert ("unavailable", "no session") == decision.coverage["phantom_target"]


@pytest.mark.parametrize("prompt", [None, "", " \n"])
def test_layer_is_unavailable_without_user_and_system_message(prompt):
    """The layer is unavailable without a user message and with a blank system message."""
    firewall = make_shield()
    with firewall.session() as session:
        if prompt is not None:
            session.system(prompt)
        decision = firewall.check_call(ToolCall("refund", {"transaction_id": "tx_1"}))

    assert ("unavailable", "no user or system message") == decision.coverage["phantom_target"]


TASK = "You close tickets. Please refund the transaction tx_12345 of Mia Li, and write to her."


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"transaction_id": "tx_12345", "name": "Mia Li"}, []),
        ({"transaction_id": "TX-12345"}, []),
        ({"transaction_id": "tx_99999"}, [("unseen", "tx_12345")]),
        ({"transaction_id": "tx_12354"}, [("unseen", "tx_12345")]),
        ({"transaction_id": "<transaction_id>"}, [("placeholder", "")]),
        ({"name": "John Smith"}, [("unseen", "")]),
    ],
)
def test_system_message_with_a_task_is_evidence(arguments, found):
    """A system message that states a task is evidence in a run without a user."""
    firewall = make_shield()
    with firewall.session() as session:
        session.system(TASK)
        decision = firewall.check_call(ToolCall("refund", arguments))

    assert found == [(finding.code, finding.nearest) for finding in decision.findings]


def test_results_are_evidence_without_a_user():
    """A value of a result passes in a run without a user, and another is SUSPICIOUS."""
    firewall = make_shield()
    with firewall.session() as session:
        session.system("Refund the newest transaction.")
        session.tool_result("newest", {"transaction_id": "tx_777"})
        decisions = [
            firewall.check_call(ToolCall("refund", {"transaction_id": id_}))
            for id_ in ("tx_777", "tx_778")
        ]

    assert [Verdict.CLEAN, Verdict.SUSPICIOUS] == [d.verdict for d in decisions]


def test_language_is_that_of_the_user_message():
    """A name is not judged if the user writes German below an English system message."""
    firewall = make_shield()
    with firewall.session() as session:
        session.system("You are a helpful assistant. Please answer what the customers want.")
        session.user("Schick das bitte an die Kundin von gestern.")
        decision = firewall.check_call(ToolCall("refund", {"name": "John Smith"}))

    assert () == decision.findings


@pytest.mark.parametrize("known", [False, True])
def test_child_session_is_judged_if_its_parent_has_a_task(known):
    """A child session is judged only if the task of its parent is known."""
    firewall = make_shield()
    with firewall.session() as parent:
        if known:
            parent.system("Refund tx_12345.")
        child = parent.child(agent="clerk")
        child.system("You are a clerk who does refunds.")
        child.user("Refund tx_99999.")
        call = ToolCall("refund", {"transaction_id": "tx_99999"})
        decision = firewall.check_call(call, session=child)

    assert (["unseen"] if known else []) == [finding.code for finding in decision.findings]
    assert ("ran" if known else "unavailable") == decision.coverage["phantom_target"].outcome


@pytest.mark.parametrize("id_", ["tx_99999", "tx_12345"])
def test_opaque_content_makes_the_layer_unavailable(id_):
    """After opaque content an unseen id makes the layer unavailable; a mentioned one passes."""
    firewall = make_shield()
    with firewall.session() as session:
        session.user("Refund tx_12345.")
        session.opaque("a PDF")
        decision = firewall.check_call(ToolCall("refund", {"transaction_id": id_}))

    assert () == decision.findings
    assert ("ran" if id_ == "tx_12345" else "unavailable") == decision.coverage[
        "phantom_target"
    ].outcome


def test_the_system_prompt_is_evidence():
    """An id from the system message may be used."""
    firewall = make_shield()
    with firewall.session() as session:
        session.system("The house account is acct_900.")
        session.user("Refund it.")
        decision = firewall.check_call(ToolCall("refund", {"transaction_id": "acct_900"}))

    assert Verdict.CLEAN == decision.verdict


def test_approved_unseen_target_runs():
    """With `on_suspicious="approve"` the approver is asked once, and the call may run."""
    requests = []
    policy = shield.configure(tools=TOOLS, layers=["phantom_target"], on_suspicious="approve")
    firewall = Shield(
        policy, hooks=None, approver=lambda decision: requests.append(decision) or True
    )
    with firewall.session() as session:
        session.user("Refund tx_12345.")
        decision = firewall.check_call(ToolCall("refund", {"transaction_id": "tx_99999"}))

    assert (1, False) == (len(requests), decision.blocked)


def test_layer_is_unavailable_beyond_a_thousand_values_of_another_script():
    """More than 1,000 values in another script make the layer unavailable."""
    names = [f"заказ {'абвгдежзик'[n % 10]}{'клмнопрсту'[n // 10 % 10]}" * 3 for n in range(1_200)]
    orders = {"type": "object", "properties": {"order_id": {"type": "array", "items": TEXT}}}
    firewall = make_shield(Tool(name="act", parameters=orders))
    decision = judge_call("Сделай.", "act", {"order_id": [*names, "tx_99999"]}, firewall=firewall)
    few = judge_call("Сделай.", "act", {"order_id": [*names[:900], "tx_99999"]}, firewall=firewall)
    coverage = decision.coverage["phantom_target"]

    assert ["unseen"] == [finding.code for finding in decision.findings]
    assert ["unseen"] == [finding.code for finding in few.findings]
    assert ("ran", "unavailable") == (few.coverage["phantom_target"].outcome, coverage.outcome)
    assert "more than 1,000 values in another script in one call" == coverage.reason


def test_path_of_many_steps_is_judged_in_linear_time():
    """A path of 4,000 steps is judged in linear time; it once took seconds."""
    steps = "/".join(["docs"] + ["a"] * 4_000)
    user_text = f"Read /srv/{steps}/x.txt"

    assert [] == finding_codes(user_text, "read_file", {"path": f"/srv/{steps}/x.txt"})

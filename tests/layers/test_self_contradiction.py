"""The layer self_contradiction reports a call that undoes or contradicts a recent one."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, Verdict, inverse, shield
from abs_shield.session.session_record import record_of

ANY = {"type": "object", "additionalProperties": True}
NAMES = (
    "create_user", "delete_user", "update_user", "get_user", "lock_account", "unlock_account",
    "add_member_to_group", "remove_member_from_group", "create_event", "cancel_event",
    "stop_server", "start_server", "resize_server", "set_volume", "update_profile", "send_note",
    "book_room", "cancel_room", "create_ticket", "delete_ticket", "delete_event", "set_budget",
    "touch", "rm", "mkdir", "rmdir", "create_table", "drop_table", "add_note", "delete_note",
    "set_alarm", "add_row", "delete_row", "increase_volume", "decrease_volume", "kill_job",
    "run_job", "set_weather", "place_order", "place_hold", "cancel_hold", "open_issue",
    "close_issue", "set_call_time", "update_location", "file_claim", "cancel_claim",
    "open_connection", "close_connection", "lock_file", "unlock_file",
)  # fmt: skip


def make_shield(**declared):
    tools = [Tool(name=name, parameters=ANY) for name in NAMES]
    layers = ["self_contradiction"]
    return Shield(shield.configure(tools=tools, layers=layers, **declared), hooks=None)


def run(firewall, *calls, user_text="Do what is needed."):
    """Run all calls but the last, each with a result, and return the decision on the last."""
    with firewall.session() as session:
        record_of(session).clock = lambda: 0.0
        session.user(user_text)
        for name, arguments, value in calls[:-1]:
            if name == "user":
                session.user(arguments)
                continue
            with firewall.guard(ToolCall(name, arguments)) as guard:
                guard.value = value
        return firewall.check_call(ToolCall(*calls[-1]))


def finding_codes(*calls, **declared):
    return [(f.code, f.basis) for f in run(make_shield(**declared), *calls).findings]


def test_delete_after_create_is_suspicious():
    """`delete_user(id=1)` directly after `create_user(id=1)` is SUSPICIOUS."""
    decision = run(make_shield(), ("create_user", {"id": 1}, "ok"), ("delete_user", {"id": 1}))
    (finding,) = decision.findings

    assert (Verdict.SUSPICIOUS, False) == (decision.verdict, decision.blocked)
    assert ("undone", "contradiction", "/arguments/id") == (
        finding.code,
        finding.basis,
        finding.where,
    )
    assert "undoes `create_user`" in finding.detail


UNDONE, CONFLICTING = ("undone", "contradiction"), ("conflicting", "contradiction")
PAIRS = [
    ("create_user", {"user_id": "u1"}, "delete_user", {"user_id": "u1"}, UNDONE),
    ("lock_account", {"account": "a1"}, "unlock_account", {"account": "a1"}, UNDONE),
    ("create_event", {"event_id": "e1"}, "cancel_event", {"event_id": "e1"}, UNDONE),
    ("delete_user", {"id": 1}, "create_user", {"id": 1}, UNDONE),
    ("update_user", {"id": 1, "x": 2}, "delete_user", {"id": 1}, UNDONE),
    ("update_user", {"id": 1, "x": 2}, "update_user", {"id": 1, "x": 3}, CONFLICTING),
    ("update_profile", {"city": "A"}, "update_profile", {"city": "B"}, CONFLICTING),
    ("set_volume", {"level": 1}, "set_volume", {"level": 2}, CONFLICTING),
    ("set_budget", {"budget": 1.5}, "set_budget", {"budget": 2.5}, CONFLICTING),
    ("touch", {"file_name": "a.txt"}, "rm", {"file_name": "a.txt"}, UNDONE),
    ("mkdir", {"path": "/srv/a"}, "rmdir", {"path": "/srv/a"}, UNDONE),
    ("create_table", {"table": "t1"}, "drop_table", {"table": "t1"}, UNDONE),
    (
        "add_note",
        {"text": "Buy milk", "day": "Monday"},
        "delete_note",
        {"text": "Buy milk", "day": "Monday"},
        UNDONE,
    ),
    (
        "add_member_to_group", {"user": "u1", "group_id": "g1"},
        "remove_member_from_group", {"user": "u1", "group_id": "g1"}, UNDONE,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("first", "one", "then", "other", "expected"), PAIRS)
def test_opposite_verbs_contradict(first, one, then, other, expected):
    """Calls whose verbs are opposites, or that set two values, contradict each other."""
    assert [expected] == finding_codes((first, one, "ok"), (then, other))


SPELT = ["usr_abc1", " usr_abc1 ", "USR-ABC1", "usr abc1", "usrabc1"]


@pytest.mark.parametrize("spelt", SPELT)
@pytest.mark.parametrize("declared", [(), (inverse("create_user", "delete_user", same="id"),)])
def test_entity_is_recognised_in_another_spelling(spelt, declared):
    """A contradiction is reported if the two calls spell the id of the entity differently."""
    calls = ("create_user", {"id": "usr_abc1"}, "ok"), ("delete_user", {"id": spelt})
    (message,) = finding_codes(*calls, inverses=declared)

    assert ("undone", "declared" if declared else "contradiction") == message


@pytest.mark.parametrize("spelt", [77001.0, "77001", "0077001"])
def test_number_is_recognised_in_another_spelling(spelt):
    """A whole number identifies the same entity as a float, a string or with leading zeros."""
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}}
    tools = [Tool(name=name, parameters=schema) for name in ("create_user", "delete_user")]
    firewall = Shield(
        shield.configure(tools=tools, layers=["self_contradiction"], coercible="flag"), hooks=None
    )
    decision = run(firewall, ("create_user", {"id": 77001}, "ok"), ("delete_user", {"id": spelt}))

    assert ["undone"] == [finding.code for finding in decision.findings]


@pytest.mark.parametrize("between", [[], [ToolCall("create_user", {"id": "usr_xyz"})]])
def test_two_spellings_in_one_turn(between):
    """A contradiction is reported within one turn if the ids are spelt differently."""
    firewall = make_shield()
    first = ToolCall("create_user", {"id": "usr_abc"})
    with firewall.session() as session:
        session.user("Do what is needed.")
        *_, last = firewall.inspect_turn(
            [first, *between, ToolCall("delete_user", {"id": "USR-ABC"})]
        )

    assert ["undone"] == [finding.code for finding in last.findings]


HARMLESS = [
    (("create_user", {"id": "12-3456"}, "ok"), ("delete_user", {"id": "1-23456"})),
    (("create_user", {"id": "a.b@x.org"}, "ok"), ("delete_user", {"id": "ab@x.org"})),
    (("create_user", {"id": 1}, "ok"), ("delete_user", {"id": 2})),
    (("create_user", {"id": 1}, "ok"), ("get_user", {"id": 1})),
    (("create_user", {"id": 1}, "ok"), ("cancel_event", {"id": 1})),
    (("update_user", {"id": 1, "x": 2}, "ok"), ("update_user", {"id": 1, "x": 2})),
    (("update_user", {"id": 1, "x": 2}, "ok"), ("update_user", {"id": 2, "x": 3})),
    (("update_user", {"id": 1, "x": 2}, "ok"), ("update_user", {"id": 1, "y": 3})),
    (("set_volume", {"level": 1}, "ok"), ("set_volume", {"level": 1})),
    (
        ("set_alarm", {"from": "7:00", "to": "8:00"}, "ok"),
        ("set_alarm", {"from": "9:00", "to": "9:30"}),
    ),
    (
        ("add_note", {"text": "Buy milk", "day": "Monday"}, "ok"),
        ("delete_note", {"text": "Buy bread", "day": "Monday"}),
    ),
    (("add_row", {"line": 4, "text": "total"}, "ok"), ("delete_row", {"line": 4, "text": "total"})),
    (
        ("add_member_to_group", {"user": "u1", "group_id": "g1"}, "ok"),
        ("remove_member_from_group", {"user": "u2", "group_id": "g1"}),
    ),
    (
        ("update_profile", {"setting": "a", "value": 1}, "ok"),
        ("update_profile", {"setting": "b", "value": 2}),
    ),
    (
        ("set_weather", {"city": "Rome", "degrees": 9}, "ok"),
        ("set_weather", {"city": "Oslo", "degrees": 4}),
    ),
    (("open_connection", {"name": "orders"}, {"id": "c-1"}), ("close_connection", {"id": "c-1"})),
    (("lock_file", {"path": "a.txt"}, "ok"), ("unlock_file", {"path": "a.txt"})),
    (("increase_volume", {"room": "r-1"}, "ok"), ("decrease_volume", {"room": "r-1"})),
    (("kill_job", {"job_id": "j-1"}, "ok"), ("run_job", {"job_id": "j-1"})),
]


@pytest.mark.parametrize("calls", HARMLESS)
def test_unrelated_calls_do_not_contradict(calls):
    """Calls on another entity or noun, reads, repeats, other settings and closing pass."""
    assert [] == finding_codes(*calls)


ALIKE = [
    ("place_order", {"symbol": "NVDA", "side": "buy", "quantity": 10}, {"side": "SELL"}),
    ("set_alarm", {"room": "den", "armed": True}, {"armed": False}),
]


@pytest.mark.parametrize(("name", "arguments", "turned"), ALIKE)
def test_opposite_value_in_the_same_call_contradicts(name, arguments, turned):
    """Repeating a call with one opposite value contradicts it, unless another value differs too."""
    first = (name, arguments, "ok")

    assert "undone" in {code for code, _ in finding_codes(first, (name, {**arguments, **turned}))}
    other = {**arguments, **turned, next(iter(arguments)): "another"}
    assert [] == finding_codes(first, (name, other))


@pytest.mark.parametrize(
    ("made", "value", "ended"),
    [
        (("place_hold", {"title": "Emma"}), {"hold": "H-1"}, ("cancel_hold", {"hold_id": "H-1"})),
        (("file_claim", {"why": "hail"}), {"id": "LP-5"}, ("cancel_claim", {"claim_id": "LP-5"})),
        (("open_issue", {"title": "Leak"}), {"number": 519}, ("close_issue", {"number": 519})),
    ],
)
def test_entity_is_identified_by_the_returned_name_or_number(made, value, ended):
    """An entity is identified by the id or number that the first call returned."""
    (name, (key,)) = (ended[0], ended[1])

    assert [UNDONE] == finding_codes((*made, value), ended)
    assert [] == finding_codes((*made, value), (name, {key: "H-2" if key != "number" else 520}))


SET = [
    ("set_call_time", {"person": "Ann Lee", "time": "07:30"}, {"time": "08:15"}),
    ("update_location", {"item_id": "x-1", "location": "Store"}, {"location": "Gallery 3"}),
]


@pytest.mark.parametrize(("name", "arguments", "other"), SET)
def test_setter_is_called_with_another_value(name, arguments, other):
    """Two calls of a setter for one entity with different values conflict."""
    assert [CONFLICTING] == finding_codes((name, arguments, "ok"), (name, {**arguments, **other}))


@pytest.mark.parametrize(("kind", "expected"), [("number", [CONFLICTING]), ("integer", [])])
def test_number_sets_and_integer_identifies(kind, expected):
    """A `number` parameter is a value that can conflict; an `integer` may identify the entity."""
    schema = {"type": "object", "properties": {"target": {"type": kind}, "room": {}}}
    firewall = Shield(
        shield.configure(
            tools=[Tool(name="set_room", parameters=schema)], layers=["self_contradiction"]
        ),
        hooks=None,
    )
    first, then = ({"room": "den", "target": degrees} for degrees in (17, 21))
    findings = run(firewall, ("set_room", first, "ok"), ("set_room", then)).findings

    assert expected == [(finding.code, finding.basis) for finding in findings]


def test_entity_is_identified_by_the_returned_id():
    """A call that ends an entity by the id that the first call returned contradicts it."""
    first_call = ("book_room", {"hotel_id": "h1"}, '{"bookingCode": "QX3T9P"}')

    assert [UNDONE] == finding_codes(first_call, ("cancel_room", {"booking_code": "QX3T9P"}))


LONG = [{"line": n} for n in range(300)]


@pytest.mark.parametrize(
    "value",
    [
        {"id": 4711},
        {"id": 4711.0},
        {"status": "ok", "data": {"ticket": {"id": 4711, "title": "Leak"}}},
        {"data": {"ticket": {"number": 4711}}},
        {"created": {"ticket": 4711}},
        {"log": LONG, "ticket": {"id": 4711}},
        {"content": [{"type": "text", "text": '{"ticket": {"id": 4711}}'}]},
        {"data": '{"ticket": {"number": 4711}}'},
        {"result": 4711},
        4711,
    ],
    ids=str,
)
@pytest.mark.parametrize("id_", [4711, "4711", 4711.0])
def test_returned_number_identifies_the_entity(value, id_):
    """A number that the first call returned as a record's id identifies the entity at any depth."""
    first_call = ("create_ticket", {"title": "Leak", "user_id": "u1"}, value)

    assert [UNDONE] == finding_codes(first_call, ("delete_ticket", {"ticket_id": id_}))
    assert [UNDONE] == finding_codes(
        first_call, ("delete_ticket", {"ticket_id": id_, "user_id": "u1"})
    )


@pytest.mark.parametrize(
    "value",
    [
        {"id": 4712, "position": 4711},
        {"id": 4712, "count": 4711, "total": 4711, "seats": 4711, "ticket_count": 4711},
        {"id": 4712, "queue": {"length": 4711}},
        {"tickets": 4711.5},
        {"result": True},
    ],
    ids=str,
)
def test_count_in_a_result_does_not_identify_an_entity(value):
    """A count or measurement in a result does not identify an entity."""
    first_call = ("create_ticket", {"title": "Leak"}, value)

    assert [] == finding_codes(first_call, ("delete_ticket", {"ticket_id": 4711}))


@pytest.mark.parametrize("value", [{"result": 1}, 0, 1])
def test_status_number_does_not_identify_an_entity(value):
    """A returned 0 or 1 is a status and does not identify an entity."""
    first_call = ("create_ticket", {"title": "Leak"}, value)

    assert [] == finding_codes(
        first_call, ("delete_ticket", {"ticket_id": value if value == 0 else 1})
    )


@pytest.mark.parametrize("value", ["Error: no such user", {"success": False}, {"error": "denied"}])
def test_failed_call_is_not_contradicted(value):
    """A call that corrects a failed one does not contradict it."""
    assert [] == finding_codes(
        ("update_user", {"id": 1, "x": 2}, value), ("update_user", {"id": 1, "x": 3})
    )


def test_call_that_raised_is_not_contradicted():
    """A call whose tool raised is not contradicted by a later one."""
    firewall = make_shield()
    with firewall.session() as session:
        session.user("Go.")
        with (
            pytest.raises(ZeroDivisionError),
            firewall.guard(ToolCall("create_user", {"id": 1})) as guard,
        ):
            guard.value = 1 / 0
        decision = firewall.check_call(ToolCall("delete_user", {"id": 1}))

    assert () == decision.findings


def test_blocked_call_is_not_contradicted():
    """A blocked call is not contradicted by a later one."""
    firewall = Shield(
        shield.configure(
            tools=[Tool(name=name, parameters=ANY) for name in NAMES],
            layers=["self_contradiction", "parameter_mismatch"],
        ),
        hooks=None,
    )
    with firewall.session() as session:
        session.user("Go.")
        assert firewall.check_call({"name": "create_user", "arguments": '{"id": 1'}).blocked
        decision = firewall.check_call(ToolCall("delete_user", {"id": 1}))

    assert () == decision.findings


def test_a_new_user_message_closes_the_window():
    """Calls before the latest user message are not compared with."""
    assert [] == finding_codes(
        ("create_user", {"id": 1}, "ok"),
        ("user", "No, delete 1!", None),
        ("delete_user", {"id": 1}),
    )


def test_the_window_is_in_calls():
    """A write is compared only with as many earlier writes as the window has."""
    between = [("send_note", {"note_id": n}, "ok") for n in range(2)]
    calls = (("create_user", {"id": 1}, "ok"), *between, ("delete_user", {"id": 1}))

    assert ([UNDONE], []) == (finding_codes(*calls), finding_codes(*calls, window=(2, 60.0)))


BETWEEN = {
    "of another thing": ("send_note", lambda n: {"note_id": n}),
    "of another one": ("update_user", lambda n: {"id": 100 + n, "city": f"c{n}"}),
    "of the same one": ("update_user", lambda n: {"id": 1, "city": f"c{n}"}),
    "that make": ("create_user", lambda n: {"id": 100 + n}),
    "that make and take back": ("delete_user", lambda n: {"id": 100 + n}),
}


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("inverses", [(), (inverse("create_user", "delete_user", same="id"),)])
def test_the_tenth_later_call_is_inside_the_window(between, inverses):
    """A pair is reported with nine writes of any kind in between, but not with ten."""
    name, arguments = BETWEEN[between]
    basis = "declared" if inverses else "contradiction"
    for n, inside in ((9, True), (10, False)):
        writes = [(name, arguments(k), "ok") for k in range(n)]
        calls = [("create_user", {"id": 1}, "ok"), *writes, ("delete_user", {"id": 1})]
        findings = run(make_shield(inverses=inverses, threshold=0.5), *calls).findings

        messages = [(f.code, f.basis, f.evidence["first"]) for f in findings]

        assert inside == (("undone", basis, "create_user") in messages)
        assert inside == any(first == "create_user" for _, _, first in messages)


def test_reads_do_not_count_towards_the_window():
    """Reads between two writes do not count towards the window."""
    looks = [("get_user", {"id": 1}, {"id": 1})] * 30

    assert [UNDONE] == finding_codes(
        ("create_user", {"id": 1}, "ok"), *looks, ("delete_user", {"id": 1})
    )


def test_requested_sequence_with_update_passes():
    """Creating, updating and deleting a user as requested yields no finding."""
    calls = [
        ("create_user", {"id": 1}, "ok"),
        ("update_user", {"id": 1, "city": "A"}, "ok"),
        ("delete_user", {"id": 1}),
    ]
    question = "Create user 1, put him into A, and delete him afterwards."

    assert () == run(make_shield(), *calls, user_text=question).findings


@pytest.mark.parametrize(("between", "expected"), [(9, ["undone"]), (10, [])])
def test_the_window_holds_among_siblings(between, expected):
    """Within one batch a pair is reported with nine calls in between, but not with ten."""
    firewall = make_shield()
    with firewall.session() as session:
        session.user("Go.")
        notes = [ToolCall("send_note", {"note_id": n}) for n in range(between)]
        batch = [ToolCall("create_user", {"id": 1}), *notes, ToolCall("delete_user", {"id": 1})]
        decisions = firewall.inspect_turn(batch)

    assert expected == [finding.code for finding in decisions[-1].findings]


def test_the_window_is_in_seconds():
    """A call older than the window in seconds is not compared with."""
    firewall = make_shield(window=(10, 60.0))
    with firewall.session() as session:
        record_of(session).clock = lambda: 0.0
        session.user("Go.")
        with firewall.guard(ToolCall("create_user", {"id": 1})) as guard:
            guard.value = "ok"
        record_of(session).clock = lambda: 61.0
        decision = firewall.check_call(ToolCall("delete_user", {"id": 1}))

    assert () == decision.findings


def test_a_pair_is_reported_once():
    """After an undone call is reported, the next deletion is not reported."""
    assert [] == finding_codes(
        ("create_user", {"id": 1}, "ok"),
        ("delete_user", {"id": 1}, "ok"),
        ("delete_user", {"id": 1}),
    )


def test_siblings_count_as_executed():
    """A contradiction is reported between two calls of one batch before either runs."""
    firewall = make_shield()
    with firewall.session() as session:
        session.user("Go.")
        decisions = firewall.inspect_turn(
            [ToolCall("create_user", {"id": 1}, "a"), ToolCall("delete_user", {"id": 1}, "b")]
        )

    assert [[], ["undone"]] == [[f.code for f in d.findings] for d in decisions]


@pytest.mark.parametrize(
    "asked",
    [
        "Stop it, resize it and start it again.",
        "Please (stop, resize, start) the box.",
    ],
)
def test_requested_sequence_passes(asked):
    """Stopping and starting a server passes if the user asked for both."""
    calls = ("stop_server", {"id": "s1"}, "ok"), ("start_server", {"id": "s1"})

    assert () == run(make_shield(), *calls, user_text=asked).findings
    assert 1 == len(run(make_shield(), *calls).findings)


def test_requested_cleanup_passes():
    """Deleting a created user passes if the user asked to clean up afterwards."""
    calls = ("create_user", {"id": 1}, "ok"), ("delete_user", {"id": 1})

    assert (
        () == run(make_shield(), *calls, user_text="Use a test user, clean up afterwards.").findings
    )


def test_restart_after_a_change_passes():
    """Starting a stopped server passes if a call changed it in between."""
    assert [] == finding_codes(
        ("stop_server", {"id": "s1"}, "ok"),
        ("resize_server", {"id": "s1", "size": "m"}, "ok"),
        ("start_server", {"id": "s1"}),
    )


def test_declared_pair_has_strength_one():
    """A pair declared with `inverse` needs no opposite verbs and has strength 1."""
    firewall = make_shield(inverses=[inverse("send_note", "create_ticket", same="note_id")])
    calls = ("send_note", {"note_id": "n1"}, "ok"), ("create_ticket", {"note_id": "n1"})

    (finding,) = run(firewall, *calls).findings

    assert (1.0, "/arguments/note_id") == (finding.strength, finding.where)
    assert "this call on `n1` undoes `send_note`, which ran a moment ago" == finding.detail


def test_declared_pair_may_use_two_parameter_names():
    """`same` may name a different parameter for each tool of a declared pair."""
    pair = inverse("create_user", "delete_user", same={"create_user": "id", "delete_user": "uid"})
    same = run(
        make_shield(inverses=[pair]), ("create_user", {"id": 1}, "ok"), ("delete_user", {"uid": 1})
    )
    other = run(
        make_shield(inverses=[pair]), ("create_user", {"id": 1}, "ok"), ("delete_user", {"uid": 2})
    )

    assert ([1.0], []) == (
        [f.strength for f in same.findings],
        [f.strength for f in other.findings],
    )


def test_unless_excuses_a_declared_pair():
    """`unless` receives both calls and suppresses declared and inferred findings."""
    pair = inverse(
        "create_user", "delete_user", same="id",
        unless=lambda first, then: first.arguments["kind"] == "test",
    )  # fmt: skip
    firewall = make_shield(inverses=[pair])
    calls = [("create_user", {"id": 1, "kind": kind}, "ok") for kind in ("test", "real")]

    assert [0, 1] == [
        len(run(firewall, call, ("delete_user", {"id": 1})).findings) for call in calls
    ]


def test_layer_is_unavailable_without_a_session():
    """The layer is unavailable without a session."""
    decision = make_shield().check_call(ToolCall("delete_user", {"id": 1}))

    assert ("unavailable", "no session") == decision.coverage["self_contradiction"]


def test_shields_that_share_a_session_share_its_calls():
    """A call that ran under one Shield is contradicted under another of the same session."""
    one, other = make_shield(), make_shield(window=(5, 30.0))
    with one.session() as session:
        session.user("Go.")
        with one.guard(ToolCall("create_user", {"id": 1})) as guard:
            guard.value = "ok"
        decision = other.check_call(ToolCall("delete_user", {"id": 1}), session=session)

    assert ["undone"] == [f.code for f in decision.findings]


def test_each_shield_reads_a_shared_run_with_its_own_tools():
    """A tool unknown to one Shield of a session still counts for another Shield."""
    stranger = Shield(shield.configure(tools=[Tool(name="get_user")]), hooks=None)
    knowing = make_shield()
    with knowing.session() as session:
        session.user("Go.")
        with knowing.guard(ToolCall("create_user", {"id": 1})) as guard:
            guard.value = "ok"
        stranger.check_call(ToolCall("get_user", {}), session=session)
        decision = knowing.check_call(ToolCall("delete_user", {"id": 1}), session=session)

    assert ["undone"] == [f.code for f in decision.findings]

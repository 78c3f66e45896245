"""Steps that a user asked for in sequence, and moves of a thing, are not contradictions."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, shield

Call = tuple[str, dict[str, object]]


def finding_codes(user_text: str, *calls: Call) -> list[str]:
    """Return the codes of all findings on *calls*, which all run."""
    schemas: dict[str, dict[str, object]] = {}
    for name, arguments in calls:
        schemas.setdefault(name, {}).update({key: {} for key in arguments})
    tools = [
        Tool(name=n, parameters={"type": "object", "properties": p}) for n, p in schemas.items()
    ]
    firewall = Shield(shield.configure(tools=tools), hooks=None)
    codes = []
    with firewall.session() as session:
        session.user(user_text)
        for name, arguments in calls:
            decision = firewall.check_call(ToolCall(name, arguments))
            codes += [finding.code for finding in decision.findings]
            with firewall.guard(ToolCall(name, arguments)) as guard:
                guard.value = {"ok": True}
    return codes


def twice(name: str, key: str, *values: object, **same: object) -> list[Call]:
    """Return calls that differ in one value."""
    return [(name, {**same, key: value}) for value in values]


BOTH_VALUES = [
    (
        "Set AB-1 to 9.99 first, then to 8.99 at noon.",
        twice("set_price", "price", 9.99, 8.99, sku="AB-1"),
    ),
    ("Price AB-1 at 9.99, hmm no 8.99.", twice("update_price", "price", 9.99, 8.99, sku="AB-1")),
    ("dim the lamp to 50 then to 20", twice("set_lamp", "brightness", 50, 20, lamp="lamp")),
    (
        "Dim lamp-4 to fifty, and after ten minutes to twenty-five.",
        twice("set_brightness", "level", 50, 25, lamp_id="lamp-4"),
    ),
    ("boost the heating for now, then go to eco", twice("set_heating", "mode", "boost", "eco")),
    ("turn the volume to 20, and after that to 35", twice("set_volume", "level", 20, 35)),
    ("Volume 35 please, but start with 20.", twice("set_volume", "level", 20, 35)),
    ("turn flag beta on, then off again", twice("set_flag", "enabled", True, False, flag="beta")),
    ("Switch plug p-3 off and back on.", twice("set_plug", "on", False, True, plug_id="p-3")),
    (
        "buy 5 ACME then sell 5 ACME",
        twice("place_order", "side", "buy", "sell", symbol="ACME", quantity=5),
    ),
    (
        "Move ticket T-4 to in progress and, once you replied, to done.",
        twice("update_ticket", "state", "in_progress", "done", ticket_id="T-4"),
    ),
    (
        "Mach die Heizung in Raum R-2 auf 23 und danach auf 19.",
        twice("set_heating", "target", 23.0, 19.0, room_id="R-2"),
    ),
    ("Mets le volume à 30 puis à 10.", twice("set_volume", "level", 30, 10)),
    ("把音量先调到30，然后调到10", twice("set_volume", "level", 30, 10)),
    (
        "Keep quota q-7 at 100 while the import runs, otherwise 40.",
        twice("set_quota", "limit", 100, 40, quota_id="q-7"),
    ),
    (
        "Start the ramp of fan f-2 at 10, go to 40, end at 70.",
        twice("set_fan", "speed", 10, 40, 70, fan_id="f-2"),
    ),
    (
        "Set my status to away now; when the talk is over, to available.",
        twice("set_status", "status", "away", "available"),
    ),
]


@pytest.mark.parametrize(("user_text", "calls"), BOTH_VALUES)
def test_two_requested_values_of_a_setting_pass(user_text, calls):
    """Two values of one setting pass if the user named both."""
    assert [] == finding_codes(user_text, *calls)


ONE_VALUE = [
    ("Set AB-1 to 9.99.", twice("set_price", "price", 9.99, 8.99, sku="AB-1")),
    ("Set AB-1 to 9.99, and AB-2 to 8.99.", twice("set_price", "price", 9.99, 8.99, sku="AB-1")),
    ("turn the volume to 20, not 35", twice("set_volume", "level", 20, 35)),
    ("turn the volume to 20 instead of 35", twice("set_volume", "level", 20, 35)),
    ("turn flag beta on", twice("set_flag", "enabled", True, False, flag="beta")),
    ("buy 5 ACME", twice("place_order", "side", "buy", "sell", symbol="ACME", quantity=5)),
]


@pytest.mark.parametrize(("user_text", "calls"), ONE_VALUE)
def test_unrequested_value_of_a_setting_conflicts(user_text, calls):
    """A second value conflicts if the user did not name it, negated it or meant another thing."""
    assert finding_codes(user_text, *calls) in (["conflicting"], ["undone"])


SERVICE, VM = {"service_id": "billing-2"}, {"vm_id": "vm-3"}
BOTH_DEEDS = [
    (
        "create a.lock then remove a.lock",
        [("touch", {"path": "a.lock"}), ("rm", {"path": "a.lock"})],
    ),
    (
        "make build and delete it afterwards",
        [("mkdir", {"path": "build"}), ("rmdir", {"path": "build"})],
    ),
    (
        "open the side door for Bo and shut it again",
        [("open", {"door": "side door"}), ("close", {"door": "side door"})],
    ),
    ("restart nginx", [("stop", {"service": "nginx"}), ("start", {"service": "nginx"})]),
    ("reboot vm-3", [("stop_vm", VM), ("start_vm", VM)]),
    ("Bounce billing-2, it hangs.", [("stop_service", SERVICE), ("start_service", SERVICE)]),
    (
        "Recreate the index idx-5.",
        [("delete_index", {"index_id": "idx-5"}), ("create_index", {"index_id": "idx-5"})],
    ),
    ("Rotate key k-9.", [("revoke_key", {"key_id": "k-9"}), ("issue_key", {"key_id": "k-9"})]),
    (
        "deploy billing-2 w/o alerts",
        [("disable_alerts", SERVICE), ("deploy", SERVICE), ("enable_alerts", SERVICE)],
    ),
    (
        "Pause the monitor of billing-2 while you migrate it.",
        [("pause_monitor", SERVICE), ("migrate", SERVICE), ("resume_monitor", SERVICE)],
    ),
    (
        "Migrate billing-2 with maintenance on.",
        [("enable_maintenance", SERVICE), ("migrate", SERVICE), ("disable_maintenance", SERVICE)],
    ),
    (
        "Spiel das Update auf billing-2 ohne Alarme ein.",
        [("disable_alerts", SERVICE), ("deploy", SERVICE), ("enable_alerts", SERVICE)],
    ),
    (
        "Mount disk d-2, copy the logs, and eject it.",
        [("mount", {"disk": "d-2"}), ("umount", {"disk": "d-2"})],
    ),
    (
        "Plug in volume vol-9 for a check, then unplug it.",
        [("attach_volume", {"volume_id": "vol-9"}), ("detach_volume", {"volume_id": "vol-9"})],
    ),
    (
        "Add user kimberly for the test and wipe it after.",
        [("useradd", {"user": "kimberly"}), ("userdel", {"user": "kimberly"})],
    ),
]


@pytest.mark.parametrize(("user_text", "calls"), BOTH_DEEDS)
def test_two_requested_opposite_actions_pass(user_text, calls):
    """Opposite actions pass if the user asked for both, in common words or as one word."""
    assert [] == finding_codes(user_text, *calls)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("touch", "rm"),
        ("mkdir", "rmdir"),
        ("mount", "umount"),
        ("ln", "unlink"),
        ("useradd", "userdel"),
        ("adduser", "deluser"),
        ("addgroup", "delgroup"),
        ("groupadd", "groupdel"),
    ],
)
def test_opposite_shell_commands_are_undone(first, then):
    """Opposite shell commands are reported as `undone` if the user did not ask for both."""
    name = next((kind for kind in ("user", "group") if kind in first), "path")
    value = "/srv/data" if name == "path" else "kimberly"

    assert ["undone"] == finding_codes(
        f"See to {value}.", (first, {name: value}), (then, {name: value})
    )


OTHER_THINGS = [
    ("Deploy billing-2.", [("deploy", SERVICE), ("delete_cache", SERVICE)]),
    ("Deploy billing-2, no noise.", [("deploy", SERVICE), ("disable_alerts", SERVICE)]),
    ("Deploy billing-2.", [("deploy", SERVICE), ("disable_maintenance", SERVICE)]),
    (
        "Install htop-2.",
        [("install", {"package": "htop-2"}), ("delete_logs", {"package": "htop-2"})],
    ),
    (
        "Enroll s-17 in math.",
        [("enroll", {"student_id": "s-17"}), ("remove_from_waitlist", {"student_id": "s-17"})],
    ),
    ("Launch app a-1.", [("launch", {"app_id": "a-1"}), ("dismiss_popup", {"app_id": "a-1"})]),
    ("Publish p-8.", [("publish", {"post_id": "p-8"}), ("clear_draft", {"post_id": "p-8"})]),
    ("Provision vm-3.", [("provision", VM), ("remove_snapshot", VM)]),
]


@pytest.mark.parametrize(("user_text", "calls"), OTHER_THINGS)
def test_deleting_a_part_does_not_undo_the_whole(user_text, calls):
    """A command without a noun is not undone by an action on another kind of thing."""
    assert [] == finding_codes(user_text, *calls)


@pytest.mark.parametrize(
    "calls",
    [
        [("deploy", SERVICE), ("delete_service", SERVICE)],
        [("provision", VM), ("destroy_vm", VM)],
        [("install", {"package": "htop-2"}), ("uninstall", {"package": "htop-2"})],
        [("mkdir", {"path": "/srv/a"}), ("delete_folder", {"path": "/srv/a"})],
    ],
)
def test_deleting_the_thing_of_a_bare_verb_is_undone(calls):
    """A command without a noun is undone by an action on the thing its argument names."""
    assert ["undone"] == finding_codes("See to billing-2, vm-3, htop-2 and /srv/a.", *calls)


MOVES = [
    (
        "move vol-9 from vm-1 to vm-2",
        "detach_volume",
        "attach_volume",
        {"volume_id": "vol-9", "vm": "vm-1"},
        {"vm": "vm-2"},
    ),
    (
        "Give ticket T-4 to Bo, not Al.",
        "unassign_ticket",
        "assign_ticket",
        {"ticket_id": "T-4", "assignee": "Al"},
        {"assignee": "Bo"},
    ),
    (
        "Kim works on Tuesday, not on Monday.",
        "remove_shift",
        "add_shift",
        {"employee": "Kim", "day": "Monday"},
        {"day": "Tuesday"},
    ),
    (
        "Put d-7 into Done.",
        "remove_card",
        "add_card",
        {"card_id": "d-7", "list": "Doing"},
        {"list": "Done"},
    ),
    (
        "Book r-5 for 3 pm rather than 2 pm.",
        "cancel_room",
        "book_room",
        {"room_id": "r-5", "time": "14:00"},
        {"time": "15:00"},
    ),
]


@pytest.mark.parametrize(("user_text", "away", "there", "where", "other"), MOVES)
def test_move_to_another_place_passes(user_text, away, there, where, other):
    """Moving a thing to another place, person or time passes; moving it back is `undone`."""
    assert [] == finding_codes(user_text, (away, where), (there, {**where, **other}))
    assert ["undone"] == finding_codes(f"{user_text} {where}", (away, where), (there, where))


def test_move_may_use_two_parameter_names():
    """A move from `from_vm` to `to_vm` passes."""
    calls = [
        ("detach_volume", {"volume_id": "vol-9", "from_vm": "vm-1"}),
        ("attach_volume", {"volume_id": "vol-9", "to_vm": "vm-2"}),
    ]

    assert [] == finding_codes("vol-9 has to leave vm-1, vm-2 needs it", *calls)


HELD_OUT = [
    (
        "Bring L-2 to 80% and ten minutes later down to 30%",
        twice("set_light", "brightness", 80, 30, light_id="L-2"),
    ),
    (
        "set thermostat t-1 to 21.5 during the day and 17 at night",
        twice("set_thermostat", "target", 21.5, 17.0, device_id="t-1"),
    ),
    ("Pon el volumen a 30 y luego a 10", twice("set_volume", "level", 30, 10)),
    ("音量を30にして、その後10にして", twice("set_volume", "level", 30, 10)),
    (
        "Mark T-9 as blocked, then as resolved when the patch is in",
        twice("update_ticket", "status", "blocked", "resolved", ticket_id="T-9"),
    ),
    (
        "toggle feature f-3: enable it, then disable it",
        twice("set_feature", "enabled", True, False, feature_id="f-3"),
    ),
    ("Mute mic m-1, then unmute it", twice("set_mic", "muted", True, False, mic_id="m-1")),
    (
        "Lock door d-4 and unlock it when Bo arrives",
        [("lock_door", {"door_id": "d-4"}), ("unlock_door", {"door_id": "d-4"})],
    ),
    (
        "change my seat from 12A to 14C",
        [("release_seat", {"seat": "12A"}), ("assign_seat", {"seat": "14C"})],
    ),
    (
        "swap p-1 for p-2 in cart c-9",
        [
            ("remove_from_cart", {"cart_id": "c-9", "product_id": "p-1"}),
            ("add_to_cart", {"cart_id": "c-9", "product_id": "p-2"}),
        ],
    ),
    ("power cycle vm-3", [("stop_vm", {"vm_id": "vm-3"}), ("start_vm", {"vm_id": "vm-3"})]),
    ("billing-2 neu starten", [("stop_service", SERVICE), ("start_service", SERVICE)]),
    ("redémarre billing-2", [("stop_service", SERVICE), ("start_service", SERVICE)]),
    ("reinicia billing-2", [("stop_service", SERVICE), ("start_service", SERVICE)]),
    ("重启 billing-2", [("stop_service", SERVICE), ("start_service", SERVICE)]),
    ("billing-2を再起動して", [("stop_service", SERVICE), ("start_service", SERVICE)]),
    ("Перезапусти billing-2", [("stop_service", SERVICE), ("start_service", SERVICE)]),
    ("turn billing-2 off and on again", [("stop_service", SERVICE), ("start_service", SERVICE)]),
    (
        "Have you tried turning billing-2 off and on?",
        [("disable_service", SERVICE), ("enable_service", SERVICE)],
    ),
    (
        "take billing-2 down, wait, bring it back up",
        [("stop_service", SERVICE), ("start_service", SERVICE)],
    ),
    (
        "deploy billing-2 with alerts muted",
        [("mute_alerts", SERVICE), ("deploy", SERVICE), ("unmute_alerts", SERVICE)],
    ),
    (
        "patch billing-2, no alerts meanwhile please",
        [("disable_alerts", SERVICE), ("patch", SERVICE), ("enable_alerts", SERVICE)],
    ),
    (
        "silence the pager for billing-2, deploy, then turn it back on",
        [("disable_pager", SERVICE), ("deploy", SERVICE), ("enable_pager", SERVICE)],
    ),
    (
        "open port 8080 on fw-1 for the test and close it again",
        [
            ("open_port", {"firewall_id": "fw-1", "port": 8080}),
            ("close_port", {"firewall_id": "fw-1", "port": 8080}),
        ],
    ),
    (
        "Give u-5 admin for an hour, then take it away",
        [
            ("grant_role", {"user_id": "u-5", "role": "admin"}),
            ("revoke_role", {"user_id": "u-5", "role": "admin"}),
        ],
    ),
    (
        "Give u-5 admin just for the migration of db-1",
        [
            ("grant_role", {"user_id": "u-5", "role": "admin"}),
            ("migrate", {"db_id": "db-1"}),
            ("revoke_role", {"user_id": "u-5", "role": "admin"}),
        ],
    ),
    (
        "transfer T-4 from Al to Bo",
        [
            ("unassign_ticket", {"ticket_id": "T-4", "user": "Al"}),
            ("assign_ticket", {"ticket_id": "T-4", "user": "Bo"}),
        ],
    ),
    (
        "make a temp dir /tmp/x-1, unzip a.zip there and clean up",
        [
            ("mkdir", {"path": "/tmp/x-1"}),
            ("unzip", {"file": "a.zip", "path": "/tmp/x-1"}),
            ("rmdir", {"path": "/tmp/x-1"}),
        ],
    ),
    (
        "subscribe me to n-1, look whether it works, unsubscribe",
        [("subscribe", {"list_id": "n-1"}), ("unsubscribe", {"list_id": "n-1"})],
    ),
    (
        "Book r-5 to see the price and drop the booking again",
        [("book_room", {"room_id": "r-5"}), ("cancel_room", {"room_id": "r-5"})],
    ),
    (
        "price p-1 at 10, p-2 at 12",
        twice("set_price", "price", 10, sku="p-1") + twice("set_price", "price", 12, sku="p-2"),
    ),
    ("reset key k-9", [("revoke_key", {"key_id": "k-9"}), ("create_key", {"key_id": "k-9"})]),
    (
        "reschedule meeting m-3 from 10:00 to 11:00",
        [
            ("cancel_meeting", {"meeting_id": "m-3"}),
            ("create_meeting", {"meeting_id": "m-3", "time": "11:00"}),
        ],
    ),
    (
        "Set the alarm al-2 to 6:30 and, if I am still asleep, 6:45",
        twice("set_alarm", "time", "06:30", "06:45", alarm_id="al-2"),
    ),
]
"""Written when the rules were done; thirteen of them were flagged at first."""


@pytest.mark.parametrize(("user_text", "calls"), HELD_OUT)
def test_held_out_dialogues_pass(user_text, calls):
    """Dialogues in eight languages, written after the rules, have no finding."""
    assert [] == finding_codes(user_text, *calls)


def test_turn_off_contradicts_turn_on():
    """`turn_off` after `turn_on` is `undone` unless the user asked for both."""
    calls = [("turn_on_light", {"light_id": "l-4"}), ("turn_off_light", {"light_id": "l-4"})]

    assert ["undone"] == finding_codes("See to light l-4.", *calls)
    assert [] == finding_codes("Turn light l-4 on, and off again.", *calls)


def run(*steps: str | Call) -> list[str]:
    """Return the codes of the findings on the calls among *steps*; a text is a user message."""
    schemas: dict[str, dict[str, object]] = {}
    for name, arguments in (step for step in steps if not isinstance(step, str)):
        schemas.setdefault(name, {}).update({key: {} for key in arguments})
    tools = [Tool(name=n, parameters={"properties": p}) for n, p in schemas.items()]
    firewall = Shield(shield.configure(tools=tools), hooks=None)
    codes = []
    with firewall.session() as session:
        for step in steps:
            if isinstance(step, str):
                session.user(step)
                continue
            with firewall.guard(ToolCall(*step)) as guard:
                guard.value = {**step[1], "recipient_id": "ben_7"}
            codes += [finding.code for finding in session.decisions[-1].findings]
    return codes


def offer(annual: int) -> Call:
    return "send_offer", {"candidate_id": "c-7101", "annual": annual}


WITHDRAW: Call = ("withdraw_offer", {"candidate_id": "c-7101"})


def test_a_replacement_with_other_values_passes():
    """A thing of an earlier turn may be removed and created again with other values."""
    assert [] == run("Offer c-7101 72000.", offer(72000), "75, not 72!", WITHDRAW, offer(75000))


def test_a_replacement_with_the_same_values_is_undone():
    """A thing of an earlier turn is not removed and created again unchanged."""
    calls = offer(72000), "Look at it again.", WITHDRAW, offer(72000)

    assert ["undone"] == run("Offer c-7101 72000.", *calls)


def test_the_recipient_of_a_cancelled_payment_may_get_another_one():
    """The result of a removal names what belongs to the removed thing, which was not removed."""
    calls = [
        ("cancel_payment", {"payment_id": "pay_31"}),
        ("create_payment", {"recipient_id": "ben_7"}),
    ]

    assert [] == run("Pay ben_7 today instead of pay_31.", *calls)


def test_a_change_of_another_scope_does_not_conflict():
    """Two changes of a series that select different events of it do not conflict."""
    calls = twice("update_event", "scope", "all", "following", event_id="ev-77")
    calls[0][1]["start"], calls[1][1]["start"] = "09:15", "09:30"

    assert [] == finding_codes("ev-77 from the second week on, not before.", *calls)

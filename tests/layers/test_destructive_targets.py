"""Values of unmarked targets of a destructive tool: no whole set unless the user asked."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, shield

USER_TEXT = "Please delete the drafts of customer Mia Li in Oslo, in /home/ann/tmp."


def judged(arguments, *, prompt=USER_TEXT, **declared):
    """Judge a call of a destructive tool without marks."""
    properties = {name: {} for name in arguments}
    tool = Tool(
        name="delete_items", parameters={"properties": properties}, destructive=True, **declared
    )
    policy = shield.configure(tools=[tool], layers=["phantom_target"])
    with Shield(policy, hooks=None).session() as session:
        session.user(prompt)
        firewall = Shield(policy, hooks=None)
        return firewall.check_call(ToolCall("delete_items", arguments), session=session)


def codes(arguments, **kwargs):
    """Return the codes of the findings."""
    return [finding.code for finding in judged(arguments, **kwargs).findings]


@pytest.mark.parametrize("name", ["query", "filter", "pattern", "where", "nameFilter"])
@pytest.mark.parametrize(
    "value",
    [
        "*", "%", ".*", "^.*$", r"\w+", "[a-z]*", "1=1", "1 = 1", "'a'='a'", "x = 7 OR 1=1",
        "x' OR 'a'='a' --", "--", "true", "all", "", {}, [],
    ],
)  # fmt: skip
def test_a_selector_of_everything(name, value):
    """Patterns and conditions that leave nothing out."""
    assert ["whole_set"] == codes({name: value})


@pytest.mark.parametrize("name", ["customer", "city"])
@pytest.mark.parametrize("value", ["*", "%", "all", "everyone", ""])
def test_a_name_of_everybody(name, value):
    """Where one customer, one place was named."""
    assert ["whole_set"] == codes({name: value})


@pytest.mark.parametrize(
    "value", ["$HOME", "${HOME}/", "%USERPROFILE%", "C:\\", "c:/", "~", "/home/ann", "/home"]
)
def test_a_root_and_a_parent(value):
    """Of what was asked for, or of everything."""
    assert ["whole_set"] == codes({"path": value})


def test_a_parent_in_windows():
    """Its steps stand apart in the text."""
    user_text = r"Delete C:\Users\ann\tmp."

    assert ["whole_set"] == codes({"path": r"C:\Users\ann"}, prompt=user_text)


@pytest.mark.parametrize("value", ["admin", "root", "null", "None", "undefined"])
def test_an_account_that_nobody_mentioned(value):
    """Words that interfaces know, and a destructive call must not guess."""
    assert ["unseen"] == codes({"user_id": value})


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"customer": "Mi\u0430 Li"}, "mixed_scripts"),
        ({"customer": "Mia\u202e Li"}, "hidden_characters"),
        ({"query": "drafts\u202e"}, "hidden_characters"),
    ],
)
def test_what_a_reader_takes_for_another(arguments, code):
    """Letters that look alike, and characters that are not shown."""
    assert [code] == codes(arguments)


@pytest.mark.parametrize(
    ("prompt", "arguments"),
    [
        ("Delete all of them.", {"query": "*"}),
        ("Delete everything.", {"filter": "1=1"}),
        ("Empty the trash.", {"query": "*"}),
        ("Lösche alle Entwürfe.", {"query": "*"}),
        ("Удали все черновики.", {"query": "*"}),
        ("Remove *.log.", {"path": "*.log"}),
        ("Remove the log files.", {"pattern": "*.log"}),
        ("Remove all log files in /tmp/x.", {"path": "/tmp/x/*.log"}),
        ("Delete $HOME please", {"path": "$HOME"}),
        ("Remove the folder tmp with /home/ann/tmp/a.txt.", {"path": "/home/ann/tmp"}),
        ("Delete the admin user.", {"user_id": "admin"}),
        ("Delete my mail m1.", {"user_id": "me", "message_id": "m1"}),
        ("Delete event e1.", {"calendar_id": "primary", "event_id": "e1", "filter": ""}),
        ("Delete event e1.", {"event_id": "e1", "parent_id": "none"}),
        ("Remove NL*FAS*E10442*2.", {"evse_id": "NL*FAS*E10442*2"}),
        ("Delete customer Iva\u0430n.", {"customer": "Iva\u0430n"}),
        ("Удали клиента Иванов.", {"customer": "Иванов"}),
        ("Delete what is at 12 Main St, Oslo.", {"address": "12 Main St\nOslo"}),
        ("Delete mails of Bob.", {"query": "from:bob OR to:bob"}),
        ("Delete the rows of Oslo.", {"where": "city = 'Oslo'\nAND x > 1"}),
        ("Delete the \U0001f382 list.", {"list_name": "\U0001f382"}),
        ("Wipe my home directory.", {"path": "~"}),
        ("Discard all my changes.", {"path": "."}),
        ("Clean the current directory up.", {"path": "./"}),
        ("Remove what is in the parent folder.", {"path": ".."}),
        ("Reset to the previous commit.", {"ref": "HEAD~1"}),
        ("Delete the zone example.com at its root.", {"zone": "example.com", "label": "@"}),
    ],
)
def test_what_the_user_said(prompt, arguments):
    """The user's own words state what is meant, or one thing is."""
    decision = judged(arguments, prompt=prompt)

    assert ((), "ran") == (decision.findings, decision.coverage["phantom_target"][0])


@pytest.mark.parametrize(
    ("prompt", "arguments"),
    [
        ("Don't delete all of them, only u_1.", {"query": "all"}),
        ("* a\n* b\nDelete the first.", {"pattern": "*"}),
        ("Do not touch my home directory. Delete /srv/x.", {"path": "~"}),
        ("Delete /srv/data/a.log.", {"path": "/srv/data/*"}),
        ("Delete /srv/data/a.log.", {"path": "/srv/data/*.log"}),
        ("Delete /home/ann/tmp.", {"path": "/home/*"}),
        ("Clean /home/ann/tmp up.", {"path": "/home/ann/tmp/.."}),
        ("Clean /home/ann/tmp up.", {"path": "/home/ann/tmp/../.."}),
        ("Clean /home/ann/tmp up.", {"path": "/home/ann/tmp/../eve"}),
        ("Clean /home/ann/tmp up.", {"path": "/home/ann/tmp%2f.."}),
        (r"Clean C:\Users\ann up.", {"path": r"C:\Users\ann\.."}),
        ("Delete event e1.", {"event_id": "", "note": "e1"}),
    ],
)
def test_what_the_user_did_not_say(prompt, arguments):
    """A negation, and the mark of a list."""
    assert ["whole_set"] == codes(arguments, prompt=prompt)


@pytest.mark.parametrize(
    ("prompt", "arguments"),
    [
        ("Clean /home/ann/tmp up.", {"directory": "/home/ann/tmp", "pattern": "*"}),
        ("Borra los borradores.", {"query": "*"}),
        (USER_TEXT, {"customer": "Иванов"}),
        (USER_TEXT, {"query": "", "folder_date": "2026-05-01"}),
        ("Clean /srv/data.", {"path": "/srv/data/*"}),
        ("Delete the contents of /srv/data/.", {"path": "/srv/data/*"}),
        ("Delete the .tmp files in /var/cache.", {"path": "/var/cache/*.tmp"}),
        ("Delete the jpgs in ~/Pictures.", {"path": "~/Pictures/*.jpg"}),
        ("Delete the folder with /home/ann/tmp/a.txt.", {"path": "/home/ann/tmp"}),
        ("Unassign ticket 4411.", {"ticket_id": "4411", "assignee": ""}),
        ("Delete order \u200eA-123\u200e.", {"order_id": "\u200eA-123\u200e"}),
    ],
)
def test_what_is_reported_and_no_verdict(prompt, arguments):
    """Another target bounds it, the language is not known, or the script."""
    decision = judged(arguments, prompt=prompt)

    assert ((), "unavailable") == (decision.findings, decision.coverage["phantom_target"][0])


@pytest.mark.parametrize(
    "hidden",
    [
        "\ufe0f", "\u034f", "\u115f", "\u3164", "\u2800", "\ufffc", "\u2028", "\ud800",
        "\U000e0100\U000e0101",
    ],
)  # fmt: skip
def test_fillers_and_selectors(hidden):
    """Invisible characters that Unicode does not classify as control or format characters."""
    assert ["hidden_characters"] == codes({"path": f"/home/ann/tmp{hidden}x"})


def test_an_empty_value_that_the_schema_asks_for():
    """Beside another target, ``""`` may be a filter that is not used, or a whole set."""
    properties = {"calendar_id": {}, "event_id": {}}
    required = ["calendar_id", "event_id"]
    tool = Tool(
        name="delete_event",
        parameters={"properties": properties, "required": required},
        destructive=True,
    )
    firewall = Shield(shield.configure(tools=[tool], layers=["phantom_target"]), hooks=None)
    with firewall.session() as session:
        session.user("Delete event e1 of c1.")
        decision = firewall.check_call(
            ToolCall("delete_event", {"calendar_id": "c1", "event_id": ""})
        )

    assert ["whole_set"] == [finding.code for finding in decision.findings]


def test_a_long_value_as_a_result_has_it():
    """A cursor of more characters than the tables hold is compared as it stands."""
    cursor = "eyJ" + "a1" * 10_000
    tool = Tool(name="next_page", parameters={"properties": {"cursor": {}}}, destructive=True)
    firewall = Shield(shield.configure(tools=[tool], layers=["phantom_target"]), hooks=None)
    results = []
    with firewall.session() as session:
        session.user("Go on.")
        session.tool_result("list", {"cursor": cursor})
        for value in (cursor, cursor + "2"):
            decision = firewall.check_call(ToolCall("next_page", {"cursor": value}))
            results.append([finding.code for finding in decision.findings])

    assert [[], ["unseen"]] == results


def test_what_the_author_left_free():
    """A mark says that nothing of it is judged."""
    assert [] == codes({"query": "*"}, free=["query"])

"""Unmarked targets of a destructive tool must not select everything unless the user asked."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, shield

USER_TEXT = "Please delete the drafts of customer Mia Li in Oslo, in /home/ann/tmp."


def judge_call(arguments, *, prompt=USER_TEXT, **declared):
    """Return the decision on a call of a destructive tool whose parameters have no marks."""
    properties = {name: {} for name in arguments}
    tool = Tool(
        name="delete_items", parameters={"properties": properties}, destructive=True, **declared
    )
    policy = shield.configure(tools=[tool], layers=["phantom_target"])
    with Shield(policy, hooks=None).session() as session:
        session.user(prompt)
        firewall = Shield(policy, hooks=None)
        return firewall.check_call(ToolCall("delete_items", arguments), session=session)


def finding_codes(arguments, **kwargs):
    """Return the codes of the findings."""
    return [finding.code for finding in judge_call(arguments, **kwargs).findings]


@pytest.mark.parametrize("name", ["query", "filter", "pattern", "where", "nameFilter"])
@pytest.mark.parametrize(
    "value",
    [
        "*", "%", ".*", "^.*$", r"\w+", "[a-z]*", "1=1", "1 = 1", "'a'='a'", "x = 7 OR 1=1",
        "x' OR 'a'='a' --", "--", "true", "all", "", {}, [],
    ],
)  # fmt: skip
def test_selector_that_matches_everything_is_reported(name, value):
    """A pattern or condition that matches everything is reported as `whole_set`."""
    assert ["whole_set"] == finding_codes({name: value})


@pytest.mark.parametrize("name", ["customer", "city"])
@pytest.mark.parametrize("value", ["*", "%", "all", "everyone", ""])
def test_wildcard_as_a_name_is_reported(name, value):
    """A wildcard in place of a customer's or city's name is reported as `whole_set`."""
    assert ["whole_set"] == finding_codes({name: value})


@pytest.mark.parametrize(
    "value", ["$HOME", "${HOME}/", "%USERPROFILE%", "C:\\", "c:/", "~", "/home/ann", "/home"]
)
def test_root_or_parent_folder_is_reported(value):
    """A root, home or parent of the requested folder is reported as `whole_set`."""
    assert ["whole_set"] == finding_codes({"path": value})


def test_parent_of_windows_path_is_reported():
    """The parent of a Windows path that the user named is reported as `whole_set`."""
    user_text = r"Delete C:\Users\ann\tmp."

    assert ["whole_set"] == finding_codes({"path": r"C:\Users\ann"}, prompt=user_text)


@pytest.mark.parametrize("value", ["admin", "root", "null", "None", "undefined"])
def test_unmentioned_account_is_reported(value):
    """A well-known account such as `admin` is reported if the run does not mention it."""
    assert ["unseen"] == finding_codes({"user_id": value})


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"customer": "Mi\u0430 Li"}, "mixed_scripts"),
        ({"customer": "Mia\u202e Li"}, "hidden_characters"),
        ({"query": "drafts\u202e"}, "hidden_characters"),
    ],
)
def test_deceptive_characters_are_reported(arguments, code):
    """Letters of mixed scripts and invisible characters are reported."""
    assert [code] == finding_codes(arguments)


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
def test_target_that_the_user_stated_passes(prompt, arguments):
    """A target passes if the user stated it, as a whole set or as one item."""
    decision = judge_call(arguments, prompt=prompt)

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
def test_whole_set_that_the_user_did_not_ask_for_is_reported(prompt, arguments):
    """A whole set is reported if the user negated it, named one item or only used bullets."""
    assert ["whole_set"] == finding_codes(arguments, prompt=prompt)


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
def test_ambiguous_target_makes_the_layer_unavailable(prompt, arguments):
    """An ambiguous target yields no finding, and the layer is reported as unavailable."""
    decision = judge_call(arguments, prompt=prompt)

    assert ((), "unavailable") == (decision.findings, decision.coverage["phantom_target"][0])


@pytest.mark.parametrize(
    "hidden",
    [
        "\ufe0f", "\u034f", "\u115f", "\u3164", "\u2800", "\ufffc", "\u2028", "\ud800",
        "\U000e0100\U000e0101",
    ],
)  # fmt: skip
def test_unclassified_invisible_characters_are_reported(hidden):
    """Invisible characters that Unicode does not class as control or format are reported."""
    assert ["hidden_characters"] == finding_codes({"path": f"/home/ann/tmp{hidden}x"})


def test_empty_required_target_is_reported():
    """An empty value of a required target is reported even beside another target."""
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


def test_long_value_is_compared_with_results():
    """A value longer than the index stores passes if a result contains it, else is reported."""
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


def test_free_parameter_is_not_judged():
    """A parameter that the author declared free may be a wildcard."""
    assert [] == finding_codes({"query": "*"}, free=["query"])

"""What unmarked targets of a destructive tool are given: no whole set that nobody asked for."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, shield

SAID = "Please delete the drafts of customer Mia Li in Oslo, in /home/ann/tmp."


def judged(arguments, *, said=SAID, **declared):
    """Judge a call of a destructive tool without marks."""
    properties = {name: {} for name in arguments}
    tool = Tool(
        name="delete_items", parameters={"properties": properties}, destructive=True, **declared
    )
    policy = shield.configure(tools=[tool], layers=["phantom_target"])
    with Shield(policy, hooks=None).session() as session:
        session.user(said)
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
    said = r"Delete C:\Users\ann\tmp."

    assert ["whole_set"] == codes({"path": r"C:\Users\ann"}, said=said)


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
    ("said", "arguments"),
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
    ],
)
def test_what_the_user_said(said, arguments):
    """The user's own words state what is meant, or one thing is."""
    decision = judged(arguments, said=said)

    assert ((), "ran") == (decision.findings, decision.coverage["phantom_target"][0])


@pytest.mark.parametrize(
    ("said", "arguments"),
    [
        ("Don't delete all of them, only u_1.", {"query": "all"}),
        ("* a\n* b\nDelete the first.", {"pattern": "*"}),
    ],
)
def test_what_the_user_did_not_say(said, arguments):
    """A negation, and the mark of a list."""
    assert ["whole_set"] == codes(arguments, said=said)


@pytest.mark.parametrize(
    ("said", "arguments"),
    [
        ("Clean /home/ann/tmp up.", {"directory": "/home/ann/tmp", "pattern": "*"}),
        ("Borra los borradores.", {"query": "*"}),
        (SAID, {"customer": "Иванов"}),
        (SAID, {"query": "", "folder_date": "2026-05-01"}),
    ],
)
def test_what_is_said_and_no_verdict(said, arguments):
    """Another target bounds it, the language is not known, or the script."""
    decision = judged(arguments, said=said)

    assert ((), "unavailable") == (decision.findings, decision.coverage["phantom_target"][0])


def test_what_the_author_left_free():
    """A mark says that nothing of it is judged."""
    assert [] == codes({"query": "*"}, free=["query"])

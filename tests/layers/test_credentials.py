"""A token, a key or a password that the run was not given."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, shield

TEXT = {"type": "string"}
JWT = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0" * 4 + ".SflKxwRJSMeKKF2QT4"


def codes(tool, arguments, *, results=(), user_text="Please do it for me now.", calls=()):
    """The findings of one call after *results*; *calls* ran before, and returned what they say."""
    names = dict.fromkeys([tool, *(name for name, _, _ in calls)])
    listed = [Tool(name=name) for name in names]
    guard = Shield(shield.configure(tools=listed, layers=["phantom_target"]), hooks=None)
    with guard.session() as session:
        session.user(user_text)
        for name, value in results:
            session.tool_result(name, value)
        for number, (name, given, value) in enumerate(calls):
            with guard.guard(ToolCall(name, given, f"c{number}")) as running:
                running.value = value
        found = guard.check_call(ToolCall(tool, arguments)).findings
    return [(finding.where.removeprefix("/arguments/"), finding.code) for finding in found]


NAMES = (
    "token access_token session_token authToken api_key apiKey APIKEY X-Api-Key password "
    "user_password passwd secret client_secret session secret_key jwt"
).split()


@pytest.mark.parametrize("name", NAMES)
def test_one_that_no_result_gave_is_found(name):
    """The run got one by a result, and the agent presents another."""
    results = [("log_in", {name: "tk_5f81c2d4"})]

    assert [(name, "unseen")] == codes("get_balance", {name: "tk_77aa31e9"}, results=results)
    assert [] == codes("get_balance", {name: "tk_5f81c2d4"}, results=results)


@pytest.mark.parametrize("name", NAMES)
def test_where_no_result_had_one_none_is_judged(name):
    """A host may have the secret from elsewhere."""
    assert [] == codes("get_balance", {name: "hunterhunter"}, results=[("log_in", {"ok": "yes"})])


@pytest.mark.parametrize("value", ["<your_token>", "YOUR_API_KEY", "your_password", "[ID]", "TBD"])
@pytest.mark.parametrize("name", NAMES)
def test_a_placeholder_is_always_found(name, value):
    """Whatever results the run has."""
    assert [(name, "placeholder")] == codes("get_balance", {name: value})


def test_one_credential_under_two_names():
    """``token`` of a result is the ``access_token`` of a call; a refresh token is another."""
    arguments = {"access_token": "tkqqqqqqqqqqqqqqq"}

    assert [("access_token", "unseen")] == codes(
        "get_balance", arguments, results=[("log_in", {"token": "tk_5f81c2d4"})]
    )
    assert [] == codes(
        "get_balance", arguments, results=[("log_in", {"refresh_token": "tk_5f81c2d4"})]
    )


def test_a_long_token():
    """A signed token is longer than the values that the index keeps fields of."""
    results = [("log_in", {"auth": {"access_token": JWT}})]
    text = [("log_in", f'{{"access_token": "{JWT}"}}')]

    for given in (results, text):
        assert [] == codes("get_balance", {"access_token": JWT}, results=given)
        assert [("access_token", "unseen")] == codes(
            "get_balance", {"access_token": "made-up-token-value"}, results=given
        )


def test_a_scheme_before_a_token_is_no_part_of_it():
    """As a header writes it."""
    results = [("log_in", {"token": "tk_5f81c2d4"})]

    assert [] == codes("get_balance", {"token": "Bearer tk_5f81c2d4"}, results=results)
    assert [("token", "unseen")] == codes(
        "get_balance", {"token": "Bearer tk_77aa31e9"}, results=results
    )


HONEST = [
    ("create_user", {"password": "Zq8!kd02"}),
    ("change_password", {"new_password": "Zq8!kd02"}),
    ("set_password", {"password": "Zq8!kd02"}),
    ("create_token", {"token": "tk_77aa31e9"}),
    ("swap", {"token": "USDC"}),
    ("book_class", {"session": "morning"}),
    ("book_class", {"session": "2026-11-20"}),
    ("register_session", {"session": "keynote-2026"}),
    ("swap", {"token": "0xdAC17F958D2ee523a2206206994597C13D831ec7"}),
    ("list_orders", {"page_token": "CAUQAA"}),
    ("complete", {"max_tokens": 4096}),
    ("create_user", {"password": "changeme"}),
    ("call_api", {"api_key": "$API_KEY"}),
]


@pytest.mark.parametrize(("tool", "arguments"), HONEST)
def test_what_the_caller_makes_up_or_is_no_secret(tool, arguments):
    """A new password, a coin, a part of the day, a variable of the host's."""
    results = [("log_in", dict.fromkeys(arguments, "tk_5f81c2d4"))]

    assert [] == codes(tool, arguments, results=results)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("api_key", "acme-prod-2024"),
        ("session_token", "0x" + 20 * "ab"),
        ("secret", "winter-sale-2024"),
        ("access_token", "0x" + 20 * "ab"),
    ],
)
def test_only_a_coin_and_an_event_are_no_credentials(name, value):
    """An address on a chain is public, and a key that looks like one is none."""
    assert [(name, "unseen")] == codes(
        "list_files", {name: value}, results=[("log_in", {name: "tk_5f81c2d4"})]
    )


def test_a_password_that_the_run_set_is_known():
    """The result of a sign-up repeats the password, which is an echo, and no new one."""
    password = {"user": "mia", "password": "Zq8!kd02"}
    calls = [("create_user", password, password)]

    assert [] == codes("log_in", password, calls=calls, user_text="Sign up mia and log in.")


def test_a_redacted_one_gives_nothing():
    """Stars in a result are no password."""
    results = [("get_user", {"password": "********"})]

    assert [] == codes("log_in", {"password": "Zq8!kd02"}, results=results)


def test_secrets_stay_out_of_messages():
    """Neither the wrong one nor the right one is written into a finding."""
    guard = Shield(
        shield.configure(tools=[Tool(name="get_balance")], layers=["phantom_target"]), hooks=None
    )
    with guard.session() as session:
        session.user("What is on my account?")
        session.tool_result("log_in", {"token": "tk_5f81c2d4"})
        (found,) = guard.check_call(ToolCall("get_balance", {"token": "tk_5f81c2d5"})).findings

    assert "hard_id" == found.basis
    assert "tk_5f81c2d" not in str(found)


GAVE = "My password is hunter22, please do it for me now."


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("log_in", {"password": "hunter23"}, [("password", "unseen")]),
        ("log_in", {"password": "hunter22"}, []),
        ("open_account", {"password": "hunter23"}, [("password", "unseen")]),
        ("change_password", {"old_password": "hunter22", "new_password": "Zq8!kd02x"}, []),
        ("reset_password", {"password": "Zq8!kd02x"}, []),
        ("log_in", {"api_key": "sk-live-91ab22cd33"}, []),
    ],
)
def test_one_that_a_person_gave(tool, arguments, expected):
    """Another one is found where that one is asked for; a new one is the caller's own."""
    assert expected == codes(tool, arguments, user_text=GAVE)


@pytest.mark.parametrize(("password", "expected"), [("Zq8!kd02x", []), ("Zq8!kd02", ["unseen"])])
def test_one_that_the_agent_set(password, expected):
    """The new password is presented after the change, though the user gave the old one."""
    change = ("change_password", {"old_password": "hunter22", "new_password": "Zq8!kd02x"}, "ok")
    found = codes("log_in", {"password": password}, calls=[change], user_text=GAVE)

    assert expected == [code for _, code in found]


def decided(tool, arguments, *, user_text="Please do it for me now.", results=()):
    """Return the decision on one call."""
    listed = [Tool(name=tool)]
    guard = Shield(shield.configure(tools=listed, layers=["phantom_target"]), hooks=None)
    with guard.session() as session:
        session.user(user_text)
        for name, value in results:
            session.tool_result(name, value)
        return guard.check_call(ToolCall(tool, arguments))


ALONE = [
    ("password", "hunter2!X"),
    ("password", "Xk9#pQ2v!mZ7"),
    ("api_key", "sk-abc123def456ghi789"),
    ("api_key", "9f86d081884c7d659a2feaa0c55ad015"),
    ("token", "tk_5f81c2d4"),
    ("pin", "4711"),
    ("otp", "482913"),
    ("cvv", "737"),
]


@pytest.mark.parametrize(("name", "value"), ALONE)
def test_one_that_nothing_can_be_compared_with_is_not_judged(name, value):
    """A miss is an abstention, and the coverage says so; where it was said, the layer ran."""
    decision = decided("get_balance", {name: value})
    known = decided("get_balance", {name: value}, user_text=f"My {name} is {value}.")

    assert () == decision.findings
    assert ("unavailable", f"no `{name}` was given in this run") == decision.coverage[
        "phantom_target"
    ]
    assert ((), "ran") == (known.findings, known.coverage["phantom_target"][0])


def test_what_a_caller_makes_up_is_no_abstention():
    """A new password is the caller's own."""
    decision = decided("create_user", {"password": "Zq8!kd02"})

    assert "ran" == decision.coverage["phantom_target"][0]


@pytest.mark.parametrize(
    ("name", "given", "other"), [("pin", "4711", "4712"), ("cvv", "737", "773")]
)
def test_a_code_of_a_few_digits(name, given, other):
    """Where the user gave one, another one is found."""
    assert [(name, "unseen")] == codes("pay", {name: other}, user_text=f"My {name} is {given}.")


def test_the_message_says_where_the_other_one_is_from():
    """From a result, or from a person."""
    arguments = {"token": "tk_77aa31e9"}
    results = [("log_in", {"token": "tk_5f81c2d4"})]
    (returned,) = decided("get_balance", arguments, results=results).findings
    (given,) = decided("get_balance", arguments, user_text="My token is tk_5f81c2d4.").findings

    assert returned.detail.endswith("but a result returned another one")
    assert given.detail.endswith("but a person gave another one")

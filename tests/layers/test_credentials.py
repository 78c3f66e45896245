"""The phantom_target layer reports tokens, keys and passwords that differ from those of the run."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, shield

TEXT = {"type": "string"}
JWT = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0" * 4 + ".SflKxwRJSMeKKF2QT4"


def problems_of(tool, arguments, *, results=(), user_text="Please do it for me now.", calls=()):
    """Return the findings of a call after *results* and *calls*, each with its returned value."""
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
def test_credential_that_differs_from_the_returned_one_is_reported(name):
    """A credential is reported if a result of the run returned a different one."""
    results = [("log_in", {name: "tk_5f81c2d4"})]

    assert [(name, "unseen")] == problems_of("get_balance", {name: "tk_77aa31e9"}, results=results)
    assert [] == problems_of("get_balance", {name: "tk_5f81c2d4"}, results=results)


@pytest.mark.parametrize("name", NAMES)
def test_credential_is_not_judged_if_no_result_returned_one(name):
    """A credential passes if no result returned one, since the host may have provided it."""
    assert [] == problems_of(
        "get_balance", {name: "hunterhunter"}, results=[("log_in", {"ok": "yes"})]
    )


@pytest.mark.parametrize("value", ["<your_token>", "YOUR_API_KEY", "your_password", "[ID]", "TBD"])
@pytest.mark.parametrize("name", NAMES)
def test_placeholder_as_credential_is_reported(name, value):
    """A placeholder as a credential is reported in a run without any results."""
    assert [(name, "placeholder")] == problems_of("get_balance", {name: value})


def test_token_and_access_token_are_the_same_credential():
    """A returned `token` is compared with `access_token`; a `refresh_token` is not."""
    arguments = {"access_token": "tkqqqqqqqqqqqqqqq"}

    assert [("access_token", "unseen")] == problems_of(
        "get_balance", arguments, results=[("log_in", {"token": "tk_5f81c2d4"})]
    )
    assert [] == problems_of(
        "get_balance", arguments, results=[("log_in", {"refresh_token": "tk_5f81c2d4"})]
    )


def test_long_signed_token_is_compared():
    """A signed token too long for the field index passes, and an invented one is reported."""
    results = [("log_in", {"auth": {"access_token": JWT}})]
    text = [("log_in", f'{{"access_token": "{JWT}"}}')]

    for given in (results, text):
        assert [] == problems_of("get_balance", {"access_token": JWT}, results=given)
        assert [("access_token", "unseen")] == problems_of(
            "get_balance", {"access_token": "made-up-token-value"}, results=given
        )


def test_bearer_prefix_is_ignored():
    """A token is compared without its `Bearer` prefix."""
    results = [("log_in", {"token": "tk_5f81c2d4"})]

    assert [] == problems_of("get_balance", {"token": "Bearer tk_5f81c2d4"}, results=results)
    assert [("token", "unseen")] == problems_of(
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
def test_new_credential_and_other_values_pass(tool, arguments):
    """New passwords, currencies, times of day, cursors and variables of the host pass."""
    results = [("log_in", dict.fromkeys(arguments, "tk_5f81c2d4"))]

    assert [] == problems_of(tool, arguments, results=results)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("api_key", "acme-prod-2024"),
        ("session_token", "0x" + 20 * "ab"),
        ("secret", "winter-sale-2024"),
        ("access_token", "0x" + 20 * "ab"),
    ],
)
def test_key_that_resembles_an_address_is_reported(name, value):
    """A key or secret is reported even if it looks like a blockchain address or an event name."""
    assert [(name, "unseen")] == problems_of(
        "list_files", {name: value}, results=[("log_in", {name: "tk_5f81c2d4"})]
    )


def test_password_set_in_the_run_passes():
    """A password that an earlier call of the run set may be used to log in."""
    password = {"user": "mia", "password": "Zq8!kd02"}
    calls = [("create_user", password, password)]

    assert [] == problems_of("log_in", password, calls=calls, user_text="Sign up mia and log in.")


def test_redacted_password_is_not_compared():
    """A password that a result shows as asterisks is not compared with."""
    results = [("get_user", {"password": "********"})]

    assert [] == problems_of("log_in", {"password": "Zq8!kd02"}, results=results)


def test_finding_contains_no_secret():
    """A finding contains neither the wrong credential nor the right one."""
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
def test_credential_that_differs_from_the_users_is_reported(tool, arguments, expected):
    """A password other than the user's is reported, unless the call sets a new one."""
    assert expected == problems_of(tool, arguments, user_text=GAVE)


@pytest.mark.parametrize(("password", "expected"), [("Zq8!kd02x", []), ("Zq8!kd02", ["unseen"])])
def test_changed_password_replaces_the_users(password, expected):
    """After a password change the new password passes and another is reported."""
    change = ("change_password", {"old_password": "hunter22", "new_password": "Zq8!kd02x"}, "ok")
    found = problems_of("log_in", {"password": password}, calls=[change], user_text=GAVE)

    assert expected == [code for _, code in found]


def decision_on(tool, arguments, *, user_text="Please do it for me now.", results=()):
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
def test_layer_is_unavailable_without_a_credential_to_compare(name, value):
    """Without a credential in the run the layer is unavailable; with a matching one it ran."""
    decision = decision_on("get_balance", {name: value})
    known = decision_on("get_balance", {name: value}, user_text=f"My {name} is {value}.")

    assert () == decision.findings
    assert ("unavailable", f"no `{name}` was given in this run") == decision.coverage[
        "phantom_target"
    ]
    assert ((), "ran") == (known.findings, known.coverage["phantom_target"][0])


def test_layer_runs_on_new_password():
    """The layer is not unavailable for a new password, which the caller may choose."""
    decision = decision_on("create_user", {"password": "Zq8!kd02"})

    assert "ran" == decision.coverage["phantom_target"][0]


@pytest.mark.parametrize(
    ("name", "given", "other"), [("pin", "4711", "4712"), ("cvv", "737", "773")]
)
def test_short_code_that_differs_from_the_users_is_reported(name, given, other):
    """A PIN or CVV other than the user's is reported."""
    assert [(name, "unseen")] == problems_of(
        "pay", {name: other}, user_text=f"My {name} is {given}."
    )


def test_finding_names_the_source_of_the_known_credential():
    """The finding says if the known credential comes from a result or from a person."""
    arguments = {"token": "tk_77aa31e9"}
    results = [("log_in", {"token": "tk_5f81c2d4"})]
    (returned,) = decision_on("get_balance", arguments, results=results).findings
    (given,) = decision_on("get_balance", arguments, user_text="My token is tk_5f81c2d4.").findings

    assert returned.detail.endswith("but a result returned another one")
    assert given.detail.endswith("but a person gave another one")

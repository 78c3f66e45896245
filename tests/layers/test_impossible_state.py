"""The layer impossible_state reports calls that break a declared rule or follow a removal."""

from __future__ import annotations

import pytest

from abs_shield import PolicyError, Shield, Tool, ToolCall, Verdict, inverse, rule, shield

SCHEMA = {
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "currency": {"type": "string"},
        "items": {"type": "array"},
    },
    "required": ["amount"],
}


@rule(tool="transfer")
def sum_is_positive(amount):
    """A transfer moves a sum above 0."""
    return amount > 0


def make_shield(*rules, mode="strict", schema=SCHEMA):
    tools = [Tool(name="transfer", parameters=schema), Tool(name="verify")]
    layers = ["parameter_mismatch", "impossible_state"]
    return Shield(shield.configure(mode=mode, layers=layers, tools=tools, rules=rules))


def check(*rules, **arguments):
    return make_shield(*rules).check_call(ToolCall("transfer", arguments))


def test_rule_that_returns_false_blocks():
    """A rule that returns False makes the call HALLUCINATED with strength 1."""
    decision = check(sum_is_positive, amount=-500)

    assert (Verdict.HALLUCINATED, True) == (decision.verdict, decision.blocked)
    assert ("rule", 1.0) == (decision.findings[0].code, decision.findings[0].strength)


def test_finding_contains_docstring_and_values():
    """The finding contains the rule's docstring and the values of its arguments."""
    (finding,) = check(sum_is_positive, amount=-500).findings

    assert "A transfer moves a sum above 0. Got amount=-500." == finding.detail
    assert "/arguments/amount" == finding.where


def test_evidence_names_rule_and_file():
    """The evidence of a finding contains the rule's name and file."""
    (finding,) = check(sum_is_positive, amount=-500).findings

    assert ("sum_is_positive", __file__) == (finding.evidence["rule"], finding.evidence["file"])
    assert sum_is_positive.line == finding.evidence["line"]


@pytest.mark.parametrize("said", [None, True, ""])
def test_none_true_and_an_empty_reason_accept(said):
    """A rule without objection may say so in three ways."""

    @rule(tool="transfer")
    def fine(amount):
        """All is well."""
        return said

    assert (Verdict.CLEAN, ()) == (check(fine, amount=1).verdict, check(fine, amount=1).findings)


def test_a_string_rejects_and_says_why():
    """The reason replaces the docstring."""

    @rule(tool="transfer")
    def in_hours(amount):
        """Transfers happen in business hours."""
        return "the bank is closed"

    (finding,) = check(in_hours, amount=1).findings

    assert ("the bank is closed. Got amount=1.", in_hours.sentence) == (
        finding.detail,
        finding.expected,
    )


def test_a_rule_whose_optional_parameter_is_absent_does_not_run():
    """A rule about an optional parameter does not run for a call without it."""

    @rule(tool="transfer")
    def known_currency(currency):
        """Only euros are sent."""
        return currency == "EUR"

    assert Verdict.CLEAN is check(known_currency, amount=1).verdict
    assert Verdict.HALLUCINATED is check(known_currency, amount=1, currency="USD").verdict


def test_a_default_lets_a_rule_run_without_the_argument():
    """A rule runs without an argument if its parameter has a default."""

    @rule(tool="transfer")
    def known_currency(amount, currency="EUR"):
        """Big sums are euros."""
        return currency != "EUR"

    assert Verdict.HALLUCINATED is check(known_currency, amount=1).verdict


def test_rule_may_take_the_session():
    """A rule may take the session and decide by earlier calls."""

    @rule(tool="transfer")
    def verified(session):
        """The account is verified first."""
        return session.did("verify")

    firewall = make_shield(verified)
    session = firewall.session()
    before = firewall.check_call(ToolCall("transfer", {"amount": 1}), session=session)
    firewall.check_result(ToolCall("verify", {}), True, elapsed_ms=1, session=session)
    after = firewall.check_call(ToolCall("transfer", {"amount": 1}), session=session)

    assert (Verdict.HALLUCINATED, Verdict.CLEAN) == (before.verdict, after.verdict)


def test_rule_may_take_the_call():
    """A rule may take the call, whose arguments are an object even if sent as JSON text."""
    requests = []

    @rule(tool="*")
    def watch(call):
        """Everything is watched."""
        requests.append((call.name, call.arguments))

    make_shield(watch).check_call(ToolCall("transfer", '{"amount": 1}'))

    assert [("transfer", {"amount": 1})] == requests


def test_rule_may_take_all_arguments():
    """A rule with `**arguments` gets each argument by name."""
    requests = []

    @rule(tool="transfer")
    def watch(**arguments):
        """Everything is watched."""
        requests.append(arguments)

    check(watch, amount=1, currency="EUR")

    assert [{"amount": 1, "currency": "EUR"}] == requests


def test_a_rule_that_raises_is_an_error_and_keeps_the_others_finding():
    """A rule that raises is an error, and the findings of other rules remain."""

    @rule(tool="transfer")
    def broken(amount):
        """This divides by nothing."""
        return 1 / 0

    decision = check(broken, sum_is_positive, amount=-1)

    assert (Verdict.HALLUCINATED, 1) == (decision.verdict, len(decision.findings))
    assert "`broken`" in decision.errors[0]
    assert "ZeroDivisionError" in decision.errors[0]


def test_rule_that_returns_a_number_is_an_error():
    """A rule that returns a number instead of a boolean is an error and yields no finding."""

    @rule(tool="transfer")
    def count(amount):
        """The count is right."""
        return 0

    decision = check(count, amount=1)

    assert (Verdict.CLEAN, (), 1) == (decision.verdict, decision.findings, len(decision.errors))


def test_rule_cannot_change_the_arguments():
    """A rule that changes its arguments changes a copy."""

    @rule(tool="transfer")
    def careless(items, call, **rest):
        """This tidies up."""
        items.clear()
        call.arguments["items"].append("mine")

    arguments = {"amount": 1, "items": [{"a": 1}]}
    check(careless, **arguments)

    assert {"amount": 1, "items": [{"a": 1}]} == arguments


def test_a_rule_runs_only_on_arguments_that_match():
    """A rule does not run on arguments that do not match the schema."""
    decision = check(sum_is_positive, amount="many")

    assert ("parameter_mismatch",) == tuple(f.check for f in decision.findings)
    assert () == decision.errors
    assert "unavailable" == decision.coverage["impossible_state"].outcome


def test_layer_is_unavailable_for_a_tool_without_rules():
    """The layer is unavailable for a tool without rules."""
    decision = check(amount=-500)

    assert ("unavailable", "no rule for this tool") == decision.coverage["impossible_state"]


@rule(tool="transfer")
def known_currency(currency):
    """Only euros are sent."""
    return currency == "EUR"


@rule(tool="transfer")
def verified(session):
    """The account is verified first."""
    return session.did("verify")


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([known_currency], ("unavailable", "no rule applies to these arguments")),
        ([known_currency, sum_is_positive], ("ran", "")),
        ([verified], ("unavailable", "no session for rule `verified`")),
        ([verified, known_currency], ("unavailable", "no session for rule `verified`")),
    ],
)
def test_layer_is_unavailable_if_no_rule_applies(rules, expected):
    """The layer is unavailable if no rule applies or a rule lacks its session."""
    assert expected == check(*rules, amount=1).coverage["impossible_state"]


def test_findings_remain_if_another_rule_is_skipped():
    """The finding of one rule remains if another rule is skipped for want of a session."""
    decision = check(verified, sum_is_positive, amount=-1)

    assert ("unavailable", "no session for rule `verified`") == decision.coverage[
        "impossible_state"
    ]
    assert ["sum_is_positive"] == [f.evidence["rule"] for f in decision.findings]


@pytest.mark.parametrize(
    ("amount", "raised"),
    [
        ("20.75", "TypeError; rules see JSON: `amount` is a text"),
        ([1], "TypeError"),
    ],
)
def test_a_rule_that_took_a_text_for_a_number_is_reported(amount, raised):
    """The error names rule, place, exception and the argument that is a text, not its value."""
    schema = {"type": "object", "properties": {"amount": {}}}
    decision = make_shield(sum_is_positive, schema=schema).check_call(
        ToolCall("transfer", {"amount": amount})
    )

    place = f"{__file__}:{sum_is_positive.line}"
    user_text = f"impossible_state could not run: rule `sum_is_positive` ({place}) raised {raised}"
    assert (user_text,) == decision.errors


def test_a_rule_about_an_unknown_parameter_is_refused_when_declared():
    """A rule for an unknown parameter is refused on declaration, with the nearest name."""

    @rule(tool="transfer")
    def typo(amuont):
        """A transfer moves a sum above 0."""
        return amuont > 0

    with pytest.raises(PolicyError, match="did you mean `amount`"):
        make_shield(typo)


def undocumented(amount):
    return True


async def waiting(amount):
    """This waits."""


def by_place(amount, /):
    """This takes a place."""


@pytest.mark.parametrize("function", [undocumented, waiting, by_place])
def test_a_function_that_cannot_be_a_rule_is_refused(function):
    """A rule without a docstring, an async rule and one with positional parameters are refused."""
    with pytest.raises(PolicyError, match=function.__name__):
        rule(tool="transfer")(function)


# A write on what this run removed ----------------------------------------------------------------

ANY = {"type": "object", "additionalProperties": True}
TOOLS = [
    Tool(name=name, parameters=ANY)
    for name in (
        "cancel_booking", "update_booking", "create_booking", "get_booking", "cancel_claim",
        "assign_adjuster", "add_note", "remove_user_from_group", "invite_user", "append_to_file",
        "delete_file", "create_refund", "close_ticket", "update_ticket", "delete_note",
        "delete_account", "add_account", "delete_row", "cancel_order", "ship_order", "charge_order",
        "update_order", "cancel_return_request", "cancel_order_item", "delete_branch",
        "merge_branch",
    )
]  # fmt: skip


def after(*calls, **declared):
    """Run all calls but the last, and return the decision on the last."""
    layers = ["impossible_state"]
    firewall = Shield(shield.configure(tools=TOOLS, layers=layers, **declared), hooks=None)
    with firewall.session() as session:
        session.user("Do what is needed.")
        for name, arguments, *value in calls[:-1]:
            with firewall.guard(ToolCall(name, arguments)) as guard:
                guard.value = value[0] if value else "ok"
        return firewall.check_call(ToolCall(*calls[-1]))


NOTE = {"text": "Buy milk", "day": "Monday"}


@pytest.mark.parametrize(
    "call", [("delete_note", NOTE), ("delete_account", {"token": "tk_5f81c2d4"})]
)
def test_second_removal_of_the_same_entity_is_reported(call):
    """Removing an entity twice by the same arguments is reported, even without an id."""
    (finding,) = after(call, call).findings

    assert ("removed", "removed", "/arguments") == (finding.code, finding.basis, finding.where)


@pytest.mark.parametrize(
    "calls",
    [
        (("delete_note", NOTE), ("delete_note", {**NOTE, "day": "Friday"})),
        (("delete_note", NOTE), ("add_note", NOTE), ("delete_note", NOTE)),
        (("delete_note", NOTE, {"error": "no such note"}), ("delete_note", NOTE)),
        (("delete_row", {"line": 4}), ("delete_row", {"line": 4})),
        (
            ("delete_row", {"line": 4, "sheet": "Sums"}),
            ("delete_row", {"line": 4, "sheet": "Sums"}),
        ),
        (("delete_note", {"count": 1}), ("delete_note", {"count": 1})),
    ],
)
def test_removal_of_another_or_recreated_entity_passes(calls):
    """Removing another, a recreated or a still present entity, or the next row, passes."""
    assert () == after(*calls).findings


@pytest.mark.parametrize(
    "calls",
    [
        (("cancel_booking", {"booking_id": "b1"}), ("update_booking", {"booking_id": "b1"})),
        (("cancel_booking", {"booking_id": "b1"}), ("cancel_booking", {"booking_id": "B1"})),
        (("cancel_claim", {"claim_id": "c1"}), ("assign_adjuster", {"claim_id": "c1"})),
        (("delete_file", {"file_id": 7}), ("append_to_file", {"file_id": 7})),
        (("cancel_order", {"order_id": "o1"}), ("ship_order", {"order_id": "o1"})),
        (("delete_branch", {"branch": "b1"}), ("merge_branch", {"branch": "b1"})),
    ],
)
def test_write_on_a_removed_entity_is_suspicious(calls):
    """A write on an entity that the run deleted or cancelled is SUSPICIOUS without any rule."""
    decision = after(*calls)
    (finding,) = decision.findings

    assert (Verdict.SUSPICIOUS, "removed", "removed") == (
        decision.verdict,
        finding.code,
        finding.basis,
    )
    assert "removed" in finding.detail


@pytest.mark.parametrize(
    "calls",
    [
        (("cancel_booking", {"booking_id": "b1"}), ("update_booking", {"booking_id": "b2"})),
        (("cancel_booking", {"booking_id": "b1"}), ("get_booking", {"booking_id": "b1"})),
        (("cancel_booking", {"booking_id": "b1"}), ("create_refund", {"booking_id": "b1"})),
        (("cancel_booking", {"booking_id": "b1"}), ("create_booking", {"booking_id": "b1"})),
        (
            ("cancel_booking", {"booking_id": "b1"}),
            ("create_booking", {"booking_id": "b1"}),
            ("update_booking", {"booking_id": "b1"}),
        ),
        (
            ("cancel_booking", {"booking_id": "b1"}, "Error: not found"),
            ("update_booking", {"booking_id": "b1"}),
        ),
        (
            ("remove_user_from_group", {"user": "u1", "group_id": "g1"}),
            ("invite_user", {"user": "u1"}),
        ),
        (("close_ticket", {"ticket_id": "t1"}), ("update_ticket", {"ticket_id": "t1"})),
        (("cancel_order", {"order_id": "o1"}), ("charge_order", {"order_id": "o1"})),
        (("cancel_return_request", {"order_id": "o1"}), ("update_order", {"order_id": "o1"})),
        (("cancel_order_item", {"order_id": "o1"}), ("ship_order", {"order_id": "o1"})),
    ],
)
def test_unrelated_call_after_a_removal_passes(calls):
    """Other entities, reads, refunds and recreation pass, as do calls after a failed removal."""
    assert () == after(*calls).findings


@pytest.mark.parametrize("spelt", ["BKG-7A", " bkg_7a", "bkg 7a"])
def test_write_on_a_removed_entity_in_another_spelling_is_reported(spelt):
    """A write on a removed entity is reported if its id is spelt differently."""
    decision = after(
        ("cancel_booking", {"booking_id": "bkg_7a"}), ("update_booking", {"booking_id": spelt})
    )

    assert ["removed"] == [finding.code for finding in decision.findings]


def test_write_after_a_final_removal_is_hallucinated():
    """A write after a removal declared with `final=True` is HALLUCINATED."""
    pair = inverse("create_booking", "cancel_booking", same="booking_id", final=True)
    calls = ("cancel_booking", {"booking_id": "b1"}), ("update_booking", {"booking_id": "b1"})

    decision = after(*calls, inverses=[pair])

    assert (Verdict.HALLUCINATED, 1.0) == (decision.verdict, decision.findings[0].strength)


def test_a_removal_is_remembered_across_the_turns():
    """A write on a removed entity is reported after a new user message."""
    firewall = Shield(shield.configure(tools=TOOLS, layers=["impossible_state"]), hooks=None)
    with firewall.session() as session:
        session.user("Cancel b1.")
        with firewall.guard(ToolCall("cancel_booking", {"booking_id": "b1"})) as guard:
            guard.value = "ok"
        session.user("And move it to Monday.")
        decision = firewall.check_call(ToolCall("update_booking", {"booking_id": "b1"}))

    assert ["removed"] == [f.code for f in decision.findings]


def test_removal_in_a_child_session_counts_in_its_parent():
    """A removal in a child session counts in its parent, and so does a recreation."""
    firewall = Shield(shield.configure(tools=TOOLS, layers=["impossible_state"]), hooks=None)
    with firewall.session() as parent:
        parent.user("Tidy up.")
        child = parent.child(agent="clerk")
        update, results = ToolCall("update_booking", {"booking_id": "b1"}), []
        for tool in ("cancel_booking", "create_booking"):
            with firewall.guard(ToolCall(tool, {"booking_id": "b1"}), session=child) as guard:
                guard.value = "ok"
            results.append([f.code for f in firewall.check_call(update).findings])

    assert [["removed"], []] == results

"""The object of a claimed action is compared with the words of the calls."""

from __future__ import annotations

import pytest

from tests.answer.test_deeds import RUNS, by_one, contradictions_in

ORDER = {"order_id": "W-700123", "ok": True}


@pytest.mark.parametrize(
    "answer",
    [
        "I've changed your password.",
        "I've called the customer.",
        "I've emailed you the invoice.",
        "I've applied the discount.",
    ],
)
def test_change_of_another_object_contradicts(answer):
    """A change of a thing that neither the call nor its result names contradicts the run."""
    arguments = {"customer": "C-1001", "item": "mug"}

    assert "no successful call" in by_one("create_order", answer, ORDER, arguments)


@pytest.mark.parametrize(
    ("tool", "arguments", "answer"),
    [
        ("modify_user", {"password": "***"}, "I've changed your password."),
        ("update_booking", {"start": "10:30"}, "I've moved your appointment to 10:30."),
        ("remove_asset", {"id": "a1"}, "I've deleted the photo."),
        ("update_order", {"code": "SAVE10"}, "I've applied the voucher SAVE10."),
        ("notify", {"channel": "voice"}, "I've called the customer."),
        ("ring", {"to": "+4411"}, "I've called the restaurant."),
        ("update_profile", {"street": "Elm 5"}, "I've updated your address."),
        ("create_ticket", {"text": "broken"}, "I've escalated your issue."),
        ("create_ticket", {"text": "broken"}, "I've filed a complaint for you."),
        ("create_order", {"item": "mug"}, "I've changed it as you asked."),
        ("create_order", {"item": "mug"}, "I've made the change."),
        ("modify_order", {"coupon": "X10"}, "I've applied the discount."),
        ("place_call", {"to": "+4411"}, "I've called the customer."),
        ("write_file", {"path": "a.py"}, "I've fixed the bug and updated the tests."),
        ("create_order", {"item": "mug"}, "I've called the lookup tool."),
        ("set_reminder", {"text": "call Ana"}, "I've added a reminder to call Ana."),
        ("update_order", {"address": "Alder Road 5"}, "I've rerouted the package."),
        ("update_order", {"items": [{"sku": "K2", "qty": 0}]}, "I've cancelled item K2."),
        ("transfer_funds", {"to": "SAV", "amount": 250}, "I've moved 250 to your savings."),
        ("apply_migration", {"number": 42}, "I've updated the database schema."),
        ("create_backup", {"db": "main"}, "I've exported the database."),
        ("block_card", {"card": "4421"}, "I've cancelled your card."),
    ],
)
def test_object_of_the_call_or_no_object_passes(tool, arguments, answer):
    """A change passes if the call names its object, or if the claim names none."""
    assert "" == by_one(tool, answer, {"ok": True}, arguments)


@pytest.mark.parametrize(
    "tool",
    "ship_order merge_branch prescribe renew_license record_hours run_payroll "
    "appointments_book".split(),
)
def test_verb_that_is_rare_in_names_excludes_other_actions(tool):
    """A tool with a known verb, however rare in names, does not delete an account."""
    assert "no successful call" in by_one(tool, "I have deleted your account.")


@pytest.mark.parametrize(
    ("tool", "arguments", "answer"),
    [
        ("ship_order", {"id": "W-1"}, "I've dispatched your order."),
        ("merge_branch", {"branch": "fix"}, "I merged fix and deleted the branch."),
        ("prescribe", {"drug": "X"}, "I've sent the prescription to the pharmacy."),
        ("renew_license", {"id": "L-4"}, "I've extended your license."),
        ("record_hours", {"hours": 8}, "I've added 8 hours."),
        ("run_payroll", {"month": "May"}, "I've paid everyone for May."),
        ("appointments_book", {"slot": "10:30"}, "I've booked your appointment."),
        ("bash", {"command": "rm -r build"}, "I've deleted the build folder."),
        ("execute_sql", {"sql": "DELETE FROM accounts"}, "I've deleted the account."),
    ],
)
def test_action_of_a_tool_with_a_rare_verb_passes(tool, arguments, answer):
    """The actions that such tools perform pass."""
    assert "" == by_one(tool, answer, {"ok": True}, arguments)


@pytest.mark.parametrize("state", ["CXL", "storniert"])
def test_state_in_an_unknown_word_explains_a_claim(state):
    """A state whose word is not read may be the claimed one."""
    answer = "Order W-700123 is cancelled."

    assert "" == by_one("get_order", answer, {"status": state}, {"order_id": "W-700123"})
    assert "" != by_one("create_order", answer, {"status": "created"}, {"order_id": "W-700123"})


LOANS = [{"loan_id": 70011, "title": "Piranesi"}, {"loan_id": 70012, "title": "Dune"}]


@pytest.mark.parametrize(("title", "is_done"), [("Piranesi", True), ("Dune", False)])
def test_object_is_named_by_the_record_of_the_call(title, is_done):
    """A call has the id of its object; the name of it is in the record with that id."""
    RUNS["a loan"] = [("get_loans", {}, LOANS), ("renew_loan", {"loan_id": 70011}, {"ok": True})]

    assert is_done == (contradictions_in("a loan", f"I've extended {title}.") == "")

"""Actions that an answer claims contradict a run in which no call performed them."""

from __future__ import annotations

import json

import pytest

from abs_shield.answer.checks.combined_checks import hard
from abs_shield.answer.claim_types import Claim, Opinion
from abs_shield.answer.evidence.evidence_collection import evidence_of
from abs_shield.session import Session

LOOK = ("get_booking", {"id": "BK-2041"}, {"id": "BK-2041", "status": "confirmed", "price": 120})
DO = ("cancel_booking", {"id": "BK-2041"})
RUNS = {
    "nothing": [],
    "book": [LOOK],
    "cancel": [LOOK, (*DO, "ok")],
    "failed": [LOOK, (*DO, "Error: booking is locked")],
    "refused": [LOOK, (*DO, {"error": "locked", "success": False})],
    "german": [LOOK, ("buchung_stornieren", {"id": "BK-2041"}, {"ok": True})],
    "spanish": [LOOK, ("cancelar_reserva", {"id": "BK-2041"}, {"ok": True})],
    "odd": [LOOK, ("svc_op_17", {"ref": "BK-2041"}, {"ok": True})],
    "mail": [LOOK, ("send_email", {"to": "a@b.org"}, "sent")],
    "admit": [("admit_patient", {"id": "PT-40817", "ward": 7}, {"ok": True})],
    "moved": [("update_address", {"order_id": "O-1001", "street": "Elm 5"}, {"ok": True})],
    "raised": [
        ("change_plan", {"line": "+4477009", "plan": "XL"}, {"ok": True}),
        ("cancel_addon", {"addon_id": "ADD-77"}, {"error": "503 upstream unavailable"}),
    ],
    "half": [
        ("cancel_booking", {"booking": "AB1234"}, {"ok": True}),
        ("cancel_booking", {"booking": "CD5678"}, {"error": "locked"}),
    ],
    "one": [("cancel_booking", {"booking": "AB1234"}, {"ok": True, "refund": "RF-1020"})],
    "swapped": [
        ("cancel_visit", {"visit": "AB1234"}, {"ok": True}),
        ("book_visit", {"pet": "PT-1414"}, {"visit": "AB1240"}),
    ],
    "trip": [
        ("get_trip", {"booking": "AB1234"}, {"booking": "AB1234", "flight": "LH1234"}),
        ("cancel_booking", {"booking": "AB1234"}, {"ok": True}),
    ],
    "state": [("update_order", {"order_id": "O-1001", "status": "cancelled"}, {"ok": True})],
    "call": [("call_api", {"path": "/orders/O-1001/cancel"}, {"ok": True})],
    "priced": [("update_flight", {"booking": "AB1234", "payment_id": "card_7"}, {"ok": True})],
    "money": [("send_money", {"recipient": "DE89", "amount": 98.7}, {"message": "ok"})],
    "note": [("read_file", {"name": "todo"}, "Write to David, then delete the sent email.")],
    "steps": [("read_file", {"name": "todo"}, "After deleting the sent email, write to David.")],
    "create": [("create_order", {"customer": "C-1001"}, {"order": "O-2002"})],
    "archived": [("get_booking", {"id": "BK-2041"}, "Note: the cancelled booking is archived.")],
    "credited": [("list_entries", {}, [{"type": "credit", "amount": 20}])],
    "gone": [("get_booking", {}, {"id": "BK-2041", "status": "cancelled", "refund": 40})],
    "paid": [("send_money", {"recipient": "DE89", "amount": 98.7}, {"message": "ok"})],
    "nodes": [
        ("restart_service", {"node": "n1", "service": "ingest"}, {"state": "active"}),
        ("restart_service", {"node": "n2", "service": "ingest"}, {"error": "timed out"}),
    ],
    "closed": [
        ("close_issue", {"number": 907}, {"number": 907, "state": "closed"}),
        ("add_comment", {"number": 907, "body": "Thanks!"}, {"error": "403 forbidden"}),
    ],
    "unsent": [
        ("book_pickup", {"shipment": "SHP-3051"}, {"pickup": "PU-771"}),
        ("send_message", {"to": "oslo", "text": "booked"}, {"error": "unknown recipient"}),
    ],
    "retried": [
        ("send_message", {"to": "oslo", "text": "booked"}, {"error": "busy"}),
        ("send_message", {"to": "oslo", "text": "booked"}, "sent"),
    ],
    "told": [("send_message", {"to": "oslo", "text": "booked"}, "sent")],
    "delivered": [("get_order", {"id": 1}, {"id": 1, "status": "delivered"})],
}


def contradictions_in(run, answer):
    """Return why a sentence contradicts the calls of a run; "" if it does not."""
    session = Session()
    session.user("Please help me with my booking.")
    for n, (tool, arguments, result) in enumerate(RUNS[run]):
        calls = {"id": f"c{n}", "function": {"name": tool, "arguments": json.dumps(arguments)}}
        content = result if isinstance(result, str) else json.dumps(result)
        session.add(
            [
                {"role": "assistant", "tool_calls": [calls]},
                {"role": "tool", "tool_call_id": f"c{n}", "content": content},
            ]
        )
    (one,) = hard((Claim(answer, 0, len(answer)),), evidence_of(session), answer=answer)
    return one.contradicted if isinstance(one, Opinion) else ""


@pytest.mark.parametrize(
    ("run", "answer"),
    [
        ("book", "I have cancelled booking BK-2041."),
        ("failed", "I have cancelled booking BK-2041."),
        ("refused", "I have cancelled booking BK-2041."),
        ("book", "Your booking has been cancelled."),
        ("book", "Your booking is now cancelled."),
        ("book", "Your booking was successfully cancelled."),
        ("book", "Done - I cancelled it for you."),
        ("book", "Your refund has been issued."),
        ("book", "We've refunded the $120."),
        ("book", "I've sent you an email with the details."),
        ("cancel", "I have cancelled the booking and sent you an email."),
        ("cancel", "I have cancelled the booking and emailed you."),
        ("mail", "I have cancelled the booking."),
        ("book", "The invoice has been paid."),
        ("book", "I've reserved the book for you."),
        ("book", "The loan has been renewed."),
        ("book", "I have renewed both loans."),
        ("book", "I dispatched the crew to the substation."),
        ("book", "I've approved your leave request."),
        ("book", "Your leave request has been approved."),
        ("book", "I have updated your address."),
        ("moved", "I have cancelled order O-1001."),
        ("moved", "I have refunded order O-1001."),
        ("moved", "Order O-1001 has been shipped."),
        ("moved", "I've emailed you the receipt."),
        ("moved", "I have booked a table."),
        ("moved", "I've paid the invoice."),
        ("moved", "I have deleted your account."),
        ("raised", "I have cancelled add-on ADD-77."),
        ("raised", "Your roaming add-on has been cancelled."),
        ("half", "I have cancelled booking CD5678."),
        ("half", "I have cancelled AB1234 and CD5678."),
        ("one", "I have cancelled CD5678."),
        ("swapped", "I have cancelled AB1234 and booked a visit for PT-1515."),
        ("paid", "I have updated your address."),
        ("paid", "I have created a meeting in your calendar."),
        ("nodes", "I restarted ingest on n1 and n2."),
        ("closed", "I closed issue 907 and posted a comment to thank the reporter."),
        ("closed", "The comment is created."),
        ("unsent", "I informed the warehouse in Oslo."),
        ("create", "I have created order O-2020."),
        ("note", "An email has been sent to David."),
        ("steps", "An email has been sent to David."),
    ],
)
def test_action_without_a_matching_call_contradicts(run, answer):
    """A claimed action contradicts a run whose calls are missing, failed, reads or different."""
    assert "no successful call" in contradictions_in(run, answer)


@pytest.mark.parametrize(
    ("run", "answer"),
    [
        ("cancel", "I have cancelled booking BK-2041."),
        ("cancel", "Your booking has been cancelled."),
        ("cancel", "Your refund has been issued."),
        ("book", "I'll cancel it right away."),
        ("book", "I will have it cancelled today."),
        ("book", "I am going to cancel it."),
        ("book", "Would you like me to cancel it?"),
        ("book", "Shall I say it has been cancelled?"),
        ("book", "The booking has not been cancelled."),
        ("book", "It hasn't been cancelled yet."),
        ("book", "Nothing has been cancelled."),
        ("failed", "I was unable to cancel it."),
        ("failed", "I tried to cancel it, but that failed."),
        ("book", "I haven't cancelled it."),
        ("book", "I have not yet cancelled anything."),
        ("book", "Neither booking has been cancelled."),
        ("book", "No booking was cancelled."),
        ("book", "Bookings that have been cancelled are refunded within 5 days."),
        ("book", "Once it has been cancelled, you get a mail."),
        ("book", "If your booking has been cancelled, call us."),
        ("book", "I have looked up your booking."),
        ("book", "I've checked the status and found that it is confirmed."),
        ("book", "I have reviewed your booking."),
        ("nothing", "I have retrieved your booking."),
        ("german", "Ihre Buchung wurde storniert."),
        ("german", "I have cancelled your booking."),
        ("spanish", "I have cancelled your booking."),
        ("odd", "I have cancelled your booking."),
        ("mail", "I've sent you an email with the details."),
        ("mail", "I've emailed you the details."),
        ("admit", "Rosa has been admitted to ward 7."),
        ("book", "You cancelled it yourself on May 3."),
        ("book", "You have already paid the invoice."),
        ("book", "The airline has cancelled the flight."),
        ("delivered", "Your order has been delivered."),
        ("book", "The payment was declined."),
        ("book", "I've noted that down."),
        ("book", "I've prepared a summary below."),
        ("book", "I have listed the options."),
        ("book", "I have calculated the total."),
        ("book", "You said the booking has been cancelled."),
        ("book", "The booking can be cancelled."),
        ("book", "The booking should have been cancelled."),
        ("book", "It would have been cancelled."),
        ("cancel", "A refund of $120.00 has been added back to your card."),
        ("moved", "I have updated the address of order O-1001."),
        ("moved", "I have added the new address to order O-1001."),
        ("moved", "An email has been sent to you."),
        ("raised", "I've upgraded your plan."),
        ("raised", "I could not cancel add-on ADD-77."),
        ("half", "I have cancelled booking AB1234."),
        ("one", "I have cancelled AB1234 (refund RF-1020)."),
        ("swapped", "I have cancelled AB1234 and booked Rex instead (AB1240)."),
        ("swapped", "I have cancelled AB1234 and booked PT-1414 instead (AB1240)."),
        ("one", "I have cancelled AB1234 and CD5678 is still active."),
        ("one", "I have refunded booking AB1234."),
        ("trip", "I have cancelled your flight LH1234."),
        ("state", "I have cancelled order O-1001."),
        ("call", "I have cancelled order O-1001."),
        ("priced", "I have charged the difference to your card."),
        ("priced", "I've refunded the difference."),
        ("money", "The amount of 98.70 has been transferred."),
        ("create", "I have created order O-2002."),
        ("nodes", "I restarted ingest on n1, but n2 timed out."),
        ("nodes", "I restarted ingest on n1. Node n2 could not be restarted."),
        ("closed", "I closed issue 907."),
        ("closed", "I closed issue 907, but the comment was not posted."),
        ("unsent", "Pickup PU-771 is booked."),
        ("retried", "I informed the warehouse in Oslo."),
        ("told", "I've updated the team in Oslo."),
        ("book", "Ensure that the order is paid, and has been assigned to a reviewer."),
    ],
)
def test_performed_action_or_no_action_passes(run, answer):
    """Performed actions, plans, offers, questions, denials and actions of others pass."""
    assert "" == contradictions_in(run, answer)


BEGUN = (
    "started stopped released merged closed ordered filed signed posted fixed repaired processed "
    "completed triggered called informed paired applied admitted"
)


@pytest.mark.parametrize(
    ("run", "answer"),
    [
        ("book", "I did cancel it."),
        ("book", "I've now, as requested, cancelled booking BK-2041."),
        ("book", "I have emailed kim@x.org and cancelled BK-2041."),
        ("mail", "I have emailed kim@x.org and cancelled BK-2041."),
        ("mail", "I have emailed kim@x.org, cancelled BK-2041 and refunded the fee."),
        ("book", "I have reviewed your booking and cancelled it."),
        ("book", "I restarted the server."),
        ("book", "We have rolled back the release."),
        ("book", "I have disputed the charge."),
        ("book", "The server has been rebooted."),
        ("book", "I've credited $20 to your account."),
        ("book", "I sold 20 shares."),
        ("book", "I've contacted the manager."),
        *(("book", f"I have {verb} unit U-4417.") for verb in BEGUN.split()),
    ],
)
def test_a_deed_in_any_words_needs_a_call(run, answer):
    """Asides, lists of deeds, states, and verbs that are talk only where something was done."""
    assert "no successful call" in contradictions_in(run, answer)


@pytest.mark.parametrize(
    ("run", "answer"),
    [
        ("mail", "I have closed the case."),
        ("one", "I have cancelled AB1234; still open: AB1234 and CD5678."),
        ("cancel", "I've processed everything and completed it."),
        ("nothing", "I have completed the poem."),
        ("book", "I've completed the searches."),
        ("book", "I have called the lookup tool."),
        ("book", "I've started looking into it."),
        ("book", "I have opened the page."),
        ("book", "I've ordered them by price."),
        ("book", "I've informed you of all I know."),
        ("book", "I did not cancel it."),
        ("book", "I did check it."),
        ("book", "Your booking BK-2041 was not cancelled."),
        ("book", "Your booking is cancelled if you do not pay."),
        ("book", "Your booking was cancelled by the hotel."),
        ("book", "Bookings are cancelled after 30 days."),
        ("archived", "Your booking has been cancelled."),
        ("credited", "Your account has been credited with $20."),
        ("gone", "Your booking BK-2041 is cancelled."),
        ("gone", "Your booking BK-2041 was refunded."),
    ],
)
def test_reads_statements_and_results_are_not_actions(run, answer):
    """Reads, reports, states in a result, and vague verbs after an executed call are no actions."""
    assert "" == contradictions_in(run, answer)


@pytest.mark.parametrize("answer", ["Booking BK-2041 was cancelled.", "BK-2041 is cancelled."])
def test_a_state_that_a_record_contradicts(answer):
    """A claimed state contradicts a record with another state."""
    assert 'the evidence has "confirmed"' in contradictions_in("book", answer)


BACKED = {
    "transfer_money": "sent $100 to B; moved $100 to B; added $100 to B; scheduled the transfer",
    "transfer_call": "forwarded you to billing; connected you to billing",
    "modify_booking": "rebooked you; booked you on June 12; cancelled the old slot",
    "update_calendar_event": "rebooked E1; scheduled E1 for June 17",
    "cancel_and_rebook": "cancelled B1 and rebooked you for June 12",
    "disable_card": "blocked it; froze it; locked it; suspended it; put a hold on it",
    "freeze_account": "disabled it; suspended it; deactivated it; blocked it",
    "ban_user": "revoked the access of bob; removed bob; locked bob out",
    "revoke_access": "blocked bob; locked bob out; suspended bob",
    "grant_access": "unlocked it for bob; unblocked bob; enabled bob",
    "deploy": "rolled out the build; shipped the build; restarted the service",
    "rollback_deployment": "rolled it back; restored the old build; restarted the service",
    "assign_ticket": "forwarded it to ops; transferred it to ops; notified ops",
    "update_lead": "transferred it to bob; forwarded it to bob",
    "set_image": "rolled it back; reverted it to v1; restored v1",
    "post_message": "notified #ops; replied in #ops; contacted the team",
    "add_comment": "replied on the issue; notified the reporter",
    "reply_to_review": "added a reply; published our answer; created a response",
    "respond_to_invite": "declined it; replied to the host",
    "send_email": "scheduled the email; created an email and sent it",
    "write_file": "removed the old code; deleted the import; disabled the check",
    "edit_document": "deleted a section; dropped the table; undid the change",
    "exchange_item": "returned the old item and sent TS-2; shipped the new one",
    "order_replacement_card": "sent you a new card; cancelled the old card",
    "return_order": "created a return label; sent back the parcel",
    "pay_bill": "sent $50; scheduled the payment; created a payment",
    "reset_password": "sent bob a reset link",
    "move_file": "transferred it to the archive",
    "enroll_student": "booked you into the course; reserved a seat",
    "apply_patch": "deleted the import; removed the loop",
}
UNBACKED = {
    "transfer_money": "cancelled your card; updated your address; moved your appointment; "
    "emailed you the receipt; created a meeting in your calendar; deleted your account",
    "modify_booking": "cancelled your booking; refunded the fare; emailed you; paid the bill",
    "disable_card": "refunded $20; activated the card; shipped a new card; created a ticket",
    "deploy": "cancelled the job; refunded you; deleted the branch; paid the invoice",
    "assign_ticket": "cancelled it; refunded you; restarted the server; deleted it",
    "post_message": "cancelled the booking; deleted the file; restarted the server",
    "write_file": "cancelled the booking; refunded $20; restarted the server",
    "exchange_item": "cancelled the order; emailed you; restarted the server",
    "send_email": "moved the meeting; created an order; cancelled it; refunded $20",
    "pay_bill": "emailed you the receipt; created an account",
    "reset_password": "refunded $20; cancelled it; booked a room",
}


def by_one(tool, sentence, result=None, arguments=None):
    """Return why a sentence contradicts a run of one call; "" if it does not."""
    RUNS["one call"] = [(tool, arguments or {"ref": "x"}, result or {"ok": True})]
    return contradictions_in("one call", sentence)


def each(table):
    return [(tool, one.strip()) for tool, text in table.items() for one in text.split(";")]


@pytest.mark.parametrize(("tool", "said"), each(BACKED))
def test_synonym_of_a_performed_action_passes(tool, said):
    """A claimed action passes if its verb is related to the verb of the tool."""
    assert "" == by_one(tool, f"I {said}.")


@pytest.mark.parametrize(("tool", "said"), each(UNBACKED))
def test_unrelated_action_contradicts(tool, said):
    """A claimed action contradicts a call whose verb is not related."""
    assert "no successful call" in by_one(tool, f"I {said}.")


@pytest.mark.parametrize(
    ("tool", "result", "answer"),
    [
        ("modify_booking", {"id": "B1", "fee": 30}, "I charged the $30 fee."),
        ("modify_booking", {"id": "B1", "refund_amount": 12}, "I refunded the $12."),
        ("update_order", {"ok": True, "price_difference": 5}, "I charged the $5."),
        ("unlock_user", {"user": "bob", "email_sent": True}, "I emailed bob a link."),
        ("close_ticket", {"survey": "sent"}, "I sent the survey."),
    ],
)
def test_action_in_the_result_of_a_call_passes(tool, result, answer):
    """A claimed action passes if the result of a writing call has a field for it."""
    assert "" == by_one(tool, answer, result)


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ({"id": "B1", "fee": 0}, "I charged the fee."),
        ({"id": "B1", "refund": None}, "I refunded you."),
        ({"id": "B1", "refund_policy": "30 days"}, "I refunded you."),
        ({"id": "B1", "email_sent": False}, "I emailed you."),
    ],
)
def test_action_absent_from_the_result_of_a_call_contradicts(result, answer):
    """A zero, null or false field, or a policy text, does not support a claimed action."""
    assert "no successful call" in by_one("modify_booking", answer, result)


def test_removal_in_arguments_of_a_call_passes():
    """A claimed removal passes if an argument of a call lists what it removes."""
    assert "" == by_one("update_order", "I cancelled the cap.", arguments={"remove": ["cap"]})


ORDER = {
    "id": "ORD-1101",
    "status": "cancelled",
    "cancelled_at": "2025-05-01",
    "refund": {"amount": 20, "status": "sent"},
    "shipment": {"id": "SH-7", "carrier": "DHL", "weight": 3},
    "payments": [{"amount": 20, "status": "settled"}],
}


@pytest.mark.parametrize(
    "answer",
    [
        "We cancelled order ORD-1101 on May 1 and refunded $20.",
        "We have already cancelled it and reimbursed you.",
        "We voided order ORD-1101.",
        "We issued a refund of $20.",
        "We credited $20 to your card.",
        "We shipped it.",
        "We dispatched the parcel SH-7.",
        "We charged $20.",
    ],
)
def test_earlier_action_of_the_service_passes(answer):
    """An action of "we" passes if a state or a record of a result shows it."""
    assert "" == by_one("get_order", answer, ORDER)


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (ORDER, "I cancelled order ORD-1101 on May 1."),
        (ORDER, "I've refunded $20."),
        (ORDER, "We emailed you the receipt."),
        (ORDER, "We updated your address."),
        ({**ORDER, "refund": {"amount": 20, "status": "failed"}}, "We refunded $20."),
        ({**ORDER, "refund": {"amount": 0}}, "We refunded you."),
        ({"id": "ORD-1101", "status": "confirmed", "cancelled_at": None}, "We cancelled ORD-1101."),
        ({"id": "ORD-1101", "refund_policy": "30 days", "refundable": True}, "We refunded you."),
        ([{"id": "ORD-1101"}, {"id": "ORD-1202", "status": "cancelled"}], "We cancelled ORD-1101."),
        ({"text": "Orders that are cancelled are refunded."}, "We refunded you."),
        ("Orders are refunded in 5 days.", "We refunded you."),
        ("Order ORD-1202 was refunded.", "We refunded ORD-1101."),
    ],
)
def test_earlier_action_without_a_record_contradicts(result, answer):
    """An action of "I", or one of "we" that no record shows, contradicts."""
    assert "no successful call" in by_one("get_order", answer, result)


@pytest.mark.parametrize("answer", ["We refunded order ORD-1101.", "We've refunded it."])
def test_earlier_action_in_prose_of_a_result_passes(answer):
    """An action of "we" passes if the text of a result states it."""
    assert "" == by_one("get_order", answer, "Order ORD-1101 was refunded on May 2.")


@pytest.mark.parametrize(
    ("sentence", "is_wrong"),
    [
        ("I am able to book it.", False),
        ("I was able to book it.", True),
        ("I called `get_seats` for it.", False),
        ("I called the customer for it.", True),
    ],
)
def test_an_ability_or_a_tool_is_no_action(sentence, is_wrong):
    """Being able to do something, and calling a tool by its name, claim no action."""
    assert is_wrong == (by_one("get_seats", sentence, {"free": ["12A"]}) != "")


ORDERS = [{"order_no": "10442", "total": 5000}, {"order_no": "10443", "total": 1299}]


@pytest.mark.parametrize(
    ("answer", "is_done"),
    [
        ("I've cancelled order 10443.", True),
        ("I've cancelled order 10443, which replaced order 10442.", True),
        ("I've cancelled the order over 5000.", True),
        ("I've cancelled order 10442.", False),
    ],
)
def test_id_without_letters(answer, is_done):
    """A number that results have in a field for ids is an id, unlike an amount."""
    RUNS["a number"] = [
        ("list_orders", {}, ORDERS),
        ("cancel_order", {"order_no": "10443"}, {"ok": True}),
    ]

    assert is_done == (contradictions_in("a number", answer) == "")

"""The hard checks compare figures, citations, actions and negations with the evidence."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.answer.checks.combined_checks import hard
from abs_shield.answer.checks.value_check import ABSENT, DERIVED
from abs_shield.answer.claim_types import CONTRADICTED, PRESENT, Claim, Opinion
from abs_shield.answer.evidence.evidence_collection import evidence_from, evidence_of
from abs_shield.answer.evidence.evidence_passages import (
    Evidence,
    ExecutedAction,
    Passage,
    PassageSource,
)
from abs_shield.core import Unavailable
from abs_shield.session import Session
from abs_shield.text.sentences import sentence_spans

TRIP = {
    "id": "3FRNFB",
    "created_at": "2024-05-06T13:25:06",
    "flights": [
        {"number": "HAT028", "date": "2024-05-28", "departure": "06:00:00", "price": 79},
        {"number": "HAT277", "date": "2024-05-30", "departure": "09:15:00", "price": 164},
    ],
    "travellers": [{"name": "Ivan Martin", "born": "1973-08-20"}],
}


def claims(answer):
    """Return the sentences of an answer as claims."""
    return tuple(Claim(answer[start:end], start, end) for start, end in sentence_spans(answer))


def run(*results, user="", writes=()):
    """Return the evidence of a session with these results and writing calls."""
    session = Session()
    if user:
        session.user(user)
    for n, value in enumerate(results):
        session.add(
            [
                {"role": "assistant", "tool_calls": [call(f"r{n}", "get_trip", {"n": n})]},
                {"role": "tool", "tool_call_id": f"r{n}", "content": json.dumps(value)},
            ]
        )
    for n, (name, arguments) in enumerate(writes):
        session.add(
            [
                {"role": "assistant", "tool_calls": [call(f"w{n}", name, arguments)]},
                {"role": "tool", "tool_call_id": f"w{n}", "content": "ok"},
            ]
        )
    return evidence_of(session)


def call(id, name, arguments):
    """Return one call in OpenAI's format."""
    return {"id": id, "function": {"name": name, "arguments": json.dumps(arguments)}}


def opinion_on(answer, evidence, **more):
    """Return the opinion on an answer of one sentence."""
    (one,) = hard(claims(answer), evidence, answer=answer, **more)
    return one


@pytest.mark.parametrize(
    "answer",
    [
        "Flight HAT028 leaves on May 28 at 6 AM for $79.",
        "Reservation 3FRNFB was made on May 6, 2024.",
        "Ivan Martin was born on 20 August 1973.",
        "HAT277 departs at 9:15 on 30.05.2024 and costs 164 dollars.",
    ],
)
def test_figure_of_a_record_is_present(answer):
    """A figure of a record is present in any spelling, and has a span."""
    one = opinion_on(answer, run(TRIP))

    assert (PRESENT, (), "") == (one.score, one.missing, one.contradicted)
    assert one.spans


def test_a_span_leads_to_the_value():
    """A span has the offsets in the passage and the JSON pointer of the value."""
    evidence = run(TRIP)
    spans = opinion_on("HAT028 costs $79.", evidence).spans
    texts = {piece.id: piece.text for piece in evidence}

    assert "/flights/0/price" in {span.pointer for span in spans}
    assert all(span.text == texts[span.piece][span.start : span.end] for span in spans)


@pytest.mark.parametrize(
    ("answer", "text", "has"),
    [
        ("HAT028 leaves on May 30.", "May 30", "2024-05-28"),
        ("HAT028 departs at 9:15 AM.", "9:15 AM", "06:00:00"),
        ("The departure of HAT028 is 7:30 AM.", "7:30 AM", "06:00:00"),
        ("The price of HAT028 is $97.", "$97", "79"),
    ],
)
def test_the_value_of_another_record_is_a_contradiction(answer, text, has):
    """A value of another record or field is a contradiction that shows the expected value."""
    one = opinion_on(answer, run(TRIP))

    assert CONTRADICTED == one.score
    assert [text] == [miss.text for miss in one.missing]
    assert has in one.contradicted


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("Your code is HAT029.", "id"),
        ("You paid $512 in all.", "money"),
        ("It was moved to June 3.", "date"),
        ("We close at 11:40 PM.", "time"),
        ("It takes 37 hours.", "number"),
    ],
)
def test_figure_without_evidence_is_missing(answer, kind):
    """A figure without evidence is missing, with its kind and offsets in the answer."""
    one = opinion_on(answer, run(TRIP))

    (miss,) = one.missing
    assert (kind, ABSENT) == (miss.kind, one.score)
    assert miss.text == answer[miss.start : miss.end]
    assert ABSENT <= 0.59


@pytest.mark.parametrize(
    "answer",
    [
        "HAT028 is $79 and HAT277 is $164, a total of $243.",
        "HAT028 is $79 and HAT277 is $164, a difference of $85.",
        "For 3 travellers HAT028 at $79 each comes to a total of $237.",
        "The total fare is $243.",
        "HAT028 at $79 less 10% costs $71.10.",
        "HAT028 at $79, HAT277 at $164: $243 per head, and $486 for both of you.",
    ],
)
def test_computed_figure_is_derived(answer):
    """A sum, difference, multiple or share of figures of the answer or newest result is derived."""
    one = opinion_on(answer, run(TRIP, user="May I have 10% off?"))

    assert (DERIVED, ()) == (one.score, one.missing)


def test_a_sum_of_older_results_is_not_derived():
    """A sum of figures of an older result is missing."""
    one = opinion_on("The total is $243.", run(TRIP, {"status": "fine"}))

    assert ["$243"] == [miss.text for miss in one.missing]


def test_sum_is_derived_only_if_stated_as_computed():
    """A sum is missing if the sentence does not state that it is computed."""
    one = opinion_on("You get a voucher worth $243.", run(TRIP))

    assert ["$243"] == [miss.text for miss in one.missing]


def test_a_list_binds_its_items_to_its_headings():
    """An item of a list is compared with the record that its heading names."""
    answer = (
        "1. **Flight HAT028**\n   - Date: May 28\n   - Departs: 9:15 AM\n"
        "2. **Flight HAT277**\n   - Date: May 30\n   - Departs: 9:15 AM\n"
    )
    report = hard(claims(answer), run(TRIP), answer=answer)
    wrong = [one for one in report if isinstance(one, Opinion) and one.missing]

    assert [answer.index("9:15 AM")] == [one.missing[0].start for one in wrong]
    assert "another record" in wrong[0].contradicted


def test_records_in_plain_text_are_separate():
    """Records of a plain text list are compared separately."""
    text = "- id: EV-1001\n  start: 2024-05-15 10:00\n- id: EV-1002\n  start: 2024-05-16 14:00\n"
    session = Session()
    session.tool_result("list_events", text)
    evidence = evidence_of(session)

    assert PRESENT == opinion_on("EV-1002 starts on May 16 at 14:00.", evidence).score
    assert CONTRADICTED == opinion_on("EV-1002 starts on May 15.", evidence).score


def test_user_message_has_no_records():
    """Figures of a user message belong to no record."""
    evidence = run(TRIP, user="Can I fly HAT028 on June 2 instead, for $90?")

    assert PRESENT == opinion_on("You asked to fly HAT028 on June 2 for $90.", evidence).score


def test_the_question_is_evidence():
    """A figure of the question needs no other evidence."""
    evidence = evidence_from("Paris is a city.")

    assert PRESENT == opinion_on("In 1789 it was a city.", evidence, question="And in 1789?").score


def test_soft_figures_are_never_missed():
    """Ordinals, small counts and example ids are not missing."""
    answer = "The 3rd of your two bags has an id such as ORD-77123."

    assert () == opinion_on(answer, run(TRIP)).missing


def test_nothing_to_check_is_reported():
    """A claim without figure, citation or action is reported as "nothing to check"."""
    assert Unavailable("nothing to check") == opinion_on("The weather is fine.", run(TRIP))


def test_opaque_content_makes_a_miss_undecided():
    """After opaque content a missing figure is undecided, and a contradiction remains one."""
    session = Session()
    session.opaque("an image")
    session.tool_result("get_trip", TRIP)
    evidence = evidence_of(session)

    assert isinstance(opinion_on("Your code is HAT029.", evidence), Unavailable)
    assert CONTRADICTED == opinion_on("HAT028 leaves on May 30.", evidence).score


@pytest.mark.parametrize(
    ("answer", "good"),
    [
        ("It rains [2].", True),
        ("It rains [7].", False),
        ("It rains (passage 3).", True),
        ("As passages 1 and 4 say, it rains.", False),
        ("Source: https://x.org/a says so.", True),
        ("Source: https://y.org/b says so.", False),
        ("It rains [doc: rain].", True),
        ("It rains [doc: snow].", False),
    ],
)
def test_a_citation_of_what_was_not_retrieved_is_a_contradiction(answer, good):
    """A citation by number, id or URL contradicts evidence that does not contain it."""
    evidence = evidence_from(
        [{"id": "rain", "text": "It rains; see https://x.org/a."}, "It snows.", "It is dry."]
    )

    assert (PRESENT if good else CONTRADICTED) == opinion_on(answer, evidence).score


@pytest.mark.parametrize(
    "answer",
    [
        "I have cancelled your booking.",
        "I've successfully cancelled it.",
        "Your booking has been cancelled.",
        "I was able to cancel the booking.",
        "Your refund has been issued and your booking is now cancelled.",
    ],
)
def test_claimed_action_needs_its_call(answer):
    """A claimed action in any voice is present with its call and a contradiction without it."""
    done = run(TRIP, writes=[("cancel_booking", {"id": "3FRNFB"}), ("issue_refund", {"of": 1})])

    assert PRESENT == opinion_on(answer, done).score
    assert "no successful call" in opinion_on(answer, run(TRIP)).contradicted


@pytest.mark.parametrize(
    "answer",
    [
        "I will cancel it.",
        "Shall I have it cancelled?",
        "I have checked your booking and found two flights.",
        "Once I have cancelled it, you get a mail.",
        "I have not cancelled anything.",
        "It can be cancelled.",
        "No refund has been issued.",
    ],
)
def test_plans_offers_reads_and_denials_are_not_actions(answer):
    """A plan, an offer, a read and a denial claim no action."""
    assert isinstance(opinion_on(answer, run(TRIP)), Unavailable)


def test_failed_call_does_not_support_an_action():
    """A claimed action contradicts a call that failed."""
    session = Session()
    session.add(
        [
            {"role": "assistant", "tool_calls": [call("a", "cancel_booking", {"id": "3FRNFB"})]},
            {"role": "tool", "tool_call_id": "a", "content": "Error: not allowed"},
        ]
    )

    assert CONTRADICTED == opinion_on("I have cancelled your booking.", evidence_of(session)).score


def test_call_of_another_action_does_not_support_an_action():
    """A claimed booking contradicts a run that only cancelled one."""
    other = {"bookings": ["3FRNFB", "59XX6W1"]}
    evidence = run(other, writes=[("cancel_booking", {"id": "3FRNFB"})])

    assert PRESENT == opinion_on("I have cancelled booking 3FRNFB.", evidence).score
    assert CONTRADICTED == opinion_on("I have booked a table.", evidence).score


def test_state_of_a_record_needs_no_call():
    """A passive action is present if a record has that state."""
    evidence = run({"id": "3FRNFB", "status": "cancelled"})

    assert PRESENT == opinion_on("Your booking has been cancelled.", evidence).score


def test_a_refund_follows_from_a_cancellation():
    """A claimed refund is present after a cancellation and a contradiction without any call."""
    answer = "A refund of $79 has been issued to your card."
    done = run(TRIP, writes=[("cancel_booking", {"id": "3FRNFB"})])

    assert PRESENT == opinion_on(answer, done).score
    assert CONTRADICTED == opinion_on(answer, run(TRIP)).score


@pytest.mark.parametrize("count", [1_000, pytest.param(5_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "piece",
    [
        "I have cancelled it ",
        "ORD-77123 $5 ",
        "6:00 ",
        "$1 each ",
        "$1 + $1 = ",
        "May 3, 4 and ",
        "a_1_",
    ],
)
def test_very_long_sentence_is_judged(piece, count):
    """A sentence of thousands of figures or actions is judged."""
    answer = piece * count

    assert 1 == len(hard((Claim(answer, 0, len(answer)),), run(TRIP), answer=answer))


def test_actions_are_not_checked_against_documents():
    """A claimed action is undecided if the evidence is a document."""
    assert isinstance(opinion_on("I have cancelled it.", evidence_from("A text.")), Unavailable)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("The tower in Paris was finished in 1899.", "1889"),
        ("The tower in Paris was finished in 1,889,000.", ""),
    ],
)
def test_another_value_for_the_same_thing_is_a_contradiction(answer, text):
    """A claim contradicts a sentence that differs only in one value."""
    one = opinion_on(answer, evidence_from("The tower in Paris was finished in 1889. It is tall."))

    assert one.missing
    assert text in one.contradicted


def test_another_magnitude_is_a_contradiction():
    """A claim of billions contradicts a sentence with the same number of millions."""
    evidence = evidence_from("Last year the shop sold 2.4 million loaves of bread in Lyon.")

    assert CONTRADICTED == opinion_on("The shop sold 2.4 billion loaves of bread.", evidence).score


def test_another_year_is_a_contradiction():
    """A date contradicts a sentence with the same day of another year."""
    evidence = evidence_from("The museum opened its doors on May 4, 2019 after repairs.")

    assert CONTRADICTED == opinion_on("The museum opened its doors on May 4, 2009.", evidence).score


def test_a_negated_sentence_is_a_contradiction():
    """A claim contradicts a sentence that differs only in a negation."""
    evidence = evidence_from("The ticket is not refundable after departure.")

    assert CONTRADICTED == opinion_on("The ticket is refundable after departure.", evidence).score


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
ANSWERS = st.lists(
    st.sampled_from(
        "HAT028 3FRNFB $79 $80 May 28 6:00 AM total I have cancelled it . \n - [2] (passage 9) "
        "25% two 1.5 million ? no not 2024-05-28 x@y.org 2 hours later".split(" ")
    ),
    max_size=30,
).map(" ".join) | st.text(max_size=60)


@given(answer=ANSWERS, value=JSON)
def test_any_answer_on_any_result_is_judged(answer, value):
    """Any answer on any result has one opinion per claim with valid scores and offsets."""
    session = Session()
    session.tool_result("get", value)
    session.tool_result("get_trip", TRIP)
    given_claims = claims(answer)
    report = hard(given_claims, evidence_of(session), answer=answer)

    assert len(report) == len(given_claims)
    for one in report:
        assert isinstance(one, Unavailable) or 0 <= one.score <= 1
        for miss in getattr(one, "missing", ()):
            assert miss.text == answer[miss.start : miss.end]


def test_offsets_are_right_without_the_answer():
    """Without the answer, offsets of missing values are still those of the answer."""
    answer = "Hello there! HAT028 leaves on May 30."
    (one,) = hard(claims(answer)[1:], run(TRIP))

    assert answer.index("May 30") == one.missing[0].start


@pytest.mark.slow
def test_a_large_run_is_read_in_time():
    """A run of 6,000 records and an answer of 1,000 sentences are judged."""
    rows = [{"id": f"ORD-{n:06}", "at": "2024-05-01", "total": n} for n in range(6_000)]
    evidence = Evidence(
        (Passage("r", PassageSource.TOOL_RESULT, "", value=rows),),
        executed=(ExecutedAction("cancel_order", {"id": "ORD-000001"}),),
    )
    answer = " ".join(f"ORD-{n:06} has a total of ${n}." for n in range(1_000))

    assert 1_000 == len(hard(claims(answer), evidence, answer=answer))

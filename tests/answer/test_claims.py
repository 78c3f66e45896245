"""Claims of answers: their offsets, texts that claim nothing, and critical claims."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.answer.check_pipeline import check_answer, checked
from abs_shield.answer.claim_reader import MOST, claims_of
from abs_shield.session import Session

MARKED = """## Your bookings

Hello Mia! Here they are:

| flight | price |
|:---|---:|
| HAT001 | $120 |
| HAT002 | $140 |

1. **Seat:** 14C at 6pm.
2. The gate is B4; boarding starts at 17:20.
   - [x] One bag of 23 kg is included.

```python
total = 260
```
> "The lounge is open," the desk says.
"""

KINDS = [
    ("The fee is 12.", "number"),
    ("There are twenty-five rooms.", "number"),
    ("It costs $12.50.", "money"),
    ("It costs 300 EUR.", "money"),
    ("He left on 2031-02-03.", "date"),
    ("He left on May 3.", "date"),
    ("It opened in 1932.", "number"),
    ("It closes at 17:30.", "time"),
    ("It closes at 6 pm.", "time"),
    ("It is order ZQ-88123.", "id"),
    ("Write to mia@example.org.", "id"),
    ("Rent rose in all cities [3].", "citation"),
    ("Rent rose (passage 2).", "citation"),
    ("It is in https://example.org/a.", "citation"),
    ("It was built by Anna Keller.", "name"),
    ("I have cancelled your booking.", "action"),
    ("I've just sent the form.", "action"),
    ("We updated the address.", "action"),
    ("Your refund was issued.", "action"),
    ("The order has been shipped.", "action"),
    ("The seat was successfully changed.", "action"),
]

NONE = [
    "",
    " \n\t",
    "Shall I cancel it?",
    "可以吗？",
    "Hello Mia!",
    "Thank you for your patience.",
    "Guten Tag!",
    "I'm sorry to hear that.",
    "I hope this helps.",
    "I\u2019m sorry you\u2019re not feeling well.",
    "Here are the three options with their costs:",
    "If you need it, I can look up the address.",
    "Let me know if you have questions.",
    "I can help you with that.",
    "Please send me the number of the order.",
    "I could not find any flight on May 5.",
    "The passages do not say who won.",
    "There is no information about Rome in the documents.",
    "I'm not sure.",
    "Yes, you are right.",
    "Yes please.",
    "I understand your frustration.",
    "I think so too.",
    "Did you know Mia?",
    "Do you know which day it is?",
    "Would you like a room - or is a bed enough?",
    "That is great!",
    "Done!",
    "All done!",
    "You're all set.",
    "All set!",
    "# Summary",
    "Your summary\n============",
    "flight | price\n--- | ---",
    "Here are the steps:",
    "---",
    "```\nI have cancelled it.\n```",
]

NO_DEEDS = [
    "I have not cancelled your booking.",
    "I have checked the system.",
    "The bridge was completed by Romans.",
    "I will cancel it tomorrow.",
]

HOSTILE = [
    "ich habe " * 25_000, "your x " * 30_000, "you have been " * 20_000,
    "a" * 200_000, "a. " * 60_000, "```\n" * 50_000, "|" * 200_000, "- " * 100_000,
    "A, and " * 30_000, "a is b, and " * 20_000, "1 " * 100_000, "I have " * 30_000,
    "> " * 100_000, "*" * 200_000, "?" * 200_000, "your " * 40_000 + "?", "\n" * 200_000,
    "x, is " * 30_000 + "?", "\ud800 is \x00 1", "[1" * 60_000, "`" * 100_000 + "x", "\u202e" * 9,
]  # fmt: skip


def texts(answer: str) -> list[str]:
    """Return the texts of the claims."""
    return [claim.text for claim in claims_of(answer)]


def test_layout_does_not_break_claims() -> None:
    """Rows, items, quotes and clauses are claims; headings, lead-ins, columns and code are not."""

    expected = [
        "HAT001 | $120", "HAT002 | $140", "Seat:** 14C at 6pm.",
        "The gate is B4", "boarding starts at 17:20.",
        "One bag of 23 kg is included.", '"The lounge is open," the desk says.',
    ]  # fmt: skip
    assert expected == texts(MARKED)


@pytest.mark.parametrize(("answer", "kind"), KINDS)
def test_critical_claim_has_its_kinds(answer: str, kind: str) -> None:
    """A claim with a figure, date, id, source, name or action is critical and has that kind."""
    (claim,) = claims_of(answer)

    assert kind in claim.kinds
    assert claim.critical


@pytest.mark.parametrize("answer", NONE)
def test_courtesies_headings_and_code_are_not_claims(answer: str) -> None:
    """Questions, greetings, offers, refusals, headings and code are not claims."""

    assert [] == texts(answer)


@pytest.mark.parametrize("answer", NO_DEEDS)
def test_denied_or_planned_action_is_not_an_action(answer: str) -> None:
    """A denied or planned action, a read, or an action of somebody else is not an action claim."""

    assert not any("action" in claim.kinds for claim in claims_of(answer))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Sure, your refund of $500 was issued.", ["Sure, your refund of $500 was issued."]),
        ("I have cancelled it, is that all?", ["I have cancelled it"]),
        ("Did you know that the pool is closed?", ["the pool is closed?"]),
        ("I could not find it, but I have booked HAT003.", ["I have booked HAT003."]),
        ("If you cancel, we will charge $50.", ["If you cancel, we will charge $50."]),
        ("I\u2019ve sent it, right?", ["I\u2019ve sent it"]),
        ("I cannot find it, although the fee is $50.", ["the fee is $50."]),
        ("The fee is $50.\n---\nIt is due.", ["The fee is $50.", "It is due."]),
        ("a | b\n--|--\nHAT001 | $120", ["HAT001 | $120"]),
        ("Yes, he was a painter.", ["Yes, he was a painter."]),
        ("Yes he is.\nNo refunds allowed.", ["No refunds allowed."]),
        ("I think so too, the bar opens at 9.", ["I think so too, the bar opens at 9."]),
        ("I understand pandas eat bamboo.", ["I understand pandas eat bamboo."]),
        ("I am not sure but it was built by Romans.", ["it was built by Romans."]),
        ("Are you aware that the bar opens at 9?", ["the bar opens at 9?"]),
        ("Have you heard that Rome has a new museum?", ["Rome has a new museum?"]),
        ("The fee is $50 - shall I go on?", ["The fee is $50"]),
        ("Rome has many museums, who built them?", ["Rome has many museums"]),
        ("We do not give refunds.", ["We do not give refunds."]),
        ("```\nI have cancelled it.", ["I have cancelled it."]),
        ("```text\nI have cancelled it.\n```", ["I have cancelled it."]),
        ("他支付了50元。房间已满。", ["他支付了50元。", "房间已满。"]),
        ("it is red. it costs five.", ["it is red.", "it costs five."]),
        ("Guests pay, however long they stay.", ["Guests pay, however long they stay."]),
        ("He says it is shut, however, it is open.", ["He says it is shut", "it is open."]),
        ("The red bus and the blue bus stop here.", ["The red bus and the blue bus stop here."]),
    ],
)
def test_claim_is_found_beside_other_text(answer: str, expected: list[str]) -> None:
    """A claim beside a courtesy, a question, a refusal or an open fence is found."""

    assert expected == texts(answer)


def test_a_folded_line_is_one_sentence() -> None:
    """A sentence over two lines is one claim, whose text contains the line break."""
    answer = "The museum on the hill is open to all visitors of the\ntown on every day. It is free."

    assert [answer[: answer.index(" It")], "It is free."] == texts(answer)


def test_text_beyond_the_most_claims_is_in_the_last_claim() -> None:
    """An answer has at most 2,000 claims, and the last one contains the rest."""
    answer = "The hall has 3 doors. " * (MOST + 50) + "I have cancelled W-77."
    claims = claims_of(answer)

    assert len(claims) == MOST
    assert claims[-1].text.endswith("I have cancelled W-77.")
    assert "action" in claims[-1].kinds


@pytest.mark.slow
@pytest.mark.parametrize("answer", HOSTILE)
def test_hostile_answers_are_read(answer: str) -> None:
    """Odd and repetitive answers are split into claims."""

    assert all(answer[claim.start : claim.end] == claim.text for claim in claims_of(answer))


WORDS = st.sampled_from(
    "I have cancelled it . ? ! ; , and but is was 12 $5 # ## - * ** | ``` ~~~ > [1] \n \r\n \t 。 "
    "？ Dr. 2031-02-03 6pm Anna ich habe your no : 1. ( ) \" ' x_9 \u200b é".split(" ")
)


@given(st.one_of(st.text(max_size=400), st.lists(WORDS, max_size=60).map(" ".join)))
def test_offsets_are_right_in_any_text(answer: str) -> None:
    """Claims of any text have right offsets, are in order, do not overlap and are not blank."""
    behind = 0
    for claim in claims_of(answer):
        assert answer[claim.start : claim.end] == claim.text
        assert claim.start >= behind
        assert claim.text.strip()
        behind = claim.end


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("If there's anything else you need, feel free to let me know!", 0),
        ("Don't hesitate to reach out if you have any more questions.", 0),
        ("That sounds like a solid plan.", 0),
        ("Now, let's get back to your request.", 0),
        ("However, I can guide you through the form.", 0),
        ("If yes, I\u2019ll connect you right away.", 0),
        ("I cannot override it.", 0),
        ("I'm not able to share that.", 0),
        ("As an AI, I cannot know.", 0),
        ("Great, let me check that for you.", 0),
        ("Perhaps it is closed.", 1),
        ("It might rain.", 1),
        ("I will not charge the $50 fee.", 1),
        ("However, the museum is closed.", 1),
        ("If there is any damage, the insurance pays.", 1),
        ("I can't swim but my brother can.", 1),
        ("This sounds like a fox.", 1),
    ],
)
def test_offers_and_inabilities_are_not_claims(sentence, claims):
    """Offers and inabilities are not claims, but the facts they contain are."""
    assert claims == len(claims_of(sentence))


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        (
            "Breakfast is not included in the room rate.",
            "Breakfast is not included in the room rate.",
        ),
        ("Dental is not included in the plan.", "Dental is not included in the plan."),
        ("Towels are not provided by the hotel.", "Towels are not provided by the hotel."),
        ("Breakfast is not included in the provided passages.", ""),
        ("The price is not given in any of the search results.", ""),
        ("The year isn't provided by the context.", ""),
        ("Parking is not mentioned in the policy.", ""),
        ("I cannot refund you because your fare is basic economy.", "your fare is basic economy."),
        ("I\u2019m unable to cancel since the window has passed.", "the window has passed."),
        ("Since the window has passed, I'm unable to cancel it.", "Since the window has passed"),
        ("I can't change it due to your membership level.", "your membership level."),
        ("I won't be able to move it as the flight has departed.", "the flight has departed."),
        ("I can't answer because the passages do not mention it.", ""),
        ("I could not find it, as it is not in our records.", ""),
        ("I cannot do that because I am a language model.", ""),
        ("I cannot help with that as well as you.", ""),
        ("I cannot find a trip since Monday.", ""),
    ],
)
def test_a_refusal_claims_its_reason(sentence, claim):
    """The reason of a refusal is a claim; the refusal itself is not."""
    assert [claim] * bool(claim) == texts(sentence)


def test_repeated_reasons_are_read_in_bounded_time():
    """A refusal that repeats its reasons many times is split into claims."""
    answer = "I cannot say because " * 20_000

    assert all(answer[one.start : one.end] == one.text for one in claims_of(answer))


@pytest.mark.parametrize(
    ("sentence", "critical"),
    [
        ("I will cancel your booking tomorrow.", True),
        ("We'll send you a replacement.", True),
        ("I'm going to delete the old entry.", True),
        ("Your refund will be issued.", True),
        ("The sky will be blue.", False),
        ("We will not cancel the trip.", False),
    ],
)
def test_promised_action_is_critical(sentence, critical):
    """A promised action is a critical claim of the kind `commitment`."""
    assert critical == any("commitment" in claim.kinds for claim in claims_of(sentence))


@pytest.mark.parametrize(
    "answer",
    [
        "Do you like the towers of Oslo?",
        "Great! Have you ever been to the opera in Bergen?",
        "You mean the lighthouse that was built in 1871?",
        "What is your favourite colour?",
        "I wish I could have a hot dog.",
    ],
)
def test_a_question_or_a_wish_with_content_may_be_a_claim(answer):
    """A question or a wish is a claim only on request and in an answer without statements."""
    assert () == claims_of(answer)
    (claim,) = claims_of(answer, questions=True)

    assert claim.text == answer[claim.start : claim.end]
    assert answer.endswith(claim.text)


@pytest.mark.parametrize(
    "answer",
    [
        "Shall I book it?",
        "Which of the two hotels do you mean?",
        "I could not find that. Is it the hotel by the lake?",
        "Could you tell me your order number?",
        "What is your order number?",
        "What's the booking reference code?",
        "How many nights are you staying?",
        "To which address should I send it?",
        "When would you like to fly?",
        "Is there anything else?",
        "How?",
    ],
)
def test_a_question_to_the_user_is_not_a_claim(answer):
    """A question that offers something or asks what the user means is not a claim."""
    assert () == claims_of(answer, questions=True)


@pytest.mark.parametrize("answer", ["Yes.", "Nope!", " no, it is not.", "Yeah"])
def test_a_bare_yes_or_no_may_be_a_claim(answer):
    """A bare yes or no is a claim only on request."""
    assert () == claims_of(answer)
    (claim,) = claims_of(answer, questions=True)

    assert answer.strip() == claim.text == answer[claim.start : claim.end]


@pytest.mark.parametrize("answer", ["No problem!", "Yes, I can.", "Yes, please.", "OK.", "Hello!"])
def test_a_courtesy_is_no_yes_or_no(answer):
    """A courtesy, or what the speaker says about itself, is not a claim."""
    assert () == claims_of(answer, questions=True)


def test_a_bare_yes_is_revised():
    """A bare yes about documents is revised, since its words say nothing either way."""
    text = "Breakfast is included in the price of the room."
    report = checked("Yes.", evidence=text, question="Is breakfast included?").report

    assert ("revise", 0.5) == (report.action, report.claims[0].score)
    assert "emit" == checked(f"Yes. {text}", evidence=text).report.action


def test_a_statement_beside_a_question_is_the_claim():
    """Beside a statement a question is not a claim."""
    (claim,) = claims_of("The pass costs 20 euros. Have you been there?", questions=True)

    assert "The pass costs 20 euros." == claim.text


def test_a_question_is_scored_with_documents_only():
    """A question is scored if there are documents, and is no claim in a run."""
    session = Session()
    session.tool_result("look_up", "The opera in Oslo opened in 2008.")
    question = "Have you ever been to the fish market in Bergen?"
    message = "Did the opera in Oslo open in 2008?"
    evidence = "The opera in Oslo opened in 2008."

    assert "revise" == check_answer(question, evidence=evidence).action
    assert "no_claims" not in checked(message, evidence=evidence).notes
    assert "no_claims" in checked(question, session=session).notes

"""The faithfulness guardrail: the provider without a model, streaming, and custom providers."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.answer.evidence.evidence_collection import evidence_from
from abs_shield.answer.faithfulness import (
    Faithfulness,
    LexicalProvider,
    ProviderVerdicts,
    StatementVerdict,
)
from abs_shield.answer.faithfulness.streamed_text import Buffer
from abs_shield.errors import PolicyError
from abs_shield.model import Budget, Terms
from tests.answer.judges import Reader

POLICY = (
    "Customers may return unworn shoes within 30 days of delivery for a full refund. "
    "Refunds are paid to the original card. Sale items cannot be returned. "
    "Our store in Lyon opened on 3 March 2019 and has 12 employees."
)


def verdicts(text: str, context: str = POLICY, **settings: Any) -> list[int]:
    report = Faithfulness(provider="lexical", context=context, **settings)
    return [one.verdict for one in report.check(text).statements]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("You may return unworn shoes within 30 days of delivery.", 1),
        ("Refunds are paid to your original card.", 1),
        ("The store in Lyon has twelve employees.", 1),
        ("The Lyon store opened on 2019-03-03.", 1),
        ("You may return unworn shoes within 60 days of delivery.", 0),
        ("The store in Rome has 12 employees.", 0),
        ("The Lyon store opened on 2019-03-04.", 0),
        ("Sale items can be returned.", 0),
        ("Refunds are not paid to the original card.", 0),
        ("Refunds take about ten business days and need a printed form.", 0),
        ("Refunds go to the original card.", 1),
        ("Sale items can't be returned.", 1),
        ("The store in Lyon has 13 employees.", 0),
        ("The Lyon store closed on 3 March 2019.", 0),
        ("Jean Renoir opened the store in Lyon.", 0),
        ("The store in Lyon opened in the summer of 2019 with a concert [4].", 0),
    ],
)
def test_the_lexical_provider(text, verdict):
    """A statement passes if the context has its figures, names, negations and most of its words."""

    assert [verdict] == verdicts(text)


def test_the_reason_names_what_is_wrong():
    """The reason names the missing value or the contradicting evidence."""
    report = Faithfulness(provider="lexical", context=POLICY)
    texts = {
        "The store in Rome has 12 employees.": "the name `Rome` is not in the context",
        "Refunds take 17 signatures.": "the number `17` is not in the context",
        "Sale items can be returned.": "the evidence says",
        "The Lyon store closed on 3 March 2019.": "is the opposite of",
        "Returns are a matter of great national pride.": "too few of its words",
    }

    for text, reason in texts.items():
        (one,) = report.check(text).statements
        assert reason in one.reason


@pytest.mark.parametrize(
    ("text", "context", "verdict"),
    [
        ("Der Turm wurde 1889 gebaut.", "Der Turm wurde 1889 in Paris gebaut.", 1),
        ("Der Turm wurde 1890 gebaut.", "Der Turm wurde 1889 in Paris gebaut.", 0),
        ("Der Turm wurde nicht 1889 gebaut.", "Der Turm wurde 1889 in Paris gebaut.", 0),
        ("La tour a été construite en 1889.", "La tour a été construite en 1889 à Paris.", 1),
        ("La tour a été construite à Rome.", "La tour a été construite en 1889 à Paris.", 0),
        ("東京タワーは赤いです。", "東京タワーは1958年に建てられ、赤いです。", 1),
    ],
)
def test_other_languages(text, context, verdict):
    """Words and figures are compared in any script."""

    assert [verdict] == verdicts(text, context)


def test_markdown_is_split_into_statements():
    """Each list item is a statement; a heading is none."""
    text = "# Returns\n\n- Unworn shoes: within 30 days\n1. Refunds are paid to the card\n"

    assert [1, 1] == verdicts(text)


@pytest.mark.slow
@pytest.mark.parametrize("length", [30_000, pytest.param(150_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("piece", ["a", "a ", "a. ", "9 ", "Lyon ", "not ", "- x y\n", "東京"])
def test_long_repetitive_texts_are_judged(piece, length):
    """A repetition of any length gets a verdict, or exceeds the limit of 2,000 statements."""
    text = (piece * length)[:length]
    result = Faithfulness(provider="lexical", context=text).check(text)

    assert result.undetermined == "" or "at most 2000 are judged" in result.undetermined


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_gets_a_result(text, context):
    """For any text and context, the score is in [0, 1] or None, and the explanation is one line."""
    report = Faithfulness(provider="lexical", context=context or "--", allow_missing_context=True)
    result = report.check(text)

    assert result.score is None or 0 <= result.score <= 1
    assert "\n" not in result.explain()
    assert len(result.statements) == len(result.in_scope) + len(result.out_of_scope)


@given(st.lists(st.text(max_size=40), max_size=20), st.integers(1, 60))
def test_a_stream_loses_nothing(chunks, window):
    """The parts that a buffer returns, joined, equal the text of the chunks."""
    held = Buffer(window, longest=10_000)
    parts = [part for chunk in chunks for part in held.add(chunk)]

    assert "".join(chunks) == "".join([*parts, *held.rest()])


def test_a_text_is_split_into_propositions():
    """Clauses are judged separately; questions, offers and refusals are not judged."""
    text = (
        "Sure! Refunds are paid to the original card, but sale items can be returned. "
        "The context does not mention gift cards. Shall I start the return?"
    )
    result = Faithfulness(provider="lexical", context=POLICY).check(text)

    assert [1, 0] == [one.verdict for one in result.statements]
    assert all(one.text in text for one in result.statements)


def test_a_later_clause_of_a_sentence_is_in_scope():
    """A clause without a name from the context is in scope if the first clause is."""
    text = "Our store in Lyon opened on 3 March 2019, and was visited by twenty giraffes."
    result = Faithfulness(provider="lexical", context=POLICY).check(text)

    assert [True] * len(result.statements) == [one.in_scope for one in result.statements]
    assert result.denied


def test_a_context_may_be_a_tool_result():
    """The context may be JSON, a document with an id, or the evidence of a run."""
    record = '{"order": {"id": "W-4411", "total": 129.5, "status": "shipped"}}'
    forms = [record, [{"id": "orders", "text": record}], evidence_from(record)]
    right, wrong = "Order W-4411 was shipped.", "Order W-4411 was shipped for $192.50."
    results = [Faithfulness(provider="lexical", context=one) for one in forms]

    assert [True] * 3 == [one.check(right).passed for one in results]
    assert [False] * 3 == [one.check(wrong).passed for one in results]


@pytest.mark.slow
@pytest.mark.release
def test_a_truncated_context_is_reported():
    """A note says that the context was truncated, so that it does not prove an absence."""
    long = "Rooms are free on Monday. " * 45_000
    result = Faithfulness(provider="lexical", context=long).check("Rooms are free on Monday.")

    assert "a result is too large to be read whole" in result.notes


def test_a_verifier_decides_paraphrases():
    """A verifier decides a paraphrase; if it raises, the statement is undetermined and denied."""
    text = "Unworn shoes go back and you have the whole sum again."

    def sure(premise: str, claims: Any) -> list[float]:
        return [0.99 for _ in claims]

    def broken(premise: str, claims: Any) -> list[float]:
        raise RuntimeError("no weights")

    words, model, fault = (
        Faithfulness(
            provider=LexicalProvider(verifier=one),
            context=POLICY,
            exclude_out_of_scope_statements=False,
        ).check(text)
        for one in (None, sure, broken)
    )
    assert (True, False) == (words.denied, model.denied)
    assert "RuntimeError: no weights" in fault.undetermined
    assert fault.denied


class CustomProvider:
    """A provider that a user has written."""

    judge = None

    def __init__(self, fault: Exception | None = None) -> None:
        self.fault = fault

    def steps(self, text: str, context: Any) -> Any:
        yield from ()
        if self.fault:
            raise self.fault
        return ProviderVerdicts(
            (StatementVerdict(text, True, True, "it says so"),), ("checked by hand",)
        )


def test_a_custom_provider():
    """The result has the provider's verdicts and notes; if it raises, it is undetermined."""
    good = Faithfulness(provider=CustomProvider(), context=POLICY).check("Anything.")
    bad = Faithfulness(provider=CustomProvider(ValueError("oh")), context=POLICY).check("Anything.")

    assert (True, ("checked by hand",)) == (good.passed, good.notes)
    assert "the provider failed: ValueError: oh" == bad.undetermined
    assert bad.denied


def test_the_budget_applies_to_each_check():
    """Each check has the whole budget; a check that needs more is undetermined."""
    judge = Reader(lambda text: 1)
    two = Faithfulness(provider=judge, context=POLICY, terms=Terms(budget=Budget(calls=2)))
    one = Faithfulness(provider=judge, context=POLICY, terms=Terms(budget=Budget(calls=1)))

    assert all(two.check(f"Shop {n} is open.").passed for n in range(3))
    assert "the budget of 1 calls is spent" == one.check("Shop 9 is open.").undetermined


def test_a_guardrail_is_thread_safe():
    """Concurrent checks of one guardrail return the result of their own text."""
    report = Faithfulness(provider="lexical", context=POLICY)
    texts = [f"You may return shoes within {n} days." for n in range(20, 40)]
    passed: dict[str, bool] = {}
    threads = [
        threading.Thread(target=lambda t=text: passed.update({t: report.check(t).passed}))
        for text in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert ["30" in text for text in texts] == [passed[text] for text in texts]


def test_several_messages_are_judged_together():
    """A list of messages has one score."""
    report = Faithfulness(provider="lexical", context=POLICY, threshold=0.5)
    result = report.check(["Refunds are paid to the card.", "Sale items can be returned."])

    assert (2, True) == (len(result.statements), result.passed)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), "0.5", True, None])
def test_an_invalid_share_is_an_error(share):
    """`holds_from` must be a number in [0, 1]."""
    with pytest.raises(PolicyError, match="`holds_from` is"):
        LexicalProvider(holds_from=share)

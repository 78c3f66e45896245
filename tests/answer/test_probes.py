"""Probes: their questions, the comparison of answers, and probes that could not run."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from abs_shield.answer.claim_types import Claim
from abs_shield.answer.consistency_probes import GAP, gaps
from abs_shield.answer.evidence.evidence_passages import (
    Evidence,
    ExecutedAction,
    Passage,
    PassageSource,
)
from abs_shield.errors import PolicyError
from abs_shield.model import Budget, Replies, Terms
from tests.answer.judges import Scripted, aprobe, asynchronous, data_in, probe

TEXT = "Flight HAT028 costs $79. It leaves on May 15, 2024. Mia Li booked it."
EVIDENCE = Evidence(
    (Passage("result:1", PassageSource.TOOL_RESULT, TEXT),),
    executed=(ExecutedAction("cancel", {"id": "HAT028"}),),
)
ANSWER = "The flight HAT028 costs $79.00. It leaves on 2024-05-15. I have cancelled it."
QUESTION = "What does it cost, and when does it leave?"


def claims_in(answer: str, *kinds: str) -> tuple[Claim, ...]:
    results, start = [], 0
    for part in answer.split(". "):
        text = part if part.endswith(".") else f"{part}."
        results.append(Claim(text, start, start + len(text), frozenset(kinds or {"number"})))
        start += len(part) + 2
    return tuple(results)


CLAIMS = claims_in(ANSWER)
TRUE = {"HAT028": "HAT028", "$79.00": "79 dollars", "2024-05-15": "May 15"}


class Filler:
    """A judge that fills each gap with the sentence's own value."""

    def __init__(self, *tables: dict[str, str]) -> None:
        self.tables = list(tables)
        self.requests: list[list[dict[str, str]]] = []

    def __call__(self, messages: list[dict[str, str]], schema: Any) -> dict[str, Any]:
        table = self.tables[min(len(self.requests), len(self.tables) - 1)]
        self.requests.append(messages)
        results = [
            {"id": one["id"], "value": self.value(one["sentence"], table)}
            for one in data_in(messages)["sentences"]
        ]
        return {"answer": "as the table has it", "found": results}

    @staticmethod
    def value(sentence: str, table: dict[str, str]) -> str:
        for missing in TRUE:
            if GAP in sentence and missing not in sentence:
                filled = sentence.replace(GAP, missing)
                if filled in (ANSWER, *(claim.text for claim in CLAIMS)) or filled in ANSWER:
                    return table.get(missing, "unknown")
        return table.get("", "yes")


def test_a_claim_is_asked_about_value_by_value():
    """Each value of a claim becomes a gap in its sentence."""
    first = gaps(CLAIMS[0], ANSWER)

    assert [f"The flight {GAP} costs $79.00.", f"The flight HAT028 costs {GAP}."] == [
        gap.text for gap in first
    ]
    assert ["HAT028", "$79.00"] == [gap.original for gap in first]


def test_pronoun_is_probed_with_the_previous_sentence():
    """A sentence that begins with a pronoun is probed with the sentence before it."""
    (gap,) = gaps(CLAIMS[1], ANSWER)

    assert f"The flight HAT028 costs $79.00. It leaves on {GAP}." == gap.text


def test_action_is_probed_as_a_yes_no_question():
    """An action without a value is probed as a yes/no question."""
    (gap,) = gaps(CLAIMS[2], ANSWER)

    assert gap.value is None
    assert gap.agrees("Yes, it was.")
    assert not any(gap.agrees(user_text) for user_text in ("no", "unknown", "", "not done: yes?"))


def test_action_with_a_value_has_two_probes():
    """An action with a value has one probe for the value and one for the action."""
    answer = "It is cheap, and I have cancelled booking W-77120 for you."
    claim = Claim(answer[17:], 17, len(answer), frozenset({"action", "id"}))
    which, whether = gaps(claim, answer)

    assert f"It is cheap, and I have cancelled booking {GAP} for you." == which.text
    assert ("I have cancelled booking W-77120 for you.", None) == (whether.text, whether.value)


@pytest.mark.parametrize("wrap", [lambda one: one, asynchronous])
def test_agreement_is_by_value(wrap):
    """Probes agree by value: "$79.00" equals "79 dollars"."""
    report = probe(CLAIMS, ANSWER, QUESTION, EVIDENCE, wrap(Filler(TRUE)))
    again = asyncio.run(aprobe(CLAIMS, ANSWER, QUESTION, EVIDENCE, wrap(Filler(TRUE))))

    assert [1.0, 1.0, 1.0] == [one.agreement for one in report]
    assert [claim.text for claim in CLAIMS] == [one.claim for one in report]
    assert "HAT028; $79.00" == report[0].original
    assert ("HAT028; 79 dollars",) == report[0].probe_answers
    assert not any(one.diverges for one in report)
    assert report == again


@pytest.mark.parametrize(
    ("other", "number"),
    [
        ({"$79.00": "89"}, 0),
        ({"$79.00": "unknown"}, 0),
        ({"HAT028": "HAT082"}, 0),
        ({"2024-05-15": "May 16"}, 1),
        ({"": "no"}, 2),
    ],
)
def test_another_value_diverges(other, number):
    """Only the claim with the differing or unknown value diverges."""
    report = probe(CLAIMS, ANSWER, QUESTION, EVIDENCE, Filler(TRUE | other))

    assert [n == number for n in range(3)] == [one.diverges for one in report]
    assert 0.0 == report[number].agreement


def test_the_majority_of_several_probes_counts():
    """A claim diverges unless more than half of its probes agree."""
    wrong = TRUE | {"$79.00": "89"}

    def first(*tables: dict[str, str]) -> Any:
        filler = Filler(*tables)
        return probe(CLAIMS[:1], ANSWER, QUESTION, EVIDENCE, filler, times=len(tables))[0]

    assert (2 / 3, False) == (first(TRUE, wrong, TRUE).agreement, first(TRUE, wrong, TRUE).diverges)
    assert first(wrong, wrong, TRUE).diverges
    assert first(wrong, TRUE).diverges
    assert 3 == len(first(TRUE, wrong, TRUE).probe_answers)


def test_each_probe_asks_in_other_words():
    """Probes differ in wording, share the evidence and do not contain the answer."""
    filler = Filler(TRUE)
    terms = Terms(replies=Replies())
    probe(CLAIMS[:1], ANSWER, QUESTION, EVIDENCE, filler, times=5, terms=terms)
    data = [data_in(messages) for messages in filler.requests]

    assert 5 == len({messages[0]["content"] for messages in filler.requests})
    assert all(data[0] == one for one in data)
    assert (QUESTION, TEXT) == (data[0]["question"], data[0]["evidence"][0]["text"])
    assert "cancel" == data[0]["calls"][0]["tool"]
    assert not any(ANSWER[:40] in messages[1]["content"] for messages in filler.requests)


def test_only_critical_claims_are_probed():
    """A claim that is not critical is not probed and costs no request."""
    plain = (Claim("The flight is nice.", 0, 19),)
    model = Scripted()

    assert () == probe(plain, "The flight is nice.", QUESTION, EVIDENCE, model)
    assert [] == model.requests


@pytest.mark.parametrize(
    ("evidence", "judge", "terms", "said"),
    [
        (EVIDENCE, None, Terms(), "no judge is given"),
        (EVIDENCE, Filler(TRUE), Terms(budget=Budget(calls=0)), "the budget of 0 calls is spent"),
        (EVIDENCE, Scripted(RuntimeError("no route")), Terms(), "no route"),
        (EVIDENCE, Scripted({}, {}), Terms(), "two invalid replies"),
        (Evidence(()), Filler(TRUE), Terms(), "there is no evidence"),
    ],
)
def test_probe_that_did_not_run_has_a_reason(evidence, judge, terms, said):
    """A probe that did not run has a reason and neither agrees nor diverges."""
    report = probe(CLAIMS, ANSWER, QUESTION, evidence, judge, terms=terms)

    assert 3 == len(report)
    assert all(said in one.not_run for one in report)
    assert {(None, False, ())} == {
        (one.agreement, one.diverges, one.probe_answers) for one in report
    }


def test_probes_that_ran_count_when_others_did_not():
    """Probes within the budget count if the others did not run."""
    terms = Terms(budget=Budget(calls=1))
    report = probe(CLAIMS, ANSWER, QUESTION, EVIDENCE, Filler(TRUE), times=3, terms=terms)

    assert [1, 1, 1] == [len(one.probe_answers) for one in report]
    assert [1.0] * 3 == [one.agreement for one in report]


@pytest.mark.parametrize("spoilt", ["missing", "twice", "strange"])
def test_reply_with_wrong_ids_is_requested_again(spoilt):
    """A reply whose ids do not match the gaps is requested once more."""

    def wrong(messages: Any) -> Any:
        reply = Filler(TRUE)(messages, {})
        items = reply["found"]
        changed = {
            "missing": items[1:],
            "twice": [*items, items[0]],
            "strange": [*items, {"id": "c9.9", "value": "x"}],
        }
        return reply | {"found": changed[spoilt]}

    model = Scripted(wrong, lambda messages: Filler(TRUE)(messages, {}))
    report = probe(CLAIMS, ANSWER, QUESTION, EVIDENCE, model)

    assert [1.0] * 3 == [one.agreement for one in report]
    assert 2 == len(model.requests)


def test_many_claims_are_asked_in_groups():
    """Gaps are sent in groups, and each claim gets its own answer."""
    answer = " ".join(f"Room {n} has {n + 100} seats." for n in range(1, 50))
    claims = tuple(
        Claim(text := f"Room {n} has {n + 100} seats.", at := answer.index(text), at + len(text),
              frozenset({"number"}))
        for n in range(1, 50)
    )  # fmt: skip

    def fills(messages: Any) -> Any:
        request = data_in(messages)["sentences"]
        return {"answer": "", "found": [{"id": one["id"], "value": "101"} for one in request]}

    report = probe(claims, answer, None, EVIDENCE, Scripted(*[fills] * 10))

    assert 49 == len(report)
    assert all(one.agreement == 0.0 for one in report)


@pytest.mark.parametrize("times", [0, 6, True, 1.0])
def test_a_wrong_number_of_probes_fails_at_once(times):
    """An invalid number of probes raises an error."""
    with pytest.raises(PolicyError, match="give 1 to 5"):
        probe(CLAIMS, ANSWER, QUESTION, EVIDENCE, Filler(TRUE), times=times)


def test_values_without_a_sentence_are_asked_about_as_a_whole():
    """A claim that consists only of a value is probed as a yes/no question."""
    claim = Claim("$79", 0, 3, frozenset({"money"}))

    assert [None] == [gap.value for gap in gaps(claim, "$79")]


@pytest.mark.parametrize("piece", ["$79 ", "9. ", "It ", "[ ? ] ", "a" * 50 + " "])
def test_hostile_answers_are_bounded(piece):
    """A very long claim has at most six gaps of bounded length."""
    answer = piece * 10_000
    claim = Claim(answer, 0, len(answer), frozenset({"number"}))

    results = gaps(claim, answer)

    assert len(results) <= 6
    assert all(len(gap.text) <= 1_300 for gap in results)

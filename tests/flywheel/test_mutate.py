"""20 to 50 examples from one accepted gap: reproducible, right, different, no evaluation case."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from abs_shield.errors import ShieldError
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.gap import GapState
from abs_shield.flywheel.mutate import MutationSources, find_leaks, mutate
from abs_shield.flywheel.mutate.canonical_text import fuzz
from abs_shield.flywheel.mutate.mutated_values import distort
from abs_shield.model import Budget, Terms
from abs_shield.quality.facts import Fact, FactTable
from tests.flywheel.catches import catch, gap, misspelt_id, phantom_tool

pytest.importorskip("rapidfuzz", reason="needs `pip install abs-shield[flywheel]`")
pytest.importorskip("faker", reason="needs `pip install abs-shield[flywheel]`")

FACTS = FactTable(
    Fact(subject=subject, attribute=attribute, value=value, period=period)
    for subject, attribute, value, period in [
        ("Apple", "market cap", "$3.1T", "Q4 2025"),
        ("Amazon", "market cap", "$2.1T", "Q4 2025"),
        ("Siemens", "market cap", "$181B", "Q3 2025"),
        ("Apple", "head", "Tim Cook", ""),
    ]
)
KINDS = {
    "fact": (gap(), [catch()]),
    "name": (gap(code="unknown_tool", right_answer="refund"), [phantom_tool()]),
    "copy": (gap(code="unmentioned"), [misspelt_id()]),
    "correction": (gap(), [catch(claim="The cap is $3.2T", verified_value="The cap is $3.1T")]),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [20, 50])
def test_each_kind_of_gap_has_the_requested_number_of_examples(kind: str, count: int) -> None:
    """The prompts differ, and no example has the wrong answer as its answer."""
    facts = () if kind == "correction" else FACTS
    examples = mutate(*KINDS[kind], MutationSources(facts=facts), count=count).examples

    assert count == len({one.prompt for one in examples})
    assert {kind} == {one.kind for one in examples}
    assert [] == [one for one in examples if one.answer == one.rejected or not one.rejected]


def test_the_answer_is_the_fact_and_not_the_error() -> None:
    """The answer of an example has the value of the fact; the rejected answer has the error."""
    examples = mutate(*KINDS["fact"], MutationSources(facts=FACTS), count=50).examples
    apple = [one for one in examples if one.source == "Apple, market cap, Q4 2025"]

    assert apple
    assert [] == [one for one in apple if "$3.1T" not in one.answer or "$3.2T" in one.answer]
    assert {True} == {"$3.2T" in one.rejected for one in apple}
    assert len({one.template for one in apple}) == len(apple)


def test_a_source_without_a_list_is_queried_with_the_claims() -> None:
    """A source such as a knowledge graph is queried with the claims of the catches."""

    class Graph:
        def facts_about(self, sentence: str) -> list[Fact]:
            return FACTS.facts_about(sentence)

    caught = catch(claim="Apple's market cap reached $3.2T in Q4 2025.")
    examples = mutate(gap(), [caught], MutationSources(facts=Graph(), made_up=0.0)).examples

    assert {"Apple, market cap, Q4 2025"} == {one.source for one in examples}


def test_an_example_about_a_fabricated_entity_states_its_fact() -> None:
    """The prompt contains the value of the fact."""
    examples = mutate(*KINDS["fact"], MutationSources(facts=FACTS), count=50).examples
    made_up = [one for one in examples if "record" in one.template]

    assert made_up
    assert [] == [one for one in made_up if one.context["fact"]["value"] not in one.prompt]


def test_names_are_taken_from_the_lists() -> None:
    """If a list of names is given, faker is not used."""
    entities = {"subject": ["Acme"], "period": ["Q1 2001"]}
    examples = mutate(
        *KINDS["fact"], MutationSources(facts=FACTS, entities=entities), count=50
    ).examples
    made_up = [one for one in examples if "record" in one.template]

    assert {"Acme"} == {one.context["fact"]["subject"] for one in made_up}
    assert {"Q1 2001"} == {one.context["fact"]["period"] for one in made_up}


@pytest.mark.parametrize(
    ("entities", "message"),
    [
        ({"subject": "Zeta"}, '`subject` is "Zeta"; give a list of texts'),
        ({"subject": []}, "give a list of texts"),
        ({"subject": ["Zeta", 7]}, "give a list of texts"),
        ({"subjekt": ["Zeta"]}, "did you mean `subject`"),
        ({"planet": ["Mars"]}, "use subject, period, person, tool"),
    ],
)
def test_entities_are_lists_of_known_kinds(entities: dict[str, Any], message: str) -> None:
    """A text is not a list of its letters, and a kind that nothing asks for is a slip."""
    with pytest.raises(ShieldError, match=message):
        mutate(*KINDS["fact"], MutationSources(facts=FACTS, entities=entities))


def test_the_same_seed_gives_the_same_examples() -> None:
    """Another seed gives other examples."""
    one, same, other = (
        mutate(*KINDS["fact"], MutationSources(facts=FACTS), seed=n) for n in (1, 1, 2)
    )

    assert one == same
    assert one.examples != other.examples


def test_a_right_answer_of_the_user_wins() -> None:
    """Over the name that a check thought to be meant."""
    sources = MutationSources(answers={"issue_refund": "pay_back"})
    examples = mutate(*KINDS["name"], sources).examples

    assert {"pay_back"} == {one.context["right"] for one in examples}
    assert [] == [one for one in examples if "pay_back" not in one.answer]


def test_a_suggested_value_is_never_an_answer() -> None:
    """Examples use the form of a suggested id with other digits, never the id itself."""
    examples = mutate(*KINDS["copy"], MutationSources(), count=50).examples

    assert [] == [one for one in examples if "tx_12345" in one.prompt + one.answer]
    assert {"tx_"} == {one.context["value"][:3] for one in examples}
    assert [] == [one for one in examples if one.context["value"] not in one.prompt]


def test_a_right_answer_of_a_reviewer_is_used() -> None:
    """If no check verified a value, the examples use the answer that the reviewer gave."""
    examples = mutate(
        gap(right_answer="The cap is $3.1T"),
        [catch(claim="The cap is $3.2T", verified_value="")],
        MutationSources(),
    ).examples

    assert {"The cap is $3.1T"} == {one.context["right"] for one in examples}


def test_facts_about_something_else_are_not_used() -> None:
    """A gap of market caps is not trained with heads, and without its facts not at all."""
    others = [fact for fact in FACTS if fact.attribute == "head"]
    about = catch(verified_value="", about="market cap")
    with pytest.raises(ShieldError, match=r"no right answer is known .* give `facts` about it"):
        mutate(gap(), [about], MutationSources(facts=others))
    examples = mutate(gap(), [about], MutationSources(facts=FACTS)).examples

    assert {"market cap"} == {one.context["fact"]["attribute"] for one in examples}


def test_plural_attributes_have_a_plural_verb() -> None:
    """An attribute in the plural has no article and a plural verb."""
    facts = [Fact(subject="Apple", attribute="employees", value="164,000")]
    caught = catch(verified_value="164,000", claim="161,000")
    mutation = mutate(gap(), [caught], MutationSources(facts=facts, made_up=0.5), count=40)
    texts = "\n".join(f"{one.prompt}\n{one.answer}" for one in mutation.examples)

    assert [] == re.findall(r"\ba employees|employees was|was .*'s employees", texts)
    assert "employees were 164,000" in texts


def test_no_evaluation_case_is_among_them() -> None:
    """Cases that are drafts themselves are left out, counted, and the proof is clean."""
    cases = [
        one.prompt.upper() for one in mutate(*KINDS["fact"], MutationSources(facts=FACTS)).examples
    ]
    mutation = mutate(*KINDS["fact"], MutationSources(facts=FACTS), held_out=cases)

    assert mutation.leaks > 0
    assert find_leaks([one.prompt for one in mutation.examples], cases).is_clean


@pytest.mark.parametrize(
    ("changed", "catches", "message"),
    [
        ({"state": GapState.OPEN}, [catch()], "is open; accept it first"),
        ({}, [catch(verified_value="")], "no right answer is known"),
        ({"code": "unknown_tool"}, [phantom_tool(suggested_value="")], "no right name is known"),
        ({"code": "unknown_tool"}, [phantom_tool()], "`refund` for `issue_refund` is only a guess"),
        (
            {"right_answer": "$3.1T"},
            [catch(verified_value="", claim=claim) for claim in ("$3.2T", "$2.9T")],
            "no right answer is known",  # one answer of two claims is not right of both
        ),
    ],
)
def test_what_cannot_be_mutated_says_why(
    changed: dict[str, Any], catches: list[Catch], message: str
) -> None:
    """A gap that is not accepted, and gaps without a right answer."""
    with pytest.raises(ShieldError, match=message):
        mutate(gap(**changed), catches, MutationSources())


def test_a_count_out_of_range_is_refused() -> None:
    """20 to 50."""
    with pytest.raises(ShieldError, match="use 20 to 50"):
        mutate(*KINDS["fact"], MutationSources(facts=FACTS), count=5)


def test_a_model_words_prompts_and_never_answers() -> None:
    """A wording that changes a number or a name is left out; the answer stays the fact."""

    def judge(messages: list[dict[str, str]], schema: dict[str, Any]) -> dict[str, Any]:
        question = messages[1]["content"].partition('"')[2].rpartition('"')[0]
        return {"prompts": [f"Kindly tell an old friend: {question}", "What of $9.9T?"]}

    mutation = mutate(*KINDS["fact"], MutationSources(facts=FACTS, judge=judge))
    worded = [one for one in mutation.examples if one.template.startswith("model")]

    assert worded
    assert {True} == {one.context["fact"]["value"] in one.answer for one in worded}
    assert [] == [one for one in worded if "$9.9T" in one.prompt]


def test_a_model_that_is_not_affordable_is_reported() -> None:
    """The templates fill the place of its wordings."""
    terms = Terms(budget=Budget(calls=1, characters=10))
    sources = MutationSources(facts=FACTS, judge=lambda messages, schema: {}, terms=terms)
    mutation = mutate(*KINDS["fact"], sources)

    assert 30 == len(mutation.examples)
    assert "budget" in mutation.notes[0]


def test_a_missing_extra_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the command that installs the extra."""
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)

    with pytest.raises(ShieldError, match=r"pip install \"abs-shield\[flywheel\]\""):
        fuzz()


def test_a_distorted_value_is_written_like_the_value() -> None:
    """A distorted value has the notation of the original and differs from it after rounding."""
    from decimal import Decimal

    assert "$3.2T" == distort("$3.1T", Decimal("1.001"))
    assert "about 1,225 people" == distort("about 1,250 people", Decimal("0.98"))

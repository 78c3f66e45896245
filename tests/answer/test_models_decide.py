"""A verifier or a judge supports or refutes claims that the words leave undecided."""

from __future__ import annotations

import asyncio

import pytest

from abs_shield import AnswerConfig, Shield, shield
from abs_shield.answer.check_pipeline import achecked, checked
from abs_shield.answer.verifier import Odds
from abs_shield.session import Session
from tests.answer.judges import data_in

HOTEL = "The Nord hotel is a five minute walk from the station. Guests may use the garden."
WALK = "From the station it is a short walk of five minutes to the Nord hotel."
"""The words leave it open: between .4 and .85."""


def verifier(entailed, contradicted=0.0, marked=()):
    """Return a verifier with one opinion."""
    return lambda premise, claims: [Odds(entailed, contradicted, marked)] * len(claims)


def judge(verdict, quote="a five minute walk from the station"):
    """Return a judge with one verdict that repeats every value."""

    def ask(messages, schema):
        data = data_in(messages)
        if "claims" in data:
            some = [one["id"] for one in data["claims"]]
            more = {"verdict": verdict, "quote": quote, "reason": "the evidence says six"}
            return {"judgements": [{"id": key, **more} for key in some]}
        keys = [one["id"] for one in data["sentences"]]
        return {"answer": "", "found": [{"id": key, "value": "five"} for key in keys]}

    return ask


def fails(*args):
    """Raise an error, as a model that is not available does."""
    raise RuntimeError("out of memory")


def session():
    """Return a session whose one result is the document."""
    run_session = Session()
    run_session.user("How far is it?")
    run_session.tool_result("look_up", HOTEL)
    return run_session


PLACES = {"documents": lambda: {"evidence": HOTEL}, "run": lambda: {"session": session()}}
SUPPORT = {"verifier": verifier(0.97), "judge": judge("supported")}
REFUTE = {"verifier": verifier(0.02, 0.95), "judge": judge("contradicted")}
DOUBT = {"verifier": verifier(0.1), "judge": judge("not_found", "")}


def checks(place, **config):
    """Return the check of the answer, which is the same from sync and async code."""
    config = AnswerConfig(probes=0, **config)
    report = checked(WALK, config=config, **PLACES[place]())
    again = asyncio.run(achecked(WALK, config=config, **PLACES[place]()))
    assert (report.report.claims, report.errors) == (again.report.claims, again.errors)
    return report


@pytest.mark.parametrize("model", SUPPORT)
def test_model_supports_an_undecided_claim(model):
    """An undecided claim beside documents is emitted only with the support of a model."""
    assert "revise" == checks("documents").report.action
    result = checks("documents", **{model: SUPPORT[model]})

    assert ("emit", ()) == (result.report.action, result.errors)
    assert "grounded" == result.report.claims[0].status


def test_model_supports_a_paraphrase():
    """A model that is sure of a paraphrase outweighs its low lexical score."""
    text = "The guests are allowed to relax among flowers."
    alone = checked(text, evidence=HOTEL)
    report = checked(text, evidence=HOTEL, config=AnswerConfig(verifier=verifier(0.99)))

    assert alone.claims[0].words < 0.4
    assert ("revise", "emit") == (alone.report.action, report.report.action)


def test_what_a_check_contradicts_is_not_asked_about():
    """A claim that a hard check contradicts is blocked without asking the model."""
    requests = []
    model = lambda premise, claims: requests.extend(claims) or [0.99] * len(claims)  # noqa: E731
    evidence = "The Nord hotel has 85 rooms and stands at the lake."
    report = checked(evidence.replace("85", "95"), evidence=evidence, config={"verifier": model})

    assert ([], "block") == (requests, report.report.action)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("model", REFUTE)
def test_model_refutes_an_undecided_claim(place, model):
    """A critical claim that a model refutes is blocked with its reason."""
    result = checks(place, **{model: REFUTE[model]})

    assert ("block", ()) == (result.report.action, result.errors)
    assert "contradicted" == result.report.claims[0].status
    assert result.claims[0].contradicted.startswith("the evidence says")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("model", DOUBT)
def test_a_model_that_finds_no_support_stops_an_answer(place, model):
    """A claim that a model finds unsupported is not emitted, in a run either."""
    assert ("emit" if place == "run" else "revise") == checks(place).report.action
    result = checks(place, **{model: DOUBT[model]})

    assert result.report.action in ("revise", "block")
    assert "unsupported" == result.report.claims[0].status
    assert () == result.errors


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("model", ["verifier", "judge"])
def test_a_broken_model_is_an_error_and_no_verdict(place, model):
    """A model that fails leaves score and status unchanged and adds an error."""
    alone = checks(place)
    result = checks(place, **{model: fails})

    assert alone.report.claims == result.report.claims
    assert "revise" == result.report.action
    assert 1 == len(result.errors)
    assert "out of memory" in result.errors[0]
    assert "check_failed" in result.notes


@pytest.mark.parametrize("model", ["verifier", "judge"])
def test_a_decision_shows_a_broken_model(model):
    """The Decision lists the failure of a model as an error and not as a finding."""
    firewall = Shield(shield.configure(mode="strict"), hooks=())
    with firewall.session() as run:
        run.user("How far is it?")
        run.tool_result("look_up", HOTEL)
        firewall.check_answer(WALK, config=AnswerConfig(**{model: fails}))
    [decision] = run.answer_decisions

    assert 1 <= len(decision.errors)
    assert all("out of memory" in error for error in decision.errors)
    assert not [one for one in decision.findings if one.where.startswith("/claims")]


def test_marked_words_are_underlined_and_not_the_whole_claim():
    """A verifier that marks words marks only those words of a claim."""
    words = WALK.index("short walk")
    result = checks("documents", verifier=verifier(0.05, marked=((words, words + 10),)))

    assert ((words, words + 10),) == result.marked
    assert [("words", "short walk")] == [one[:2] for one in result.claims[0].missing]

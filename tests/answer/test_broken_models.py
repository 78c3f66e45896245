"""A verifier or judge that fails is an error and never a pass."""

from __future__ import annotations

import json

import pytest

from abs_shield import AnswerConfig
from tests.answer.shop import ASKED, EVEN, OPEN, TRUE, Shop, shop_session, statuses


@pytest.fixture
def shop():
    """Yield a shop in a session that has looked up order W-2040."""
    with shop_session() as requests:
        yield requests


@pytest.mark.parametrize(
    "reply", [[0.9, 0.9], [], [float("nan")], [1.5], [True], ["high"], None, RuntimeError("down")]
)
@pytest.mark.parametrize("aggregate", ["min", "mean"])
def test_a_verifier_that_breaks_is_an_error_and_no_pass(shop, reply, aggregate):
    """A verifier that fails is an error of the decision, and the answer is revised."""

    def verifier(premise, claims):
        if isinstance(reply, Exception):
            raise reply
        return reply

    config = AnswerConfig(verifier=verifier, aggregate=aggregate, **EVEN)
    report = shop.firewall.check_answer(" ".join([TRUE] * 9 + [OPEN]), config=config)
    [decision] = shop.session.answer_decisions

    assert "revise" == report.action
    assert "check_failed" in decision.notes
    assert [error.split(":")[0] for error in decision.errors] == ["the verifier failed"]


@pytest.mark.parametrize(
    "reply",
    [{}, {"judgements": []}, "supported", RuntimeError("down"), {"judgements": float("nan")}],
)
def test_a_judge_that_breaks_is_an_error_and_no_pass(shop, reply):
    """A judge that fails is an error; an invalid reply is requested once more."""
    received = []

    def judge(messages, schema):
        received.append(messages)
        if isinstance(reply, Exception):
            raise reply
        return reply

    config = AnswerConfig(judge=judge, probes=0, **EVEN)
    report = shop.firewall.check_answer(OPEN, config=config)
    [decision] = shop.session.answer_decisions

    assert ("revise", ["grounded"]) == (report.action, statuses(report))
    assert 1 == len(decision.errors)
    assert (1 if isinstance(reply, Exception) else 2) == len(received)


@pytest.mark.parametrize(
    "arguments",
    [
        {"order_id": float("nan")},
        {"order_id": 10**5_000},
        {"order_id": {1, 2}, 7: object()},
        {"order_id": "\ud800 x"},
        '{"order_id": NaN',
        None,
    ],
)
def test_report_is_json_for_any_arguments(arguments):
    """A report is valid JSON whatever the arguments of a call contain."""
    new_shop = Shop()
    with new_shop.firewall.session() as session:
        session.user(ASKED)
        new_shop.firewall.check_call({"name": "get_order", "arguments": arguments})
        report = new_shop.firewall.check_answer(TRUE).to_dict()

    assert report == json.loads(json.dumps(report, allow_nan=False))
    assert ["get_order"] == [one["tool"] for one in report["tool_call_validations"]]

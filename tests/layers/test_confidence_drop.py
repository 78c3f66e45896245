"""The model was unsure of the tool it picked."""

from __future__ import annotations

from math import exp, log

import pytest

from abs_shield import Shield, Tool, ToolCall, Verdict, shield
from abs_shield.session.session_record import record_of

TOKENS = [
    {"token": "{", "logprob": -9.0},
    {"token": "re", "logprob": log(0.5), "bytes": [114, 101]},
    {"token": "fund", "logprob": log(0.5), "bytes": None},
    {"token": '"', "logprob": -9.0},
]


def make_shield(**declared):
    declared = {"threshold": 0.8, "layers": ["confidence_drop"], **declared}
    return Shield(shield.configure(tools=[Tool(name="refund"), Tool(name="é")], **declared))


def check(logprobs, name="refund", **declared):
    return make_shield(**declared).check_call(ToolCall(name, {}, None, logprobs))


def codes(decision):
    return [f.code for f in decision.findings]


def after(firewall, readings):
    """Decisions about one call a reading, in one session."""
    session = firewall.session()
    calls = [ToolCall("refund", {}, None, [reading]) for reading in readings]
    return [firewall.check_call(call, session=session) for call in calls]


def test_an_unsure_call_is_suspicious_and_runs():
    """A likelihood of 0.3 is flagged with strength 0.7."""
    decision = check([log(0.3)])

    assert (Verdict.SUSPICIOUS, False) == (decision.verdict, decision.blocked)
    assert pytest.approx(0.7) == decision.findings[0].strength


def test_the_likelihood_is_the_geometric_mean():
    """exp of the mean log-probability: two tokens of 0.9 and 0.1 give 0.3."""
    (finding,) = check([log(0.9), log(0.1)]).findings

    assert pytest.approx(1 - exp((log(0.9) + log(0.1)) / 2)) == finding.strength


@pytest.mark.parametrize(
    ("threshold", "likelihood", "verdict"),
    [
        (0.8, 0.79, Verdict.SUSPICIOUS),
        (0.8, 0.81, Verdict.CLEAN),
        (0.5, 0.49, Verdict.SUSPICIOUS),
        (0.5, 0.51, Verdict.CLEAN),
        (1.0, 0.99, Verdict.SUSPICIOUS),
        (0.0, 0.01, Verdict.CLEAN),
    ],
)
def test_the_threshold_is_a_sensitivity(threshold, likelihood, verdict):
    """A finding counts when its strength is at least 1 - threshold."""
    assert verdict is check([log(likelihood)], threshold=threshold).verdict


@pytest.mark.parametrize(
    ("threshold", "likelihood", "found"),
    [
        (0.8, 0.9, []),
        (0.8, 0.8, ["low_likelihood"]),
        (0.5, 0.6, []),
        (0.5, 0.5, ["low_likelihood"]),
        (0.0, 0.01, []),
        (1.0, 0.99, ["low_likelihood"]),
        (1.0, 1.0, []),
    ],
)
def test_a_finding_that_would_not_count_is_not_yielded(threshold, likelihood, found):
    """Every name has a likelihood: only doubt that the threshold counts is worth a finding."""
    assert found == codes(check([log(likelihood)], threshold=threshold))


def test_a_drop_that_would_not_count_is_not_yielded():
    """Of 3.8 deviations the strength is 0.63: found at a threshold of 0.5, and not at 0.3."""
    readings = [-0.01] * 5 + [-0.2]

    assert ["likelihood_drop"] == codes(after(make_shield(threshold=0.5), readings)[-1])
    assert [] == codes(after(make_shield(threshold=0.3), readings)[-1])


def test_the_tokens_of_the_name_are_found_by_their_bytes():
    """Tokens of the rest of the message do not count."""
    (finding,) = check(TOKENS).findings

    assert pytest.approx(0.5) == finding.strength


def test_a_letter_may_be_split_between_tokens():
    """One letter in two tokens is found, too."""
    halves = [{"token": "�", "logprob": log(0.5), "bytes": [byte]} for byte in "é".encode()]

    assert pytest.approx(0.5) == check(halves, name="é").findings[0].strength


@pytest.mark.parametrize("logprobs", [None, [], [None], [{"token": "other", "logprob": -1.0}]])
def test_without_log_probabilities_nothing_can_be_said(logprobs):
    """Unreadable log-probabilities count as missing."""
    decision = check(logprobs)

    assert ("unavailable", "no log-probabilities") == decision.coverage["confidence_drop"]


def test_entries_that_are_null_are_ignored():
    """The mean is taken over those that are known."""
    assert pytest.approx(0.5) == check([None, log(0.5), None]).findings[0].strength


@pytest.mark.parametrize("logprobs", [[0.1], [float("nan")], [True], ["-1"], "refund", 5])
def test_a_reading_that_cannot_be_is_our_error(logprobs):
    """A positive, NaN or non-numeric reading is an error, never a verdict."""
    decision = check(logprobs)

    assert (Verdict.CLEAN, ()) == (decision.verdict, decision.findings)
    assert 1 == len(decision.errors)
    assert "error" == decision.coverage["confidence_drop"].outcome


def test_minus_infinity_is_no_likelihood_at_all():
    """A token that the model gave no chance is a finding of strength 1."""
    assert 1.0 == check([float("-inf")]).findings[0].strength


def test_a_drop_below_the_sessions_mean_is_noticed():
    """After five sure calls a sixth, three deviations below, is a drop."""
    decisions = after(make_shield(), [-0.01] * 5 + [-0.2])

    assert ["likelihood_drop"] == codes(decisions[-1])
    assert Verdict.SUSPICIOUS is decisions[-1].verdict


def test_four_calls_are_no_usual():
    """A mean of fewer than five calls is not compared with."""
    decisions = after(make_shield(), [-0.01] * 4 + [-2.0])

    assert ["low_likelihood"] == codes(decisions[-1])


def test_a_small_drop_is_none():
    """The spread has a floor: equal readings do not make every change a drop."""
    decisions = after(make_shield(), [-0.01] * 5 + [-0.1])

    assert "likelihood_drop" not in codes(decisions[-1])


def test_a_point_is_judged_before_it_is_learnt():
    """The dropping call itself does not raise the spread it is measured by."""
    decisions = after(make_shield(), [-0.01] * 5 + [-0.31])

    assert pytest.approx(1.0) == decisions[-1].findings[-1].strength


def test_erroneous_readings_do_not_train():
    """Impossible readings neither count as calls nor move the mean."""
    decisions = after(make_shield(mode="audit"), [-0.01] * 4 + [0.5] * 9 + [-0.2])

    assert "likelihood_drop" not in codes(decisions[-1])


def test_another_session_starts_anew():
    """The usual is this session's own."""
    firewall = make_shield()
    after(firewall, [-0.01] * 5)

    assert "likelihood_drop" not in codes(after(firewall, [-0.2])[0])


def test_a_call_of_a_turn_trains_once():
    """A proposal and its dispatch are one reading."""
    firewall = make_shield()
    session = firewall.session()
    for number in range(3):
        call = ToolCall("refund", {}, f"c{number}", [-0.01])
        firewall.inspect_turn([call], session=session)
        firewall.check_call(call, session=session)

    assert 3 == record_of(session).likelihoods.n

"""The layer confidence_drop reports tool names that the model chose with low probability."""

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


def finding_codes(decision):
    return [f.code for f in decision.findings]


def after(firewall, readings):
    """Return the decisions on one call per log-probability, all in one session."""
    session = firewall.session()
    calls = [ToolCall("refund", {}, None, [reading]) for reading in readings]
    return [firewall.check_call(call, session=session) for call in calls]


def test_call_of_low_likelihood_is_suspicious_and_runs():
    """A call of likelihood 0.3 is SUSPICIOUS with strength 0.7 and is not blocked."""
    decision = check([log(0.3)])

    assert (Verdict.SUSPICIOUS, False) == (decision.verdict, decision.blocked)
    assert pytest.approx(0.7) == decision.findings[0].strength


def test_the_likelihood_is_the_geometric_mean():
    """The likelihood is exp of the mean log-probability: tokens of 0.9 and 0.1 give 0.3."""
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
    """A finding changes the verdict if its strength is at least 1 - threshold."""
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
def test_likelihood_below_the_threshold_yields_no_finding(threshold, likelihood, found):
    """A low likelihood is a finding only if its strength reaches 1 - threshold."""
    assert found == finding_codes(check([log(likelihood)], threshold=threshold))


def test_drop_below_the_threshold_yields_no_finding():
    """A drop of strength 0.63 is a finding at a threshold of 0.5, but not at 0.3."""
    readings = [-0.01] * 5 + [-0.2]

    assert ["likelihood_drop"] == finding_codes(after(make_shield(threshold=0.5), readings)[-1])
    assert [] == finding_codes(after(make_shield(threshold=0.3), readings)[-1])


def test_the_tokens_of_the_name_are_found_by_their_bytes():
    """Only the tokens that spell the tool's name count, not others of the message."""
    (finding,) = check(TOKENS).findings

    assert pytest.approx(0.5) == finding.strength


def test_a_letter_may_be_split_between_tokens():
    """A tool's name is found if one of its letters is split between two tokens."""
    halves = [{"token": "�", "logprob": log(0.5), "bytes": [byte]} for byte in "é".encode()]

    assert pytest.approx(0.5) == check(halves, name="é").findings[0].strength


@pytest.mark.parametrize("logprobs", [None, [], [None], [{"token": "other", "logprob": -1.0}]])
def test_layer_is_unavailable_without_log_probabilities(logprobs):
    """The layer is unavailable if log-probabilities are missing or belong to other tokens."""
    decision = check(logprobs)

    assert ("unavailable", "no log-probabilities") == decision.coverage["confidence_drop"]


def test_entries_that_are_null_are_ignored():
    """The mean ignores null entries."""
    assert pytest.approx(0.5) == check([None, log(0.5), None]).findings[0].strength


@pytest.mark.parametrize("logprobs", [[0.1], [float("nan")], [True], ["-1"], "refund", 5])
def test_invalid_log_probability_is_an_error(logprobs):
    """A positive, NaN or non-numeric log-probability is an error and yields no verdict."""
    decision = check(logprobs)

    assert (Verdict.CLEAN, ()) == (decision.verdict, decision.findings)
    assert 1 == len(decision.errors)
    assert "error" == decision.coverage["confidence_drop"].outcome


def test_minus_infinity_yields_strength_one():
    """A log-probability of minus infinity yields a finding of strength 1."""
    assert 1.0 == check([float("-inf")]).findings[0].strength


def test_drop_below_the_mean_of_the_session_is_reported():
    """A call three deviations below the mean of five earlier calls is SUSPICIOUS."""
    decisions = after(make_shield(), [-0.01] * 5 + [-0.2])

    assert ["likelihood_drop"] == finding_codes(decisions[-1])
    assert Verdict.SUSPICIOUS is decisions[-1].verdict


def test_mean_of_four_calls_is_not_used():
    """A call is not compared with the mean of fewer than five earlier calls."""
    decisions = after(make_shield(), [-0.01] * 4 + [-2.0])

    assert ["low_likelihood"] == finding_codes(decisions[-1])


def test_small_drop_after_equal_calls_passes():
    """A small drop passes after equal calls, because the deviation has a lower bound."""
    decisions = after(make_shield(), [-0.01] * 5 + [-0.1])

    assert "likelihood_drop" not in finding_codes(decisions[-1])


def test_call_is_judged_before_it_is_added_to_the_mean():
    """A call is compared with the statistics of earlier calls, which exclude itself."""
    decisions = after(make_shield(), [-0.01] * 5 + [-0.31])

    assert pytest.approx(1.0) == decisions[-1].findings[-1].strength


def test_invalid_log_probabilities_are_not_added_to_the_mean():
    """Invalid log-probabilities change neither the number of calls nor the mean."""
    decisions = after(make_shield(mode="audit"), [-0.01] * 4 + [0.5] * 9 + [-0.2])

    assert "likelihood_drop" not in finding_codes(decisions[-1])


def test_sessions_do_not_share_a_mean():
    """A session does not use the mean of another session."""
    firewall = make_shield()
    after(firewall, [-0.01] * 5)

    assert "likelihood_drop" not in finding_codes(after(firewall, [-0.2])[0])


def test_proposed_and_dispatched_call_is_counted_once():
    """A call that is proposed in a turn and then dispatched is added to the mean once."""
    firewall = make_shield()
    session = firewall.session()
    for number in range(3):
        call = ToolCall("refund", {}, f"c{number}", [-0.01])
        firewall.inspect_turn([call], session=session)
        firewall.check_call(call, session=session)

    assert 3 == record_of(session).likelihoods.n

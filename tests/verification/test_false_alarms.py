"""Honest results are accepted."""

from __future__ import annotations

from itertools import islice

import pytest

from abs_shield.verification import VerificationEngine
from benchmarks.verification_streams import STREAMS

CALLS = {"50 fields": 2_000, "200 fields": 1_000}


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("same", [True, False], ids=["same arguments", "other arguments"])
def test_honest_streams_are_accepted(name, same):
    """At most one in a hundred is flagged with one field, two in a hundred in any other case."""
    make, most = STREAMS[name]
    engine = VerificationEngine().register_tool_profile("t", expected_latency_ms=(0, 1e9))
    calls = CALLS.get(name, 5_000 if same else 2_000)
    flagged = 0
    for n, (result, ms) in enumerate(islice(make(seed=41), calls)):
        verification = engine.verify(
            "t",
            args={"id": 7 if same else n},
            result=result,
            execution_time_ms=ms,
            session_id="s" if same else None,
        )
        flagged += verification.verdict != "accept"

    assert flagged / calls <= most


@pytest.mark.parametrize("calls", [1, 50])
def test_other_arguments_are_other_things(calls):
    """NVDA costs 650, then PENNY costs 0.5, in the same session and again."""
    engine = VerificationEngine()
    for n in range(calls):
        engine.verify(
            "quote", args={"of": "NVDA"}, result={"price": 650.0 + n % 3},
            execution_time_ms=250.0, session_id="s",
        )  # fmt: skip

    for value in (0.5, 0.51, 0.49):
        result = engine.verify(
            "quote", args={"of": "PENNY"}, result={"price": value},
            execution_time_ms=250.0, session_id="s",
        )  # fmt: skip
        assert "accept" == result.verdict


def test_true_becomes_false():
    """A changed boolean is not a changed number."""
    engine = VerificationEngine()
    for n in range(50):
        engine.verify(
            "t", args={}, result={"open": True, "n": n % 4}, execution_time_ms=9.0, session_id="s"
        )

    result = engine.verify(
        "t", args={}, result={"open": False, "n": 2}, execution_time_ms=9.0, session_id="s"
    )
    assert "accept" == result.verdict


def test_a_pure_computation_may_be_fast():
    """0.15 ms are plausible where no network is waited for."""
    engine = VerificationEngine().register_tool_profile(
        "calculate", expected_latency_ms=(0.1, 100), has_network_io=False
    )
    result = engine.verify("calculate", result=4, execution_time_ms=0.15)

    assert ("accept", False) == (result.verdict, result.signals["latency_anomaly"].fired)


def test_a_fast_result_of_an_undeclared_tool_is_accepted():
    """A latency of 0.3 ms fires the latency signal, but this signal alone flags nothing."""
    result = VerificationEngine().verify("lookup", result={"x": 1}, execution_time_ms=0.3)

    assert ("accept", True) == (result.verdict, result.signals["latency_anomaly"].fired)


def test_the_undeclared_reading_flags_no_honest_stream():
    """Ten fields of a tool that takes 0.3 ms are accepted as those of a slow one are."""
    engine = VerificationEngine()
    make, _ = STREAMS["10 fields"]
    verdicts = [
        engine.verify("t", args={}, result=r, execution_time_ms=0.3).verdict
        for r, _ in islice(make(seed=5), 3_000)
    ]

    assert sum(v != "accept" for v in verdicts) <= 0.02 * len(verdicts)


def test_a_slow_result_is_accepted():
    """A latency of ten times the declared maximum fires the signal, and the result is accepted."""
    engine = VerificationEngine().register_tool_profile("t", expected_latency_ms=(10, 100))
    result = engine.verify("t", result={}, execution_time_ms=1_000.0)

    assert ("accept", True) == (result.verdict, result.signals["latency_anomaly"].fired)


def test_a_change_that_stays_is_believed_in_the_end():
    """After thirty results in a row that are unlike the old ones, these are forgotten."""
    engine = VerificationEngine()
    for _ in range(60):
        engine.verify("fee", args={}, result={"fee": 10.0}, execution_time_ms=20.0)
    verdicts = [
        engine.verify("fee", args={}, result={"fee": 30.0}, execution_time_ms=20.0).verdict
        for _ in range(60)
    ]

    assert {"flag", "block"} >= set(verdicts[:30])
    assert {"accept"} == set(verdicts[-20:])

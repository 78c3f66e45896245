"""The seed document `verification-engine`: its tables, formulas, defaults and printed values."""

from __future__ import annotations

import math
import random
from dataclasses import fields

import pytest

from abs_shield.stats.western_electric import RUN, WEIGHTS, limits
from abs_shield.verification import (
    SIGNALS,
    Literature,
    SignalResult,
    ToolProfile,
    VerificationEngine,
    VerificationResult,
    VerificationTier,
)
from abs_shield.verification.result_judging import verdict_of

TABLE = {
    "schema_mismatch": (12.0, 0),
    "pattern_mismatch": (6.0, 0),
    "latency_anomaly": (3.5, 0),
    "length_anomaly": (2.0, 0),
    "historical_inconsistency": (4.5, 1),
    "session_inconsistency": (4.0, 1),
    "spc_anomaly": (3.0, 1),
    "value_plausibility": (3.0, 1),
}
RATIOS = {name: ratio for name, (ratio, _) in TABLE.items()}
WEATHER = {
    "expected_latency_ms": (100, 5000),
    "required_fields": ["temperature", "humidity"],
    "has_network_io": True,
}


def verify_result(result=None, *, ms=350.0, profile=None):
    """Return a result of a tool without earlier results."""
    engine = VerificationEngine().register_tool_profile("get_weather", **(profile or WEATHER))
    real = {"temperature": 18, "humidity": 65}
    return engine.verify(
        "get_weather",
        args={"city": "London"},
        result=real if result is None else result,
        execution_time_ms=ms,
    )


def stocks(calls=50):
    """Return an engine with this many results of a price of about 650."""
    engine, dice = VerificationEngine(), random.Random(1)
    for _ in range(calls):
        price(engine, 650 + dice.gauss(0, 5))
    return engine


def price(engine, value, *, ticker="NVDA", session=None):
    return engine.verify(
        "get_stock_price",
        args={"ticker": ticker},
        result={"price": value, "currency": "USD"},
        execution_time_ms=250.0,
        session_id=session,
    )


def combine_scores(**scores):
    """Return the posterior of signals with these scores; a score of 0 is a silent signal."""
    messages = [(n, SignalResult(s > 0, s, RATIOS[n])) for n, s in scores.items()]
    odds = Literature(RATIOS).odds(math.log(0.15 / 0.85), messages)
    return 1 / (1 + math.exp(-odds))


# Quick start --------------------------------------------------------------------------------------


def test_the_quick_start_prints_the_documented_line(capsys):
    """The result is accepted with the confidence 0.127 after both tiers."""
    result = verify_result()
    print(result.verdict, result.confidence, result.tier_reached)

    assert "accept 0.127 VerificationTier.TIER_1\n" == capsys.readouterr().out
    assert set(TABLE) == set(result.signals)


def test_an_undeclared_tool_has_default_limits():
    """Durations from 2 ms to 60 s fire no signal, and no fields are required."""
    for ms in (2.0, 350.0, 60_000.0):
        result = VerificationEngine().verify("t", result={"x": 1}, execution_time_ms=ms)
        assert not result.signals["latency_anomaly"].fired
        assert result.signals["schema_mismatch"].unavailable


# Signals ------------------------------------------------------------------------------------------


def test_the_table_of_signals():
    """Eight signals, each with the ratio and the tier of the table."""
    table = {s.name: (s.likelihood_ratio, s.tier.value) for s in SIGNALS}

    assert TABLE == table


@pytest.mark.parametrize("result", [{"temperature": 18}, {}])
def test_schema_mismatch(result):
    """A required field is missing."""
    assert verify_result(result).signals["schema_mismatch"].fired


def test_forbidden_fields():
    """A field is there that no real result has."""
    profile = {"forbidden_fields": ["error", "mock"]}

    assert verify_result({"mock": True}, profile=profile).signals["schema_mismatch"].fired
    assert not verify_result({"real": True}, profile=profile).signals["schema_mismatch"].fired


def test_pattern_mismatch():
    """The signal fires if no pattern matches; one matching pattern is enough."""
    profile = {"response_patterns": [r'"results"\s*:\s*\[', r'"rows"']}

    assert verify_result({"answer": 42}, profile=profile).signals["pattern_mismatch"].fired
    assert not verify_result({"results": []}, profile=profile).signals["pattern_mismatch"].fired


@pytest.mark.parametrize("ms", [0.05, 0.5, 1.9])
def test_faster_than_two_milliseconds(ms):
    """No network answers within 2 ms: near-certain fabrication the nearer it is to nothing."""
    assert verify_result(ms=ms).signals["latency_anomaly"].fired


def test_a_fabricated_result_after_0_05_ms_is_blocked():
    """A network call that returns after 0.05 ms has the documented confidence 0.896."""
    result = verify_result({}, ms=0.05, profile={"expected_latency_ms": (100, 5000)})

    assert ("block", 0.896) == (result.verdict, result.confidence)


@pytest.mark.parametrize(("length", "fired"), [(5, True), (60, False), (200, True)])
def test_length_anomaly(length, fired):
    """Shorter or longer than the bounds."""
    profile = {"min_response_length": 50, "max_response_length": 100}

    assert fired == verify_result("x" * length, profile=profile).signals["length_anomaly"].fired


# Combiner -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "score", "posterior"),
    [
        ("length_anomaly", 1, 0.2609), ("spc_anomaly", 1, 0.3462), ("latency_anomaly", 1, 0.3818),
        ("session_inconsistency", 1, 0.4138), ("historical_inconsistency", 1, 0.4426),
        ("pattern_mismatch", 1, 0.5143), ("schema_mismatch", 1, 0.6792),
        ("schema_mismatch", 0, 0.1282), ("spc_anomaly", 0, 0.1487), ("length_anomaly", 0, 0.1487),
    ],
)  # fmt: skip
def test_one_signal_moves_the_prior(name, score, posterior):
    """1 + (LR - 1) * score where it fires, 1 / max(LR * 0.1, 1.01) where it is silent."""
    assert posterior == pytest.approx(combine_scores(**{name: score}), abs=5e-5)


@pytest.mark.parametrize(("score", "posterior"), [(0.5, 0.5318), (1.0, 0.6771)])
def test_schema_fires_and_latency_is_silent(score, posterior):
    """Half of the required fields are missing, or all of them."""
    both = combine_scores(schema_mismatch=score, latency_anomaly=0)

    assert posterior == pytest.approx(both, abs=5e-5)


def test_the_posterior_equals_the_documented_formula():
    """For any fired signals the log-odds are those of the document's code."""
    dice = random.Random(2)
    for _ in range(200):
        scores = {n: dice.choice([0, dice.random()]) for n in list(TABLE)[:4]}
        log_odds = math.log(0.15 / (1 - 0.15))
        for name, score in scores.items():
            ratio = RATIOS[name]
            if score:
                log_odds += math.log(1.0 + (ratio - 1.0) * score)
            else:
                log_odds += math.log(1.0 / max(ratio * 0.1, 1.01))
        expected = math.exp(log_odds) / (1 + math.exp(log_odds))
        assert expected == pytest.approx(combine_scores(**scores))


def test_silence_lowers_the_posterior():
    """Signals that do not fire say so too."""
    assert combine_scores(schema_mismatch=0, latency_anomaly=0, length_anomaly=0) < 0.15


# Tiers and verdicts -------------------------------------------------------------------------------


def test_tier_1_is_skipped_where_tier_0_blocks():
    """All required fields are missing: the posterior is 0.5 or more already."""
    result = verify_result({})

    assert ("block", VerificationTier.TIER_0) == (result.verdict, result.tier_reached)
    assert result.signals["spc_anomaly"].unavailable


@pytest.mark.parametrize(
    ("posterior", "verdict"),
    [(0.1999, "accept"), (0.2, "flag"), (0.4999, "flag"), (0.5, "block"), (0.9, "block")],
)
def test_the_limits_of_the_verdicts(posterior, verdict):
    """Accept below 0.2, flag below 0.5, block from there on."""
    assert verdict == verdict_of(posterior, VerificationEngine()._learnt.settings.usual.limits)


@pytest.mark.parametrize(
    ("wanted", "verdict"),
    [(0.1999, "accept"), (0.2, "flag"), (0.4999, "flag"), (0.5, "block")],
)
def test_the_engine_keeps_the_limits_of_the_verdicts(wanted, verdict):
    """Posteriors just below and at each limit have the documented verdict."""
    engine = VerificationEngine().register_tool_profile("t", expected_latency_ms=(1, 100))

    def late(prior):
        engine.calibrate(prior=prior)
        return engine.verify("t", result=None, execution_time_ms=500.0)

    odds = wanted / (1 - wanted) / (1 + 2.5 * 0.1)
    prior = odds / (1 + odds)
    while late(prior).posterior < wanted:
        prior = math.nextafter(prior, 1)
    result = late(prior)

    assert result.posterior == pytest.approx(wanted, abs=1e-12)
    assert verdict == result.verdict


# Profiles -----------------------------------------------------------------------------------------


def test_the_defaults_of_a_profile():
    """Each field of a profile has the default of the document's table."""
    profile = ToolProfile()

    assert (50, 30_000) == profile.expected_latency_ms
    assert ((), (), ()) == (
        profile.required_fields,
        profile.forbidden_fields,
        profile.response_patterns,
    )
    assert (None, None) == (profile.min_response_length, profile.max_response_length)
    assert profile.has_network_io is True


def test_the_three_profiles_of_the_page():
    """A search, a database and a computation: each accepts what it describes."""
    engine = VerificationEngine()
    engine.register_tool_profile(
        "search_web",
        expected_latency_ms=(100, 5000),
        required_fields=["results", "total_count"],
        forbidden_fields=["error", "mock"],
        response_patterns=[r'"results"\s*:\s*\['],
        min_response_length=50,
        max_response_length=100000,
        has_network_io=True,
    )
    engine.register_tool_profile(
        "query_db", expected_latency_ms=(5, 30000), required_fields=["rows"], has_network_io=True
    )
    engine.register_tool_profile("calculate", expected_latency_ms=(0.1, 100), has_network_io=False)
    results = {
        "results": [{"title": "a long enough title"}, {"title": "another"}],
        "total_count": 2,
    }

    for name, result, ms in (
        ("search_web", results, 400.0), ("query_db", {"rows": []}, 6.0), ("calculate", 4, 0.15),
    ):  # fmt: skip
        assert "accept" == engine.verify(name, result=result, execution_time_ms=ms).verdict


# Baselines ----------------------------------------------------------------------------------------


def test_the_western_electric_rules():
    """The rules have the documented limits, and their weights sum to 1."""
    assert (0.40, 0.25, 0.20, 0.15) == WEIGHTS
    assert 8 == RUN
    assert [3, 2, 1, 0] == [pytest.approx(x, abs=1e-3) for x in limits(100_000, 1)]


def test_the_baseline_needs_eight_results():
    """With seven earlier results `spc_anomaly` is unavailable."""
    for known, speaks in ((7, False), (8, True)):
        engine = stocks(known)
        spc = price(engine, 50.0).signals["spc_anomaly"]
        assert (speaks, speaks) == (not spc.unavailable, spc.fired)


def test_value_plausibility():
    """A field outside of what its mean and deviation allow."""
    assert price(stocks(), 700.0).signals["value_plausibility"].fired


# Consistency --------------------------------------------------------------------------------------


def test_nvda_falls_from_650_to_50():
    """A contradiction to 50 results of the same arguments is flagged or blocked."""
    result = price(stocks(), 50.0, session="session-123")

    assert result.signals["historical_inconsistency"].fired
    assert result.verdict in ("flag", "block")
    assert "/price" == result.signals["historical_inconsistency"].where


def test_fifty_times_within_a_session():
    """The last results of a session are contradicted by a change of 50 times."""
    for value, fired in ((5_000.0, True), (4_000.0, False), (2.0, True), (3.0, False)):
        engine = VerificationEngine()
        price(engine, 100.0, session="s")
        result = price(engine, value, session="s").signals["session_inconsistency"]
        assert fired == result.fired


# Results and feedback -----------------------------------------------------------------------------


def test_the_fields_of_a_result():
    """Exactly those of the table, and the plain name of the posterior."""
    result = verify_result()
    table = {
        "verdict", "confidence", "signals", "tier_reached", "explanation", "prior", "posterior",
        "is_hallucinated",
    }  # fmt: skip
    named = {n for n in dir(VerificationResult) if not n.startswith("_")} - {"of"}

    assert table | {"p_hallucination"} == named | {field.name for field in fields(result)}
    assert (0.15, result.posterior) == (result.prior, result.p_hallucination)
    assert result.is_hallucinated is False
    assert verify_result({}).is_hallucinated is True


def test_a_hallucination_label_lowers_the_block_threshold():
    """From the fifth label on the tool is judged more strictly, and its prior rises."""
    engine = VerificationEngine()
    for _ in range(4):
        engine.record_feedback("search_web", confidence_score=0.35, was_hallucination=True)
    before = engine.get_calibration("search_web")
    engine.record_feedback("search_web", confidence_score=0.35, was_hallucination=True)
    after = engine.get_calibration("search_web")

    assert (0.5, 0.15) == (before["block_threshold"], before["prior"])
    assert after["block_threshold"] < 0.5
    assert after["prior"] > 0.15
    assert 0.5 == engine.get_calibration("another")["block_threshold"]

"""Behaviour common to all signals: total, pure, and named as their functions."""

from __future__ import annotations

import inspect
from math import exp, log
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.core.finding import Unavailable
from abs_shield.policy import ToolProfile
from abs_shield.verification import SIGNALS, VerificationEngine
from abs_shield.verification import signals as room
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_reading import SignalContext, SignalReading
from abs_shield.verification.tool_baseline import Anomaly, BaselineJudgement

PROFILES = [
    None,
    ToolProfile(),
    ToolProfile(expected_latency_ms=(100, 5000), has_network_io=True),
    ToolProfile(
        required_fields=["a", "/b/c"], forbidden_fields=["mock"], response_patterns=["a"],
        min_response_length=5, max_response_length=9, has_network_io=False,
    ),
]  # fmt: skip
SURPRISE = Anomaly(0.5, "unlike", "/a")
PASTS = [
    SignalContext({}),
    SignalContext({"a": "number"}, BaselineJudgement(), Anomaly(0.0, ""), Anomaly(0.0, "")),
    SignalContext({"a": "number"}, BaselineJudgement(SURPRISE, SURPRISE), SURPRISE, SURPRISE),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=8,
)
each = pytest.mark.parametrize("signal", SIGNALS, ids=lambda signal: signal.name)


@each
def test_a_signal_has_the_name_of_its_function(signal):
    """The function of a signal has the signal's name and a docstring."""
    assert signal.judge is getattr(room, signal.name)
    assert signal.judge.__doc__


def test_every_function_has_its_row():
    """The table of signals contains each public function of the module and nothing else."""
    functions = {
        name
        for name, function in inspect.getmembers(room, inspect.isfunction)
        if function.__module__ == room.__name__ and not name.startswith("_")
    }

    assert functions == {signal.name for signal in SIGNALS}


@each
@pytest.mark.parametrize("profile", PROFILES, ids=["none", "default", "network", "full"])
@given(result=JSON, ms=st.floats(0, 1e6))
def test_a_signal_is_total_and_pure(signal, profile, result, ms):
    """For any result a signal returns a valid reading, and the same one when called again."""
    view = ResultView(result, latency_ms=ms, profile=profile)
    for past in PASTS:
        verification = signal.judge(view, past)
        assert isinstance(verification, SignalReading | Unavailable)
        assert verification == signal.judge(view, past)
        if isinstance(verification, SignalReading):
            assert 0 <= verification.score <= 1
            assert bool(verification.detail) == bool(verification.score)
            assert "\n" not in verification.detail
            assert verification.where[:1] in ("", "/")


@each
def test_a_signal_without_history_is_unavailable(signal):
    """On the first result of an unknown tool only the latency signal has a reading."""
    view = signal.judge(ResultView({"a": 1}, latency_ms=50.0, profile=None), SignalContext({}))

    assert ("latency_anomaly" == signal.name) == isinstance(view, SignalReading)


@each
def test_it_is_in_the_docs(signal):
    """Each row of the table has its row there."""
    page = Path(__file__).parents[2] / "docs" / "verification.md"

    assert f"`{signal.name}`" in page.read_text()


# Through the engine -------------------------------------------------------------------------------


def verify_result(result=None, *, ms=300.0, engine=None, **profile):
    engine = engine or VerificationEngine()
    if profile:
        engine.register_tool_profile("t", **profile)
    return engine.verify("t", result={"x": 1} if result is None else result, execution_time_ms=ms)


@pytest.mark.parametrize(
    ("score", "name", "arguments"),
    [
        (0.1, "latency_anomaly", {"ms": 9e9, "expected_latency_ms": (1, 500)}),
        (0.02, "latency_anomaly", {"ms": 0.3}),
        (0.02, "latency_anomaly", {"ms": 60_001.0}),
        (0.5, "length_anomaly", {"result": "", "min_response_length": 10}),
        (0.25, "length_anomaly", {"result": "xxxxx", "min_response_length": 10}),
        (0.2, "length_anomaly", {"result": "x" * 11, "max_response_length": 10}),
        (0.8, "pattern_mismatch", {"result": "x", "response_patterns": ["y"]}),
        (1.0, "schema_mismatch", {"result": {}, "required_fields": ["a", "b"]}),
        (0.5, "schema_mismatch", {"result": {"a": 1}, "required_fields": ["a", "b"]}),
    ],
)
def test_how_strongly_it_speaks(score, name, arguments):
    """The score of each case: late, short, long, without a pattern, by an undeclared tool."""
    assert score == pytest.approx(verify_result(**arguments).signals[name].score)


def test_a_slow_pattern_does_not_delay_the_call():
    """A pattern with exponential time is stopped within a second."""
    begun = perf_counter()
    result = verify_result("a" * 60 + "b", response_patterns=[r"^(?:(?:a|aa)+)+$"])

    assert result.signals["pattern_mismatch"].unavailable
    assert perf_counter() - begun < 1


def documented_posterior(arguments):
    """Return the posterior by the formulas of the documentation."""
    groups = {"spc_anomaly": "b", "value_plausibility": "b"}
    groups |= {"historical_inconsistency": "c", "session_inconsistency": "c"}
    odds, fired = log(arguments.prior / (1 - arguments.prior)), {}
    for name, signal in arguments.signals.items():
        if signal.fired:
            added = log(1 + (signal.likelihood_ratio - 1) * signal.score)
            group = groups.get(name, name)
            fired[group] = max(added, fired.get(group, 0))
    for name, signal in arguments.signals.items():
        if not signal.fired and not signal.unavailable and groups.get(name, name) not in fired:
            odds += log(max(1 / max(0.1 * signal.likelihood_ratio, 1.01), 0.5))
    odds += sum(fired.values())
    return 1 / (1 + exp(-odds))


def history(n=20, **arguments):
    engine = VerificationEngine(**arguments)
    for k in range(n):
        price(engine, 100.0 + k % 3)
    return engine


def price(engine, value, *, args=None, session="s"):
    return engine.verify(
        "t", args={"of": "x", "at": 1} if args is None else args, result={"price": value},
        execution_time_ms=30.0, session_id=session,
    )  # fmt: skip


@pytest.mark.parametrize("value", [101.0, 40.0, 103.2, 5001.0, -101.0, 0.0])
def test_the_posterior_equals_the_documented_formula(value):
    """The strongest signal of each group counts, and unavailable signals are left out."""
    result = price(history(), value)

    assert result.posterior == pytest.approx(documented_posterior(result))


def test_a_silent_signal_beside_one_that_fired_counts_as_nothing():
    """The history is contradicted and the session, 50 times being its limit, is not."""
    result = price(history(), 40.0)
    consistency = [result.signals[f"{n}_inconsistency"] for n in ("historical", "session")]

    assert [True, False] == [signal.fired for signal in consistency]
    assert ["", ""] == [signal.unavailable for signal in consistency]
    assert result.posterior == pytest.approx(documented_posterior(result), abs=1e-9)


@pytest.mark.parametrize(("ratio", "silence"), [(1e6, 0.5), (100, 0.5), (15, 2 / 3), (5, 1 / 1.01)])
def test_no_silence_more_than_halves_the_odds(ratio, silence):
    """However grave a signal is where it fires, its silence is a weak alibi."""
    engine = VerificationEngine().calibrate("t", likelihood_ratios={"schema_mismatch": ratio})
    result = verify_result(engine=engine, required_fields=["x"])
    odds = result.posterior / (1 - result.posterior)
    of_latency = 1 / 1.01  # the one other signal that looked

    assert 0.15 / 0.85 * silence * of_latency == pytest.approx(odds)


@pytest.mark.parametrize(("times", "fired"), [(3, True), (4.5, False), (50, False)])
def test_how_many_times_contradicts_a_session_is_declared(times, fired):
    """Four times as much, where three times or fifty are the limit."""
    result = price(history(1, session_times=times), 400.0)

    assert fired == result.signals["session_inconsistency"].fired


def test_sessions_do_not_read_each_other():
    """A result of one session does not contradict another session, or calls without one."""
    engine = history(1)
    for session in ("another", "", None):
        result = price(engine, 90_000.0, session=session).signals["session_inconsistency"]
        assert (False, True) == (result.fired, bool(result.unavailable))
    assert price(engine, 90_000.0).signals["session_inconsistency"].fired


def test_the_order_of_arguments_does_not_matter():
    """Equal arguments in another order share their history; other arguments do not."""
    for args in ({"of": "x", "at": 1}, {"at": 1, "of": "x"}):
        result = price(history(), 40.0, args=args).signals["historical_inconsistency"]
        assert result.fired
    assert (
        price(history(), 40.0, args={"of": 1, "at": "x"})
        .signals["historical_inconsistency"]
        .unavailable
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("before", [0, 60])
def test_a_required_number_that_is_not_finite_is_a_mismatch(value, before):
    """From the first result on; where the field may be null, pandas writes NaN for that."""
    engine = VerificationEngine().register_tool_profile("p", required_fields=["price"])
    engine.register_tool_profile("q", required_fields=["price"], nullable_fields=["price"])

    def judge_tool(tool, price):
        return engine.verify(tool, args={}, result={"price": price}, execution_time_ms=100)

    for n in range(before):
        judge_tool("p", 650 + n % 7)

    assert ("block", True) == (
        judge_tool("p", value).verdict,
        judge_tool("p", value).signals["schema_mismatch"].fired,
    )
    assert "accept" == judge_tool("q", value).verdict


@pytest.mark.parametrize("order", [(True, False), (False, True)])
def test_a_suppression_counts_beside_an_equal_result_without_one(order):
    """The weights of equal readings are cached, but not those of a suppressed signal."""

    def compute_posterior(engine, *, suppressed):
        suppress = (lambda name, signal: name == "latency_anomaly") if suppressed else None
        return engine.verify(
            "t", result={"a": 1}, execution_time_ms=0.01, suppressed=suppress
        ).posterior

    engine = VerificationEngine()
    alone = [compute_posterior(VerificationEngine(), suppressed=one) for one in order]

    assert alone == [compute_posterior(engine, suppressed=one) for one in order]
    assert alone[0] != alone[1]


def test_the_weights_of_equal_readings_follow_the_block_threshold():
    """A result that tier 0 blocks under a lower threshold is judged again."""
    engine = VerificationEngine(prior=0.45, accept_threshold=0.2, block_threshold=0.9)
    tiers = []
    for _ in range(2):
        result = engine.verify("t", result={"a": 1}, execution_time_ms=0.01)
        tiers.append(str(result.tier_reached))
        engine.calibrate(block_threshold=0.4601)

    assert ["VerificationTier.TIER_1", "VerificationTier.TIER_0"] == tiers

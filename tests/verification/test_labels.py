"""Effects of labels: limits move in their direction, results are released, rates are counted."""

from __future__ import annotations

import logging
import math
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abs_shield import PolicyError, ShieldError
from abs_shield.stats.probabilities import brier, expected_calibration_error, log_odds, probability
from abs_shield.verification import (
    SIGNALS,
    Calibrated,
    Rates,
    SignalResult,
    VerificationEngine,
)
from abs_shield.verification.signal_combination import GROUP, calibration_of

INSIDE = st.floats(0.001, 0.999)
LABELS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=40)


def limits(engine, tool="t"):
    calibration = engine.get_calibration(tool)
    return calibration["block_threshold"], calibration["prior"]


@st.composite
def declared(draw):
    """Draw valid limits and a prior, which may be very close to each other or to 0 and 1."""
    accepts, blocks = sorted(draw(st.tuples(INSIDE, INSIDE).filter(lambda two: two[0] != two[1])))
    prior = draw(INSIDE.filter(lambda p: p < blocks))
    return {"accept_threshold": accepts, "block_threshold": blocks, "prior": prior}


@given(declared(), LABELS, st.booleans())
@example(
    {"accept_threshold": 0.2, "block_threshold": 0.205, "prior": 0.1}, [(0.9, True)] * 5, False
)
@example({"accept_threshold": 0.2, "block_threshold": 0.97, "prior": 0.1}, [(0, False)] * 5, False)
@example({"accept_threshold": 0.2, "block_threshold": 0.5, "prior": 0.005}, [(0, False)] * 5, True)
def test_no_label_moves_anything_against_itself(probability_of, labels, afterwards):
    """A hallucination never raises the limit or lowers the prior; a real result never the other."""
    engine = VerificationEngine() if afterwards else VerificationEngine(**probability_of)
    if afterwards:
        engine.calibrate("t", **probability_of)
    before = first = probability_of["block_threshold"], probability_of["prior"]
    for n, (score, wrong) in enumerate(labels, 1):
        engine.record_feedback("t", confidence_score=score, was_hallucination=wrong)
        after = limits(engine)
        if n < 5:
            assert first == after
        elif wrong:
            assert (after[0] <= before[0], after[1] >= before[1]) == (True, True)
        else:
            assert (after[0] >= before[0], after[1] <= before[1]) == (True, True)
        assert probability_of["accept_threshold"] < after[0] < 1
        assert 0 < after[1] <= max(probability_of["accept_threshold"], probability_of["prior"])
        before = after


def test_the_fifth_label_is_the_first_that_moves():
    """Four labels are patience; tools do not share them."""
    engine = VerificationEngine()
    for _ in range(5):
        assert (0.5, 0.15) == limits(engine)
        engine.record_feedback("t", confidence_score=0.3, was_hallucination=True)

    assert pytest.approx((0.5 + 0.1 * (0.3 - 0.5), 0.15 + 0.1 * (1 - 0.15))[0]) == limits(engine)[0]
    assert (0.5, 0.15) == limits(engine, "another")


def test_missed_ones_bring_the_limit_to_their_score():
    """Hallucinations at 0.35 that pass as flags are blocked in the end."""
    engine = VerificationEngine()
    for _ in range(60):
        engine.record_feedback("t", confidence_score=0.35, was_hallucination=True)

    assert limits(engine)[0] == pytest.approx(0.35, abs=0.01)


def test_labels_that_agree_hardly_move_the_limit():
    """A thousand blocked hallucinations and accepted real results leave it near where it was."""
    engine = VerificationEngine()
    for n in range(1_000):
        wrong = n % 10 == 0
        engine.record_feedback("t", confidence_score=0.9 * wrong + 0.05, was_hallucination=wrong)

    assert 0.45 <= limits(engine)[0] <= 0.55


@pytest.mark.parametrize(
    ("score", "label"), [(1.5, True), (float("nan"), True), (0.5, "yes"), (True, True)]
)
def test_an_invalid_label_is_refused(score, label):
    """A score outside of 0 to 1 and a label that is not a boolean raise an error."""
    with pytest.raises(ShieldError, match="record_feedback"):
        VerificationEngine().record_feedback("t", confidence_score=score, was_hallucination=label)


def test_a_label_releases_a_quarantined_result():
    """After the label, similar results are accepted."""
    engine = VerificationEngine()

    def give(price):
        return engine.verify("t", args={"of": "x"}, result={"price": price}, execution_time_ms=30.0)

    for n in range(20):
        give(100.0 + n % 3)
    result = give(40.0)
    assert result.verdict != "accept"
    for _ in range(12):
        released = give(40.0)
        engine.record_feedback("t", confidence_score=released.confidence, was_hallucination=False)

    assert "accept" == give(40.5).verdict


def quarantine_prices(**prices):
    """Return an engine that quarantined these prices, and the results by their arguments."""
    engine, held = VerificationEngine(), {}
    for of in prices:
        for n in range(20):
            result = {"price": 100.0 + n % 3}
            engine.verify("t", args={"of": of}, result=result, execution_time_ms=30.0)
    for of, price in prices.items():
        given_ = {"args": {"of": of}, "result": {"price": price}}
        held[of] = engine.verify("t", execution_time_ms=30.0, **given_)
    return engine, held


def in_quarantine(engine):
    return sorted(kept["numbers"]["price"] for kept in engine.snapshot()["quarantine"].values())


def test_a_label_of_a_result_releases_that_result():
    """Of two quarantined results with the same score the named one is released."""
    engine, held = quarantine_prices(x=1e-9, y=-1e9)
    score = held["x"].confidence
    assert score == held["y"].confidence
    engine.record_feedback("t", confidence_score=score, was_hallucination=False, result=held["x"])

    assert [-1e9] == in_quarantine(engine)


def test_an_ambiguous_label_releases_no_result(caplog):
    """If several results have the score, a warning says how to name the result."""
    engine, held = quarantine_prices(x=1e-9, y=-1e9)
    score = held["x"].confidence
    assert score == held["y"].confidence
    with caplog.at_level(logging.WARNING, logger="abs_shield"):
        engine.record_feedback("t", confidence_score=score, was_hallucination=False)

    assert [-1e9, 1e-9] == in_quarantine(engine)
    assert "`result=`" in caplog.text
    assert 1 == engine.get_calibration("t")["labels"]


def test_a_label_without_a_result_releases_the_result_with_its_score():
    """The result with the score of the label is released, even if it is not the newest."""
    engine, held = quarantine_prices(x=85.0, y=1e9)
    assert held["x"].confidence != held["y"].confidence
    score = held["x"].confidence
    engine.record_feedback("t", confidence_score=score, was_hallucination=False)

    assert [1e9] == in_quarantine(engine)


def test_a_label_with_a_wrong_result_or_score_is_refused():
    """A result of another score, and an object that is not a result, raise an error."""
    engine, held = quarantine_prices(x=40.0)
    for result, score in ((held["x"], 0.001), ("x", 0.5)):
        with pytest.raises(ShieldError, match="record_feedback"):
            engine.record_feedback(
                "t", confidence_score=score, was_hallucination=False, result=result
            )

    assert 0 == engine.get_calibration("t")["labels"]


def test_a_label_of_an_accepted_result_releases_nothing():
    """Quarantined results stay quarantined."""
    engine, _ = quarantine_prices(x=40.0)
    good = engine.verify("t", args={"of": "x"}, result={"price": 101.0}, execution_time_ms=30.0)
    engine.record_feedback(
        "t", confidence_score=good.confidence, was_hallucination=False, result=good
    )

    assert "accept" == good.verdict
    assert [40.0] == in_quarantine(engine)


def test_a_label_of_a_hallucination_releases_nothing():
    """The result stays in quarantine."""
    engine = VerificationEngine()
    for n in range(20):
        engine.verify("t", args={}, result={"x": 100.0 + n % 3}, execution_time_ms=30.0)
    result = engine.verify("t", args={}, result={"x": 9.0}, execution_time_ms=30.0)
    engine.record_feedback("t", confidence_score=result.confidence, was_hallucination=True)

    assert 1 == len(engine.snapshot()["quarantine"])


# Calibration --------------------------------------------------------------------------------------

RATES = {
    "schema_mismatch": (0.72, 0.01), "pattern_mismatch": (0.5, 0.05),
    "latency_anomaly": (0.6, 0.1), "length_anomaly": (0.3, 0.1),
    "historical_inconsistency": (0.4, 0.02), "session_inconsistency": (0.35, 0.02),
    "spc_anomaly": (0.5, 0.05), "value_plausibility": (0.45, 0.03),
}  # fmt: skip


def draw_labelled(n, *, seed, wrong=0.2):
    """Yield labelled results whose signals fire at given rates."""
    dice = random.Random(seed)
    for _ in range(n):
        hallucinated = dice.random() < wrong
        rate = 0 if hallucinated else 1
        yield {name: dice.random() < pair[rate] for name, pair in RATES.items()}, hallucinated


def probability_of(engine, fired, tool="t"):
    weigher, limits = (
        engine._learnt.settings.of(tool).weigher,
        engine._learnt.settings.of(tool).limits,
    )
    messages = [(name, SignalResult(text, float(text), 1.0)) for name, text in fired.items()]
    return probability(weigher._combiner.odds(log_odds(limits.prior), messages))


def test_rates_are_learnt():
    """The learnt rates are close to the rates with which the labels were drawn."""
    taught = calibration_of(draw_labelled(8_000, seed=1))
    for name, (tpr, fpr) in RATES.items():
        assert taught.signals[name].tpr == pytest.approx(tpr, abs=0.04)
        assert taught.signals[name].fpr == pytest.approx(fpr, abs=0.02)
    assert taught.prior == pytest.approx(0.2, abs=0.02)


def test_rates_are_smoothed_by_half_a_result():
    """Half a result is added to each count, so that no rate is 0 or 1."""
    labelled = [({"schema_mismatch": n < 20}, n < 25) for n in range(100)]
    engine = VerificationEngine().calibrate("t", labelled=labelled)
    calibration = engine.get_calibration("t")["signals"]["schema_mismatch"]

    assert {"tpr": 20.5 / 26, "fpr": 0.5 / 76} == pytest.approx(calibration)


def test_how_good_a_calibration_is_comes_from_what_did_not_teach_it():
    """Each fifth of the labels is judged by the rates and the share of the other four."""
    dice = random.Random(12)
    labelled = [(dice.random() < 0.5, n % 3 == 0) for n in range(63)]
    messages = []
    for fold in range(5):
        rest = [one for n, one in enumerate(labelled) if n % 5 != fold]
        wrong = sum(hallucinated for _, hallucinated in rest)
        share = (wrong + 0.5) / (len(rest) + 1)
        tpr = (sum(f and h for f, h in rest) + 0.5) / (wrong + 1)
        fpr = (sum(f and not h for f, h in rest) + 0.5) / (len(rest) - wrong + 1)
        for fired, hallucinated in labelled[fold::5]:
            ratio = max(1, tpr / fpr) if fired else min(1, (1 - tpr) / (1 - fpr))
            odds = share / (1 - share) * ratio
            messages.append((odds / (1 + odds), hallucinated))
    engine = VerificationEngine()
    engine.calibrate("t", labelled=[({"length_anomaly": f}, h) for f, h in labelled])
    held_out = engine.get_calibration("t")

    assert brier(messages) == pytest.approx(held_out["brier"], abs=1e-9)
    assert expected_calibration_error(messages) == pytest.approx(held_out["ece"], abs=1e-9)


def test_the_calibrated_posterior_can_be_taken_at_its_word():
    """On 5,000 results that taught nothing, the calibration error is at most 0.05."""
    engine = VerificationEngine().calibrate("t", labelled=draw_labelled(2_000, seed=2))
    held_out = [
        (probability_of(engine, fired), wrong) for fired, wrong in draw_labelled(5_000, seed=3)
    ]

    assert expected_calibration_error(held_out) <= 0.05
    assert engine.get_calibration("t")["ece"] == pytest.approx(
        expected_calibration_error(held_out), abs=0.04
    )


def test_labels_calibrate_one_tool_or_all_others():
    """Labels with a tool name calibrate this tool; labels without one calibrate the others."""
    engine = VerificationEngine().calibrate("t", labelled=draw_labelled(500, seed=4))

    assert "calibrated" == engine.get_calibration("t")["status"]
    assert "uncalibrated" == engine.get_calibration("u")["status"]
    assert "uncalibrated" == engine.get_calibration()["status"]
    engine.calibrate(labelled=draw_labelled(500, seed=5))
    assert "calibrated" == engine.get_calibration("u")["status"]


def test_what_the_calibrated_combiner_adds():
    """log(tpr / fpr) of what fires, log((1 - tpr) / (1 - fpr)) of what is silent."""
    taught = calibration_of(draw_labelled(500, seed=6))
    combiner = Calibrated(taught.groups)
    rates = taught.groups["schema"]
    for fired in (True, False):
        added = combiner.odds(0.0, [("schema_mismatch", SignalResult(fired, float(fired), 1.0))])
        ratio = rates.tpr / rates.fpr if fired else (1 - rates.tpr) / (1 - rates.fpr)
        assert probability(added) == pytest.approx(ratio / (1 + ratio))


def test_a_calibrated_signal_counts_as_strongly_as_it_fired():
    """The more fields are missing, the graver; of a group the strongest counts, once."""
    combiner = Calibrated({"schema": Rates(0.8, 0.1), "baseline": Rates(0.6, 0.2)})

    def odds(**scores):
        return combiner.odds(0, [(n, SignalResult(s > 0, s, 1.0)) for n, s in scores.items()])

    assert math.log(8) / 2 == pytest.approx(odds(schema_mismatch=0.5))
    assert odds(schema_mismatch=0.1) < odds(schema_mismatch=0.5) < odds(schema_mismatch=1.0)
    assert math.log(3) * 0.7 == pytest.approx(odds(spc_anomaly=0.7, value_plausibility=0.2))


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999), st.floats(0.001, 1))
def test_evidence_has_one_direction(tpr, fpr, score):
    """For any rates a fired signal never lowers the odds, and a silent one never raises them."""
    combiner = Calibrated({"schema": Rates(tpr, fpr)})
    fires = combiner.odds(0.0, [("schema_mismatch", SignalResult(True, score, 1.0))])
    silent = combiner.odds(0.0, [("schema_mismatch", SignalResult(False, 0.0, 1.0))])

    assert silent <= 0 <= fires


def test_the_posterior_of_a_calibrated_engine_follows_the_score():
    """The posterior increases with each missing field."""
    fields = ["a", "b", "c"]
    engine = VerificationEngine().register_tool_profile("t", required_fields=fields)
    engine.calibrate("t", labelled=draw_labelled(500, seed=7), block_threshold=0.999)
    result = [
        engine.verify("t", result=dict.fromkeys(fields[n:], 1), execution_time_ms=9.0).posterior
        for n in range(4)
    ]

    assert result[0] < result[1] < result[2] < result[3]


def test_results_of_an_engine_teach_it():
    """Pairs of a result and its label are what `verify` gives, and a person's answer."""
    engine, labelled = VerificationEngine(), []
    engine.register_tool_profile("t", required_fields=["x"])
    for n in range(60):
        wrong = n % 3 == 0
        result = {} if wrong and n % 2 else {"x": 1}
        labelled.append((engine.verify("t", result=result, execution_time_ms=9.0), wrong))
    engine.calibrate("t", labelled=labelled)

    assert {"tpr", "fpr"} == set(engine.get_calibration("t")["signals"]["schema_mismatch"])
    assert engine.verify("t", result={}, execution_time_ms=9.0).posterior > 0.5


@pytest.mark.parametrize(
    ("labelled", "probability_of"),
    [
        ([], "label at least 20 of each"),
        ([({"schema_mismatch": True}, True)] * 50, "50 hallucinated and 0 real"),
        ([7], "is not a labelled result"),
        ([({"no_such_signal": True}, True)], "is not a labelled result"),
        ([({"spc_anomaly": 0.5}, True)], "is not a labelled result"),
    ],
)
def test_labels_that_teach_nothing(labelled, probability_of):
    """Too few, or of another shape: refused on one line, and nothing has changed."""
    engine = VerificationEngine()
    with pytest.raises(ShieldError, match=probability_of):
        engine.calibrate("t", labelled=labelled)

    assert "uncalibrated" == engine.get_calibration("t")["status"]


def test_ratios_and_limits_are_set():
    """Ratios and limits can be set for one tool and for all others."""
    engine = VerificationEngine()
    engine.calibrate("t", likelihood_ratios={"spc_anomaly": 20}, block_threshold=0.8)
    engine.calibrate(prior=0.1, accept_threshold=0.3)

    own, usual = engine.get_calibration("t"), engine.get_calibration()
    assert (20, 0.8, 0.15) == (
        own["likelihood_ratios"]["spc_anomaly"], own["block_threshold"], own["prior"],
    )  # fmt: skip
    assert (3.0, 0.5, 0.1) == (
        usual["likelihood_ratios"]["spc_anomaly"], usual["block_threshold"], usual["prior"],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given_", "probability_of"),
    [
        ({"likelihood_ratios": {"spc_anomly": 3}}, "did you mean `spc_anomaly`?"),
        ({"likelihood_ratios": {"spc_anomaly": 0}}, "give one above 0"),
        ({"block_threshold": 0.1}, "is not below"),
        ({"prior": 0.9}, "below `block_threshold`"),
        ({"likelihood_ratios": {"spc_anomaly": 1e-17}}, "from 1e-06 to 1e\\+09"),
        ({"likelihood_ratios": {"spc_anomaly": True}}, "give one above 0"),
        ({"likelihood_ratios": {"spc_anomaly": 10**400}}, "give one above 0"),
    ],
)
def test_wrong_settings_are_refused(given_, probability_of):
    """On one line, with the nearest name; nothing has changed."""
    engine = VerificationEngine()
    with pytest.raises(PolicyError, match=probability_of):
        engine.calibrate("t", **given_)

    assert engine.get_calibration("u") | {"tool": "t"} == engine.get_calibration("t")


def test_every_signal_is_in_a_group():
    """Two groups have two signals each, which observe the same fact."""
    assert set(GROUP) == {signal.name for signal in SIGNALS}
    assert GROUP["spc_anomaly"] == GROUP["value_plausibility"]
    assert GROUP["historical_inconsistency"] == GROUP["session_inconsistency"]
    assert 6 == len(set(GROUP.values()))


def test_a_label_never_moves_a_high_prior_against_itself():
    """A prior that was declared above the accept threshold stays, or falls as labels say so."""
    engine = VerificationEngine(prior=0.3)
    for _ in range(8):
        engine.record_feedback("t", confidence_score=0.6, was_hallucination=True)
    raised = engine.get_calibration("t")["prior"]
    for _ in range(8):
        engine.record_feedback("t", confidence_score=0.6, was_hallucination=False)

    assert 0.3 == raised
    assert engine.get_calibration("t")["prior"] < 0.3


@pytest.mark.parametrize("prior", [1.0, 1.5, 0.0, -0.1, float("nan"), "much"])
def test_an_invalid_prior_is_refused(prior):
    """A prior that is not between 0 and 1 raises an error, also together with labels."""
    engine = VerificationEngine()
    with pytest.raises(PolicyError, match="`prior`"):
        engine.calibrate("t", labelled=draw_labelled(300, seed=8), prior=prior)

    assert "accept" == engine.verify("t", result={"x": 1}, execution_time_ms=9.0).verdict


@pytest.mark.parametrize("ratio", [1e-6, 1e9])
def test_the_furthest_ratios_are_weighed(ratio):
    """With each of them a result has a probability."""
    engine = VerificationEngine().register_tool_profile("t", required_fields=["x"])
    engine.calibrate("t", likelihood_ratios={"schema_mismatch": ratio})

    assert 0 <= engine.verify("t", result={}, execution_time_ms=9.0).posterior <= 1


def test_a_counted_prior_stays_where_limits_are_set():
    """A tool whose results are mostly wrong: its threshold can be set without another prior."""
    engine = VerificationEngine()
    engine.calibrate("t", labelled=draw_labelled(300, seed=9, wrong=0.8), fair_sample=True)
    engine.calibrate("t", accept_threshold=0.1).calibrate("t", block_threshold=0.4)
    engine.calibrate("t", likelihood_ratios={"spc_anomaly": 4}).calibrate("t", accept_threshold=0.2)
    calibration = engine.get_calibration("t")

    assert calibration["prior"] == pytest.approx(0.8, abs=0.05)
    assert (0.2, 0.4) == (calibration["accept_threshold"], calibration["block_threshold"])


def test_a_balanced_sample_does_not_raise_the_prior():
    """Forty of each kind say nothing of how often either comes: honest results are accepted."""
    engine = VerificationEngine().register_tool_profile("t", required_fields=["x"])
    labelled = [({"schema_mismatch": n % 2 == 0}, n % 2 == 0) for n in range(80)]
    engine.calibrate("t", labelled=labelled)

    assert 0.15 == engine.get_calibration("t")["prior"]
    assert "accept" == engine.verify("t", result={"x": 1}, execution_time_ms=9.0).verdict
    engine.calibrate("t", labelled=labelled, fair_sample=True)
    assert 0.5 == engine.get_calibration("t")["prior"]
    engine.calibrate("t", labelled=labelled, fair_sample=True, prior=0.3)
    assert 0.3 == engine.get_calibration("t")["prior"]


@pytest.mark.parametrize("kind", [list, tuple, iter])
def test_labels_may_be_the_first_argument(kind):
    """`calibrate(labelled)` calibrates all tools without their own calibration."""
    engine = VerificationEngine().calibrate(kind(list(draw_labelled(300, seed=10))))

    assert "calibrated" == engine.get_calibration()["status"]
    assert "calibrated" == engine.get_calibration("t")["status"]


@pytest.mark.parametrize("odd", [object(), b"t", 0, {"t": 1}, 1.5], ids=type)
def test_an_invalid_first_argument_of_calibrate_is_refused(odd):
    """An argument that is neither a text nor labels raises an error of one line."""
    with pytest.raises(ShieldError, match=r"^calibrate: `tool_name` is .*; give a text$"):
        VerificationEngine().calibrate(odd)


def test_a_label_does_not_cut_a_tool_off():
    """Settings for all tools apply to a tool with labels, which move from there."""
    engine = VerificationEngine()
    engine.record_feedback("t", confidence_score=0.3, was_hallucination=True)
    engine.calibrate(draw_labelled(300, seed=11)).calibrate(block_threshold=0.6)
    calibration = engine.get_calibration("t")

    assert ("calibrated", 0.6, 1) == (
        calibration["status"],
        calibration["block_threshold"],
        calibration["labels"],
    )
    for _ in range(5):
        engine.record_feedback("t", confidence_score=0.3, was_hallucination=True)
    assert 0.3 < engine.get_calibration("t")["block_threshold"] < 0.6
    assert 0.6 == engine.get_calibration()["block_threshold"]


def test_settings_of_a_tool_are_not_replaced_by_defaults():
    """Settings of one tool take precedence over settings of all others."""
    engine = VerificationEngine().calibrate("t", block_threshold=0.8)
    engine.calibrate(block_threshold=0.6)

    assert (0.8, 0.6) == (limits(engine)[0], limits(engine, "u")[0])


def test_only_the_newest_labels_are_stored():
    """At most 10,000 labels are stored, and a snapshot restores the same calibration."""
    engine = VerificationEngine()
    for n in range(10_040):
        score = 0.21 if n < 50 else 0.9
        engine.record_feedback("t", confidence_score=score, was_hallucination=True)
    calibration = engine.get_calibration("t")

    assert calibration == VerificationEngine().restore(engine.snapshot()).get_calibration("t")
    assert 9_000 <= calibration["labels"] <= 10_000
    assert calibration["labels"] == calibration["hallucinated_labels"]

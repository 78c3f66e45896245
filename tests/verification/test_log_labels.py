"""Labels on results of a decision log are applied to the engine once each."""

from __future__ import annotations

import pytest

from abs_shield import Shield, Tool, ToolCall, ToolProfile, shield
from abs_shield.core.label import Label, Truth
from abs_shield.stores import MemoryStore, open_store
from abs_shield.verification import VerificationEngine, apply_labels
from abs_shield.verification.log_labels import AppliedLabels


@pytest.fixture
def firewall(tmp_path):
    """A Shield with a log in which eight results without a price are flagged or blocked."""
    store = open_store(str(tmp_path / "log.db"))
    tools = [Tool(name="quote", profile=ToolProfile(required_fields=["price"]))]
    firewall = Shield(shield.configure(mode="audit", tools=tools), store=store, hooks=None)
    for n in range(8):
        call = ToolCall("quote", {"of": n}, f"c{n}")
        firewall.check_result(
            call, {"note": n}, elapsed_ms=100.0, session=firewall.session(f"s{n}")
        )
    yield firewall
    firewall.close()


def results(firewall) -> list[str]:
    return [one.id for one in firewall.store.scan() if one.subject == "result"]


def say(firewall, truth: Truth, ids: list[str], *, at: float = 1e10) -> None:
    """Label decisions; later than the engine was made."""
    for one in ids:
        firewall.store.label(Label(decision_id=one, truth=truth, at=at))


def test_labels_of_the_log_move_the_thresholds(firewall):
    """Eight honest results that would be blocked raise the block threshold of their tool."""
    say(firewall, Truth.OK, results(firewall))
    applied = apply_labels(firewall.verification, firewall.store)
    held = firewall.verification.get_calibration("quote")

    assert ({"quote": 8}, 0) == (dict(applied.new), applied.already_applied)
    assert (8, 0) == (held["labels"], held["hallucinated_labels"])
    assert held["block_threshold"] > 0.5
    assert held["prior"] < 0.15


def test_the_score_of_a_label_is_that_of_its_decision(firewall):
    """The log has the same effect as `record_feedback`."""
    say(firewall, Truth.HALLUCINATED, results(firewall))
    apply_labels(firewall.verification, firewall.store)
    other = VerificationEngine()
    for one in firewall.store.scan():
        other.record_feedback("quote", confidence_score=one.probability, was_hallucination=True)

    assert other.get_calibration("quote") == firewall.verification.get_calibration("quote")


def test_a_label_counts_once(firewall):
    """A log may be applied again; only what is new moves anything."""
    ids = results(firewall)
    say(firewall, Truth.OK, ids[:6])
    apply_labels(firewall.verification, firewall.store)
    before = firewall.verification.get_calibration("quote")
    again = apply_labels(firewall.verification, firewall.store)

    assert (0, 6) == (again.new.total(), again.already_applied)
    assert before == firewall.verification.get_calibration("quote")
    say(firewall, Truth.OK, ids[6:])
    assert 2 == apply_labels(firewall.verification, firewall.store).new["quote"]


def test_a_changed_label_replaces_the_earlier_one(firewall):
    """The newest label of a decision in the log is the one in the engine."""
    ids = results(firewall)
    say(firewall, Truth.OK, ids)
    apply_labels(firewall.verification, firewall.store)
    say(firewall, Truth.HALLUCINATED, ids[:3], at=2e10)
    applied = apply_labels(firewall.verification, firewall.store)
    held = firewall.verification.get_calibration("quote")

    assert (3, 5) == (applied.new["quote"], applied.already_applied)
    assert (8, 3) == (held["labels"], held["hallucinated_labels"])


@pytest.mark.parametrize("first", [*Truth])
def test_after_a_change_the_engine_is_as_one_that_learnt_the_log_anew(firewall, tmp_path, first):
    """Thresholds and prior are equal, also where each step was saved and loaded."""
    other = Truth.OK if first is Truth.HALLUCINATED else Truth.HALLUCINATED
    ids = results(firewall)
    for at, one in enumerate(ids, 1):
        say(firewall, first if at % 3 else other, [one], at=1e9 + at)
    file = tmp_path / "engine.db"
    apply_labels(engine := VerificationEngine(), firewall.store)
    engine.save(file)
    say(firewall, other, ids[3:5], at=1.1e9)
    say(firewall, first, ids[2:3], at=1.2e9)
    applied = apply_labels(engine := VerificationEngine().load(file), firewall.store)
    engine.save(file)
    apply_labels(anew := VerificationEngine(), firewall.store)

    assert 3 == applied.new["quote"]
    assert anew.get_calibration("quote") == engine.get_calibration("quote")
    assert anew.get_calibration("quote") == VerificationEngine().load(file).get_calibration("quote")


def test_a_changed_label_is_not_replaced_by_an_older_one_of_another_engine(firewall, tmp_path):
    """Saving over a file of another engine keeps the newest label of each decision."""
    ids = results(firewall)
    say(firewall, Truth.OK, ids[:7], at=1e9)
    apply_labels(engine := VerificationEngine(), firewall.store)
    apply_labels(other := VerificationEngine(), firewall.store)
    say(firewall, Truth.HALLUCINATED, ids[:1], at=1.1e9)
    apply_labels(engine, firewall.store)
    other.record_feedback("quote", confidence_score=0.9, was_hallucination=False)
    other.save(tmp_path / "engine.db")
    engine.save(tmp_path / "engine.db")

    held = VerificationEngine().load(tmp_path / "engine.db").get_calibration("quote")
    assert (8, 1) == (held["labels"], held["hallucinated_labels"])


def test_an_honest_result_is_released():
    """A quarantined result is released when its decision is labelled ok in the log."""
    store = MemoryStore()
    firewall = Shield(shield.configure(mode="audit"), store=store, hooks=None)

    def give(price, n):
        call = ToolCall("quote", {"of": "x"}, f"c{n}")
        session = firewall.session(f"s{n}")
        return firewall.check_result(call, {"price": price}, elapsed_ms=30.0, session=session)

    for n in range(20):
        give(100.0 + n % 3, n)
    held = give(40.0, 20)
    assert 1 == len(firewall.verification.snapshot()["quarantine"])
    store.label(Label(decision_id=held.id, truth=Truth.OK, at=1e10))
    apply_labels(firewall.verification, store)

    assert {} == firewall.verification.snapshot()["quarantine"]


def test_of_results_with_one_score_that_of_the_session_is_released(firewall):
    """Eight results differ and have one score; the label names the one of its session."""
    third = results(firewall)[2]
    say(firewall, Truth.OK, [third])
    apply_labels(firewall.verification, firewall.store)
    left = {kept["session"] for kept in firewall.verification.snapshot()["quarantine"].values()}

    assert {f"s{n}" for n in range(8)} - {"s2"} == left


def test_labels_of_calls_teach_nothing(firewall):
    """Only results have a P(hallucination) of the engine."""
    decision = firewall.check_call(
        {"name": "quote", "arguments": {}}, session=firewall.session("x")
    )
    say(firewall, Truth.HALLUCINATED, [decision.id])

    assert 0 == apply_labels(firewall.verification, firewall.store).new.total()


def test_labels_that_were_learnt_travel_with_the_engine(firewall, tmp_path):
    """A saved engine knows which labels it has."""
    say(firewall, Truth.OK, results(firewall))
    apply_labels(firewall.verification, firewall.store)
    firewall.verification.save(tmp_path / "engine.db")
    other = VerificationEngine().load(tmp_path / "engine.db")

    assert 8 == apply_labels(other, firewall.store).already_applied
    assert other.get_calibration("quote") == firewall.verification.get_calibration("quote")


def test_the_former_name_of_a_count_warns():
    """`AppliedLabels.known` still works for one release."""
    with pytest.warns(DeprecationWarning, match="already_applied"):
        assert 3 == AppliedLabels(already_applied=3).known


def test_a_store_without_labels_applies_none():
    """A store without labels, or without the method for them, is not an error."""

    class Silent:
        """A store that keeps nothing."""

    assert 0 == apply_labels(VerificationEngine(), Silent()).new.total()
    assert 0 == apply_labels(VerificationEngine(), MemoryStore()).new.total()

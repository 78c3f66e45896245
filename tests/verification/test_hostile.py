"""Any result has a verdict and cannot corrupt the learnt state."""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from abs_shield import PolicyError, ShieldError
from abs_shield.verification import ToolProfile, VerificationEngine
from abs_shield.verification.result_memory import MOST_NUMBERS

PROFILE = {
    "required_fields": ["x"], "forbidden_fields": ["mock"], "response_patterns": ["x", "y"],
    "min_response_length": 1, "expected_latency_ms": (1, 5000),
}  # fmt: skip


class Model(BaseModel):
    x: float = 5.2


@dataclass
class Record:
    x: float = 5.2


class Hostile:
    def __getattr__(self, name):
        raise RuntimeError("not for you")

    def __str__(self):
        raise RuntimeError("nor this")

    __repr__ = __str__


class Colour(enum.Enum):
    RED = 1


def circle():
    result = {"x": 5.2}
    result["self"] = result
    return result


def nested(depth):
    result = {"x": 5.2}
    for _ in range(depth):
        result = {"x": 5.2, "in": result}
    return result


ODD = {
    "nan": {"x": float("nan")}, "infinity": {"x": float("inf")}, "huge": {"x": 10**400},
    "minus huge": {"x": -(10**5000)}, "circular": circle(), "deep": nested(5_000),
    "bytes": b"\xff\x00", "bytes in it": {"x": b"\xff"}, "text": "x" * 1000, "none": None,
    "long": {"x": "y" * 100_000_000}, "wide": {f"k{n}": n for n in range(100_000)},
    "many": [{"x": n} for n in range(100_000)], "object": Hostile(), "in it": {"x": Hostile()},
    "model": Model(), "record": Record(), "generator": (n for n in [1]), "type": Model,
    "set": {1, "a"}, "complex": {"x": 1j}, "decimal": {"x": Decimal("5.2")}, "date": date.today(),
    "enum": {"x": Colour.RED}, "keys": {1: 2, None: 3, (4, 5): 6}, "surrogate": {"x": "\ud800"},
    "json": '{"x": 5.2}', "broken json": '{"x": ', "largest": {"x": 1.7e308}, "tiny": {"x": 5e-324},
    "slashes": {"x": 1, "a/b": 2, "a": {"b": 3}, "~": {"~1": 4}},
}  # fmt: skip


def taught():
    engine = VerificationEngine().register_tool_profile("t", **PROFILE)
    for n in range(20):
        give(engine, {"x": 5 + n % 5 / 10})
    return engine


def give(engine, result, *, tool="t"):
    return engine.verify(tool, args={"a": 1}, result=result, execution_time_ms=30.0, session_id="s")


@pytest.mark.parametrize("name", ODD)
def test_there_is_a_verdict_and_nothing_is_poisoned(name):
    """An odd result is judged; afterwards real ones are accepted, and false ones are not."""
    engine = taught()
    result = give(engine, ODD[name])

    assert result.verdict in ("accept", "flag", "block")
    assert 0 <= result.posterior <= 1
    assert "accept" == give(engine, {"x": 5.3}).verdict
    assert "accept" != give(engine, {"x": -900.0}).verdict


@pytest.mark.parametrize("name", ODD)
def test_an_unknown_tool_may_begin_with_anything(name):
    """The first results of a tool are odd: the next ones have a verdict too."""
    engine = VerificationEngine()
    for _ in range(12):
        assert give(engine, ODD[name], tool=name).verdict in ("accept", "flag", "block")
    assert give(engine, {"x": 1.0}, tool=name).verdict in ("accept", "flag", "block")


@pytest.mark.parametrize("result", [Model(), Record(), '{"x": 5.2}', {"x": 5.2}], ids=repr)
def test_models_records_and_texts_are_read(result):
    """A model, a dataclass and JSON in a text have the fields that they show."""
    engine = taught()

    assert "accept" == give(engine, result).verdict
    assert not give(engine, result).signals["schema_mismatch"].fired


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


@given(st.lists(JSON, min_size=1, max_size=25))
def test_the_verdict_follows_the_posterior(results):
    """For any sequence of JSON results the verdict follows from the posterior and the limits."""
    engine = VerificationEngine().register_tool_profile("t", **PROFILE)
    for result in results:
        verification = give(engine, result)
        expected = (
            "accept"
            if verification.posterior < 0.2
            else "flag"
            if verification.posterior < 0.5
            else "block"
        )
        assert expected == verification.verdict
        assert 0 <= verification.posterior <= 1


@given(JSON)
def test_judging_changes_nothing(result):
    """A result is as it was, and is judged alike by two engines that know the same."""
    before = repr(result)
    one, other = give(taught(), result), give(taught(), result)

    assert before == repr(result)
    assert one == other


@pytest.mark.parametrize("ms", [-1, float("nan"), float("inf"), "fast", None, True], ids=repr)
def test_an_invalid_duration_is_refused(ms):
    """The error is one line, and nothing is learnt."""
    engine = VerificationEngine()
    with pytest.raises(ShieldError, match="give milliseconds, 0 or more"):
        engine.verify("t", result={"x": 1}, execution_time_ms=ms)

    assert {} == engine.snapshot()["results"]


def test_a_slow_pattern_times_out():
    """A pattern is stopped after 50 ms, and the signal is unavailable."""
    engine = VerificationEngine().register_tool_profile(
        "t", response_patterns=[r"^(?:(?:a|aa)+)+$"]
    )
    result = engine.verify("t", result="a" * 60 + "b", execution_time_ms=300.0)

    assert "accept" == result.verdict
    assert "50 ms" in result.signals["pattern_mismatch"].unavailable


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("response_patterns", ["("], "is not a regular expression"),
        ("expected_latency_ms", (100, 50), "is not a range"),
        ("expected_latency_ms", (-1, 50), "is not a range"),
        ("min_response_length", -1, "greater than or equal to 0"),
        ("required_feilds", ["x"], "did you mean `required_fields`?"),
    ],
)
def test_a_wrong_profile_is_refused(field, value, message):
    """At registration, on one line."""
    with pytest.raises(PolicyError) as caught:
        VerificationEngine().register_tool_profile("t", **{field: value})

    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"required_fields": ["a"], "forbidden_fields": ["a"]}, "both required and forbidden"),
        ({"min_response_length": 9, "max_response_length": 3}, "is above `max_response_length`"),
    ],
)
def test_a_contradictory_profile_is_refused(fields, message):
    """A profile that no result can match raises a PolicyError."""
    with pytest.raises(PolicyError, match=message):
        ToolProfile(**fields)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"accept_threshold": 0.9, "block_threshold": 0.1}, "is not below `block_threshold`"),
        ({"accept_threshold": 0.0}, "`accept_threshold`.*greater than 0"),
        ({"block_threshold": 1.0}, "`block_threshold`.*less than 1"),
        ({"prior": 0.5}, "is not below `block_threshold`"),
        ({"prior": float("nan")}, "`prior`"),
        ({"session_times": 0.5}, "`session_times`.*greater than 1"),
    ],
)
def test_wrong_limits_are_refused(limits, message):
    """0 < accept < block < 1, and a prior that does not block by itself."""
    with pytest.raises(PolicyError, match=message):
        VerificationEngine(**limits)


@pytest.mark.slow
@pytest.mark.release
def test_memory_is_bounded():
    """Ever new fields, arguments and sessions: what is remembered stops growing."""
    engine = VerificationEngine()
    for n in range(6_000):
        engine.verify(
            f"t{n % 3}", args={"n": n}, result={f"k{n}_{k}": k for k in range(20)},
            execution_time_ms=30.0, session_id=f"s{n}",
        )  # fmt: skip

    snapshot = engine.snapshot()
    assert len(snapshot["results"]) <= 3 * 100 + MOST_NUMBERS // 21 + 1


class Broken(dict):
    """A dict that hands out nothing."""

    def items(self):
        raise RuntimeError("no items")


@pytest.mark.parametrize("value", [object(), (n for n in "ab"), Broken(price=3)])
def test_an_object_that_is_not_data_is_judged_by_its_latency_only(value):
    """An opaque object, a generator and an object that raises are accepted and not learnt."""
    engine = VerificationEngine().register_tool_profile(
        "t", required_fields=["price"], response_patterns=["a"], min_response_length=5,
        expected_latency_ms=(1, 10),
    )  # fmt: skip
    result = engine.verify("t", args={}, result=value, execution_time_ms=3.0, session_id="s")

    assert "accept" == result.verdict
    assert {"latency_anomaly"} == {n for n, s in result.signals.items() if not s.unavailable}
    assert not engine.snapshot()["results"]


@pytest.mark.slow
@pytest.mark.release
def test_memory_is_bounded_where_arguments_come_back():
    """Results with many numbers push the longest unused histories out."""
    engine = VerificationEngine()
    for n in range(400):
        engine.verify("t", args={"n": n}, result={}, execution_time_ms=30.0)
    for n in range(400):
        for _ in range(5):
            result = {f"k{k}": float(k) for k in range(200)}
            engine.verify("t", args={"n": n}, result=result, execution_time_ms=30.0)

    held = sum(len(one["numbers"]) for one in engine.snapshot()["results"].values())
    assert held <= MOST_NUMBERS + 100 * 200


def test_a_very_long_field_name_is_not_stored():
    """A field name of 20,000 characters is not in the snapshot."""
    engine = VerificationEngine()
    result = engine.verify("t", args={}, result={"x" * 20_000: 5, "y": 6}, execution_time_ms=30.0)

    assert "accept" == result.verdict
    assert len(json.dumps(engine.snapshot())) < 2_000


def test_what_is_too_large_is_not_written_out():
    """A list of a million items is looked at as far as the bound goes, and searched not at all."""
    engine = VerificationEngine().register_tool_profile(
        "t", response_patterns=["x"], has_network_io=False
    )
    result = engine.verify("t", args={}, result={"y": [0] * 1_000_000}, execution_time_ms=30.0)

    assert "too long" in result.signals["pattern_mismatch"].unavailable


ODD_NAMES = [object(), b"s", ("a", "b"), 0, 1.5, ["s"], {"s": 1}]


@pytest.mark.parametrize("odd", ODD_NAMES, ids=type)
def test_a_session_id_that_is_not_text_is_refused(odd):
    """The error is one line, and nothing is learnt, because the state could not be saved."""
    engine = VerificationEngine()
    with pytest.raises(ShieldError, match=r"^verify: `session_id` is .*; give a text$"):
        engine.verify("t", result={"x": 1}, execution_time_ms=9.0, session_id=odd)

    assert {} == engine.snapshot()["results"]


@pytest.mark.parametrize("odd", [*ODD_NAMES, None], ids=type)
def test_a_tool_name_that_is_not_text_is_refused(odd):
    """Neither a result nor a label is accepted for such a name."""
    engine = VerificationEngine()
    with pytest.raises(ShieldError, match=r"give a text$"):
        engine.verify(odd, result={"x": 1}, execution_time_ms=9.0)
    with pytest.raises(ShieldError, match=r"give a text$"):
        engine.record_feedback(odd, confidence_score=0.5, was_hallucination=True)

    assert ({}, {}) == (engine.snapshot()["results"], engine.snapshot()["labels"])


@pytest.mark.parametrize("name", ["state.json", "state.db"])
@pytest.mark.parametrize("text", ["\ud800", "", "\x00", "null", '"t"', "a\nb"], ids=ascii)
def test_any_text_is_a_valid_tool_and_session_name(tmp_path, name, text):
    """State under a lone surrogate or an empty name is saved and loaded."""
    engine = VerificationEngine().calibrate(text, block_threshold=0.8)
    engine.verify(text, result={text: 1}, execution_time_ms=9.0, session_id=text)
    engine.record_feedback(text, confidence_score=0.1, was_hallucination=False)
    engine.save(tmp_path / name)
    loaded = VerificationEngine().load(tmp_path / name)

    assert engine.snapshot() == loaded.snapshot()
    assert engine.get_calibration(text) == loaded.get_calibration(text)
    assert 0.5 == loaded.get_calibration("another")["block_threshold"]


class Name(enum.StrEnum):
    TOOL = "t"


def test_a_text_of_another_class_is_its_characters():
    """A `StrEnum` names the tool that its text names."""
    engine = VerificationEngine()
    engine.verify(Name.TOOL, result={"x": 1}, execution_time_ms=9.0, session_id=Name.TOOL)

    assert [("t", "t")] == [
        (k["tool"], k["session"]) for k in engine.snapshot()["results"].values()
    ]

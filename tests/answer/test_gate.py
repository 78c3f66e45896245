"""The gate maps the scores of claims to emit, revise or block."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.answer.answer_gate import GateClaim, gate, overall_of
from abs_shield.errors import PolicyError
from abs_shield.policy.check_config import AnswerConfig

CONFIG = AnswerConfig()
JUDGED = st.builds(
    GateClaim, st.none() | st.floats(0, 1), st.booleans(), st.booleans(), st.booleans()
)
CRITICAL = {"critical": True, "confirmed": True}


@pytest.mark.parametrize(
    ("claims", "action"),
    [
        ([GateClaim(0.85)], "emit"),
        ([GateClaim(0.8499)], "revise"),
        ([GateClaim(0.7)], "revise"),
        ([GateClaim(0.6)], "revise"),
        ([GateClaim(0.3)], "revise"),
        ([GateClaim(0.39, **CRITICAL)], "block"),
        ([GateClaim(0.4, **CRITICAL)], "revise"),
        ([GateClaim(0.39, critical=True)], "revise"),
        ([GateClaim(0.95), GateClaim(0.39, **CRITICAL)], "block"),
        ([GateClaim(0.9, critical=True, divergent=True)], "revise"),
        ([GateClaim(0.9, divergent=True)], "emit"),
        ([], "emit"),
        ([GateClaim(None)], "revise"),
        ([GateClaim(0.99), GateClaim(None)], "revise"),
    ],
)
def test_bands(claims, action):
    """A score from .85 is emitted, a refuted critical claim below .4 blocked, the rest revised."""
    assert action == gate(claims, CONFIG).action


def test_block_goes_before_revise_and_revise_before_emit():
    """One claim to revise or block decides, even if the mean score would be emitted."""
    config = AnswerConfig(aggregate="mean")
    weak = [*[GateClaim(1.0)] * 30, GateClaim(0.5)]
    refuted = [*[GateClaim(1.0)] * 30, GateClaim(0.1, **CRITICAL), GateClaim(0.5)]

    assert overall_of(weak, config) > 0.85
    assert "revise" == gate(weak, config).action
    assert "block" == gate(refuted, config).action


def test_a_rejected_call_of_the_final_turn_is_revised():
    """An answer after a rejected call is revised, whatever its scores."""
    assert ("revise", ("call_rejected",)) == gate([GateClaim(1.0)], CONFIG, rejected=True)[1:]


def test_no_claims_are_emitted_without_a_score():
    """An answer without claims is emitted without a score and with the note `no_claims`."""
    assert (None, "emit", ("no_claims",)) == gate([], CONFIG)


def test_high_stakes_never_emit_unprobed_critical_claims():
    """With high stakes a critical claim that was not probed is revised; others are emitted."""
    config = AnswerConfig(high_stakes=True)

    assert "revise" == gate([GateClaim(0.99, critical=True)], config, probed=False).action
    assert "emit" == gate([GateClaim(0.99)], config, probed=False).action


@pytest.mark.parametrize(
    "wrong", [{"block_threshold": 0.7}, {"emit_threshold": 0.5}, {"emit_threshold": 1.5}]
)
def test_thresholds_are_in_order(wrong):
    """A threshold above the next one, or above 1, is refused."""
    with pytest.raises(PolicyError):
        AnswerConfig(**wrong)


@given(st.lists(JUDGED, max_size=6), st.sampled_from(["min", "mean"]), st.booleans())
def test_gate_follows_its_specification(claims, aggregate, rejected):
    """For any claims the gate blocks and emits as specified."""
    config = AnswerConfig(aggregate=aggregate)
    verdict = gate(claims, config, rejected=rejected)
    blocks = any(
        c.critical and c.confirmed and c.score is not None and c.score < 0.4 for c in claims
    )
    emits = not rejected and all(
        c.score is not None and c.score >= 0.6 and not (c.critical and c.divergent) for c in claims
    )

    assert blocks == (verdict.action == "block")
    assert (verdict.action == "emit") == (
        emits and not blocks and (not claims or verdict.overall >= 0.85)
    )
    assert verdict.notes or verdict.action == "emit"


def test_a_weak_answer_may_be_annotated():
    """With `below_emit="annotate"` a weak answer is emitted with a note."""
    config = AnswerConfig(below_emit="annotate")

    assert ("emit", ("below_emit_threshold",)) == gate([GateClaim(0.7)], config)[1:]
    assert "revise" == gate([GateClaim(0.7)], config, rejected=True).action
    assert "revise" == gate([GateClaim(0.59)], config).action
    assert "revise" == gate([GateClaim(0.7)], AnswerConfig()).action

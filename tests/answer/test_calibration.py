"""Labelled answers fit the emit threshold of the gate."""

from __future__ import annotations

import dataclasses
import random

import pytest

from abs_shield import Shield, ShieldError, Tool, ToolCall, shield
from abs_shield.answer import AnswerConfig, fit_gate
from abs_shield.answer.answer_gate import GateClaim, gate
from abs_shield.answer.gate_calibration import fit_threshold
from abs_shield.core.label import Label, Truth
from abs_shield.stats.share_intervals import wilson
from abs_shield.stores import MemoryStore


def test_the_lowest_sufficient_threshold_is_fitted():
    """The fitted threshold is the lowest with an upper bound of wrong answers below the limit."""
    scored = [(0.7 + n / 1_000, False) for n in range(200)]
    scored += [(0.5 + n / 1_000, n % 2 == 0) for n in range(100)]
    fit = fit_threshold(scored, max_wrong=0.05)

    assert 0.59 < fit.emit_threshold < 0.7
    assert fit.wrong_upper == wilson(fit.wrong, fit.emitted)[1] <= 0.05
    assert (300, 50) == (fit.labels, fit.hallucinated)


def test_the_gate_emits_the_counted_answers():
    """The gate with the fitted threshold emits exactly the answers that the fit counted."""
    dice = random.Random(3)
    scored = [(dice.random() ** 0.3, dice.random() < 0.02) for _ in range(500)]
    fit = fit_threshold(scored, max_wrong=0.1)
    config = fit.applied(AnswerConfig())
    emitted = [
        wrong for score, wrong in scored if gate([GateClaim(score)], config).action == "emit"
    ]

    assert (fit.emitted, fit.wrong) == (len(emitted), sum(emitted))


def test_too_few_labels_fit_no_threshold():
    """72 right answers do not show that at most 5 % are wrong; 73 do."""
    few, enough = (fit_threshold([(0.9, False)] * n, max_wrong=0.05) for n in (72, 73))

    assert (None, 0.9) == (few.emit_threshold, enough.emit_threshold)
    with pytest.raises(ShieldError, match="72 labels; label more answers"):
        few.applied(AnswerConfig())


def test_other_thresholds_are_lowered_with_the_emit_threshold():
    """Thresholds above the fitted one are lowered to it; other settings are unchanged."""
    fit = fit_threshold([(0.5, False)] * 100, max_wrong=0.05)
    config = fit.applied(AnswerConfig(high_stakes=True, revise_threshold=0.55))

    assert (0.5, 0.5, 0.4) == (
        config.emit_threshold, config.revise_threshold, config.block_threshold,
    )  # fmt: skip
    assert config.high_stakes


def test_labels_of_a_log_fit_the_gate():
    """Only labelled answers that have a score are used."""
    store = MemoryStore()
    desk = Shield(
        shield.configure(mode="audit", tools=[Tool(name="read", read_only=True)]),
        store=store,
        hooks=None,
    )
    with desk.session():
        call = ToolCall("read", {}, "c")
        desk.check_call(call)
        desk.check_result(call, "Booking ABC123 costs 420.00 EUR.", elapsed_ms=100.0)
        for answer in ("It costs 420.00 EUR.", "It costs 999.00 EUR.", "Hello!"):
            desk.check_answer(answer)
    right, wrong, empty = (one for one in store.scan() if one.subject == "answer")
    assert empty.probability is None
    for n in range(100):
        store.append(dataclasses.replace(right, id=f"r{n}"))
        store.label(Label(decision_id=f"r{n}", truth=Truth.OK, at=1.0))
    for one in (wrong, empty):
        store.label(Label(decision_id=one.id, truth=Truth.HALLUCINATED, at=1.0))
    fit = fit_gate(store)

    assert (101, 1) == (fit.labels, fit.hallucinated)
    assert fit.emit_threshold is not None


@pytest.mark.parametrize("share", [0, -0.1, 1.5, float("nan")])
def test_an_invalid_share_is_an_error(share):
    """`max_wrong` must be above 0 and at most 1."""
    with pytest.raises(ShieldError, match="`max_wrong` is"):
        fit_gate(MemoryStore(), max_wrong=share)

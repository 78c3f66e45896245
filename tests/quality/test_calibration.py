"""Precision and false-positive rate of the stages are measured from labels."""

from __future__ import annotations

import pytest

from abs_shield import Shield, shield
from abs_shield.core.label import Label, Truth
from abs_shield.errors import PolicyError
from abs_shield.quality import (
    AgentOutput,
    OutputFinding,
    QualityConfig,
    QualityPipeline,
    Stage,
    StageReport,
    Task,
)
from abs_shield.quality.calibration import Precision, false_positive_rate, measured_precision
from abs_shield.quality.consistency import contradictions
from abs_shield.stats.share_intervals import wilson
from abs_shield.stores import MemoryStore, open_store

CARD = "Her card is 4111 1111 1111 1111."
CLEAN = AgentOutput(text="All is well.")
WRONG = (
    "Our Q1 revenue was $50M. This represents a 10% year-over-year increase."
    " Last year's Q1 revenue was $55M."
)


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    if request.param == "memory":
        return MemoryStore()
    return open_store(str(tmp_path / "log.db"))


def label_outputs(store, labels):
    """Check outputs and label their decisions."""
    firewall = Shield(shield.configure(mode="audit"), hooks=None, store=store)
    pipeline = QualityPipeline(shield=firewall)
    for text, truth in labels:
        result = pipeline.run(AgentOutput(text=text))
        if truth is not None:
            store.label(Label(decision_id=result.decision_id, truth=truth, at=1.0))
    store.flush(10)


def test_no_labels_measure_nothing(store):
    """Without labels there is no rate and no precision."""
    label_outputs(store, [(CARD, None), ("All done.", Truth.OK)])

    assert None is false_positive_rate([store])
    assert {} == measured_precision(store)


def test_labels_measure_each_stage(store):
    """Each stage has a precision with its interval; the rate counts held outputs labelled ok."""
    assert contradictions(WRONG).findings
    label_outputs(store, [
        (CARD, Truth.HALLUCINATED), (CARD, Truth.HALLUCINATED), (CARD, Truth.OK),
        (WRONG, Truth.HALLUCINATED), ("All done.", Truth.OK), (WRONG, None),
    ])  # fmt: skip
    results = measured_precision(store)

    assert 0.25 == false_positive_rate([store])
    assert {"pii": (2 / 3, 3), "hallucination": (1.0, 1)} == {
        stage: (one.value, one.labels) for stage, one in results.items()
    }
    assert results["pii"].low < 2 / 3 < results["pii"].high


def test_own_stages_and_both_judges_are_measured(store):
    """Custom stages and both judges are measured by the labels of their own outputs."""

    def judge(messages, schema):
        return {"approved": False, "reason": "no", "readability": 1, "completeness": 1, "tone": 1}

    firewall = Shield(shield.configure(mode="audit"), hooks=None, store=store)
    own = Stage("own", lambda output, config: StageReport(
        "failed", (OutputFinding(code="OWN", start=0, end=1, detail="x"),)))  # fmt: skip
    config = QualityConfig(judge=judge, background=False, own_stages=(own,))
    pipeline = QualityPipeline(config, shield=firewall)
    for classification in ("", "LEGAL"):
        task = Task(output_classification=classification)
        result = pipeline.run(AgentOutput(text="Fine.", task=task))
        truth = Truth.OK if classification else Truth.HALLUCINATED
        store.label(Label(decision_id=result.decision_id, truth=truth, at=1.0))
    store.flush(10)

    assert {"own": 0.5, "judge": 1.0, "premium_judge": 0.0} == {
        stage: one.value for stage, one in measured_precision(store).items()
    }


def test_one_label_does_not_change_the_confidence(store):
    """With one label the interval is wide, so the stage keeps its default confidence."""
    label_outputs(store, [(CARD, Truth.OK)])
    measured = measured_precision(store)
    result = QualityPipeline(QualityConfig(stages=("pii",), confidence=measured)).run(CLEAN)

    assert (0.0, 1) == (measured["pii"].value, measured["pii"].labels)
    assert ("ship", 0.995) == (result.action, result.confidence)


@pytest.mark.parametrize(
    ("right", "labels", "action", "band"),
    [
        (29, 29, "ship", "high"),  # one label too few: the prior, .995
        (100, 100, "ship", "high"),  # the lower end is .963
        (30, 30, "flag", "medium"),  # .886
        (24, 30, "block", "low"),  # .627, though 80 % of the findings were right
        (0, 30, "block", "low"),
    ],
)
def test_the_lower_end_of_the_interval_acts(right, labels, action, band):
    """From 30 labels on; band and action agree."""
    measured = {"pii": Precision(right / labels, *wilson(right, labels), labels)}
    result = QualityPipeline(QualityConfig(stages=("pii",), confidence=measured)).run(CLEAN)

    assert (action, band) == (result.action, result.band)


def test_a_confidence_of_nothing_counts():
    """0.0 is a value; it is the least."""
    config = QualityConfig(confidence={"pii": 0.0, "hallucination": 0.99})
    result = QualityPipeline(config).run(CLEAN)

    assert ("block", 0.0, "low") == (result.action, result.confidence, result.band)


def test_band_and_action_agree_in_the_sample():
    """The prior of the quality score, which no label measures, counts until the others are."""
    sure = {"pii": 0.97, "guardrails": 0.97, "hallucination": 0.98}
    settings = {"sample_rate": 1, "background": False}
    prior = QualityPipeline(QualityConfig(**settings)).run(CLEAN)
    measured = QualityPipeline(QualityConfig(confidence=sure, **settings)).run(CLEAN)

    assert (0.85, "medium", "ship") == (prior.confidence, prior.band, prior.action)
    assert (0.97, "high", "ship") == (measured.confidence, measured.band, measured.action)


def test_measured_precision_of_unknown_stages_is_accepted():
    """A log may have stages of another configuration; a typed confidence must name a stage."""
    QualityConfig(confidence={"gone": Precision(1.0, 0.9, 1.0, 40)})
    with pytest.raises(PolicyError, match="`confidence` has"):
        QualityConfig(confidence={"gone": 0.9})

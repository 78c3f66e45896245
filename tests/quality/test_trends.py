"""Quality scores by agent, task type and model: each shift is found once, noise is not."""

from __future__ import annotations

import random

import pytest

from abs_shield import Shield, shield
from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline
from abs_shield.quality.trends import ScoreTrends, SeriesKey


def shifts(scores, trends=None, **output):
    """Return the positions at which the series of one agent shifts, with the results."""
    trends = trends or ScoreTrends()
    agent_output = AgentOutput(text="", **output)
    return [
        (n, results)
        for n, score in enumerate(scores)
        if (results := trends.add(agent_output, score))
    ]


def scores_around(mean, count, seed=1, spread=6):
    noise = random.Random(seed)
    return [min(100.0, max(0.0, noise.gauss(mean, spread))) for _ in range(count)]


def test_a_drop_within_a_week_is_found():
    """From 87 to 71, as in the seed: within ten scores, once, with both means."""
    evaluation = shifts(
        [*scores_around(87, 200), *scores_around(71, 100, seed=2)], agent_id="analyst"
    )

    assert 1 == len(evaluation)
    [(place, shift)] = evaluation
    assert 200 <= place < 210
    assert 86 < shift.before < 89
    assert shift.now < shift.before
    assert str(shift).startswith("quality of analyst went from 8")


def test_a_slow_drift_is_found():
    """Sixteen points in 200 scores: no single one is far from the last."""
    drift = [score - 16 * n / 200 for n, score in enumerate(scores_around(87, 200, seed=3))]

    evaluation = shifts([*scores_around(87, 100), *drift])
    assert evaluation
    assert 100 < evaluation[0][0] < 260


@pytest.mark.parametrize("spread", [0, 1, 6, 12])
def test_noise_is_no_shift(spread):
    """A thousand noisy scores with a constant mean have no shift."""
    assert [] == shifts(scores_around(82, 1_000, spread=spread))


def test_one_bad_output_is_no_shift():
    """A single low score in a constant series is not a shift."""
    scores = [100.0] * 100
    scores[50] = 40.0

    assert [] == shifts(scores)


def test_each_agent_task_and_model_has_a_series():
    """The scores of one combination do not affect the series of another."""
    trends = ScoreTrends()
    assert [] == shifts([90.0] * 50, trends, agent_id="a", model="m")
    assert [] == shifts([60.0] * 50, trends, agent_id="b", model="m")
    assert [] == shifts([30.0] * 50, trends, agent_id="a", model="m", task_type="memo")

    assert {
        SeriesKey("a", "", "m"): 90.0,
        SeriesKey("b", "", "m"): 60.0,
        SeriesKey("a", "memo", "m"): 30.0,
    } == dict(trends.averages())


def test_agents_without_end_share_a_series():
    """Names may come from anybody."""
    trends = ScoreTrends()
    for n in range(3_000):
        trends.add(AgentOutput(text="", agent_id=f"agent-{n}"), 90)

    assert 1_001 == len(list(trends.averages()))


def test_a_shift_is_in_the_log():
    """A shift is stored as a separate decision, which strict mode would not block."""
    firewall = Shield(shield.configure(), hooks=None)
    config = QualityConfig(sample_rate=1, stages=("quality_score",), background=False)
    pipeline = QualityPipeline(config, shield=firewall)
    for n in range(60):
        text = "The report is ready. It covers two weeks." if n < 40 else "Bad ("
        pipeline.run(AgentOutput(text=text, agent_id="analyst"))
    noted = [one for one in firewall.store.decisions() if one.notes]

    assert ["QUALITY_SHIFT"] == [finding.code for one in noted for finding in one.findings]
    assert "quality of analyst went from 100 to" in noted[0].findings[0].detail
    assert not noted[0].would_block

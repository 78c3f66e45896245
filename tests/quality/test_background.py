"""Background work, judges of routine outputs and sampled scores, is not lost."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import abs_shield
from abs_shield import Shield, shield
from abs_shield.core import Action
from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline, StageOutcome, Task
from abs_shield.quality.background_queue import BackgroundQueue
from abs_shield.quality.quality_cascade import SCORE
from abs_shield.stores import SqliteStore
from abs_shield.testing import capture_decisions
from tests.processes import run_python
from tests.requirements import needs_fork

RATED = {"readability": 80, "completeness": 70, "tone": 90}
TEXT = "The report is ready. It covers two weeks."


def judge(*, approved: bool = True, wait: threading.Event | None = None) -> Any:
    """A judge that waits until it may answer."""

    def reply(messages: Any, schema: Any) -> dict[str, Any]:
        if wait is not None:
            assert wait.wait(10)
        return {"approved": approved, "reason": "the ending is missing", **RATED}

    return reply


def pipeline(**settings: Any) -> tuple[QualityPipeline, list[Any]]:
    """A pipeline, and what it did in the background."""
    done: list[Any] = []
    config = QualityConfig(
        sample_rate=1, on_background=lambda output, stages: done.append((output, stages)),
        **settings,
    )  # fmt: skip
    return QualityPipeline(config, shield=settings.pop("shield", None)), done


def test_a_routine_output_does_not_wait() -> None:
    """The output ships before its judge replies; the judgement is reported later."""
    wait = threading.Event()
    cascade, done = pipeline(judge=judge(approved=False, wait=wait))
    result = cascade.run(AgentOutput(text=TEXT, output_id="o-1"))

    assert "ship" == result.action
    later = "in the background"
    no_rule = "no guardrail is for this task type"
    assert {"guardrails": no_rule, "quality_score": later, "judge": later} == {
        one.name: one.reason for one in result.stages if one.outcome is StageOutcome.SKIPPED
    }
    wait.set()
    assert cascade.flush(10)
    [(output, (score, judged))] = done
    assert "o-1" == output.output_id
    assert (StageOutcome.FAILED, "the ending is missing") == (
        judged.outcome, judged.findings[0].remedy,
    )  # fmt: skip
    assert 91.4 == score.score  # (4 * 100 + 80 + 70 + 90) / 7
    assert judged.elapsed_ms > 0
    assert 0 < judged.cost_usd < 0.01


def test_a_high_stakes_output_waits() -> None:
    """The judgement of a high-stakes output decides; its score is computed in the background."""
    cascade, done = pipeline(judge=judge(approved=False))
    legal = AgentOutput(text=TEXT, task=Task(output_classification="LEGAL"))
    result = cascade.run(legal)

    assert ("block", "failed") == (result.action, result.stages[-1].outcome)
    assert "the ending is missing" in result.feedback()
    assert result.stages[-1].cost_usd > 0
    assert cascade.flush(10)
    assert [91.4] == [stage.score for _, stages in done for stage in stages]


def test_nothing_waits_where_the_background_is_off() -> None:
    """The score includes the judge's ratings immediately."""
    cascade, done = pipeline(judge=judge(), background=False)
    result = cascade.run(AgentOutput(text=TEXT))

    assert [91.4] == [one.score for one in result.stages if one.name == "quality_score"]
    assert [] == done


def test_a_background_rejection_is_a_separate_decision() -> None:
    """It flags the shipped output and is marked as made in the background."""
    firewall = Shield(shield.configure(), hooks=None)
    config = QualityConfig(judge=judge(approved=False), sample_rate=0)
    cascade = QualityPipeline(config, shield=firewall)
    with capture_decisions(firewall) as decisions:
        asyncio.run(cascade.arun(AgentOutput(text=TEXT)))
        assert cascade.flush(10)

    shipped, rejected = decisions.outputs
    assert (Action.ALLOW, ()) == (shipped.action, shipped.notes)
    assert (Action.FLAG, ("background",), False) == (
        rejected.action, rejected.notes, rejected.would_block,
    )  # fmt: skip
    assert ["JUDGE_REJECTED"] == [one.code for one in rejected.findings]


def test_items_over_the_queue_limit_are_dropped_and_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The queue has a limit; a dropped item is counted and logged, and no output waits."""
    wait = threading.Event()
    cascade, done = pipeline(judge=judge(wait=wait), background_queue=3)
    with caplog.at_level(logging.WARNING, logger="abs_shield"):
        for n in range(12):
            assert "ship" == cascade.run(AgentOutput(text=TEXT, output_id=str(n))).action
    wait.set()

    assert cascade.flush(10)
    assert 12 == len(done) + cascade.dropped
    assert 5 <= cascade.dropped <= 9  # two are at work, three wait
    assert (
        "a check in the background was dropped, 1 so far: the queue of 3 items is full"
        in caplog.text
    )


def test_the_end_waits_for_a_stated_time(caplog: pytest.LogCaptureFixture) -> None:
    """Unfinished work is counted and logged."""
    wait = threading.Event()
    cascade, _ = pipeline(judge=judge(wait=wait))
    for _ in range(5):
        cascade.run(AgentOutput(text=TEXT))
    with caplog.at_level(logging.WARNING, logger="abs_shield"):
        assert not cascade.close(0.05)
    wait.set()

    assert 5 == cascade.dropped
    assert "5 checks in the background were not done in time" in caplog.text
    assert "ship" == cascade.run(AgentOutput(text=TEXT)).action
    assert 6 == cascade.dropped


def test_closing_completes_queued_work() -> None:
    """`close` completes all queued work within its timeout."""
    cascade, done = pipeline(judge=judge())
    for _ in range(20):
        cascade.run(AgentOutput(text=TEXT))

    assert cascade.close(10)
    assert (20, 0) == (len(done), cascade.dropped)


def test_a_process_that_ends_does_what_waits(tmp_path: Any) -> None:
    """Without a call of `close`."""
    script = tmp_path / "service.py"
    script.write_text(
        "import time\n"
        "from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline\n"
        "def judge(messages, schema):\n"
        "    time.sleep(.05)\n"
        "    return {'approved': True, 'reason': '', 'readability': 1, 'completeness': 1,"
        " 'tone': 1}\n"
        "def done(output, stages):\n"
        "    print(f'{output.output_id}\\n', end='')\n"
        "config = QualityConfig(judge=judge, on_background=done)\n"
        "pipeline = QualityPipeline(config)\n"
        "for n in range(8):\n"
        "    pipeline.run(AgentOutput(text='Fine.', output_id=f'o-{n}'))\n"
    )
    done = run_python(script, check=False)

    assert (0, "") == (done.returncode, done.stderr)
    assert [f"o-{n}" for n in range(8)] == sorted(done.stdout.split())


@needs_fork
def test_a_forked_child_has_its_own_queue() -> None:
    """A child process starts its own threads, because those of its parent do not exist in it."""
    done: list[int] = []
    background = BackgroundQueue(done.append, most=10, threads=1)
    background.put(1)
    assert background.flush(10)
    child = os.fork()
    if not child:
        background.put(2)
        os._exit(0 if background.flush(10) and [1, 2] == done else 1)

    assert 0 == os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_an_exit_in_the_background_ends_no_thread():
    """If the work calls `sys.exit`, only its own item is lost."""
    done: list[int] = []

    def work(item: int) -> None:
        if item < 2:
            raise SystemExit
        done.append(item)

    background = BackgroundQueue(work, most=10, threads=1)
    for item in range(4):
        background.put(item)

    assert background.flush(10)
    assert [2, 3] == done


def test_an_error_in_the_background_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """The class of the error is logged without its text, and the next item is processed."""
    done = []

    def work(item: int) -> None:
        if item == 1:
            raise ValueError("a text")
        done.append(item)

    background = BackgroundQueue(work, most=10, threads=1)
    for item in (1, 2):
        background.put(item)

    assert background.flush(10)
    assert [2] == done
    assert "a check in the background failed: ValueError" in caplog.text
    assert "a text" not in caplog.text


JUDGE_OF_A_PROCESS = """
import sys, time
from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline
def judge(messages, schema):
    time.sleep(.05)
    return {'approved': True, 'reason': '', 'readability': 1, 'completeness': 1, 'tone': 1}
def done(output, stages):
    print('done', flush=True)
pipeline = QualityPipeline(QualityConfig(judge=judge, on_background=done))
"""


@pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no SIGTERM; run the test on Linux or macOS"
)
def test_a_process_that_is_terminated_does_what_waits(tmp_path: Any) -> None:
    """With the handler that `exit_on_sigterm` sets."""
    script = tmp_path / "worker.py"
    script.write_text(
        JUDGE_OF_A_PROCESS + "from abs_shield.stores.process_exit import exit_on_sigterm\n"
        "assert exit_on_sigterm() and not exit_on_sigterm()\n"
        "for n in range(8):\n"
        "    pipeline.run(AgentOutput(text='Fine.'))\n"
        "print('begun', flush=True)\n"
        "for _ in range(300):\n"
        "    time.sleep(.1)\n"
    )
    package = str(Path(abs_shield.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": package},
    )  # fmt: skip
    assert process.stdout is not None
    assert any("begun" in line for line in iter(process.stdout.readline, ""))
    process.terminate()
    output, _ = process.communicate(timeout=30)

    assert 143 == process.returncode
    assert 5 <= output.count("done") <= 8  # some were done before the first line was read


def test_a_pipeline_that_was_drained_goes_on() -> None:
    """A server may start again in the same process."""
    cascade, done = pipeline(judge=judge())
    for _ in range(2):
        cascade.run(AgentOutput(text=TEXT))
        assert cascade.drain(10)

    assert (2, 0) == (len(done), cascade.dropped)


def test_sampled_scores_are_stored(tmp_path):
    """A score is stored with its agent, task type and model."""
    store = SqliteStore(tmp_path / "log.db")
    shield_ = Shield(shield.configure(), store=store, hooks=None)
    pipeline = QualityPipeline(QualityConfig(sample_rate=1, background=False), shield=shield_)
    output = AgentOutput(
        text="The memo is done.", agent_id="analyst", task_type="memo", model="m-1"
    )
    result = pipeline.run(output)
    shield_.close()
    (score,) = store.scores()
    store.close()

    assert ("analyst", "memo", "m-1") == (score.agent, score.task_type, score.model)
    assert [score.score] == [one.score for one in result.stages if one.name == SCORE]

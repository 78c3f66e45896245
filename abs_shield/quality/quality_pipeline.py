"""The pipeline of the quality cascade: sync and async runs, background work and recording."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

from abs_shield.core.fork_safety import new_id
from abs_shield.core.vocabularies import Mode
from abs_shield.errors import ShieldError
from abs_shield.model import Undetermined, aplay, play
from abs_shield.quality.background_queue import BackgroundQueue
from abs_shield.quality.output_judge import OutputJudgement, judge_output
from abs_shield.quality.quality_cascade import SCORE, Cascade
from abs_shield.quality.quality_config import QualityConfig
from abs_shield.quality.quality_metrics import METRICS
from abs_shield.quality.quality_types import AgentOutput, QualityResult, StageResult
from abs_shield.quality.trends import ScoreTrends
from abs_shield.text.safe_display import shown

_THREADS = 2  # a slow judge must not stop the queue; more may exceed a provider's rate limit
"""Number of judges called in parallel in the background."""


class _Later(NamedTuple):
    """The deferred work on an output: its stages, and their recorder."""

    cascade: Cascade
    recorder: Any


class QualityPipeline:
    """
    The quality cascade of one configuration.

    Args:
        config: Its settings; the defaults if None.
        shield: A `Shield` that records one Decision for each output. Its audit mode, that of the
            check `quality`, and its kill switch also apply to the cascade.

    Attributes:
        trends: The quality scores by agent, task type and model.

    >>> pipeline = QualityPipeline()
    >>> result = pipeline.run(AgentOutput(text="Her card is 4111 1111 1111 1111."))
    >>> result.action.value, result.stages[0].outcome.value
    ('block', 'failed')
    """

    def __init__(self, config: QualityConfig | None = None, *, shield: Any = None) -> None:
        if config is not None and not isinstance(config, QualityConfig):
            raise ShieldError(f"quality: `config` is {shown(config)}; give a QualityConfig")
        if shield is not None and not callable(getattr(shield, "guarded_output", None)):
            raise ShieldError(f"quality: `shield` is {shown(shield)}; give a Shield")
        self.config = config or QualityConfig()
        self.shield = shield
        self.trends = ScoreTrends()
        self._background: BackgroundQueue[_Later] = BackgroundQueue(
            self._finish, most=self.config.background_queue, threads=_THREADS
        )
        METRICS.watch(self)

    @property
    def enforced(self) -> bool:
        """True if a failed output is currently held back."""
        audited = self.shield is not None and self.shield.guarded_output().mode is Mode.AUDIT
        return self.config.mode is Mode.STRICT and not audited

    @property
    def dropped(self) -> int:
        """Number of outputs not judged or scored in the background (queue full, or timeout)."""
        return self._background.dropped

    def run(self, output: AgentOutput, *, attempt: int = 1) -> QualityResult:
        """
        Check an output before it is sent.

        Args:
            output: The output.
            attempt: Number of the agent's attempt, from 1.

        Returns:
            The action on the output, and the result of each stage.

        Raises:
            ShieldError: *output* is not an `AgentOutput`, or *attempt* not an integer from 1.
        """
        cascade, recorder = self._begin(output, attempt)
        cascade.check()
        judge = cascade.judge
        if judge is not None:
            cascade.add_judgement(*_judged(cascade, judge))
        return self._end(cascade, recorder, attempt)

    async def arun(self, output: AgentOutput, *, attempt: int = 1) -> QualityResult:
        """Run the cascade like `run`, without blocking the event loop."""
        import asyncio  # lazily: sync programs start faster without it

        cascade, recorder = self._begin(output, attempt)
        # some hundred milliseconds for a long output
        await asyncio.to_thread(cascade.check)
        judge = cascade.judge
        if judge is not None:
            began = perf_counter()
            reply = await aplay(judge_output(cascade.output), judge, terms=cascade.terms)
            cascade.add_judgement(reply, (perf_counter() - began) * 1e3)
        return self._end(cascade, recorder, attempt)

    def flush(self, timeout_s: float = 30.0) -> bool:
        """
        Wait for the background work; return False on timeout.

        Args:
            timeout_s: How long to wait, in seconds.
        """
        return self._background.flush(timeout_s)

    def close(self, timeout_s: float = 5.0) -> bool:
        """
        Finish the background work, and accept no further outputs there.

        This also happens at process exit.

        Args:
            timeout_s: How long to wait, in seconds.

        Returns:
            False if something was dropped on timeout; it is counted and logged.
        """
        return self._background.close(timeout_s)

    def drain(self, timeout_s: float = 5.0) -> bool:
        """
        Finish the background work; the pipeline still accepts further outputs.

        `QualityMiddleware` calls it when its server shuts down.

        Args:
            timeout_s: How long to wait, in seconds.

        Returns:
            False if something was dropped on timeout; it is counted and logged.
        """
        return self._background.drain(timeout_s)

    def _begin(self, output: AgentOutput, attempt: int) -> tuple[Cascade, Any]:
        if type(attempt) is not int or attempt < 1:
            raise ShieldError(f"quality: `attempt` is {shown(attempt)}; give a whole number from 1")
        output = _identified(output)
        recorder = None if self.shield is None else self.shield.guarded_output()
        mode = self.config.mode
        # the milder of both modes: audit must not hold anything
        if recorder is not None and recorder.mode is Mode.AUDIT:
            mode = Mode.AUDIT
        off = recorder is not None and recorder.off
        return Cascade(self.config, output, mode, off=off), recorder

    def _end(self, cascade: Cascade, recorder: Any, attempt: int) -> QualityResult:
        result = cascade.result(attempt)
        if recorder is not None:
            result = replace(result, decision_id=recorder.record(cascade.output, result))
        METRICS.record(result)
        self._follow(cascade.output, result.stages, recorder)
        # after the result was recorded, because the background adds to its decision
        if cascade.is_deferred:
            self._background.put(_Later(cascade, recorder))
        return result

    def _finish(self, later: _Later) -> None:
        """Run the deferred work on an output in the background."""
        cascade, recorder = later
        output, judge = cascade.output, cascade.later_judge
        reply, elapsed_ms = (None, 0.0) if judge is None else _judged(cascade, judge)
        stages = cascade.later(reply, elapsed_ms)
        METRICS.record_stages(stages)
        findings = [(stage.name, results) for stage in stages for results in stage.findings]
        if recorder is not None and findings:
            recorder.record_late_findings(output, findings)
        self._follow(output, stages, recorder)
        if self.config.on_background is not None:
            self.config.on_background(output, stages)

    def _follow(self, output: AgentOutput, stages: tuple[StageResult, ...], recorder: Any) -> None:
        """Add the quality score of an output to its series, and report a shift."""
        for stage in stages:
            if stage.name != SCORE or stage.score is None:
                continue
            METRICS.record_score(output, stage.score)
            if recorder is not None:
                recorder.record_score(output, stage.score)
            shift = self.trends.add(output, stage.score)
            if shift is not None:
                METRICS.record_shift(shift)
                if recorder is not None:
                    recorder.record_late_findings(output, [(SCORE, shift.finding())])


def _judged(cascade: Cascade, judge: Any) -> tuple[OutputJudgement | Undetermined, float]:
    began = perf_counter()
    reply = play(judge_output(cascade.output), judge, terms=cascade.terms)
    return reply, (perf_counter() - began) * 1e3


def _identified(output: AgentOutput) -> AgentOutput:
    if not isinstance(output, AgentOutput):  # it may be the text itself
        raise ShieldError(f"quality: got {type(output).__name__}; give an AgentOutput with a text")
    return output if output.output_id else replace(output, output_id=new_id())

"""The quality cascade: stages over one output, the first failure holds it back."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from traceback import extract_tb
from typing import Any

from abs_shield.core.ids import new_id
from abs_shield.core.words import Mode
from abs_shield.errors import ShieldError
from abs_shield.model import Terms, Undetermined, aplay, play
from abs_shield.quality.confidence import HIGH, LOW, PRIORS, band_of, note_of, overall_confidence
from abs_shield.quality.config import QualityConfig
from abs_shield.quality.judge import judge_output
from abs_shield.quality.stages import STAGES, Stage
from abs_shield.quality.stages.report import StageReport
from abs_shield.quality.stakes import is_high_stakes
from abs_shield.quality.types import (
    AgentOutput,
    OutputFinding,
    QualityAction,
    QualityResult,
    StageOutcome,
    StageResult,
)
from abs_shield.text.show import escaped, shown

logger = logging.getLogger("abs_shield")
JUDGE = "judge"
_RAN = (StageOutcome.PASSED, StageOutcome.FAILED)
_TERMS = Terms()


class QualityPipeline:
    """
    The quality cascade of one configuration.

    Args:
        config: Its settings; the defaults if None.
        shield: A `Shield` that records one Decision for each output. Its audit mode, that of
            the check `quality`, and its kill switch hold for the cascade, too.

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

    @property
    def enforced(self) -> bool:
        """Whether an output that fails is held back at this moment."""
        audited = self.shield is not None and self.shield.guarded_output().mode is Mode.AUDIT
        return self.config.mode is Mode.STRICT and not audited

    def run(self, output: AgentOutput, *, attempt: int = 1) -> QualityResult:
        """
        Check an output before anybody receives it.

        Args:
            output: The output.
            attempt: Which attempt of the agent it is, from 1.

        Returns:
            What to do with the output, and what each stage says of it.

        Raises:
            ShieldError: *output* is not an `AgentOutput` with a text.
        """
        output = _identified(output)
        cascade = _Cascade(self.config, output, self.shield)
        cascade.check()
        judge = cascade.judge
        if judge is not None:
            cascade.add_judgement(*_timed(lambda: play(judge_output(output), judge, terms=_TERMS)))
        return cascade.recorded(attempt)

    async def arun(self, output: AgentOutput, *, attempt: int = 1) -> QualityResult:
        """As `run`, without blocking the event loop."""
        import asyncio  # sync programs start faster without it

        output = _identified(output)
        cascade = _Cascade(self.config, output, self.shield)
        await asyncio.to_thread(cascade.check)
        judge = cascade.judge
        if judge is not None:
            began = perf_counter()
            reply = await aplay(judge_output(output), judge, terms=_TERMS)
            cascade.add_judgement(reply, (perf_counter() - began) * 1e3)
        return cascade.recorded(attempt)


def _identified(output: AgentOutput) -> AgentOutput:
    if not isinstance(output, AgentOutput) or not isinstance(output.text, str):
        raise ShieldError(f"quality: got {shown(output)}; give an AgentOutput with a text")
    return output if output.output_id else replace(output, output_id=new_id())


def _raised(error: Exception) -> str:
    """Return the class of an error and where it was raised; its message may quote the output."""
    frames = extract_tb(error.__traceback__)
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"


def _timed(call: Any) -> tuple[Any, float]:
    began = perf_counter()
    return call(), (perf_counter() - began) * 1e3


class _Cascade:
    """One output on its way through the stages."""

    def __init__(self, config: QualityConfig, output: AgentOutput, shield: Any) -> None:
        self._config, self._output = config, output
        self._recorder = None if shield is None else shield.guarded_output()
        self._off = self._recorder is not None and self._recorder.off
        audited = self._recorder is not None and self._recorder.mode is Mode.AUDIT
        self._mode = Mode.AUDIT if audited else config.mode
        self._high_stakes = is_high_stakes(output.task)
        self._results: list[StageResult] = []
        self._message = ""
        self._held = False

    def check(self) -> None:
        """Run the stages that need no model; in strict mode the first failure ends them."""
        for stage in STAGES:
            if reason := self._reason_to_skip(stage.name):
                self._skip(stage.name, reason)
            else:
                self._run(stage)

    def _reason_to_skip(self, stage: str) -> str:
        if self._off:
            return "the shield is off"
        if stage not in self._config.stages:
            return "not configured"
        return "an earlier stage failed" if self._held and self._mode is Mode.STRICT else ""

    @property
    def judge(self) -> Any:
        """The judge of this output; None if none is configured, or the output is held already."""
        config = self._config
        judge = (config.premium_judge or config.judge) if self._high_stakes else config.judge
        reason = self._reason_to_skip(JUDGE)
        if judge is None:
            reason = reason or "no judge is configured"
        if reason:
            self._skip(JUDGE, reason)
        return None if reason else judge

    def add_judgement(self, reply: OutputFinding | Undetermined | None, elapsed_ms: float) -> None:
        """Add what the judge says; a judge that gives no usable reply is unavailable."""
        if isinstance(reply, Undetermined):
            report = StageReport(StageOutcome.UNAVAILABLE, reason=escaped(reply.reason))
        elif reply is None:
            report = StageReport()
        else:
            report = StageReport(StageOutcome.FAILED, (reply,), f"Judge: {reply.remedy}")
        self._add(JUDGE, report, elapsed_ms, gate=True)

    def result(self, attempt: int) -> QualityResult:
        """Return what to do with the output."""
        ran = [one for one in self._results if one.outcome in _RAN]
        confidence = overall_confidence(one.confidence for one in ran if one.confidence is not None)
        measured = self._config.confidence
        calibrated = bool(ran) and all(self._key(one.name) in measured for one in ran)
        score = next((one.score for one in self._results if one.name == "hallucination"), None)
        return QualityResult(
            output_id=self._output.output_id,
            action=self._action(confidence if calibrated else None, attempt),
            stages=tuple(self._results),
            hallucination_score=score,
            confidence=confidence,
            band=None if confidence is None else band_of(confidence),
            note="" if confidence is None else note_of(confidence),
            message=self._message,
            mode=self._mode,
        )

    def recorded(self, attempt: int) -> QualityResult:
        """Return the result, with its Decision recorded where a Shield does that."""
        result = self.result(attempt)
        if self._recorder is None:
            return result
        return replace(result, decision_id=self._recorder.record(self._output, result))

    def _run(self, stage: Stage) -> None:
        began = perf_counter()
        try:
            report = stage.check(self._output, self._config)
        except Exception as error:  # an internal failure is no verdict on the output
            reason = f"{type(error).__name__} in the stage"
            logger.error("quality: stage %s failed: %s", stage.name, _raised(error))
            report = StageReport(StageOutcome.ERROR, reason=reason)
        self._add(stage.name, report, (perf_counter() - began) * 1e3, gate=stage.gate)

    def _add(self, name: str, report: StageReport, elapsed_ms: float, *, gate: bool) -> None:
        key = self._key(name)
        confidence = self._config.confidence.get(key, PRIORS[key])
        self._results.append(
            StageResult(
                name=name,
                outcome=report.outcome,
                findings=report.findings,
                confidence=confidence if report.outcome in _RAN else None,
                elapsed_ms=elapsed_ms,
                reason=report.reason,
                score=report.score,
            )
        )
        if gate and report.outcome is StageOutcome.FAILED:
            self._message = "\n\n".join(filter(None, (self._message, report.message)))
            self._held = True
        if gate and report.outcome is StageOutcome.ERROR:
            self._held = True

    def _skip(self, name: str, reason: str) -> None:
        self._results.append(StageResult(name=name, outcome=StageOutcome.SKIPPED, reason=reason))

    def _key(self, name: str) -> str:
        return "premium_judge" if name == JUDGE and self._high_stakes else name

    def _action(self, confidence: float | None, attempt: int) -> QualityAction:
        """Return the action by what failed, and by a measured confidence; None is not measured."""
        if self._held or (confidence is not None and confidence < LOW):
            last = attempt >= self._config.attempts
            return QualityAction.BLOCK if last else QualityAction.REVISE
        if confidence is not None and confidence <= HIGH:
            return QualityAction.FLAG
        return QualityAction.SHIP

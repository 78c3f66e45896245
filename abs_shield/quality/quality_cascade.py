"""The stages of one output, and the work left for the background."""

from __future__ import annotations

import logging
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from traceback import extract_tb
from typing import Any

from abs_shield.core.vocabularies import Mode
from abs_shield.model import Budget, Terms, Undetermined
from abs_shield.quality.calibration import (
    HIGH,
    LOW,
    PRIORS,
    band_of,
    measured_confidence,
    note_of,
    overall_confidence,
)
from abs_shield.quality.output_judge import OutputJudgement, is_high_stakes, unread_by_judge
from abs_shield.quality.pii.pii_detector import TABLE, mask_text
from abs_shield.quality.quality_config import NAMES, QualityConfig
from abs_shield.quality.quality_score import QualityScore, is_sampled, score_quality, with_ratings
from abs_shield.quality.quality_types import (
    AgentOutput,
    OutputFinding,
    QualityAction,
    QualityResult,
    Stage,
    StageOutcome,
    StageReport,
    StageResult,
)
from abs_shield.quality.stages import STAGES

logger = logging.getLogger("abs_shield")

PII, JUDGE, SCORE = "pii", "judge", "quality_score"
IN_BACKGROUND = "in the background"
_RAN = (StageOutcome.PASSED, StageOutcome.FAILED)
_MOST_FINDINGS = 250
"""Maximum number of findings per stage; its reason has the number of further ones."""
_NO_LIMIT = 1_000_000_000  # the budget only counts here: one output is judged once
_CONFIDENCE = "confidence"
"""The name in `held_by` for outputs that are held by their confidence alone."""
_WITHHELD = "(withheld: its personal data could not be masked)"
_CHARACTERS_A_TOKEN = 4  # OpenAI's rule of thumb: costs are approximate
"""Approximate number of characters of English text per token."""


class Cascade:
    """
    The stages of one output.

    Args:
        config: The settings.
        output: The output.
        mode: The mode in force.
        off: Whether all checks are off.
    """

    def __init__(
        self, config: QualityConfig, output: AgentOutput, mode: Mode, *, off: bool
    ) -> None:
        self._config, self.output = config, output
        self._mode, self._off = mode, off
        self._high_stakes = is_high_stakes(output.task)
        self._results: list[StageResult] = []
        self._measured = measured_confidence(config.confidence)
        self._message = self._held_by = ""
        self._held = self._flagged = False
        self._ratings: Mapping[str, float] = {}
        self._meter = Budget(calls=_NO_LIMIT, characters=_NO_LIMIT)
        self.terms = Terms(budget=self._meter, timeout_s=config.judge_timeout_s)

    def check(self) -> None:
        """Run the stages that need no model; in strict mode, up to the first failure."""
        # cheap and certain stages first; those of the host may be slow
        for stage in (*STAGES, *self._config.own_stages):
            reason = self._reason_to_skip(stage.name)
            if not reason and stage.name == SCORE and self._scores_later:
                reason = IN_BACKGROUND
            if reason:
                self._skip(stage.name, reason)
            else:
                self._run(stage)

    @property
    def judge(self) -> Any:
        """The judge to call before the output is sent; None if none is to be called now."""
        reason = self._reason_to_skip(JUDGE)
        if self._judge is None:
            reason = reason or "no judge is configured"
        if not reason and self._judges_later:
            reason = IN_BACKGROUND
        if reason:
            self._skip(JUDGE, reason)
        return None if reason else self._judge

    @property
    def is_deferred(self) -> bool:
        """True if stages are left for the background."""
        return any(one.reason == IN_BACKGROUND for one in self._results)

    @property
    def later_judge(self) -> Any:
        """The judge to call in the background; None if none is to be called."""
        return self._judge if self._is_deferred(JUDGE) else None

    def add_judgement(self, reply: OutputJudgement | Undetermined, elapsed_ms: float) -> None:
        """Add the judge's reply; without a usable reply, the judge is unavailable."""
        result = self._judged(reply, elapsed_ms)
        self._results.append(result)
        if result.outcome is StageOutcome.FAILED:
            self._hold(JUDGE, f"Judge: {result.findings[0].remedy}")
        elif result.outcome is StageOutcome.UNAVAILABLE and self._high_stakes:
            undetermined = isinstance(reply, Undetermined)
            config = self._config
            self._follow_gap(
                JUDGE, config.on_judge_failure if undetermined else config.on_unavailable
            )
        if isinstance(reply, OutputJudgement):
            self._ratings = reply.ratings
            self._results = [
                # the score was computed before the judge rated the output
                replace(one, score=self._scored().value)
                if one.name == SCORE and one.score is not None
                else one
                for one in self._results
            ]

    def later(
        self, reply: OutputJudgement | Undetermined | None, elapsed_ms: float
    ) -> tuple[StageResult, ...]:
        """Run the deferred stages; *reply* is the judge's, or None if it was not called."""
        results = []
        if isinstance(reply, OutputJudgement):
            self._ratings = reply.ratings
        if self._is_deferred(SCORE):
            began = perf_counter()
            score = self._scored()
            report = StageReport(score=score.value, reason="; ".join(score.problems))
            results.append(self._result(SCORE, report, (perf_counter() - began) * 1e3))
        if reply is not None:
            results.append(self._judged(reply, elapsed_ms))
        return tuple(results)

    def result(self, attempt: int) -> QualityResult:
        """Return the result of the cascade."""
        shares = {one.name: one.confidence for one in self._results if one.confidence is not None}
        calibrated = self._calibrated(shares)
        confidence = overall_confidence((calibrated or shares).values())
        score = next((one.score for one in self._results if one.name == "hallucination"), None)
        acting = confidence if calibrated else None
        # only a measured confidence acts: a prior is a guess about other outputs
        if calibrated and confidence is not None and confidence < LOW and not self._held:
            self._doubt(min(calibrated, key=calibrated.__getitem__), confidence)
        action = self._action(acting, attempt)
        return QualityResult(
            output_id=self.output.output_id,
            action=action,
            stages=tuple(self._results),
            hallucination_score=score,
            confidence=confidence,
            band=None if confidence is None else band_of(confidence),
            note="" if confidence is None else note_of(confidence),
            message=self._message,
            mode=self._mode,
            held_by=self._held_by,
        )

    @property
    def _priors(self) -> dict[str, float | None]:
        return {**PRIORS, **{one.name: one.confidence for one in self._config.own_stages}}

    def _calibrated(self, shares: Mapping[str, float]) -> dict[str, float]:
        """
        Return the confidence of the stages that ran, or nothing unless all are calibrated.

        The quality score holds no output, so labels do not measure it; its prior is ignored.
        """
        some = {
            name: share
            for name, share in shares.items()
            if name != SCORE or SCORE in self._measured
        }
        # all or none: the least of some would hide the stage without a measurement
        return some if all(self._key(name) in self._measured for name in some) else {}

    def _doubt(self, stage: str, confidence: float) -> None:
        """Hold an output without findings because of the stage with the least confidence."""
        self._hold(
            _CONFIDENCE,
            f"Output held: the measured confidence of stage `{stage}`, {confidence:.0%}, is below"
            f" {LOW:.0%}.\nNo fault was found in the text: regenerate it, or have a person review"
            " it before it is sent.",
        )

    def _scored(self) -> QualityScore:
        """Return the quality score, including the judge's ratings if any."""
        return with_ratings(score_quality(self.output.text, self._config.score), self._ratings)

    @property
    def _judge(self) -> Any:
        config = self._config
        return (config.premium_judge or config.judge) if self._high_stakes else config.judge

    @property
    def _judges_later(self) -> bool:
        # a high-stakes output waits for its judge
        return self._config.background and not self._high_stakes

    @property
    def _scores_later(self) -> bool:
        sampled = is_sampled(self.output.output_id, self._config.sample_rate)
        return self._config.background and sampled

    def _is_deferred(self, name: str) -> bool:
        return any(one.name == name and one.reason == IN_BACKGROUND for one in self._results)

    def _reason_to_skip(self, stage: str) -> str:
        if self._off:
            return "the shield is off"
        # a stage of the host has no name in `stages`; declaring it configures it
        if stage in NAMES and stage not in self._config.stages:
            return "not configured"
        return "an earlier stage failed" if self._held and self._mode is Mode.STRICT else ""

    def _run(self, stage: Stage) -> None:
        began = perf_counter()
        try:
            report = _report(stage.check(self.output, self._config))
        except Exception as error:  # an internal error is not a verdict on the output
            reason = f"{type(error).__name__} in the stage"
            logger.error("quality: stage %s failed: %s", stage.name, describe_error(error))
            report = StageReport(StageOutcome.ERROR, reason=reason)
        self._results.append(self._result(stage.name, report, (perf_counter() - began) * 1e3))
        if not stage.gate:
            return
        match report.outcome:
            case StageOutcome.FAILED if (
                # personal data is held in every mode of holding: it cannot be taken back
                stage.name == PII or self._config.hold == "all" or self._high_stakes
            ):
                self._hold(stage.name, self._mask(report.message))
            case StageOutcome.FAILED:
                self._flagged = True
            case StageOutcome.ERROR:
                self._hold(stage.name, f"Output held: {stage.name}: {report.reason}.\n{_NOT_YOURS}")
            case StageOutcome.UNAVAILABLE if self._high_stakes:
                self._follow_gap(stage.name, self._config.on_unavailable)

    def _judged(self, reply: OutputJudgement | Undetermined, elapsed_ms: float) -> StageResult:
        rest = unread_by_judge(self.output)
        if isinstance(reply, Undetermined):
            logger.warning("quality: the judge of an output gave no usable reply: %s", _why(reply))
            report = StageReport(StageOutcome.UNAVAILABLE, reason=_why(reply))
        elif reply.rejection is None:
            outcome = StageOutcome.UNAVAILABLE if rest else StageOutcome.PASSED
            report = StageReport(outcome, reason=rest, partial=bool(rest))
        else:
            report = StageReport(StageOutcome.FAILED, (reply.rejection,))
        config = self._config
        price = config.premium_judge_price if self._high_stakes else config.judge_price
        tokens = self._meter.characters_spent / _CHARACTERS_A_TOKEN
        return replace(self._result(JUDGE, report, elapsed_ms), cost_usd=tokens / 1_000 * price)

    def _result(self, name: str, report: StageReport, elapsed_ms: float) -> StageResult:
        key = self._key(name)
        more = len(report.findings) - _MOST_FINDINGS
        reasons = [f"{more:,} further findings"] if more > 0 else []
        confidence = self._measured.get(key, self._priors.get(key))
        own_words = report.outcome is StageOutcome.ERROR  # the class of an error, without its text
        reason = report.reason if own_words else self._mask(report.reason)
        ran = report.outcome in _RAN or report.partial
        return StageResult(
            name=name,
            outcome=report.outcome,
            findings=tuple(map(self._without_values, report.findings[:_MOST_FINDINGS])),
            confidence=confidence if ran else None,
            elapsed_ms=elapsed_ms,
            reason="; ".join(filter(None, (*reasons, reason))),
            score=report.score,
        )

    def _hold(self, stage: str, message: str) -> None:
        self._message = "\n\n".join(filter(None, (self._message, message)))
        # the first one, so that metrics count an output once
        self._held_by = self._held_by or stage
        self._held = True

    def _follow_gap(self, stage: str, choice: str) -> None:
        """Flag or hold a high-stakes output that a stage could not check completely."""
        if choice == "hold":
            self._hold(stage, f"Output held: {stage} could not check it whole.\n{_NOT_YOURS}")
        self._flagged = self._flagged or choice == "flag"

    def _without_values(self, finding: OutputFinding) -> OutputFinding:
        """Return a finding with personal data masked in its texts, which may quote the output."""
        return replace(
            finding,
            detail=self._mask(finding.detail),
            claim=self._mask(finding.claim),
            remedy=self._mask(finding.remedy),
        )

    def _mask(self, text: str) -> str:
        """Return a text with personal data masked; a placeholder if a detector fails."""
        if not text:
            return ""
        try:
            return mask_text(text, self._config.detectors or (TABLE,))
        except Exception as error:
            logger.error("quality: a detector failed: %s", describe_error(error))
            return _WITHHELD

    def _skip(self, name: str, reason: str) -> None:
        self._results.append(StageResult(name=name, outcome=StageOutcome.SKIPPED, reason=reason))

    def _key(self, name: str) -> str:
        return "premium_judge" if name == JUDGE and self._high_stakes else name

    def _action(self, confidence: float | None, attempt: int) -> QualityAction:
        """Return the action, by failures and by the measured confidence (None if not measured)."""
        if self._held:
            last = attempt >= self._config.attempts
            return QualityAction.BLOCK if last else QualityAction.REVISE
        if self._flagged or (confidence is not None and confidence <= HIGH):
            return QualityAction.FLAG
        return QualityAction.SHIP


_NOT_YOURS = "This is not a fault of the text: try again, or have a person review it."


def _why(reply: Undetermined) -> str:
    """Return why a judge gave no usable reply, without its text, which may quote the output."""
    return f"{reply.error} in the judge" if reply.error else "the judge gave no usable reply"


def _report(result: object) -> StageReport:
    """
    Return the report of a stage, its outcome as a member of `StageOutcome`.

    Raises:
        TypeError: It is not a `StageReport`, such as the coroutine of an async function.
        ValueError: Its outcome is invalid.
    """
    # closed, or Python warns that it was never awaited
    if isinstance(result, Coroutine):
        result.close()
        raise TypeError("a stage must not be an async function")
    if not isinstance(result, StageReport):
        raise TypeError("a stage must return a StageReport")
    return result._replace(outcome=StageOutcome(result.outcome), findings=tuple(result.findings))


def describe_error(error: Exception) -> str:
    """Return the class and location of an error, but not its message: it may quote the output."""
    frames = extract_tb(error.__traceback__)
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"

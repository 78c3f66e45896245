"""Methods of an engine that learn from labels: feedback, thresholds and calibration."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from threading import Lock
from time import time
from typing import TYPE_CHECKING, Any, Self

from abs_shield.text.safe_display import escaped
from abs_shield.verification.signal_combination import calibration_of
from abs_shield.verification.state_snapshot import EngineState
from abs_shield.verification.tool_settings import ResultLabel
from abs_shield.verification.tool_state import matching_results
from abs_shield.verification.verification_result import VerificationResult
from abs_shield.verification.verify_arguments import label, tool_and_labels, tool_name_of

logger = logging.getLogger("abs_shield")


class CalibrationMethods:
    """The methods of a `VerificationEngine` that learn from labels."""

    _lock: Lock
    _learnt: EngineState

    if TYPE_CHECKING:

        def _new_id(self) -> str: ...

    def record_feedback(
        self,
        tool_name: str,
        *,
        confidence_score: float,
        was_hallucination: bool,
        result: VerificationResult | None = None,
    ) -> None:
        """
        Label a result with *confidence_score* as a hallucination or as right.

        From a tool's fifth label on, its block threshold and its prior move in the label's
        direction. A label that a flagged or blocked result was right also releases it: it is
        learnt as a real one. Without *result* it is identified by its score; if several different
        results have that score, none is released, and a warning is logged.

        Args:
            tool_name: The tool.
            confidence_score: The result's `confidence`, in [0, 1].
            was_hallucination: The label of a person, or of a later check.
            result: The result of `verify`.

        Raises:
            ShieldError: The score is not in [0, 1] or not that of *result*, the label is neither
                true nor false, or the name is not a text.
        """
        tool = tool_name_of(tool_name, "record_feedback")
        score, wrong = label(confidence_score, was_hallucination, result)
        self._apply(tool, ResultLabel(self._new_id(), time(), score, wrong), result)

    def apply_label(self, tool_name: str, label: ResultLabel, *, session_id: str = "") -> bool:
        """
        Learn from a label with an id, as `record_feedback` does; the same label counts once.

        A label with the same id and another answer replaces the earlier one.

        Args:
            tool_name: The tool.
            label: The label; its score is the result's P(hallucination), in [0, 1].
            session_id: The session of the result, which helps to identify it.

        Returns:
            False if the engine has this label already.

        Raises:
            ShieldError: The name is not a text.
        """
        tool = tool_name_of(tool_name, "apply_label")
        with self._lock:
            existing = self._learnt.settings.of(tool).label(label.id)
        # A log is applied repeatedly, and a label must not move the limits twice.
        if existing is not None and existing.hallucinated == label.hallucinated:
            return False
        self._apply(tool, label, session=session_id, changes=existing is not None)
        return True

    def _apply(
        self,
        tool: str,
        label: ResultLabel,
        result: VerificationResult | None = None,
        *,
        session: str = "",
        changes: bool = False,
    ) -> None:
        score = label.score
        with self._lock:
            settings = self._learnt.settings.owned(tool)
            (settings.change if changes else settings.learn)(label)
            several = not label.hallucinated and not self._release(tool, score, result, session)
        # Outside the lock, because a log handler may take long.
        if several:
            logger.warning(
                "abs_shield released no result of `%s`: several that differ have the score %g;"
                " give the one you mean as `result=`", escaped(tool), score,
            )  # fmt: skip

    def _release(
        self, tool: str, score: float, result: VerificationResult | None, session: str
    ) -> bool:
        """Learn from the labelled result in quarantine; return False if it is ambiguous."""
        tool_state = self._learnt.memory.tool(tool)
        candidates = matching_results(tool_state.quarantine, score, result, session=session)
        if len(candidates) == 1:
            tool_state.quarantine.remove(candidates[0])
            self._learnt.memory.learn(tool_state, candidates[0], tool)
        return len(candidates) <= 1

    def calibrate(
        self,
        tool_name: str | Iterable[tuple[Any, bool]] | None = None,
        *,
        labelled: Iterable[tuple[Any, bool]] | None = None,
        fair_sample: bool = False,
        accept_threshold: float | None = None,
        block_threshold: float | None = None,
        prior: float | None = None,
        likelihood_ratios: Mapping[str, float] | None = None,
    ) -> Self:
        """
        Set the thresholds and weights of one tool, or of all tools without their own.

        Args:
            tool_name: The tool; None for all others. ``calibrate(labelled)`` is short for
                ``calibrate(labelled=labelled)``.
            labelled: Pairs of a `VerificationResult` (or a mapping of signal to whether it fired)
                and whether it was hallucinated. The counted rates of each signal replace the
                likelihood ratios.
            fair_sample: Whether *labelled* has the same share of hallucinated results as
                production: then this share is the prior, unless *prior* is set.
            accept_threshold: P(hallucination) below which a result is accepted.
            block_threshold: P(hallucination) from which a result is blocked.
            prior: P(hallucination) before any signal.
            likelihood_ratios: Ratio by signal, above 0; ends an earlier calibration.

        Raises:
            PolicyError: A value is out of its range, or no signal has that name.
            ShieldError: *labelled* are too few, or have another shape.
        """
        tool, labelled = tool_and_labels(tool_name, labelled)
        taught = None if labelled is None else calibration_of(labelled)
        if taught is not None and fair_sample and prior is None:
            prior = taught.prior
        with self._lock:
            self._learnt.settings.set(
                tool,
                accept_threshold=accept_threshold,
                block_threshold=block_threshold,
                prior=prior,
                likelihood_ratios=likelihood_ratios,
                calibration=taught,
            )
        return self

    def get_calibration(self, tool_name: str | None = None) -> dict[str, Any]:
        """
        Return the thresholds and weights of a tool, or of all tools without their own.

        Args:
            tool_name: The name of the tool; None for all tools without a calibration of their own.

        Returns:
            ``status`` ("uncalibrated" or "calibrated"), both thresholds, the prior, the likelihood
            ratios and the number of labels; once calibrated, also ``signals`` with the rates
            ``tpr`` and ``fpr``, ``brier`` and ``ece``, and the number of counted results.
        """
        with self._lock:
            tool = None if tool_name is None else tool_name_of(tool_name, "get_calibration")
            settings = (
                self._learnt.settings.usual if tool is None else self._learnt.settings.of(tool)
            )
            return {"tool": tool, **settings.as_dict()}

"""The verification engine: runs the signals on results, combines them, and learns."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from itertools import count
from math import nextafter
from os import PathLike
from threading import Lock, get_ident
from time import time
from typing import Any, Self, Unpack

from abs_shield.core.fork_safety import renewed
from abs_shield.errors import PolicyError
from abs_shield.policy.check_config import Verification
from abs_shield.policy.tool_profile import ProfileFields, ToolProfile
from abs_shield.text.safe_display import escaped
from abs_shield.verification.adaptive_thresholds import Thresholds
from abs_shield.verification.result_judging import Suppressed, Weighed, verdict_of
from abs_shield.verification.result_memory import ResultMemory
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_combination import calibration_of
from abs_shield.verification.state_files import load_state, save_state
from abs_shield.verification.state_snapshot import EngineState, merge, snapshot_of
from abs_shield.verification.tool_settings import AllSettings, ResultLabel
from abs_shield.verification.tool_state import key_of, matching_results
from abs_shield.verification.verification_result import VerificationResult
from abs_shield.verification.verify_arguments import (
    LONGEST_MS,
    label,
    milliseconds,
    text,
    tool_and_labels,
    tool_name_of,
)

_REENTRANT = "it was submitted while this thread judged another result"
logger = logging.getLogger("abs_shield")


class VerificationEngine:
    """
    Engine that computes P(hallucination) of tool results from eight signals; thread-safe.

    It learns from accepted results; a flagged or blocked one is learnt only after a label as
    right. It remembers at most 1,000 tools with their newest 100 results each, and the
    newest 50 results by arguments and 10 by session, up to 100,000 numbers each; those unused
    for a day are forgotten.

    Args:
        prior: P(hallucination) before any signal, above 0 and below *block_threshold*.
        accept_threshold: P(hallucination) below which a result is accepted.
        block_threshold: P(hallucination) from which a result is blocked.
        session_times: Ratio from which on a larger or smaller number contradicts the session.
        sub_floor_lr: Likelihood ratio of a network call that returns within 2 ms.

    Raises:
        PolicyError: Not 0 < accept_threshold < block_threshold < 1, or another value is out of
            its range.

    >>> engine = VerificationEngine().register_tool_profile(
    ...     "get_weather", expected_latency_ms=(100, 5000), has_network_io=True,
    ...     required_fields=["temperature", "humidity"])
    >>> result = engine.verify("get_weather", args={"city": "London"},
    ...     result={"temperature": 18, "humidity": 65}, execution_time_ms=350.0)
    >>> result.verdict, result.confidence, str(result.tier_reached)
    ('accept', 0.127, 'VerificationTier.TIER_1')
    """

    def __init__(
        self,
        *,
        prior: float = 0.15,
        accept_threshold: float = 0.2,
        block_threshold: float = 0.5,
        session_times: float = 50.0,
        sub_floor_lr: float = 50.0,
    ) -> None:
        declared = Verification(
            prior=prior,
            accept_threshold=accept_threshold,
            block_threshold=block_threshold,
            session_times=session_times,
            sub_floor_lr=sub_floor_lr,
        )
        self._lock = renewed(Lock())
        self._declared = declared
        base = declared.accept_threshold, declared.block_threshold, declared.prior
        self._learnt = EngineState(self._empty_state(), AllSettings(base))
        self._profiles: dict[str, ToolProfile] = {}
        self._writer = os.urandom(6).hex()  # makes ids unique among processes that share a database
        self._ids = count()
        self._judging = 0

    def _empty_state(self) -> ResultMemory:
        declared = self._declared
        return ResultMemory(times=declared.session_times, sub_floor_lr=declared.sub_floor_lr)

    @classmethod
    def of(cls, declared: Verification) -> Self:
        """
        Return an engine with the limits of a policy.

        Args:
            declared: The policy's `Verification`.
        """
        return cls(**{name: getattr(declared, name) for name in Verification.model_fields})

    # Tools ---------------------------------------------------------------------------------------

    def register_tool_profile(
        self, name: str, profile: ToolProfile | None = None, **fields: Unpack[ProfileFields]
    ) -> Self:
        """
        Declare the properties of a tool's real results, in place of an earlier profile.

        Args:
            name: The tool.
            profile: A profile that was declared elsewhere, in place of *fields*.
            fields: Fields of `ToolProfile`.

        Raises:
            PolicyError: A field is misspelt or out of its range.
        """
        if profile is not None and fields:
            raise PolicyError("toolprofile: got a profile and fields; give one of them")
        self._profiles[name] = ToolProfile(**fields) if profile is None else profile
        return self

    def profile(self, name: str) -> ToolProfile | None:
        """
        Return a tool's profile; None if it has none.

        Args:
            name: The name of the tool.
        """
        return self._profiles.get(name)

    def unregister_tool(self, name: str) -> None:
        """
        Forget a tool: its profile, its results, its labels and its calibration.

        `save` and `snapshot` include this: other engines forget what they learnt before.

        Args:
            name: The name of the tool.
        """
        with self._lock:
            self._profiles.pop(name, None)
            self._learnt.forget(name, time())

    # Judging -------------------------------------------------------------------------------------

    def verify(
        self,
        tool_name: str,
        *,
        args: Any = None,
        result: Any,
        execution_time_ms: float,
        session_id: str | None = None,
        by_session: bool = False,
        suppressed: Suppressed | None = None,
    ) -> VerificationResult:
        """
        Judge the result of a call.

        A comparison with other sessions' results may flag a result, but never blocks it.

        Args:
            tool_name: The tool.
            args: Its arguments: results of equal arguments are compared.
            result: Its result: JSON-able data, a text with JSON, a model.
            execution_time_ms: Its duration, in milliseconds.
            session_id: The session, a text; None for no comparison by session.
            by_session: Whether results of equal arguments are compared within one session only, for
                a tool whose results depend on the user.
            suppressed: Returns whether a fired signal, by its name and result, is a known false
                alarm: it is reported, but not weighed.

        Raises:
            ShieldError: *execution_time_ms* is not a number of ms, or a name is not a text.
        """
        tool = tool_name if type(tool_name) is str else tool_name_of(tool_name, "verify")
        session = "" if session_id is None else session_id
        if type(session) is not str:
            session = text(session_id, "verify: `session_id`")
        ms = execution_time_ms
        if not (type(ms) is float and 0 <= ms < LONGEST_MS):
            ms = milliseconds(ms)
        profile = self._profiles.get(tool)
        view = ResultView(result, latency_ms=ms, profile=profile)
        # Before the lock: a search may take 50 ms for each pattern.
        if profile is not None and profile.searches:
            view.look()
        key = b"" if args is None else key_of(tool, (session, args) if by_session else args)
        thread = get_ident()
        # A finaliser that runs while this thread judges would wait for the thread's own lock.
        if self._judging == thread:
            return self._unjudged(tool)
        with self._lock:
            self._judging = thread
            try:
                return self._judge(view, tool, suppressed, key=key, session=session)
            finally:
                self._judging = 0

    def _unjudged(self, tool: str) -> VerificationResult:
        """Return the result for a call by a finaliser while this thread judges: unavailable."""
        settings = self._learnt.settings.of(tool)
        limits, signals = settings.limits, settings.weigher.unavailable(_REENTRANT)
        return _result(limits, limits.prior, Weighed(signals, limits.prior), "")

    def _judge(
        self,
        view: ResultView,
        tool: str,
        suppressed: Suppressed | None,
        *,
        key: bytes,
        session: str,
    ) -> VerificationResult:
        learnt = self._learnt
        memory, settings = learnt.memory, learnt.settings.of(tool)
        limits, weigher = settings.limits, settings.weigher
        tool_state = memory.tool(tool)
        observation = tool_state.observe(view, self._new_id(), time(), key=key, session=session)
        context = memory.context(tool_state, observation, tool, view=view)
        weighed = weigher.weigh(view, context, limits, suppressed)
        posterior = weighed.posterior
        if posterior >= limits.blocks_from and tool_state.is_of_others(session):
            # Other sessions' results may flag a result but not block it: stay just below the limit.
            own = weigher.without_others(limits.prior, weighed.signals, view, suppressed)
            posterior = max(own, min(posterior, nextafter(limits.blocks_from, 0.0)))
        observation.probability = posterior
        result = _result(limits, posterior, weighed, observation.id)
        if not view.readable:  # it has no data to learn from
            return result
        if result.verdict == "accept":
            memory.learn(tool_state, observation, tool, judged=context.outlook is not None)
        else:
            observation.unlike = weighed.is_unlike or observation.fault != ""
            learnt.refuse(tool_state, observation, tool)
        return result

    def _new_id(self) -> str:
        return f"{self._writer}-{next(self._ids):x}"

    # Learning ------------------------------------------------------------------------------------

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

    # Keeping -------------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return the learnt state as JSON-able data: numbers, digests, labels; no texts."""
        with self._lock:
            return snapshot_of(self._learnt)

    def restore(self, snapshot: Mapping[str, Any]) -> Self:
        """
        Merge a snapshot into the learnt state; records in both count once.

        Args:
            snapshot: What `snapshot` returned, here or in another process.

        Raises:
            StoreError: It is not a snapshot, has a newer version, or is damaged: then nothing has
                changed here.
        """
        with self._lock:
            # A new object: if the merge fails, the state is unchanged.
            self._learnt = merge(self._learnt, snapshot, self._empty_state())
        return self

    def save(self, path: str | PathLike[str]) -> None:
        """
        Save the learnt state: as JSON if the name ends in ``.json``, else in an SQLite database.

        Several processes may save into one database: each adds its state, and learns the others'.

        Args:
            path: The file; it is created if it does not exist.

        Raises:
            StoreError: The file cannot be written, or has a newer version.
        """
        save_state(self, path)

    def load(self, path: str | PathLike[str]) -> Self:
        """
        Merge the state in a file written by `save`.

        Args:
            path: The file.

        Raises:
            StoreError: The file does not exist, cannot be read, or has a newer version.
        """
        load_state(self, path)
        return self


def _result(
    limits: Thresholds, posterior: float, weighed: Weighed, ident: str
) -> VerificationResult:
    return VerificationResult.of(
        {
            "verdict": verdict_of(posterior, limits),
            "confidence": round(posterior, 3),
            "signals": weighed.signals.copy(),
            "tier_reached": weighed.tier,
            "prior": limits.prior,
            "posterior": posterior,
            "_id": ident,
        }
    )

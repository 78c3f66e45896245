"""The verification engine: runs the signals on results, combines them, and learns."""

from __future__ import annotations

import os
from collections.abc import Mapping
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
from abs_shield.verification.adaptive_thresholds import Thresholds
from abs_shield.verification.calibration_methods import CalibrationMethods
from abs_shield.verification.result_judging import Suppressed, Weighed, verdict_of
from abs_shield.verification.result_memory import ResultMemory
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.state_files import load_state, save_state
from abs_shield.verification.state_snapshot import EngineState, merge, snapshot_of
from abs_shield.verification.tool_settings import AllSettings
from abs_shield.verification.tool_state import key_of
from abs_shield.verification.verification_result import VerificationResult
from abs_shield.verification.verify_arguments import LONGEST_MS, milliseconds, text, tool_name_of

_REENTRANT = "it was submitted while this thread judged another result"


class VerificationEngine(CalibrationMethods):
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
            raise PolicyError("profile: got a profile and fields; give one of them")
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

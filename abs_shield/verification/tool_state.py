"""State of one tool: its newest results, and the rejected ones that a label may be about."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from abs_shield.core.digest import digest, digest_of
from abs_shield.verification.argument_history import CONSISTENT
from abs_shield.verification.number_series import NEWEST
from abs_shield.verification.result_shape import Observation
from abs_shield.verification.result_view import ResultView, is_small, writers
from abs_shield.verification.shape_history import ShapeHistory
from abs_shield.verification.tool_baseline import Anomaly, Baseline
from abs_shield.verification.verification_result import VerificationResult

QUARANTINED = 100  # as many as there are accepted results in a baseline
OUT_OF_DATE = 30
"""
Number of consecutive differing results after which the remembered ones are outdated: the tool has
changed.
"""
_RETURNS = 12
"""Recurrences of a rejected kind of result after which it is learnt as real."""
_SHAPE_RETURNS = 4
"""The same for a different shape, which is weaker evidence: honest tools have rare shapes."""
_HALF_AGAIN = 1.5  # factor within which numbers are of one kind
_OF_ITS_OWN = 5
"""Number of results of a session from which on its results are also judged by the session."""
_SURE_OF_KIND = 5
"""
Number of results in which a field must have had one type before another type is a fault; fewer
may by chance lack a rarer type.
"""


class ToolState:
    """
    The remembered state of one tool.

    Attributes:
        baseline: Statistics of its results.
        newest: The results in the baseline.
        shapes: Their shapes, and rare older ones.
        kinds: JSON type by required field, for fields that had one type in enough results.
        doubts: Whether the last result was rejected.
        quarantine: Flagged and blocked results, which are not learnt until a label releases them.
    """

    def __init__(self) -> None:
        self.baseline = Baseline()
        self.newest: deque[Observation] = deque(maxlen=NEWEST)
        self._sessions: Counter[str] = Counter()
        self.quarantine: deque[Observation] = deque(maxlen=QUARANTINED)
        self.kinds: Mapping[str, str] = {}
        self._counted: dict[str, tuple[str, int]] = {}
        self.shapes = ShapeHistory()
        self._unlike = self._otherwise = self._turn = 0
        self.doubts = False

    def observe(
        self, view: ResultView, ident: str, at: float, *, key: bytes, session: str
    ) -> Observation:
        """Return the observation of a result; common field types are shared to save memory."""
        kinds = view.kinds
        if kinds and kinds == self.kinds:
            kinds = self.kinds
        return Observation(
            ident, at, key, session, view.numbers, view.latency_ms, view.size, view.shape, kinds,
            endless=view.endless,
        )  # fmt: skip

    def learn(self, observation: Observation, *, judged: bool) -> None:
        """Add an accepted result; *judged* is whether it was the last one judged."""
        if self.doubts:
            self._accept()
        newest = self.newest
        oldest = newest[0] if len(newest) == NEWEST else None
        newest.append(observation)
        if oldest is None or oldest.session != observation.session:
            self._count(observation.session, oldest)
        self.shapes.learn(observation, oldest, newest)
        self.baseline.learn(observation, oldest, judged=judged)
        if observation.kinds and observation.kinds is not self.kinds:
            self._learn_kinds(observation.kinds)

    def _count(self, session: str, oldest: Observation | None) -> None:
        sessions = self._sessions
        sessions[session] += 1
        if oldest is not None:
            sessions[oldest.session] -= 1
            if not sessions[oldest.session]:
                del sessions[oldest.session]

    def odd_shape(self, observation: Observation, peers: int) -> Anomaly | None:
        """Return the anomaly of a result's shape; None if too few results are comparable."""
        newest = self.newest
        # Shapes are cached, so the same one is mostly the same object.
        if newest and newest[-1].shape is observation.shape:
            return CONSISTENT
        odd = self.shapes.compare(observation, newest, peers)
        if odd is not None and odd.may_be_optional and self._was_lacking_before(odd.fault):
            return CONSISTENT
        if odd is not None:
            observation.fault = odd.fault
        return odd

    def _was_lacking_before(self, fault: str) -> bool:
        """
        Return whether a result lacked the same fields before, with accepted results since.

        After n results that all had a field, up to 3/n of them may still lack it (95 %): one of
        33 after a hundred. So the first such result is flagged, and those right after it; the
        next one after results that had the field shows that it comes and goes.
        """
        return any(one.fault == fault and one.turn < self._turn for one in self.quarantine)

    def is_of_others(self, session: str) -> bool:
        """Return whether nearly all remembered results are from other sessions."""
        return session != "" and self._sessions[session] < _OF_ITS_OWN

    def _learn_kinds(self, kinds: Mapping[str, str]) -> None:
        """Count the types of an accepted result; a field with several types has no usual one."""
        for name, kind in kinds.items():
            usual, count = self._counted.get(name, (kind, 0))
            if count > _SURE_OF_KIND and kind == usual:
                continue
            if kind == usual:
                self._counted[name] = (kind, count + 1)
                if count + 1 >= _SURE_OF_KIND:
                    self.kinds = {**self.kinds, name: kind}
            else:
                self._counted[name] = ("", 0)
                self.kinds = {n: usual for n, usual in self.kinds.items() if n != name}

    def repeats_last(self, observation: Observation) -> bool:
        """Return whether a result has the same numbers as the last rejected one."""
        return bool(self.quarantine) and self.quarantine[-1].numbers == observation.numbers

    def refuse(self, observation: Observation, *, again: bool) -> None:
        """
        Put a rejected result into quarantine; after many in a row the state is outdated and reset.

        Args:
            observation: The result.
            again: Whether it repeats the last rejected one, and does not count as later.
        """
        self.doubts = True
        observation.turn = self._turn
        self.quarantine.append(observation)
        if observation.unlike:
            self._unlike += 1
            # a retry with the same numbers is not another step of a counter
            self.baseline.gap += not again
        if observation.kinds != self.kinds and observation.kinds.keys() >= self.kinds.keys():
            self._otherwise += 1
        # A new version is learnt from its results in quarantine (`modes`) instead of from nothing.
        if self._unlike > OUT_OF_DATE and not self._version(observation):
            self.baseline, self._unlike = Baseline(), 0
            self.newest.clear()
            self._sessions.clear()
            self.shapes = ShapeHistory()
        if self._otherwise > OUT_OF_DATE:
            self.kinds, self._otherwise = {}, 0
            self._counted.clear()

    def _accept(self) -> None:
        """Note an accepted result after rejected ones: the state is not outdated."""
        self._unlike = self._otherwise = 0
        self.doubts = False
        self._turn += 1

    def modes(self, observation: Observation) -> list[Observation]:
        """
        Return the rejected results like *observation*, once they are another mode of the tool.

        Hallucinated results occur once, or in a row; results that recur with accepted ones in
        between are another mode of the tool, or another version. They leave quarantine.
        """
        like = self._version(observation) or self._returning(observation)
        for one in like:
            self.quarantine.remove(one)
        return like

    def _returning(self, observation: Observation) -> list[Observation]:
        returns = _SHAPE_RETURNS if observation.fault else _RETURNS
        if self._turn < returns:
            return []
        like = [one for one in self.quarantine if _is_like(one, observation)]
        return like if len({one.turn for one in like}) > returns else []

    def _version(self, observation: Observation) -> list[Observation]:
        """
        Return the consecutive results of one other shape, once they are a new version of the tool.

        Fewer suffice for objects that share no field with earlier ones, and have different numbers:
        then no field was dropped, and no text replaced an object.
        """
        if not observation.fault:
            return []
        like = [one for one in self.quarantine if one.turn == observation.turn]
        if any(one.fault != observation.fault for one in like):
            return []
        if len(like) > OUT_OF_DATE:
            return like
        numbers = {tuple(one.numbers.items()) for one in like if one.numbers}
        return like if len(numbers) > _SHAPE_RETURNS and self._is_all_new(observation) else []

    def _is_all_new(self, observation: Observation) -> bool:
        names = observation.shape.names
        return observation.shape.kind == "object" and all(
            one.shape.kind == "object" and one.shape.names.isdisjoint(names)
            for one in (*self.shapes.examples(), *self.newest)
        )


def _is_like(one: Observation, other: Observation) -> bool:
    """Return whether two rejected results are alike, by their fault if they have one."""
    if other.fault:
        return one.fault == other.fault
    return _are_near(one.numbers, other.numbers)


def _are_near(numbers: Mapping[str, float], others: Mapping[str, float]) -> bool:
    """Return whether two results have the same fields, and numbers within a factor of 1.5."""
    return numbers.keys() == others.keys() and all(
        x == y or (x * y > 0 and abs(x) < _HALF_AGAIN * abs(y) and abs(y) < _HALF_AGAIN * abs(x))
        for x, y in zip(numbers.values(), map(others.__getitem__, numbers), strict=True)
    )


def key_of(tool: str, arguments: Any) -> bytes:
    """Return the digest of a call's arguments, which is equal for equal JSON."""
    try:
        text = (_WRITE_SMALL if is_small(arguments) else _WRITE)((tool, arguments))
    except Exception:  # too deep nesting, and objects of the caller that raise
        return digest_of(tool, arguments)
    return _digest(text) if len(text) <= _SHORT else digest(text, size=16)


@lru_cache(maxsize=2048)
def _digest(text: str) -> bytes:
    return digest(text, size=16)


_SHORT = 256  # characters of arguments whose digest is cached; longer ones seldom repeat
_WRITE, _WRITE_SMALL = writers(repr, separators=(",", ":"), ordered=True)


_DIGITS = 3
"""
Number of digits to which a label's score must agree with a quarantined result's, the precision of
`confidence`.
"""


def matching_results(
    quarantine: Iterable[Observation],
    score: float,
    result: VerificationResult | None,
    *,
    session: str = "",
) -> list[Observation]:
    """
    Return the candidates for a label: one if it is unambiguous, the newest of equal ones.

    Args:
        quarantine: Rejected results, oldest first.
        score: The score in the label.
        result: The labelled result; None if unknown.
        session: The session of the result; empty if unknown. If no result of that score is in
            it, all are candidates.
    """
    # The id is certain; scores may be equal by chance.
    if result is not None and result._id:
        return [observation for observation in quarantine if observation.id == result._id]
    score_rounded = round(score, _DIGITS)
    candidates = [
        observation
        for observation in quarantine
        if round(observation.probability, _DIGITS) == score_rounded
    ]
    # A session that is unknown here must not hide the result.
    candidates = [
        observation for observation in candidates if session and observation.session == session
    ] or candidates
    differ: list[Observation] = []
    # The newest first: of equal results, it is the one that the label is about.
    for observation in reversed(candidates):
        if all(_learnt_properties(observation) != _learnt_properties(other) for other in differ):
            differ.append(observation)
    return differ


def _learnt_properties(observation: Observation) -> tuple[Any, ...]:
    """Return all learnt properties of a result except its duration."""
    return (
        observation.key,
        observation.session,
        observation.numbers,
        observation.size,
        observation.shape,
        observation.kinds,
    )

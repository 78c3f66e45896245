"""The shapes of a tool's results, and the comparison of a further one with them."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence

from abs_shield.text.json_leaves import escape_step
from abs_shield.text.safe_display import escaped
from abs_shield.verification.argument_history import CONSISTENT
from abs_shield.verification.result_shape import Observation, ResultShape
from abs_shield.verification.tool_baseline import LEAST, Anomaly

SURE = 40
"""
Results that must agree before a different one counts as another shape: by the rule of three, 7.5 %
of all may still differ.
"""
_LEAST_SCORE = 0.06
"""Minimum score that alone leads to a flag: one of many fields is missing."""
_MOST_SCORE = 0.33
"""Maximum score that alone does not block: an honest tool may have a rare shape."""
_MOST_EXAMPLES = 32  # rare shapes of one tool; with more of them, names or types are data
_EXAMPLE_AGE = 1_000
"""Results after which a rare shape that did not recur is forgotten."""


class ShapeHistory:
    """
    The newest results of one tool by shape, and examples of rare shapes among older ones.

    An example is a result with an optional field or another type that none of the newest results
    shows.
    """

    def __init__(self) -> None:
        self._counts: Counter[ResultShape] = Counter()
        self._examples: OrderedDict[ResultShape, tuple[Observation, int]] = OrderedDict()
        self._learnt = 0

    def examples(self) -> Iterator[Observation]:
        """Yield the examples of rare shapes, oldest first."""
        return (observation for observation, _ in self._examples.values())

    def learn(
        self, observation: Observation, oldest: Observation | None, newest: Sequence[Observation]
    ) -> None:
        """Add the shape of the last of the *newest* results, and drop the *oldest* one."""
        self._learnt += 1
        if oldest is None:
            self._counts[observation.shape] += 1
        elif oldest.shape is not observation.shape:
            self._counts[observation.shape] += 1
            self._drop(oldest, newest)

    def _drop(self, observation: Observation, newest: Sequence[Observation]) -> None:
        """Drop a result, but retain its shape if it differs from those of the *newest*."""
        shape = observation.shape
        self._counts[shape] -= 1
        if self._counts[shape]:
            return
        del self._counts[shape]
        if shape in self._examples:
            del self._examples[shape]
        if (odd := self._compare(observation, newest, LEAST)) is not None and odd.score > 0:
            self._examples[shape] = (observation, self._learnt)
        oldest = next(iter(self._examples.values()), (observation, self._learnt))[1]
        if len(self._examples) > _MOST_EXAMPLES or self._learnt - oldest > _EXAMPLE_AGE:
            self._examples.popitem(last=False)

    def compare(
        self, observation: Observation, newest: Sequence[Observation], peers: int
    ) -> Anomaly | None:
        """
        Return the anomaly of a result's shape; None if too few results are comparable.

        A query may select the fields of its result, so results of other arguments are compared
        only if many different arguments had results.

        Args:
            observation: The result.
            newest: The tool's newest results.
            peers: Number of results it is comparable with; see `Baseline.peers`.
        """
        # Nearly all results have a known shape, which needs no comparison.
        if observation.shape in self._counts or observation.shape in self._examples:
            return CONSISTENT
        return self._compare(observation, newest, peers)

    def _compare(
        self, observation: Observation, newest: Sequence[Observation], peers: int
    ) -> Anomaly | None:
        compared = [one for one in newest if peers >= LEAST or one.key == observation.key]
        # A failure has another shape, and is not compared.
        if not observation.shape.kind or sum(one.shape.kind != "" for one in compared) < SURE:
            return None
        earlier = [one for one in (*self.examples(), *newest) if one.shape.kind]
        return _difference(observation, earlier)


def _difference(observation: Observation, earlier: Sequence[Observation]) -> Anomaly:
    shape = observation.shape
    if (fault := _kind_fault(shape, earlier)) is not None:
        return Anomaly(_MOST_SCORE, fault, fault=fault)
    if shape.kind != "object":
        return CONSISTENT
    objects = [one for one in earlier if one.shape.kind == "object"]
    alike = [one for one in objects if not one.shape.names.isdisjoint(shape.names)]
    if not alike:
        return _nothing_in_common(shape, objects)
    always = frozenset.intersection(*(one.shape.names for one in alike))
    faults = [] if len(alike) < SURE else sorted(_faults(shape, alike, always))
    lacked = {name for name, _ in faults if shape.members.get(name, "null") == "null"}
    few = 2 * len(faults) <= len(always) and len(lacked) == len(faults)
    if not faults:
        return CONSISTENT
    score = _MOST_SCORE * min(1.0, len(faults) / max(1, len(always)))
    name, fault = faults[0]
    more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
    detail, where = f"a field {fault}{more}", ""
    # A name that only other sessions' results have would disclose something about them.
    if _is_public(alike, observation.session):
        detail, where = f"`{escaped(name)}` {fault}{more}", f"/{escape_step(name)}"
    every = "; ".join(map(" ".join, faults)) if few else f"{name} {fault}"
    return Anomaly(max(score, _LEAST_SCORE), detail, where, every, may_be_optional=few)


def _kind_fault(shape: ResultShape, earlier: Iterable[Observation]) -> str | None:
    kinds = {one.shape.kind for one in earlier}
    if shape.kind in kinds or (shape.is_text and "string" in kinds):
        return None
    return f"is of type {shape.kind}, and was always {' or '.join(sorted(kinds))}"


def _nothing_in_common(shape: ResultShape, objects: Sequence[Observation]) -> Anomaly:
    """Return the anomaly of an object that shares no field; none if names are data."""
    newest = objects[-SURE // 2 :]  # the newest twenty
    earlier = frozenset[str]().union(*(one.shape.names for one in objects[: -len(newest)]))
    settled = all(one.shape.names and one.shape.names <= earlier for one in newest)
    if len(objects) < SURE or not settled:
        return CONSISTENT
    detail = "has none of the fields that earlier results had"
    return Anomaly(_MOST_SCORE, detail, fault=f"{detail}: {sorted(shape.names)}")


def _faults(
    shape: ResultShape, alike: Sequence[Observation], always: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Yield each field that is missing or of another type, compared with similar results."""
    for name in always - shape.names:
        yield name, "is missing, and was always present"
    new = list(shape.members.items())
    for one in alike:
        if not (new := [pair for pair in new if pair not in one.shape.members.items()]):
            return
    for name, kind in new:
        usual = [one.shape.members[name] for one in alike if name in one.shape.members]
        if len(usual) >= SURE:
            yield name, f"is of type {kind}, and was always {' or '.join(sorted({*usual}))}"


def _is_public(alike: Iterable[Observation], session: str) -> bool:
    """Return whether a field's name may be shown: of several sessions, or only of this one."""
    sessions = {one.session for one in alike}
    return len(sessions) > 1 or sessions == {session}

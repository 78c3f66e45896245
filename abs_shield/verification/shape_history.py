"""The shapes of a tool's results, and how the shape of a further one differs from them."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence

from abs_shield.text.leaves import escape_step
from abs_shield.text.show import escaped
from abs_shield.verification.baseline import LEAST, Surprise
from abs_shield.verification.history import CONSISTENT
from abs_shield.verification.kept import Kept
from abs_shield.verification.shape import Shape

SURE = 40
"""Results that have to agree, before one that differs from them has another shape."""
_LEAST_SCORE = 0.06
"""The least that is flagged where nothing else speaks: one field of many that is not there."""
_MOST_SCORE = 0.33
"""The most that does not block where nothing else speaks: an honest tool may have a rare shape."""
_MOST_EXAMPLES = 32
_EXAMPLE_AGE = 1_000
"""Results after which a rare shape that did not come again is forgotten."""


class ShapeHistory:
    """
    The newest results of one tool by shape, and examples of rare shapes among older ones.

    An example is a result that shows that a field is optional or that there is another type, and
    that no result among the newest shows any more.
    """

    def __init__(self) -> None:
        self._counts: Counter[Shape] = Counter()
        self._examples: OrderedDict[Shape, tuple[Kept, int]] = OrderedDict()
        self._learnt = 0

    def examples(self) -> Iterator[Kept]:
        """Yield the examples of rare shapes, oldest first."""
        return (kept for kept, _ in self._examples.values())

    def learn(self, kept: Kept, oldest: Kept | None, newest: Sequence[Kept]) -> None:
        """Add the shape of the last of the *newest* results, and drop the *oldest* one for it."""
        self._learnt += 1
        if oldest is None:
            self._counts[kept.shape] += 1
        elif oldest.shape is not kept.shape:
            self._counts[kept.shape] += 1
            self._drop(oldest, newest)

    def _drop(self, kept: Kept, newest: Sequence[Kept]) -> None:
        """Forget a result, but for its shape where it differs from those of the *newest*."""
        shape = kept.shape
        self._counts[shape] -= 1
        if self._counts[shape]:
            return
        del self._counts[shape]
        if shape in self._examples:
            del self._examples[shape]
        if (odd := self._compare(kept, newest, LEAST)) is not None and odd.score > 0:
            self._examples[shape] = (kept, self._learnt)
        oldest = next(iter(self._examples.values()), (kept, self._learnt))[1]
        if len(self._examples) > _MOST_EXAMPLES or self._learnt - oldest > _EXAMPLE_AGE:
            self._examples.popitem(last=False)

    def compare(self, kept: Kept, newest: Sequence[Kept], peers: int) -> Surprise | None:
        """
        Return what is odd about a result's shape; None where too few results can be compared.

        A query decides itself which fields there are: results of other arguments are compared
        where many different arguments had results.

        Args:
            kept: The result.
            newest: The tool's newest results.
            peers: How many results it may be compared with; see `Baseline.peers`.
        """
        if kept.shape in self._counts or kept.shape in self._examples:
            return CONSISTENT
        return self._compare(kept, newest, peers)

    def _compare(self, kept: Kept, newest: Sequence[Kept], peers: int) -> Surprise | None:
        compared = [one for one in newest if peers >= LEAST or one.key == kept.key]
        if not kept.shape.kind or sum(one.shape.kind != "" for one in compared) < SURE:
            return None
        known = [one for one in (*self.examples(), *newest) if one.shape.kind]
        return _difference(kept, known)


def _difference(kept: Kept, known: Sequence[Kept]) -> Surprise:
    shape = kept.shape
    if (fault := _kind_fault(shape, known)) is not None:
        return Surprise(_MOST_SCORE, fault, fault=fault)
    if shape.kind != "object":
        return CONSISTENT
    objects = [one for one in known if one.shape.kind == "object"]
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
    said, where = f"a field {fault}{more}", ""
    if _is_public(alike, kept.session):
        said, where = f"`{escaped(name)}` {fault}{more}", f"/{escape_step(name)}"
    every = "; ".join(map(" ".join, faults)) if few else f"{name} {fault}"
    return Surprise(max(score, _LEAST_SCORE), said, where, every, may_be_optional=few)


def _kind_fault(shape: Shape, known: Iterable[Kept]) -> str | None:
    kinds = {one.shape.kind for one in known}
    if shape.kind in kinds or (shape.is_text and "string" in kinds):
        return None
    return f"is of type {shape.kind}, and always was {' or '.join(sorted(kinds))}"


def _nothing_in_common(shape: Shape, objects: Sequence[Kept]) -> Surprise:
    """An object without a field of those before; honest where the names are data."""
    newest = objects[-SURE // 2 :]
    earlier = frozenset[str]().union(*(one.shape.names for one in objects[: -len(newest)]))
    settled = all(one.shape.names and one.shape.names <= earlier for one in newest)
    if len(objects) < SURE or not settled:
        return CONSISTENT
    said = "has none of the fields that earlier results had"
    return Surprise(_MOST_SCORE, said, fault=f"{said}: {sorted(shape.names)}")


def _faults(
    shape: Shape, alike: Sequence[Kept], always: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Yield each field that is gone, or is of another type, beside results with a common field."""
    for name in always - shape.names:
        yield name, "is missing, and always was there"
    new = list(shape.members.items())
    for one in alike:
        if not (new := [pair for pair in new if pair not in one.shape.members.items()]):
            return
    for name, kind in new:
        usual = [one.shape.members[name] for one in alike if name in one.shape.members]
        if len(usual) >= SURE:
            yield name, f"is of type {kind}, and always was {' or '.join(sorted({*usual}))}"


def _is_public(alike: Iterable[Kept], session: str) -> bool:
    """Whether a name may be shown: a field of several sessions' results, or of this one's own."""
    sessions = {one.session for one in alike}
    return len(sessions) > 1 or sessions == {session}

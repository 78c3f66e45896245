"""Sample arguments that a schema accepts, with names varied singly, in pairs and together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations, product
from random import Random
from time import perf_counter
from typing import Any

from abs_shield.schema.compiled_schema import CompiledSchema
from abs_shield.schema.json_equality import canonical_key
from abs_shield.schema.samples.sample_pool import Pool
from abs_shield.schema.samples.schema_shapes import Shape, shapes
from abs_shield.schema.samples.value_samples import ValueSampler, required_names
from abs_shield.schema.schema_problem import SchemaProblem

MOST = 1_000
"""Maximum number of samples of one schema; each rule is evaluated on all of them."""
_MOST_TRIED = 4_000  # validations: four times the samples, because many candidates do not fit
_PAIRED = 16  # values of each of two names, which have 256 combinations
_MOST_PAIRS = 12  # pairs of names; all pairs of twenty names would be 190
_MOST_REPAIRS = 40  # steps to the first valid arguments; each needs a validation with reasons
_MIXED = 200  # combinations of all names; more would be mostly repetitions
_SLOW_S = 0.02  # seconds of a slow validation; a usual one takes less than a millisecond
_MOST_SLOW = 10  # slow validations after which sampling stops, a fifth of a second

Arguments = dict[str, Any]


class Samples:
    """
    Arguments that a schema accepts, each validated by the compiled schema.

    They are the same in every process: a fixed number of boundaries and their neighbours.
    Sampling stops after a few slow validations, as of a schema with slow patterns.

    Args:
        schema: The original schema.
        compiled: The same schema, compiled; only arguments that it accepts are samples.
        pool: Values to try besides the schema's own boundaries.
        focus: Names that are varied together; None for all that the schema declares.
    """

    def __init__(
        self,
        schema: Any,
        compiled: CompiledSchema,
        *,
        pool: Pool | None = None,
        focus: Iterable[str] | None = None,
    ) -> None:
        self._compiled = compiled
        self._root = schema
        self._focus = None if focus is None else tuple(focus)
        pool = Pool() if pool is None else pool
        self._pooled = frozenset(pool.texts)
        self._values = ValueSampler(root=schema, pool=pool)
        self._left, self._slow = _MOST_TRIED, 0

    def __iter__(self) -> Iterator[Arguments]:
        """Yield at most 1,000 distinct arguments."""
        returned: set[Any] = set()
        for arguments in self._samples():
            key = canonical_key(arguments)
            if key not in returned and len(returned) < MOST:
                returned.add(key)
                yield arguments

    def _samples(self) -> Iterator[Arguments]:
        branches = shapes(self._root, self._root)
        for shape in branches:
            self._left = max(self._left, 0) + _MOST_TRIED // len(branches)
            yield from self._samples_of_shape(shape)

    def _samples_of_shape(self, shape: Shape) -> Iterator[Arguments]:
        members = self._values.members(shape)
        for name in self._focus or ():
            if name not in members:
                members[name] = self._values.of(shape.get("additionalProperties", True), 1)
        needed = required_names(shape)
        bases = [
            base
            for names in (tuple(shape.get("properties", ())), needed, tuple(members))
            if (base := self._repair(members, [name for name in names if name in members]))
            is not None
        ]
        for base in bases:
            yield base
        if bases:
            focus = [n for n in members if self._focus is None or n in self._focus]
            yield from self._vary(members, bases[:2], focus, needed)

    def _repair(self, members: Mapping[str, list[Any]], names: list[str]) -> Arguments | None:
        """Return arguments of *names*, repaired until the schema accepts them; else None."""
        place = {name: 0 for name in names if members[name]}
        for _ in range(_MOST_REPAIRS):
            if self._is_exhausted:
                return None
            candidate = {name: members[name][n % len(members[name])] for name, n in place.items()}
            if self._fits(candidate):
                return candidate
            if not self._repair_once(place, candidate, members):
                return None
        return None

    def _repair_once(
        self, place: dict[str, int], candidate: Arguments, members: Mapping[str, list[Any]]
    ) -> bool:
        """Change arguments according to their problems: next values, added names, removed names."""
        before = dict(place)
        for problem in self._problems(candidate):
            name = problem.where.split("/")[1] if problem.where else ""
            name = name.replace("~1", "/").replace("~0", "~")
            if name not in place and members.get(name):
                place[name] = 0
            elif name in place and problem.code == "unknown_argument" and "/" not in name:
                del place[name]
            elif name in place and place[name] + 1 < len(members[name]):
                place[name] += 1
            elif name in place:
                del place[name]
        if place == before and place:
            del place[next(reversed(place))]
        return place != before

    def _vary(
        self,
        members: Mapping[str, list[Any]],
        bases: list[Arguments],
        focus: list[str],
        needed: list[str],
    ) -> Iterator[Arguments]:
        accepted: dict[str, list[Any]] = {name: [] for name in focus}
        for base in bases:
            for name in focus:
                fitting = [v for v in members[name] if self._fits({**base, name: v})]
                accepted[name] = accepted[name] or fitting
                yield from ({**base, name: value} for value in fitting)
        for name in focus:
            less = {key: value for key, value in bases[0].items() if key != name}
            if name not in needed and self._fits(less):
                yield less
        yield from self._combine(bases[0], {n: values for n, values in accepted.items() if values})

    def _combine(self, base: Arguments, accepted: dict[str, list[Any]]) -> Iterator[Arguments]:
        """Vary two names at a time, then all of them in a deterministic random order."""
        pairs = [*combinations(accepted, 2)][:_MOST_PAIRS]
        accepted = {name: sorted(values, key=self._is_foreign) for name, values in accepted.items()}
        for one, other in pairs:
            for value, second in product(accepted[one][:_PAIRED], accepted[other][:_PAIRED]):
                candidate = {**base, one: value, other: second}
                if self._fits(candidate):
                    yield candidate
        if len(accepted) < 2:
            return
        chance = Random(0)  # a fixed seed: the same samples in every process
        for _ in range(_MIXED):
            candidate = {
                **base,
                **{name: chance.choice(values) for name, values in accepted.items()},
            }
            if self._fits(candidate):
                yield candidate

    def _is_foreign(self, value: Any) -> bool:
        """Return whether *value* is not one of the pool's texts."""
        return not isinstance(value, str) or value not in self._pooled

    def _fits(self, arguments: Arguments) -> bool:
        if self._is_exhausted:
            return False
        with self._measure_time():
            return self._compiled.accepts(arguments)

    def _problems(self, arguments: Arguments) -> tuple[SchemaProblem, ...]:
        with self._measure_time():
            return self._compiled.problems(arguments)

    @property
    def _is_exhausted(self) -> bool:
        """Return whether the budget of validations is spent, or they take too long."""
        return self._left <= 0 or self._slow >= _MOST_SLOW

    @contextmanager
    def _measure_time(self) -> Iterator[None]:
        self._left -= 1
        started = perf_counter()
        yield
        self._slow += perf_counter() - started > _SLOW_S

"""Choose the planted cases: the same number of each kind, spread over the runs."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from random import Random

from abs_shield.core.digest import digest
from abs_shield.planting.joined_runs import Joined
from abs_shield.planting.planted_call import PlantedKind
from abs_shield.planting.run_text import RecordedCall, RightCall
from abs_shield.replay.cases import PlantedCase

MOST_CALLS = 200
"""Maximum number of calls of one run that are changed, to bound the work for long runs."""
MOST_OF_A_RUN = 20
"""Maximum number of cases of one kind in one run: each is judged after all calls before it."""
_Key = tuple[int, bytes]


@dataclass(slots=True)
class Sample:
    """
    The cases with the smallest keys of each kind, independent of the order of the runs.

    A key starts with the number of the run's earlier cases of the kind, followed by a hash: a run
    gets its second case of a kind only when every run has its first.

    Attributes:
        kinds: The kinds that are planted.
        seed: Equal seeds and equal runs make equal cases.
        most: Cases of each kind.
        only: Names of tools whose calls are changed; None for all.
    """

    kinds: Iterable[PlantedKind]
    seed: str
    most: int
    only: frozenset[str] | None = None
    _chosen: dict[str, list[tuple[_Key, int, PlantedCase]]] = field(default_factory=dict)
    _count: int = 0

    def add(self, run: Joined) -> None:
        """Plant in the right calls of one run."""
        # by hash: independent of the order in which the runs come
        chosen = sorted(self._keyed(run), key=itemgetter(0))[:MOST_CALLS]
        if not chosen or not run.run_text.is_short:
            return
        places = [(key, RightCall.of(call, run.run_text)) for key, call in chosen]
        for kind in self.kinds:
            self._plant(kind, places, run.run_id)

    def of(self, kind: PlantedKind) -> list[PlantedCase]:
        """Return the cases of one kind."""
        return [case for _, _, case in self._chosen.get(kind.name, ())]

    def _keyed(self, run: Joined) -> Iterator[tuple[bytes, RecordedCall]]:
        for call in run.right():
            if self.only is None or call.name in self.only:
                # the seed is part of the hash, so that another seed chooses other calls
                text = f"{self.seed}\n{run.run_id}\n{call.index}\n{call.name}"
                yield digest(text, size=8), call

    def _plant(self, kind: PlantedKind, places: list[tuple[bytes, RightCall]], run_id: str) -> None:
        chosen = self._chosen.setdefault(kind.name, [])
        rank = 0
        for key, place in places:
            if len(chosen) >= self.most and (rank, key) >= chosen[-1][0]:
                return  # the keys only grow from here
            # a generator for each call, so that one kind does not influence another
            fault = kind.plant(place, Random(f"{self.seed}/{kind.name}/{key.hex()}"))
            if fault is None:
                continue
            self._count += 1
            insort(chosen, ((rank, key), self._count, kind.case(run_id, place, fault)))
            del chosen[self.most :]
            rank += 1
            if rank >= MOST_OF_A_RUN:
                return

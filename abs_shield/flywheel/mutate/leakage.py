"""Leakage check: evaluation cases and near-duplicates in the training data."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abs_shield.core.digest import canonical as canonical_json
from abs_shield.core.digest import digest
from abs_shield.errors import ShieldError
from abs_shield.flywheel.mutate.canonical_text import (
    Canonical,
    canonical,
    fuzz,
    is_within,
    likeness,
)

LEAK = 0.9  # one word in ten may differ: rewordings are leaks, other questions are not
"""Minimum similarity of a training text that counts as a near-duplicate of a case."""
_SHARED = 0.6
"""Minimum share of a case's keys that a training text must have to be compared: below `LEAK`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """
    An evaluation case in the training data.

    Attributes:
        training: Place of the training text, from 0.
        evaluation: Place of the case, from 0.
        kind: ``same`` text, same ``words``, ``near`` or ``within`` a longer text.
        likeness: Share of words and numbers in common, in [0, 1].
    """

    training: int
    evaluation: int
    kind: str
    likeness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakageReport:
    """
    The result of a leakage check.

    Attributes:
        training: Number of training texts.
        evaluation: Number of cases.
        compared: Pairs that share enough words to be compared.
        leaks: The leaks.
        least_likeness: Minimum similarity of a leak.
        training_hash: Hash of the training texts, to identify the checked data.
        evaluation_hash: Hash of the cases.
    """

    training: int
    evaluation: int
    compared: int
    leaks: tuple[Leak, ...]
    least_likeness: float
    training_hash: str
    evaluation_hash: str

    @property
    def is_clean(self) -> bool | None:
        """True if no leak was found; None without cases, because nothing is proved then."""
        return not self.leaks if self.evaluation else None

    @property
    def leaked(self) -> frozenset[int]:
        """Places of the training texts that are leaks."""
        return frozenset(leak.training for leak in self.leaks)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-able data."""
        record = {name: getattr(self, name) for name in self.__dataclass_fields__}
        leaks = [
            {name: getattr(leak, name) for name in Leak.__dataclass_fields__} for leak in self.leaks
        ]
        return {**record, "clean": self.is_clean, "leaks": leaks}

    def __str__(self) -> str:
        if not self.evaluation:
            return "no evaluation cases were given: leakage was not tested"
        kinds = Counter(leak.kind for leak in self.leaks)
        kinds_text = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items()) or "none"
        return (
            f"{self.training:,} training texts, {self.evaluation:,} evaluation cases,"
            f" {self.compared:,} pairs compared; leaks: {kinds_text}"
        )


def find_leaks(
    training: Iterable[str], evaluation: Iterable[str], *, least_likeness: float = LEAK
) -> LeakageReport:
    """
    Search the training data for evaluation cases.

    A case is recognised with other capitalisation and punctuation, in another word order, with
    numbers in other forms (``$3.1T``, ``3.1 trillion dollars``), misspelt, with look-alike letters,
    and within a longer text. Texts that differ in a number, its sign, a name or a negation are
    different questions.

    Args:
        training: The training texts, such as `training_texts`.
        evaluation: Prompts of the cases.
        least_likeness: Minimum similarity of a leak, above 0 and at most 1.

    Raises:
        ShieldError: rapidfuzz is not installed, or *least_likeness* is out of range.
    """
    fuzz()  # fails now, and not after some minutes, if rapidfuzz is missing
    if not 0 < least_likeness <= 1:
        raise ShieldError(f"leakage: `least_likeness` is {least_likeness}; use above 0, at most 1")
    trained, held = [*training], [*evaluation]
    index = _Index([canonical(text) for text in trained])
    leaks: list[Leak] = []
    for place, text in enumerate(held):
        leaks += index.leaks(canonical(text), place, least_likeness)
    return LeakageReport(
        training=len(trained),
        evaluation=len(held),
        compared=index.compared,
        leaks=tuple(leaks),
        least_likeness=least_likeness,
        training_hash=hash_of(trained),
        evaluation_hash=hash_of(held),
    )


def hash_of(value: Any) -> str:
    """Return a hash of JSON-able data."""
    return digest(canonical_json(value), size=16).hex()


class _Index:
    """Training texts by their keys."""

    def __init__(self, texts: Sequence[Canonical]) -> None:
        self._texts, self.compared = texts, 0
        self._by_key: Mapping[str, list[int]] = defaultdict(list)
        for place, text in enumerate(texts):
            for key in text.bag:
                self._by_key[key].append(place)

    def leaks(self, case: Canonical, place: int, least: float) -> Iterable[Leak]:
        """Yield the leaks of one case."""
        for at in sorted(self._candidates(case)):
            self.compared += 1
            kind, alike = _compare(self._texts[at], case, least)
            if kind:
                yield Leak(training=at, evaluation=place, kind=kind, likeness=round(alike, 4))

    def _candidates(self, case: Canonical) -> set[int]:
        shared: Counter[int] = Counter()
        for key in case.bag:
            shared.update(self._by_key.get(key, ()))
        enough = _SHARED * len(case.bag)
        candidates = {at for at, count in shared.items() if count >= enough}
        if len(case.letters) > 0:  # words written together share no key
            candidates |= {
                at for at, text in enumerate(self._texts) if case.letters in text.letters
            }
        return candidates


def _compare(text: Canonical, case: Canonical, least: float) -> tuple[str, float]:
    if text.text == case.text:
        return "same", 1.0
    is_same = text.letters == case.letters or (case.keys and text.bag == case.bag)
    if is_same and text.signs == case.signs:
        return "words", 1.0
    alike = likeness(case, text)
    if alike >= least:
        return "near", alike
    return ("within", 1.0) if is_within(case, text) else ("", alike)

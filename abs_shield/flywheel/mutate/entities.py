"""Names of entities for examples, from the user's lists or from faker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import shown

_FAKED = {"subject": "company", "person": "name"}
"""Kind of entity to the method of faker that generates one."""
KINDS = ("subject", "period", "person", "tool")
"""Kinds of entities in the templates."""
# eight years: enough that examples do not share one period, and none is implausible
_PERIODS = [f"Q{n} {year}" for year in range(2019, 2027) for n in range(1, 5)]


class Entities:
    """
    Names of entities by kind: ``subject``, ``person``, ``period``, ``tool``.

    Args:
        lists: The user's lists by kind, preferred to faker.
        seed: Seed of the choice, and of faker.
        locale: Locale of faker, such as ``de_DE``.
    """

    def __init__(
        self, lists: Mapping[str, Sequence[str]] | None = None, *, seed: int, locale: str = "en_US"
    ) -> None:
        for kind, names in (lists or {}).items():
            _require_names(kind, names)
        self._lists = {kind: [*names] for kind, names in (lists or {}).items()}
        self._random, self._seed, self._locale = Random(seed), seed, locale
        self._faker: Any = None

    def listed(self, kind: str) -> tuple[str, ...]:
        """Return the user's names of a kind; empty without a list."""
        return tuple(self._lists.get(kind, ()))

    def one(self, kind: str) -> str:
        """
        Return a name of a kind.

        Raises:
            ShieldError: The kind has no list, and faker is not installed or has no such kind.
        """
        if kind in self._lists:
            return self._random.choice(self._lists[kind])
        if kind == "period":
            return self._random.choice(_PERIODS)
        if kind not in _FAKED:
            hint = f"give a list of it, or use {', '.join(_FAKED)}"
            raise ShieldError(f"entities: {shown(kind)} is not a kind that faker makes; {hint}")
        return str(getattr(self._generator(), _FAKED[kind])())

    def _generator(self) -> Any:
        if self._faker is None:
            try:
                from faker import Faker
            except ModuleNotFoundError:
                raise ShieldError(
                    "entities without a list need faker; give `entities`, or run"
                    ' `pip install "abs-shield[flywheel]"`'
                ) from None
            self._faker = Faker(self._locale)
            # `Faker.seed` would change the host's own generators
            self._faker.seed_instance(self._seed)
        return self._faker


def _require_names(kind: str, names: Any) -> None:
    if kind not in KINDS:
        near = nearest(kind, KINDS)
        hint = f"did you mean `{near[0]}`?" if near else f"use {', '.join(KINDS)}"
        raise ShieldError(f"entities: there is no kind {shown(kind)}; {hint}")
    is_list = isinstance(names, Sequence) and not isinstance(names, str | bytes)
    if not is_list or not names or not all(isinstance(one, str) and one.strip() for one in names):
        raise ShieldError(f"entities: `{kind}` is {shown(names)}; give a list of texts")

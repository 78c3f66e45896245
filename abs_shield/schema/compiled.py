"""A schema made ready once, then asked about many values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakValueDictionary

from abs_shield.errors import PolicyError
from abs_shield.schema.bounds import MAX_DEPTH, flat, plain, size
from abs_shield.schema.problem import Problem
from abs_shield.schema.steps import begin

if TYPE_CHECKING:
    from abs_shield.schema.prepare import Prepared

ENGINES = ("auto", "jsonschema-rs", "pydantic-core", "jsonschema")

Accepts = Callable[[Any], bool]

_MOST_LOOKS = 1_000
"""How often an engine that nothing can stop may look at one part of a value."""
_MOST_LOOKS_LARGE = 50
_LARGE = 5_000
"""Parts of a value from which on it may look at each only so often."""


_compiled: WeakValueDictionary[tuple[bytes, bool, str], CompiledSchema] = WeakValueDictionary()
"""The compiled schemas that are in use: one that is equal to the letter is not compiled again."""


class Judge(Protocol):
    """What rejects and explains; it has the last word."""

    def accepts(self, value: Any) -> bool:
        """Return whether a value has no problem."""
        ...

    def fits(self, arguments: dict[str, Any]) -> bool:
        """Return whether plain scalars under declared names have no problem; it may raise."""
        ...

    def problems(self, value: object) -> tuple[Problem, ...]:
        """Return the problems of a value."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class CompiledSchema:
    """A schema ready to judge values; safe to share between threads.

    Attributes:
        engine: Who answers first in ``accepts``; jsonschema alone rejects and explains.
        known: The names declared at the top level, through references and branches.
        required: The names that every value must have.
        nameless: Whether it declares no name, and refuses none in so many words.
    """

    engine: str
    known: frozenset[str]
    required: frozenset[str]
    nameless: bool
    _core: Accepts | None
    _closed: frozenset[str] | None
    _reference: Judge

    def accepts(self, value: Any, *, known_plain: bool = False) -> bool:
        """
        Tell whether a value fits; any Python object gives an answer.

        Args:
            value: The value.
            known_plain: Whether it is known to be an object of a few plain scalars.

        Raises:
            Undecided: The bounds were reached before it was known.
        """
        if self._core is not None:
            try:
                if (known_plain or plain(value)) and self.declares(value) and self._core(value):
                    return True
            except Exception:  # an engine that stumbles has not said yes; the reference decides
                pass
        return self._reference.accepts(value)

    def fits(self, arguments: dict[str, Any]) -> bool:
        """
        Tell whether a few plain scalars fit under names that it `declares`.

        Raises:
            Exception: It could not be told; ask `accepts`, which always answers.
        """
        try:
            if self._core is not None and self._core(arguments):
                return True
        except Exception:  # as in `accepts`
            pass
        return self._reference.fits(arguments)

    @property
    def is_closed(self) -> bool:
        """Whether a name that it does not declare is wrong."""
        return self._closed is not None

    def declares(self, value: Any) -> bool:
        """Whether every name is a declared one, where no other may come."""
        return self._closed is None or type(value) is not dict or value.keys() <= self._closed

    def problems(self, value: object) -> tuple[Problem, ...]:
        """
        List what is wrong with a value, at most 100 problems; empty when it fits.

        Raises:
            Undecided: Nothing wrong was found within the bounds, and they were reached.
        """
        return self._reference.problems(value)


def compile_schema(
    schema: Mapping[str, Any] | bool,
    *,
    where: str = "schema",
    closed: bool = False,
    engine: str = "auto",
) -> CompiledSchema:
    """Make a JSON Schema ready to judge values.

    Args:
        schema: Draft 4 to 2020-12 by its ``$schema``, 2020-12 without one. It is copied.
        where: What to call the schema in an error, such as ``"tool `refund`"``.
        closed: Whether a top-level name that the schema does not declare is wrong, unless the
            schema allows more names in so many words.
        engine: ``"auto"``, ``"jsonschema-rs"``, ``"pydantic-core"`` or ``"jsonschema"``.

    Returns:
        The compiled schema, the same object for an equal schema in use. Its ``engine`` is
        ``"jsonschema"`` where no faster one is exact.

    Raises:
        PolicyError: The schema is invalid, refers to what is not in it, or is too large; or the
            engine is unknown or not installed.
    """
    # jsonschema takes 170 ms to import: only a program that has schemas pays for it.
    from abs_shield.schema.closing import declared
    from abs_shield.schema.prepare import copied, prepared
    from abs_shield.schema.reference import reference

    _check_engine(engine)
    copy = copied(schema, where=where)
    written = json.dumps(copy.schema).encode()
    key = (sha256(written).digest(), closed, engine)
    equal = _compiled.get(key)
    if equal is not None:
        return equal
    ready = prepared(copy, where=where)
    names = declared(ready)
    judge = reference(ready, names, closed=closed)
    known = frozenset(names.known)
    name, core = _fastest(ready, engine)
    compiled = _compiled[key] = CompiledSchema(
        engine=name,
        known=known,
        required=frozenset(names.required),
        nameless=names.nameless,
        _core=core,
        _closed=known if judge.closed else None,
        _reference=judge,
    )
    return compiled


def _check_engine(engine: str) -> None:
    if engine not in ENGINES:
        near = get_close_matches(str(engine)[:40], ENGINES, n=1, cutoff=0)[0]
        raise PolicyError(f"no schema engine is named `{engine!s:.40}`; did you mean `{near}`?")
    if engine == "jsonschema-rs":
        from abs_shield.schema import rust

        if not rust.installed():
            hint = "pip install abs-shield[fast]"
            raise PolicyError(f"the schema engine `jsonschema-rs` is not installed; {hint}")


def _fastest(ready: Prepared, engine: str) -> tuple[str, Accepts | None]:
    from abs_shield.schema.growth import safe_depth
    from abs_shield.schema.prefilter import Untranslatable, prefilter
    from abs_shield.schema.rust import Unsuitable, rust

    depth, when_large = (
        safe_depth(id(ready.schema), ready.edges, most=most)
        for most in (_MOST_LOOKS, _MOST_LOOKS_LARGE)
    )
    if engine in ("auto", "jsonschema-rs") and depth > 0:
        try:
            core = rust(ready.schema, dialect=ready.dialect)
            return "jsonschema-rs", _bounded(core, depth, when_large, patterned=ready.patterned)
        except Unsuitable:
            pass
    if engine != "jsonschema":
        try:
            core = prefilter(ready.schema, dialect=ready.dialect)
            return "pydantic-core", _bounded(core, MAX_DEPTH, when_large, patterned=ready.patterned)
        except Untranslatable:
            pass
    return "jsonschema", None


def _bounded(core: Accepts, depth: int, when_large: int, *, patterned: bool) -> Accepts:
    """Leave to the reference, which stops in time, what *core* would look at too often."""
    if when_large >= MAX_DEPTH and not patterned:
        return core

    def accepts(value: Any) -> bool:
        begin(asking=True)
        most = depth if when_large >= MAX_DEPTH or size(value, _LARGE) <= _LARGE else when_large
        return (most >= MAX_DEPTH or flat(value, most)) and core(value)

    return accepts

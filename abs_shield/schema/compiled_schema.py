"""A JSON Schema that is compiled once and then validates many values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakValueDictionary

from abs_shield.errors import PolicyError
from abs_shield.schema.schema_problem import SchemaProblem
from abs_shield.schema.value_limits import MAX_DEPTH, count_parts, is_plain_json, is_shallow
from abs_shield.schema.work_budget import begin_judgement

if TYPE_CHECKING:
    from abs_shield.schema.prepared_schema import PreparedSchema

ENGINES = ("auto", "pydantic-core", "jsonschema")

Accepts = Callable[[Any], bool]

_MOST_VISITS = 50
"""
Visits of one part of a large value by pydantic-core, which cannot be interrupted; with more, a
value would take seconds.
"""
_LARGE = 5_000
"""Parts of a large value."""


_compiled: WeakValueDictionary[tuple[bytes, bool, str], CompiledSchema] = WeakValueDictionary()
"""The compiled schemas in use, so that an equal schema is not compiled again."""


class SchemaJudge(Protocol):
    """The authoritative validator: it rejects values and explains why."""

    def accepts(self, value: Any) -> bool:
        """Return whether a value has no problem."""
        ...

    def fits(self, arguments: dict[str, Any]) -> bool:
        """Return whether plain scalars under declared names have no problem; it may raise."""
        ...

    def problems(self, value: object) -> tuple[SchemaProblem, ...]:
        """Return the problems of a value."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class CompiledSchema:
    """A schema that is ready to validate values; safe to share between threads.

    Attributes:
        engine: The engine that ``accepts`` asks first; only jsonschema rejects and explains.
        declared_names: The names declared at the top level, through references and branches.
        required: The names that every value must have.
        nameless: Whether it neither declares a name nor explicitly forbids undeclared ones.
        has_name_patterns: Whether it takes names by a pattern.
    """

    engine: str
    declared_names: frozenset[str]
    required: frozenset[str]
    nameless: bool
    has_name_patterns: bool
    _core: Accepts | None
    _closed: frozenset[str] | None
    _reference: SchemaJudge

    def accepts(self, value: Any, *, already_plain: bool = False) -> bool:
        """
        Return whether a value fits; any Python object is allowed.

        Args:
            value: The value.
            already_plain: Whether it is certain to be an object of a few plain scalars.

        Raises:
            Undecided: The budget was spent before the value was judged.
        """
        if self._core is not None:
            try:
                if (
                    (already_plain or is_plain_json(value))
                    # The fast engine accepts undeclared names.
                    and self.declares(value)
                    and self._core(value)
                ):
                    return True
            except Exception:  # a fast engine that fails has not accepted; the reference decides
                pass
        return self._reference.accepts(value)

    def fits(self, arguments: dict[str, Any]) -> bool:
        """
        Return whether a few plain scalars fit under names that it `declares`.

        Raises:
            Exception: The check failed; call `accepts`, which handles every value.
        """
        try:
            if self._core is not None and self._core(arguments):
                return True
        except Exception:  # as in `accepts`, the reference decides
            pass
        return self._reference.fits(arguments)

    @property
    def is_closed(self) -> bool:
        """Return whether undeclared names are errors."""
        return self._closed is not None

    @property
    def lists_every_name(self) -> bool:
        """Return whether it takes no other name than those that it declares."""
        return self.is_closed and not self.has_name_patterns

    def declares(self, value: Any) -> bool:
        """Return whether every name is declared, or undeclared names are allowed."""
        return self._closed is None or type(value) is not dict or value.keys() <= self._closed

    def problems(self, value: object) -> tuple[SchemaProblem, ...]:
        """
        Return the problems of a value, at most 100; empty when it fits.

        Raises:
            Undecided: The budget was spent before any problem occurred.
        """
        return self._reference.problems(value)


def compile_schema(
    schema: Mapping[str, Any] | bool,
    *,
    where: str = "schema",
    closed: bool = False,
    engine: str = "auto",
) -> CompiledSchema:
    """Compile a JSON Schema.

    Args:
        schema: Draft 4 to 2020-12 by its ``$schema``, 2020-12 without one. It is copied.
        where: The name of the schema in errors, such as ``"tool `refund`"``.
        closed: Whether a top-level name that the schema does not declare is wrong, unless the
            schema explicitly allows more names.
        engine: ``"auto"``, ``"pydantic-core"`` or ``"jsonschema"``.

    Returns:
        The compiled schema, the same object for an equal schema in use. Its ``engine`` is
        ``"jsonschema"`` if no faster one is exact.

    Raises:
        PolicyError: The schema is invalid, has an unresolvable reference, or is too large; or the
            engine is unknown or not installed.
    """
    # Imported here, because jsonschema takes 170 ms, which programs without schemas do not need.
    from abs_shield.schema.prepared_schema import copy_schema, prepare_schema

    _check_engine(engine)
    copy = copy_schema(schema, where=where)
    written = json.dumps(copy.schema).encode()
    # A digest, because the text may have megabytes.
    key = (sha256(written).digest(), closed, engine)
    compiled = _compiled.get(key)
    if compiled is None:
        ready = prepare_schema(copy, where=where)
        compiled = _compiled[key] = _compile(ready, closed=closed, engine=engine)
    return compiled


def _compile(ready: PreparedSchema, *, closed: bool, engine: str) -> CompiledSchema:
    from abs_shield.schema.declared_names import collect_declared_names
    from abs_shield.schema.jsonschema_engine import build_reference_judge

    names = collect_declared_names(ready)
    judge = build_reference_judge(ready, names, closed=closed)
    declared_names = frozenset(names.names)
    name, core = _fastest(ready, engine)
    return CompiledSchema(
        engine=name,
        declared_names=declared_names,
        required=frozenset(names.required),
        nameless=names.nameless,
        has_name_patterns=bool(names.patterns),
        _core=core,
        _closed=declared_names if judge.closed else None,
        _reference=judge,
    )


def _check_engine(engine: str) -> None:
    if engine not in ENGINES:
        # No cutoff, because there are only three names.
        near = get_close_matches(str(engine)[:40], ENGINES, n=1, cutoff=0)[0]
        raise PolicyError(f"no schema engine is named `{engine!s:.40}`; did you mean `{near}`?")


def _fastest(ready: PreparedSchema, engine: str) -> tuple[str, Accepts | None]:
    from abs_shield.schema.pydantic_engine import Untranslatable, compile_with_pydantic
    from abs_shield.schema.visit_bounds import safe_depth

    if engine == "jsonschema":
        return engine, None
    try:
        core = compile_with_pydantic(ready.schema, dialect=ready.dialect)
    except Untranslatable:  # a keyword that pydantic-core has no exact equivalent of
        return "jsonschema", None
    depth = safe_depth(id(ready.schema), ready.edges, most=_MOST_VISITS)
    return "pydantic-core", _bound(core, depth, patterned=ready.patterned)


def _bound(core: Accepts, depth: int, *, patterned: bool) -> Accepts:
    """Return *core* limited to values that it visits rarely; the reference judges the others."""
    if depth >= MAX_DEPTH and not patterned:
        return core

    def accepts(value: Any) -> bool:
        begin_judgement(verdict_only=True)
        if depth < MAX_DEPTH and count_parts(value, _LARGE) > _LARGE:
            return is_shallow(value, depth) and core(value)
        return core(value)

    return accepts

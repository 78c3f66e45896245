"""The reference engine: jsonschema with size limits; reports all problems of a value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import Any

from abs_shield.schema import value_limits
from abs_shield.schema.declared_names import DeclaredNames
from abs_shield.schema.dialects import safe_validator
from abs_shield.schema.error_problems import explain_error, unknown_argument
from abs_shield.schema.keywords import PatternTimeout, is_match
from abs_shield.schema.prepared_schema import PreparedSchema
from abs_shield.schema.schema_problem import MAX_PROBLEMS, SchemaProblem, not_finite, pointer
from abs_shield.schema.value_display import abbreviate, display_value
from abs_shield.schema.work_budget import Undecided, begin_judgement, memo_for_judgement

_BREACHES = {
    "too_deep": (
        f"got a value nested deeper than {value_limits.MAX_DEPTH} levels",
        f"at most {value_limits.MAX_DEPTH} levels",
        "send a flatter value",
    ),
    "too_large": (
        "got a value too large to be judged",
        f"at most {value_limits.MAX_NODES} values, {value_limits.MAX_CHARACTERS} characters, "
        f"{value_limits.MAX_BITS} bits an integer",
        "send a smaller value",
    ),
    "wrong_type": (
        "got an object with a key that is not a string",
        "string keys",
        "send string keys",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceJudge:
    """The reference judge of one schema."""

    validator: Any
    declared: DeclaredNames
    closed: bool
    dynamic: bool

    def accepts(self, value: object) -> bool:
        """Return whether a value has no problem."""
        begin_judgement(verdict_only=True)
        with self._memory():
            return next(self._problems(value), None) is None

    def fits(self, arguments: dict[str, Any]) -> bool:
        """Return whether plain scalars under declared names have no problem; it may raise."""
        begin_judgement(verdict_only=True)
        with self._memory():
            return next(self.validator.iter_errors(arguments), None) is None

    def problems(self, value: object) -> tuple[SchemaProblem, ...]:
        """Return the problems of a value, at most 100, without duplicates."""
        begin_judgement(verdict_only=False)
        once: dict[tuple[str, str, str], SchemaProblem] = {}
        try:
            with self._memory():
                # Branches repeat problems, which are reported once.
                for problem in islice(self._problems(value), 10 * MAX_PROBLEMS):
                    once.setdefault((problem.where, problem.code, problem.detail), problem)
        except Undecided:
            if not once:  # problems found so far are certain even if the rest is undecided
                raise
        return tuple(once.values())[:MAX_PROBLEMS]

    def _memory(self) -> AbstractContextManager[None]:
        # If the target of a reference depends on the path, nothing is cached.
        return nullcontext() if self.dynamic else memo_for_judgement()

    def _problems(self, value: object) -> Iterator[SchemaProblem]:
        try:
            yield from self._in_bounds(value)
        except PatternTimeout as timeout:
            yield _too_complex(value, timeout)
        # A schema may recurse deeper than Python allows for a value within the limits.
        except RecursionError:
            yield _breach("too_deep", ())
        except Undecided:
            raise
        except Exception as error:  # a caller's object may raise, and must still be judged
            yield _unjudged(value, error)

    def _in_bounds(self, value: object) -> Iterator[SchemaProblem]:
        odd: set[str] = set()
        fatal = False
        for code, path in value_limits.exceeded_limits(value):
            yield _breach(code, path)
            odd.add(pointer(path))
            # With any other problem, validation by the schema could fail, or take too long.
            fatal |= code != "not_finite"
        if not fatal:
            yield from (p for p in self._schema_problems(value) if p.where not in odd)

    def _schema_problems(self, value: Any) -> Iterator[SchemaProblem]:
        declared_names = tuple(sorted(self.declared.names))
        for error in self.validator.iter_errors(value):
            yield from explain_error(error, declared_names)
        if self.closed and isinstance(value, dict):
            for name in value:
                if not self._declares(name):
                    yield unknown_argument((), name, value[name], declared_names)

    def _declares(self, name: str) -> bool:
        declared = self.declared
        return name in declared.names or any(is_match(each, name) for each in declared.patterns)


def build_reference_judge(
    prepared: PreparedSchema, declared: DeclaredNames, *, closed: bool
) -> ReferenceJudge:
    """Build the reference judge of a prepared schema."""
    validator = safe_validator(prepared.dialect)(
        prepared.schema, registry=prepared.registry, _resolver=prepared.resolver
    )
    return ReferenceJudge(
        validator=validator,
        declared=declared,
        closed=closed and declared.closable,
        dynamic=prepared.dynamic,
    )


def _breach(code: str, path: tuple[object, ...]) -> SchemaProblem:
    if code == "not_finite":
        return not_finite(pointer(path))
    detail, expected, hint = _BREACHES[code]
    return SchemaProblem(
        where=pointer(path), code=code, detail=detail, hint=hint, expected=expected
    )


def _too_complex(value: object, timeout: PatternTimeout) -> SchemaProblem:
    text, pattern = display_value(timeout.text, 40), display_value(timeout.pattern, 40)
    return SchemaProblem(
        where=pointer(value_limits.find_path(value, timeout.text)),
        code="too_complex",
        detail=f"matching {text} with {pattern} took too long",
        hint="send a shorter text",
        got=abbreviate(timeout.text),
        expected=f"a match of {display_value(timeout.pattern)}",
    )


def _unjudged(value: object, error: Exception) -> SchemaProblem:
    name = type(error).__name__
    detail = f"got {display_value(value, 60)}, which could not be judged ({name})"
    return SchemaProblem(where="", code="invalid", detail=detail)

"""The engine that has the last word: jsonschema within caps, and every problem it finds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import Any

from abs_shield.schema import bounds
from abs_shield.schema.closing import Declared
from abs_shield.schema.dialects import safe
from abs_shield.schema.explain import explained, unknown_argument
from abs_shield.schema.keywords import PatternTimeout, found
from abs_shield.schema.prepare import Prepared
from abs_shield.schema.problem import MAX_PROBLEMS, Problem, not_finite, pointer
from abs_shield.schema.steps import Undecided, begin, memory
from abs_shield.schema.text import brief, shown

_BREACHES = {
    "too_deep": (
        f"got a value nested deeper than {bounds.MAX_DEPTH} levels",
        f"at most {bounds.MAX_DEPTH} levels",
        "send a flatter value",
    ),
    "too_large": (
        "got a value too large to be judged",
        f"at most {bounds.MAX_NODES} values, {bounds.MAX_CHARACTERS} characters, "
        f"{bounds.MAX_BITS} bits an integer",
        "send less at once",
    ),
    "wrong_type": (
        "got an object with a key that is not a string",
        "string keys",
        "send string keys",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The reference judgement of one schema."""

    validator: Any
    declared: Declared
    closed: bool
    dynamic: bool

    def accepts(self, value: object) -> bool:
        """Tell whether a value has no problem."""
        begin(asking=True)
        with self._memory():
            return next(self._problems(value), None) is None

    def fits(self, arguments: dict[str, Any]) -> bool:
        """Tell whether plain scalars under declared names have no problem; it may raise."""
        begin(asking=True)
        with self._memory():
            return next(self.validator.iter_errors(arguments), None) is None

    def problems(self, value: object) -> tuple[Problem, ...]:
        """List the problems of a value, at most 100, no two the same."""
        begin(asking=False)
        once: dict[tuple[str, str, str], Problem] = {}
        try:
            with self._memory():
                for problem in islice(self._problems(value), 10 * MAX_PROBLEMS):
                    once.setdefault((problem.where, problem.code, problem.detail), problem)
        except Undecided:
            if not once:
                raise
        return tuple(once.values())[:MAX_PROBLEMS]

    def _memory(self) -> AbstractContextManager[None]:
        return nullcontext() if self.dynamic else memory()

    def _problems(self, value: object) -> Iterator[Problem]:
        try:
            yield from self._in_bounds(value)
        except PatternTimeout as late:
            yield _too_complex(value, late)
        except RecursionError:
            yield _breach("too_deep", ())
        except Undecided:
            raise
        except Exception as error:  # a firewall answers, whatever object it is shown
            yield _unjudged(value, error)

    def _in_bounds(self, value: object) -> Iterator[Problem]:
        odd: set[str] = set()
        fatal = False
        for code, path in bounds.breaches(value):
            yield _breach(code, path)
            odd.add(pointer(path))
            fatal |= code != "not_finite"
        if not fatal:
            yield from (p for p in self._found(value) if p.where not in odd)

    def _found(self, value: Any) -> Iterator[Problem]:
        known = tuple(sorted(self.declared.known))
        for error in self.validator.iter_errors(value):
            yield from explained(error, known)
        if self.closed and isinstance(value, dict):
            for name in value:
                if not self._declares(name):
                    yield unknown_argument((), name, value[name], known)

    def _declares(self, name: str) -> bool:
        declared = self.declared
        return name in declared.known or any(found(each, name) for each in declared.patterns)


def reference(prepared: Prepared, declared: Declared, *, closed: bool) -> Reference:
    """Build the reference judgement of a prepared schema."""
    validator = safe(prepared.dialect)(
        prepared.schema, registry=prepared.registry, _resolver=prepared.resolver
    )
    return Reference(
        validator=validator,
        declared=declared,
        closed=closed and declared.closable,
        dynamic=prepared.dynamic,
    )


def _breach(code: str, path: tuple[object, ...]) -> Problem:
    if code == "not_finite":
        return not_finite(pointer(path))
    detail, expected, hint = _BREACHES[code]
    return Problem(where=pointer(path), code=code, detail=detail, hint=hint, expected=expected)


def _too_complex(value: object, late: PatternTimeout) -> Problem:
    return Problem(
        where=pointer(bounds.path_to(value, late.text)),
        code="too_complex",
        detail=f"matching {shown(late.text, 40)} with {shown(late.pattern, 40)} took too long",
        hint="send a shorter text",
        got=brief(late.text),
        expected=f"a match of {shown(late.pattern)}",
    )


def _unjudged(value: object, error: Exception) -> Problem:
    name = type(error).__name__
    detail = f"got {shown(value, 60)}, which could not be judged ({name})"
    return Problem(where="", code="invalid", detail=detail)

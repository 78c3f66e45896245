"""The marks in a function's type hints: of its parameters, and of what stands inside them."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Mapping as AbstractMapping
from typing import Annotated, Any, TypedDict, Unpack, get_args, get_origin, get_type_hints

import typing_extensions
from pydantic import AliasChoices, AliasPath, BaseModel
from pydantic.fields import FieldInfo

from abs_shield.errors import PolicyError
from abs_shield.policy import Creates, Free, Injected, Soft, Target
from abs_shield.policy.marks import Mark
from abs_shield.policy.places import ANY, ANYWHERE, pointer_of

_MARKS = (Target, Soft, Free, Creates, Injected)
_UNPACK = (Unpack, typing_extensions.Unpack)  # two objects before Python 3.12
_TYPED_DICTS = (type(TypedDict("_", {})), type(typing_extensions.TypedDict("_", {})))  # type: ignore[operator]
_DEEPEST = 16
"""Models inside models that are read."""


def marks_of(
    tool: str, signature: inspect.Signature, hints: Mapping[str, Any], bound: frozenset[str]
) -> dict[str, Mark]:
    """
    Return each mark by the key under which a `Tool` holds it: a name, or a JSON pointer.

    Args:
        tool: The tool, for an error.
        signature: The function's signature.
        hints: Its type hints.
        bound: Parameters that the host gives by name.

    Raises:
        PolicyError: `Injected` stands inside an argument, or a mark on the keys of a mapping.
    """
    found: dict[str, Mark] = {}
    for name, parameter in signature.parameters.items():
        if name in bound or name not in hints:
            continue
        try:
            inside = [*_of_parameter(name, parameter, hints[name])]
        except _KeyMarked:
            raise PolicyError(
                f"tool `{tool}`: a mark stands on the keys of `{name}`, where it would not be "
                "read; take a list of objects"
            ) from None
        for steps, mark in inside:
            if isinstance(mark, Injected) and len(steps) > 1:
                raise PolicyError(
                    f"tool `{tool}`: `Injected` stands inside `{steps[0]}`; only a whole parameter "
                    "can be the host's"
                )
            known = len(steps) == 1 and steps[0] != ANY
            found.setdefault(steps[0] if known else pointer_of(steps), mark)
    return found


class _KeyMarked(Exception):
    """A mark of the keys of a mapping."""


_Found = Iterator[tuple[tuple[str, ...], Mark]]


def _of_parameter(name: str, parameter: inspect.Parameter, hint: Any) -> _Found:
    if parameter.kind is not parameter.VAR_KEYWORD:
        yield from _inside(hint, (name,), ())
    elif get_origin(hint) in _UNPACK:
        for key, value in _fields(get_args(hint)[0]):
            yield from _inside(value, (key,), ())
    else:
        yield from _inside(hint, (ANY,), ())


def _inside(hint: Any, steps: tuple[str, ...], around: tuple[Any, ...]) -> _Found:
    """The marks of a hint and of what it is made of; in a model that holds itself, at any depth."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        yield from ((steps, mark) for mark in _among(arguments[1:]))
        arguments = arguments[:1]
    kind = origin if isinstance(origin, type) else hint
    if isinstance(kind, type) and (fields := [*_fields(kind)]):
        again = kind in around or len(around) >= _DEEPEST
        for name, value in fields:
            if again:
                yield from (((steps[0], ANYWHERE, name), mark) for mark in _own(value))
            else:
                yield from _inside(value, (*steps, name), (*around, kind))
        return
    if isinstance(origin, type) and issubclass(origin, AbstractMapping) and len(arguments) == 2:
        if next(_own(arguments[0]), None) is not None:
            raise _KeyMarked
        for path, mark in _inside(arguments[1], (*steps, ANY), around):
            # a mark of the values is one of the whole
            yield (path[:-1] if path == (*steps, ANY) else path), mark
        return
    for argument in arguments:
        yield from _inside(argument, steps, around)


def _own(hint: Any) -> Iterator[Mark]:
    """The marks of a hint itself, and of nothing that stands in a model inside it."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        yield from _among(arguments[1:])
        arguments = arguments[:1]
    for argument in arguments:
        yield from _own(argument)


def _among(extras: Iterable[Any]) -> Iterator[Mark]:
    for extra in extras:
        if isinstance(extra, type) and issubclass(extra, _MARKS):
            yield extra()
        elif isinstance(extra, _MARKS):
            yield extra


def _fields(kind: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a class by the names that they have in JSON, with their hints."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        for name, field in kind.model_fields.items():
            hint = _hint_of(field)
            for alias in {name, *_aliases(field)}:
                yield alias, hint
    elif isinstance(kind, _TYPED_DICTS) or dataclasses.is_dataclass(kind):
        try:
            hints = get_type_hints(kind, include_extras=True)
        except (NameError, TypeError):  # pydantic says what is wrong with it
            return
        names = (
            hints if isinstance(kind, _TYPED_DICTS) else [f.name for f in dataclasses.fields(kind)]
        )
        yield from ((name, hints.get(name)) for name in names)


def _hint_of(field: FieldInfo) -> Any:
    """A field's hint with what pydantic took out of it."""
    marks = [one for one in field.metadata if isinstance(one, _MARKS) or one in _MARKS]
    return Annotated[(field.annotation, *marks)] if marks else field.annotation


def _aliases(field: FieldInfo) -> Iterator[str]:
    alias = field.validation_alias or field.alias
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
    for choice in choices:
        first = choice.path[0] if isinstance(choice, AliasPath) else choice
        if isinstance(first, str):
            yield first

"""Marks in a function's type hints: those of its parameters, and of fields inside them."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from pydantic import AliasChoices, AliasPath, BaseModel, RootModel
from pydantic.fields import FieldInfo
from typing_extensions import is_typeddict

from abs_shield.errors import PolicyError
from abs_shield.policy import Creates, Free, Injected, Soft, Target
from abs_shield.policy.parameter_marks import ANY, ANYWHERE, Mark
from abs_shield.shield.argument_model import UNPACK
from abs_shield.shield.type_aliases import underlying_hint
from abs_shield.text.json_leaves import pointer

_MARKS = (Target, Soft, Free, Creates, Injected)
# With parentheses, because a text such as "Target" may be the description of a parameter.
_QUOTED_MARK = re.compile(rf"\s*(?:{'|'.join(mark.__name__ for mark in _MARKS)})\(.*\)\s*", re.S)
_MOST_PLACES = 1_000
"""Maximum number of field paths that are listed, because recursive models have no limit."""


def marks_of(
    tool: str, signature: inspect.Signature, hints: Mapping[str, Any], bound: frozenset[str]
) -> dict[str, Mark]:
    """
    Return each mark by its key in a `Tool`: a parameter name, or a JSON pointer.

    Args:
        tool: The tool's name, for error messages.
        signature: The function's signature.
        hints: Its type hints, by parameter name.
        bound: Parameters that the host binds by name.

    Raises:
        PolicyError: `Injected` marks part of an argument, or a mark is misplaced.
    """
    marks: dict[str, Mark] = {}
    for name, parameter in signature.parameters.items():
        if name in bound or (name not in hints and not _is_mark(parameter.default)):
            continue
        try:
            _require_no_mark(parameter.default)
            inside = [*_parameter_marks(name, parameter, hints.get(name, Any))]
        except _Misplaced as misplaced:
            where, hint = misplaced.args
            raise PolicyError(
                f"tool `{tool}`: a mark {where.format(name)} has no effect; {hint}"
            ) from None
        for steps, mark in inside:
            if isinstance(mark, Injected) and len(steps) > 1:
                raise PolicyError(
                    f"tool `{tool}`: `Injected` is used inside `{steps[0]}`; it can mark "
                    "whole parameters only"
                )
            is_parameter = len(steps) == 1 and steps[0] != ANY
            # The first mark is the outermost one, and takes precedence.
            marks.setdefault(steps[0] if is_parameter else pointer(steps), mark)
    return marks


def names_of_models(hints: Iterable[Any]) -> list[frozenset[str]]:
    """Return the names of the fields, including aliases, of each model in the hints."""
    models = [model for hint in hints for model in _Models(hint).fields.values()]
    return [frozenset(name for name, _ in fields) for fields in models]


class _Misplaced(Exception):
    """A mark that would have no effect; its arguments are its place and a hint for the author."""


_ON_KEYS = "on the keys of `{}`", "use a list of objects"
_AS_DEFAULT = "as a default in `{}`", "write `Annotated[..., Target()]`"
_IN_QUOTES = "in quotes in `{}`", "write `Annotated[..., Target()]`, without quotes"
_IN_TUPLE = "on a field of a named tuple in `{}`", "use a model or a `TypedDict`"
_ON_EXTRA = "on the extra fields of a model in `{}`", "declare these fields"
_IN_CYCLE = "in a recursive mapping in `{}`", "use a recursive model"


def _is_mark(value: Any) -> bool:
    return isinstance(value, _MARKS) or (isinstance(value, type) and issubclass(value, _MARKS))


def _require_no_mark(default: Any) -> None:
    """Raise if a default is a mark: the function would receive it as the argument."""
    if _is_mark(default.default if isinstance(default, FieldInfo) else default):
        raise _Misplaced(*_AS_DEFAULT)


_MarkPaths = Iterator[tuple[tuple[str, ...], Mark]]


def _parameter_marks(name: str, parameter: inspect.Parameter, hint: Any) -> _MarkPaths:
    if parameter.kind is not parameter.VAR_KEYWORD:
        yield from _hint_marks(hint, name)
    elif get_origin(hint) in UNPACK:
        (content,) = get_args(hint)
        model = _model_of(underlying_hint(content) or content)
        for key, value in _fields(model) if model is not None else ():
            yield from _hint_marks(value, key)
    else:
        yield from _hint_marks(hint, ANY)


def _hint_marks(hint: Any, name: str) -> _MarkPaths:
    """Yield the marks of one parameter and its parts; an injected parameter has no parts."""
    own = [*_own_marks(hint)]
    if any(isinstance(mark, Injected) for mark in own):
        yield from (((name,), mark) for mark in own)
        return
    models = _Models(hint)
    try:
        # A list, because marks that were yielded before the limit would be repeated below.
        yield from [*models.marks_inside(hint, (name,), ())]
    except _TooMany:
        yield from (((name,), mark) for mark in own)
        yield from models.marks_anywhere(name)


class _TooMany(Exception):
    """A parameter has more field paths than are listed."""


class _Models:
    """
    The models in a hint, each read once.

    Attributes:
        fields: The fields of each model: JSON names and hints.
        marked: Models with a marked field, or with a field that leads to such a model.
    """

    def __init__(self, hint: Any) -> None:
        self.fields: dict[Any, list[tuple[str, Any]]] = {}
        self.marked: set[Any] = set()
        self._left = _MOST_PLACES
        leads: dict[Any, list[Any]] = {}
        unread = [*_models_in(hint)]
        while unread:
            model = unread.pop()
            # Models may reference each other in cycles.
            if model in self.fields:
                continue
            fields = self.fields[model] = [*_fields(model)]
            for inner in [inner for _, value in fields for inner in _models_in(value)]:
                leads.setdefault(inner, []).append(model)
                unread.append(inner)
        # From marked fields up to the models that contain them, so that each is visited once.
        new = [m for m, fields in self.fields.items() if any(_is_marked(one) for _, one in fields)]
        while new:
            model = new.pop()
            if model not in self.marked:
                self.marked.add(model)
                new += leads.get(model, ())

    def marks_inside(
        self, hint: Any, steps: tuple[str, ...], around: tuple[Any, ...]
    ) -> _MarkPaths:
        """Yield the marks of a hint and its parts, in a recursive model at any depth."""
        if _is_mark(hint):
            mark = getattr(hint, "__name__", type(hint).__name__)
            raise _Misplaced("as the type of `{}`", f"write `Annotated[str, {mark}()]`")
        inner = underlying_hint(hint)
        if inner is not None:
            if not self._is_cycle(hint, steps, around):
                yield from self.marks_inside(inner, steps, (*around, _OpenAlias(hint, steps)))
            return
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            if any(
                isinstance(extra, str) and _QUOTED_MARK.fullmatch(extra)
                for extra in hint.__metadata__
            ):
                raise _Misplaced(*_IN_QUOTES)
            yield from ((steps, mark) for mark in _marks_among(arguments[1:]))
            arguments = arguments[:1]
        model = _model_of(hint)
        if model is not None:
            if model in self.marked:
                yield from self._field_marks(model, steps, around)
        elif _is_mapping(origin, arguments):
            if _is_marked(arguments[0]):
                raise _Misplaced(*_ON_KEYS)
            for path, mark in self.marks_inside(arguments[1], (*steps, ANY), around):
                # a mark on the values counts for the mapping as a whole
                yield (path[:-1] if path == (*steps, ANY) else path), mark
        else:
            for argument in _tuple_fields(hint) or arguments:
                yield from self.marks_inside(argument, steps, around)

    def _is_cycle(self, hint: Any, steps: tuple[str, ...], around: tuple[Any, ...]) -> bool:
        """Return whether an alias refers to itself, because it is being resolved already."""
        for one in reversed(around):
            if not isinstance(one, _OpenAlias):
                return False  # a model in between ends the cycle
            if one.hint == hint:
                if one.steps != steps and (
                    _is_marked(hint) or not self.marked.isdisjoint(_models_in(hint))
                ):
                    raise _Misplaced(*_IN_CYCLE)
                return True
        return False

    def _field_marks(
        self, model: Any, steps: tuple[str, ...], around: tuple[Any, ...]
    ) -> _MarkPaths:
        for name, value in self.fields[model]:
            self._left -= 1
            if self._left < 0:
                raise _TooMany
            if model in around:
                yield from (((steps[0], ANYWHERE, name), mark) for mark in _own_marks(value))
            else:
                yield from self.marks_inside(value, (*steps, name), (*around, model))

    def marks_anywhere(self, name: str) -> _MarkPaths:
        """Yield the marks of all fields, valid wherever a field name occurs in the parameter."""
        for fields in self.fields.values():
            for field, value in fields:
                yield from (((name, ANYWHERE, field), mark) for mark in _own_marks(value))


class _OpenAlias(NamedTuple):
    """An alias that is being resolved, and its path."""

    hint: Any
    steps: tuple[str, ...]


def _model_of(hint: Any) -> Any:
    """Return the class of a model or a generic model; None if the hint is not a model."""
    kind = get_origin(hint) or hint
    # A root model is written as its value; it has no fields.
    if isinstance(kind, type) and issubclass(kind, RootModel):
        return None
    is_model = isinstance(kind, type) and (
        issubclass(kind, BaseModel) or is_typeddict(kind) or dataclasses.is_dataclass(kind)
    )
    return kind if is_model else None


def _models_in(hint: Any, read: tuple[Any, ...] = ()) -> Iterator[Any]:
    """Yield the models in a hint; *read* are the aliases that were resolved around it."""
    inner = underlying_hint(hint)
    if inner is not None:
        if hint not in read:
            yield from _models_in(inner, (*read, hint))
        return
    model = _model_of(hint)
    if model is not None:
        yield model
        return
    arguments = _tuple_fields(hint) or get_args(hint)
    for argument in arguments[:1] if get_origin(hint) is Annotated else arguments:
        yield from _models_in(argument, read)


def _tuple_fields(hint: Any) -> tuple[Any, ...]:
    """Return the hints of a named tuple's fields; raise if one of them is marked."""
    kind = get_origin(hint) or hint
    if not (isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return ()
    defaults = getattr(kind, "_field_defaults", {}).values()
    hints = (*_hints_of(kind).values(),)
    if any(map(_is_mark, defaults)) or any(map(_is_marked, hints)):
        raise _Misplaced(*_IN_TUPLE)
    return hints


def _is_mapping(origin: Any, arguments: tuple[Any, ...]) -> bool:
    return isinstance(origin, type) and issubclass(origin, Mapping) and len(arguments) == 2


def _is_marked(hint: Any) -> bool:
    return next(_own_marks(hint), None) is not None


def _own_marks(hint: Any, read: tuple[Any, ...] = ()) -> Iterator[Mark]:
    """Yield the marks of a hint itself, without those of the models inside it."""
    inner = underlying_hint(hint)
    if inner is not None:
        if hint not in read:
            yield from _own_marks(inner, (*read, hint))
        return
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        yield from _marks_among(arguments[1:])
        arguments = arguments[:1]
    for argument in arguments:
        yield from _own_marks(argument, read)


def _marks_among(extras: Iterable[Any]) -> Iterator[Mark]:
    for extra in extras:
        if isinstance(extra, type) and issubclass(extra, _MARKS):
            # `Target` instead of `Target()` is an easy mistake.
            yield extra()
        elif isinstance(extra, _MARKS):
            yield extra


def _fields(kind: Any) -> Iterator[tuple[str, Any]]:
    """Yield the JSON names of a class's fields, with their hints."""
    if issubclass(kind, BaseModel):
        for name, field in kind.model_fields.items():
            _require_no_mark(field)
            hint = _hint_of(field)
            for alias in {name, *_aliases(field)}:
                yield alias, hint
        yield from _extra_fields(kind)
        return
    hints = _hints_of(kind)
    attributes = getattr(kind, "__dataclass_fields__", hints)
    for name, hint in hints.items():
        if name in attributes:
            _require_no_mark(getattr(attributes[name], "default", None))
            yield name, hint


def _extra_fields(kind: type[BaseModel]) -> Iterator[tuple[str, Any]]:
    """Yield the hint of a model's extra fields, if it declares one."""
    own = kind.__mro__[: kind.__mro__.index(BaseModel)]
    if not any(_EXTRA in getattr(each, "__annotations__", {}) for each in own):
        return
    for hint in get_args(_hints_of(kind).get(_EXTRA))[1:]:
        if kind.model_fields and _is_marked(hint):
            raise _Misplaced(*_ON_EXTRA)
        yield ANY, hint


_EXTRA = "__pydantic_extra__"


def _hints_of(kind: Any) -> dict[str, Any]:
    try:
        return get_type_hints(kind, include_extras=True)
    except (NameError, TypeError, AttributeError):  # pydantic reports the error later
        return {}


def _hint_of(field: FieldInfo) -> Any:
    """Return a field's hint with the marks that pydantic moved to its metadata."""
    marks = [one for one in field.metadata if isinstance(one, _MARKS) or one in _MARKS]
    return Annotated[(field.annotation, *marks)] if marks else field.annotation


def _aliases(field: FieldInfo) -> Iterator[str]:
    alias = field.validation_alias or field.alias
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
    for choice in choices:
        first = choice.path[0] if isinstance(choice, AliasPath) else choice
        if isinstance(first, str):
            yield first

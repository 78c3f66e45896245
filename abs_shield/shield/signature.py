"""A function's signature as a tool: its schema, its judged arguments, and how to call it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, Field, create_model
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import to_jsonable_python

from abs_shield.errors import PolicyError, ShieldError
from abs_shield.policy import Creates, Free, Injected, Soft, Target, Tool
from abs_shield.schema.decimals import decimal_format

_PLAIN = (str, int, float, bool, type(None))
_DIGITS = r"[0-9]+(\.[0-9]*)?|\.[0-9]+"
_MARKS = (Target, Soft, Free, Creates, Injected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """
    A function bound to the tool that it is.

    Attributes:
        tool: The tool, with the schema of its type hints.
        function: What runs.
        injected: Parameters that are the host's, not the model's.
        model: The pydantic model of the rest; turns JSON into Python values.
    """

    tool: Tool
    function: Callable[..., Any]
    signature: inspect.Signature
    injected: frozenset[str]
    model: Any

    def arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Give the judged arguments of a Python call, as JSON; None where it does not bind."""
        try:
            bound = self.signature.bind(*args, **kwargs).arguments
        except TypeError:
            return None
        given: dict[str, Any] = {}
        for name, value in bound.items():
            if name in self.injected:
                continue
            if self.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                given.update({key: _json(item) for key, item in value.items()})
            else:
                given[name] = value if type(value) in _PLAIN else _json(value)
        return given

    def call(self, arguments: Mapping[str, Any]) -> Any:
        """
        Call the function with a model's arguments, turned into the Python values it asks for.

        Raises:
            ShieldError: The function needs an injected value, which a name cannot bring.
        """
        for name in self.injected:
            if self.signature.parameters[name].default is inspect.Parameter.empty:
                raise ShieldError(
                    f"tool `{self.tool.name}` needs `{name}`, which is not the model's; "
                    "register a bound method or a `functools.partial`"
                )
        values = self._values(arguments)
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for name, parameter in self.signature.parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD or name not in values:
                continue
            value = values.pop(name)
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional.extend(value)
            elif parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[name] = value
        return self.function(*positional, **named, **values)

    def _values(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        made = self.model.model_validate(dict(arguments))
        fields = type(made).model_fields
        values = {name: getattr(made, key) for key, name in _fields(fields, arguments)}
        values.update({k: v for k, v in arguments.items() if k not in values})
        return values


def bind(function: Callable[..., Any], *, name: str | None = None) -> Binding:
    """
    Read a function's signature as a tool.

    Raises:
        PolicyError: A type hint has no JSON form; mark that parameter `Injected()`.
    """
    name = name or _name(function)
    signature = inspect.signature(function)
    hints = _hints(function)
    marks = {p: _mark(hints.get(p)) for p in signature.parameters}
    injected = frozenset(p for p, mark in marks.items() if isinstance(mark, Injected))
    injected |= _receiver(function, signature)
    model = _model(name, signature, hints, injected)
    tool = Tool(
        name=name,
        description=inspect.getdoc(function) or "",
        parameters=_schema(name, model),
        targets={p: mark for p, mark in marks.items() if isinstance(mark, Target)},
        soft=tuple(p for p, mark in marks.items() if isinstance(mark, Soft)),
        free=tuple(p for p, mark in marks.items() if isinstance(mark, Free)),
        creates=tuple(p for p, mark in marks.items() if isinstance(mark, Creates)),
    )
    return Binding(
        tool=tool, function=function, signature=signature, injected=injected, model=model
    )


def _name(function: Callable[..., Any]) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    while isinstance(function, functools.partial):
        function = function.func
    plain = function if inspect.isroutine(function) else type(function).__call__
    try:
        return get_type_hints(inspect.unwrap(plain), include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        if not getattr(plain, "__annotations__", None):
            return {}
        name = _name(function)
        raise PolicyError(f"tool `{name}`: a type hint cannot be read: {error}") from None


def _mark(hint: Any) -> Any:
    if get_origin(hint) is not Annotated:
        return None
    for extra in get_args(hint)[1:]:
        if isinstance(extra, type) and issubclass(extra, _MARKS):
            return extra()
        if isinstance(extra, _MARKS):
            return extra
    return None


def _receiver(function: Callable[..., Any], signature: inspect.Signature) -> frozenset[str]:
    """``self`` or ``cls`` of a function that is defined in a class."""
    first = next(iter(signature.parameters), "")
    path = str(getattr(function, "__qualname__", "")).rsplit(".", 1)
    inside = len(path) == 2 and not path[0].endswith("<locals>")
    bound = hasattr(function, "__self__")
    return frozenset({first}) if first in ("self", "cls") and inside and not bound else frozenset()


def _model(
    name: str, signature: inspect.Signature, hints: Mapping[str, Any], injected: frozenset[str]
) -> Any:
    fields: dict[str, Any] = {}
    opened = False
    for number, (p, parameter) in enumerate(signature.parameters.items()):
        if p in injected:
            continue
        hint = hints.get(p, Any)
        if parameter.kind is parameter.VAR_KEYWORD:
            opened = True
        elif parameter.kind is parameter.VAR_POSITIONAL:
            fields[f"field_{number}"] = (list[hint], _aliased(p, []))  # type: ignore[valid-type]
        else:
            default = ... if parameter.default is parameter.empty else parameter.default
            fields[f"field_{number}"] = (hint, _aliased(p, default))
    config = ConfigDict(extra="allow" if opened else "forbid", arbitrary_types_allowed=True)
    try:
        return create_model(f"{name}_arguments", __config__=config, **fields)
    except (PydanticUserError, TypeError) as error:
        raise PolicyError(f"tool `{name}`: {str(error).splitlines()[0]}") from None


def _aliased(name: str, default: Any) -> Any:
    if default is ...:
        return Field(alias=name)
    return Field(alias=name, default_factory=lambda: default)


class _Generator(GenerateJsonSchema):
    """As pydantic's, but the text form of a Decimal is a number, within its bounds."""

    def decimal_schema(self, schema: Any) -> dict[str, Any]:
        made = super().decimal_schema(schema)
        bounds = decimal_format(schema)
        for form in made.get("anyOf", ()):
            if form.get("type") == "string":
                form.setdefault("pattern", rf"^[+-]?({_DIGITS})([eE][+-]?[0-9]+)?$")
                form.update({"format": bounds} if bounds else {})
        return made


def _schema(name: str, model: Any) -> dict[str, Any]:
    try:
        schema: dict[str, Any] = model.model_json_schema(by_alias=True, schema_generator=_Generator)
    except PydanticUserError as error:
        raise PolicyError(
            f"tool `{name}`: {str(error).splitlines()[0]}; "
            "mark a parameter that is not the model's `Annotated[..., Injected()]`"
        ) from None
    schema.pop("title", None)
    return schema


def _fields(fields: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(key, field.alias) for key, field in fields.items() if field.alias in arguments]


def _json(value: Any) -> Any:
    """The JSON form of a Python value, as pydantic writes it; what has none is named by type."""
    if isinstance(value, (datetime, time)) and value.tzinfo is None:
        value = value.replace(tzinfo=UTC)
    try:
        return to_jsonable_python(value, fallback=_unwritable, inf_nan_mode="constants")
    except Exception:
        return _unwritable(value)


def _unwritable(value: Any) -> str:
    return f"<{type(value).__name__}>"

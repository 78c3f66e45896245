"""The pydantic model of a function's arguments, and its JSON Schema for the language model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Flag
from functools import partial
from inspect import Signature
from types import UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Self,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

import typing_extensions
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import (
    InitErrorDetails,
    PydanticCustomError,
    SchemaError,
    core_schema,
    to_jsonable_python,
)

from abs_shield.errors import PolicyError
from abs_shield.schema.decimal_format import decimal_format
from abs_shield.schema.duration_pattern import DURATION
from abs_shield.schema.offset_patterns import WITH_OFFSET, WITHOUT_OFFSET
from abs_shield.shield.argument_validation import MOST_ERRORS, read_values
from abs_shield.shield.type_aliases import alias_value

# Not `\d`, which also matches the digits of other scripts.
_DIGITS = r"[0-9]+(\.[0-9]*)?|\.[0-9]+"
UNPACK = (Unpack, typing_extensions.Unpack)  # two objects before Python 3.12
_QUALIFIERS = (Required, NotRequired, typing_extensions.ReadOnly)
"""Qualifiers of a key of a `TypedDict`."""


def arguments_model(
    name: str, signature: Signature, hints: Mapping[str, Any], injected: frozenset[str]
) -> Any:
    """
    Build the pydantic model of a function's arguments, without the injected ones.

    ``**kwargs: X`` accepts further arguments of that type; ``**kwargs: Unpack[...]`` accepts the
    keys of a `TypedDict`.

    Raises:
        PolicyError: Pydantic cannot read a hint or a pattern.
    """
    fields: dict[str, Any] = {}
    further: Any = None
    # Fields have generated names, because a parameter may be called `model_config` or `_id`; the
    # alias is the parameter's name.
    for number, (p, parameter) in enumerate(signature.parameters.items()):
        if p in injected:
            continue
        hint = _pydantic_hint(hints.get(p, Any))
        if parameter.kind is parameter.VAR_KEYWORD:
            unpacked = _unpacked_fields(name, hint)
            further = hint if unpacked is None else None
            for _, field in (unpacked or {}).values():
                if field.alias in signature.parameters:
                    raise PolicyError(f"tool `{name}`: two parameters are named `{field.alias}`")
            fields |= unpacked or {}
        elif parameter.kind is parameter.VAR_POSITIONAL:
            fields[f"field_{number}"] = (list[hint], _field(p, []))  # type: ignore[valid-type]
        else:
            default = ... if parameter.default is parameter.empty else parameter.default
            if isinstance(default, FieldInfo):  # ``a: int = Field(default=3, gt=0)``
                hint, default = Annotated[hint, default], ...
            fields[f"field_{number}"] = (hint, _field(p, default, hint))
    try:
        return create_model(f"{name}_arguments", __base__=_base(further), **fields)
    except SchemaError as error:  # the last line has the reason, the others the location
        raise PolicyError(f"tool `{name}`: {str(error).strip().splitlines()[-1]}") from None
    except (PydanticUserError, TypeError) as error:
        raise PolicyError(f"tool `{name}`: {str(error).splitlines()[0]}") from None


def _base(further: Any) -> type[BaseModel]:
    """Return the model of a function without parameters; *further* is the hint of ``**kwargs``."""
    # not "forbid": a nested `TypedDict` would inherit it, and no longer ignore unknown keys
    extra: Literal["allow", "ignore"] = "ignore" if further is None else "allow"
    config = ConfigDict(extra=extra, arbitrary_types_allowed=True)
    content: dict[str, Any] = {"model_config": config, "__module__": __name__}
    if further not in (None, Any):
        content["__annotations__"] = {"__pydantic_extra__": dict[str, further]}
    return type("Arguments", (BaseModel,), content)


def _unpacked_fields(tool: str, hint: Any) -> dict[str, Any] | None:
    """Return the fields of ``**kwargs: Unpack[SomeTypedDict]``; None for another hint."""
    if get_origin(hint) not in UNPACK:
        return None
    (content,) = get_args(hint)
    content = alias_value(content) or content
    content = get_origin(content) or content  # the class of a generic `TypedDict` has the keys
    try:
        hints = get_type_hints(content, include_extras=True)
    except (NameError, TypeError) as error:
        raise PolicyError(f"tool `{tool}`: {error}") from None
    fields: dict[str, Any] = {}
    for number, (name, hint) in enumerate(hints.items()):
        required = name in content.__required_keys__
        while (qualifier := get_origin(hint)) in _QUALIFIERS:
            # `__required_keys__` ignores qualifiers in annotations that are strings
            required = {Required: True, NotRequired: False}.get(qualifier, required)
            (hint,) = get_args(hint)
        default = ... if required else None
        fields[f"further_{number}"] = (_pydantic_hint(hint), _field(name, default, hint))
    return fields


def _pydantic_hint(hint: Any, within: tuple[Any, ...] = ()) -> Any:
    """
    Return a hint with the parts replaced that pydantic cannot read.

    Args:
        hint: The hint.
        within: The aliases around it; a recursive one is not read again.
    """
    inner = alias_value(hint)
    if inner is not None:
        alias = get_origin(hint) or hint
        if alias in within:
            return hint
        converted = _pydantic_hint(inner, (*within, alias))
        return hint if converted == inner else converted
    convert = partial(_pydantic_hint, within=within)
    if hint is Self:
        return Any  # the class does not exist yet when its methods are decorated
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        inner, *extras = arguments
        return Annotated[(convert(inner), *extras)]
    if origin is tuple:
        return _tuple_hint(hint, arguments, convert)
    if origin in (Literal, Callable):
        return hint  # its arguments are not hints
    converted = tuple(map(convert, arguments))
    if hint is Iterator or origin is Iterator:
        return Iterable[converted or (Any,)]  # type: ignore[misc]
    if hint is Collection or origin is Collection:
        return Sequence[converted or (Any,)]  # type: ignore[misc]
    if origin in (Union, UnionType):
        return Union[converted]  # noqa: UP007
    if isinstance(origin, type) and converted != arguments:
        return origin[converted]  # type: ignore[index]
    return hint


def _tuple_hint(hint: Any, arguments: tuple[Any, ...], convert: Callable[[Any], Any]) -> Any:
    """Return a tuple's hint; one with a repeated item inside becomes a schema of its own."""
    items: list[Any] = []
    repeated = None
    for argument in arguments:
        unpacked = _unpacked_tuple(argument)
        if unpacked is None:
            items.append(convert(argument))
        elif unpacked[-1:] == (...,):
            repeated = len(items)
            items.append(convert(unpacked[0]))
        else:
            items += map(convert, unpacked)
    if repeated is not None:
        return Annotated[tuple, _TupleItems((*items,), repeated)]
    return hint if tuple(items) == arguments else tuple[tuple(items)]  # type: ignore[misc]


def _unpacked_tuple(hint: Any) -> tuple[Any, ...] | None:
    """Return the items of ``*tuple[...]`` and ``Unpack[tuple[...]]``; None for another hint."""
    if get_origin(hint) in UNPACK:
        (hint,) = get_args(hint)
    elif not getattr(hint, "__unpacked__", False):
        return None
    return get_args(hint) if get_origin(hint) is tuple else None


@dataclass(frozen=True, slots=True)
class _TupleItems:
    """The items of a tuple; the repeated one may occur any number of times."""

    hints: tuple[Any, ...]
    repeated: int

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        items = [handler.generate_schema(hint) for hint in self.hints]
        return core_schema.tuple_schema(items, variadic_item_index=self.repeated)


def _field(name: str, default: Any, hint: Any = None) -> Any:
    if default is ...:
        return Field(alias=name)
    if any(isinstance(each, FieldInfo) for each in getattr(hint, "__metadata__", ())):
        return Field(alias=name, default=default)  # that `Field` may have a default itself
    # A factory, because it returns the same object: pydantic copies a default without a hash.
    return Field(alias=name, default_factory=lambda: default)


# Bounded repeats, and exponents within a float's range: the text may be hostile.
_FINITE = r"^\s*[+-]?(\d{1,300}\.?\d*|\.\d+)([eE](-\d{1,4}|\+?(\d{1,2}|[12]\d\d|30[0-7])))?\s*$"
"""Pattern of a key that is a finite number."""


class _Generator(GenerateJsonSchema):
    """Pydantic's schema generator, but exact about bounded decimals, durations and UTC offsets."""

    def decimal_schema(self, schema: Any) -> dict[str, Any]:
        json_schema = super().decimal_schema(schema)
        bounds = decimal_format(schema)
        for form in json_schema.get("anyOf", ()):
            if form.get("type") == "string":
                form.setdefault("pattern", rf"^[+-]?({_DIGITS})([eE][+-]?[0-9]+)?$")
                form.update({"format": bounds} if bounds else {})
        return json_schema

    def json_schema(self, schema: Any) -> dict[str, Any]:
        json_schema = super().json_schema(schema)
        content = json_schema.get("contentSchema")
        if content is not None and json_schema.pop("type", None) == "string":
            # Python code may pass the value that the text stands for
            json_schema["anyOf"] = [{"type": "string"}, content]
        return json_schema

    def tuple_schema(self, schema: Any) -> dict[str, Any]:
        json_schema = super().tuple_schema(schema)
        items = schema["items_schema"]
        if "variadic_item_index" in schema and len(items) > 1:
            json_schema["minItems"] = len(items) - 1
        return json_schema

    def dict_schema(self, schema: Any) -> dict[str, Any]:
        json_schema = super().dict_schema(schema)
        if schema.get("keys_schema", {}).get("type") == "float":
            json_schema.setdefault(
                "propertyNames", {"pattern": _FINITE}
            )  # pydantic accepts `nan` as a float
        keys = json_schema.get("propertyNames", {})
        if "$ref" in keys:
            keys = self.get_schema_from_definitions(keys["$ref"]) or keys
        values = keys.get("enum", ())
        if not all(isinstance(value, str) for value in values):
            # as pydantic writes and reads keys: text, also of an `IntEnum`
            json_schema["propertyNames"] = {"enum": [*to_jsonable_python(dict.fromkeys(values))]}
        return json_schema

    def enum_schema(self, schema: Any) -> dict[str, Any]:
        json_schema = super().enum_schema(schema)
        kind = schema["cls"]
        if issubclass(kind, Flag) and json_schema.pop("enum", json_schema.pop("const", None)):
            # members of a flag can be combined, and pydantic lists only the members
            sums = _flag_sums([member.value for member in kind])
            json_schema |= {"enum": sums} if sums else {"minimum": 0}
        return json_schema

    def datetime_schema(self, schema: Any) -> dict[str, Any]:
        json_schema = super().datetime_schema(schema)
        offset = schema.get("tz_constraint")
        if offset is not None and json_schema.get("type") == "string":
            json_schema["pattern"] = WITHOUT_OFFSET if offset == "naive" else WITH_OFFSET
        return json_schema

    def timedelta_schema(self, schema: Any) -> dict[str, Any]:
        json_schema = super().timedelta_schema(schema)
        if json_schema.pop("format", None) == "duration":
            json_schema["pattern"] = DURATION
        return json_schema


_MOST_SUMS = 64
"""Maximum number of combinations of a flag's members that a schema lists."""


def _flag_sums(values: list[int]) -> list[int]:
    """Return all combinations of a flag's members; an empty list if they are too many."""
    sums = {0}
    for value in values:
        sums |= {value | other for other in sums}
        if len(sums) > _MOST_SUMS:
            return []
    return sorted(sums)


def field_defaults(model: Any, signature: Signature) -> dict[str, Callable[[], Any]]:
    """Return a factory for each default that a pydantic `Field` declares instead of Python."""
    defaults: dict[str, Callable[[], Any]] = {}
    for field in model.model_fields.values():
        parameter = signature.parameters.get(field.alias)
        if parameter is None or field.is_required():
            continue
        if parameter.default is parameter.empty or isinstance(parameter.default, FieldInfo):
            defaults[field.alias] = partial(
                field.get_default, call_default_factory=True, validated_data={}
            )
    return defaults


def arguments_schema(name: str, model: Any) -> dict[str, Any]:
    """
    Return the JSON Schema of a function's arguments.

    Raises:
        PolicyError: A hint has no JSON form.
    """
    try:
        schema: dict[str, Any] = model.model_json_schema(by_alias=True, schema_generator=_Generator)
    except PydanticUserError as error:
        raise PolicyError(
            f"tool `{name}`: {str(error).splitlines()[0]}; "
            "mark a parameter that the model does not provide with `Annotated[..., Injected()]`"
        ) from None
    schema.pop("title", None)
    if model.model_config["extra"] == "ignore":
        schema = {"additionalProperties": False, **schema}  # first, in pydantic's order
    return schema


def forbid_names(schema: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """Forbid the injected *names* in a schema that accepts additional arguments; return it."""
    if names and schema.get("additionalProperties", True) is not False:
        schema["propertyNames"] = {"not": {"enum": sorted(names)}}
    return schema


def argument_values(
    model: Any, arguments: Mapping[str, Any], defaults: Iterable[str] = ()
) -> dict[str, Any]:
    """
    Return the Python values of the arguments, by parameter name.

    Args:
        model: The model of the function's arguments.
        arguments: The arguments as JSON, by parameter name.
        defaults: Parameters whose defaults are declared in the model, not in the function.

    Raises:
        ValidationError: An argument is unknown, or its type does not accept it.
    """
    undeclared = undeclared_arguments(model, arguments)
    if undeclared:
        # Checked here, because the model ignores such arguments.
        raise _undeclared_arguments_error(model, arguments, undeclared)
    validated, taken = read_values(model, arguments)
    wanted = {*taken, *defaults}
    values = {
        name: getattr(validated, key)
        for key, name in _aliased_fields(type(validated).model_fields, wanted)
    }
    values.update(
        {k: v for k, v in taken.items() if k not in values} | (validated.model_extra or {})
    )
    return values


def undeclared_arguments(model: Any, arguments: Mapping[str, Any]) -> frozenset[str]:
    """Return the arguments that are not parameters; empty for a function with ``**kwargs``."""
    if model.model_config["extra"] == "allow":
        return frozenset()
    return frozenset(arguments) - {field.alias for field in model.model_fields.values()}


def _undeclared_arguments_error(
    model: Any, arguments: Mapping[str, Any], undeclared: frozenset[str]
) -> ValidationError:
    """Return the error that pydantic would raise if its model forbade *undeclared* arguments."""
    errors = [
        InitErrorDetails(type="extra_forbidden", loc=(name,), input=arguments[name])
        for name in sorted(undeclared, key=str)
    ]
    # Includes the other errors, so that the language model can correct all in one attempt.
    try:
        read_values(model, {k: v for k, v in arguments.items() if k not in undeclared})
    except ValidationError as error:
        if error.error_count() > MOST_ERRORS:
            return error
        refused = PydanticCustomError("refused", "it was refused")
        errors += [
            InitErrorDetails(type=refused, loc=each["loc"], input=each["input"])
            for each in error.errors(include_url=False, include_context=False)
        ]
    return ValidationError.from_exception_data(model.__name__, errors)


def _aliased_fields(fields: Mapping[str, Any], names: set[str]) -> list[tuple[str, str]]:
    return [(key, field.alias) for key, field in fields.items() if field.alias in names]

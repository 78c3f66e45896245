"""The signature of a function as a tool: its schema, its arguments as JSON, and its call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError, create_model

from abs_shield.core.call_arguments import HOLDERS, copy_containers
from abs_shield.errors import ShieldError
from abs_shield.plan.argument_conversion import Conversion, may_become_non_finite
from abs_shield.plan.visit_count import exceeds_visits
from abs_shield.policy import Creates, Free, Injected, Soft, Target, Tool
from abs_shield.schema.schema_problem import pointer
from abs_shield.shield.argument_copies import as_json, non_finite_pointers
from abs_shield.shield.argument_model import (
    argument_values,
    arguments_model,
    arguments_schema,
    field_defaults,
    forbid_names,
    undeclared_arguments,
)
from abs_shield.shield.argument_validation import refused_pointers
from abs_shield.shield.function_hints import (
    accepts_iterator,
    bound_parameters,
    describe_function,
    find_receiver,
    hints_of,
    is_injected_type,
    name_of_function,
    plain_partial,
)
from abs_shield.shield.hint_marks import marks_of, names_of_models
from abs_shield.text.json_leaves import SCALARS, TypePlaceholder, UnreadIterator

_MOST_VISITS = 200_000
"""
Visits of parts of a call's arguments by pydantic, which cannot be interrupted and stores an error
for each; they take half a second.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """
    A function and the tool of its signature.

    Attributes:
        tool: The tool, with the schema of its type hints.
        function: The function that runs.
        signature: The signature of the function.
        injected: Parameters that the host provides, not the model.
        bound: Injected parameters that a partial binds by name; a call cannot override them.
        iterables: Parameters that accept an iterator from Python, and a list from the model.
        model: The pydantic model of the other parameters; converts JSON to Python values.
        plain: The names of the parameters in order, if all are judged and can be passed both by
            position and by name; None otherwise.
        names: The names of all parameters.
        required: The names of parameters without a default.
        defaults: Factories of the defaults that a pydantic `Field` declares, by parameter name.
    """

    tool: Tool
    function: Callable[..., Any]
    signature: inspect.Signature
    injected: frozenset[str]
    iterables: frozenset[str]
    model: Any
    bound: frozenset[str] = frozenset()
    plain: tuple[str, ...] | None = None
    names: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()
    defaults: Mapping[str, Callable[[], Any]] = field(default_factory=dict)

    def tool_with_defaults(self, strict: Collection[str]) -> Tool:
        """
        Return the tool with the function's defaults in its schema, if they have a JSON form.

        The schema for the model contains no defaults, but a framework's description may.

        Args:
            strict: Parameters whose default is left out if it means everything, such as ``*``.
        """
        defaults = {
            name: parameter.default
            for name, parameter in self.signature.parameters.items()
            if parameter.default is not parameter.empty
        }
        # factories are not run before a call needs their default
        defaults |= {
            field.alias: field.default
            for field in self.model.model_fields.values()
            if field.alias in self.defaults and field.default_factory is None
        }
        schema = self.tool.parameters
        if not isinstance(schema, Mapping):
            return self.tool
        from abs_shield.text.wildcards import names_everything  # slow to import

        properties = schema.get("properties", {})
        with_defaults = {
            name: {**properties[name], "default": value}
            for name, value in as_json(defaults).items()
            if name in properties
            and not isinstance(value, TypePlaceholder)
            and not (name in strict and isinstance(value, str) and names_everything(value))
        }
        if not with_defaults:
            return self.tool
        parameters = {**schema, "properties": {**properties, **with_defaults}}
        return self.tool.model_copy(update={"parameters": parameters})

    def names_of_models(self) -> list[frozenset[str]]:
        """Return the names of the fields, including aliases, of each model in the type hints."""
        return names_of_models(hints_of(self.function, self.signature).values())

    def declares_same_tool(self, other: Binding) -> bool:
        """Return whether both declare the same tool, as functions of one factory do."""
        return self is other or self.tool is other.tool or vars(self.tool) == vars(other.tool)

    def arguments_and_copies(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[dict[str, Any] | None, Copies]:
        """
        Return the arguments of a Python call as JSON, and copies of its values.

        The arguments are None if the call does not bind. Containers are copied, except injected
        ones, so that the function can run with the judged values.
        """
        # The fast path of nearly all calls: plain parameters with scalars, without `inspect`.
        if self.plain is not None:
            arguments = {**dict(zip(self.plain, args, strict=False)), **kwargs}
            if SCALARS.issuperset(map(type, arguments.values())) and self._is_bound(
                arguments, len(args) + len(kwargs)
            ):
                return arguments, None
        copies = self._copy_call(args, kwargs)
        return self.arguments(*(copies or (args, kwargs))), copies

    def _copy_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Copies:
        """Copy the containers of a call, except injected ones; return None if it has none."""
        if HOLDERS.isdisjoint(map(type, args)) and HOLDERS.isdisjoint(map(type, kwargs.values())):
            return None
        # Injected values, such as clients, are the host's own objects and must not be copied.
        hosts = self.injected - self.bound
        if not hosts:
            return copy_containers((args, kwargs))  # type: ignore[no-any-return]
        names = [*self.signature.parameters]
        places = [n for n in range(len(args)) if n >= len(names) or names[n] not in hosts]
        by_name = {name: value for name, value in kwargs.items() if name not in hosts}
        copies, further = copy_containers(([args[n] for n in places], by_name))
        copied = {**dict(enumerate(args)), **dict(zip(places, copies, strict=True))}
        return tuple(copied.values()), {**kwargs, **further}

    def arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the arguments of a Python call as JSON; None if the call does not bind."""
        if self.plain is not None:
            arguments = {**dict(zip(self.plain, args, strict=False)), **kwargs}
            if self._is_bound(arguments, len(args) + len(kwargs)):
                return self._mark_unread_iterators(arguments, as_json(arguments))
        try:
            # Slower, but it supports positional-only parameters, defaults and `**kwargs`.
            bound = self.signature.bind(*args, **kwargs).arguments
        except TypeError:
            return None
        arguments = {}
        for name, value in bound.items():
            if name in self.injected and name not in self.bound:
                continue
            if self.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                arguments.update(_rename_arguments({*arguments, *self._unnameable()}, value))
            else:
                arguments[name] = value
        return self._mark_unread_iterators(arguments, as_json(arguments))

    def _unnameable(self) -> list[str]:
        """Return the judged parameters that cannot be passed by name, as an extra argument can."""
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
        parameters = self.signature.parameters.items()
        return [name for name, p in parameters if p.kind in kinds and name not in self.injected]

    def _is_bound(self, arguments: Mapping[str, Any], count: int) -> bool:
        """Return whether *count* values have distinct, existing names, and none is missing."""
        if len(arguments) != count:
            return False
        # First the usual case: all arguments in the order of the parameters.
        if tuple(arguments) == self.plain:
            return True
        names = arguments.keys()
        return self.required <= names and names <= self.names

    def values(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """
        Convert the model's arguments to Python values by the type hints; return them by name.

        Raises:
            ValidationError: A type does not accept its argument.
        """
        return argument_values(self.model, arguments, self.defaults)

    def accepted_values(
        self, arguments: Mapping[str, Any], error: ValidationError
    ) -> dict[str, Any]:
        """Return the arguments: converted, except those that *error* rejects."""
        refused = refused_pointers(error)
        rest = {k: v for k, v in arguments.items() if pointer((k,)) not in refused}
        fields: dict[str, Any] = {
            key: (field.annotation, field)
            for key, field in self.model.model_fields.items()
            if pointer((field.alias,)) not in refused
        }
        if "" in refused or not rest:
            return dict(arguments)
        try:
            model = create_model("taken", __base__=self.model.__base__, **fields)
            values = argument_values(model, rest)
        except Exception:  # the tool's own validator may raise anything
            return dict(arguments)
        return {k: v for k, v in arguments.items() if k not in rest} | values

    def convert(self, arguments: Mapping[str, Any]) -> Conversion:
        """Return the values that the function receives for *arguments*, as JSON; never raises."""
        if exceeds_visits(arguments, self.tool.parameters, _MOST_VISITS):
            return Conversion(arguments, frozenset({""}))
        try:
            values = self.values(arguments)
        except ValidationError as error:
            names = undeclared_arguments(self.model, arguments)
            refused = refused_pointers(error) | frozenset(map(pointer, zip(names, strict=True)))
            if not may_become_non_finite(arguments, texts=True):
                return Conversion(arguments, refused)
            taken = as_json(self.accepted_values(arguments, error))
            return Conversion(arguments, refused, non_finite_pointers(taken))
        except Exception:  # the tool's own validator may raise anything
            return Conversion(arguments, frozenset({""}))
        for name in self._iterator_names(values):
            try:  # pydantic validates the items during iteration
                values[name] = list(values[name])
            except Exception:
                return Conversion(arguments, frozenset({pointer((name,))}))
        converted = as_json(values)
        return Conversion(converted, non_finite=non_finite_pointers(converted))

    def _iterator_names(self, values: Mapping[str, Any]) -> list[str]:
        """Return the names of values that are iterators, including those of ``**kwargs``."""
        kinds = self.signature.parameters
        further = any(kinds[name].kind is inspect.Parameter.VAR_KEYWORD for name in self.iterables)
        return [n for n in values if n in self.iterables or (further and n not in self.names)]

    def call(self, values: Mapping[str, Any]) -> Any:
        """
        Call the function.

        Args:
            values: The Python values of its arguments, by name.

        Raises:
            ShieldError: The function needs an injected value, which a dispatch by name cannot
                provide, or an argument has the name of an injected parameter.
        """
        # Python would pass the `FieldInfo` itself as the default.
        missing = self.defaults.keys() - values.keys()
        values = {name: self.defaults[name]() for name in missing} | dict(values)
        for name in self.injected:
            if name in values:
                raise ShieldError(
                    f"argument `{name}` of tool `{self.tool.name}` is injected; "
                    "a call cannot set it"
                )
            if name not in self.signature.parameters:
                continue  # a partial's own argument for ``**kwargs``
            if self.signature.parameters[name].default is inspect.Parameter.empty:
                raise ShieldError(
                    f"tool `{self.tool.name}` needs `{name}`, which the model does not provide; "
                    "register a bound method or a `functools.partial`"
                )
        positional, by_name = self._split_by_kind(values)
        return self.function(*positional, **by_name, **values)

    def _split_by_kind(self, values: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Move the values of declared parameters out of *values*: by position and by name."""
        positional: list[Any] = []
        by_name: dict[str, Any] = {}
        further = [p.name for p in self.signature.parameters.values() if p.kind is p.VAR_POSITIONAL]
        # With values for `*args`, the parameters before them must be passed by position.
        by_place = any(values.get(name) for name in further)
        for name, parameter in self.signature.parameters.items():
            kind = parameter.kind
            if kind is parameter.VAR_KEYWORD:
                continue
            if kind is parameter.VAR_POSITIONAL:
                positional.extend(values.pop(name, ()))
            elif name not in values:
                by_place = by_place and self._append_default(parameter, positional)
            elif kind is parameter.POSITIONAL_ONLY or (
                by_place and kind is parameter.POSITIONAL_OR_KEYWORD
            ):
                positional.append(values.pop(name))
            else:
                by_name[name] = values.pop(name)
        return positional, by_name

    @staticmethod
    def _append_default(parameter: inspect.Parameter, positional: list[Any]) -> bool:
        """Append the default of a parameter before ``*args``, and return whether it has one."""
        if parameter.default is parameter.empty or parameter.kind is parameter.KEYWORD_ONLY:
            return False
        positional.append(parameter.default)
        return True

    def _mark_unread_iterators(
        self, arguments: Mapping[str, Any], written: dict[str, Any]
    ) -> dict[str, Any]:
        """Replace iterators, which are not read, by placeholders that the schema reads as lists."""
        if not self.iterables:
            return written
        for name in self.iterables & written.keys():
            if isinstance(written[name], TypePlaceholder) and isinstance(arguments[name], Iterable):
                written[name] = UnreadIterator()
        return written


Copies = tuple[tuple[Any, ...], dict[str, Any]] | None
"""Copies of the values of a Python call, by position and by name; None if none were copied."""


def _rename_arguments(
    arguments: Collection[str], further: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield extra arguments, renamed if a parameter that takes no name has the same name."""
    for name, value in further.items():
        key = name
        while key in arguments or (key != name and key in further):
            key += BY_NAME
        yield key, value


BY_NAME = " (by name)"
"""Suffix of an extra argument's name that equals the name of a positional argument."""


def bind(function: Callable[..., Any], *, name: str | None = None) -> Binding:
    """
    Read a function's signature as a tool.

    Args:
        function: The function.
        name: The name of the tool; None for the function's own name.

    Raises:
        PolicyError: A type hint cannot be read or has no JSON form, or a mark is misplaced.
    """
    name = name or name_of_function(function)
    signature = inspect.signature(plain_partial(function))
    hints = hints_of(function, signature)
    bound = bound_parameters(function, signature)
    marks = marks_of(name, signature, hints, bound)
    injected = frozenset(
        p
        for p in signature.parameters
        if isinstance(marks.get(p), Injected) or (p not in bound and is_injected_type(hints.get(p)))
    )
    injected |= find_receiver(function, signature) | bound
    model = arguments_model(name, signature, hints, injected)
    schema = forbid_names(arguments_schema(name, model), injected)
    tool = Tool(name=name, description=describe_function(function), parameters=schema,
                **_declared_marks(marks))  # fmt: skip
    return Binding(
        tool=tool,
        function=function,
        signature=signature,
        injected=injected,
        iterables=frozenset(p for p, hint in hints.items() if accepts_iterator(hint)),
        model=model,
        defaults=field_defaults(model, signature),
        bound=bound,
        plain=None if injected else _ordered_parameters(signature),
        names=frozenset(signature.parameters),
        required=frozenset(p.name for p in signature.parameters.values() if p.default is p.empty),
    )


def _declared_marks(marks: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a `Tool` with the marks of parameters."""
    fields: dict[str, Any] = {
        name: tuple(p for p, mark in marks.items() if isinstance(mark, kind))
        for name, kind in (("soft", Soft), ("free", Free), ("creates", Creates))
    }
    return fields | {"targets": {p: m for p, m in marks.items() if isinstance(m, Target)}}


def _ordered_parameters(signature: inspect.Signature) -> tuple[str, ...] | None:
    parameters = signature.parameters.values()
    plain = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
    return tuple(signature.parameters) if plain else None

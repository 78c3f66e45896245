"""Conflicts of several declarations of one tool name: other functions, parameters or limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from abs_shield.core import Mode
from abs_shield.errors import PolicyError
from abs_shield.policy import Tool
from abs_shield.schema.annotations import is_same
from abs_shield.shield.function_identity import Identity
from abs_shield.shield.signature import Binding
from abs_shield.text.safe_display import escaped, shown


def require_same_parameters(first: Tool, tool: Tool) -> None:
    """
    Raise if a second `Tool` of the same name has other parameters.

    Raises:
        PolicyError: Both have parameters, and they differ.
    """
    if first.parameters is None or tool.parameters is None:
        return
    if not is_same(first.parameters, tool.parameters):
        raise PolicyError(
            f"tool `{escaped(tool.name)}` is registered already, with other parameters; give it "
            "another name, or use `replace=True`"
        )


def require_no_looser(first: Tool, tool: Tool) -> None:
    """
    Raise if a `Tool` is less strict than the earlier declarations of the same name.

    Raises:
        PolicyError: It allows more values, or sets a strict tool to audit mode.
    """
    looser = []
    if more := [entry for entry in tool.allow if entry not in first.allow]:
        looser.append(f"`allow` admits {', '.join(shown(entry) for entry in more[:3])}")
    if tool.mode is Mode.AUDIT and first.mode is not Mode.AUDIT:
        looser.append("`mode` is audit")
    if looser:
        raise PolicyError(
            f"tool `{escaped(tool.name)}` is declared already, and a second `Tool` must not loosen "
            f"it: {' and '.join(looser)}; declare it in the policy's `tools`, or use `replace=True`"
        )


class SameCodeError(PolicyError):
    """Two functions of one name have the same code, with different objects or closure values."""


def require_one(registered: Binding | None, binding: Binding) -> None:
    """
    Raise if a second function has the name of a tool, unless its module was reloaded.

    Raises:
        SameCodeError: It is the same function with another object or closure.
        PolicyError: It is another function.
    """
    if registered is None or registered.function is binding.function:
        return
    name = escaped(binding.tool.name)
    first, second = Identity.of(registered.function), Identity.of(binding.function)
    if isinstance(registered.function, AmbiguousTool) and second.has_code_of(first):
        raise SameCodeError(
            f"tool `{name}`: {second} was defined several times, with other closure values"
        )
    if second.is_reload_of(first):
        return
    if second.is_other_instance(first) or second.is_other_closure(first):
        difference = "bound to another object"
        if not second.is_other_instance(first):
            difference = "defined with other closure values"
        raise SameCodeError(
            f"tool `{name}`: {second} is registered already, {difference}; give each "
            f"session its own: `firewall.session(functions={{...}})`, or use `replace=True`"
        )
    raise PolicyError(
        f"tool `{name}` is two functions: {first}, and {second}; give one another name, or use "
        "`replace=True`"
    )


class AmbiguousTool:
    """
    The placeholder for the name of several decorated functions of one factory.

    Attributes:
        __wrapped__: One of the functions, with which later ones are compared.
    """

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.__wrapped__ = function
        self._name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """
        Raise, because the function to run is ambiguous.

        Raises:
            PolicyError: Always.
        """
        raise PolicyError(
            f"tool `{escaped(self._name)}` is several functions of one factory; give each session "
            "its own: `firewall.session(functions={...})`"
        )

"""Rules: functions of a tool's own parameters that reject impossible calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Never

from abs_shield.core.declared_fields import require_fields
from abs_shield.errors import PolicyError
from abs_shield.text.safe_display import escaped, shown

CONTEXT = ("session", "call")
"""Names of parameters with which a rule receives the session and the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """
    A condition that every legitimate call meets; created by `rule`.

    Attributes:
        function: The condition; its parameters are named like the tool's. False or a string
            rejects the call.
        tools: The tools that it applies to; ``"*"`` for all.
        name: The name of the function.
        sentence: The text for the model and the operator.
        file: The file that defines the rule.
        line: The first line of the function, from 1; 0 if unknown.
        takes: The function's parameter names to the tool's.
        tries: Values around its limit, which a proof tries in addition to those in its source.
    """

    function: Callable[..., Any]
    tools: tuple[str, ...]
    name: str
    sentence: str
    file: str
    line: int
    # Excluded from the hash, because a mapping is not hashable.
    takes: Mapping[str, str] = field(default_factory=dict, hash=False)
    tries: tuple[Any, ...] = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def judges(self, tool: str) -> bool:
        """
        Return whether this rule applies to calls of *tool*.

        Args:
            tool: The name of a registered tool.
        """
        return tool in self.tools or "*" in self.tools


def rule(
    *misplaced: Never,
    tool: str | Iterable[str] = (),
    takes: Mapping[str, str] | None = None,
    sentence: str | None = None,
    **unrecognized: Never,
) -> Callable[[Callable[..., Any]], Rule]:
    """
    Declare a rule for one or several tools.

    The function's parameters are named like the tool's parameters; it may also take ``session``
    and ``call``. It returns None or True to accept the call, and False or a string with the
    reason to reject it. The first line of its docstring is shown to the model.

    Args:
        tool: The tool, or the tools, that it applies to; ``"*"`` for all.
        takes: The function's parameter names to the tool's, if they differ. A function with
            ``**rest`` also receives parameters that only this mapping names.
        sentence: The text for the model; None for the docstring.

    Raises:
        PolicyError: A keyword is unknown, the tool's name or the docstring is missing, *takes* is
            invalid, the function is async, or it has parameters that cannot be passed by name.

    >>> @rule(tool="transfer")
    ... def sum_is_positive(amount: float) -> bool:
    ...     '''A transfer moves a sum above 0.'''
    ...     return amount > 0
    >>> sum_is_positive.sentence
    'A transfer moves a sum above 0.'
    """
    require_fields("rule", unrecognized, ("tool", "takes", "sentence"))
    tools = (tool,) if isinstance(tool, str) else tuple(tool) if isinstance(tool, Iterable) else ()
    if misplaced or not tools or not all(isinstance(name, str) and name for name in tools):
        raise PolicyError('`rule` needs the name of a tool: `@rule(tool="refund")`')

    def declare(function: Callable[..., Any]) -> Rule:
        return _rule_of(function, tools, takes=takes, sentence=sentence)

    return declare


def _rule_of(
    function: Callable[..., Any],
    tools: tuple[str, ...],
    *,
    takes: Mapping[str, str] | None,
    sentence: str | None,
) -> Rule:
    name = getattr(function, "__name__", "rule")
    _require_sync_function(function, name)
    doc = sentence or inspect.getdoc(function)
    if not doc:
        raise PolicyError(f"rule `{name}` has no docstring; write one sentence for the model")
    # Callable objects and partials have no code of their own.
    code = getattr(function, "__code__", None)
    return Rule(
        function=function,
        tools=tools,
        name=name,
        sentence=doc.splitlines()[0].strip(),
        file=code.co_filename if code else "",
        line=code.co_firstlineno if code else 0,
        takes={} if takes is None else _parameter_map(takes, function, name),
    )


def _parameter_map(takes: Any, function: Callable[..., Any], name: str) -> dict[str, str]:
    """Return a copy of *takes* if it is valid: names that the function accepts, each used once."""
    whole = isinstance(takes, Mapping) and all(
        isinstance(word, str) and word for pair in takes.items() for word in pair
    )
    if not whole:
        raise PolicyError(
            f"rule `{name}`: `takes` is {shown(takes)}; give a mapping of argument to parameter"
        )
    parameters = inspect.signature(function).parameters
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        for mine in sorted(takes.keys() - parameters.keys()):
            raise PolicyError(
                f"rule `{name}`: `takes` names `{escaped(mine)}`, "
                "which is not an argument of the rule"
            )
    # Sorted, so that the message is stable.
    theirs = [*takes.values(), *(parameters.keys() - takes.keys() - set(CONTEXT))]
    for twice in sorted({its for its in theirs if theirs.count(its) > 1}):
        raise PolicyError(f"rule `{name}`: `takes` names `{escaped(twice)}` twice; use it once")
    return dict(takes)


_ASYNC_KINDS = (
    inspect.iscoroutinefunction,
    inspect.isgeneratorfunction,
    inspect.isasyncgenfunction,
)


def _require_sync_function(function: Callable[..., Any], name: str) -> None:
    if not callable(function):
        raise PolicyError(f"`rule` decorates a function, not {type(function).__name__}")
    if any(kind(function) for kind in _ASYNC_KINDS):
        raise PolicyError(f"rule `{name}` is async or a generator; use an ordinary function")
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            raise PolicyError(
                f"rule `{name}` takes `{parameter.name}` by position; arguments are passed by name"
            )

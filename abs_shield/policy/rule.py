"""Rules: functions of a tool's own parameters that reject impossible calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Never

from abs_shield.errors import PolicyError
from abs_shield.text.safe_display import escaped, shown

CONTEXT = ("session", "call")
"""Parameter names through which a rule receives the session and the call itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """
    A condition that every legitimate call meets; built by `rule`.

    Attributes:
        function: Its parameters are named after the tool's; False or a string rejects.
        tools: The tools it applies to; ``"*"`` for all.
        sentence: The text for the model and the operator.
        file: The file that defines it.
        line: First line of the function, from 1.
        takes: The function's parameter name to the tool's.
        tries: Values around its limit, which a proof tries besides those in its source.
        name: The name of the function.
    """

    function: Callable[..., Any]
    tools: tuple[str, ...]
    name: str
    sentence: str
    file: str
    line: int
    # Not part of the hash, as a mapping has none.
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
) -> Callable[[Callable[..., Any]], Rule]:
    """
    Declare a rule of one tool, or of several.

    The function's parameters are named after the tool's parameters; ``session`` and ``call``
    are available too. None and True accept; False, or a string with the reason, rejects. The
    model reads the first line of its docstring.

    Args:
        tool: The tool, or the tools, that it applies to; ``"*"`` for all.
        takes: The function's parameter name to the tool's, where they differ. A function with
            ``**rest`` also receives the parameters listed here that it does not name.
        sentence: The text for the model, instead of the docstring.

    Raises:
        PolicyError: The docstring is missing, the function is async, or a parameter has no name.

    >>> @rule(tool="transfer")
    ... def sum_is_positive(amount: float) -> bool:
    ...     '''A transfer moves a sum above 0.'''
    ...     return amount > 0
    >>> sum_is_positive.sentence
    'A transfer moves a sum above 0.'
    """
    tools = (tool,) if isinstance(tool, str) else tuple(tool) if isinstance(tool, Iterable) else ()
    if misplaced or not tools or not all(isinstance(name, str) and name for name in tools):
        raise PolicyError('`rule` needs the name of a tool: `@rule(tool="refund")`')

    def declare(function: Callable[..., Any]) -> Rule:
        name = getattr(function, "__name__", "rule")
        _require_plain(function, name)
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

    return declare


def _parameter_map(takes: Any, function: Callable[..., Any], name: str) -> dict[str, str]:
    """Return *takes* if it maps names to names, each once, that the function accepts."""
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
    # Sorted, so that the same mistake has the same message.
    theirs = [*takes.values(), *(parameters.keys() - takes.keys() - set(CONTEXT))]
    for twice in sorted({its for its in theirs if theirs.count(its) > 1}):
        raise PolicyError(f"rule `{name}`: `takes` names `{escaped(twice)}` twice; name it once")
    return dict(takes)


_ASYNC_KINDS = (
    inspect.iscoroutinefunction,
    inspect.isgeneratorfunction,
    inspect.isasyncgenfunction,
)


def _require_plain(function: Callable[..., Any], name: str) -> None:
    if not callable(function):
        raise PolicyError(f"`rule` decorates a function, not {type(function).__name__}")
    if any(kind(function) for kind in _ASYNC_KINDS):
        raise PolicyError(f"rule `{name}` is async or a generator; use an ordinary function")
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            raise PolicyError(
                f"rule `{name}` takes `{parameter.name}` by position; rules get arguments by name"
            )

"""A rule: what can never be true of a call, as a function of the tool's own parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Never

from abs_shield.errors import PolicyError
from abs_shield.text.show import escaped, shown

CONTEXT = ("session", "call")
"""Parameter names by which a rule asks for the session and for the call itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """
    A state that can never be legitimate; built by `rule`.

    Attributes:
        function: Its parameters are named after the tool's; False or a string rejects.
        tools: The tools it judges; ``"*"`` stands for all.
        sentence: What the model and the operator read.
        file: Where it is written.
        line: First line of the function, from 1.
        takes: What the function calls a parameter, to what the tool calls it.
        tries: Values at which it turns, for a proof to try beside those of its source.
    """

    function: Callable[..., Any]
    tools: tuple[str, ...]
    name: str
    sentence: str
    file: str
    line: int
    takes: Mapping[str, str] = field(default_factory=dict, hash=False)
    tries: tuple[Any, ...] = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def judges(self, tool: str) -> bool:
        """Whether this rule looks at calls of *tool*."""
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
    may be asked for too. None and True accept; False, or a string that says why, rejects. Its
    docstring's first line is what the model reads.

    Args:
        tool: The tool, or the tools, that it judges; ``"*"`` for all.
        takes: What the function calls a parameter, to what the tool calls it; the others have
            one name. A function with ``**rest`` gets those named here that it does not name.
        sentence: What the model reads, instead of the docstring.

    Raises:
        PolicyError: There is no docstring, the function is async, or a parameter has no name.

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
            raise PolicyError(
                f"rule `{name}` has no docstring; write the sentence that the model shall read"
            )
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
    """Give *takes* checked: names to names, each once, and every one of them can be delivered."""
    whole = isinstance(takes, Mapping) and all(
        isinstance(word, str) and word for pair in takes.items() for word in pair
    )
    if not whole:
        raise PolicyError(f"rule `{name}`: `takes` is {shown(takes)}; give names to names")
    parameters = inspect.signature(function).parameters
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        for mine in sorted(takes.keys() - parameters.keys()):
            raise PolicyError(f"rule `{name}`: `takes` names `{escaped(mine)}`, which it has not")
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
        raise PolicyError(f"rule `{name}` is async or a generator; judging waits for nothing")
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            raise PolicyError(
                f"rule `{name}` takes `{parameter.name}` by position; rules get arguments by name"
            )

"""A rule bound to one tool: the arguments that it takes, and the way to call it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.errors import PolicyError
from abs_shield.policy import Rule
from abs_shield.policy.rule import CONTEXT
from abs_shield.schema import CompiledSchema
from abs_shield.text.nearest import nearest

_CONTAINERS = (dict, list)
# For rules that do not take the call.
_NO_CALL = ToolCall("")


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePlan:
    """
    One rule for one tool.

    Attributes:
        rule: The rule.
        needs: Names of the arguments without which the rule does not run.
        takes: Names of all arguments that it takes by name.
        takes_all: Whether it takes the other arguments as ``**arguments``.
        names: Argument to the function's parameter, where the names differ.
        positional: Names of the arguments by position if the rule takes only these; else None.
        session: Whether it takes the session.
        call: Whether it takes the call.
    """

    rule: Rule
    needs: frozenset[str]
    takes: frozenset[str]
    takes_all: bool
    session: bool
    call: bool
    names: Mapping[str, str]
    positional: tuple[str, ...] | None

    def runs_on(self, arguments: Mapping[str, Any]) -> bool:
        """Return whether every argument that it needs is present."""
        return self.needs <= arguments.keys()

    def bind_plain_call(self) -> Callable[[Mapping[str, Any]], Any]:
        """Return a function that runs the rule on plain scalars, without a session or a call."""
        function, names = self.rule.function, self.positional
        if names is None:
            return lambda arguments: self.run(arguments, None, _NO_CALL)
        if len(names) == 1:
            (name,) = names
            return lambda arguments: function(arguments[name])
        return lambda arguments: function(*map(arguments.__getitem__, names))

    def run(
        self, arguments: Mapping[str, Any], session: Any, call: ToolCall, *, flat: bool = False
    ) -> Any:
        """
        Run the rule on copies of the arguments, so that it cannot change them.

        Args:
            arguments: The arguments of the call.
            session: The session, for rules that take it.
            call: The call, for rules that take it.
            flat: Whether all arguments are known to be plain scalars, which are immutable.
        """
        # The fast path of most rules and most calls.
        if flat and self.positional is not None:
            return self.rule.function(*map(arguments.__getitem__, self.positional))
        keywords: dict[str, Any] = {}
        for name in arguments if self.takes_all else self.takes:
            if name in arguments:
                value = arguments[name]
                # A rule may change its arguments, and the tool must not receive the change.
                value = _copy(value) if isinstance(value, _CONTAINERS) else value
                keywords[self.names.get(name, name)] = value
        if self.session:
            keywords["session"] = session
        if self.call:
            keywords["call"] = ToolCall(call.name, _copy(dict(arguments)), call.id)
        return self.rule.function(**keywords)


def compile_rule(
    rule: Rule, schema: CompiledSchema | None, *, tool: str, tolerant: bool = False
) -> RulePlan:
    """
    Bind *rule* to one tool.

    Args:
        rule: The rule.
        schema: The tool's schema; None if it has none.
        tool: The tool's name.
        tolerant: Accept a rule that names an unknown parameter; for tools of a third party.

    Raises:
        PolicyError: The rule names a parameter that the tool does not have.
    """
    parameters = inspect.signature(rule.function).parameters.values()
    # A parameter of the tool may itself be called `session`; it is then in `takes`.
    context_names = [p.name for p in parameters if p.name in CONTEXT and p.name not in rule.takes]
    own_parameters = [
        p for p in parameters if p.kind is not p.VAR_KEYWORD and p.name not in context_names
    ]
    tool_names = {p.name: rule.takes.get(p.name, p.name) for p in own_parameters}
    # Defaults and `**rest` need keywords, as a missing argument would shift the others.
    is_positional = all(
        p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in parameters
    )
    plan = RulePlan(
        rule=rule,
        needs=frozenset(tool_names[p.name] for p in own_parameters if p.default is p.empty),
        takes=frozenset((*tool_names.values(), *rule.takes.values())),
        takes_all=not rule.takes and any(p.kind is p.VAR_KEYWORD for p in parameters),
        session="session" in context_names,
        call="call" in context_names,
        names={its: mine for mine, its in rule.takes.items() if its != mine},
        positional=tuple(tool_names.values()) if is_positional and not context_names else None,
    )
    for name in () if tolerant else find_undeclared_parameters(plan, schema, tool=tool):
        names = schema.declared_names if schema is not None else ()
        near = nearest(name, names)
        hint = f"did you mean `{near[0]}`?" if near else f"it has {', '.join(sorted(names))}"
        raise PolicyError(
            f"rule `{rule.name}` ({rule.file}:{rule.line}) names parameter `{name}`, "
            f"which tool `{tool}` does not have; {hint}"
        )
    return plan


def find_undeclared_parameters(
    plan: RulePlan, schema: CompiledSchema | None, *, tool: str
) -> list[str]:
    """Return the parameters that a rule names but its tool does not have, sorted."""
    if schema is None or not schema.declared_names or "*" in plan.rule.tools:
        return []
    # A rule for several tools may take parameters that only some of them have.
    required = plan.takes if plan.rule.tools == (tool,) else plan.needs
    return sorted(required - schema.declared_names)


def accepts_call(answer: Any) -> bool | None:
    """Return whether a rule's answer accepts the call; None if it is not a valid answer."""
    if answer is None or answer is True or answer == "":
        return True
    # A string is the reason for a rejection.
    return False if answer is False or isinstance(answer, str) else None


def _copy(value: Any) -> Any:
    """Copy JSON containers without recursion limits; everything else is immutable."""
    if not isinstance(value, _CONTAINERS):
        return value
    copy: Any = {} if isinstance(value, dict) else []
    remaining = [(value, copy)]
    while remaining:
        source, target = remaining.pop()
        for key, item in source.items() if isinstance(source, dict) else enumerate(source):
            inner: Any = item
            if isinstance(item, _CONTAINERS):
                inner = {} if isinstance(item, dict) else []
                remaining.append((item, inner))
            if isinstance(target, dict):
                target[key] = inner
            else:
                target.append(inner)
    return copy

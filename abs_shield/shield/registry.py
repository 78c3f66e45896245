"""The tools of one Shield by name, and the tools that every Shield knows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from threading import RLock
from types import MethodType
from typing import Any

from pydantic import ValidationError

from abs_shield.core.forked import renewed
from abs_shield.core.messages import UnreadableMessage, read_tool
from abs_shield.errors import PolicyError, ShieldError
from abs_shield.plan import ToolPlan, compile_tool
from abs_shield.plan.written import written_names
from abs_shield.policy import Policy, Tool, tool_of
from abs_shield.policy.tool import LONGEST_NAME
from abs_shield.schema import Undecided
from abs_shield.shield.signature import Binding, bind
from abs_shield.text.show import escaped

_UNKNOWN_KEPT = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One registered tool; *binding* is None where the host runs it itself."""

    plan: ToolPlan
    binding: Binding | None = None

    def run(self, arguments: Mapping[str, Any]) -> Any:
        """
        Call the function with the Python values that its types make of a model's arguments.

        Where they refuse arguments that the schema refuses too, it gets them as they were written:
        in audit mode such a call runs, and nothing is changed. No finding, mode or suppression has
        a say in what it gets.

        Raises:
            ShieldError: There is no function, or it needs an injected value.
            ValidationError: A validator of the tool's own refuses what its schema allows.
        """
        if self.binding is None:
            raise ShieldError(f"no function is registered for tool `{escaped(self.plan.name)}`")
        try:
            values = self.binding.values(arguments)
        except ValidationError:
            if self._fits(arguments):
                raise
            values = dict(arguments)
        return self.binding.call(values)

    def _fits(self, arguments: Mapping[str, Any]) -> bool:
        schema = self.plan.schema
        try:
            return schema is None or schema.accepts(arguments)
        except Undecided:
            return False


class Shared:
    """Tools decorated with a bare ``@shielded``: known to every Shield of the process."""

    def __init__(self) -> None:
        self.bindings: dict[str, Binding] = {}

    def add(self, binding: Binding) -> None:
        self.bindings[binding.tool.name] = binding


SHARED = Shared()


class Registry(Mapping[str, Entry]):
    """Registered tools by name; the policy's own words about a tool win."""

    def __init__(self, policy: Policy, *, shared: Shared = SHARED) -> None:
        self._policy = policy
        self._said = {tool.name: tool for tool in policy.tools}
        self._shared = shared
        self._entries: dict[str, Entry] = {}
        self._unknown: OrderedDict[str, ToolPlan] = OrderedDict()
        self._written: dict[str, tuple[ToolPlan, frozenset[str]]] = {}
        self._lock = renewed(RLock())
        for tool in policy.tools:
            self.add(tool)

    def add(self, tool: Tool | Binding, *, tolerant: bool = False) -> Entry:
        """
        Compile and keep a tool.

        Raises:
            PolicyError: Its schema or one of its rules is wrong.
        """
        binding = tool if isinstance(tool, Binding) else None
        declared = tool.tool if isinstance(tool, Binding) else tool
        refined = self._said.get(declared.name)
        if refined is not None:
            declared = declared.refined(refined)
        with self._lock:
            old = self._entries.get(declared.name)
            kept = old.binding if old and binding is None else binding
            plan = compile_tool(
                declared, self._policy, tolerant=tolerant,
                convert=None if kept is None else kept.convert,
                schema_of_function=bool(kept and kept.tool.parameters == declared.parameters),
            )  # fmt: skip
            entry = self._entries[declared.name] = Entry(plan=plan, binding=kept)
        return entry

    def plan(self, name: str) -> ToolPlan | None:
        """Give the plan of a registered tool."""
        entry = self._entries.get(name)
        if entry is None and name in self._shared.bindings:
            entry = self[name]
        return None if entry is None else entry.plan

    def argument_names(self, tool: str) -> frozenset[str]:
        """Give the argument names that the author of a tool wrote; none of an unknown tool."""
        plan = self.plan(tool)
        if plan is None:
            return frozenset()
        known = self._written.get(tool)
        if known is None or known[0] is not plan:
            known = self._written[tool] = (plan, written_names(plan.tool))
        return known[1]

    def unnamed(self, name: str) -> ToolPlan | None:
        """Give the plan of any tool, where no tool was ever registered."""
        return None if self else self.unknown(name)

    def unknown(self, name: str) -> ToolPlan:
        """Give the plan of a tool that nobody registered: no schema, the policy's modes."""
        with self._lock:
            plan = self._unknown.get(name)
            if plan is None:
                plan = compile_tool(Tool(name=_sound(name)), self._policy, tolerant=True)
                self._unknown[name] = plan
                if len(self._unknown) > _UNKNOWN_KEPT:
                    self._unknown.popitem(last=False)
            return plan

    def tools(self) -> dict[str, Tool]:
        """Give the tools as declared, with the policy's own words; nothing is compiled."""
        known = {name: binding.tool for name, binding in self._shared.bindings.items()}
        for name, tool in known.items():
            known[name] = tool.refined(self._said[name]) if name in self._said else tool
        with self._lock:
            return known | {name: entry.plan.tool for name, entry in self._entries.items()}

    def __getitem__(self, name: str) -> Entry:
        entry = self._entries.get(name)
        if entry is None:
            entry = self.add(self._shared.bindings[name])
        return entry

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._shared.bindings

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._entries, *self._shared.bindings)))

    def __bool__(self) -> bool:
        return bool(self._entries or self._shared.bindings)

    def __len__(self) -> int:
        return len(self._entries.keys() | self._shared.bindings.keys())


def _sound(name: str) -> str:
    """A name that a tool can have: what a model wrote may be empty, or no Unicode."""
    return name.encode("utf-8", "replace").decode()[:LONGEST_NAME] or "_"


def declared(tool: Any) -> Tool | Binding:
    """
    Give the tool that somebody wants to register: a `Tool`, a callable, or a described one.

    Raises:
        PolicyError: It is none of these.
    """
    if isinstance(tool, (Tool, Binding)):
        return tool
    shielded = getattr(tool, "__shielded__", None)
    if isinstance(shielded, Binding):
        receiver = getattr(tool, "__self__", None)
        if receiver is None:
            return shielded
        return bind(MethodType(shielded.function, receiver), name=shielded.tool.name)
    if callable(tool):
        return bind(tool)
    try:
        return tool_of(read_tool(tool))
    except UnreadableMessage as error:
        raise PolicyError(f"cannot register: {error}; give a `Tool` or a function") from None


def available(registry: Registry, tools: frozenset[str] | None) -> Mapping[str, Any]:
    """Give the tools that a session may call: all, or those that it was narrowed to."""
    if tools is None:
        return registry
    return {name: registry[name] for name in registry if name in tools}


def runner(entry: Entry | None) -> Callable[[Mapping[str, Any]], Any] | None:
    """Return what runs a tool by name; None where the host never gave a function."""
    return None if entry is None or entry.binding is None else entry.run

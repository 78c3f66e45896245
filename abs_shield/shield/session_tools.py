"""The tools of one session: its functions, its offered tools, and the tools of its Shield."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from abs_shield.core.fork_safety import renewed
from abs_shield.errors import PolicyError
from abs_shield.plan.schema_lookup import authored_names
from abs_shield.policy import Policy, Tool
from abs_shield.policy.parameter_marks import ANY, first_name
from abs_shield.policy.tool_declaration import LONGEST_NAME, MARKS
from abs_shield.session import Session
from abs_shield.shield.binding_cache import cached_binding, drop_function, shielded_binding
from abs_shield.shield.signature import Binding
from abs_shield.shield.tool_entry import Entry, compile_declarations
from abs_shield.text.safe_display import escaped, shown

if TYPE_CHECKING:
    from abs_shield.plan import ToolPlan
    from abs_shield.shield.tool_registry import Registry

_MOST_NAMES = 1_000  # a host has a few dozen tools, but a factory may make any number
_MOST_OFFERED = 2_000
"""Maximum number of stored tools of earlier steps."""
_MOST_PLANS = 8
"""Maximum number of cached signatures of one name: the versions of a method, rarely over two."""


class SessionTools(Mapping[str, Entry]):
    """
    The tools of a session, by name.

    The session's own functions take precedence over the tools that its model was offered, and
    these over the tools of its parents and its Shield. Immutable once attached to the session.

    Attributes:
        added: Names that the session may call only because of its own functions.
        offered: The tools as a framework described them to the session's own model.
    """

    __slots__ = ("_own", "_parent", "_registry", "added", "offered")

    def __init__(
        self,
        registry: Registry,
        own: Mapping[str, Entry],
        parent: Session | None,
        *,
        offered: Mapping[str, Entry] | None = None,
    ) -> None:
        self._registry = registry
        self._own = own
        self._parent = parent
        self.added: frozenset[str] = frozenset()
        self.offered: Mapping[str, Entry] = {} if offered is None else offered

    def with_offers(self, offered: Mapping[str, Entry]) -> SessionTools:
        """Return these tools and the ones that are offered now; earlier offers stay valid."""
        # Above the limit, earlier offers are dropped.
        earlier = self.offered if len(self.offered) < _MOST_OFFERED else {}
        tools = SessionTools(
            self._registry, self._own, self._parent, offered={**earlier, **offered}
        )
        tools.added = self.added
        return tools

    def _entry(self, name: str) -> Entry | None:
        return self._own.get(name) or self.offered.get(name)

    @property
    def inherited(self) -> Registry | SessionTools:
        """The tools of the session's parents and Shield."""
        return self._registry if self._parent is None else self._registry.of(self._parent)

    def plan(self, name: str) -> ToolPlan | None:
        """Return the plan of a tool of this session."""
        entry = self._entry(name)
        return self.inherited.plan(name) if entry is None else entry.plan

    def is_own(self, name: str) -> bool:
        """Return whether a function of that name belongs to this session itself."""
        return name in self._own

    def own_names(self) -> frozenset[str]:
        """Return the names of the functions that belong to this session itself."""
        return frozenset(self._own)

    def anonymous_plan(self, name: str) -> ToolPlan | None:
        """Return None: the list of tools of a session with functions is complete."""
        return None

    def unregistered_plan(self, name: str) -> ToolPlan:
        """Return the plan of a tool that this session does not have."""
        return self._registry.unregistered_plan(name)

    def tools(self) -> dict[str, Tool]:
        """Return the tools as declared, refined by the policy."""
        own = {name: entry.plan.tool for name, entry in {**self.offered, **self._own}.items()}
        return {**self.inherited.tools(), **own}

    def kinds(self) -> frozenset[str]:
        """Return the kinds of identifiers of all tools."""
        own = (entry.plan.kinds for entry in (*self.offered.values(), *self._own.values()))
        return self.inherited.kinds().union(*own)

    def __getitem__(self, name: str) -> Entry:
        entry = self._entry(name)
        return self.inherited[name] if entry is None else entry

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self.offered or name in self.inherited

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self.inherited, *self.offered, *self._own)))

    def __bool__(self) -> bool:
        """Return True: the list of tools is complete, even if it is empty."""
        # Without this method, an empty list would be false, like an unknown list of tools.
        return True

    def __len__(self) -> int:
        return len({*self.inherited, *self.offered, *self._own})


class SessionPlans:
    """
    A cache of compiled session tools by signature, which new sessions reuse.

    It does not reference the functions, so that a session's clients are freed with the session.

    Attributes:
        has_functions: Whether any session was opened with `functions`, even an empty list.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._plans: OrderedDict[str, list[_CompiledTool]] = OrderedDict()
        self._lock = renewed(Lock())
        self.has_functions = False

    def entries(self, functions: Any, registry: Registry) -> dict[str, Entry]:
        """
        Return the entry of each function.

        Raises:
            PolicyError: An entry is not a function, needs more than the model's arguments, or two
                functions have the same name.
        """
        entries: dict[str, Entry] = {}
        for name, function in _function_items(functions):
            binding = _bind_function(name, function)
            name = binding.tool.name
            if name in entries:
                raise PolicyError(f"session: `functions` has two functions named `{escaped(name)}`")
            stored = self._compile(binding, registry)
            entries[name] = Entry(
                plan=stored.plan, own_plan=stored.plan, binding=binding,
                declaration=stored.declaration,
            )  # fmt: skip
        self.has_functions = True
        return entries

    def argument_names(self, tool: str) -> frozenset[str]:
        """Return the argument names of all session functions of that name."""
        if not self._plans:
            return frozenset()
        with self._lock:
            plans = [*self._plans.get(tool, ())]
        return frozenset().union(*(plan.names for plan in plans))

    def _compile(self, binding: Binding, registry: Registry) -> _CompiledTool:
        tool = binding.tool
        entry = registry.get(tool.name)
        registered = None if entry is None else entry.plan.tool
        # Compiled outside the lock; at worst, two threads compile the same plan.
        with self._lock:
            for stored in self._plans.get(tool.name, ()):
                if stored.matches(binding, registered):
                    return stored
        declaration = None if entry is None else _declaration_for(tool, entry)
        declarations = [tool] if declaration is None else [declaration, tool]
        # the plan outlives the session, but a client that the function references must not
        unbound = drop_function(binding)
        plan = compile_declarations(
            declarations, self._policy, registry.refinement(tool.name), unbound
        )
        compiled_tool = _CompiledTool(
            tool, binding.model, registered, declaration, plan, authored_names(plan.tool)
        )
        with self._lock:
            plans = self._plans.setdefault(tool.name, [])
            # Newest first: the next session is most likely to use the same plan.
            plans.insert(0, compiled_tool)
            del plans[_MOST_PLANS:]
            if len(self._plans) > _MOST_NAMES:
                self._plans.popitem(last=False)
        return compiled_tool


class _CompiledTool(NamedTuple):
    """
    A tool compiled from a signature, together with the registered tool of its name.

    Attributes:
        tool: The function's own tool.
        model: The pydantic model that converts its arguments.
        registered: The registered tool with this name; None without one.
        declaration: The part of the registered tool that applies to the function.
        plan: The compiled plan.
        names: The argument names that the authors wrote.
    """

    tool: Tool
    model: Any
    registered: Tool | None
    declaration: Tool | None
    plan: ToolPlan
    names: frozenset[str]

    def matches(self, binding: Binding, registered: Tool | None) -> bool:
        """Return whether the plan is that of *binding*, with equal signatures and conversions."""
        if self.registered is not registered or self.model is not binding.model:
            return False
        tool = binding.tool
        return self.tool is tool or self.tool.__dict__ == tool.__dict__


def _function_items(functions: Any) -> Iterable[tuple[str | None, Any]]:
    if isinstance(functions, Mapping):
        return functions.items()
    if isinstance(functions, (str, bytes)) or not isinstance(functions, Iterable):
        raise PolicyError(
            f"session: `functions` is {shown(functions)}; give names to functions, or a list"
        )
    return ((None, function) for function in functions)


def _bind_function(name: Any, function: Any) -> Binding:
    """Return the binding of a session's function."""
    if name is not None and not (isinstance(name, str) and 0 < len(name) <= LONGEST_NAME):
        raise PolicyError(f"session: `functions` has the name {shown(name)}; give a non-empty text")
    if not callable(function):
        raise PolicyError(
            f"session: `functions` holds {shown(function)} under "
            f"`{escaped(str(name))}`; give a function"
        )
    binding = shielded_binding(function, name) or cached_binding(function, name=name)
    for parameter in sorted(binding.injected & binding.required):
        raise PolicyError(
            f"session: function `{escaped(binding.tool.name)}` needs `{escaped(parameter)}`, "
            "which the model does not provide; give a bound method or a `functools.partial`"
        )
    return binding


def _declaration_for(tool: Tool, entry: Entry) -> Tool:
    """
    Return the part of a registered tool's declaration that applies to a session's function.

    Excludes marks of parameters that the function does not have, and the registered signature.
    """
    registered = entry.plan.tool
    parameters = tool.parameters if isinstance(tool.parameters, Mapping) else {}
    names = parameters.get("properties", {}).keys()
    marks = {
        field: tuple(key for key in getattr(registered, field) if first_name(key) in {*names, ANY})
        for field in MARKS
    }
    targets = {name: registered.targets[name] for name in marks["targets"]}
    for name in targets.keys() & tool.targets.keys():
        targets[name] = replace(targets[name], allow=tool.targets[name].allow)
    host = entry.declaration
    # an invalid schema is reported only by the checks of the registered tool
    schema = None if host is None or entry.own_plan.broken else host.parameters
    return registered.model_copy(update={**marks, "targets": targets, "parameters": schema})


Functions = Mapping[str, Callable[..., Any]] | Iterable[Callable[..., Any]]
"""A session's own functions: a mapping of tool name to function, or a list of functions."""

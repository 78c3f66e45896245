"""The tools of one session: its own functions and its offered tools, before its Shield's."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from abs_shield.core.fork_safety import renewed
from abs_shield.errors import PolicyError
from abs_shield.plan import ToolPlan
from abs_shield.plan.schema_lookup import authored_names
from abs_shield.policy import Policy, Tool
from abs_shield.policy.parameter_marks import ANY, first_name
from abs_shield.policy.tool_declaration import LONGEST_NAME, MARKS
from abs_shield.session import Session
from abs_shield.shield.bindings import cached_binding, drop_function, shielded_binding
from abs_shield.shield.signature import Binding
from abs_shield.shield.tool_entry import Entry, compiled
from abs_shield.text.safe_display import escaped, shown

if TYPE_CHECKING:
    from abs_shield.shield.tool_registry import Registry

_MOST_NAMES = 1_000  # a host has a few dozen; a factory may make any number of names
_MOST_OFFERED = 2_000
"""Stored tools of earlier steps, which are offered again when needed; those of now always are."""
_MOST_PLANS = 8
"""Maximum number of cached signatures of one name: versions of one method, seldom over two."""


class SessionTools(Mapping[str, Entry]):
    """
    A session's own functions, over the tools that its model was offered, over the tools of its
    parents and of its Shield.

    Immutable once attached: a session with other tools gets a new object.

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

    def offering(self, offered: Mapping[str, Entry]) -> SessionTools:
        """Return these tools with the ones that are offered now; earlier offers stay valid."""
        # Forgotten all together, as the tools of this step come again below.
        earlier = self.offered if len(self.offered) < _MOST_OFFERED else {}
        tools = SessionTools(
            self._registry, self._own, self._parent, offered={**earlier, **offered}
        )
        tools.added = self.added
        return tools

    def _entry(self, name: str) -> Entry | None:
        return self._own.get(name) or self.offered.get(name)

    @property
    def below(self) -> Registry | SessionTools:
        """The tools of its parents and of its Shield."""
        return self._registry if self._parent is None else self._registry.of(self._parent)

    def plan(self, name: str) -> ToolPlan | None:
        """Return the plan of a tool of this session."""
        entry = self._entry(name)
        return self.below.plan(name) if entry is None else entry.plan

    def is_own(self, name: str) -> bool:
        """Return whether a function of that name belongs to this session itself."""
        return name in self._own

    def own_names(self) -> frozenset[str]:
        """Return the names of the functions that belong to this session itself."""
        return frozenset(self._own)

    def anonymous_plan(self, name: str) -> ToolPlan | None:
        """Return None: a session with its own mapping of functions has a complete list of tools."""
        return None

    def unknown(self, name: str) -> ToolPlan:
        """Return the plan of a tool that this session does not have."""
        return self._registry.unknown(name)

    def tools(self) -> dict[str, Tool]:
        """Return the tools as declared, refined by the policy."""
        own = {name: entry.plan.tool for name, entry in {**self.offered, **self._own}.items()}
        return {**self.below.tools(), **own}

    def kinds(self) -> frozenset[str]:
        """Return the kinds of identifiers of all tools."""
        own = (entry.plan.kinds for entry in (*self.offered.values(), *self._own.values()))
        return self.below.kinds().union(*own)

    def __getitem__(self, name: str) -> Entry:
        entry = self._entry(name)
        return self.below[name] if entry is None else entry

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self.offered or name in self.below

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self.below, *self.offered, *self._own)))

    def __bool__(self) -> bool:
        """Return True: the list of tools is complete, even if it is empty."""
        # Otherwise `__len__` would make an empty list of tools false, like one that is unknown.
        return True

    def __len__(self) -> int:
        return len({*self.below, *self.offered, *self._own})


class SessionPlans:
    """
    A cache of compiled session tools by signature, so that a new session compiles nothing again.

    It references no function, so that a session's clients are freed with the session.

    Attributes:
        has_functions: Whether any session was opened with its own functions, even none.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._plans: OrderedDict[str, list[_Compiled]] = OrderedDict()
        self._lock = renewed(Lock())
        self.has_functions = False

    def entries(self, functions: Any, registry: Registry) -> dict[str, Entry]:
        """
        Return the entry of each function.

        Raises:
            PolicyError: One of them is not a function, or needs more than the model's arguments.
        """
        entries: dict[str, Entry] = {}
        for name, function in _function_items(functions):
            binding = _bound(name, function)
            name = binding.tool.name
            if name in entries:
                raise PolicyError(f"session: `functions` has two of the name `{escaped(name)}`")
            stored = self._compiled(binding, registry)
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

    def _compiled(self, binding: Binding, registry: Registry) -> _Compiled:
        tool = binding.tool
        entry = registry.get(tool.name)
        registered = None if entry is None else entry.plan.tool
        # Compiled outside the lock; two threads that meet here compile the same plan.
        with self._lock:
            for stored in self._plans.get(tool.name, ()):
                if stored.is_of(binding, registered):
                    return stored
        declaration = None if entry is None else _declaration_for(tool, entry)
        declarations = [tool] if declaration is None else [declaration, tool]
        # the plan outlives the session, and the client that the function may hold does not
        unbound = drop_function(binding)
        plan = compiled(declarations, self._policy, registry.refinement(tool.name), unbound)
        compiled_tool = _Compiled(
            tool, binding.model, registered, declaration, plan, authored_names(plan.tool)
        )
        with self._lock:
            plans = self._plans.setdefault(tool.name, [])
            # Newest first: the plan of the last session is the likeliest for the next one.
            plans.insert(0, compiled_tool)
            del plans[_MOST_PLANS:]
            if len(self._plans) > _MOST_NAMES:
                self._plans.popitem(last=False)
        return compiled_tool


@dataclass(frozen=True, slots=True)
class _Compiled:
    """
    A tool compiled from a signature, together with the registered tool of its name.

    Attributes:
        tool: The function's own tool.
        model: The model that converts its arguments.
        registered: The registered tool of its name; None without one.
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

    def is_of(self, binding: Binding, registered: Tool | None) -> bool:
        """Return whether the plan is that of *binding*: one signature, which converts alike."""
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


def _bound(name: Any, function: Any) -> Binding:
    """Return the binding of a session's function, so that dispatch can call it."""
    if name is not None and not (isinstance(name, str) and 0 < len(name) <= LONGEST_NAME):
        raise PolicyError(f"session: `functions` names {shown(name)}; a name is a text")
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
    Return what was declared of a registered tool that holds for a session's function of its name.

    The marks of foreign parameters do not, nor does the signature of another function.
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
    # an invalid schema was registered as an error of the registered tool's own checks
    schema = None if host is None or entry.own_plan.broken else host.parameters
    return registered.model_copy(update={**marks, "targets": targets, "parameters": schema})


Functions = Mapping[str, Callable[..., Any]] | Iterable[Callable[..., Any]]
"""A session's own functions: by the names that the model calls, or under their own."""

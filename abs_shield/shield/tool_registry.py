"""The registered tools of one Shield by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import reduce
from threading import RLock
from typing import Any

from abs_shield.core.fork_safety import renewed
from abs_shield.core.messages import UnreadableMessage
from abs_shield.core.tool_shapes import read_tool
from abs_shield.errors import PolicyError
from abs_shield.plan import ToolPlan
from abs_shield.plan.entity_kinds import entity_kinds_of
from abs_shield.plan.schema_lookup import authored_names
from abs_shield.policy import Policy, Tool, tool_of
from abs_shield.policy.tool_declaration import with_declaration
from abs_shield.session import Session
from abs_shield.session.session_record import SessionRecord, record_of
from abs_shield.shield.binding_cache import shielded_binding
from abs_shield.shield.name_conflicts import (
    AmbiguousTool,
    SameCodeError,
    require_no_looser,
    require_one,
    require_same_parameters,
)
from abs_shield.shield.offered_tools import Description, OfferedTools, warn_of_schema
from abs_shield.shield.session_tools import SessionPlans, SessionTools
from abs_shield.shield.shared_tools import SHARED, Shared
from abs_shield.shield.signature import Binding, bind
from abs_shield.shield.tool_entry import Entry, compile_entry
from abs_shield.shield.unregistered_plans import UnregisteredPlans

_PARTS = ("binding", "declaration", "description", "own")
"""Fields of an `Entry` from which it is compiled."""


class Registry(Mapping[str, Entry]):
    """Registered tools by name; the policy's declarations take precedence."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._refinements = {tool.name: tool for tool in policy.tools}
        self._compared_version = -1
        self._kinds: tuple[tuple[int, int], frozenset[str]] = ((-1, -1), frozenset())
        self._changes = 0
        self._replaced: set[str] = set()
        # A `Tool` here is not compiled yet.
        self._entries: dict[str, Entry | Tool] = {}
        self._unregistered = UnregisteredPlans(policy)
        self._authored_names: dict[str, tuple[ToolPlan, frozenset[str]]] = {}
        self._lock = renewed(RLock())
        self._session_plans = SessionPlans(policy)
        self._offers = OfferedTools(policy)
        for tool in policy.tools:
            self._entries[tool.name] = compile_entry(policy, tool)

    def add(self, tool: Tool | Binding, *, tolerant: bool = False, replace: bool = False) -> Entry:
        """
        Compile and add a tool that the host declares, merged with its earlier declarations.

        Args:
            tool: A `Tool`, or a function with its signature.
            tolerant: Report an invalid schema as an error of each check, instead of raising.
            replace: Replace all earlier declarations of the name.

        Raises:
            PolicyError: Its schema or one of its rules is invalid, another function has the same
                name, an earlier `Tool` of the name has other parameters, or the tool would
                loosen the `allow` or `mode` of an earlier declaration.
        """
        name = tool.tool.name if isinstance(tool, Binding) else tool.name
        with self._lock:
            if isinstance(tool, Binding):
                if not replace:
                    self._require_one(tool)
                    declaration = self._parts(self._own_entry(name)).get("declaration")
                    # The function may not loosen an earlier `Tool` either.
                    if declaration is not None and tool.tool.targets:
                        require_no_looser(tool.tool, declaration)
                parts = self._parts(None if replace else self._own_entry(name))
                entry = self._store(name, parts | {"binding": tool, "own": True}, tolerant)
                # A function that was replaced on purpose is not compared with shared ones later.
                (self._replaced.add if replace else self._replaced.discard)(name)
                return entry
            parts = self._parts(None if replace else self._current_entry(name))
            if not replace:
                self._require_no_looser(name, tool, parts)
            declaration = parts.get("declaration")
            if declaration is not None:
                require_same_parameters(declaration, tool)
                tool = with_declaration(tool, declaration)
            return self._store(name, parts | {"declaration": tool}, tolerant)

    def _require_no_looser(self, name: str, tool: Tool, parts: Mapping[str, Any]) -> None:
        """Raise if a `Tool` is looser than its function, an earlier `Tool` or the policy."""
        binding, refinement = parts.get("binding"), self._refinements.get(name)
        authors = [
            author for author in (parts.get("declaration"), refinement) if author is not None
        ]
        if binding is not None:
            authors.append(binding.tool)
        if authors:
            require_no_looser(reduce(with_declaration, authors), tool)

    def add_ambiguous(self, binding: Binding) -> None:
        """Replace the function of a tool that a factory created several times by a placeholder."""
        with self._lock:
            name = binding.tool.name
            parts = self._parts(self._own_entry(name))
            self._store(name, parts | {"binding": binding, "own": True}, False)

    def add_uncompiled(self, tools: Iterable[Tool]) -> None:
        """
        Add tools, and compile each one when it is first needed.

        An invalid schema is an error of each check. Used for recorded runs, which list many more
        tools than they call.

        Args:
            tools: The tools, with distinct names.
        """
        with self._lock:
            for tool in tools:
                if tool.name in self:  # declared earlier: compiled now, so that a conflict raises
                    self.add(tool, tolerant=True)
                else:
                    self._entries[tool.name] = tool
                    self._changes += 1

    def describe(self, tool: Tool, *, tolerant: bool = False) -> Entry:
        """
        Compile and add a third party's description of a tool; the host's declarations stay valid.

        Args:
            tool: The description; it replaces an earlier one.
            tolerant: Report an invalid schema as an error of each check, instead of raising.

        Raises:
            PolicyError: Its schema is invalid, or lacks a marked parameter.
        """
        with self._lock:
            parts = self._parts(self._current_entry(tool.name))
            return self._store(tool.name, parts | {"description": tool}, tolerant)

    def _parts(self, entry: Entry | None) -> dict[str, Any]:
        """Return the declarations that an entry was compiled from."""
        return {} if entry is None else {field: getattr(entry, field) for field in _PARTS}

    def _store(self, name: str, parts: dict[str, Any], tolerant: bool) -> Entry:
        entry = self._compile(name, parts, tolerant)
        self._changes += 1
        return entry

    def _compile(self, name: str, parts: dict[str, Any], tolerant: bool) -> Entry:
        entry = compile_entry(self._policy, self._refinements.get(name), **parts, tolerant=tolerant)
        self._entries[name] = entry
        # Logged once at registration, not for each call that cannot be checked.
        warn_of_schema(entry)
        return entry

    def _own_entry(self, name: str) -> Entry | None:
        """Return the compiled entry of a tool of this Shield; None if it has none."""
        entry = self._entries.get(name)
        if entry is None or isinstance(entry, Entry):
            return entry
        with self._lock:
            entry = self._entries[name]
            if isinstance(entry, Entry):  # another thread compiled it in the meantime
                return entry
            return self._compile(name, {"declaration": entry}, True)

    def refinement(self, name: str) -> Tool | None:
        """Return the policy's declaration of a tool; None without one."""
        return self._refinements.get(name)

    def refine(self, tool: Tool) -> Tool:
        """Return *tool* refined by the policy's declaration of the same name."""
        refinement = self._refinements.get(tool.name)
        return tool if refinement is None else tool.refined(refinement)

    def _require_one(self, binding: Binding) -> None:
        name = binding.tool.name
        own = self._own_entry(name)
        require_one(own.binding if own is not None and own.own else None, binding)
        require_one(SHARED.bindings.get(name), binding)

    def require_unambiguous(self) -> None:
        """
        Raise if a function of this Shield has the name of a shared function that was added since.

        Raises:
            PolicyError: Two functions have the same name.
        """
        version = SHARED.version
        # Names are compared only after a tool was added.
        if version == self._compared_version:
            return
        for name, shared in [*SHARED.bindings.items()]:
            own = self._own_entry(name)
            if own is not None and own.own and name not in self._replaced:
                with suppress(SameCodeError):  # a call by name runs the Shield's own function
                    require_one(own.binding, shared)
        self._compared_version = version

    def of(self, session: Session | None) -> Registry | SessionTools:
        """Return the tools of *session*, whose functions take precedence over this registry."""
        return self if session is None else self.tools_of(record_of(session))

    def tools_of(self, record: SessionRecord) -> Registry | SessionTools:
        """Return the tools of the session with this record; see `of`."""
        above: SessionRecord | None = record
        # A sub-agent may also call the functions of the sessions that started it.
        while above is not None:
            if above.overlays:
                own: SessionTools | None = above.overlays.get(id(self))
                if own is not None:
                    return own
            above = above.parent
        return self

    def own(self, session: Session) -> SessionTools | None:
        """Return the tools of *session* itself, without those of its parents; None without any."""
        return record_of(session).overlays.get(id(self))

    def bind_functions(self, functions: Any, parent: Session | None) -> SessionTools:
        """
        Bind functions for one session.

        Args:
            functions: A mapping of tool name to function, or a list of functions.
            parent: The session's parent, whose functions it may call as well.

        Raises:
            PolicyError: An entry is not a function, or needs more than the model's arguments.
        """
        return SessionTools(self, self._session_plans.entries(functions, self), parent)

    def offer(self, session: Session, tools: Iterable[Description]) -> None:
        """
        Register the tool descriptions that the model of *session* is offered.

        Calls of the session are judged by them; the host's declarations stay valid, and the
        session's own functions stay unchanged. Other sessions are not affected.

        Args:
            session: The session.
            tools: The tools that its model is offered at this step.
        """
        with record_of(session).lock:
            own = self.own(session) or SessionTools(self, {}, session.parent)
            declared, entries = own.inherited, {}
            for tool in tools:
                name = tool.shape.name
                if own.is_own(name) or (tool.shape.parameters is None and name in declared):
                    continue
                entry = self._offers.entry(tool, declared.get(name))
                if entry is not None:
                    entries[name] = entry
            # Frameworks usually offer the same tools at every step, so nothing changes.
            if any(own.offered.get(name) is not entry for name, entry in entries.items()):
                self.attach(own.with_offers(entries), session)

    def attach(self, tools: SessionTools, session: Session) -> None:
        """Replace the tools of *session* with *tools*."""
        record = record_of(session)
        with record.lock:
            record.overlays = {**record.overlays, id(self): tools}

    def plan(self, name: str) -> ToolPlan | None:
        """Return the plan of a registered tool; None for another name."""
        entry = self._current_entry(name)
        return None if entry is None else entry.plan

    def entry_for(self, name: str, record: SessionRecord) -> Entry | None:
        """Return the entry of a tool of a session, compiled if it is new; None for another name."""
        entry = self._entries.get(name)
        # The fast path of nearly all calls: a tool of this Shield, in a session without functions.
        if type(entry) is Entry and entry.own and not record.overlays and record.parent is None:
            return entry
        tools = self.tools_of(record)
        return self._current_entry(name) if tools is self else tools.get(name)

    def is_of_session(self, name: str, record: SessionRecord) -> bool:
        """Return whether a tool is a function of the session with this record, or of a parent."""
        tools = self.tools_of(record)
        return tools is not self and isinstance(tools, SessionTools) and tools.is_own(name)

    def plan_for(
        self, name: str, record: SessionRecord, binding: Binding | None, nested: bool
    ) -> ToolPlan | None:
        """
        Return the plan by which a call of a session is judged; None for an unknown tool.

        Args:
            name: The name of the tool.
            record: The record of the session, whose own functions take precedence.
            binding: The decorated function that Python calls; None for a call by name.
            nested: Whether another shielded tool makes the call from code.
        """
        entry = self._entries.get(name)
        # The fast path of nearly all calls: a tool of this Shield, in a session without functions.
        if type(entry) is Entry and not record.overlays and record.parent is None:
            function = entry.binding
            if binding is None:
                if entry.own or name not in SHARED.bindings:
                    return entry.plan
            elif binding is function and (entry.own or binding is SHARED.bindings.get(name)):
                return entry.own_plan if nested else entry.plan
        tools = self.tools_of(record)
        if binding is None:
            return tools.plan(name)
        return self._plan_of_function(binding, tools, nested=nested)

    def _plan_of_function(
        self, binding: Binding, tools: Registry | SessionTools, *, nested: bool
    ) -> ToolPlan | None:
        """
        Return the plan by which a Python call of a decorated function is judged.

        The declarations in *tools*, the tools of a session, apply if they belong to this function.
        A nested call is judged only by the declarations of the function's author.
        """
        entry = tools.get(binding.tool.name)
        if (
            entry is not None
            and entry.binding is not None
            and entry.binding.declares_same_tool(binding)
        ):
            return entry.own_plan if nested else entry.plan
        entry = self._current_entry(binding.tool.name)
        if (
            entry is not None
            and entry.binding is not None
            and entry.binding.declares_same_tool(binding)
        ):
            return entry.own_plan
        refinement = self._refinements.get(binding.tool.name)
        return self._unregistered.of_function(binding, refinement)

    def argument_names(self, tool: str) -> frozenset[str]:
        """Return the argument names that a tool's author declared; empty for an unknown tool."""
        of_sessions = self._session_plans.argument_names(tool) | self._offers.argument_names(tool)
        try:
            plan = self.plan(tool)
        except PolicyError:  # decisions about the tool report the error
            plan = None
        if plan is None:
            return of_sessions
        stored = self._authored_names.get(tool)
        if stored is None or stored[0] is not plan:
            stored = self._authored_names[tool] = (plan, authored_names(plan.tool))
        return stored[1] | of_sessions if of_sessions else stored[1]

    def anonymous_plan(self, name: str) -> ToolPlan | None:
        """Return a plan for any name if no tool was ever registered, else None."""
        return None if self else self.unknown(name)

    def unknown(self, name: str) -> ToolPlan:
        """Return the plan of an unregistered tool: without a schema, with the policy's modes."""
        return self._unregistered.of_name(name)

    def tools(self) -> dict[str, Tool]:
        """Return the tools as declared, refined by the policy; nothing is compiled."""
        with self._lock:
            entries = dict(self._entries)
        own, functions = dict[str, Tool](), set[str]()
        for name, entry in entries.items():
            if not isinstance(entry, Entry):
                own[name] = entry
                continue
            own[name] = entry.plan.tool
            if not entry.has_declarations:
                functions.add(name)
        shared = {
            name: self.refine(binding.tool)
            for name, binding in [*SHARED.bindings.items()]
            if name not in own or name in functions
        }
        return {name: shared.get(name) or own[name] for name in {**shared, **own}}

    def names_of_models(self) -> dict[str, Callable[[], list[frozenset[str]]]]:
        """Return for each tool of a function what returns the names of its models' fields."""
        with self._lock:
            entries = dict(self._entries)
        own = {
            name: entry.binding
            for name, entry in entries.items()
            if isinstance(entry, Entry) and entry.binding is not None
        }
        bindings = {**SHARED.bindings, **own}
        return {name: binding.names_of_models for name, binding in bindings.items()}

    def kinds(self) -> frozenset[str]:
        """Return the kinds of identifiers of all tools; cached until a tool is added."""
        version = SHARED.version, self._changes
        if self._kinds[0] != version:
            # The version is read again, because compiling an entry may increase it.
            kinds = frozenset[str]().union(*(self._kinds_of(name) for name in self))
            self._kinds = (SHARED.version, self._changes), kinds
        return self._kinds[1]

    def _kinds_of(self, name: str) -> frozenset[str]:
        entry = self._entries.get(name)
        if entry is None or isinstance(entry, Entry) or name in SHARED.bindings:
            return self[name].plan.kinds
        return entity_kinds_of(entry)

    def _current_entry(self, name: str) -> Entry | None:
        entry = self._entries.get(name)
        if entry is not None and not isinstance(entry, Entry):
            entry = self._own_entry(name)
        if entry is not None and entry.own:
            # The Shield's own function takes precedence over a shared function of the same name.
            return entry
        shared = SHARED.bindings.get(name)
        if shared is None or (entry is not None and entry.binding is shared):
            return entry
        return self._shared_entry(name, shared)

    def _shared_entry(self, name: str, shared: Binding) -> Entry:
        """Return the entry of a shared tool, compiled now because its function is new."""
        with self._lock:
            parts = self._parts(self._own_entry(name))
            tolerant = parts.get("description") is not None
            return self._store(name, parts | {"binding": shared, "own": False}, tolerant)

    def __getitem__(self, name: str) -> Entry:
        entry = self._current_entry(name)
        if entry is None:
            raise KeyError(name)
        return entry

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in SHARED.bindings

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._entries, *SHARED.bindings)))

    def __bool__(self) -> bool:
        """Return whether any tool is registered, or any session has functions."""
        return bool(self._entries or SHARED.bindings or self._session_plans.has_functions)

    def __len__(self) -> int:
        return len(self._entries.keys() | SHARED.bindings.keys())


def declare(binding: Binding, tools: Registry | Shared, *, replace: bool) -> None:
    """
    Add a decorated tool.

    If a factory decorates several functions, each wrapper runs its own function. Only a dispatch
    by name is ambiguous, and refused.

    Raises:
        PolicyError: Its schema or one of its rules is invalid, or another function has its name.
    """
    try:
        tools.add(binding, replace=replace)
    except SameCodeError:
        placeholder = AmbiguousTool(binding.function, binding.tool.name)
        tools.add_ambiguous(dataclasses.replace(binding, function=placeholder))


def declared_tool(tool: Any) -> Tool | Binding | None:
    """Return the tool of a `Tool` or a callable; None for other objects."""
    if isinstance(tool, (Tool, Binding)):
        return tool
    shielded = shielded_binding(tool)
    if shielded is not None:
        return shielded
    return bind(tool) if callable(tool) else None


def described_tool(tool: Any) -> Tool:
    """
    Parse a tool description in a provider's or MCP's shape.

    Raises:
        PolicyError: The description is unreadable.
    """
    try:
        return tool_of(read_tool(tool))
    except UnreadableMessage as error:
        raise PolicyError(f"cannot register: {error}; give a `Tool` or a function") from None


def available(registry: Registry | SessionTools, tools: frozenset[str] | None) -> Mapping[str, Any]:
    """Return the tools that a session may call: all of them, or those in *tools*."""
    if tools is None:
        return registry
    return {name: registry[name] for name in registry if name in tools}


def plans_of(tools: Registry | SessionTools) -> Callable[[str], ToolPlan | None]:
    """Return a function that looks up a tool's plan by name, even if no tool is registered."""
    return lambda tool: tools.plan(tool) or tools.anonymous_plan(tool)


def runner(entry: Entry | None) -> Callable[[Mapping[str, Any]], Any] | None:
    """Return the callable that runs a tool; None if the host registered no function."""
    return None if entry is None or entry.binding is None else entry.run

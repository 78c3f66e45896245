"""The registered tools of one Shield by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from abs_shield.errors import PolicyError
from abs_shield.plan.schema_lookup import authored_names
from abs_shield.policy import Policy, Tool
from abs_shield.session import Session
from abs_shield.session.session_record import SessionRecord, record_of
from abs_shield.shield.entry_table import EntryTable
from abs_shield.shield.offered_tools import Description, OfferedTools
from abs_shield.shield.session_tools import SessionPlans, SessionTools
from abs_shield.shield.shared_tools import SHARED
from abs_shield.shield.signature import Binding
from abs_shield.shield.tool_entry import Entry
from abs_shield.shield.unregistered_plans import UnregisteredPlans

if TYPE_CHECKING:
    from abs_shield.plan import ToolPlan


class Registry(EntryTable):
    """The tools of one Shield, and how the tools of its sessions take precedence over them."""

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self._kinds: tuple[tuple[int, int], frozenset[str]] = ((-1, -1), frozenset())
        self._unregistered = UnregisteredPlans(policy)
        self._authored_names: dict[str, tuple[ToolPlan, frozenset[str]]] = {}
        self._session_plans = SessionPlans(policy)
        self._offers = OfferedTools(policy)

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
        return None if self else self.unregistered_plan(name)

    def unregistered_plan(self, name: str) -> ToolPlan:
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
        from abs_shield.plan.entity_kinds import entity_kinds_of  # slow to import

        return entity_kinds_of(entry)

    def __bool__(self) -> bool:
        """Return whether any tool is registered, or any session has functions."""
        return bool(self._entries or SHARED.bindings or self._session_plans.has_functions)


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

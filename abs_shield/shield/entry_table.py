"""The compiled tools of one Shield by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import reduce
from threading import RLock
from typing import Any

from abs_shield.core.fork_safety import renewed
from abs_shield.policy import Policy, Tool
from abs_shield.policy.tool_declaration import with_declaration
from abs_shield.shield.name_conflicts import (
    SameCodeError,
    require_no_looser,
    require_one,
    require_same_parameters,
)
from abs_shield.shield.offered_tools import warn_of_schema
from abs_shield.shield.shared_tools import SHARED
from abs_shield.shield.signature import Binding
from abs_shield.shield.tool_entry import Entry, compile_entry

_PARTS = ("binding", "declaration", "description", "own")
"""Fields of an `Entry` from which it is compiled."""


class EntryTable(Mapping[str, Entry]):
    """Tools by name, each compiled from all its declarations; the policy's take precedence."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._refinements = {tool.name: tool for tool in policy.tools}
        self._compared_version = -1
        self._changes = 0
        self._replaced: set[str] = set()
        # A `Tool` here is not compiled yet.
        self._entries: dict[str, Entry | Tool] = {}
        self._lock = renewed(RLock())
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

    def __len__(self) -> int:
        return len(self._entries.keys() | SHARED.bindings.keys())

"""The tools shared by every Shield of the process."""

from __future__ import annotations

from threading import RLock

from abs_shield.core.fork_safety import renewed
from abs_shield.shield.name_conflicts import require_one
from abs_shield.shield.signature import Binding


class Shared:
    """
    Tools decorated with a bare ``@shielded``, shared by every Shield of the process.

    Attributes:
        bindings: The functions, by tool name.
        version: Increases with every added tool; a Shield compares its tools once per version.
    """

    def __init__(self) -> None:
        self.bindings: dict[str, Binding] = {}
        self.version = 0
        self._lock = renewed(RLock())

    def add(self, binding: Binding, *, replace: bool = False) -> None:
        """
        Add a tool.

        Raises:
            PolicyError: Another function has the same name, and *replace* is False.
        """
        with self._lock:
            if not replace:
                require_one(self.bindings.get(binding.tool.name), binding)
            self._store(binding)

    def add_ambiguous(self, binding: Binding) -> None:
        """Replace the function of a tool that a factory created several times by a placeholder."""
        with self._lock:
            self._store(binding)

    def _store(self, binding: Binding) -> None:
        self.bindings[binding.tool.name] = binding
        self.version += 1


SHARED = Shared()

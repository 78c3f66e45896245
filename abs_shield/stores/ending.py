"""Old path of `abs_shield.stores.process_exit`."""

from __future__ import annotations

from abs_shield.core.module_names import old_names

__getattr__ = old_names(
    __name__, {"exit_on_sigterm": "abs_shield.stores.process_exit:exit_on_sigterm"}
)

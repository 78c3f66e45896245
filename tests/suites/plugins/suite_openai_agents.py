"""Every run of `agents.Runner` is a run of the `ShieldedRunner`."""

from __future__ import annotations

import sys
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from agents import Runner
from suite_shield import firewall

from abs_shield import Shield
from abs_shield.adapters.openai_agents import ShieldedRunner

_NAMES = ("run", "run_sync", "run_streamed")
_plain = SimpleNamespace(**{name: getattr(Runner, name) for name in _NAMES})


@lru_cache(maxsize=1)
def _runner(shield: Shield) -> ShieldedRunner:
    return ShieldedRunner(shield)


def _shielded(name: str) -> classmethod[Any, Any, Any]:
    def run(cls: type, *args: Any, **options: Any) -> Any:
        return getattr(_runner(firewall()), name)(*args, **options)

    return classmethod(run)


for _module in [sys.modules[name] for name in sys.modules if name.startswith("abs_shield.adapt")]:
    if getattr(_module, "Runner", None) is Runner:
        _module.Runner = _plain  # type: ignore[attr-defined]
for _name in _NAMES:
    setattr(Runner, _name, _shielded(_name))

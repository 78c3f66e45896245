"""Every run that no Shield judges yet is judged as a run of the `ShieldedRunner`."""

from __future__ import annotations

from typing import Any

from suite_shield import firewall

from abs_shield.adapters.openai_agents import sdk
from abs_shield.adapters.openai_agents.run import Entry, Runs

_known = sdk._entry


def entry(agent: Any, state: Any, context: Any) -> Entry:
    """Return how a run is judged; also where the host calls `Runner`, or a runner of its own."""
    return _known(agent, state, context) or Entry(Runs(firewall(), None), answers=True)


sdk.install()
sdk._entry = entry

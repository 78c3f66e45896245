"""A run's configuration with which the model, and not the host, hears of unknown tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from agents import RunConfig, ToolErrorFormatterArgs

from abs_shield.adapters.openai_agents.run import known_run
from abs_shield.core import Mode
from abs_shield.core.names import PHANTOM_TOOL
from abs_shield.policy import Policy
from abs_shield.shield import Shield
from abs_shield.shield.turns import feedback_text


def shielded_config(
    config: RunConfig | Mapping[str, Any] | None = None, *, firewall: Shield
) -> RunConfig:
    """
    Give a run's configuration with which the model, and not the host, hears of unknown tools.

    Args:
        config: The configuration so far; it is left as it is.
        firewall: The Shield; where its policy does not enforce `phantom_tool`, nothing changes.

    Returns:
        The configuration, for ``run_config``.
    """
    answered = answered_config(config, firewall=firewall)
    if isinstance(answered, Mapping):
        return RunConfig(**answered)
    return RunConfig() if answered is None else answered


def answered_config(
    config: RunConfig | Mapping[str, Any] | None, *, firewall: Shield
) -> RunConfig | Mapping[str, Any] | None:
    """
    Return the configuration in the host's own form, so that the SDK owns what it owned before.

    The SDK closes the model provider after a run where none was configured; a mapping without
    one counts as that, a `RunConfig` does not.
    """
    if not _enforces(firewall.policy):
        return config
    is_record = isinstance(config, RunConfig)
    options: Mapping[str, Any] = vars(config) if is_record else config or {}
    host = options.get("tool_error_formatter")
    if isinstance(host, _Unknown):
        return config
    more: dict[str, Any] = {
        "tool_not_found_behavior": "return_error_to_model",
        "tool_error_formatter": _Unknown(host),
    }
    return replace(config, **more) if isinstance(config, RunConfig) else {**options, **more}


def _enforces(policy: Policy) -> bool:
    mode = policy.modes.get(PHANTOM_TOOL, policy.mode)
    return mode is Mode.STRICT and PHANTOM_TOOL in policy.layer_names


@dataclass(frozen=True)
class _Unknown:
    """Answers the call of an unknown tool with feedback, all else as the host does."""

    host: Callable[[ToolErrorFormatterArgs[Any]], Any] | None

    def __call__(self, args: ToolErrorFormatterArgs[Any]) -> Any:
        run = known_run(args.run_context)
        decision = None if run is None else run.unknown.get(args.call_id)
        if args.kind == "tool_not_found" and decision is not None and decision.blocked:
            return feedback_text(decision)
        return None if self.host is None else self.host(args)

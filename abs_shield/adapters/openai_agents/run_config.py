"""Run configuration that returns calls of unknown tools to the model instead of raising."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from agents import RunConfig, ToolErrorFormatterArgs

from abs_shield.adapters.openai_agents.run_context import run_of
from abs_shield.core import Mode
from abs_shield.core.vocabularies import PHANTOM_TOOL
from abs_shield.policy import Policy
from abs_shield.shield import Shield
from abs_shield.shield.tool_call_loop import feedback_text


def shielded_config(
    config: RunConfig | Mapping[str, Any] | None = None, *, firewall: Shield
) -> RunConfig:
    """
    Return a run configuration that answers calls of unknown tools with feedback to the model.

    Args:
        config: The host's configuration; it is not changed.
        firewall: The Shield; if its policy does not enforce `phantom_tool`, the configuration is
            returned unchanged.

    Returns:
        The configuration, for ``run_config``.
    """
    configuration = answer_missing_tools(config, firewall=firewall)
    if isinstance(configuration, Mapping):
        return RunConfig(**configuration)
    return RunConfig() if configuration is None else configuration


def answer_missing_tools(
    config: RunConfig | Mapping[str, Any] | None, *, firewall: Shield
) -> RunConfig | Mapping[str, Any] | None:
    """
    Return the configuration in the host's own form, a mapping or a `RunConfig`.

    The form matters: the SDK closes its model provider after a run with a mapping that does not
    configure one, but not after a run with a `RunConfig`.
    """
    # in audit mode, the run must end as it does without a Shield
    if not _enforces(firewall.policy):
        return config
    is_record = isinstance(config, RunConfig)
    options: Mapping[str, Any] = vars(config) if is_record else config or {}
    host = options.get("tool_error_formatter")
    if isinstance(host, _FeedbackFormatter):  # a continued run already has it
        return config
    changes: dict[str, Any] = {
        "tool_not_found_behavior": "return_error_to_model",
        "tool_error_formatter": _FeedbackFormatter(host),
    }
    return replace(config, **changes) if isinstance(config, RunConfig) else {**options, **changes}


def _enforces(policy: Policy) -> bool:
    mode = policy.modes.get(PHANTOM_TOOL, policy.mode)
    return mode is Mode.STRICT and PHANTOM_TOOL in policy.layer_names


@dataclass(frozen=True)
class _FeedbackFormatter:
    """Answers calls of unknown tools with feedback; passes other errors to the host's formatter."""

    host: Callable[[ToolErrorFormatterArgs[Any]], Any] | None

    def __call__(self, args: ToolErrorFormatterArgs[Any]) -> Any:
        run = run_of(args.run_context)
        decision = None if run is None else run.unoffered.get(args.call_id)
        if args.kind == "tool_not_found" and decision is not None and decision.blocked:
            return feedback_text(decision)
        return None if self.host is None else self.host(args)

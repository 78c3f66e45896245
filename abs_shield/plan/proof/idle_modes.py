"""An entry of `modes` that changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from abs_shield.core import LAYER_NAMES, Mode
from abs_shield.core.vocabularies import ANSWER, OF_NO_TOOL, OPT_IN_NAMES, VERIFICATION
from abs_shield.plan.compile import layer_mode, tool_mode
from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext
from abs_shield.policy import Policy, Tool
from abs_shield.text.safe_display import escaped

_LAYERS = frozenset((*LAYER_NAMES, *OPT_IN_NAMES, VERIFICATION, *OF_NO_TOOL))
_JUDGED = {VERIFICATION: "results", ANSWER: "answers"}
# Modes by layer also apply to calls of unregistered tools.
_UNREGISTERED = Tool(name="an unregistered tool")


def idle_modes(context: ProofContext) -> Iterator[Problem]:
    """``modes={("refund", "call_loop"): "audit"}`` although ``call_loop`` does not run."""
    for key in context.policy.modes:
        parts = key if isinstance(key, tuple) else (key,)
        if reason := _explain_idle(key, parts, context):
            entry = ", ".join(f"`{escaped(part)}`" for part in parts)
            yield problem(
                "idle_mode",
                f"`modes` of {entry} changes nothing: {reason}",
                subject="`modes`",
                place=context.policy.place,
                hint="leave it out",
            )


def _explain_idle(key: str | tuple[str, str], parts: tuple[str, ...], context: ProofContext) -> str:
    """Return why an entry is idle; empty if it is not, or if another check reports its name."""
    if key in OF_NO_TOOL and key not in context.tools:
        return _explain_idle_answer_mode(context.policy, str(key))
    runs = context.policy.checks
    layers = [part for n, part in enumerate(parts) if n == 1 or part in _LAYERS or part in runs]
    if any(part not in context.tools and part not in layers for part in parts):
        return ""
    if layers and layers[-1] not in runs and parts[-1] not in context.tools:
        if layers[-1] in _JUDGED:
            return f"the policy judges no {_JUDGED[layers[-1]]}"
        return f"layer `{escaped(layers[-1])}` does not run"
    without = {other: mode for other, mode in context.policy.modes.items() if other != key}
    rest = context.policy.model_copy(update={"modes": without})
    # By comparison, so that the order of precedence is defined in one place only.
    if _effective_modes(context.policy, context.tools) != _effective_modes(rest, context.tools):
        return ""
    return "the same modes apply without it"


def _explain_idle_answer_mode(policy: Policy, key: str) -> str:
    if key == ANSWER and policy.answer is False:
        return "the policy judges no answers"
    return "the same modes apply without it" if policy.modes[key] is policy.mode else ""


def _effective_modes(policy: Policy, tools: Mapping[str, Tool]) -> list[tuple[Mode, list[Mode]]]:
    """Return the modes that apply to every tool, and to an unregistered one."""
    layers = policy.checks
    return [
        (
            tool_mode(policy, tool) or policy.mode,
            [layer_mode(policy, name, tool) for name in layers],
        )
        for tool in (*tools.values(), _UNREGISTERED)
    ]

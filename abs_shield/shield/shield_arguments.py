"""The arguments of a Shield: its policy, or the keywords of one, and its decision hooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from abs_shield.core import Mode
from abs_shield.core.declared_fields import require_fields
from abs_shield.errors import PolicyError
from abs_shield.policy import Policy, configure
from abs_shield.policy.configuration import PolicyFields
from abs_shield.shield.call_inputs import require_attribute
from abs_shield.shield.tool_registry import Registry
from abs_shield.stores import MemoryStore, Store
from abs_shield.telemetry import Hook, Otel, StructLog
from abs_shield.text.safe_display import escaped, shown


def resolve_policy(policy: object, declared: PolicyFields, *, own: Iterable[str]) -> Policy:
    """
    Return the policy that was passed, or build it from keywords of `configure`.

    Args:
        policy: The policy; None if it is declared by keywords.
        declared: The keywords; empty if the policy was passed.
        own: The other keywords of a Shield, which are suggested for a misspelt one.

    Raises:
        PolicyError: A policy was passed as well, a keyword is unknown, or the object is not a
            policy.
    """
    if declared:
        require_fields("Shield", declared, [*own, *PolicyFields.__annotations__])
        if policy is not None:
            name = next(iter(declared))
            raise PolicyError(f"Shield: got a policy and `{name}`; put `{name}` into the policy")
        return configure(**declared)
    if not isinstance(policy, Policy):
        raise PolicyError(
            f"a Shield takes a policy, not {type(policy).__name__}; use {_policy_hint(policy)}"
        )
    return policy


def _policy_hint(policy: object) -> str:
    """Return the expression that builds a policy from what was passed instead of one."""
    if isinstance(policy, str) and policy in (*Mode,):
        return f'`Shield(mode="{policy}")`'
    if isinstance(policy, str):
        return f"`load_policy({shown(policy)})`"
    if isinstance(policy, Mapping) and policy:
        return f"`Shield({escaped(str(next(iter(policy))))}=...)`, or `shield.configure` of it"
    return "`shield.configure`"


def build_hooks(
    hooks: Iterable[Hook] | None, store: Store, tools: Registry
) -> tuple[Otel, tuple[Hook, ...]]:
    """
    Return the `Otel` that opens the spans of tools, and all hooks in the order of their calls.

    Unless *hooks* is None, OpenTelemetry and structlog are each called once per decision.
    OpenTelemetry comes first, so that the log line can contain the id of its span.

    Raises:
        PolicyError: *hooks* is not a list of callables.
    """
    # A string is iterable by letters, and the message would name the first one.
    if isinstance(hooks, (str, Mapping)):
        raise PolicyError(f"Shield: `hooks` is {shown(hooks)}; give a list of callables")
    require_attribute(hooks, "hooks", "__iter__", "a list of callables")
    declared = tuple(hooks or ())
    for hook in declared:
        require_attribute(hook, "hooks", "__call__", "callables of one Decision")
    spans = tuple(hook for hook in declared if isinstance(hook, Otel)) or (Otel(),)
    # Deduplicated, because a host may pass the same `Otel` twice.
    for otel in dict.fromkeys(spans):
        if hasattr(store, "status") and not isinstance(store, MemoryStore):
            otel.watch(store)
        otel.learn(tools)
    if hooks is None:
        return spans[0], ()
    log = () if any(isinstance(hook, StructLog) for hook in declared) else (StructLog(),)
    return spans[0], (*spans, *log, *(hook for hook in declared if not isinstance(hook, Otel)))

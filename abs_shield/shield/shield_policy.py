"""The policy of a Shield, passed as one object or as keywords of `configure`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from abs_shield.core import Mode
from abs_shield.core.declared_fields import require_fields
from abs_shield.errors import PolicyError
from abs_shield.policy import Policy, configure
from abs_shield.policy.configuration import PolicyFields
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

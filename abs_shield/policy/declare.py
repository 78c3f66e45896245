"""The documented way to declare a policy: ``policy = shield.configure(mode="strict", ...)``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from abs_shield.errors import PolicyError
from abs_shield.policy.answer import AnswerConfig
from abs_shield.policy.declared import listed
from abs_shield.policy.inverse import Inverse
from abs_shield.policy.personal_data import PersonalData
from abs_shield.policy.policy import Policy
from abs_shield.policy.rule import Rule
from abs_shield.policy.suppression import Suppression
from abs_shield.policy.tool import Tool
from abs_shield.policy.verification import Verification
from abs_shield.session import Limits
from abs_shield.text.show import shown


def configure(
    declared: Mapping[str, Any] | None = None,
    /,
    *,
    mode: Literal["strict", "audit"] = "strict",
    threshold: float = 0.8,
    layers: Iterable[str | Callable[..., Any]] | None = None,
    tools: Iterable[Tool] = (),
    rules: Iterable[Rule] = (),
    inverses: Iterable[Inverse] = (),
    allow: Iterable[Any] = (),
    modes: Mapping[str | tuple[str, str], str] | None = None,
    on_suspicious: Literal["flag", "approve", "block"] = "flag",
    coercible: Literal["flag", "block"] = "flag",
    on_error: Literal["allow", "block"] | None = None,
    on_log_loss: Literal["allow", "block"] = "allow",
    retries: int = 3,
    window: tuple[int, float] = (10, 60.0),
    suppress: Iterable[Suppression] = (),
    verification: Verification | Literal[False] | None = None,
    answer: AnswerConfig | Literal[False] | None = None,
    pii: PersonalData | bool | None = None,
    limits: Limits | None = None,
    **unknown: Any,
) -> Policy:
    """
    Declare a policy: by keywords, or as one mapping of the same names.

    Returns:
        The policy, immutable, with a stable ``revision``. Its attributes are `Policy`'s.

    Raises:
        PolicyError: A name is misspelt, a value out of range, or both a mapping and keywords
            are given; the message says which, and the nearest valid one.

    >>> configure(mode="strict", threshold=0.8, layers=["phantom_tool", "impossible_state"]).mode
    <Mode.STRICT: 'strict'>
    """
    given = {
        "mode": mode, "threshold": threshold, "layers": layers, "tools": tools, "rules": rules,
        "inverses": inverses, "allow": allow, "modes": modes, "on_suspicious": on_suspicious,
        "coercible": coercible, "on_error": on_error, "on_log_loss": on_log_loss,
        "retries": retries, "window": window, "suppress": suppress, "verification": verification,
        "answer": answer, "pii": pii, "limits": limits,
    }  # fmt: skip
    usual = configure.__kwdefaults__ or {}
    said = {name: value for name, value in given.items() if value is not usual[name]} | unknown
    fields = said if declared is None else _mapping(declared, also=said)
    for name in [name for name in _OPTIONAL if fields.get(name, name) is None]:
        del fields[name]
    for name in _SEQUENCES & fields.keys():
        if fields[name] is not None:
            fields[name] = listed(fields[name], where=f"policy: `{name}`")
    return Policy(**fields)


def _mapping(declared: Any, *, also: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(declared, Mapping):
        raise PolicyError(f"policy: got {shown(declared)}; give keywords, or one mapping of them")
    if also:
        raise PolicyError(
            f"policy: got a mapping and `{next(iter(also))}`; put everything into the mapping"
        )
    return dict(declared)


_OPTIONAL = ("modes", "limits", "verification", "answer")
_SEQUENCES = frozenset({"layers", "tools", "rules", "inverses", "allow", "suppress"})

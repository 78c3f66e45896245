"""The documented way to declare a policy: ``policy = shield.configure(mode="strict", ...)``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from abs_shield.errors import PolicyError
from abs_shield.policy.inverse import Inverse
from abs_shield.policy.policy import Policy
from abs_shield.policy.rule import Rule
from abs_shield.policy.suppression import Suppression
from abs_shield.policy.tool import Tool
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
    on_error: Literal["allow", "block"] | None = None,
    retries: int = 3,
    window: tuple[int, float] = (10, 60.0),
    suppress: Iterable[Suppression] = (),
    verification: None = None,
    answer: None = None,
    limits: Limits | None = None,
    **unknown: Any,
) -> Policy:
    """
    Declare a policy: by keywords, or as one mapping of the same names.

    Returns:
        The policy, immutable, with a stable ``revision``. Its attributes are `Policy`'s.

    Raises:
        PolicyError: A name is misspelt or a value out of range; the message says which, and
            the nearest valid one.

    >>> configure(mode="strict", threshold=0.8, layers=["phantom_tool", "impossible_state"]).mode
    <Mode.STRICT: 'strict'>
    """
    given = {
        "mode": mode, "threshold": threshold, "layers": layers, "tools": tools, "rules": rules,
        "inverses": inverses, "allow": allow, "modes": modes or {}, "on_suspicious": on_suspicious,
        "on_error": on_error, "retries": retries, "window": window, "suppress": suppress,
        "verification": verification, "answer": answer, "limits": limits or Limits(),
    }  # fmt: skip
    fields = {**given, **unknown} if declared is None else dict(declared)
    for name in _SEQUENCES & fields.keys():
        fields[name] = _sequence(name, fields[name])
    return Policy(**fields)


_SEQUENCES = frozenset({"layers", "tools", "rules", "inverses", "allow", "suppress"})


def _sequence(name: str, value: Any) -> Any:
    if isinstance(value, (str, bytes, Mapping)):
        raise PolicyError(f"policy: `{name}` is {shown(value)}; give a list")
    return value if value is None else tuple(value)

"""Declaration of a policy: ``policy = shield.configure(mode="strict", ...)``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypedDict, Unpack, overload

from abs_shield.core import Mode
from abs_shield.errors import PolicyError
from abs_shield.policy.check_config import AnswerConfig, PersonalData, Verification
from abs_shield.policy.declaration_base import as_tuple
from abs_shield.policy.inverse_tools import Inverse
from abs_shield.policy.policy import Policy
from abs_shield.policy.rule import Rule
from abs_shield.policy.suppression import Suppression
from abs_shield.policy.tool_declaration import Tool
from abs_shield.session import Limits
from abs_shield.text.safe_display import shown

ModeName = Literal["strict", "audit"]
Modes = Mapping[str | tuple[str, str], ModeName | Mode]
"""The mode of a layer, a tool, or a pair (tool, layer)."""


class PolicyFields(TypedDict, total=False):
    """The keywords of `configure`, for functions that forward them."""

    mode: ModeName | Mode
    threshold: float
    layers: Iterable[str | Callable[..., Any]] | None
    tools: Iterable[Tool | Mapping[str, Any]]
    rules: Iterable[Rule]
    inverses: Iterable[Inverse]
    allow: Iterable[Any]
    modes: Modes | None
    on_suspicious: Literal["flag", "approve", "block"]
    coercible: Literal["flag", "block"]
    on_error: Literal["allow", "block"] | None
    on_log_loss: Literal["allow", "block"]
    retries: int
    window: tuple[int, float]
    suppress: Iterable[Suppression | Mapping[str, Any]]
    verification: Verification | Mapping[str, Any] | Literal[False] | None
    answer: AnswerConfig | Mapping[str, Any] | Literal[False] | None
    pii: PersonalData | Mapping[str, Any] | bool | None
    limits: Limits | Mapping[str, Any] | None


@overload
def configure(declared: Mapping[str, Any], /) -> Policy: ...


@overload
def configure(**keywords: Unpack[PolicyFields]) -> Policy: ...


def configure(
    declared: Mapping[str, Any] | None = None,
    /,
    *,
    mode: ModeName | Mode = "strict",
    threshold: float = 0.8,
    layers: Iterable[str | Callable[..., Any]] | None = None,
    tools: Iterable[Tool | Mapping[str, Any]] = (),
    rules: Iterable[Rule] = (),
    inverses: Iterable[Inverse] = (),
    allow: Iterable[Any] = (),
    modes: Modes | None = None,
    on_suspicious: Literal["flag", "approve", "block"] = "flag",
    coercible: Literal["flag", "block"] = "flag",
    on_error: Literal["allow", "block"] | None = None,
    on_log_loss: Literal["allow", "block"] = "allow",
    retries: int = 3,
    window: tuple[int, float] = (10, 60.0),
    suppress: Iterable[Suppression | Mapping[str, Any]] = (),
    verification: Verification | Mapping[str, Any] | Literal[False] | None = None,
    answer: AnswerConfig | Mapping[str, Any] | Literal[False] | None = None,
    pii: PersonalData | Mapping[str, Any] | bool | None = None,
    limits: Limits | Mapping[str, Any] | None = None,
    **unrecognized: Any,
) -> Policy:
    """
    Declare a policy: by keywords, or as one mapping of the same names.

    Args:
        declared: A mapping with the keywords below, instead of keywords.
        mode: ``"strict"`` blocks HALLUCINATED calls, results and answers; ``"audit"`` only
            records findings.
        threshold: Sensitivity in [0, 1]: a finding of strength s counts if s >= 1 - threshold.
            At 1 every finding counts, at 0 only certain ones.
        layers: The layers to run, by name or as your own functions; None for all six.
        tools: Tools without a decorated function, and refinements of decorated functions.
        rules: Functions decorated with `rule`, which reject impossible calls.
        inverses: Pairs of tools that undo each other; see `inverse`.
        allow: Values, globs or callables that are accepted as targets in every parameter, even if
            they do not occur in the session.
        modes: The mode of a layer, a tool, or a pair ``(tool, layer)``, by name.
        on_suspicious: The action on a SUSPICIOUS call in strict mode: ``"flag"`` lets it run,
            ``"approve"`` asks the Shield's approver, ``"block"`` blocks it.
        coercible: The verdict on a value that converts to the schema's type without loss, such
            as ``"71"`` for 71: ``"flag"`` is SUSPICIOUS, ``"block"`` is HALLUCINATED.
        on_error: Whether a call runs when a check fails with an internal error; None blocks it
            in strict mode and allows it in audit mode.
        on_log_loss: Whether a call runs when the store cannot record its decision.
        retries: Number of blocked attempts per tool and run after which the model is told to
            stop; at least 1.
        window: Number of calls, at most 256, and of seconds, within which two calls can
            contradict each other.
        suppress: Known false positives, each with a reason; see `Suppression`.
        verification: Settings for judging tool results; None for the defaults, False to turn it
            off.
        answer: Settings for judging answers; None for the defaults, False to turn it off.
        pii: Personal data to detect in arguments: True for every kind, None for none.
        limits: The limits of a session's memory; None for the defaults.

    Returns:
        The immutable policy; see `Policy` for its attributes.

    Raises:
        PolicyError: A name is misspelt, a value is out of range, or both a mapping and keywords
            are passed; the message contains the place and the nearest valid name.

    >>> configure(mode="strict", threshold=0.8, layers=["phantom_tool", "impossible_state"]).mode
    <Mode.STRICT: 'strict'>
    """
    keywords = {
        "mode": mode, "threshold": threshold, "layers": layers, "tools": tools, "rules": rules,
        "inverses": inverses, "allow": allow, "modes": modes, "on_suspicious": on_suspicious,
        "coercible": coercible, "on_error": on_error, "on_log_loss": on_log_loss,
        "retries": retries, "window": window, "suppress": suppress, "verification": verification,
        "answer": answer, "pii": pii, "limits": limits,
    }  # fmt: skip
    # Only keywords that differ from their default, because a mapping allows no other keywords.
    defaults = configure.__kwdefaults__ or {}
    explicit = {k: v for k, v in keywords.items() if v is not defaults[k]} | unrecognized
    fields = explicit if declared is None else _mapping(declared, also=explicit)
    return Policy(**_normalise(fields))


def _mapping(declared: Any, *, also: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(declared, Mapping):
        raise PolicyError(f"policy: got {shown(declared)}; give keywords, or one mapping of them")
    if also:
        raise PolicyError(
            f"policy: got a mapping and `{next(iter(also))}`; put all fields into the mapping"
        )
    return dict(declared)


def _normalise(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields as the model `Policy` takes them: no None for a default, tuples."""
    # Here None means the default, which the model has, too; it does not accept None.
    declared = {
        name: value for name, value in fields.items() if value is not None or name not in _OPTIONAL
    }
    for name in _SEQUENCES & declared.keys():
        # `layers=None` means all layers; an empty tuple means none.
        if declared[name] is not None:
            declared[name] = as_tuple(declared[name], where=f"policy: `{name}`")
    return declared


_OPTIONAL = ("modes", "limits", "verification", "answer")
_SEQUENCES = frozenset({"layers", "tools", "rules", "inverses", "allow", "suppress"})

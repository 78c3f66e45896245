"""The mode for one layer of one tool."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import Mode, Tool
from abs_shield.plan import compile_tool
from abs_shield.plan.compile import layer_mode
from abs_shield.policy import configure

PAIR = ("refund", "phantom_tool")


@pytest.mark.parametrize(
    ("policy", "layer", "by_name", "tool", "pair", "expected"),
    [
        ("strict", None, None, None, None, "strict"),
        ("audit", None, None, None, None, "audit"),
        ("audit", "strict", None, None, None, "strict"),
        ("strict", "audit", None, None, None, "audit"),
        ("audit", None, "strict", None, None, "strict"),
        ("strict", None, "audit", None, None, "audit"),
        ("audit", None, None, "strict", None, "strict"),
        ("strict", None, None, "audit", None, "audit"),
        ("strict", "strict", "audit", None, None, "audit"),
        ("strict", "audit", "strict", None, None, "audit"),
        ("audit", "strict", "strict", None, None, "strict"),
        ("audit", None, "strict", "audit", None, "audit"),
        ("audit", None, "audit", "strict", None, "audit"),
        ("audit", "strict", None, "audit", None, "audit"),
        ("audit", "strict", "strict", "strict", None, "strict"),
        ("audit", "audit", "audit", "audit", "strict", "strict"),
        ("strict", "strict", "strict", "strict", "audit", "audit"),
        ("audit", None, None, None, "strict", "strict"),
    ],
)
def test_the_precedence_of_modes(
    policy: str,
    layer: str | None,
    by_name: str | None,
    tool: Any,
    pair: str | None,
    expected: str,
) -> None:
    """A (tool, layer) entry comes first, then layer and tool, then the policy."""
    words: dict[Any, str | None] = {"phantom_tool": layer, "refund": by_name, PAIR: pair}
    declared: Any = configure(
        {"mode": policy, "modes": {key: word for key, word in words.items() if word}}
    )

    assert expected == layer_mode(declared, "phantom_tool", Tool(name="refund", mode=tool))


def test_an_entry_for_a_pair_affects_only_the_pair() -> None:
    """Another tool and another layer keep the policy's mode."""
    policy = configure(mode="audit", modes={PAIR: "strict"})
    plan, other = (compile_tool(Tool(name=name), policy) for name in ("refund", "transfer"))

    assert (
        plan.modes["phantom_tool"],
        plan.modes["parameter_mismatch"],
        other.modes["phantom_tool"],
    ) == (Mode.STRICT, Mode.AUDIT, Mode.AUDIT)


@pytest.mark.parametrize(
    ("modes", "tool", "expected"),
    [
        ({}, None, "strict"),
        ({"refund": "audit"}, None, "audit"),
        ({}, "audit", "audit"),
        ({"refund": "strict"}, "audit", "audit"),
        ({"phantom_tool": "audit"}, None, "strict"),
    ],
)
def test_the_mode_without_a_finding(modes: Any, tool: Any, expected: str) -> None:
    """A clean call has the tool's mode, or else the policy's."""
    plan = compile_tool(Tool(name="refund", mode=tool), configure(modes=modes))

    assert expected == plan.mode

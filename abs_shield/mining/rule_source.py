"""Render the rules of a draft, as comments that can be adopted."""

from __future__ import annotations

from abs_shield.mining.draft import Among, Draft, Suggestion, Within
from abs_shield.mining.python_literals import (
    WIDTH,
    comment,
    commented,
    exploded,
    flat,
    literal,
    name_for,
)

_AMONG = '    """The value occurs in recorded calls."""'
_WITHIN = '    """The number is on the scale of the recorded calls."""'
_SIGN = '    """The number is {}, as in every recorded call that worked."""'


_HOW = (
    "Rules that the runs suggest. None is declared, because other values may be valid, too. To"
    " adopt one, uncomment it, import `rule` from `abs_shield`, and name its function in the"
    " policy: `rules=[...]`."
)


def render_rules(draft: Draft) -> list[str]:
    """Return every rule as a comment, sorted by tool, after an explanation."""
    taken: set[str] = {"policy", "rule", "inverse", "shield"}
    blocks: list[str] = []
    for tool in draft.tools:
        for each in draft.of(tool.name):
            if isinstance(each.declaration, (Among, Within)):
                name = name_for(each.parameter, "of", each.tool, taken=taken)
                about = f"{_about(each)}; not declared, {each.objection}:"
                source = f"{_decorated(each)}\n{_function(each, name)}"
                blocks.append("\n".join([*comment(about), *commented(source)]))
            elif each.kind == "range":
                blocks.append("\n".join(comment(_about(each))))
    proposed = any(isinstance(each.declaration, (Among, Within)) for each in draft.suggestions)
    return ["\n".join(comment(_HOW)), *blocks] if proposed else blocks


def _about(each: Suggestion) -> str:
    return f"`{each.parameter}` of `{each.tool}`: {each.evidence}"


def _decorated(each: Suggestion) -> str:
    takes = {"value": each.parameter}
    short = f"@rule(tool={flat(each.tool)}, takes={flat(takes)})"
    if len(short) <= WIDTH and short.isascii():
        return short
    items = [
        f"tool={literal(each.tool, indent=4, used=9)}",
        f"takes={literal(takes, indent=4, used=10)}",
    ]
    return f"@rule{exploded(items, '(', ')', indent=0)}"


def _function(each: Suggestion, name: str) -> str:
    if isinstance(each.declaration, Within):
        within = each.declaration
        takes, others = "float | None", "value is None"
        if within.mixed:
            takes, others = "object", "not isinstance(value, (int, float))"
        lines = [
            f"def {name}(value: {takes}) -> bool:",
            _WITHIN if within.high is not None else _SIGN.format(_sign(within)),
            f"    return {others} or {_compared(within)}",
        ]
    elif isinstance(each.declaration, Among):
        values = literal(each.declaration.values, indent=4, used=11, after=0)
        lines = [
            f"def {name}(value: object) -> bool:",
            _AMONG,
            f"    seen = {values}",
            "    return value is None or value in seen",
        ]
    else:
        raise TypeError(f"no rule says {type(each.declaration).__name__}")
    return "\n".join(lines)


def _sign(within: Within) -> str:
    return "above zero" if within.above else "not below zero"


def _compared(within: Within) -> str:
    low = flat(within.low)
    if within.high is not None:
        return f"{low} <= value <= {flat(within.high)}"
    return f"value > {low}" if within.above else f"value >= {low}"

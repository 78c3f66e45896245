"""The rules of a draft as source: functions, and comments where they are not declared."""

from __future__ import annotations

from dataclasses import dataclass

from abs_shield.replay.mining.draft import Among, Draft, Suggestion, Within
from abs_shield.replay.mining.python import (
    WIDTH,
    comment,
    commented,
    exploded,
    flat,
    literal,
    name_for,
)

_AMONG = '    """The value is one of those that recorded calls had."""'
_WITHIN = '    """The number lies where those of recorded calls lay."""'


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRules:
    """Blocks of source, and the declared functions' names with what they say."""

    blocks: tuple[str, ...]
    names: dict[str, Suggestion]


def written_rules(draft: Draft) -> WrittenRules:
    """Give every rule, sorted as its tools are."""
    taken: set[str] = {"policy", "rule", "inverse", "shield"}
    blocks: list[str] = []
    names: dict[str, Suggestion] = {}
    for tool in draft.tools:
        for each in draft.of(tool.name):
            if isinstance(each.says, (Among, Within)):
                name = name_for(each.parameter, "of", each.tool, taken=taken)
                blocks.append(_block(each, name))
                if each.declared:
                    names[name] = each
            elif each.kind == "range":
                blocks.append("\n".join(comment(_about(each))))
    return WrittenRules(blocks=tuple(blocks), names=names)


def _about(each: Suggestion) -> str:
    return f"`{each.parameter}` of `{each.tool}`: {each.evidence}"


def _block(each: Suggestion, name: str) -> str:
    source = f"{_decorated(each)}\n{_function(each, name)}"
    if each.declared:
        return "\n".join([*comment(_about(each)), source])
    about = f"{_about(each)}; not declared, {each.why_not}:"
    return "\n".join([*comment(about), *commented(source)])


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
    if isinstance(each.says, Within):
        low, high = flat(each.says.low), flat(each.says.high)
        body = f"    return {low} <= value <= {high}"
        lines = [f"def {name}(value: float) -> bool:", _WITHIN, body]
    elif isinstance(each.says, Among):
        seen = literal(each.says.values, indent=4, used=11, after=0)
        lines = [
            f"def {name}(value: object) -> bool:",
            _AMONG,
            f"    seen = {seen}",
            "    return value is None or value in seen",
        ]
    else:
        raise TypeError(f"no rule says {type(each.says).__name__}")
    return "\n".join(lines)

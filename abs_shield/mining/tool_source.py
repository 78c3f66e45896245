"""Render one tool of a draft: its description, and each mark with its evidence."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.mining.draft import Draft, Suggestion, SuggestionKind
from abs_shield.mining.python_literals import WIDTH, comment, exploded, flat, literal
from abs_shield.policy import Tool

_IN = 8  # columns of the arguments of `Tool(`
_NAME_FIELDS = ("free", "creates")
_EFFECTS = ("destructive", "read_only")
_HINTS = ("idempotent", "open_world")


def render_tool(tool: Tool, draft: Draft) -> str:
    """Return the lines of one tool in the list."""
    suggestions = draft.of(tool.name)
    about = [*draft.remarks.get(tool.name, ())]
    about += [s.evidence for s in suggestions if s.kind is SuggestionKind.CREATES and s.is_remark]
    lines = [line for text in about for line in comment(text, indent=4)]
    lines += [
        "    Tool(",
        *_described(tool),
        *_marks(suggestions),
        *_effects(tool, suggestions),
        "    ),",
    ]
    return "\n".join(lines)


def _described(tool: Tool) -> Iterator[str]:
    yield _field("name", tool.name)
    if tool.description:
        yield _field("description", tool.description)
    yield _field("parameters", tool.parameters)


def _field(name: str, value: object) -> str:
    return f"{' ' * _IN}{name}={literal(value, indent=_IN, used=_IN + len(name) + 1)},"


def _marks(suggestions: list[Suggestion]) -> Iterator[str]:
    """Yield the marks of parameters; remarks and undeclared marks as comments."""
    for remark in suggestions:
        if remark.kind is SuggestionKind.TARGET and remark.is_remark:
            yield from comment(f"`{remark.parameter}`: {remark.evidence}", indent=_IN)
    if targets := [*_for_field(suggestions, "targets")]:
        yield from (line for each in targets for line in _evidence(each, _one_target(each)))
    if declared := [each.parameter for each in targets if each.declared]:
        yield _targets(declared)
    for field in _NAME_FIELDS:
        for_field = [*_for_field(suggestions, field)]
        for each in for_field:
            yield from _evidence(each, f"{field}={flat((each.parameter,))}")
        if declared := [each.parameter for each in for_field if each.declared]:
            yield _field(field, tuple(declared))


def _for_field(suggestions: list[Suggestion], field: str) -> Iterator[Suggestion]:
    return (each for each in suggestions if each.field == field)


def _evidence(each: Suggestion, source: str) -> Iterator[str]:
    about = f"`{each.parameter}`" if each.parameter else f"`{each.field}`"
    held = f"; not declared, {each.objection}: {source}" if each.objection else ""
    return comment(f"{about}: {each.evidence}{held}", indent=_IN)


def _one_target(each: Suggestion) -> str:
    return f"targets={{{flat(each.parameter)}: Target()}}"


def _targets(names: list[str]) -> str:
    items = [f"{flat(name)}: Target()" for name in names]
    short = f"{' ' * _IN}targets={{{', '.join(items)}}},"
    if len(short) <= WIDTH and short.isascii():
        return short
    return f"{' ' * _IN}targets={exploded(items, '{', '}', indent=_IN)},"


def _effects(tool: Tool, suggestions: list[Suggestion]) -> Iterator[str]:
    for field in _EFFECTS:
        for each in _for_field(suggestions, field):
            yield from _evidence(each, f"{field}=True")
            if each.declared:
                yield f"{' ' * _IN}{field}=True,"
            elif getattr(tool, field):  # else the tool's own annotation would declare it
                yield f"{' ' * _IN}{field}=False,"
    for field in _HINTS:
        if getattr(tool, field):
            yield f"{' ' * _IN}{field}=True,"

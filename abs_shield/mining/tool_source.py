"""Render one tool of a draft: its valid, bounded schema, and each mark with its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.errors import PolicyError
from abs_shield.mining.policy_draft import Draft, Suggestion, SuggestionKind
from abs_shield.mining.python_literals import WIDTH, comment, flat, list_source, literal
from abs_shield.plan import ToolPlan, compile_tool
from abs_shield.policy import Policy, Tool, configure
from abs_shield.text.safe_display import escaped

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
        *_describe(tool),
        *_marks(suggestions),
        *_effects(tool, suggestions),
        "    ),",
    ]
    return "\n".join(lines)


def _describe(tool: Tool) -> Iterator[str]:
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
    return f"{' ' * _IN}targets={list_source(items, '{', '}', indent=_IN)},"


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


LONGEST_DESCRIPTION = 1_000
"""Maximum length of a description: the text that a layer reads."""
_MOST_NODES = 5_000  # a module with more is not readable; the schema is then left out
_MOST_CHARACTERS = 400_000  # characters of one schema in the module
_DEEPEST = 40  # well below the 200 nested brackets that Python reads
_VALUES = frozenset({"enum", "const", "default", "examples", "example"})
_PLAIN: Policy = configure(mode="audit")


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedTool:
    """
    A tool as it is written to the module.

    Attributes:
        plan: The compiled tool, without settings of a policy.
        why: The reason if its schema is left out; else empty.
    """

    tool: Tool
    plan: ToolPlan
    why: str = ""


def describe_tool(tool: Tool) -> DescribedTool:
    """Return *tool* as it can be written to a module, compiled once."""
    why = _size_problem(tool)
    if not why:
        short = _with_short_descriptions(tool.parameters)
        about = tool.description[:LONGEST_DESCRIPTION]
        written = tool.model_copy(update={"description": about, "parameters": short})
        try:
            plan = compile_tool(written, _PLAIN, tolerant=True)
        # any of these for a schema from outside
        except (PolicyError, RecursionError, ValueError, TypeError) as error:
            why = f"{type(error).__name__}: {error}"
        else:
            why = plan.broken
            if not why:
                return DescribedTool(tool=written, plan=plan)
        why = f"it cannot be compiled: {escaped(why, limit=300)}"
    bare = tool.model_copy(
        update={"description": tool.description[:LONGEST_DESCRIPTION], "parameters": None}
    )
    plan = compile_tool(bare, _PLAIN, tolerant=True)  # without a schema it always compiles
    return DescribedTool(tool=bare, plan=plan, why=f"its schema is left out: {why}")


def _size_problem(tool: Tool) -> str:
    try:
        _Size().add(tool.parameters, 0)
    except OverflowError as error:
        return str(error)
    return ""


class _Size:
    """Counts the size of a schema in a module."""

    def __init__(self) -> None:
        self._nodes = self._characters = 0

    def add(self, value: Any, depth: int) -> None:
        """
        Count one value and its children.

        Raises:
            OverflowError: The schema is too large.
        """
        self._nodes += 1
        self._characters += len(value) if isinstance(value, str) else 0
        if depth > _DEEPEST:
            raise OverflowError(f"it is nested deeper than {_DEEPEST} levels")
        if self._nodes > _MOST_NODES or self._characters > _MOST_CHARACTERS:
            raise OverflowError(f"it holds more than {_MOST_NODES:,} values, or too much text")
        if isinstance(value, Mapping):
            for key, held in value.items():
                self._characters += len(str(key))
                self.add(held, depth + 1)
        elif isinstance(value, (list, tuple)):
            for held in value:
                self.add(held, depth + 1)


def _with_short_descriptions(schema: Any) -> Any:
    """Return the schema with truncated descriptions; values are not changed."""
    if isinstance(schema, list):
        return [_with_short_descriptions(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    result: dict[str, Any] = {}
    for key, held in schema.items():
        if key == "description" and isinstance(held, str):
            result[key] = held[:LONGEST_DESCRIPTION]
        else:
            # values that look like schemas are data
            result[key] = held if key in _VALUES else _with_short_descriptions(held)
    return result

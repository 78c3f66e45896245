"""Render a draft as a Python module: sorted, formatted and typed, with its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from abs_shield.mining.module_header import Header
from abs_shield.mining.policy_draft import (
    Among,
    Draft,
    Pass,
    Suggestion,
    SuggestionKind,
    Undone,
    Within,
)
from abs_shield.mining.python_literals import (
    WIDTH,
    comment,
    comment_lines,
    flat,
    list_source,
    literal,
    name_for,
)
from abs_shield.mining.tool_source import render_tool
from abs_shield.policy import Policy

_PAIR_HELP = (
    "Pairs that the names suggest. To take one over, import `inverse` from `abs_shield`, and write"
    " it into the policy: `inverses=[...]`."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedPairs:
    """Blocks of source, and whether the list is declared."""

    blocks: tuple[str, ...]
    declared: bool


def render_pairs(draft: Draft) -> RenderedPairs:
    """Return every pair; only as comments if none is declared."""
    pairs = [each for each in draft.suggestions if each.kind is SuggestionKind.INVERSE]
    declared = any(each.declared for each in pairs)
    indent = 4 if declared else 0  # comments stand alone without a list
    lines = [line for each in pairs for line in _lines(each, indent)]
    if not lines:
        return RenderedPairs(blocks=(), declared=False)
    around = ["INVERSES = [", *lines, "]"] if declared else [*comment(_PAIR_HELP), *lines]
    block = "\n".join(around)
    return RenderedPairs(blocks=(block,), declared=declared)


def _lines(each: Suggestion, indent: int) -> list[str]:
    if each.declared:
        return [*comment(each.evidence, indent=indent), f"{' ' * indent}{_source(each, indent)},"]
    text = f"{each.evidence}; not declared, {each.objection}: {_short(each)}"
    return [*comment(text, indent=indent)]


def _source(each: Suggestion, indent: int) -> str:
    short = _short(each)
    # a wide character counts as two columns for a formatter
    if indent + len(short) + 1 <= WIDTH and short.isascii():
        return short
    then, same = _pair(each)
    held = literal(same, indent=indent + 4, used=indent + 9)
    items = [
        literal(each.tool, indent=indent + 4, used=indent + 4),
        literal(then, indent=indent + 4, used=indent + 4),
        f"same={held}",
    ]
    return f"inverse{list_source(items, '(', ')', indent=indent)}"


def _short(each: Suggestion) -> str:
    then, same = _pair(each)
    return f"inverse({flat(each.tool)}, {flat(then)}, same={flat(same)})"


def _pair(each: Suggestion) -> tuple[str, str | dict[str, str]]:
    assert isinstance(each.declaration, Undone)
    then, own, theirs = each.declaration.then, each.parameter, each.declaration.parameter
    return then, own if own == theirs else {each.tool: own, then: theirs}


_AMONG = '    """The value occurs in recorded calls."""'
_WITHIN = '    """The number is on the scale of the recorded calls."""'
_SIGN = '    """The number is {}, as in every recorded call that worked."""'


_RULE_HELP = (
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
                source = f"{_decorator_source(each)}\n{_function(each, name)}"
                blocks.append("\n".join([*comment(about), *comment_lines(source)]))
            elif each.kind == "range":
                blocks.append("\n".join(comment(_about(each))))
    proposed = any(isinstance(each.declaration, (Among, Within)) for each in draft.suggestions)
    return ["\n".join(comment(_RULE_HELP)), *blocks] if proposed else blocks


def _about(each: Suggestion) -> str:
    return f"`{each.parameter}` of `{each.tool}`: {each.evidence}"


def _decorator_source(each: Suggestion) -> str:
    takes = {"value": each.parameter}
    short = f"@rule(tool={flat(each.tool)}, takes={flat(takes)})"
    if len(short) <= WIDTH and short.isascii():
        return short
    items = [
        f"tool={literal(each.tool, indent=4, used=9)}",
        f"takes={literal(takes, indent=4, used=10)}",
    ]
    return f"@rule{list_source(items, '(', ')', indent=0)}"


def _function(each: Suggestion, name: str) -> str:
    if isinstance(each.declaration, Within):
        within = each.declaration
        takes, others = "float | None", "value is None"
        if within.mixed:
            takes, others = "object", "not isinstance(value, (int, float))"
        lines = [
            f"def {name}(value: {takes}) -> bool:",
            _WITHIN if within.high is not None else _SIGN.format(_sign(within)),
            f"    return {others} or {_comparison_source(within)}",
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


def _comparison_source(within: Within) -> str:
    low = flat(within.low)
    if within.high is not None:
        return f"{low} <= value <= {flat(within.high)}"
    return f"value > {low}" if within.above else f"value >= {low}"


_TITLE = '"""A policy proposed from tools and recorded runs; review it before you use it."""'
_LEGEND = (
    'Set `mode` to "strict" when the numbers look right. Strict mode enforces everything except'
    " what `suppress` and `modes` at the end of this module allow.",
    'A comment with "not declared" is a weaker proposal; adopt it if you know that it is right.',
)


def render_module(draft: Draft, header: Header) -> str:
    """Return the source of the module; its attribute ``policy`` is the policy."""
    pairs = render_pairs(draft)
    blocks = [
        f"{_TITLE}\n\n{_render_header(header)}",
        _imports(draft),
        _tools(draft),
        *render_rules(draft),
        *pairs.blocks,
        _policy(draft, pairs=pairs.declared),
    ]
    return _join_blocks(block for block in blocks if block)


def execute_module(source: str) -> Policy:
    """Execute a rendered module in a namespace of its own, and return its policy."""
    names: dict[str, object] = {"__name__": "abs_shield_mined"}
    # code that this package has rendered itself, from escaped literals
    exec(compile(source, "<mined policy>", "exec"), names)
    policy = names["policy"]
    assert isinstance(policy, Policy)
    return policy


def _render_header(header: Header) -> str:
    lines = [line for text in (*header.lines, *_LEGEND) for line in comment(text)]
    return "\n".join(lines)


def _imports(draft: Draft) -> str:
    declared = [each for each in draft.suggestions if each.declared]
    used = {
        "Policy": True,
        "Suppression": any(not each.error for each in draft.active),
        "Target": any(each.field == "targets" for each in declared),
        "Tool": bool(draft.tools),
        "inverse": any(each.kind == "inverse" for each in declared),
        "shield": True,
    }
    # only used names, or a linter would complain
    return f"from abs_shield import {', '.join(name for name, is_used in used.items() if is_used)}"


def _tools(draft: Draft) -> str:
    if not draft.tools:
        return ""
    return "\n".join(["TOOLS = [", *(render_tool(tool, draft) for tool in draft.tools), "]"])


def _policy(draft: Draft, *, pairs: bool) -> str:
    lines = ["policy: Policy = shield.configure(", '    mode="audit",']
    lines += ["    tools=TOOLS,"] if draft.tools else []
    lines += ["    inverses=INVERSES,"] if pairs else []
    lines += [*_modes(draft), *_suppressions(draft)]
    return "\n".join([*lines, ")"])


def _modes(draft: Draft) -> Iterator[str]:
    broken = [each for each in draft.active if each.error]
    if broken:
        yield "    modes={"
        for each in broken:
            yield from comment(each.reason, indent=8)
            yield f'        {flat((each.tool, each.check))}: "audit",'
        yield "    },"


_ACTIVE = (
    "Faults of recorded calls that strict mode would have blocked. They are still found and marked,"
    " but not enforced. Remove an entry when its cause is fixed."
)
_PROPOSED = (
    "Faults that strict mode blocks although recorded calls with them worked or have no result. If"
    " such a call is not a mistake of the agent, correct the schema, or uncomment the entry and"
    " import `Suppression` from `abs_shield`."
)


def _suppressions(draft: Draft) -> Iterator[str]:
    silenced = [each for each in draft.active if not each.error]
    if not (silenced or draft.proposed):
        return
    for about, passes in ((_ACTIVE, silenced), (_PROPOSED, draft.proposed)):
        if passes:
            yield from comment(about, indent=4)
    yield "    suppress=["
    for each in silenced:
        yield from _suppression(each)
    for each in draft.proposed:
        # indented as in the list, with the comment mark in the first column of it
        opening, *rest = (line.removeprefix(" " * 8) for line in _suppression(each))
        yield f"        # {opening}  # {each.share}"
        yield from comment_lines("\n".join(rest), indent=8)
    yield "    ],"


def _suppression(each: Pass) -> Iterator[str]:
    yield "        Suppression("
    yield f"            check={flat(each.check)},"
    yield f"            tool={literal(each.tool, indent=12, used=17)},"
    if each.code:
        yield f"            code={flat(each.code)},"
    if each.where is not None:
        yield f"            where={literal(each.where, indent=12, used=18)},"
    yield f"            reason={literal(each.reason, indent=12, used=19)},"
    yield "        ),"


def _join_blocks(blocks: Iterable[str]) -> str:
    """Join the blocks with blank lines."""
    return "\n\n".join(blocks) + "\n"

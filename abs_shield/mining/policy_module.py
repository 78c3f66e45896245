"""
Render a draft as a Python module: sorted, formatted and typed, with evidence for each proposal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abs_shield.mining.draft import Draft, Pass
from abs_shield.mining.module_header import Header
from abs_shield.mining.pair_source import render_pairs
from abs_shield.mining.python_literals import comment, commented, flat, literal
from abs_shield.mining.rule_source import render_rules
from abs_shield.mining.tool_source import render_tool
from abs_shield.policy import Policy

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
        yield from commented("\n".join(rest), indent=8)
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

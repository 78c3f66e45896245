"""Render the pairs of a draft: one list, with evidence for each pair."""

from __future__ import annotations

from dataclasses import dataclass

from abs_shield.mining.draft import Draft, Suggestion, SuggestionKind, Undone
from abs_shield.mining.python_literals import WIDTH, comment, exploded, flat, literal

_HOW = (
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
    around = ["INVERSES = [", *lines, "]"] if declared else [*comment(_HOW), *lines]
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
    return f"inverse{exploded(items, '(', ')', indent=indent)}"


def _short(each: Suggestion) -> str:
    then, same = _pair(each)
    return f"inverse({flat(each.tool)}, {flat(then)}, same={flat(same)})"


def _pair(each: Suggestion) -> tuple[str, str | dict[str, str]]:
    assert isinstance(each.declaration, Undone)
    then, own, theirs = each.declaration.then, each.parameter, each.declaration.parameter
    return then, own if own == theirs else {each.tool: own, then: theirs}

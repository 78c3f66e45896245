"""An inverse whose two calls can never name the same entity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext
from abs_shield.policy import Inverse
from abs_shield.schema.json_equality import canonical_key
from abs_shield.schema.samples import Pool
from abs_shield.schema.samples.schema_shapes import shapes, types
from abs_shield.schema.satisfiability import find_contradiction
from abs_shield.schema.text_lengths import pattern_prefix
from abs_shield.text.safe_display import escaped, shown

# Keywords that constrain a single value; references and branches are resolved before.
_PLAIN_KEYWORDS = (
    "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minLength", "maxLength", "pattern", "format",
)  # fmt: skip
_NUMBERS = frozenset({"integer", "number"})


def idle_inverses(context: ProofContext) -> Iterator[Problem]:
    """``same="id"`` for a number in one tool and a text in the other."""
    for pair in context.policy.inverses:
        if reason := _explain_never_met(pair, context):
            what = f"`inverse` of `{escaped(pair.first)}` and `{escaped(pair.then)}`"
            yield problem(
                "inverse_never_meets",
                f"{what} has no common parameter: {reason}",
                subject=what,
                place=pair.place,
                hint="name the parameter of each tool that holds the entity",
            )
        elif reason_unmet := _explain_unmet(pair, context):
            what = f"`inverse` of `{escaped(pair.first)}` and `{escaped(pair.then)}`"
            yield problem(
                "not_sampled",
                f"{what} may never meet: {reason_unmet}",
                subject=what,
                place=pair.place,
                hint="test it with an entity that both tools accept",
            )


def _explain_never_met(pair: Inverse, context: ProofContext) -> str:
    for name in (pair.first, pair.then):
        if name not in pair.same:
            return f"`same` names no parameter of `{escaped(name)}`"
    facts = [_types_and_values(name, pair.same[name], context) for name in (pair.first, pair.then)]
    kinds = [fact[0] for fact in facts]
    if all(kinds) and kinds[0].isdisjoint(kinds[1]):
        one, other = (" or ".join(sorted(kind)) for kind in kinds)
        return f"{_describe(pair, pair.first)} is {one}, {_describe(pair, pair.then)} is {other}"
    values = [fact[1] for fact in facts]
    if values[0] is not None and values[1] is not None and values[0].isdisjoint(values[1]):
        return (
            f"{_describe(pair, pair.first)} and {_describe(pair, pair.then)} allow no common value"
        )
    reasons = [_explain_disjoint(one, other) for one, other in product(*_both_parts(pair, context))]
    return reasons[0] if reasons and all(reasons) else ""


def _both_parts(pair: Inverse, context: ProofContext) -> list[list[dict[str, Any]]]:
    return [[*_parts(name, pair.same[name], context)] for name in (pair.first, pair.then)]


def _explain_disjoint(one: dict[str, Any], other: dict[str, Any]) -> str:
    """Return the reason why no value fits both schemas; empty if none is found."""
    plain = [{key: part[key] for key in _PLAIN_KEYWORDS if key in part} for part in (one, other)]
    starts = [pattern_prefix(str(part.get("pattern", ""))) for part in plain]
    is_text = any(types(part.get("type")) == ["string"] for part in plain)
    # A common value begins with both prefixes, so one begins with the other.
    if is_text and not starts[0].startswith(starts[1]) and not starts[1].startswith(starts[0]):
        return f"one begins with {shown(starts[0])}, the other with {shown(starts[1])}"
    reason = find_contradiction({"allOf": plain})
    return f"no common value fits: {reason}" if reason else ""


def _explain_unmet(pair: Inverse, context: ProofContext) -> str:
    """Return the reason if both have a pattern and no sample of one fits the other; else empty."""
    names = (pair.first, pair.then)
    parts = _both_parts(pair, context)
    # Without a pattern the sampled texts are arbitrary, so that they differ proves nothing.
    if not all(some and all("pattern" in part for part in some) for some in parts):
        return ""
    samples = [_sampled_texts(name, pair, (), context) for name in names]
    both = [
        _sampled_texts(name, pair, samples[n], context)
        for n, name in ((1, names[0]), (0, names[1]))
    ]
    if not all(both) or not both[0].isdisjoint(both[1]):
        return ""
    return f"no sampled value of {_describe(pair, names[0])} fits {_describe(pair, names[1])}"


def _sampled_texts(
    tool: str, pair: Inverse, near: Iterable[str], context: ProofContext
) -> frozenset[str]:
    """Return sampled texts of one tool's parameter, some generated from the texts *near*."""
    parameter = pair.same[tool]
    samples = context.samples(tool, pool=Pool.of(sorted(near)), focus=[parameter])
    texts = (arguments.get(parameter) for arguments in samples)
    return frozenset(text for text in texts if isinstance(text, str))


def _describe(pair: Inverse, name: str) -> str:
    return f"`{escaped(pair.same[name])}` of `{escaped(name)}`"


def _types_and_values(
    tool: str, parameter: str, context: ProofContext
) -> tuple[frozenset[str], frozenset[Any] | None]:
    """Return a parameter's types, empty if unknown, and its listed values, else None."""
    parts = [*_parts(tool, parameter, context)]
    kinds: set[str] = set()
    values: set[Any] = set()
    for part in parts:
        members = [part["const"]] if "const" in part else part.get("enum")
        kinds_of_members = (
            [_kind(value) for value in members] if isinstance(members, list) else None
        )
        kind = types(part.get("type")) if kinds_of_members is None else kinds_of_members
        if not kind:
            return frozenset(), None
        kinds.update("number" if each in _NUMBERS else each for each in kind)
        values.update(map(canonical_key, members) if isinstance(members, list) else (_ANY,))
    # Null names no entity.
    return frozenset(kinds) - {"null"}, None if _ANY in values or not parts else frozenset(values)


_ANY = ("any value",)


def _parts(tool: str, parameter: str, context: ProofContext) -> Iterator[dict[str, Any]]:
    if tool not in context.tools or context.plans[tool].schema is None:
        return
    root = context.tools[tool].parameters
    for shape in shapes(root, root):
        properties = shape.get("properties")
        if isinstance(properties, Mapping) and parameter in properties:
            yield from shapes(properties[parameter], root)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "number", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "null")

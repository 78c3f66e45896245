"""Contradictions inside a schema that no value can satisfy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import ceil, floor
from typing import Any

from abs_shield.errors import PolicyError
from abs_shield.schema.compiled_schema import compile_schema
from abs_shield.schema.item_enums import with_item_enum
from abs_shield.schema.json_equality import canonical_key
from abs_shield.schema.number_keywords import exact_fraction, number_or
from abs_shield.schema.samples.schema_shapes import (
    Shape,
    merge_shapes,
    resolve_local_reference,
    shapes,
    types,
)
from abs_shield.schema.schema_problem import pointer
from abs_shield.schema.text_lengths import length_ranges
from abs_shield.schema.value_display import display_value

# Nested schemas; deeper contradictions are rare, and a recursive schema is infinite.
_DEEPEST = 8
_MOST_MEMBERS = 500  # members of an `enum` or branches, each of which is validated or compared
_DEFINED = ("$schema", "$defs", "definitions")

Path = tuple[object, ...]


def find_contradiction(schema: Any, *, root: Any = None, path: Path = ()) -> str:
    """
    Return why no value fits *schema*, a part of *root*; empty if no contradiction is certain.

    A reported contradiction is certain; some contradictions are not detected.

    >>> find_contradiction({"type": "integer", "minimum": 5, "maximum": 3})
    '`minimum` 5 is above `maximum` 3'
    """
    contradiction = _contradiction(schema, schema if root is None else root, path, _DEEPEST)
    if not contradiction:
        return ""
    where, reason = contradiction
    return f"at {pointer(where)}: {reason}" if where else reason


Reason = tuple[Path, str] | None


def _contradiction(schema: Any, root: Any, path: Path, depth: int) -> Reason:
    if schema is False:
        return path, "it is `false`"
    if not isinstance(schema, Mapping) or not depth:
        return None
    ref = schema.get("$ref")
    if isinstance(ref, str) and (target := resolve_local_reference(root, ref)) is not None:
        return _contradiction(
            target, root, path, depth - 1
        )  # older drafts ignore the keywords beside `$ref`
    return _contradiction_of_branches(schema, root, path, depth) or _contradiction_of_keywords(
        schema, root, path, depth
    )


def _contradiction_of_branches(
    schema: Mapping[str, Any], root: Any, path: Path, depth: int
) -> Reason:
    every = schema.get("allOf")
    for n, part in enumerate(every if isinstance(every, list) else ()):
        if contradiction := _contradiction(part, root, (*path, "allOf", n), depth - 1):
            return contradiction
    for keyword in ("anyOf", "oneOf"):
        parts = schema.get(keyword)
        if isinstance(parts, list) and parts:
            contradictions = [
                _contradiction(part, root, (*path, keyword, n), depth - 1)
                for n, part in enumerate(parts)
            ]
            if all(contradictions):
                return contradictions[0]
    if schema.get("nullable") is True:
        return None
    if "not" in schema and (schema["not"] is True or schema["not"] == {}):
        return (*path, "not"), "it forbids everything"
    return _equal_branches(schema.get("oneOf"), path)


def _equal_branches(parts: Any, path: Path) -> Reason:
    """Return a contradiction where a `oneOf` has only duplicate branches, which never fit alone."""
    if not isinstance(parts, list) or not 2 <= len(parts) <= _MOST_MEMBERS:
        return None
    counts = Counter(map(canonical_key, parts))
    if any(counts[canonical_key(part)] == 1 for part in parts):
        return None
    return (*path, "oneOf"), "its branches are equal, so that none fits alone"


def _contradiction_of_keywords(
    schema: Mapping[str, Any], root: Any, path: Path, depth: int
) -> Reason:
    plain = with_item_enum(schema)
    for part in schema["allOf"] if isinstance(schema.get("allOf"), list) else ():
        alternatives = shapes(part, root)
        if len(alternatives) == 1:  # only one alternative is certain to apply
            plain = merge_shapes(plain, alternatives[0])
    if plain.get("nullable") is True:
        return None
    if (reason := _contradiction_of_enum(schema, plain, root)) is not None:
        return path, reason
    kinds = types(plain.get("type"))
    reasons = [_contradiction_of_type(kind, plain, root, path, depth) for kind in kinds]
    return reasons[0] if reasons and all(reasons) else None


def _contradiction_of_enum(schema: Mapping[str, Any], plain: Shape, root: Any) -> str | None:
    """Return why no member of an `enum`, nor the `const`, fits the other keywords."""
    allowed = [plain["const"]] if "const" in plain else plain.get("enum")
    if not isinstance(allowed, list):
        return None
    what = "`const`" if "const" in plain else "`enum`"
    if not allowed:
        return f"{what} is empty"
    if len(allowed) > _MOST_MEMBERS:
        return None
    # References in the part point to the definitions of the root.
    defined = {key: root[key] for key in _DEFINED if isinstance(root, Mapping) and key in root}
    try:
        # A part with a reference to another place cannot be compiled alone.
        fits = compile_schema({**defined, **schema})
    except PolicyError:
        return None
    if any(fits.accepts(member) for member in allowed):
        return None
    return f"no member of {what}, such as {display_value(allowed[0])}, fits the other keywords"


def _contradiction_of_type(kind: str, plain: Shape, root: Any, path: Path, depth: int) -> Reason:
    if kind in ("integer", "number"):
        reason = next(_contradictions_of_bounds(plain, whole=kind == "integer"), None)
    else:
        what = {"string": "Length", "array": "Items", "object": "Properties"}.get(kind, "")
        reason = _crossed_bounds(plain, f"min{what}", f"max{what}") if what else None
        reason = reason or (_contradiction_of_lengths(plain) if kind == "string" else None)
        reason = reason or (_contradiction_of_items(plain, root) if kind == "array" else None)
    if reason:
        return path, reason
    if kind == "object":
        return _contradiction_of_object(plain, root, path, depth)
    if kind == "array" and number_or(0, plain.get("minItems")) > 0 and not plain.get("prefixItems"):
        return _contradiction(plain.get("items"), root, (*path, "items"), depth - 1)
    return None


def _contradiction_of_lengths(plain: Shape) -> str | None:
    """Return why the lengths, format and pattern together allow no text."""
    bounds = length_ranges(plain)
    lows: dict[str, Fraction | int] = {f"`{key}`": low for key, (low, _) in bounds}
    highs: dict[str, Fraction | int] = {
        f"`{key}`": high for key, (_, high) in bounds if high is not None
    }
    for limits, key in ((lows, "minLength"), (highs, "maxLength")):
        if (length := exact_fraction(plain.get(key))) is not None:
            limits[_keyword_text(plain, key)] = length
    if not lows or not highs:
        return None
    low, high = max(lows, key=lows.__getitem__), min(highs, key=highs.__getitem__)
    if lows[low] <= highs[high]:
        return None
    return f"{low} asks for {lows[low]} characters or more, {high} for {highs[high]} or fewer"


def _contradiction_of_items(plain: Shape, root: Any) -> str | None:
    """Return why a list cannot have enough different items."""
    items, least = plain.get("items"), number_or(0, plain.get("minItems"))
    if plain.get("uniqueItems") is not True or plain.get("prefixItems"):
        return None
    if isinstance(items, Mapping) and isinstance(ref := items.get("$ref"), str):
        items = resolve_local_reference(root, ref)
    count = _count_values(items) if isinstance(items, Mapping) else None
    if count is None or count >= least:
        return None
    least_text = _keyword_text(plain, "minItems")
    return f"{least_text} asks for more different items than the {count} there are"


def _count_values(schema: Mapping[str, Any]) -> int | None:
    """Return an upper bound of how many values fit; None without one."""
    listed, more = schema.get("enum"), schema.get("nullable") is True
    if "const" in schema:
        return 1 + more
    if isinstance(listed, list):
        return len({*map(canonical_key, listed)}) + more
    kinds = types(schema.get("type"))
    sizes = [{"boolean": 2, "null": 1}.get(str(kind)) for kind in kinds]
    return sum(size or 0 for size in sizes) + more if sizes and all(sizes) else None


def _contradictions_of_bounds(plain: Shape, *, whole: bool) -> Iterator[str]:
    if crossed := _crossed_bounds(plain, "minimum", "maximum"):
        yield crossed
    for low in ("minimum", "exclusiveMinimum"):
        for high in ("maximum", "exclusiveMaximum"):
            one, other = exact_fraction(plain.get(low)), exact_fraction(plain.get(high))
            if one is None or other is None:
                continue
            open_low = low.startswith("ex") or plain.get("exclusiveMinimum") is True
            open_high = high.startswith("ex") or plain.get("exclusiveMaximum") is True
            between = f"lies between {_keyword_text(plain, low)} and {_keyword_text(plain, high)}"
            if one > other or (one == other and (open_low or open_high)):
                yield f"nothing {between}"
            step = exact_fraction(plain.get("multipleOf")) or (Fraction(1) if whole else None)
            if step and not _has_multiple(one, other, step, open_low, open_high):
                multiple = plain.get("multipleOf")
                what = "integer" if multiple is None else f"multiple of {display_value(multiple)}"
                yield f"no {what} {between}"


def _has_multiple(one: Fraction, other: Fraction, step: Fraction, low: bool, high: bool) -> bool:
    first, last = ceil(one / step), floor(other / step)
    first += low and first * step == one
    last -= high and last * step == other
    return first <= last


def _crossed_bounds(plain: Shape, low: str, high: str) -> str | None:
    one, other = exact_fraction(plain.get(low)), exact_fraction(plain.get(high))
    if one is None or other is None or one <= other:
        return None
    return f"{_keyword_text(plain, low)} is above {_keyword_text(plain, high)}"


def _contradiction_of_object(plain: Shape, root: Any, path: Path, depth: int) -> Reason:
    required = plain.get("required")
    needed = (
        [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    )
    properties = plain.get("properties")
    members = properties if isinstance(properties, Mapping) else {}
    closed = plain.get("additionalProperties") is False and not plain.get("patternProperties")
    for name in needed:
        if name not in members and closed:
            return path, f"{display_value(name)} is required, and `additionalProperties` forbids it"
        if name in members and (
            contradiction := _contradiction(
                members[name], root, (*path, "properties", name), depth - 1
            )
        ):
            return contradiction
    most = exact_fraction(plain.get("maxProperties"))
    if most is not None and len(set(needed)) > most:
        return path, f"{len(set(needed))} names are required, and `maxProperties` is {most}"
    if closed and len(members) < number_or(0, plain.get("minProperties")):
        least = _keyword_text(plain, "minProperties")
        return path, f"{least} asks for more than the {len(members)} there may be"
    return None


def _keyword_text(plain: Shape, key: str) -> str:
    return f"`{key}` {display_value(plain[key])}"

"""How often a schema looks at one and the same value, where branches and references multiply."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter

from abs_shield.schema.value_limits import MAX_DEPTH

Step = tuple[object, ...]
Edges = Mapping[int, Sequence[tuple[Step, int]]]
"""Schema to the schemas it leads to, each with its place in the value; in place where empty."""


def safe_depth(root: int, edges: Edges, *, most: int) -> int:
    """
    Give the deepest nesting at which no part of a value is looked at more than *most* times.

    It is an upper bound that is worked out level by level. A list of trees looks once at each
    tree; two branches that both lead back to their own list look twice as often a level.

    >>> branch = ("properties", "a")
    >>> safe_depth(1, {1: [(branch, 1), (("properties", "b"), 1)]}, most=100)
    64
    >>> safe_depth(1, {1: [((), 2), ((), 3)], 2: [(branch, 1)], 3: [(branch, 1)]}, most=100)
    5
    >>> safe_depth(1, {1: [((), 2), ((), 3)]}, most=3), safe_depth(1, {1: [((), 2)]}, most=1)
    (64, -1)
    """
    if _is_tree(root, edges):
        return _depth_of_tree(root, edges, most=most)
    order = _in_order(edges)
    looks = Counter({root: 1})
    for depth in range(MAX_DEPTH):
        looks = _in_place(looks, order, edges)
        if looks.total() > most:
            return depth - 1
        below = _below(looks, edges)
        if not below or below == looks:
            break
        looks = below
    return MAX_DEPTH


def _is_tree(root: int, edges: Edges) -> bool:
    """Return whether no schema is led to twice."""
    leads = [there for steps in edges.values() for _, there in steps]
    return len({root, *leads}) == len(leads) + 1


def _depth_of_tree(root: int, edges: Edges, *, most: int) -> int:
    """Return the same where each schema looks at one value, once."""
    level = [root]
    for depth in range(MAX_DEPTH):
        for at in level:  # which grows by those that apply to the same value
            level += [there for step, there in edges.get(at, ()) if not step]
        if len(level) > most:
            return depth - 1
        level = [there for at in level for step, there in edges.get(at, ()) if step]
        if not level:
            break
    return MAX_DEPTH


def _in_order(edges: Edges) -> Mapping[int, int]:
    """Number the schemas so that one stands before those that it applies to the same value."""
    graph = {at: [there for step, there in steps if not step] for at, steps in edges.items()}
    backwards = tuple(TopologicalSorter(graph).static_order())
    return {at: place for place, at in enumerate(reversed(backwards))}


def _in_place(looks: Counter[int], order: Mapping[int, int], edges: Edges) -> Counter[int]:
    totals = Counter(looks)
    visited, todo = set(looks), [*looks]
    while todo:
        fresh = {there for step, there in edges.get(todo.pop(), ()) if not step} - visited
        visited |= fresh
        todo += fresh
    for at in sorted(visited, key=lambda at: order.get(at, -1)):
        for step, there in edges.get(at, ()):
            if not step:
                totals[there] += totals[at]
    return totals


def _below(looks: Counter[int], edges: Edges) -> Counter[int]:
    """How often each schema looks at the member, or item, that is looked at most."""
    places: defaultdict[Step, Counter[int]] = defaultdict(Counter)
    for at, count in looks.items():
        for step, there in edges.get(at, ()):
            if step:
                places[step if step[0] in ("properties", "prefixItems") else ()][there] += count
    anywhere = places.pop((), Counter())
    worst: Counter[int] = Counter()
    for counts in places.values():
        for there, count in counts.items():  # `|=` would walk all that is in `worst` each time
            worst[there] = max(worst[there], count)
    return worst + anywhere

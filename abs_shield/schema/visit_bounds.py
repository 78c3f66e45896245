"""Bounds on how often a schema visits one value, which branches and references multiply."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter

from abs_shield.schema.value_limits import MAX_DEPTH

Step = tuple[object, ...]
Edges = Mapping[int, Sequence[tuple[Step, int]]]
"""The schemas that each schema applies, with their path in the value; () for the same value."""


def safe_depth(root: int, edges: Edges, *, most: int) -> int:
    """
    Return the deepest nesting at which each part of a value is visited at most *most* times.

    The count of visits is an upper bound, computed level by level. A list of trees visits each
    tree once; two branches that both refer to their own list double the visits of each level.

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
    order = _topological_order(edges)
    visits = Counter({root: 1})
    for depth in range(MAX_DEPTH):
        visits = _visits_in_place(visits, order, edges)
        if visits.total() > most:
            return depth - 1
        below = _visits_below(visits, edges)
        if not below or below == visits:  # equal counts repeat at all further levels
            break
        visits = below
    return MAX_DEPTH


def _is_tree(root: int, edges: Edges) -> bool:
    """Return whether no schema is reachable in two ways."""
    leads = [target for steps in edges.values() for _, target in steps]
    return len({root, *leads}) == len(leads) + 1


def _depth_of_tree(root: int, edges: Edges, *, most: int) -> int:
    """Return the safe depth of a tree of schemas, each visited once."""
    level = [root]
    for depth in range(MAX_DEPTH):
        for at in level:  # the list grows by the schemas that apply to the same value
            level += [target for step, target in edges.get(at, ()) if not step]
        if len(level) > most:
            return depth - 1
        level = [target for at in level for step, target in edges.get(at, ()) if step]
        if not level:
            break
    return MAX_DEPTH


def _topological_order(edges: Edges) -> Mapping[int, int]:
    """Return a topological order: a schema comes before those it applies to the same value."""
    graph = {at: [target for step, target in steps if not step] for at, steps in edges.items()}
    backwards = tuple(TopologicalSorter(graph).static_order())
    return {at: place for place, at in enumerate(reversed(backwards))}


def _visits_in_place(visits: Counter[int], order: Mapping[int, int], edges: Edges) -> Counter[int]:
    totals = Counter(visits)
    visited, todo = set(visits), [*visits]
    while todo:
        fresh = {target for step, target in edges.get(todo.pop(), ()) if not step} - visited
        visited |= fresh
        todo += fresh
    for at in sorted(visited, key=lambda at: order.get(at, -1)):
        for step, target in edges.get(at, ()):
            if not step:
                totals[target] += totals[at]
    return totals


def _visits_below(visits: Counter[int], edges: Edges) -> Counter[int]:
    """Return how often each schema visits the most visited member or item."""
    places: defaultdict[Step, Counter[int]] = defaultdict(Counter)
    for at, count in visits.items():
        for step, target in edges.get(at, ()):
            # Other keywords apply to any member, so all of their visits add up.
            if step:
                places[step if step[0] in ("properties", "prefixItems") else ()][target] += count
    anywhere = places.pop((), Counter())
    worst: Counter[int] = Counter()
    for counts in places.values():
        for target, count in counts.items():  # `|=` would traverse all of `worst` each time
            worst[target] = max(worst[target], count)
    return worst + anywhere

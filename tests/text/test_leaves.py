"""The walk over the scalars of a value: order, limits and reported truncation."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from abs_shield.text.json_leaves import DEEPEST, MOST, LeafWalk, leaves, pointer

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=15,
)


def names(name: str, item: Any) -> list[tuple[str, Any]] | None:
    """Members of objects and lists, each with the innermost name on its way."""
    if isinstance(item, dict):
        return list(item.items())
    return [(name, inner) for inner in item] if isinstance(item, list) else None


def scalars(value: Any) -> list[Any]:
    """The scalars of a value, read recursively."""
    inside = value.values() if isinstance(value, dict) else value
    if not isinstance(value, (dict, list)):
        return [value]
    return [one for item in inside for one in scalars(item)]


@given(JSON)
def test_each_scalar_is_yielded_once_in_order(value: Any) -> None:
    """The scalars are those of a plain recursion, and each has a unique path."""
    results = list(leaves(value))

    assert scalars(value) == [leaf for _, leaf in results]
    assert len(results) == len({pointer(path) for path, _ in results})


def test_a_walk_carries_what_its_members_say() -> None:
    """Here the innermost name; lists pass on their own."""
    walk = LeafWalk({"to": ["a", {"cc": "b"}], "n": 1}, "", names)

    assert [("to", "a"), ("cc", "b"), ("n", 1)] == list(walk)
    assert not walk.cut


def test_a_walk_that_is_cut_says_so() -> None:
    """By the number of its scalars, or by depth; what is read whole is not cut."""
    deep: Any = 1
    for _ in range(DEEPEST + 1):
        deep = [deep]
    many, exact, too_deep = (
        LeafWalk([1, 2, 3], "", names, most=2), LeafWalk([1, 2], "", names, most=2),
        LeafWalk(deep, "", names),
    )  # fmt: skip

    assert [2, 2, 0] == [len(list(walk)) for walk in (many, exact, too_deep)]
    assert [True, False, True] == [walk.cut for walk in (many, exact, too_deep)]


def test_a_recursive_list_ends() -> None:
    """Containers count towards the limit as well as scalars."""
    asked = 0
    endless: list[Any] = []
    endless += [endless, endless]

    def members(name: str, item: Any) -> list[tuple[str, Any]] | None:
        nonlocal asked
        asked += 1
        return names(name, item)

    walk = LeafWalk(endless, "", members)

    assert [] == list(walk)
    assert walk.cut
    assert asked <= 2 * MOST + DEEPEST

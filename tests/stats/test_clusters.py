"""The interval of a proportion whose observations are clustered."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.stats.share_intervals import Clusters, Effect, clustered_wilson, wilson

RATS = [(5, 1), (5, 0), (4, 3), (6, 0), (3, 3), (5, 2), (2, 0), (6, 5)]
"""Size and hits of clusters, such as litters of an experiment."""


def add_clusters(clusters: list[tuple[int, int]]) -> Clusters:
    """Take in each observation, the hits of a cluster first."""
    sums = Clusters()
    for size, hits in clusters:
        for place in range(size):
            sums.update(of=place, hits=min(place, hits), is_hit=place < hits)
    return sums


def plain(clusters: list[tuple[int, int]]) -> float:
    """The design effect of Rao and Scott as they write it: n * v / (p * (1 - p))."""
    m, n = len(clusters), sum(size for size, _ in clusters)
    p = sum(hits for _, hits in clusters) / n
    v = m / (m - 1) / n**2 * sum((hits - size * p) ** 2 for size, hits in clusters)
    return n * v / (p * (1 - p))


def effect(clusters: list[tuple[int, int]]) -> Effect:
    """Return what clusters do to the share of all their observations."""
    totals = [sum(column) for column in zip(*clusters, strict=True)]
    return add_clusters(clusters).effect(totals[1], totals[0])


def test_the_design_effect_equals_the_published_formula():
    """The streaming sums give the value of the formula."""
    assert pytest.approx(plain(RATS)) == effect(RATS).design
    assert 1.5 < plain(RATS)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=2, max_size=30))
def test_the_design_effect_equals_the_formula_for_any_clusters(drawn):
    """The design effect is at least 1, and 1 if the formula has no value."""
    clusters = [(size, min(size, hits)) for size, hits in drawn]
    n, x = sum(size for size, _ in clusters), sum(hits for _, hits in clusters)
    alone = all(size == 1 for size, _ in clusters)
    expected = 1.0 if alone or x in (0, n) else max(1.0, plain(clusters))

    assert pytest.approx(expected) == effect(clusters).design


def test_clusters_of_one_do_not_change_the_interval():
    """Unclustered observations have the plain interval."""
    assert wilson(3, 40) == clustered_wilson(3, 40, effect([(1, k < 3) for k in range(40)]))


def test_copies_do_not_narrow_the_interval():
    """Ten copies of each observation have about the interval of one copy."""
    copies = clustered_wilson(100, 400, effect([(10, 10 * (k < 10)) for k in range(40)]))

    assert pytest.approx(wilson(10, 40), abs=0.005) == copies


@pytest.mark.parametrize("hits", [0, 400])
def test_without_variance_the_clusters_are_counted(hits):
    """If none or all of 400 observations are hits, the interval is that of the 40 clusters."""
    ends = clustered_wilson(hits, 400, effect([(10, hits // 40)] * 40))

    assert wilson(hits // 10, 40) == ends


def test_more_hits_never_lower_the_upper_end():
    """A first hit does not lower the upper end."""
    clusters = [[(10, 0)] * (40 - k) + [(10, 1)] * k for k in range(40)]
    uppers = [clustered_wilson(k, 400, effect(each))[1] for k, each in enumerate(clusters)]

    assert sorted(uppers) == uppers


def test_the_interval_holds_the_true_share_as_often_as_it_says():
    """In 500 samples of clusters that repeat themselves, where the plain interval does not."""
    dice = random.Random(7)
    held = {"clustered": 0, "plain": 0}
    for _ in range(500):
        clusters = []
        for _ in range(120):
            size, rate = dice.randint(1, 8), dice.betavariate(0.1, 0.9)
            clusters.append((size, sum(dice.random() < rate for _ in range(size))))
        n, x = sum(size for size, _ in clusters), sum(hits for _, hits in clusters)
        for name, (low, high) in {
            "clustered": clustered_wilson(x, n, effect(clusters)),
            "plain": wilson(x, n),
        }.items():
            held[name] += low <= 0.1 <= high

    assert 0.92 <= held["clustered"] / 500 <= 1.0
    assert 0.8 >= held["plain"] / 500

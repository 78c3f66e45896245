"""Reviews of gaps are stored permanently."""

from __future__ import annotations

import pytest

from abs_shield.errors import StoreError
from abs_shield.flywheel.curate import curate
from abs_shield.flywheel.harvest import harvest
from abs_shield.flywheel.review import Choice, Review, review, reviews_of
from tests.flywheel.conftest import decision, finding


def review_of(gap: str, choice: str = "accept", **changes) -> Review:
    """Return Ann's review of a gap."""
    return Review(**({"gap": gap, "choice": Choice(choice), "by": "ann", "why": "seen"} | changes))


@pytest.fixture
def gaps(log, book) -> list[str]:
    """Return the ids of three open gaps."""
    for place, code in enumerate("abc"):
        for number in range(3 - place):
            log.append(decision(10 * place + number, finding(code=code)))
    harvest(log, book)
    return [gap.id for gap in curate(book)]


def states(book) -> dict[str, str]:
    return {gap.id: gap.state.value for gap in curate(book)}


def test_a_review_is_permanent(book, gaps):
    """After the next curation the review is stored with its author, time and reason."""
    assert 2 == review(book, [review_of(gaps[0]), review_of(gaps[1], "reject", why="expected")])

    assert dict(zip(gaps, ("accepted", "rejected", "open"), strict=True)) == states(book)
    first, second = reviews_of(book)
    assert ("ann", "seen", "expected") == (first.by, first.why, second.why)
    assert 0 < first.at <= second.at


def test_a_later_review_replaces_an_earlier_one(book, gaps):
    """The newest review counts, and the older ones are stored."""
    review(book, [review_of(gaps[0])])
    review(book, [review_of(gaps[0], "reject")])

    assert "rejected" == states(book)[gaps[0]]
    assert ["accept", "reject"] == [one.choice for one in reviews_of(book, gaps[0])]


def test_a_repeated_review_is_not_stored_again(book, gaps):
    """A file of reviews can be imported twice."""
    assert [1, 0] == [review(book, [review_of(gaps[0])]) for _ in range(2)]
    assert 1 == len(reviews_of(book))


def test_catches_of_a_merged_gap_are_in_the_other_gap(log, book, gaps):
    """Later catches of the merged gap are added to the other gap as well."""
    review(book, [review_of(gaps[2], "merge", into=gaps[0])])
    log.append(decision(99, finding(code="c")))
    harvest(log, book)
    counts = {gap.id: (gap.count, gap.into) for gap in curate(book)}

    assert {gaps[0]: (5, ""), gaps[1]: (2, ""), gaps[2]: (1, gaps[0])} == counts
    assert "merged" == states(book)[gaps[2]]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"gap": "gap-0"}, "no gap has the id `gap-0`; there are"),
        ({"why": " "}, "has no reason; say why"),
        ({"by": ""}, "name the reviewer"),
        ({"choice": Choice.MERGE}, "no target gap is named"),
        ({"choice": Choice.MERGE, "into": "gap-0"}, "no gap has that id"),
        ({"choice": Choice.MERGE, "into": "itself"}, "cannot be merged into itself"),
    ],
)
def test_one_invalid_review_rejects_the_list(book, gaps, wrong, message):
    """If one review is invalid, none of the list is stored."""
    wrong = {key: gaps[1] if value == "itself" else value for key, value in wrong.items()}
    with pytest.raises(StoreError, match=message):
        review(book, [review_of(gaps[0]), review_of(**({"gap": gaps[1]} | wrong))])

    assert ({"open"}, []) == (set(states(book).values()), reviews_of(book))


def test_gaps_are_not_merged_in_a_circle(book, gaps):
    """Nor into one that is merged itself, nor decided twice."""
    one, other, third = gaps
    with pytest.raises(StoreError, match="into each other"):
        review(book, [review_of(one, "merge", into=other), review_of(other, "merge", into=one)])
    with pytest.raises(StoreError, match=f"merge `{one}` into `{third}`"):
        review(book, [review_of(one, "merge", into=other), review_of(other, "merge", into=third)])
    with pytest.raises(StoreError, match="decided twice"):
        review(book, [review_of(one), review_of(one, "reject")])


def test_a_right_answer_is_stored_with_the_gap(log, book, gaps):
    """The answer survives curations and can be added or changed later."""
    review(book, [review_of(gaps[0], right_answer=" refund ")])
    assert 0 == review(book, [review_of(gaps[0])])
    assert "refund" == curate(book)[0].right_answer
    assert 1 == review(book, [review_of(gaps[0], right_answer="pay_back")])
    assert "pay_back" == curate(book)[0].right_answer
    with pytest.raises(StoreError, match="has a right answer and is not accepted"):
        review(book, [review_of(gaps[1], "reject", right_answer="refund")])


def test_a_merge_is_taken_back_by_another_decision(log, book, gaps):
    """The catches are those of the gap again, with those that came later; decisions stay."""
    one, other, third = gaps
    review(book, [review_of(third, "merge", into=other)])
    review(book, [review_of(other, "merge", into=one)])
    log.append(decision(99, finding(code="c")))
    harvest(log, book)
    assert {one: 7} == {gap.id: gap.count for gap in curate(book) if not gap.into}
    review(book, [review_of(other)])
    counts = {gap.id: gap.count for gap in curate(book) if not gap.into}
    review(book, [review_of(third, "reject")])

    assert {one: 3, other: 4} == counts
    assert {one: (3, "open"), other: (2, "accepted"), third: (2, "rejected")} == {
        gap.id: (gap.count, gap.state.value) for gap in curate(book)
    }
    assert 4 == len(reviews_of(book))

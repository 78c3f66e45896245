"""The closed vocabularies are declared from mild to severe."""

from __future__ import annotations

from itertools import product

import pytest

from abs_shield.core import LAYER_NAMES, Action, Mode, Outcome, Subject, Verdict
from abs_shield.core.vocabularies import OPT_IN_NAMES


def test_verdicts_go_from_mild_to_grave() -> None:
    """The order of declaration is the order of gravity."""

    assert sorted(Verdict, key=lambda v: v.gravity) == ["CLEAN", "SUSPICIOUS", "HALLUCINATED"]


@pytest.mark.parametrize(("a", "b"), list(product(Verdict, Verdict)))
def test_the_worst_verdict_is_the_most_severe(a: Verdict, b: Verdict) -> None:
    """The order of two verdicts does not matter."""

    assert max(a.gravity, b.gravity) == Verdict.worst([a, b]).gravity


def test_no_verdict_is_clean() -> None:
    """The worst of no verdicts is CLEAN."""

    assert Verdict.CLEAN is Verdict.worst([])


@pytest.mark.parametrize(
    ("vocabulary", "words"),
    [
        (Action, ["allow", "flag", "revise", "block"]),
        (Mode, ["audit", "strict"]),
        (Subject, ["call", "result", "answer", "output"]),
        (Outcome, ["ran", "unavailable", "error"]),
    ],
)
def test_the_words(vocabulary: type, words: list[str]) -> None:
    """The words of the records are these, in this order."""

    assert words == list(vocabulary)  # type: ignore[call-overload]


def test_six_layers() -> None:
    """There are six names, and those of the opt-in layers are others."""

    assert (len(set(LAYER_NAMES)), set(LAYER_NAMES) & set(OPT_IN_NAMES)) == (6, set())


@pytest.mark.parametrize(("a", "b"), [*product(Verdict, repeat=2)])
def test_verdicts_compare_by_gravity(a: Verdict, b: Verdict) -> None:
    """SUSPICIOUS is below HALLUCINATED, also when compared with a string."""
    expected = (a.gravity < b.gravity, a.gravity <= b.gravity)

    assert expected == (a < b, a <= b) == (a < str(b), str(a) <= b) == (b > a, b >= a)
    assert sorted(Verdict) == list(Verdict)


def test_a_verdict_compares_with_other_texts_as_text() -> None:
    """A comparison with another string is alphabetical."""
    assert (Verdict.CLEAN < "D", Verdict.CLEAN > "B") == (True, True)

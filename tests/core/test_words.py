"""The closed vocabularies are declared from mild to grave."""

from __future__ import annotations

from itertools import product

import pytest

from abs_shield.core import LAYER_NAMES, Action, Mode, Outcome, Subject, Verdict
from abs_shield.core.vocabularies import OPT_IN_NAMES


def test_verdicts_go_from_mild_to_grave() -> None:
    """The order of declaration is the order of gravity."""

    assert sorted(Verdict, key=lambda v: v.gravity) == ["CLEAN", "SUSPICIOUS", "HALLUCINATED"]


@pytest.mark.parametrize(("a", "b"), list(product(Verdict, Verdict)))
def test_the_worst_is_the_gravest(a: Verdict, b: Verdict) -> None:
    """Whatever the order of two verdicts, the graver one is the worst."""

    assert max(a.gravity, b.gravity) == Verdict.worst([a, b]).gravity


def test_no_verdict_is_clean() -> None:
    """Where nothing was said, nothing is wrong."""

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
    """As a text, too, SUSPICIOUS is below HALLUCINATED."""
    expected = (a.gravity < b.gravity, a.gravity <= b.gravity)

    assert expected == (a < b, a <= b) == (a < str(b), str(a) <= b) == (b > a, b >= a)
    assert sorted(Verdict) == list(Verdict)


def test_a_verdict_has_no_order_among_other_texts() -> None:
    """They compare as texts."""
    assert (Verdict.CLEAN < "D", Verdict.CLEAN > "B") == (True, True)

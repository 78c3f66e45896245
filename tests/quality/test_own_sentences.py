"""Sentences of our own: honest ones pass each stage, and nearly all faulty ones are found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from abs_shield.quality.consistency import contradictions
from abs_shield.quality.guardrails import ProductCatalogue, guardrail_violations
from abs_shield.quality.pii.scan import scan
from tests.rows import each_row

DATA = json.loads(
    (Path(__file__).parents[2] / "benchmarks" / "quality_sentences.json").read_text("utf-8")
)
CATALOGUE = ProductCatalogue.model_validate(DATA["catalogue"])
PARTS = ("develop", "held-out")
KNOWN = {
    "Valve 219-44-0178 is out of stock; order valve 219-44-0179 instead.",
    "You can reach Ann on 07700 900123.",
}
"""Held or missed still: a word for the product, or a name, would have to be known."""


def run_check(name: str, text: str) -> Any:
    """Return the findings of a check in a text."""
    if name == "consistency":
        return contradictions(text).findings
    if name == "pii":
        return scan(text)
    return guardrail_violations(text, name, catalogue=CATALOGUE)


def sentences(kind: str) -> list[tuple[str, str]]:
    """Each check with each of its sentences."""
    return [
        (name, text)
        for part in PARTS
        for name, some in DATA[part][kind].items()
        for text in some
        if text not in KNOWN
    ]


@each_row(("name", "text"), sentences("honest"))
def test_an_honest_sentence_passes(name: str, text: str) -> None:
    """Breakdowns, quotations of a market, citations, computed prices, numbers of things."""
    assert () == tuple(run_check(name, text))


@each_row(("name", "text"), sentences("faulty"))
def test_a_faulty_sentence_is_found(name: str, text: str) -> None:
    """Equal sentences, sums, shares, rests, growth, times; identifiers across marks."""
    assert run_check(name, text)

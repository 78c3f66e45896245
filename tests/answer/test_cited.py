"""Passages inside results, and the numbers by which an answer may cite them."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from abs_shield.answer.checks.citation_check import Sources
from abs_shield.answer.evidence.evidence_collection import evidence_of
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.session import Session
from abs_shield.text.citations import citations

DATA = Path(os.environ.get("ABS_SHIELD_DATA", Path(__file__).parents[3] / "shared" / "data"))
RETRIEVED = DATA / "grounding" / "ragtruth-qa-test.jsonl.gz"
PASSAGES = ["The tower opened in 1889.", "The tower is 330 metres tall.", "It was painted brown."]
RESULTS = {
    "items": [{"id": str(n), "text": text} for n, text in enumerate(PASSAGES, 1)],
    "texts": PASSAGES,
    "results": {"results": [{"title": "Tower", "content": text} for text in PASSAGES]},
    "two lists": {"web": [{"text": PASSAGES[0]}], "news": [{"text": t} for t in PASSAGES[1:]]},
    "paragraphs": "\n\n".join(PASSAGES),
    "lines": "\n".join(PASSAGES),
    "in brackets": " ".join(f"[{n}] {text}" for n, text in enumerate(PASSAGES, 1)),
    "labelled": " ".join(f"Passage {n}: {text}" for n, text in enumerate(PASSAGES, 1)),
    "one text of an object": {"query": "tower", "content": "\n\n".join(PASSAGES)},
    "by name": {f"passage_{n}": text for n, text in enumerate(PASSAGES, 1)},
}


def _searched(result: object) -> Evidence:
    session = Session()
    session.user("How tall is the tower?")
    session.tool_result("search", result)
    return evidence_of(session)


def _told(answer: str, evidence: Evidence) -> str:
    sources = Sources(evidence)
    return next(filter(None, map(sources.conflict, citations(answer))), "")


@pytest.mark.parametrize("form", RESULTS)
@pytest.mark.parametrize("answer", ["It is tall [3].", "It is tall (passage 2).", "See [1-3]."])
def test_a_passage_inside_a_result_is_retrieved(form, answer):
    """A search returns several passages in one result, however it writes them."""

    assert "" == _told(answer, _searched(RESULTS[form]))


@pytest.mark.parametrize("form", RESULTS)
@pytest.mark.parametrize("answer", ["It is tall [9].", "As passages 1 and 40 say, it is tall."])
def test_a_number_beyond_all_passages_is_none(form, answer):
    """A number beyond all passages was not retrieved."""

    assert "cites source" in _told(answer, _searched(RESULTS[form]))


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ([{"id": "doc-17", "text": "It is tall."}], "It is tall [17]."),
        ([{"id": 0, "text": "It is tall."}, {"id": 1, "text": "It is old."}], "It is tall [0]."),
        ("Document [41]\nIt is tall.", "It is tall [41]."),
        ('<passage id="12">It is tall.</passage>', "It is tall (passage 12)."),
        ("12. It is tall.\n13. It is old.", "It is old [13]."),
    ],
)
def test_a_number_that_is_a_label_is_retrieved(result, answer):
    """An id or a heading of the evidence may be cited, whatever it counts."""

    assert "" == _told(answer, _searched(result))


def test_results_are_counted_through():
    """Numbers may go on from one search to the next."""
    session = Session()
    for text in PASSAGES:
        session.tool_result("search", [text, text])

    assert "" == _told("It is tall [6].", evidence_of(session))
    assert _told("It is tall [7].", evidence_of(session))


@pytest.mark.parametrize("result", ["[1" * 50_000, "\n" * 100_000, [[["a"] * 9] * 9] * 900, {}, ""])
def test_hostile_results_are_counted(result):
    """No result is too odd to be counted; of one that was cut a missing passage proves nothing."""
    evidence = _searched(result)

    assert bool(evidence.blind) != bool(_told("It is tall [997].", evidence))


@pytest.mark.data
@pytest.mark.skipif(not RETRIEVED.exists(), reason="no labelled answers of retrieved passages")
def test_faithful_answers_cite_what_was_retrieved():
    """Of real answers to questions over passages none is said to cite what is not there."""
    with gzip.open(RETRIEVED, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    faithful = [row for row in rows if row["label"] == "faithful"]
    texts = ["\n\n".join(one["text"] for one in row["context"]) for row in faithful]
    messages = [
        _told(row["answer"], _searched(text)) for row, text in zip(faithful, texts, strict=True)
    ]

    assert len(faithful) > 100
    assert sum(map(bool, messages)) <= len(faithful) / 100

"""Citations by number: which passages of a tool result an answer may cite."""

from __future__ import annotations

import gzip
import json

import pytest

from abs_shield.answer.checks.citation_check import Sources
from abs_shield.answer.evidence.evidence_collection import evidence_of
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.session import Session
from abs_shield.text.citations import citations
from tests.requirements import DATA, needs_data

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


def search_evidence(result: object) -> Evidence:
    session = Session()
    session.user("How tall is the tower?")
    session.tool_result("search", result)
    return evidence_of(session)


def citation_conflict(answer: str, evidence: Evidence) -> str:
    sources = Sources(evidence)
    return next(filter(None, map(sources.conflict, citations(answer))), "")


@pytest.mark.parametrize("form", RESULTS)
@pytest.mark.parametrize("answer", ["It is tall [3].", "It is tall (passage 2).", "See [1-3]."])
def test_a_passage_of_a_result_may_be_cited(form, answer):
    """The passages of one search result are counted in every format of the result."""

    assert "" == citation_conflict(answer, search_evidence(RESULTS[form]))


@pytest.mark.parametrize("form", RESULTS)
@pytest.mark.parametrize("answer", ["It is tall [9].", "As passages 1 and 40 say, it is tall."])
def test_a_citation_beyond_the_last_passage_is_a_conflict(form, answer):
    """A number greater than the number of passages was not retrieved."""

    assert "cites source" in citation_conflict(answer, search_evidence(RESULTS[form]))


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
def test_an_id_of_a_passage_may_be_cited(result, answer):
    """An id or a heading number may be cited even if it is greater than the number of passages."""

    assert "" == citation_conflict(answer, search_evidence(result))


def test_passages_are_numbered_across_results():
    """The passages of several searches are numbered consecutively."""
    session = Session()
    for text in PASSAGES:
        session.tool_result("search", [text, text])

    assert "" == citation_conflict("It is tall [6].", evidence_of(session))
    assert citation_conflict("It is tall [7].", evidence_of(session))


@pytest.mark.parametrize("result", ["[1" * 50_000, "\n" * 100_000, [[["a"] * 9] * 9] * 900, {}, ""])
def test_hostile_results_are_counted(result):
    """Hostile results raise nothing; a truncated result makes no citation a conflict."""
    evidence = search_evidence(result)

    assert bool(evidence.blind) != bool(citation_conflict("It is tall [997].", evidence))


@pytest.mark.data
@needs_data(RETRIEVED)
def test_faithful_answers_have_no_citation_conflict():
    """At most 1 % of the answers that people labelled as faithful have a citation conflict."""
    with gzip.open(RETRIEVED, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    faithful = [row for row in rows if row["label"] == "faithful"]
    texts = ["\n\n".join(one["text"] for one in row["context"]) for row in faithful]
    messages = [
        citation_conflict(row["answer"], search_evidence(text))
        for row, text in zip(faithful, texts, strict=True)
    ]

    assert len(faithful) > 100
    assert sum(map(bool, messages)) <= len(faithful) / 100


@pytest.mark.parametrize(("name", "is_wrong"), [("warranty.md", False), ("guarantee.md", True)])
def test_a_file_of_a_result_may_be_cited(name, is_wrong):
    """A file that a result names is a source; another one is not."""
    evidence = search_evidence([{"file": "warranty.md", "text": "The warranty is two years."}])
    (citation,) = citations(f"The warranty is two years (source: {name}).")

    assert is_wrong == (Sources(evidence).conflict(citation) != "")

"""Answers labelled by people, read from a folder: the corpora, and what may train on them."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.claim_types import Claim
from abs_shield.answer.evidence.evidence_collection import evidence_from
from abs_shield.answer.evidence.evidence_passages import Evidence

FOLDS = 5
TRAINED = {
    "begin-wow": "CC-BY-4.0",
    "begin-cmu-dog": "CC-BY-4.0",
    "faithdial-audit": "MIT",
    "mtrag-human": "Apache-2.0",
    "wice-claim": "ODC-BY (annotations); CC-BY-SA text of Wikipedia, no sentence stored here",
}
"""Natural answers whose licence lets a model be trained on them and shipped."""
MEASURED = ("ragtruth-qa-test", "faithbench", "begin-topicalchat")
"""Natural answers that train nothing: non-commercial, or shared alike."""
EDITED = (
    "bump", "summedits-ectsum", "summedits-news", "summedits-podcast", "summedits-qmsumm",
    "summedits-sales_call", "summedits-sales_email", "summedits-samsum", "summedits-scitldr",
)  # fmt: skip
"""Answers in which somebody changed a few words."""
SPANNED = ("wice-tokens",)
"""Bad answers alone, with the words that are not supported."""


@dataclass(frozen=True)
class Row:
    """
    One labelled answer.

    Attributes:
        good: Whether people found it faithful.
        fold: Its fold; the same for all answers on one document.
        spans: The places in the answer that people marked.
    """

    id: str
    answer: str
    question: str | None
    evidence: Evidence
    claims: tuple[Claim, ...]
    good: bool
    fold: int
    spans: tuple[tuple[int, int], ...]

    @property
    def context(self) -> str:
        """All the evidence as one text."""
        return "\n".join(piece.text for piece in self.evidence)


def corpus(folder: Path, name: str, *, limit: int | None = None) -> list[Row]:
    """Return the rows of one file, at most *limit*; answers on one context share its evidence."""
    held: dict[str, Evidence] = {}
    return [_row(record, held) for record in _records(folder / f"{name}.jsonl.gz", limit)]


def _records(path: Path, limit: int | None) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for n, line in enumerate(lines):
            if limit is not None and n >= limit:
                return
            yield json.loads(line)


def _row(record: dict[str, Any], held: dict[str, Evidence]) -> Row:
    place = json.dumps(record["context"])
    if place not in held:
        held[place] = evidence_from(record["context"])
    digest = hashlib.sha256(record["doc"].encode()).digest()
    return Row(
        id=record["id"],
        answer=record["answer"],
        question=record["question"],
        evidence=held[place],
        claims=claims_of(record["answer"], questions=True),
        good=record["label"] == "faithful",
        fold=int.from_bytes(digest[:8], "big") % FOLDS,
        spans=tuple((span["start"], span["end"]) for span in record["spans"]),
    )

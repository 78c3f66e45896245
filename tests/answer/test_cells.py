"""Records in columns, and several records in one sentence: each figure against its own."""

from __future__ import annotations

import json

import pytest

from abs_shield.answer.checks.cells import Cells
from abs_shield.answer.checks.hard import hard
from abs_shield.answer.evidence.collect import evidence_from
from abs_shield.answer.types import Claim, Opinion
from abs_shield.text.sentences import sentence_spans

BOATS = (
    {"boat": "SB-4", "name": "Merlin", "built": "2019-04-02", "price": 310, "seen": "kiel"},
    {"boat": "SB-7", "name": "Osprey", "built": "2021-09-17", "price": 275, "seen": "riga"},
)
RULE = "|---|---|---|"


def told(answer):
    """Why claims of an answer are against the evidence; none where they are not."""
    claims = tuple(Claim(answer[a:b], a, b) for a, b in sentence_spans(answer))
    evidence = evidence_from([*map(json.dumps, BOATS)])
    found = hard(claims, evidence, answer=answer)
    return [one.contradicted for one in found if isinstance(one, Opinion) and one.contradicted]


@pytest.mark.parametrize(
    "answer",
    [
        f"| | SB-4 | SB-7 |\n{RULE}\n| Seen | kiel | riga |\n| Built | 2 Apr 2019 | 17 Sep 2021 |",
        f"| | SB-7 | SB-4 |\n{RULE}\n| Built | 2021-09-17 | 2019-04-02 |\n| Price | $275 | $310 |",
        f"| | Merlin | Osprey |\n{RULE}\n| Seen | kiel | riga |\n| Price | $310 | $275 |",
        f"| | SB-4 | SB-7 | Both |\n{RULE}---|\n| Price | $310 | $275 | $310 |",
        f"| Boat | Built | Price |\n{RULE}\n| SB-4 | 2019-04-02 | $310 |\n| SB-7 | | $275 |",
        "SB-4 costs $310 and SB-7 costs $275.",
        "SB-4 was built on 2 April 2019, SB-7 on 17 September 2021.",
        "SB-4 and SB-7 cost $275 and $310 respectively.",
        "SB-4 or SB-7: $275 or $310.",
        "For $275 there is SB-7, and for $310 SB-4.",
        "SB-4 ($310) is dearer than SB-7 ($275).",
    ],
)
def test_what_is_right_or_cannot_be_told(answer):
    """Every figure stands in the record over it, beside it or before it, or is let be."""

    assert [] == told(answer)


@pytest.mark.parametrize(
    "answer",
    [
        f"| | SB-4 | SB-7 |\n{RULE}\n| Seen | kiel | riga |\n| Built | 17 Sep 2021 | 2 Apr 2019 |",
        f"| | Merlin | Osprey |\n{RULE}\n| Built | 2021-09-17 | 2019-04-02 |",
        "SB-4 was built on 17 September 2021 and SB-7 on 2 April 2019.",
    ],
)
def test_what_is_exchanged(answer):
    """A figure of the record beside it is no figure of this one."""

    assert told(answer)
    assert all("stands for another record" in one for one in told(answer))


@pytest.mark.parametrize(
    "answer",
    [f"| | SB-4 | SB-7 |\n{RULE}\n| Price | $275 | $310 |", "SB-4 costs $275, SB-7 costs $310."],
)
def test_exchanged_amounts_are_not_seen(answer):
    """An amount may stand in any record: answers name those of several side by side."""

    assert [] == told(answer)


def test_cells():
    """Columns count with and without bars at the ends; a line outside of tables has no cells."""
    answer = "so\n| | a | b |\n|--|--|--|\n| x | 1 | 2 |\n\nc | d\n--|--\n3 | 4\nend"
    lines, at = [], 0
    for line in answer.split("\n"):
        lines.append((at, at + len(line)))
        at += len(line) + 1
    cells = Cells(answer, lines)

    def column(text):
        place = answer.index(text)
        found = cells.at(answer.rfind("\n", 0, place) + 1, place)
        return found and (found.column, [answer[slice(*head)].strip() for head in found.heads])

    assert (1, ["", "a", "b", ""]) == column("1")
    assert (2, ["", "a", "b", ""]) == column("2")
    assert (1, ["c", "d"]) == column("4")
    assert None is column("so") is column("end")


@pytest.mark.parametrize("piece", ["| SB-4 ", "|", "|-", "| SB-4 |\n|--|\n", "SB-4 $310 ", "SB-4 "])
def test_it_is_bounded(piece):
    """Long rows, many tables and sentences of records take bounded time."""

    assert all("\n" not in one for one in told(piece * 5_000))

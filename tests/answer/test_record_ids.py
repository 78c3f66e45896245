"""An id, an address or a telephone number belongs to the record named directly before it."""

from __future__ import annotations

import pytest

from tests.answer.test_stated_weekdays import conflicts

TEAM = {
    "items": [
        {
            "id": "EMP-102",
            "name": "Tom Brandt",
            "email": "tom.brandt@acme.io",
            "phone": "+49 30 5550102",
            "manager": "Mara Lind",
            "manager_id": "EMP-101",
        },
        {
            "id": "EMP-103",
            "name": "Sina Kuhn",
            "email": "sina.kuhn@acme.io",
            "phone": "+49 30 5550103",
            "manager": "Mara Lind",
            "manager_id": "EMP-101",
        },
    ]
}


@pytest.mark.parametrize(
    "answer",
    [
        "Tom Brandt's e-mail address is tom.brandt@acme.io.",
        "Tom Brandt and Sina Kuhn: tom.brandt@acme.io, sina.kuhn@acme.io.",
        "EMP-102 (Tom Brandt), EMP-103 (Sina Kuhn)",
        "EMP-102 Tom Brandt\nEMP-103 Sina Kuhn",
        "sina.kuhn@acme.io is Sina Kuhn's address, tom.brandt@acme.io is Tom's.",
        "Tom Brandt, Sina Kuhn: +49 30 5550102 and +49 30 5550103.",
        "Tom Brandt reports to EMP-101.",
        "Tom Brandt is replaced by his colleague sina.kuhn@acme.io.",
        "The last one besides Tom Brandt is EMP-103.",
        "| ID | Name |\n|---|---|\n| EMP-102 | Tom Brandt |\n| EMP-103 | Sina Kuhn |",
        "For Tom Brandt, please write to sina.kuhn@acme.io.",
    ],
)
def test_own_id_or_a_relation_passes(answer):
    """A record's own id passes, and so does one that the sentence does not state as its own."""
    assert [] == conflicts(answer, TEAM)


@pytest.mark.parametrize(
    "answer",
    [
        "Tom Brandt's e-mail address is sina.kuhn@acme.io.",
        "You can reach Tom at sina.kuhn@acme.io.",
        "Tom Brandt: +49 30 5550103",
        "Call Tom Brandt on +49 30 5550103.",
        "Tom Brandt (EMP-103) is in the team.",
        "- **Tom Brandt** \u2013 EMP-103",
    ],
)
def test_id_of_another_record_contradicts(answer):
    """An id of another record is a contradiction, and the message has the right one."""
    assert ["belongs to another record" in one for one in conflicts(answer, TEAM)] == [True]


def test_id_that_a_call_or_a_user_has_passes():
    """An address may have changed if a user or a call has it."""
    question = "Set the address of Tom Brandt to sina.kuhn@acme.io"

    assert [] == conflicts("Tom Brandt's address is sina.kuhn@acme.io.", TEAM, question)

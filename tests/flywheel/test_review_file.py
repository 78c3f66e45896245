"""Gaps are exported to a file for review, and the reviews are imported from it."""

from __future__ import annotations

import json
import re

import pytest

from abs_shield.flywheel.curate import curate, examples_of
from abs_shield.flywheel.harvest import harvest
from abs_shield.flywheel.review_file import parse_reviews, render_json, render_markdown
from tests.flywheel.conftest import decision, finding

HEADINGS = (
    "## {} - market cap",
    "## `{}`: market cap",
    "##{}",
    "### {}",
    " ## {} ##",
    "## **{}**",
)
HOSTILE = "`x`\n- [x] accept\n## gap-1\n<script>\u202e"


@pytest.fixture
def gaps(log, book):
    """Return two gaps, one of them with a hostile title and claim."""
    log.append(decision(0, finding(code="a")))
    log.append(decision(1, finding(code="b", where=HOSTILE, got=HOSTILE, detail=HOSTILE)))
    harvest(log, book)
    return curate(book)


def markdown(gaps, book) -> str:
    return render_markdown(gaps, examples_of(book, gaps))


def test_an_unedited_file_has_no_reviews(gaps, book):
    """An exported file has no review in it, whatever a model wrote into a claim."""
    for text, is_json in ((markdown(gaps, book), False), (render_json(gaps, {}), True)):
        assert ([], [], []) == parse_reviews(text, is_json=is_json)
    assert markdown(gaps, book).isascii()


def test_ticks_are_decisions(gaps, book):
    """A box, a reason, and who decided; a target of a merge with or without backticks."""
    one, other = gaps
    text = markdown(gaps, book).replace("- [ ] accept", "- [x] accept", 1)
    head, _, tail = text.rpartition("- [ ] merge into")
    text = f"{head}- [X] merge into `{one.id}`{tail}why: the same".replace("by:", "by: ann")
    text = text.replace("why:", "why: worth it", 1)
    text = text.replace("right answer:", "right answer: W99", 1)
    reviews = parse_reviews(text, is_json=False, by="bob", why="none")

    assert [] == reviews.mistakes
    first = (one.id, "accept", "ann", "worth it", "")
    assert ["W99", ""] == [r.right_answer for r in reviews.reviews]
    assert [first, (other.id, "merge", "ann", "the same", one.id)] == [
        (r.gap, r.choice, r.by, r.why, r.into) for r in reviews.reviews
    ]
    lines = text.splitlines()
    assert ["- [x] accept", f"- [X] merge into `{one.id}`"] == [lines[n - 1] for n in reviews.lines]


def test_reviews_are_read_from_json(gaps):
    """A JSON file has the same fields in one object for each gap."""
    whole = json.loads(render_json(gaps, {}))
    whole["by"] = "ann"
    whole["gaps"][1] |= {"decision": "accept", "why": "expected", "right_answer": "W9"}
    text = json.dumps(whole, indent=2)
    reviews = parse_reviews(text, is_json=True)

    assert [(gaps[1].id, "accept", "ann", "expected", "W9")] == [
        (r.gap, r.choice, r.by, r.why, r.right_answer) for r in reviews.reviews
    ]
    assert f'"id": "{gaps[1].id}"' in text.splitlines()[reviews.lines[0] - 1]


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_heading_may_have_text_after_the_id(heading):
    """A tick belongs to the gap of the last heading, whatever else the heading contains."""
    text = f"## gap-1\n- [ ] accept\n{heading.format('gap-2')}\n- [x] accept\nwhy: seen\n"
    reviews = parse_reviews(f"# Gaps\nby: ann\n{text}", is_json=False)

    assert [("gap-2", "ann", "seen")] == [(r.gap, r.by, r.why) for r in reviews.reviews]


def test_a_missing_heading_is_noticed():
    """The boxes of two gaps under one heading would decide about the wrong one."""
    text = "## gap-1\n- [ ] accept\n- [ ] reject\nmarket cap\n- [x] accept\nwhy: seen\n"
    (mistake,) = parse_reviews(text, is_json=False).mistakes

    assert (5, True) == (mistake.place, "`gap-1` has this box twice" in mistake.message)


def test_nothing_of_the_log_is_markup(log, book):
    """A phantom tool may be named like HTML; its name is only shown as code."""
    name = "<img src=x onerror=alert(1)>"
    log.append(decision(0, finding(check="phantom_tool"), tool=name, agent=name, model=name))
    harvest(log, book)
    text = markdown(curate(book), book)

    assert "<img" in text
    assert [] == [line for line in text.splitlines() if "<img" in re.sub("`[^`]*`", "", line)]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("## gap-1\n- [x] accept\n- [x] reject", 3, "`gap-1` has two ticks; tick one box"),
        ("## gap-1\n- [y] accept", 2, "`[y]` is not a tick; write `[x]`"),
        ("## gap-1\n- [x] acept", 2, "`acept` cannot be decided; did you mean `accept`?"),
        ("## gap-1\n- [x] 42", 2, "use accept, reject or merge into GAP"),
        ("- [x] accept", 1, "above the first gap"),
    ],
)
def test_mistakes_in_markdown_have_their_line(text, line, message):
    """Each mistake has the line number and a hint."""
    (mistake,) = parse_reviews(text, is_json=False).mistakes

    assert (line, True) == (mistake.place, message in mistake.message)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"gaps": [\n{"id": "g" "x"}]}', 2, "it is not JSON"),
        ("[" * 100_000, 1, "nested too deeply"),
        ("[]", 1, 'it has no list "gaps"'),
        ('{"gaps": [7]}', 1, 'give an object with an "id"'),
        ('{"gaps": [\n{"id": "g", "why": 7}]}', 2, "`why` of `g` is 7; give a text"),
        ('{"gaps": [\n\n{"id": "g", "decision": "merg"}]}', 3, "did you mean `merge`?"),
    ],
)
def test_mistakes_in_json_have_their_line(text, line, message):
    """Invalid JSON and invalid fields have the line number and a hint."""
    (mistake,) = parse_reviews(text, is_json=True).mistakes

    assert (line, True) == (mistake.place, message in mistake.message)

"""No value of an argument or a result is on a page, unless values are shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from abs_shield.core import Verdict
from tests.dashboard.decision_samples import decision, finding
from tests.dashboard.visiting import Visit

CANARY = "canary4242"
FIELDS = {
    "got": CANARY,
    "detail": f"the value {CANARY} is not seen, `{CANARY}`, '{CANARY}'",
    "hint": f"did you mean {CANARY}?",
    "nearest": CANARY,
    "evidence": {"value": CANARY, "seen": [CANARY]},
    "expected": f'one of "{CANARY}"',
    "where": f"/arguments/{CANARY}-1/deep",
    "allowed": (CANARY,),
}
PAGES = [
    "/", "/cell?row=refund&check=phantom_target", "/cell?row=refund&check=phantom_target&show=all",
    "/decisions/d-1st", "/decisions/d-2nd", "/rollout", "/trends", "/trends.json",
]  # fmt: skip


@pytest.mark.parametrize("field", FIELDS)
def test_no_page_has_a_value(field: str, visit: Visit, keep: Callable[..., None]) -> None:
    """A value of a finding is masked on its page, in lists and beside its neighbours."""
    code = {"code": "unknown_argument"} if field == "where" else {}
    where = {"where": f"/arguments/{CANARY}"} if field == "where" else {field: FIELDS[field]}
    keep(
        decision(finding(Verdict.HALLUCINATED, **code, **where), id="d-1st"),
        decision(id="d-2nd"),
    )
    client = visit()
    pages = {path: client.get(path).text for path in PAGES}

    assert [] == [path for path, text in pages.items() if CANARY in text]


@pytest.mark.parametrize("field", ["got", "detail", "hint", "nearest", "evidence", "expected"])
def test_values_are_shown_where_they_are_asked_for(
    field: str, visit: Visit, keep: Callable[..., None]
) -> None:
    """The page of a decision then has it."""
    keep(decision(finding(**{field: FIELDS[field]}), id="d-1st"))

    assert CANARY in visit(show_values=True).get("/decisions/d-1st").text


def test_quoted_values_of_errors_are_masked(visit: Visit, keep: Callable[..., None]) -> None:
    """An error of a check may quote what it could not read."""
    keep(decision(id="d-1st", errors=(f"`late` raised: no date in '{CANARY}'",)))

    assert CANARY not in visit().get("/decisions/d-1st").text


def test_the_place_of_a_rule_is_shown(visit: Visit, keep: Callable[..., None]) -> None:
    """The file and the line of a rule are not values of a call."""
    keep(decision(finding(evidence={"file": "rules.py", "line": 41}), id="d-1st"))
    text = visit().get("/decisions/d-1st").text

    assert ("rules.py" in text, "41" in text) == (True, True)

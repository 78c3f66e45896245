"""The page about answers covers statuses, sources, models and training data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from abs_shield.answer.evidence.evidence_passages import PassageSource
from abs_shield.answer.hallucination_report import REPORT_SCHEMA, Status
from abs_shield.answer.scorers import SCORERS
from abs_shield.answer.scorers.lexical.lexical_weights import SHIPPED
from abs_shield.policy.check_config import TaskType

ROOT = Path(__file__).parents[2]
ROOM = ROOT / "abs_shield" / "answer"
PAGE = (ROOT / "docs" / "answers.md").read_text(encoding="utf-8")
WEIGHTS = json.loads((ROOM / "scorers" / "lexical" / SHIPPED).read_text(encoding="utf-8"))


def parts(folder: str) -> list[str]:
    """The parts of a folder of parts."""
    return sorted(path.stem for path in (ROOM / folder).glob("[!_]*.py"))


@pytest.mark.parametrize("status", get_args(Status))
def test_every_status_is_reported(status: str) -> None:
    """In the row of the report's fields."""
    [row] = re.findall(r"^\| `claims\[\]\.status` \|.*$", PAGE, re.MULTILINE)

    assert f"`{status}`" in row


@pytest.mark.parametrize("field", REPORT_SCHEMA["properties"])
def test_every_field_of_a_report_is_shown(field: str) -> None:
    """In the worked report."""

    assert f'\n "{field}": ' in PAGE


@pytest.mark.parametrize("source", PassageSource)
def test_every_source_has_its_row(source: PassageSource) -> None:
    """A source of evidence."""

    assert f"\n| `{source.value}` | " in PAGE


@pytest.mark.parametrize("task", [task for task in get_args(TaskType) if task != "factual"])
def test_every_task_is_reported(task: str) -> None:
    """A kind of answer that is not scored."""

    assert f"`{task}`" in PAGE


@pytest.mark.parametrize("name", SCORERS)
def test_every_scorer_has_its_row(name: str) -> None:
    """The row has the effect of the scorer in a run and with documents."""
    [row] = re.findall(rf"^\| {name} \|.*$", PAGE, re.MULTILINE)
    scorer = SCORERS[name]

    assert [scorer.in_run, scorer.in_documents] == [one.strip() for one in row.split("|")[3:5]]


@pytest.mark.parametrize("verifier", parts("verifiers"))
def test_every_verifier_has_its_row(verifier: str) -> None:
    """Each module of a verifier has one row."""

    assert f"\n| `verifiers.{verifier}." in PAGE


@pytest.mark.parametrize("corpus", WEIGHTS["trained_on"], ids=lambda corpus: corpus["name"])
def test_every_corpus_is_reported(corpus: dict[str, object]) -> None:
    """The training data of the shipped weights, with their licences."""

    assert f"\n| {corpus['name']} | {corpus['licence']} | {corpus['answers']:,} |" in PAGE

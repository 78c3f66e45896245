"""Vocabularies and records of the code are documented with their defaults."""

from __future__ import annotations

import dataclasses
import re
from enum import StrEnum
from pathlib import Path

import pytest
from pydantic_core import PydanticUndefined

from abs_shield import Action, Finding, Mode, Tool, Verdict
from abs_shield.core import Outcome, Subject
from abs_shield.core.decision_summary import APPROVALS
from abs_shield.flywheel.catch import Catch
from abs_shield.session import Limits, Session

ROOT = Path(__file__).parents[2]
WORDS = {
    "Verdict": Verdict,
    "Action": Action,
    "Mode": Mode,
    "Subject": Subject,
    "Coverage": Outcome,
}


def rows(page: str, first: str) -> list[str]:
    """The rows of a page's tables that begin with *first*."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.startswith(f"| {first} |")]


def row_of(word: str) -> str:
    """The row of docs/concepts.md that gives a word its values."""
    text = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8")
    return re.findall(rf"^\| .* \| \*\*{word}\*\* \| (.*) \|$", text, re.MULTILINE)[0]


@pytest.mark.parametrize("word", WORDS)
def test_every_word_has_its_values(word: str) -> None:
    """docs/concepts.md lists the values of each vocabulary in order."""
    values: type[StrEnum] = WORDS[word]
    places = [row_of(word).find(value) for value in values]

    assert -1 not in places
    assert places == sorted(places)


def test_a_finding_is_reported_whole() -> None:
    """Every field of a finding is in docs/concepts.md."""
    named = re.findall(r"[a-z]+", row_of("Finding"))

    assert [] == [field.name for field in dataclasses.fields(Finding) if field.name not in named]


@pytest.mark.parametrize("field", dataclasses.fields(Limits), ids=lambda field: field.name)
def test_every_bound_has_its_row(field: dataclasses.Field[int]) -> None:
    """A limit of a session is in docs/sessions.md, with its default."""
    text = (ROOT / "docs" / "sessions.md").read_text(encoding="utf-8")

    assert f"\n| `{field.name}` | {field.default:,} " in text


@pytest.mark.parametrize("name", [name for name in dir(Session()) if not name.startswith("_")])
def test_every_name_of_a_session_has_its_row(name: str) -> None:
    """A public attribute of a session is in the first table of docs/sessions.md."""
    text = (ROOT / "docs" / "sessions.md").read_text(encoding="utf-8")

    assert re.search(rf"^\| .*`{name}\b", text.partition("\n## ")[0], re.MULTILINE)


@pytest.mark.parametrize("name", Tool.model_fields)
def test_every_field_of_a_tool_has_its_row(name: str) -> None:
    """A field of a tool's declaration is in docs/policy.md, with its default."""
    default = Tool.model_fields[name].get_default()
    shown = "required" if default is PydanticUndefined else f"`{default!r}`"

    assert [True] == [f"| {shown} |" in row for row in rows("policy.md", f"`{name}`")[-1:]]


@pytest.mark.parametrize("field", dataclasses.fields(Catch), ids=lambda field: field.name)
def test_every_field_of_a_catch_is_explained(field: dataclasses.Field[object]) -> None:
    """A field of a catch is in docs/flywheel.md."""
    text = (ROOT / "docs" / "flywheel.md").read_text(encoding="utf-8")

    assert f"`{field.name}`" in text


def test_every_code_of_the_shield_has_its_row() -> None:
    """Each code that the Shield itself sends to the model has its row in docs/feedback.md."""
    source = (ROOT / "abs_shield" / "core" / "decision.py").read_text(encoding="utf-8")
    codes = {*re.findall(r'_error_problem\("(\w+)"', source)}
    codes |= {message.code for message in APPROVALS.values()}

    assert [] == [code for code in sorted(codes) if not rows("feedback.md", f"`{code}`")]
    assert len(codes) == 4

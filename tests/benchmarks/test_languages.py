"""Dialogues in fourteen languages: right calls are not flagged, and identifiers are judged."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from tests.processes import load_benchmark

FOLDER = Path(__file__).parents[2] / "benchmarks"
LANGUAGES = load_benchmark("languages")
CODES = sorted(path.stem for path in (FOLDER / "languages").glob("*.jsonl"))


@lru_cache
def judge_dialogues(code):
    return LANGUAGES.judged(code)


def test_every_file_has_a_name():
    """A file that the table leaves out would be judged by nothing."""
    assert CODES == sorted(LANGUAGES.NAMES)


@pytest.mark.parametrize("code", CODES)
def test_right_calls_of_a_language(code):
    """No right call has a finding that is HALLUCINATED."""
    result = judge_dialogues(code)

    assert result.calls >= 60
    assert result.hard == 0, result.flags


def test_right_calls_of_all_languages():
    """At most one in two hundred has a finding of any kind."""
    result = [judge_dialogues(code) for code in CODES]

    assert 200 * sum(one.flagged for one in result) <= sum(one.calls for one in result)


@pytest.mark.parametrize("code", CODES)
def test_faults_of_a_language(code):
    """Invented and misspelt identifiers and what undoes a call are found in every language."""
    result = judge_dialogues(code)
    kinds = ("unseen", "typo", "undone")
    results, planted = (
        sum(table[kind] for kind in kinds) for table in (result.found, result.planted)
    )

    assert planted > 90
    assert results >= 0.98 * planted, result.misses
    assert result.planted.total() == result.found.total() + result.abstained.total() + len(
        result.misses
    )

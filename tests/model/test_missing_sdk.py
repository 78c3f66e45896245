"""Without the `openai` SDK, the judge that needs it says what to install."""

from __future__ import annotations

import sys

import pytest

from abs_shield.errors import ShieldError
from abs_shield.model.openai_judge import OpenAIJudge


def test_the_error_names_the_extra(monkeypatch):
    """One line with the command; nothing is imported before it is needed."""
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ShieldError) as caught:
        OpenAIJudge("good", api_key="k")

    assert '`OpenAIJudge` needs openai; run `pip install "abs-shield[judge]"`' == str(caught.value)

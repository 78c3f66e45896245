"""Folders that contain no model for a verifier are refused with one line."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from abs_shield.answer.verifiers.hhem import HHEM
from abs_shield.answer.verifiers.lettuce import LettuceDetect
from abs_shield.answer.verifiers.minicheck import MiniCheck
from abs_shield.answer.verifiers.sequence import SequenceVerifier
from abs_shield.errors import PolicyError

KINDS = [MiniCheck, LettuceDetect, SequenceVerifier, partial(HHEM, foundation="models/t5")]


@pytest.fixture(autouse=True)
def _installed(monkeypatch):
    """Make the verifiers believe that torch and transformers are installed."""
    monkeypatch.setattr("abs_shield.answer.transformer_verifier.libraries", lambda: (None, None))


def error_line(make):
    """Return the one line of the error that a function raises."""
    with pytest.raises(PolicyError) as caught:
        make()
    (line,) = str(caught.value).splitlines()
    return line


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("folder", [None, 5, "", " ", True, b"models", ["models"], {}])
def test_a_value_that_is_not_a_path_is_refused(kind, folder):
    """The error says which value was given and what to give instead."""
    line = error_line(lambda: kind(folder))

    assert "verifier: the folder of a model is " in line
    assert line.endswith("give its path, such as `models/minicheck`")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("folder", ["google/flan-t5-base", Path("/nowhere"), "\0", __file__])
def test_a_path_that_is_not_a_folder_is_refused(kind, folder):
    """A model name of a hub, a file, and a path that does not exist are errors."""
    assert "is not a folder; download the model first" in error_line(lambda: kind(folder))


@pytest.mark.parametrize("foundation", [None, 5, ""])
def test_the_foundation_of_hhem_must_be_a_folder(foundation, tmp_path):
    """HHEM reads a second folder, whose path is checked as well."""
    (tmp_path / "model.safetensors").touch()

    assert "the folder of a model is " in error_line(lambda: HHEM(tmp_path, foundation=foundation))


@pytest.mark.parametrize(
    ("kind", "files", "missing"),
    [
        (MiniCheck, [], "config.json"),
        (LettuceDetect, [], "config.json"),
        (SequenceVerifier, [], "config.json"),
        (MiniCheck, ["config.json"], "tokenizer.json"),
        (LettuceDetect, ["config.json"], "model.safetensors"),
        (SequenceVerifier, ["config.json", "tokenizer.json"], "model.safetensors"),
        (KINDS[-1], [], "model.safetensors"),
    ],
)
def test_a_folder_without_a_file_is_refused(kind, files, missing, tmp_path):
    """The error names the missing file."""
    for name in files:
        (tmp_path / name).write_text("{}")
    line = error_line(lambda: kind(tmp_path))

    assert f"cannot be loaded: it has no `{missing}`; download the whole model" in line

"""Folders of verifiers that no model can be in: refused in one line."""

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
    """As if torch and transformers were installed; none of these folders is read by them."""
    monkeypatch.setattr("abs_shield.answer.transformer_verifier.libraries", lambda: (None, None))


def refused(make):
    """The one line of a refusal."""
    with pytest.raises(PolicyError) as caught:
        make()
    (line,) = str(caught.value).splitlines()
    return line


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("folder", [None, 5, "", " ", True, b"models", ["models"], {}])
def test_what_is_no_path_is_refused(kind, folder):
    """The line says what was given, and what to give."""
    line = refused(lambda: kind(folder))

    assert "verifier: the folder of a model is " in line
    assert line.endswith("give its path, such as `models/minicheck`")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("folder", ["google/flan-t5-base", Path("/nowhere"), "\0", __file__])
def test_what_is_no_folder_is_refused(kind, folder):
    """A name of a hub, a file and a path that does not exist."""
    assert "is not a folder; download the model first" in refused(lambda: kind(folder))


@pytest.mark.parametrize("foundation", [None, 5, ""])
def test_the_foundation_is_a_folder_too(foundation, tmp_path):
    """HHEM reads two of them."""
    (tmp_path / "model.safetensors").touch()

    assert "the folder of a model is " in refused(lambda: HHEM(tmp_path, foundation=foundation))


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
    """The line names the file, and nothing of what a library says."""
    for name in files:
        (tmp_path / name).write_text("{}")
    line = refused(lambda: kind(tmp_path))

    assert f"cannot be loaded: it has no `{missing}`; download the whole model" in line

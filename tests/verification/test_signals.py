"""One suite for every signal: total, pure, silent by default, named as its file."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.core.finding import Unavailable
from abs_shield.policy import ToolProfile
from abs_shield.verification import SIGNALS
from abs_shield.verification import signals as room
from abs_shield.verification.baseline import Outlook, Surprise
from abs_shield.verification.past import Past
from abs_shield.verification.reading import Reading
from abs_shield.verification.seen import Seen

PROFILES = [
    None,
    ToolProfile(),
    ToolProfile(expected_latency_ms=(100, 5000), has_network_io=True),
    ToolProfile(
        required_fields=["a", "/b/c"], forbidden_fields=["mock"], response_patterns=["a"],
        min_response_length=5, max_response_length=9, has_network_io=False,
    ),
]  # fmt: skip
SURPRISE = Surprise(0.5, "unlike", "/a")
PASTS = [
    Past({}),
    Past({"a": "number"}, Outlook(), Surprise(0.0, ""), Surprise(0.0, "")),
    Past({"a": "number"}, Outlook(SURPRISE, SURPRISE), SURPRISE, SURPRISE),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=8,
)
each = pytest.mark.parametrize("signal", SIGNALS, ids=lambda signal: signal.name)


@each
def test_it_is_named_as_its_file(signal):
    """One file a signal, which defines a function of its name, with a scenario."""
    module = importlib.import_module(f"{room.__name__}.{signal.name}")

    assert signal.judge is getattr(module, signal.name)
    assert signal.judge.__doc__


def test_every_file_has_its_row():
    """The table holds all files of the folder, and nothing else."""
    files = {path.stem for path in Path(room.__file__).parent.glob("*.py")} - {"__init__"}

    assert files == {signal.name for signal in SIGNALS}


@each
@pytest.mark.parametrize("profile", PROFILES, ids=["none", "default", "network", "full"])
@given(result=JSON, ms=st.floats(0, 1e6))
def test_it_is_total_and_pure(signal, profile, result, ms):
    """Of any result it reads something well-formed, and the same again."""
    seen = Seen(result, latency_ms=ms, profile=profile)
    for past in PASTS:
        told = signal.judge(seen, past)
        assert isinstance(told, Reading | Unavailable)
        assert told == signal.judge(seen, past)
        if isinstance(told, Reading):
            assert 0 <= told.score <= 1
            assert bool(told.detail) == bool(told.score)
            assert "\n" not in told.detail
            assert told.where[:1] in ("", "/")


@each
def test_it_says_why_it_cannot_look(signal):
    """Of an unknown tool's first result, all but latency say that they have nothing to go on."""
    told = signal.judge(Seen({"a": 1}, latency_ms=50.0, profile=None), Past({}))

    assert ("latency_anomaly" == signal.name) == isinstance(told, Reading)


@each
def test_it_is_in_the_docs(signal):
    """Each row of the table has its row there."""
    page = Path(__file__).parents[2] / "docs" / "verification.md"

    assert f"`{signal.name}`" in page.read_text()

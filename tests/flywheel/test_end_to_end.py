"""The example trains a model, which improves on held-out cases, and is rolled back."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from abs_shield.flywheel.gap import GapState, gap_with_catches
from abs_shield.flywheel.version_registry import VersionRegistry, VersionState

EXAMPLE = Path(__file__).parents[2] / "examples" / "flywheel_end_to_end.py"
for module, extra in (("rapidfuzz", "flywheel"), ("faker", "flywheel"), ("numpy", "pictures")):
    pytest.importorskip(module, reason=f"needs `pip install abs-shield[{extra}]`")


@pytest.mark.release
@pytest.mark.slow
def test_the_example_improves_a_model_on_held_out_cases(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The trained version improves the target and nothing gets worse; a harmful one is rejected."""
    spec = spec_from_file_location("flywheel_end_to_end", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = module_from_spec(spec)
    spec.loader.exec_module(example)
    example.turn(tmp_path)
    printed = capsys.readouterr().out
    good, harmful = VersionRegistry(tmp_path / "flywheel.db").versions("answers")
    target, *others = good.evaluation["comparisons"]

    assert target["candidate"] - target["present"] >= 0.5
    assert target["low"] > 0.4
    assert "drift: 33.3% [26.9%, 40.5%] before, 0.6% [0.1%, 3.1%] after" in printed
    assert {"as good"} == {one["standing"] for one in others}
    assert [0, 0] == [one["lost"] for one in others if one["name"].startswith("regression")]
    assert VersionState.ROLLED_BACK is good.state
    assert VersionState.REJECTED is harmful.state
    assert "regression: capitals is worse" in harmful.reason
    assert GapState.OPEN is gap_with_catches(tmp_path / "flywheel.db", good.gap)[0].state

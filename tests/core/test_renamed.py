"""Deprecated names of a module."""

from __future__ import annotations

import pickle
import sys
from importlib import import_module
from types import ModuleType
from unittest.mock import patch

import pytest

from abs_shield.core.decision import Decision
from abs_shield.core.module_names import lazy_names, old_names
from abs_shield.layers import OPT_IN, Layer

RESOLVE = old_names("abs_shield.core.events", {"Record": "abs_shield.core.decision:Decision"})


def test_an_old_name_gives_the_new_object_and_warns() -> None:
    """The warning names both, with their modules."""
    with pytest.warns(
        DeprecationWarning, match=r"`.*events\.Record` is now `.*decision\.Decision`"
    ):
        assert RESOLVE("Record") is Decision


def test_any_other_name_is_an_attribute_error() -> None:
    """A name that the module never had raises AttributeError."""
    with pytest.raises(AttributeError, match="has no attribute 'Recrod'"):
        RESOLVE("Recrod")


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("schema", "Problem", "SchemaProblem"),
        ("schema", "both", "intersect_schemas"),
        ("plan", "Terms", "ShieldTerms"),
        ("mining", "Given", "LenientToolsets"),
        ("mining", "Kind", "SuggestionKind"),
        ("mining", "Source", "ToolSource"),
        ("planting", "joined", "join_runs"),
        ("report", "muted", "silent_layers"),
    ],
)
def test_a_deprecated_name_warns(module: str, old: str, new: str) -> None:
    """The deprecated name is the same object as the new name."""
    room = import_module(f"abs_shield.{module}")
    with pytest.warns(DeprecationWarning, match=rf"`.*\.{old}` is now `.*\.{new}`"):
        assert getattr(room, old) is getattr(room, new)


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("replay.backtest", "backtest", "Backtesting"),
        ("replay.mining", "mining", "mine"),
        ("replay.openapi", "openapi", "operations"),
        ("replay.planting", "planting", "KINDS"),
        ("replay.report", "report", "Report"),
        ("answer.checks.opinions", "answer.claim_types", "ABSENT"),
        ("flywheel.accepted", "flywheel.gap", "gap_with_catches"),
        ("text.show", "text.safe_display", "escaped"),
        ("verification.signal_context", "verification.signal_reading", "SignalContext"),
    ],
)
def test_a_deprecated_module_warns(old: str, new: str, name: str) -> None:
    """The names of the deprecated module are those of the new module."""
    moved, room = (import_module(f"abs_shield.{module}") for module in (old, new))
    with pytest.warns(DeprecationWarning, match=rf"`abs_shield\.{old}` is now `abs_shield\.{new}`"):
        assert getattr(moved, name) is getattr(room, name)
    with pytest.raises(AttributeError):
        moved.__path__  # noqa: B018


def test_an_opt_in_layer_warns() -> None:
    """Opt-in layers are listed by name, so the argument has no effect."""
    with pytest.warns(DeprecationWarning, match="has no effect"):
        layer = Layer("call_loop", OPT_IN["call_loop"].judge, opt_in=False)
    with pytest.warns(DeprecationWarning, match="is now `name in OPT_IN`"):
        assert layer.opt_in

    assert pickle.loads(pickle.dumps(layer)) == layer


def test_a_lazy_name_is_imported_on_first_use() -> None:
    """The package lists it before, and has it afterwards."""
    package = ModuleType("lazy_package")
    resolve, listing = lazy_names(package.__name__, {"Decision": "abs_shield.core.decision"})
    with patch.dict(sys.modules, {package.__name__: package}):
        assert "Decision" in listing()
        assert resolve("Decision") is vars(package)["Decision"] is Decision
        with pytest.raises(AttributeError, match="has no attribute 'Decisoin'"):
            resolve("Decisoin")

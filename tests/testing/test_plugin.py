"""The pytest plugin, tested with inner runs of pytest."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import abs_shield

TOOLS = """
from abs_shield import CallBlocked, Shield, shield, shielded
from abs_shield.testing import assert_blocked
import pytest

firewall = Shield(shield.configure(), hooks=None)

@shielded(firewall)
def double(n: int) -> int:
    return n * 2
"""


def test_the_fixture_records_the_decisions_of_its_test(inner):
    """Each test has its own list."""
    source = """
    def test_one(decisions):
        double(2)
        assert decisions.only().tool == "double"

    def test_other(decisions):
        assert decisions == []
    """
    ran = inner(TOOLS + _dedented(source))

    ran.assert_outcomes(passed=2)


def test_the_marker_turns_the_shield_off(inner):
    """The body of a marked function, method or class is not judged; fixtures are."""
    source = """
    @pytest.fixture
    def blocked():
        with assert_blocked():
            double("five")
        yield
        with assert_blocked():
            double("five")

    @pytest.mark.no_shield
    def test_off(blocked, decisions):
        assert double("five") == "fivefive"
        assert decisions.only().notes == ("shield_off",)

    @pytest.mark.no_shield
    class TestOff:
        def test_off(self):
            assert double("five") == "fivefive"

    @pytest.mark.no_shield
    @pytest.mark.xfail(strict=True)
    def test_off_and_failing():
        assert double("five") == 10

    def test_on():
        with assert_blocked(layer="parameter_mismatch"):
            double("five")
    """
    ran = inner(TOOLS + _dedented(source))

    ran.assert_outcomes(passed=3, xfailed=1)


def test_the_marker_is_explained(inner):
    """``pytest --markers`` describes the marker."""
    ran = inner("", "--markers")

    assert ran.ret == 0
    ran.stdout.fnmatch_lines(["@pytest.mark.no_shield: run the body of this test with every *"])


def test_the_fixture_is_explained(inner):
    """``pytest --fixtures`` describes the fixture."""
    ran = inner("", "--fixtures")

    assert ran.ret == 0
    ran.stdout.fnmatch_lines(["decisions*", "*Every decision that any Shield records*"])


def test_a_failed_claim_points_at_the_test(inner):
    """The traceback ends at the line of the claim, with what was found."""
    source = """
    def test_wrong():
        with assert_blocked(layer="phantom_tool"):
            double("five")
    """
    ran = inner(TOOLS + _dedented(source), "--tb=short")

    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(
        [
            "E   AssertionError: expected a blocked call with layer `phantom_tool`; got:",
            "E     double: blocked (parameter_mismatch wrong_type at /arguments/n)",
        ]
    )
    assert "expectation.py" not in ran.stdout.str()


def test_a_failed_comparison_shows_decisions_short(inner):
    """A list of decisions is one readable line in a failure."""
    source = """
    def test_wrong(decisions):
        double(2)
        assert not decisions
    """
    ran = inner(TOOLS + _dedented(source))

    ran.stdout.fnmatch_lines(["E       assert not [[]double: allowed[]]"])


@pytest.mark.slow
def test_the_plugin_works_in_a_separate_process(alone):
    """A run in a new process, as a user starts it, has the same outcomes."""
    source = """
    def test_one(decisions):
        double(2)
        assert decisions.only().tool == "double"

    @pytest.mark.no_shield
    def test_off():
        assert double("5") == "55"

    def test_wrong():
        with assert_blocked(layer="phantom_tool"):
            double("5")
    """
    ran = alone(TOOLS + _dedented(source))

    ran.assert_outcomes(passed=2, failed=1)


def test_the_plugin_imports_only_its_own_module(alone):
    """A project that does not use the plugin imports nothing else of the package."""
    ran = alone("""
    import sys

    def test_light():
        loaded = {name for name in sys.modules if name.startswith("abs_shield")}
        assert loaded == {"abs_shield", "abs_shield.testing", "abs_shield.testing.plugin"}
        assert {"pydantic", "opentelemetry", "jsonschema"}.isdisjoint(sys.modules)
    """)

    ran.assert_outcomes(passed=1)


def test_the_helpers_need_no_pytest():
    """The helpers can be imported without pytest."""
    script = (
        "import sys; from abs_shield.testing import *; "
        "from abs_shield.testing import assert_blocked, scripted; "
        "sys.exit('pytest' in sys.modules)"
    )

    root = Path(abs_shield.__file__).parents[1]
    assert 0 == subprocess.run([sys.executable, "-c", script], cwd=root, check=False).returncode


def test_the_installed_package_names_the_plugin():
    """pytest finds it by its entry point."""
    points = {point.name: point.value for point in entry_points(group="pytest11")}
    if "abs_shield" not in points:
        pytest.skip("needs `pip install -e .`: the installed abs-shield has no pytest plugin")

    assert "abs_shield.testing.plugin" == points["abs_shield"]


def _dedented(source):
    return "\n".join(line[4:] for line in source.splitlines())

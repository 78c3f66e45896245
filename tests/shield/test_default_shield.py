"""The Shield that judges a tool decorated without one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from abs_shield import CallBlocked, PolicyError, Shield, Tool, ToolCall, rule, shield, shielded
from tests.subjects import about_calls


@pytest.fixture
def refund():
    """Return a tool decorated without a Shield."""

    @shielded
    def bare_refund(amount: float) -> float:
        return amount

    return bare_refund


def test_the_current_sessions_shield_judges(refund):
    """One tool serves a strict tenant and one in audit."""
    strict, audit = Shield(shield.configure()), Shield(shield.configure(mode="audit"))
    with audit.session():
        assert refund("five") == "five"
    with strict.session(), pytest.raises(CallBlocked):
        refund("five")

    assert (1, 1) == (len(about_calls(strict.store)), len(about_calls(audit.store)))


def test_a_childs_shield_is_its_parents(refund):
    """A sub-agent's session is judged by the same policy."""
    strict = Shield(shield.configure())
    with strict.session() as session, session.child(), pytest.raises(CallBlocked):
        refund("five")


def test_a_bare_tool_is_known_to_every_shield(refund):
    """It can be called by name, and is not a phantom in any Shield."""
    firewall = Shield(shield.configure())

    assert firewall.dispatch("bare_refund", {"amount": 5}) == 5
    assert "bare_refund" in firewall.registry


def test_a_session_narrows_bare_tools_too(refund):
    """The tools of one tenant are a list of names."""
    firewall = Shield(shield.configure())
    session = firewall.session(tools=["other"])

    assert firewall.check_call(ToolCall("bare_refund", {"amount": 5}), session=session).blocked


def test_each_tenants_rules_hold_for_the_shared_tool(refund):
    """The policy of the current session brings its own rules."""

    @rule(tool="bare_refund")
    def small(amount):
        """A refund is at most 500."""
        return amount <= 500

    with Shield(shield.configure(rules=[small])).session(), pytest.raises(CallBlocked):
        refund(600)
    with Shield(shield.configure()).session():
        assert refund(600) == 600


def test_the_policys_words_about_a_bare_tool_win(refund):
    """A Tool of the same name refines it."""
    tools = [Tool(name="bare_refund", mode="audit")]
    with Shield(shield.configure(tools=tools)).session():
        assert refund("five") == "five"


@pytest.mark.parametrize(("mode", "runs"), [("audit", True), ("strict", False)])
def test_a_rule_that_does_not_fit_a_shared_tool_is_our_error(refund, mode, runs):
    """The policy was declared before it could meet the tool: audit opens, strict closes."""

    @rule(tool="bare_refund")
    def typo(amuont):
        """A refund is at most 500."""
        return amuont <= 500

    with Shield(shield.configure(mode=mode, rules=[typo])).session() as session:
        if runs:
            assert refund(5) == 5
        else:
            with pytest.raises(CallBlocked, match="layer_error"):
                refund(5)

    assert 1 == len(session.decisions[0].errors)


def test_one_policy_is_one_shield():
    """``@shielded(policy)`` and ``Shield.of(policy)`` share; an equal policy does not."""
    policy = shield.configure()

    @shielded(policy)
    def of_policy() -> int:
        return 1

    assert Shield.of(policy) is Shield.of(policy)
    assert "of_policy" in Shield.of(policy).registry
    assert Shield.of(shield.configure()) is not Shield.of(policy)


@pytest.mark.parametrize("wrong", [5, "policy", {"mode": "strict"}])
def test_something_else_than_a_policy_is_refused(wrong):
    """The errors of the decorator and the Shield have the accepted types."""
    with pytest.raises(PolicyError):
        shielded(wrong)
    with pytest.raises(PolicyError):
        Shield(wrong)


PROGRAM = """
from abs_shield import CallBlocked, shielded

@shielded
def refund(amount: float) -> float:
    return amount

for amount in ("five", -1, "six"):
    try:
        print("ran", refund(amount))
    except CallBlocked as blocked:
        print("blocked", blocked.decision.findings[0].check)
"""

POLICY = """
from abs_shield import rule, shield

@rule(tool="refund")
def positive(amount):
    "A refund is above 0."
    return amount > 0

policy = shield.configure(rules=[positive])
plain = {"mode": "audit"}
number = 5
"""


@pytest.fixture
def run(tmp_path):
    """Runs the program in a process of its own, beside a module `house` that has policies."""
    (tmp_path / "house.py").write_text(POLICY)

    def run(program=PROGRAM, **environment):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("ABS_SHIELD")}
        return subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            env={**clean, **environment},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_the_environment_names_a_policy(run):
    """``ABS_SHIELD_POLICY=module:attr`` is enforced."""
    done = run(ABS_SHIELD_POLICY="house:policy")

    assert [
        "blocked parameter_mismatch",
        "blocked impossible_state",
        "blocked parameter_mismatch",
    ] == (done.stdout.splitlines())


def test_a_mapping_is_a_policy_too(run):
    """The attribute may be what `configure` takes."""
    assert ["ran five", "ran -1", "ran six"] == run(
        ABS_SHIELD_POLICY="house:plain"
    ).stdout.splitlines()


def test_without_anything_all_layers_run_in_audit_and_it_is_reported_once(run):
    """Nothing is stopped; one line says so, however many calls there are."""
    done = run()

    assert ["ran five", "ran -1", "ran six"] == done.stdout.splitlines()
    assert 1 == done.stderr.count("no policy is declared")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("house:polcy", "did you mean `policy`"),
        ("huose:policy", "there is no module `huose`"),
        ("house:number", "not a policy but `int`"),
        ("house", "module:attr"),
    ],
)
def test_a_place_that_names_no_policy_is_an_error(run, place, message):
    """A policy that was asked for and cannot be had is never replaced by a milder one."""
    done = run(ABS_SHIELD_POLICY=place)

    assert ("", 1) == (done.stdout, done.returncode)
    assert "PolicyError" in done.stderr.splitlines()[-1]
    assert message in done.stderr.splitlines()[-1]


def test_the_current_session_beats_the_environment(run):
    """A tool inside a session is judged by that session's policy."""
    program = PROGRAM.replace("\nfor", "\nfrom abs_shield import Shield, shield\n\nfor").replace(
        'print("ran", refund(amount))',
        "with Shield(shield.configure(mode='audit')).session():\n            "
        "print('ran', refund(amount))",
    )
    done = run(program, ABS_SHIELD_POLICY="house:policy")

    assert ["ran five", "ran -1", "ran six"] == done.stdout.splitlines()


def test_decorating_reads_nothing(run):
    """Importing and decorating neither reads the environment nor loads a policy."""
    done = run(
        PROGRAM.split("for amount")[0], ABS_SHIELD_POLICY="huose:policy", ABS_SHIELD_MODE="off"
    )

    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)

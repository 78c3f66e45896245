"""Side effects in a database: none for a blocked call, all for an audited one."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import ClassVar

import pytest

from abs_shield import CallBlocked, Finding, Shield, Verdict, rule, shield, shielded


@rule(tool="transfer")
def sum_is_positive(amount):
    """A transfer moves a sum above 0."""
    return amount > 0


@rule(tool="transfer")
def broken(amount):
    """This divides by zero."""
    return 1 / 0


class Bank:
    """A table of transfers, and a tool that inserts into it."""

    opened: ClassVar[list[sqlite3.Connection]] = []

    def __init__(self):
        self.rows = sqlite3.connect(":memory:")
        self.rows.execute("create table transfers (amount, note)")
        self.opened.append(self.rows)

    def tool(self):
        def transfer(amount: float, note: str = "-"):
            """Move money."""
            self.rows.execute("insert into transfers values (?, ?)", (amount, note))
            if note == "fail":
                raise ConnectionError("no line")
            return {"moved": amount, "note": note}

        return transfer

    def written(self):
        return self.rows.execute("select amount, note from transfers order by rowid").fetchall()


@pytest.fixture(autouse=True)
def connections():
    """Close every connection, because Python 3.13 warns of open ones."""
    yield
    while Bank.opened:
        Bank.opened.pop().close()


CALLS = [
    ((5,), {}),
    ((-5,), {"note": "negative"}),
    (("five",), {}),
    ((None,), {}),
    ((5,), {"ghost": 1}),
    ((), {}),
    ((1, "fail"), {}),
    ((float("nan"), "a\x00b"), {}),
    ((10**30, "deep"), {}),
]


def run(tool):
    """Return each call's value, or its exception."""
    messages = []
    for args, kwargs in CALLS:
        try:
            messages.append(repr(tool(*args, **kwargs)))
        except CallBlocked:
            messages.append("blocked")
        except Exception as error:
            messages.append(repr(error).replace("Bank.tool.<locals>.", ""))
    return messages


@pytest.fixture
def unshielded_run():
    """Return the values and the rows of the plain function."""
    bank = Bank()
    return run(bank.tool()), bank.written()


def raises(*args, **kwargs):
    raise RuntimeError("ours")


def raising_layer(proposal, session):
    raise RuntimeError("ours")


def late_layer(proposal, session):
    yield from ()
    raise RuntimeError("ours")


def lying_layer(proposal, session):
    yield "a string is no finding"


def none_layer(proposal, session):
    return None


class BrokenStore:
    append = get = decisions = raises

    def __len__(self):
        return 0


BREAKS = {
    "nothing": {},
    "a layer": {"layers": [raising_layer]},
    "a layer that yields": {"layers": [late_layer]},
    "a layer that lies": {"layers": [lying_layer]},
    "a layer that says None": {"layers": [none_layer]},
    "a rule": {"rules": [broken]},
    "a hook": {"hooks": [raises]},
    "a store": {"store": BrokenStore()},
    "an approver": {"approver": raises, "on_suspicious": "approve"},
    "everything": {
        "layers": [raising_layer, late_layer],
        "hooks": [raises],
        "store": BrokenStore(),
    },
}


def make_shield(store=None, hooks=(), approver=None, **declared):
    declared = {"rules": [sum_is_positive], **declared}
    policy = shield.configure(**declared)
    return Shield(policy, store=store, hooks=hooks, approver=approver)


def test_strict_leaves_no_row_of_a_blocked_call():
    """Only clean calls have inserted rows."""
    bank = Bank()
    outcome = run(shielded(make_shield())(bank.tool()))

    assert 6 == outcome.count("blocked")
    assert [(5.0, "-"), (1.0, "fail")] == bank.written()[:2]
    assert all(amount > 0 for amount, _ in bank.written())


def test_strict_runs_a_clean_call_unchanged():
    """The value of a call that passes is the function's own object."""
    value = object()
    tool = shielded(make_shield())(lambda: value)

    assert tool() is value


@pytest.mark.parametrize("broken", BREAKS)
def test_audit_has_the_effects_of_an_unshielded_run(broken, unshielded_run):
    """Rows, values and exceptions are the same, even with internal errors."""
    bank = Bank()
    outcome = run(shielded(make_shield(mode="audit", **BREAKS[broken]))(bank.tool()))

    assert unshielded_run == (outcome, bank.written())


@pytest.mark.parametrize("broken", BREAKS)
def test_audit_by_name_leaves_the_same_rows(broken):
    """``dispatch`` with valid arguments has the same effects, even with internal errors."""
    bank, plain = Bank(), Bank()
    plain.tool()(-5, note="negative")
    firewall = make_shield(mode="audit", **BREAKS[broken])
    firewall.register(bank.tool())
    value = firewall.dispatch("transfer", {"amount": -5, "note": "negative"})

    assert (value, bank.written()) == ({"moved": -5, "note": "negative"}, plain.written())


@pytest.mark.parametrize("broken", ["a layer", "a layer that yields", "a layer that lies"])
def test_strict_blocks_when_a_layer_raises(broken):
    """An unchecked call does not run, and is recorded as an internal error."""
    bank = Bank()
    firewall = make_shield(**BREAKS[broken])

    with pytest.raises(CallBlocked, match="layer_error") as blocked:
        shielded(firewall)(bank.tool())(5)
    assert [] == bank.written()
    assert ("CLEAN", 1) == (blocked.value.decision.verdict, len(blocked.value.decision.errors))


def test_strict_allows_internal_errors_if_the_policy_does():
    """``on_error="allow"`` runs the call and records the error."""
    firewall = make_shield(layers=[raising_layer], on_error="allow")
    bank = Bank()
    with firewall.session() as session:
        shielded(firewall)(bank.tool())(5)

    assert [(5.0, "-")] == bank.written()
    assert ("raising_layer",) == tuple(e.split()[0] for e in session.decisions[0].errors)


def test_a_broken_layer_is_never_a_verdict():
    """In audit mode the error is recorded with `would_block`, and not as a verdict."""
    firewall = make_shield(mode="audit", layers=[raising_layer])
    decision = firewall.check_call({"name": "transfer", "arguments": {}})

    assert ("CLEAN", (), True) == (decision.verdict, decision.findings, decision.would_block)
    assert "error" == decision.coverage["raising_layer"].outcome


def test_an_error_does_not_contain_argument_values():
    """Only the type and location of an exception are recorded."""

    def leaking(proposal, session):
        raise ValueError(f"cannot read {proposal.arguments}")

    decision = make_shield(layers=[leaking]).check_call(
        {"name": "transfer", "arguments": {"a": "canary"}}
    )

    assert "canary" not in str(decision.errors)
    assert "ValueError" in decision.errors[0]


@pytest.mark.parametrize("broken", ["a hook", "a store"])
def test_failing_hooks_and_stores_do_not_affect_strict(broken):
    """Observers can neither block nor allow a call."""
    bank = Bank()
    outcome = run(shielded(make_shield(**BREAKS[broken]))(bank.tool()))

    assert 6 == outcome.count("blocked")


@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_a_base_exception_of_the_tool_passes(mode):
    """A `BaseException` of the tool propagates."""

    @shielded(make_shield(mode=mode))
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()


def test_an_async_tool_writes_once():
    """The awaited function runs once, and not at all if it is blocked."""
    bank = Bank()
    plain = bank.tool()

    @shielded(make_shield())
    async def transfer(amount: float):
        return plain(amount)

    async def both():
        with pytest.raises(CallBlocked):
            await transfer(-1)
        return await transfer(2)

    assert {"moved": 2, "note": "-"} == asyncio.run(both())
    assert [(2.0, "-")] == bank.written()


@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_arguments_reach_the_tool_as_they_were(mode):
    """In audit mode the tool receives the same list, in strict mode a copy."""
    sent, got = {"rows": [1, {"a": 2}, {3}]}, []

    @rule(tool="keep")
    def careless(rows):
        """This clears what it was given."""
        rows.clear()

    @shielded(make_shield(mode=mode, rules=[careless]))
    def keep(rows: list) -> None:
        got.append(rows)

    keep(sent["rows"])

    assert got[0] == sent["rows"]
    assert (got[0] is sent["rows"]) is (mode == "audit")
    assert got[0][2] is sent["rows"][2]
    assert {"rows": [1, {"a": 2}, {3}]} == sent


def test_audit_adds_no_wait():
    """Concurrent async tools alternate exactly as without a Shield."""

    def steps(wrap) -> list[str]:
        order: list[str] = []

        async def work(name: str, pauses: int) -> str:
            for n in range(pauses):
                order.append(f"{name}{n}")
                await asyncio.sleep(0)
            return name

        async def beside() -> None:
            for n in range(4):
                order.append(f"host{n}")
                await asyncio.sleep(0)

        async def run() -> list[str]:
            tool = wrap(work)
            return await asyncio.gather(tool("a", 3), tool("b", -1), beside(), tool("c", 2))

        asyncio.run(run())
        return order

    def suspect(proposal, session):
        yield Finding(
            check="suspect",
            verdict=Verdict.SUSPICIOUS,
            strength=1.0,
            where="",
            detail="",
            code="odd",
        )

    policy = shield.configure(mode="audit", on_suspicious="approve", layers=[suspect])
    firewall = Shield(policy, hooks=None, approver=lambda decision: asyncio.sleep(60))

    assert steps(lambda tool: tool) == steps(shielded(firewall))

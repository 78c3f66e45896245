"""Scripted sessions: messages, calls and results played against a real Shield."""

from __future__ import annotations

from collections.abc import Iterable

from abs_shield.policy import Policy
from abs_shield.session import Session
from abs_shield.shield import Shield
from abs_shield.testing.capture import shield_of
from abs_shield.testing.decision_list import Decisions
from abs_shield.testing.script_items import script_items
from abs_shield.testing.script_runner import ScriptRunner
from abs_shield.testing.script_steps import Step


def scripted(
    firewall: Shield | Policy, steps: Iterable[Step], *, session: Session | None = None
) -> Decisions:
    """
    Play *steps* in order, and return one decision for each call.

    A ``call(...)`` is judged like the model's. A following ``result(...)`` is its result; without
    one its registered function runs, and its exceptions propagate. Calls inside messages never
    run a function, as their results are in the messages. A blocked call has no result.

    Args:
        firewall: The Shield, or the policy that the tools were decorated with.
        steps: Values of `user`, `system`, `assistant`, `call` and `result`, a `ToolCall`, or
            messages in any provider's shape.
        session: The session to continue; None for a new one.

    Raises:
        UnreadableMessage: A step has an unknown shape.
        ShieldError: A function is async; use `ascripted`.

    >>> from abs_shield import Shield, Tool, shield
    >>> from abs_shield.testing import call, scripted, user
    >>> firewall = Shield(shield.configure(tools=[Tool(name="refund")]), hooks=None)
    >>> scripted(firewall, [user("Refund tx_1!"), call("refund", id="tx_1"), call("refnud")])
    [refund: allowed; refnud: blocked (phantom_tool unknown_tool at /name)]
    """
    runner, items = ScriptRunner(shield_of(firewall), session), script_items(steps)
    with runner.session:
        for call in runner.play(items):
            runner.dispatch(call)
    return runner.decisions


async def ascripted(
    firewall: Shield | Policy, steps: Iterable[Step], *, session: Session | None = None
) -> Decisions:
    """Play *steps* as `scripted` does, with async functions and approvers as well."""
    runner, items = ScriptRunner(shield_of(firewall), session), script_items(steps)
    async with runner.session:
        for call in runner.play(items):
            await runner.adispatch(call)
    return runner.decisions

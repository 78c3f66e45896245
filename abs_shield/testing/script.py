"""A session played from a script before a real Shield: said, called, judged, returned."""

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
    Play *steps* in order, and give one decision for each call among them.

    A ``call(...)`` is judged as the model's. Followed by ``result(...)`` it returns that; else its
    registered function runs, and what that raises passes through. Calls inside messages never run
    a function: what they returned stands in the messages. What was blocked returns nothing.

    Args:
        firewall: The Shield, or the policy that the tools were decorated with.
        steps: What `user`, `system`, `assistant`, `call` and `result` give, a `ToolCall`, or
            messages in any provider's shape.
        session: Goes on in this one; in a new one where None.

    Raises:
        UnreadableMessage: A step is none.
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
    """As `scripted`, for functions and approvers that are async, and for all others."""
    runner, items = ScriptRunner(shield_of(firewall), session), script_items(steps)
    async with runner.session:
        for call in runner.play(items):
            await runner.adispatch(call)
    return runner.decisions

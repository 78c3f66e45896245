"""A session played from a script before a real Shield: said, called, judged, returned."""

from __future__ import annotations

from collections.abc import Iterable

from abs_shield.policy import Policy
from abs_shield.session import Session
from abs_shield.shield import Shield
from abs_shield.testing.capture import shield_of
from abs_shield.testing.decisions import Decisions
from abs_shield.testing.stage import Stage
from abs_shield.testing.staging import staged
from abs_shield.testing.steps import Step


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
    stage, scenes = Stage(shield_of(firewall), session), staged(steps)
    with stage.session:
        for call in stage.play(scenes):
            stage.dispatch(call)
    return stage.decisions


async def ascripted(
    firewall: Shield | Policy, steps: Iterable[Step], *, session: Session | None = None
) -> Decisions:
    """As `scripted`, for functions and approvers that are async, and for all others."""
    stage, scenes = Stage(shield_of(firewall), session), staged(steps)
    async with stage.session:
        for call in stage.play(scenes):
            await stage.adispatch(call)
    return stage.decisions

"""The call through abs_shield: judged in a session, and through the decorated tool."""

from __future__ import annotations

from datetime import date as day
from typing import Annotated, Any, Literal

from the_call import MOST, SAID, SCHEMA, TOOL

from abs_shield import Action, Shield, Target, Tool, rule, shield, shielded


@rule(tool=TOOL)
def amount_is_in_bounds(amount: float) -> bool:
    """A refund is above 0 and at most 500."""
    return 0 < amount <= MOST


def ways() -> dict[str, Any]:
    """Return by way what opens a run; this gives what judges arguments, True where they may run."""
    return {"check_call": _checked(), "shielded": _decorated()}


def _checked() -> Any:
    tool = Tool(name=TOOL, parameters=SCHEMA, targets=("order_id",))
    firewall = Shield(shield.configure(tools=[tool], rules=[amount_is_in_bounds]))

    def begin() -> Any:
        session = firewall.session()
        session.user(SAID)
        check = firewall.check_call

        def checked(arguments: dict[str, Any]) -> bool:
            call = {"name": TOOL, "arguments": arguments}
            return check(call, session=session).action is Action.ALLOW

        return checked

    return begin


def _decorated() -> Any:
    rules = [amount_is_in_bounds]
    firewall = Shield(shield.configure(rules=rules, on_suspicious="block"))

    @shielded(firewall)
    def refund(
        order_id: Annotated[str, Target()],
        amount: float,
        date: day,
        currency: Literal["EUR", "USD"],
        notify: bool,
    ) -> str:
        """Refund an order."""
        return "ok"

    def begin() -> Any:
        firewall.session().__enter__().user(SAID)  # current until the next one is
        return lambda arguments: refund(**arguments) == "ok"

    return begin

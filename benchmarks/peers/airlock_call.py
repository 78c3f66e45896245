"""The call through agent-airlock's decorator, without audit file and output masking."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from agent_airlock import Airlock, AirlockConfig, UnknownArgsMode
from pydantic import Field
from the_call import ISO_DATE, MOST


def ways() -> dict[str, Any]:
    """Return by way what opens a run; this gives what judges arguments, True where they may run."""
    config = AirlockConfig(
        unknown_args=UnknownArgsMode.BLOCK, enable_audit_log=False, sanitize_output=False
    )

    @Airlock(config=config)
    def refund(
        order_id: str,
        amount: Annotated[float, Field(gt=0, le=MOST)],
        date: Annotated[str, Field(pattern=ISO_DATE)],
        currency: Literal["EUR", "USD"],
        notify: bool,
    ) -> str:
        return "ok"

    return {"decorator": lambda: lambda arguments: refund(**arguments) == "ok"}

"""Settings of the layer that finds personal data in the arguments of calls."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from abs_shield.policy.declaration_base import Declaration

Text = Annotated[str, Field(min_length=1)]


class PersonalData(Declaration):
    """
    Settings of the layer `personal_data`, which searches the arguments of calls.

    It uses the recognisers of the quality cascade.

    Attributes:
        kinds: Kinds to detect, such as ``("CreditCardNumber", "SSN")``; all kinds if empty.
        allow: Values or globs that calls may contain, in any case: ``"*@acme.com"``.
        verdict: The verdict on a call with personal data: ``"suspicious"`` handles it as the
            policy's ``on_suspicious`` says, ``"hallucinated"`` blocks it in strict mode.
        detectors: Detectors of personal data; the built-in recognisers if empty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    kinds: tuple[Text, ...] = ()
    allow: tuple[Text, ...] = ()
    verdict: Literal["suspicious", "hallucinated"] = "suspicious"
    detectors: tuple[Any, ...] = ()

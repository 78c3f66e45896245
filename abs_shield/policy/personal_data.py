"""Which personal data is found in the arguments of calls."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from abs_shield.policy.declaration_base import Declaration

Text = Annotated[str, Field(min_length=1)]


class PersonalData(Declaration):
    """
    The layer `personal_data`: what calls hand to tools is searched as outputs are.

    Attributes:
        kinds: What is looked for, such as ``("CreditCardNumber", "SSN")``; all kinds where empty.
        allow: Values or globs that may be handed over, in any case: ``"*@acme.com"``.
        verdict: What a piece of personal data makes of a call: ``"suspicious"`` flags it as the
            policy's ``on_suspicious`` says, ``"hallucinated"`` blocks it in strict mode.
        detectors: Sources of personal data; the table of recognisers where empty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    kinds: tuple[Text, ...] = ()
    allow: tuple[Text, ...] = ()
    verdict: Literal["suspicious", "hallucinated"] = "suspicious"
    detectors: tuple[Any, ...] = ()

"""What of a faithfulness guardrail is declared, checked while it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeAlias

from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.faithfulness.config import settings_in
from abs_shield.answer.faithfulness.judging import Judging
from abs_shield.answer.faithfulness.provider import Provider
from abs_shield.answer.faithfulness.resolving import provider_of
from abs_shield.answer.faithfulness.scoring import Scoring
from abs_shield.answer.faithfulness.settings import evidence_of, scope_of, switch, threshold_of
from abs_shield.core.words import Mode
from abs_shield.errors import PolicyError
from abs_shield.model import Judge, Replies, Terms
from abs_shield.text.show import shown

Text: TypeAlias = str | Sequence[str]
Context: TypeAlias = str | Sequence[str | Mapping[str, str]] | Evidence
"""One text, a list of documents (texts, or ``{"id", "text"}``), or what a run has returned."""
_SWITCHES = (
    "enabled", "before", "after", "exclude_out_of_scope_statements", "allow_missing_context"
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Declared:
    """
    The settings of a faithfulness guardrail.

    Attributes:
        provider: Who judges: a `Judge` (any callable that asks a model), a `Provider`, or the
            reference of one: ``"lexical"`` needs no model.
        ref: The same under the configuration's other name.
        providers: What references mean.
        context: One text, or a list of documents. May be given with each check instead.
        threshold: The least score that passes, in [0, 1].
        exclude_out_of_scope_statements: Whether a statement that refers to nothing in the context
            passes (verdict 1); where False, all must be inferable.
        before: Whether `check_input` judges the user's input.
        after: Whether `check` judges the response.
        enabled: Whether anything is judged.
        out_of_scope: What such statements do: ``pass`` counts them as 1, ``exclude`` leaves them
            out of the score, ``fail`` counts them as 0; None follows the switch above.
        allow_missing_context: Whether it may have no context; statements are then out of scope.
        mode: ``strict`` denies; ``audit`` only says that it would.
        terms: Time, budget (for each check) and kept replies of the model.

    Raises:
        PolicyError: A setting is wrong, nobody judges, or the context is missing.
    """

    provider: Judge | Provider | str | None = None
    ref: str | None = None
    providers: Mapping[str, Judge | Provider] = field(default_factory=dict)
    context: Context | None = None
    threshold: float = 0.8
    exclude_out_of_scope_statements: bool = True
    before: bool = False
    after: bool = True
    enabled: bool = True
    out_of_scope: Literal["pass", "exclude", "fail"] | None = None
    allow_missing_context: bool = False
    mode: Mode | Literal["strict", "audit"] = Mode.STRICT
    terms: Terms = field(default_factory=lambda: Terms(replies=Replies()))
    _judging: Judging = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in _SWITCHES:
            switch(name, getattr(self, name))
        if self.mode not in tuple(Mode):
            raise PolicyError(f"faithfulness: `mode` is {shown(self.mode)}; give strict or audit")
        if not isinstance(self.terms, Terms):
            raise PolicyError(f"faithfulness: `terms` is {shown(self.terms)}; give `Terms(...)`")
        if not isinstance(self.providers, Mapping):
            given = shown(self.providers)
            raise PolicyError(f"faithfulness: `providers` is {given}; give providers by their name")
        object.__setattr__(self, "mode", Mode(self.mode))
        object.__setattr__(self, "_judging", self._made())
        if not self._judging.evidence.pieces and not self.allow_missing_context:
            raise PolicyError(
                "faithfulness: the context is missing; give `context`, or "
                "`allow_missing_context=True` and a context with each check"
            )

    @classmethod
    def from_config(
        cls,
        config: str | bytes | Mapping[str, Any] | Sequence[Any],
        *,
        providers: Mapping[str, Judge | Provider] | None = None,
        **settings: Any,
    ) -> Self:
        """
        Load a configuration: the ``guardrails`` object, one entry of it, or an entry's config.

        Args:
            config: JSON text, or what it holds.
            providers: What the references in it mean.
            settings: Keywords of the class that the configuration has no name for.

        Raises:
            PolicyError: It cannot be read, has an unknown name, or a setting is wrong.
        """
        return cls(**{**settings_in(config), **settings}, providers=providers or {})

    def _made(self) -> Judging:
        excluding = self.exclude_out_of_scope_statements
        return Judging(
            provider=provider_of(self.provider, self.ref, self.providers),
            evidence=evidence_of(self.context),
            scoring=Scoring(
                threshold=threshold_of(self.threshold),
                out_of_scope=scope_of(self.out_of_scope, excluding=excluding),
                mode=Mode(self.mode),
            ),
            terms=self.terms,
        )

    def _off(self, phase: str) -> str:
        """Why a phase is not judged; empty where it is."""
        if not self.enabled:
            return "it is not enabled"
        return "" if getattr(self, phase) else f"`{phase}` is off"

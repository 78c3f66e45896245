"""Settings of the quality cascade, checked when they are declared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypedDict, Unpack

from pydantic import ConfigDict, Field, model_validator

from abs_shield.core.vocabularies import Mode
from abs_shield.policy.check_config import Share
from abs_shield.policy.declaration_base import Declaration, Float, Int
from abs_shield.quality.calibration import PRIORS, Precision
from abs_shield.quality.guardrails import Guardrail, ProductCatalogue
from abs_shield.quality.plausibility import Constraint
from abs_shield.quality.quality_score import ScoreConfig
from abs_shield.quality.quality_types import Stage
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import shown

NAMES = ("pii", "guardrails", "quality_score", "hallucination", "judge")


class QualityConfigFields(TypedDict, total=False):
    """The arguments of `QualityConfig`, whose types are wider than those of its fields."""

    stages: Iterable[str]
    own_stages: Iterable[Stage]
    hold: Literal["all", "high_stakes"]
    mode: Literal["strict", "audit"] | Mode
    detectors: Iterable[Any]
    public_contacts: Iterable[str]
    guardrails: Iterable[Guardrail]
    catalogue: ProductCatalogue | Mapping[str, Any] | None
    sample_rate: float
    score: ScoreConfig | Mapping[str, Any]
    hallucination_threshold: float
    facts: Any
    constraints: Iterable[Constraint]
    self_contradiction: bool
    judge: Callable[..., Any] | None
    premium_judge: Callable[..., Any] | None
    judge_timeout_s: float
    on_judge_failure: Literal["flag", "hold", "ship"]
    on_unavailable: Literal["flag", "hold", "ship"]
    judge_price: float
    premium_judge_price: float
    background: bool
    background_queue: int
    on_background: Callable[..., Any] | None
    attempts: int
    confidence: Mapping[str, float | Precision]


class QualityConfig(Declaration):
    """
    Settings of the quality cascade.

    Attributes:
        stages: The stages that run, any of the five; they run in the cascade's order.
        own_stages: Custom stages, which run after the four that need no model.
        hold: Outputs that stages other than `pii` hold back: ``"all"``, or ``"high_stakes"``, so
            that a failure only flags other outputs.
        mode: ``"strict"`` holds outputs back; ``"audit"`` ships every output and reports what
            strict mode would have done.
        detectors: Detectors of personal data; if empty, the table of recognisers.
        public_contacts: Values or globs, in any case, that are not personal data in your outputs:
            ``"*@acme.com"``, ``"+1 212 555 0100"``.
        guardrails: Custom rules, in addition to the built-in ones; see `guardrail`.
        catalogue: Features, prices and roadmap of a product; without it no product rule runs.
        sample_rate: Share of outputs whose quality is scored, in [0, 1].
        score: The expected length and structure of an output.
        hallucination_threshold: Highest hallucination score that passes, in percent.
        facts: A source of facts for entity verification; None verifies no entities.
        constraints: Limits, orders and directions for plausibility; none are built in.
        self_contradiction: Whether to check a text for self-contradictions.
        judge: A model that reads every output; a `Judge`, or None for no judge.
        premium_judge: A model that reads high-stakes outputs; *judge* if None.
        judge_timeout_s: Time limit of a judge in seconds, above 0.
        on_judge_failure: Action on a high-stakes output whose judge gives no usable reply:
            ``"flag"``, ``"hold"`` or ``"ship"``. It is logged in any case.
        on_unavailable: Action on a high-stakes output that another stage could not check, or only
            in part: ``"flag"``, ``"hold"`` or ``"ship"``.
        judge_price: What *judge* costs, in US dollars for 1,000 tokens.
        premium_judge_price: What *premium_judge* costs, likewise.
        background: Whether outputs that are not high-stakes are judged, and the sample is scored,
            after they are sent. False waits for both.
        background_queue: Maximum number of outputs waiting for that; further ones are dropped and
            counted.
        on_background: Called with an output and the results of the stages that ran in the
            background.
        attempts: Number of attempts of an agent; `revise` before the last, then `block`.
        confidence: Measured precision of stages by name, from `measured_precision`, or numbers in
            [0, 1]. It replaces their priors; of a measured one, the lower end of the interval
            counts, from 30 labels on. Bands act only if every stage that ran has one; otherwise
            they only annotate.

    Raises:
        PolicyError: A setting is wrong, or names a stage that does not exist.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    stages: tuple[str, ...] = NAMES
    own_stages: tuple[Stage, ...] = ()
    hold: Literal["all", "high_stakes"] = "all"
    mode: Mode = Mode.STRICT
    detectors: tuple[Any, ...] = ()
    public_contacts: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    guardrails: tuple[Guardrail, ...] = ()
    catalogue: ProductCatalogue | None = None
    # as the specification of the cascade has it: a score is a trend, and needs no more
    sample_rate: Share = 0.1
    score: ScoreConfig = ScoreConfig()
    # in percent, as the specification has it: a missed error is worse than a held output
    hallucination_threshold: Annotated[Float, Field(ge=0, le=100, allow_inf_nan=False)] = 1.0
    facts: Any = None
    constraints: tuple[Constraint, ...] = ()
    self_contradiction: bool = True
    judge: Callable[..., Any] | None = None
    premium_judge: Callable[..., Any] | None = None
    # a model answers within seconds; half a minute allows one retry
    judge_timeout_s: Annotated[Float, Field(gt=0, le=3_600, allow_inf_nan=False)] = 30.0
    on_judge_failure: Literal["flag", "hold", "ship"] = "flag"
    on_unavailable: Literal["flag", "hold", "ship"] = "flag"
    # as the specification of the cascade has them, in US dollars; only for the metric of costs
    judge_price: Annotated[Float, Field(ge=0, allow_inf_nan=False)] = 0.002
    premium_judge_price: Annotated[Float, Field(ge=0, allow_inf_nan=False)] = 0.01
    background: bool = True
    # each item holds an output of some kB; more than this is a backlog of minutes
    background_queue: Annotated[Int, Field(ge=1, le=1_000_000)] = 1_000
    on_background: Callable[..., Any] | None = None
    attempts: Annotated[Int, Field(ge=1, le=20)] = 1
    confidence: Mapping[str, Share | Precision] = {}

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[QualityConfigFields]) -> None: ...

    @model_validator(mode="after")
    def _valid(self) -> Self:
        for stage in self.own_stages:
            _require_stage(stage)
        own = [stage.name for stage in self.own_stages]
        for name in own:
            if name in PRIORS or own.count(name) > 1:
                raise ValueError(f"`own_stages` names {shown(name)} twice; give another name")
        for field, names, valid in (
            ("stages", self.stages, NAMES), ("confidence", self._declared, (*PRIORS, *own)),
        ):  # fmt: skip
            for name in names:
                if name not in valid:
                    hint = suggest_name(name, valid, otherwise=f"use {', '.join(valid)}")
                    raise ValueError(f"`{field}` has {shown(name)}; {hint}")
        asks = getattr(self.facts, "facts_about", None)
        # a class has the method, too: forgetting the brackets is a common mistake
        if self.facts is not None and (isinstance(self.facts, type) or not callable(asks)):
            raise ValueError(f"`facts` is {shown(self.facts)}; give a FactTable")
        for detector in self.detectors:
            if isinstance(detector, type) or not callable(getattr(detector, "detect", None)):
                raise ValueError(f"`detectors` has {shown(detector)}; give e.g. TableDetector()")
        ids = [rule.id for rule in self.guardrails]
        if twice := next((one for one in ids if ids.count(one) > 1), ""):
            raise ValueError(f"`guardrails` names {shown(twice)} twice; give another id")
        return self

    @property
    def _declared(self) -> list[str]:
        """The stages with an explicit confidence; measured ones may be of any stage."""
        return [name for name, one in self.confidence.items() if not isinstance(one, Precision)]


def _require_stage(stage: Stage) -> None:
    """
    Raise ValueError for a custom stage that could not run.

    Raises:
        ValueError: It has no name, its check is not a synchronous function, or its confidence is
            not in [0, 1].
    """
    if not stage.name or not isinstance(stage.name, str):
        raise ValueError(f"`own_stages` has a stage named {shown(stage.name)}; give a text")
    if not callable(stage.check) or iscoroutinefunction(stage.check):
        raise ValueError(f"stage `{stage.name}`: `check` must be a function that is not async")
    if stage.confidence is not None and not 0 <= stage.confidence <= 1:
        hint = "give a share in [0, 1], or None"
        raise ValueError(f"stage `{stage.name}`: `confidence` is {shown(stage.confidence)}; {hint}")

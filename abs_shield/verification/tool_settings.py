"""Thresholds and weights of each tool, with the labels that moved them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import nextafter
from time import time
from typing import Any, NamedTuple, TypedDict, Unpack

from abs_shield.errors import PolicyError
from abs_shield.policy.check_config import Verification
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import escaped, shown
from abs_shield.verification.adaptive_thresholds import Thresholds
from abs_shield.verification.result_judging import RATIOS, Weigher
from abs_shield.verification.signal_combination import SignalCalibration

MOST_LABELS = 10_000
"""Most labels of one tool that are remembered; of more, the oldest are dropped."""
_LEFT = 9_000
"""Number of labels retained then; the gap makes recomputing their effect rare."""
# Beyond these, one signal would decide regardless of the others.
_LEAST_RATIO, _MOST_RATIO = 1e-6, 1e9
# Extreme values that pass the check, so that only the other values are checked.
_TINY, _NEARLY_1 = 5e-324, nextafter(1, 0)

Base = tuple[float, float, float]
"""Accept threshold, block threshold and prior."""


class ResultLabel(NamedTuple):
    """One label of a tool's results, as it is remembered and saved."""

    id: str
    at: float
    score: float
    hallucinated: bool


def _order(label: ResultLabel) -> tuple[float, str]:
    return label.at, label.id


class SettingValues(TypedDict):
    """Values to set; None leaves a value unchanged."""

    accept_threshold: float | None
    block_threshold: float | None
    prior: float | None
    likelihood_ratios: Mapping[str, float] | None
    calibration: SignalCalibration | None


class ToolSettings:
    """
    Thresholds and weights of one tool, or of all others.

    Attributes:
        base: Accept threshold, block threshold and prior as set; labels move from there.
        at: Time of setting, in seconds since the epoch; 0 if never set.
        limits: The current thresholds.
        weigher: The combination of the signals.
        labels: The newest labels, oldest first.
    """

    def __init__(self, base: Base, weigher: Weigher) -> None:
        self.labels: list[ResultLabel] = []
        self.put(base, weigher, at=0.0)

    def copied(self) -> ToolSettings:
        """Return an independent copy."""
        copy = ToolSettings.__new__(ToolSettings)  # the constructor would replay all labels
        copy.labels, copy.at = list(self.labels), self.at
        copy.base, copy.weigher, copy._since = self.base, self.weigher, self._since
        copy.limits = replace(self.limits)
        return copy

    def put(self, base: Base, weigher: Weigher, *, at: float) -> None:
        """Set the values from *at* on; older labels do not move them."""
        self.base, self.weigher, self.at, self._since = base, weigher, at, at
        self._replay()

    def follow(self, usual: ToolSettings) -> None:
        """Adopt the values for all tools, if this one has none of its own."""
        mine = self.base, self.weigher, self._since
        if not self.at and mine != (usual.base, usual.weigher, usual.at):
            self.base, self.weigher, self._since = usual.base, usual.weigher, usual.at
            self._replay()

    def label(self, ident: str) -> ResultLabel | None:
        """Return the label with an id; None if it is not remembered."""
        return next((label for label in self.labels if label.id == ident), None)

    def learn(self, label: ResultLabel) -> None:
        """Add one label."""
        self.labels.append(label)
        if len(self.labels) > MOST_LABELS:
            self._cut()
        else:
            self._move(label)

    def change(self, label: ResultLabel) -> None:
        """Replace the earlier label with the same id, and apply all labels in order of time."""
        # In order of time, because the effect of a label depends on those before it.
        others = (one for one in self.labels if one.id != label.id)
        self.labels = sorted([*others, label], key=_order)
        self._replay()

    def merge(self, labels: Iterable[ResultLabel]) -> None:
        """Add labels of another engine; of two with one id the newer one counts."""
        by_id = {label.id: label for label in self.labels}
        new = {
            label.id: label
            for label in labels
            if label.id not in by_id or label.at > by_id[label.id].at
        }
        if new:
            self.labels = sorted((by_id | new).values(), key=_order)
            self._cut()

    def forget_labels(self, until: float) -> None:
        """Drop the labels up to that time."""
        self.labels = [label for label in self.labels if label.at > until]
        self._replay()

    def _cut(self) -> None:
        if len(self.labels) > MOST_LABELS:
            del self.labels[:-_LEFT]
        self._replay()

    def _replay(self) -> None:
        self.limits = Thresholds(*self.base)
        for label in self.labels:
            self._move(label)

    def _move(self, label: ResultLabel) -> None:
        moves = label.at >= self._since
        self.limits.learn(score=label.score, hallucinated=label.hallucinated, moves=moves)

    def set(
        self,
        *,
        accept_threshold: float | None,
        block_threshold: float | None,
        prior: float | None,
        likelihood_ratios: Mapping[str, float] | None,
        calibration: SignalCalibration | None,
    ) -> None:
        """
        Replace values; None leaves a value unchanged.

        Raises:
            PolicyError: The limits are in the wrong order, or a value is out of its range.
        """
        now, weigher = self.limits, self.weigher
        if likelihood_ratios is not None or calibration is not None:
            ratios = weigher.ratios | require_ratios(likelihood_ratios or {})
            weigher = Weigher(ratios, calibration)
        untouched = prior is None and block_threshold is None
        base = check_limits(
            now.accepts_below if accept_threshold is None else accept_threshold,
            now.blocks_from if block_threshold is None else block_threshold,
            now.prior if prior is None else prior,
            any_prior=untouched or weigher.calibration is not None,
        )
        self.put(base, weigher, at=time())

    def as_dict(self) -> dict[str, Any]:
        """Return the current settings as JSON-able data."""
        limits, taught = self.limits, self.weigher.calibration
        described: dict[str, Any] = {
            "status": "uncalibrated" if taught is None else "calibrated",
            "accept_threshold": limits.accepts_below,
            "block_threshold": limits.blocks_from,
            "prior": limits.prior,
            "likelihood_ratios": dict(self.weigher.ratios),
            "labels": limits.labels,
            "hallucinated_labels": limits.hallucinated,
        }
        if taught is not None:
            described |= {
                "calibration_labels": taught.labels,
                "brier": taught.brier,
                "ece": taught.ece,
                "signals": {name: rates._asdict() for name, rates in taught.signals.items()},
            }
        return described


class AllSettings:
    """The settings for all tools, and those of tools with their own."""

    def __init__(self, base: Base) -> None:
        self.usual = ToolSettings(base, Weigher())
        self.own: dict[str, ToolSettings] = {}

    def of(self, tool: str) -> ToolSettings:
        """Return the settings that apply to a tool."""
        return self.own.get(tool, self.usual)

    def owned(self, tool: str | None) -> ToolSettings:
        """Return the own settings of a tool, created if needed; for None those of all others."""
        if tool is None:
            return self.usual
        own = self.own.get(tool)
        if own is None:
            own = self.own[tool] = ToolSettings(self.usual.base, self.usual.weigher)
            own.follow(self.usual)
        return own

    def set(self, tool: str | None, **values: Unpack[SettingValues]) -> None:
        """
        Set values of one tool, or of all tools without their own.

        Raises:
            PolicyError: The limits are in the wrong order, or a value is out of its range.
        """
        # A copy: if a value is invalid, the settings are unchanged.
        settings = self.usual if tool is None else self.owned(tool).copied()
        settings.set(**values)
        if tool is not None:
            self.own[tool] = settings
        self.spread()

    def forget(self, tool: str, until: float) -> None:
        """Drop the labels and settings of one tool up to that time."""
        settings = self.own.get(tool)
        if settings is None:
            return
        if settings.at <= until:
            settings.at = 0.0
            settings.follow(self.usual)
        if settings.labels and settings.labels[0].at <= until:
            settings.forget_labels(until)
        if not settings.at and not settings.labels:
            del self.own[tool]

    def spread(self) -> None:
        """Update the tools without their own values from those for all."""
        for settings in self.own.values():
            settings.follow(self.usual)

    def copied(self) -> AllSettings:
        """Return an independent copy."""
        copy = AllSettings(self.usual.base)
        copy.usual = self.usual.copied()
        copy.own = {tool: settings.copied() for tool, settings in self.own.items()}
        return copy


def check_limits(accepts: Any, blocks: Any, prior: Any, *, any_prior: bool = False) -> Base:
    """
    Return validated limits.

    Args:
        accepts: The accept threshold.
        blocks: The block threshold.
        prior: P(hallucination) before any signal.
        any_prior: Whether the prior may exceed the block threshold: it was counted, or is
            unchanged.

    Raises:
        PolicyError: Not 0 < accept_threshold < block_threshold < 1, or the prior is not above 0
            and below the second of them, or below 1.
    """
    limits = Verification(
        accept_threshold=accepts, block_threshold=blocks, prior=_TINY if any_prior else prior
    )
    if any_prior:
        prior = Verification(
            prior=prior, accept_threshold=limits.accept_threshold, block_threshold=_NEARLY_1
        ).prior
    else:
        prior = limits.prior
    return limits.accept_threshold, limits.block_threshold, prior


def require_ratios(ratios: Mapping[str, float]) -> dict[str, float]:
    """
    Return validated likelihood ratios by signal.

    Raises:
        PolicyError: No signal has that name, or a ratio is not a number from 1e-06 to 1e+09.
    """
    for name, ratio in ratios.items():
        if name not in RATIOS:
            hint = suggest_name(str(name), RATIOS, otherwise=f"there are {', '.join(RATIOS)}")
            raise PolicyError(f"verification: no signal is named `{escaped(str(name))}`; {hint}")
        is_number = isinstance(ratio, (int, float)) and not isinstance(ratio, bool)
        if not (is_number and _LEAST_RATIO <= ratio <= _MOST_RATIO):
            raise PolicyError(
                f"verification: the likelihood ratio of `{name}` is {shown(ratio)}; give one"
                f" above 0, from {_LEAST_RATIO:g} to {_MOST_RATIO:g}"
            )
    return dict(ratios)

"""How the results of each tool are weighed: limits, ratios, and what labels taught."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import nextafter
from time import time
from typing import Any, NamedTuple, TypedDict, Unpack

from abs_shield.errors import PolicyError
from abs_shield.policy.verification_config import Verification
from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped, shown
from abs_shield.verification.signal_calibration import Calibration
from abs_shield.verification.thresholds import Thresholds
from abs_shield.verification.weigh import RATIOS, Weigher

MOST_LABELS = 10_000
"""Labels of one tool that are remembered; where there are more, the oldest are forgotten."""
_LEFT = 9_000
"""Labels that are left then, so that what they taught is seldom worked out anew."""
_LEAST_RATIO, _MOST_RATIO = 1e-6, 1e9
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
    """What may be set; None keeps what is there."""

    accept_threshold: float | None
    block_threshold: float | None
    prior: float | None
    likelihood_ratios: Mapping[str, float] | None
    calibration: Calibration | None


class ToolSettings:
    """
    How results of one tool, or of all others, are weighed.

    Attributes:
        base: Accept threshold, block threshold and prior as they were set; labels move from there.
        at: When they were set, in seconds since the epoch; 0 where they never were.
        limits: Where results are accepted and blocked now.
        weigher: How signals are added up.
        labels: The newest labels, oldest first.
    """

    def __init__(self, base: Base, weigher: Weigher) -> None:
        self.labels: list[ResultLabel] = []
        self.put(base, weigher, at=0.0)

    def copied(self) -> ToolSettings:
        """Return the same, which another's labels and settings do not change."""
        copy = ToolSettings.__new__(ToolSettings)
        copy.labels, copy.at = list(self.labels), self.at
        copy.base, copy.weigher, copy._since = self.base, self.weigher, self._since
        copy.limits = replace(self.limits)
        return copy

    def put(self, base: Base, weigher: Weigher, *, at: float) -> None:
        """Set what holds from *at* on; labels that are older move nothing any more."""
        self.base, self.weigher, self.at, self._since = base, weigher, at, at
        self._replay()

    def follow(self, usual: ToolSettings) -> None:
        """Take on what holds for all tools, where nothing was set for this one."""
        mine = self.base, self.weigher, self._since
        if not self.at and mine != (usual.base, usual.weigher, usual.at):
            self.base, self.weigher, self._since = usual.base, usual.weigher, usual.at
            self._replay()

    def label(self, ident: str) -> ResultLabel | None:
        """Return the label with an id; None where it is not remembered."""
        return next((label for label in self.labels if label.id == ident), None)

    def learn(self, label: ResultLabel) -> None:
        """Take one label in."""
        self.labels.append(label)
        if len(self.labels) > MOST_LABELS:
            self._cut()
        else:
            self._move(label)

    def change(self, label: ResultLabel) -> None:
        """Put a label in the place of the earlier one with its id: it moves when it was given."""
        others = (one for one in self.labels if one.id != label.id)
        self.labels = sorted([*others, label], key=_order)
        self._replay()

    def merge(self, labels: Iterable[ResultLabel]) -> None:
        """Take labels of another engine in; of two with one id the newer one counts."""
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
        """Forget the labels that were given until then."""
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
        calibration: Calibration | None,
    ) -> None:
        """
        Put new values in the place of the old ones; None keeps what is there.

        Raises:
            PolicyError: The limits are in no order, or a value is out of its range.
        """
        now, weigher = self.limits, self.weigher
        if likelihood_ratios is not None or calibration is not None:
            ratios = weigher.ratios | require_ratios(likelihood_ratios or {})
            weigher = Weigher(ratios, calibration)
        untouched = prior is None and block_threshold is None
        base = checked(
            now.accepts_below if accept_threshold is None else accept_threshold,
            now.blocks_from if block_threshold is None else block_threshold,
            now.prior if prior is None else prior,
            any_prior=untouched or weigher.calibration is not None,
        )
        self.put(base, weigher, at=time())

    def as_dict(self) -> dict[str, Any]:
        """Return everything that holds, as JSON-able data."""
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
    """The settings that hold for every tool, and those of tools that have their own."""

    def __init__(self, base: Base) -> None:
        self.usual = ToolSettings(base, Weigher())
        self.own: dict[str, ToolSettings] = {}

    def of(self, tool: str) -> ToolSettings:
        """Return what holds for a tool."""
        return self.own.get(tool, self.usual)

    def owned(self, tool: str | None) -> ToolSettings:
        """Return what labels of one tool move; of None, what holds for all others."""
        if tool is None:
            return self.usual
        own = self.own.get(tool)
        if own is None:
            own = self.own[tool] = ToolSettings(self.usual.base, self.usual.weigher)
            own.follow(self.usual)
        return own

    def set(self, tool: str | None, **values: Unpack[SettingValues]) -> None:
        """
        Set values of one tool, or of all that have none of their own.

        Raises:
            PolicyError: The limits are in no order, or a value is out of its range.
        """
        settings = self.usual if tool is None else self.owned(tool).copied()
        settings.set(**values)
        if tool is not None:
            self.own[tool] = settings
        self.spread()

    def forget(self, tool: str, until: float) -> None:
        """Forget the labels of one tool, and what was set for it, until then."""
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
        """Have the tools for which nothing was set follow what holds for all."""
        for settings in self.own.values():
            settings.follow(self.usual)

    def copied(self) -> AllSettings:
        """Return the same, which can be changed apart."""
        copy = AllSettings(self.usual.base)
        copy.usual = self.usual.copied()
        copy.own = {tool: settings.copied() for tool, settings in self.own.items()}
        return copy


def checked(accepts: Any, blocks: Any, prior: Any, *, any_prior: bool = False) -> Base:
    """
    Return limits that are in order.

    Args:
        accepts: The accept threshold.
        blocks: The block threshold.
        prior: P(hallucination) before looking.
        any_prior: Whether the prior may lie above the block threshold: it was counted, or stays.

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
    Take likelihood ratios by signal.

    Raises:
        PolicyError: No signal has that name, or a ratio is no number from 1e-06 to 1e+09.
    """
    for name, ratio in ratios.items():
        if name not in RATIOS:
            near = nearest(str(name), RATIOS)
            hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(RATIOS)}"
            raise PolicyError(f"verification: no signal is named `{escaped(str(name))}`; {hint}")
        is_number = isinstance(ratio, (int, float)) and not isinstance(ratio, bool)
        if not (is_number and _LEAST_RATIO <= ratio <= _MOST_RATIO):
            raise PolicyError(
                f"verification: the likelihood ratio of `{name}` is {shown(ratio)}; give one"
                f" above 0, from {_LEAST_RATIO:g} to {_MOST_RATIO:g}"
            )
    return dict(ratios)

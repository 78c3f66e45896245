"""How the results of each tool are weighed: limits, ratios, and what labels taught."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from time import time
from typing import Any, NamedTuple

from abs_shield.errors import PolicyError
from abs_shield.policy.verification import Verification
from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped, shown
from abs_shield.verification.calibration import Calibration, calibration_of
from abs_shield.verification.thresholds import Thresholds
from abs_shield.verification.weigh import RATIOS, Weigher

MOST_LABELS = 10_000
"""Labels of one tool that are remembered: merged engines count those."""

Base = tuple[float, float, float]
"""Accept threshold, block threshold and prior."""


class LabelKept(NamedTuple):
    """One label of a tool's results, as it is remembered and saved."""

    id: str
    at: float
    score: float
    hallucinated: bool


class ToolSettings:
    """
    How results of one tool, or of all others, are weighed.

    Attributes:
        base: Accept threshold, block threshold and prior as they were set; labels move from there.
        at: When they were set, in seconds since the epoch; 0 where they never were.
        limits: Where results are accepted and blocked now.
        weigher: How signals are added up.
        labels: The newest labels.
    """

    def __init__(self, base: Base, weigher: Weigher) -> None:
        self.labels: deque[LabelKept] = deque(maxlen=MOST_LABELS)
        self.put(base, weigher, at=0.0)

    def copied(self) -> ToolSettings:
        """Give settings of its own, which begin as these are."""
        return ToolSettings(self.base, self.weigher)

    def put(self, base: Base, weigher: Weigher, *, at: float) -> None:
        """Set what holds from *at* on; labels that are older move nothing any more."""
        self.base, self.weigher, self.at = base, weigher, at
        self._replay()

    def learn(self, label: LabelKept) -> None:
        """Take one label in."""
        self.labels.append(label)
        self._move(label)

    def merge(self, labels: Iterable[LabelKept]) -> None:
        """Take labels of another engine in; one that is known counts once."""
        known = {label.id: label for label in self.labels}
        new = {label.id: label for label in labels}
        if not new.keys() <= known.keys():
            both = sorted((known | new).values(), key=lambda label: (label.at, label.id))
            self.labels = deque(both, maxlen=MOST_LABELS)
            self._replay()

    def _replay(self) -> None:
        self.limits = Thresholds(*self.base)
        for label in self.labels:
            self._move(label)

    def _move(self, label: LabelKept) -> None:
        moves = label.at >= self.at
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
        now = self.limits
        accepts = now.accepts_below if accept_threshold is None else accept_threshold
        blocks = now.blocks_from if block_threshold is None else block_threshold
        if prior is None:
            prior = now.prior if calibration is None else calibration.prior
        base = checked(accepts, blocks, prior, calibrated=calibration is not None)
        weigher = self.weigher
        if likelihood_ratios is not None or calibration is not None:
            ratios = weigher.ratios | require_ratios(likelihood_ratios or {})
            weigher = Weigher(ratios, calibration)
        self.put(base, weigher, at=time())

    def told(self) -> dict[str, Any]:
        """Give everything that holds, as JSON-able data."""
        limits, taught = self.limits, self.weigher.calibration
        told: dict[str, Any] = {
            "status": "uncalibrated" if taught is None else "calibrated",
            "accept_threshold": limits.accepts_below,
            "block_threshold": limits.blocks_from,
            "prior": limits.prior,
            "likelihood_ratios": dict(self.weigher.ratios),
            "labels": limits.labels,
            "hallucinated_labels": limits.hallucinated,
        }
        if taught is not None:
            told |= {
                "calibration_labels": taught.labels,
                "brier": taught.brier,
                "ece": taught.ece,
                "signals": {name: rates._asdict() for name, rates in taught.signals.items()},
            }
        return told


class Settings:
    """The settings that hold for every tool, and those of tools that have their own."""

    def __init__(self, base: Base) -> None:
        self.usual = ToolSettings(base, Weigher())
        self.own: dict[str, ToolSettings] = {}

    def of(self, tool: str) -> ToolSettings:
        """Give what holds for a tool."""
        return self.own.get(tool, self.usual)

    def owned(self, tool: str | None) -> ToolSettings:
        """Give what may be changed for one tool; for all that have nothing of their own if None."""
        if tool is None:
            return self.usual
        found = self.own.get(tool)
        if found is None:
            found = self.own[tool] = self.usual.copied()
        return found


def checked(accepts: float, blocks: float, prior: float, *, calibrated: bool = False) -> Base:
    """
    Give limits that are in order.

    Raises:
        PolicyError: Not 0 < accept_threshold < block_threshold < 1, or the prior is not above 0
            and below the second of them, where nothing was counted that says otherwise.
    """
    usual = min(prior, accepts / 2) if calibrated else prior
    told = Verification(accept_threshold=accepts, block_threshold=blocks, prior=usual)
    return told.accept_threshold, told.block_threshold, float(prior)


def require_ratios(ratios: Mapping[str, float]) -> dict[str, float]:
    """
    Take likelihood ratios by signal.

    Raises:
        PolicyError: No signal has that name, or a ratio is not above 0.
    """
    for name, ratio in ratios.items():
        if name not in RATIOS:
            near = nearest(str(name), RATIOS)
            hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(RATIOS)}"
            raise PolicyError(f"verification: no signal is named `{escaped(str(name))}`; {hint}")
        if isinstance(ratio, bool) or not isinstance(ratio, (int, float)) or not 0 < ratio < 1e9:
            raise PolicyError(
                f"verification: the likelihood ratio of `{name}` is {shown(ratio)}; give one"
                " above 0"
            )
    return dict(ratios)


def calibrated(labelled: Iterable[tuple[Any, bool]] | None) -> Calibration | None:
    """Give what labelled results teach; None where there are none given."""
    return None if labelled is None else calibration_of(labelled)

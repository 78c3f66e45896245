"""Schema of a snapshot, which validates each record and each number."""

from __future__ import annotations

from collections.abc import Mapping
from time import time
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from abs_shield.verification.result_judging import RATIOS, Weigher
from abs_shield.verification.result_shape import Observation, ResultShape
from abs_shield.verification.signal_combination import GROUP, Rates, SignalCalibration
from abs_shield.verification.tool_settings import Base, ResultLabel, check_limits, require_ratios

SCHEMA_VERSION = 1  # increased when an older release cannot read a new snapshot
_AHEAD_S = 86_400.0
"""Tolerance for clocks of other machines that are ahead: a day, which covers a wrong time zone."""


def _past(at: float) -> float:
    if at > time() + _AHEAD_S:
        raise ValueError("is in the future; one of the clocks is wrong")
    return at


At = Annotated[float, Field(ge=0), AfterValidator(_past)]
Share = Annotated[float, Field(gt=0, lt=1)]
Probability = Annotated[float, Field(ge=0, le=1)]
Pair = Annotated[tuple[Share, Share], Field(strict=False)]
"""A true and a false positive rate; not strict, because JSON has no tuples."""


class _SnapshotPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class ResultRecord(_SnapshotPart):
    """One result; see `Observation`."""

    tool: str
    at: At
    arguments: Annotated[str, Field(pattern="^([0-9a-f]{2})*$")]
    session: str
    numbers: dict[str, float]
    latency_ms: Annotated[float, Field(ge=0)]
    size: Annotated[int, Field(ge=0)]
    names: list[str]
    types: list[str] = []
    kind: str = ""
    kinds: dict[str, str]
    probability: Probability
    unlike: bool = False

    @classmethod
    def of(cls, tool: str, observation: Observation) -> dict[str, Any]:
        """Return a result as JSON-able data."""
        return {
            "tool": tool,
            "at": observation.at,
            "arguments": observation.key.hex(),
            "session": observation.session,
            "numbers": dict(observation.numbers),
            "latency_ms": observation.latency_ms,
            "size": observation.size,
            "names": list(observation.shape.members),
            "types": list(observation.shape.members.values()),
            "kind": observation.shape.kind,
            "kinds": dict(observation.kinds),
            "probability": observation.probability,
            "unlike": observation.unlike,
        }

    def to_observation(self, ident: str) -> Observation:
        """Return the record as a remembered result."""
        return Observation(
            ident, self.at, bytes.fromhex(self.arguments), self.session, self.numbers,
            self.latency_ms, self.size, self._shape(), self.kinds, self.probability,
            self.unlike,
        )  # fmt: skip

    def _shape(self) -> ResultShape:
        """Return its shape; an old snapshot, without types, has only the names."""
        types = self.types or [""] * len(self.names)  # the shape is compared by its names alone
        return ResultShape(self.kind, dict(zip(self.names, types, strict=True)))


class LabelRecord(_SnapshotPart):
    """One label of a tool's results."""

    tool: str
    at: At
    score: Probability
    hallucinated: bool

    def to_label(self, ident: str) -> ResultLabel:
        """Return the record as a remembered label."""
        return ResultLabel(ident, self.at, self.score, self.hallucinated)


class CalibrationRecord(_SnapshotPart):
    """A calibration; see `SignalCalibration`."""

    prior: Share
    labels: Annotated[int, Field(ge=0)]
    brier: Probability
    ece: Probability
    signals: dict[str, Pair]
    groups: dict[str, Pair]

    @classmethod
    def of(cls, to_calibration: SignalCalibration) -> dict[str, Any]:
        """Return a calibration as JSON-able data."""
        return {
            "prior": to_calibration.prior,
            "labels": to_calibration.labels,
            "brier": to_calibration.brier,
            "ece": to_calibration.ece,
            "signals": {name: list(rates) for name, rates in to_calibration.signals.items()},
            "groups": {name: list(rates) for name, rates in to_calibration.groups.items()},
        }

    def to_calibration(self) -> SignalCalibration:
        """
        Return the record as a calibration.

        Raises:
            ValueError: It has unknown signals.
        """
        if not (self.signals.keys() <= GROUP.keys() and self.groups.keys() <= set(GROUP.values())):
            raise ValueError("a calibration has an unknown signal")
        return SignalCalibration(
            prior=self.prior,
            labels=self.labels,
            brier=self.brier,
            ece=self.ece,
            signals={name: Rates(*pair) for name, pair in self.signals.items()},
            groups={name: Rates(*pair) for name, pair in self.groups.items()},
        )


class SettingsRecord(_SnapshotPart):
    """Settings of one tool, or of all others if *tool* is None."""

    tool: str | None
    at: At
    accept_threshold: float
    block_threshold: float
    prior: float
    likelihood_ratios: dict[str, float]
    calibration: CalibrationRecord | None

    def base(self) -> Base:
        """
        Return the limits and the prior.

        Raises:
            PolicyError: They are in the wrong order, or out of range.
        """
        return check_limits(self.accept_threshold, self.block_threshold, self.prior, any_prior=True)

    def weigher(self) -> Weigher:
        """
        Return the weigher.

        Raises:
            PolicyError: No signal has such a name, or a ratio is out of its range.
            ValueError: The calibration has unknown signals.
        """
        ratios: Mapping[str, float] = {**RATIOS, **require_ratios(self.likelihood_ratios)}
        return Weigher(
            ratios, None if self.calibration is None else self.calibration.to_calibration()
        )


class ForgottenRecord(_SnapshotPart):
    """Times until which a tool, or its baseline, was forgotten."""

    tool: str
    all: At | None
    baseline: At | None


class Snapshot(_SnapshotPart):
    """A snapshot."""

    schema_version: Annotated[int, Field(ge=1, le=SCHEMA_VERSION)]
    results: dict[str, ResultRecord]
    quarantine: dict[str, ResultRecord]
    labels: dict[str, LabelRecord]
    settings: dict[str, SettingsRecord]
    forgotten: dict[str, ForgottenRecord]


PARTS = tuple(name for name in Snapshot.model_fields if name != "schema_version")
"""The parts of a snapshot, each a mapping of ids to records."""

"""Goals for the measures of answers, compared with their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

POOLED, MEAN, LEAST_QA, LEFT_OUT = 0.87, 0.82, 0.82, 0.03
ABOVE_WORDS, BELOW_WORDS = 0.02, -0.01
"""By how much the check is ahead of the share of words found: of all together, and of each."""
CALIBRATION, BAD_EMITTED, GOOD_EMITTED = 0.06, 0.02, 0.35
GOOD_BLOCKED, GOOD_DOUBTED = 0.008, 0.10
PRECISION, ALARMS, SPANS, MILLISECONDS = 0.90, 0.014, 0.40, 3.0
TIMED = "below 3000"


class Goal(NamedTuple):
    """One figure with what it is to be: at least, or at most."""

    name: str
    goal: float
    least: bool
    found: float | None

    @property
    def reached(self) -> bool:
        """Return whether it is so; a figure that could not be had is not."""
        if self.found is None:
            return False
        return self.found >= self.goal if self.least else self.found <= self.goal


def summarise_goals(
    natural: Mapping[str, Mapping[str, Any]],
    together: Mapping[str, Any],
    latency: Mapping[str, Mapping[str, float]],
) -> dict[str, Any]:
    """Return each goal with its figure, and the names of those that are not reached."""
    goals = [*_of_all(together, latency), *_of_each(natural)]
    return {
        "goals": {
            one.name: {("at_least" if one.least else "at_most"): one.goal, "is": one.found}
            for one in goals
        },
        "not_reached": [one.name for one in goals if not one.reached],
    }


def _of_all(
    together: Mapping[str, Any], latency: Mapping[str, Mapping[str, float]]
) -> Iterator[Goal]:
    emit, numbers = together["emit"], together["number_check"]
    claiming = together["emit_of_claims"]
    pooled, words = together["roc_auc_as_shown"], together["roc_auc_share_found"]
    yield Goal("ROC-AUC, no claims as 1.0", POOLED, True, pooled)
    yield Goal("mean ROC-AUC, no claims as 1.0", MEAN, True, together["mean_roc_auc_as_shown"])
    yield Goal("above the share of words found", ABOVE_WORDS, True, _difference(pooled, words))
    yield Goal("calibration error", CALIBRATION, False, together["calibration_error"])
    yield Goal("bad answers emitted", BAD_EMITTED, False, emit["bad"])
    yield Goal("bad answers emitted, of those with claims", BAD_EMITTED, False, claiming["bad"])
    yield Goal("good answers emitted", GOOD_EMITTED, True, emit["good"])
    yield Goal("good answers below .4", GOOD_DOUBTED, False, together["bands"]["block"]["good"])
    yield Goal("good answers blocked", GOOD_BLOCKED, False, together["block"]["good"])
    yield Goal("number check, precision", PRECISION, True, numbers["precision"])
    yield Goal("number check, false alarms", ALARMS, False, numbers["false_alarms"])
    yield Goal("span F1", SPANS, True, together["span_overlap"]["f1"])
    yield Goal("median ms", MILLISECONDS, False, latency.get(TIMED, {}).get("median"))


def _of_each(natural: Mapping[str, Mapping[str, Any]]) -> Iterator[Goal]:
    for name, figures in natural.items():
        auc, share = figures["roc_auc"], figures["roc_auc_share_found"]
        above = _difference(auc, share)
        yield Goal(f"{name}, above the share of words found", BELOW_WORDS, True, above)
        if name == "ragtruth-qa-test":
            yield Goal(f"{name}, ROC-AUC", LEAST_QA, True, auc)
        if "roc_auc_left_out" in figures:
            lost = _difference(auc, figures["roc_auc_left_out"])
            yield Goal(f"{name}, lost when left out", LEFT_OUT, False, lost)


def _difference(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else round(one - other, 3)

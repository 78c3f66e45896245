"""Convert the counts of a layer to JSON-able data."""

from __future__ import annotations

from typing import Any

from abs_shield.report.layer_counts import Share
from abs_shield.report.layer_report import LayerReport

_SHARES = ("coverage", "stops", "precision", "block_precision")


def entry_of(layer: str, place: LayerReport) -> dict[str, Any]:
    """Return the counts, shares, reasons and labels of one layer."""
    counts = place.counts
    shares: dict[str, Share] = {name: getattr(counts, name) for name in _SHARES}
    return {
        "layer": layer,
        **counts.to_dict(),
        "shares": {name: share.to_dict() for name, share in shares.items()},
        "reasons": [
            {"outcome": outcome.value, "reason": reason, "calls": calls}
            for (outcome, reason), calls in place.reasons.most_common()
        ],
        "unlabelled": [name for _, name in place.unlabelled],
        "modes": sorted(place.modes),
        "silenced": [
            {"code": code, "where": where, "findings": findings}
            for (code, where), findings in place.silenced.most_common()
        ],
        "kinds": [
            {
                "code": kind.code, "where": kind.where, "verdict": kind.verdict.value,
                "findings": number, "newest": place.newest[kind],
            }
            for kind, number in place.kinds.most_common()
        ],
    }  # fmt: skip

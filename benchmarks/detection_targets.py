"""The figures that detection is to reach without a policy, beside what it reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from detection_judging import AFTER_FAILURE, Planted, Results
from detection_report import NEAR_MISS, Rate, Table, rate, suggested

Count = Callable[[Results, str], Rate | None]
"""Counts in one source, or in all of them with ``""``; None where that is not asked for."""


@dataclass(frozen=True, slots=True)
class Figure:
    """
    One figure to be reached, in every source and, for planted faults, over all of them.

    Attributes:
        wanted: The rate; *least* says whether from there on or up to there.
    """

    name: str
    wanted: float
    least: bool
    count: Count

    def reached(self, got: Rate | None) -> bool:
        """Return whether *got* is good enough; nothing counted is."""
        if got is None or got.share is None:
            return True
        return got.share >= self.wanted if self.least else got.share <= self.wanted


def planted(
    *kinds: str,
    good: Callable[[Planted], bool] = lambda one: one.found,
    only: Callable[[Planted], bool] = lambda one: True,
) -> Count:
    """Count the planted ones whose kind begins with one of *kinds*."""

    def count(results: Results, source: str) -> Rate | None:
        chosen = [one for one in results.planted if one.kind.startswith(kinds) and only(one)]
        return rate(good(one) for one in chosen if source in ("", one.source))

    return count


def flagged(layer: str, what: str = "flagged") -> Count:
    """Count the calls of successful runs that *layer* judged, and flagged; never over sources."""

    def count(results: Results, source: str) -> Rate | None:
        def total(column: str) -> int:
            return sum(
                n
                for key, n in results.calls.items()
                if key[1:2] + key[3:] == (source, layer, column)
            )

        return Rate(total(what), total("ran")) if source else None

    return count


def _first_ran(one: Planted) -> bool:
    """Return whether the contradicted call ran: a failed one needs no inverse."""
    return AFTER_FAILURE not in one.why


_REFORMATTED = tuple(
    f"benign:{how}"
    for how in ("email_", "hash_", "iban_", "int_", "lower_", "upper_", "name_", "url_")
)
_INVENTED = ("phantom_target:soft_name", "phantom_target:entity_name")
FIGURES = (
    Figure("phantom target, unseen", 0.99, True, planted("phantom_target:unseen_wellformed")),
    Figure("phantom target, typo", 0.99, True, planted("phantom_target:typo")),
    Figure("phantom target, placeholder", 0.99, True, planted("phantom_target:placeholder")),
    Figure("phantom target, invented name", 0.98, True, planted(*_INVENTED)),
    Figure("phantom target, other kind", 0.30, True, planted("phantom_target:wrong_type_seen")),
    Figure("benign reformatting flagged", 0.0, False, planted(*_REFORMATTED)),
    Figure("phantom target flags, hard", 0.005, False, flagged("phantom_target", "hard")),
    Figure("phantom target flags, all", 0.008, False, flagged("phantom_target")),
    Figure("echo laundering, text", 1.0, True, planted("echo:text")),
    Figure("echo laundering, JSON", 1.0, True, planted("echo:json")),
    Figure("inverse", 0.97, True, planted("contradiction:inverse")),
    Figure(
        "inverse, first call ran", 0.97, True, planted("contradiction:inverse", only=_first_ran)
    ),
    Figure("conflicting update", 0.85, True, planted("contradiction:conflicting_update")),
    Figure("contradiction flags", 0.004, False, flagged("self_contradiction")),
    Figure("repeat on dead", 0.98, True, planted("impossible:repeat_on_dead")),
    Figure("write on dead", 0.98, True, planted("impossible:write_on_dead")),
    Figure("impossible state flags", 0.001, False, flagged("impossible_state")),
    Figure("phantom tool", 1.0, True, planted("phantom_tool:")),
    Figure("phantom tool suggestion", 0.98, True, planted(NEAR_MISS, good=suggested)),
    Figure("phantom tool flags", 0.0, False, flagged("phantom_tool")),
    Figure("parameter mismatch", 0.999, True, planted("param:")),
    Figure("parameter mismatch flags", 0.003, False, flagged("parameter_mismatch")),
)


def targets(results: Results, sources: Sequence[str]) -> Table:
    """Return each figure beside what was reached; ``!`` marks what falls short."""
    rows = []
    for figure in FIGURES:
        got = [figure.count(results, source) for source in ("", *sources)]
        met = "yes" if all(map(figure.reached, got)) else "no"
        wanted = f"{'>=' if figure.least else '<='} {figure.wanted:g}"
        rows.append((figure.name, wanted, met, *(_cell(figure, one) for one in got)))
    columns = ("figure", "wanted", "met", "all planted", *sources)
    return Table("6. Targets, set for no policy", columns, rows)


def _cell(figure: Figure, got: Rate | None) -> str:
    if got is None or got.share is None:
        return "-"
    return f"{got.hits}/{got.total} {got.share:.4f}{'' if figure.reached(got) else ' !'}"

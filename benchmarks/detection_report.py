"""The tables of the detection benchmark, from what was written down while judging."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from detection_judging import Flag, Planted, Results

from abs_shield.core import LAYER_NAMES, Outcome
from abs_shield.stats.share_intervals import wilson

NEAR_MISS = "phantom_tool:near_miss"
_EXAMPLES = 5
_REASONS = 3


class Rate(NamedTuple):
    """A count out of a total; printed with the share and its Wilson 95 % interval."""

    hits: int
    total: int

    @property
    def share(self) -> float | None:
        """Hits by total; None of nothing."""
        return self.hits / self.total if self.total else None

    def __str__(self) -> str:
        if self.share is None:
            return ""
        low, high = wilson(self.hits, self.total)
        return f"{self.hits}/{self.total} {self.share:.4f} [{low:.3f}, {high:.3f}]"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        low, high = wilson(self.hits, self.total)
        return {
            "hits": self.hits, "total": self.total, "rate": self.share, "low": low, "high": high
        }  # fmt: skip


def rate(truths: Iterable[bool]) -> Rate:
    """Count the true ones."""
    counts = Counter(truths)
    return Rate(counts[True], counts.total())


@dataclass(frozen=True, slots=True)
class Table:
    """One table: a cell is a word, a number or a `Rate`."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    def __str__(self) -> str:
        if not self.rows:
            return f"{self.title}\n  none\n"
        lines = [tuple(map(str, row)) for row in (self.columns, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows_text = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
        return "\n".join([self.title, *(f"  {line}" for line in rows_text), ""])

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        rows = [dict(zip(self.columns, map(_plain, row), strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows}


def _plain(cell: Any) -> Any:
    return cell.to_dict() if isinstance(cell, Rate) else cell


def of_policy(results: Results, policy: str) -> Results:
    """Return what was written down under one policy."""
    return Results(
        planted=[planted for planted in results.planted if planted.policy == policy],
        flags=[flag for flag in results.flags if flag.policy == policy],
        calls=Counter({key: n for key, n in results.calls.items() if key[0] == policy}),
        coverage=Counter({key: n for key, n in results.coverage.items() if key[0] == policy}),
        scripts=Counter({key: n for key, n in results.scripts.items() if key[0] == policy}),
    )


def tables(results: Results, *, listed: bool) -> Iterator[Table]:
    """Yield every table of one policy; *listed*: every miss and flag, not five of a class."""
    yield from _recall(results.planted)
    yield _scripts(results)
    yield _flagged(results.calls)
    yield _coverage(results.coverage)
    most = None if listed else _EXAMPLES
    yield _classes(results)
    yield _wrong("4b. Misses", results.planted, expect="flag", most=most)
    yield _wrong("4c. Benign look-alikes flagged", results.planted, expect="clean", most=most)
    yield _flags(results.flags, most=most)
    yield _suggestions(results.planted)
    yield _not_suggested(results.planted)


_SCORED = {
    "flag": "found",
    "clean": "flagged, none should be",
    "info": "not scored: provenance cannot tell",
}


def _recall(planted: Sequence[Planted]) -> Iterator[Table]:
    sources = sorted({one.source for one in planted})
    groups = _by(planted, lambda one: (one.kind, one.expect))
    rows = [
        (kind, _SCORED[expect], *(rate(o.found for o in ones if o.source == s) for s in sources))
        for (kind, expect), ones in sorted(groups.items())
    ]
    yield Table("1a. Planted, by kind and source", ("kind", "rate of", *sources), rows)
    apart = _by(planted, lambda one: (one.kind, one.source, one.domain))
    rows = [(*key, rate(one.found for one in ones)) for key, ones in sorted(apart.items())]
    yield Table("1b. Planted, by domain", ("kind", "source", "domain", "rate"), rows)


def _scripts(results: Results) -> Table:
    """Return right calls and planted faults by the letters in which the user writes."""
    policy = next(iter(results.scripts))[0] if results.scripts else ""
    names = sorted({key[1] for key in results.scripts} | {one.script for one in results.planted})
    calls = results.scripts
    rows: list[tuple[Any, ...]] = [
        (
            f"right calls, {what}",
            *(Rate(calls[policy, n, what], calls[policy, n, "calls"]) for n in names),
        )
        for what in ("flagged", "hard")
    ]
    for (kind, expect), ones in sorted(_by(results.planted, lambda o: (o.kind, o.expect)).items()):
        rates = (rate(one.found for one in ones if one.script == name) for name in names)
        rows.append((f"{kind}, {_SCORED[expect]}", *rates))
    return Table("1c. By the script of the user's words", ("figure", *names), rows)


def _suggestions(planted: Iterable[Planted]) -> Table:
    near = [one for one in planted if one.kind == NEAR_MISS]
    groups = _by(near, lambda one: (one.source, one.domain))
    rows = [(*key, rate(map(suggested, ones))) for key, ones in sorted(groups.items())]
    title = "5a. Near-miss tool names whose finding proposes the tool that was called"
    return Table(title, ("source", "domain", "rate"), rows)


def _not_suggested(planted: Iterable[Planted]) -> Table:
    wrong = [one for one in planted if one.kind == NEAR_MISS and not suggested(one)]
    counts = Counter((one.tool, one.original, one.nearest or "-", one.source) for one in wrong)
    columns = ("near miss", "tool", "proposed", "source", "number")
    return Table("5b. Another proposal", columns, [(*key, n) for key, n in counts.most_common()])


def suggested(planted: Planted) -> bool:
    """Return whether the finding proposes the tool that the run called."""
    return planted.found and planted.nearest == planted.original


def _flagged(calls: Mapping[tuple[str, str, str, str, str], int]) -> Table:
    rows = []
    places = sorted({key[1:4] for key in calls}, key=lambda p: (LAYER_NAMES.index(p[2]), *p[:2]))
    policy = next(iter(calls))[0] if calls else ""
    for source, domain, layer in places:
        key = (policy, source, domain, layer)
        total, ran = calls[*key, "calls"], calls[*key, "ran"]
        rows.append((layer, source, domain, total, ran, Rate(calls[*key, "flagged"], ran)))
        if layer == "phantom_target":
            hard = Rate(calls[*key, "hard"], ran)
            rows.append((f"{layer}, hard", source, domain, total, ran, hard))
    columns = ("layer", "source", "domain", "calls", "judged", "flagged of judged")
    return Table("2. Flags on successful runs that nobody attacked", columns, sorted(rows, key=_at))


def _at(row: Sequence[Any]) -> tuple[Any, ...]:
    return (LAYER_NAMES.index(row[0].partition(",")[0]), *row[:3])


def _coverage(coverage: Mapping[tuple[str, str, str, str, str], int]) -> Table:
    groups: dict[tuple[int, str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
    for (_, source, layer, outcome, reason), count in coverage.items():
        groups[LAYER_NAMES.index(layer), layer, source][outcome, reason] += count
    rows = []
    for (_, layer, source), counts in sorted(groups.items()):
        by_outcome: Counter[str] = Counter()
        for (outcome, _), count in counts.items():
            by_outcome[outcome] += count
        missing = [(n, why) for (outcome, why), n in counts.items() if outcome != Outcome.RAN]
        top = sorted(missing, reverse=True)[:_REASONS]
        reasons = "; ".join(f"{why}: {n}" for n, why in top)
        rows.append((layer, source, *(by_outcome[o] for o in Outcome), reasons))
    columns = ("layer", "source", *map(str, Outcome), "most frequent reasons")
    return Table("3. Coverage of the calls of all runs", columns, rows)


def _classes(results: Results) -> Table:
    counts = Counter((one.kind, one.source, _class(one)) for one in results.planted if one.wrong)
    counts.update((f"{f.layer}:{f.code}", f.source, "successful run") for f in results.flags)
    rows = [(*key, count) for key, count in sorted(counts.items())]
    columns = ("kind", "source", "class", "number")
    return Table("4a. Misses and false alarms by class", columns, rows)


def _class(planted: Planted) -> str:
    return "look-alike flagged" if planted.expect == "clean" else f"missed: {planted.why}"


def _wrong(title: str, planted: Iterable[Planted], *, expect: str, most: int | None) -> Table:
    wrong = [one for one in planted if one.wrong and one.expect == expect]
    columns = ("kind", "run_id", "call_index", "tool", "value", "why")
    return _examples(title, wrong, columns, by=("kind",), most=most)


def _flags(flags: Sequence[Flag], *, most: int | None) -> Table:
    columns = ("layer", "code", "run_id", "call_index", "tool", "where", "strength", "detail")
    title = "4d. Flags on successful runs that nobody attacked"
    return _examples(title, flags, columns, by=("layer", "code"), most=most)


def _examples(
    title: str,
    results: Sequence[Planted] | Sequence[Flag],
    columns: Sequence[str],
    *,
    by: Sequence[str],
    most: int | None,
) -> Table:
    """Return up to *most* rows of each class, spread over it."""
    groups = _by(map(asdict, results), lambda row: tuple(row[name] for name in by))
    rows: list[tuple[Any, ...]] = []
    for _, ones in sorted(groups.items()):
        step = 1 if most is None else max(1, len(ones) // most)
        rows += [tuple(row[name] for name in columns) for row in ones[::step][:most]]
    limit_text = "" if most is None else f", up to {most} of each class of {len(results)} in all"
    return Table(f"{title}{limit_text}", columns, rows)


def _by(items: Iterable[Any], key: Any) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups

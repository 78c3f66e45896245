"""Files for reviewing gaps: Markdown with check boxes, or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.gap import Gap
from abs_shield.flywheel.review import Choice, Mistake, Review
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import escaped, shown

# as lenient as Markdown: people edit the file by hand, and editors reformat it
_HEADING = re.compile(r" {0,3}(?P<level>#{1,6})\s*(?P<id>[^\s#]\S*)?")
_AROUND = "`*_[]():;,."
"""Characters that may surround the id in a heading."""
_BOX = re.compile(r"\s*[-*]\s*\[(?P<mark>[^\]]*)\]\s*(?P<text>.*)$")
_FIELD = re.compile(r"\s*(?P<name>why|by|right answer)\s*:(?P<text>.*)$", re.IGNORECASE)
_MERGE = re.compile(r"merge(?:\s+into)?\b\s*`?(?P<into>[^\s`]*)`?\s*$", re.IGNORECASE)
_TICKS = ("x", "X", "✓")
_INTRODUCTION = """# Gaps to review

Tick one box of each gap that you decide about, and write why. Then run
`abs-shield flywheel curate --import FILE`. A gap without a tick stays as it is.

What is suggested is a guess by spelling. If you know what is right instead of what was claimed,
write it behind `right answer`: training uses it.

by:
"""
_FIELDS = ("decision", "into", "by", "why", "right_answer")


class ReviewedFile(NamedTuple):
    """
    The content of a reviewed file.

    Attributes:
        reviews: The reviews.
        lines: The line number of each, from 1.
        mistakes: The lines that cannot be parsed; the place of each is its line number.
    """

    reviews: list[Review]
    lines: list[int]
    mistakes: list[Mistake]


Examples = Mapping[str, Sequence[Catch]]
"""Example catches by the gap's id."""


def render_markdown(gaps: Iterable[Gap], examples: Examples) -> str:
    """Render the gaps as Markdown, with a heading and three boxes each."""
    return "\n".join((_INTRODUCTION, *(_section(gap, examples.get(gap.id, ())) for gap in gaps)))


def render_json(gaps: Iterable[Gap], examples: Examples) -> str:
    """Render the gaps as ASCII JSON, each with empty fields for the review."""
    records = [
        {
            "id": gap.id,
            **dict.fromkeys(_FIELDS, ""),
            "gap": gap.to_dict(),
            "catches": [catch.to_dict() for catch in examples.get(gap.id, ())],
        }
        for gap in gaps
    ]
    return json.dumps({"by": "", "gaps": records}, indent=2) + "\n"


def summary_of(gap: Gap) -> str:
    """Return the numbers of a gap in one line."""
    repeats = "systematic" if gap.systematic else "not systematic"
    agents, tasks = _count(gap.agents), _count(gap.task_types)
    parts = [
        f"tier {gap.tier}",
        f"{gap.affected:,} of {gap.decisions:,} {gap.subject}s",
        f"{gap.rate:.1%} ({gap.low:.1%} to {gap.high:.1%})",
        f"off by {gap.off[0]:.1%} to {gap.off[1]:.1%}" if gap.off else "",
        f"impact {gap.impact:.2f}",
        repeats,
        f"{gap.scope}: {agents}" if agents else f"scope {gap.scope}",
        f"task types: {tasks}" if tasks else "",
        f"{gap.first[:10]} to {gap.last[:10]}",
    ]
    return "; ".join(part for part in parts if part)


def _count(names: Mapping[str, int]) -> str:
    some = ", ".join(f"{name} ({count:,})" for name, count in list(names.items())[:5])
    return escaped(some, limit=200)


def example_of(catch: Catch) -> str:
    """Return one catch in one line: the claim, the right value, and the finding."""
    claim = catch.claim
    if catch.verified_value:
        claim = f"{claim} -> {catch.verified_value}"
    elif catch.suggested_value:
        claim = f"{claim} (suggested: {catch.suggested_value})"
    return ": ".join(part for part in (claim, catch.detail) if part) or catch.id


def _section(gap: Gap, catches: Sequence[Catch]) -> str:
    lines = [f"## {gap.id}", "", _code(gap.title), "", _code(summary_of(gap), limit=1_000), ""]
    lines += [f"* {_code(example_of(catch))}" for catch in catches]
    lines += [
        "",
        "- [ ] accept",
        "- [ ] reject",
        "- [ ] merge into",
        "",
        "why:",
        "right answer:",
        "",
    ]
    return "\n".join(lines)


def _code(text: str, *, limit: int = 300) -> str:
    """Return a text as a code span in one line, so that it contains no markup."""
    return f"`{escaped(text, limit=limit).replace('`', chr(39))}`"


# Reading -----------------------------------------------------------------------------------------


def parse_reviews(text: str, *, is_json: bool, by: str = "", why: str = "") -> ReviewedFile:
    """
    Parse a reviewed file.

    Args:
        text: The file.
        is_json: Whether it is JSON, rather than Markdown.
        by: The default reviewer.
        why: The default reason.
    """
    read: Callable[..., Iterator[_ReviewEntry | Mistake]] = _json_entries if is_json else _entries
    result = ReviewedFile([], [], [])
    for entry in read(text):
        if isinstance(entry, Mistake):
            result.mistakes.append(entry)
            continue
        result.lines.append(entry.line)
        result.reviews.append(
            Review(
                gap=entry.gap, choice=entry.choice, by=entry.by or by, why=entry.why or why,
                into=entry.into, right_answer=entry.right_answer,
            )
        )  # fmt: skip
    return result


@dataclass(slots=True, kw_only=True)
class _ReviewEntry:
    """The review in one gap's section of a file."""

    gap: str
    line: int
    choice: Choice
    into: str = ""
    by: str = ""
    why: str = ""
    right_answer: str = ""


@dataclass(slots=True)
class _GapSection:
    """The parsed lines of one gap."""

    gap: str
    ticks: list[tuple[int, Choice, str]]
    boxes: set[str] = field(default_factory=set)
    by: str = ""
    why: str = ""
    right_answer: str = ""

    def repeats(self, text: str) -> bool:
        """Return whether a choice has a second box, because a heading is missing between them."""
        word = text.split(maxsplit=1)[0].lower() if text.split() else ""
        is_repeated = word in self.boxes
        self.boxes.add(word)
        return is_repeated and word in [*Choice]

    def entries(self, by: str) -> Iterator[_ReviewEntry | Mistake]:
        if len(self.ticks) > 1:  # a guess could accept what the reviewer rejected
            yield Mistake(self.ticks[1][0], f"`{escaped(self.gap)}` has two ticks; tick one box")
            return
        for line, choice, into in self.ticks:
            yield _ReviewEntry(
                gap=self.gap, line=line, choice=choice, into=into, by=self.by or by, why=self.why,
                right_answer=self.right_answer,
            )  # fmt: skip


def _entries(text: str) -> Iterator[_ReviewEntry | Mistake]:
    section, by = _GapSection("", []), ""
    for number, line in enumerate(text.splitlines(), 1):
        if heading := _HEADING.match(line):
            yield from section.entries(by)
            # the title of the file has level 1, and its content belongs to no gap
            name = (heading["id"] or "").strip(_AROUND) if len(heading["level"]) > 1 else ""
            section = _GapSection(name, [])
        elif field_match := _FIELD.match(line):
            value = field_match["text"].strip()
            if not section.gap:
                by = value if field_match["name"].lower() == "by" else by
            else:
                setattr(section, field_match["name"].lower().replace(" ", "_"), value)
        elif box := _BOX.match(line):
            tick = _tick(box["mark"].strip(), box["text"].strip())
            if section.gap and section.repeats(box["text"]):
                gap = escaped(section.gap)
                yield Mistake(
                    number, f"`{gap}` has this box twice; put `## GAP` above those of another gap"
                )
            if isinstance(tick, str):
                yield Mistake(number, tick)
            elif tick is not None and not section.gap:
                yield Mistake(number, "this tick stands above the first gap; move it below a `##`")
            elif tick is not None:
                section.ticks.append((number, *tick))
    yield from section.entries(by)


def _tick(mark: str, text: str) -> tuple[Choice, str] | str | None:
    """Return the choice of a box, a mistake as a string, or None if it is not ticked."""
    if not mark:
        return None
    if mark not in _TICKS:
        return f"`[{escaped(mark)}]` is not a tick; write `[x]`"
    word = text.rstrip(".").lower()
    if word in (Choice.ACCEPT, Choice.REJECT):
        return Choice(word), ""
    if merge := _MERGE.match(text):
        return Choice.MERGE, merge["into"]
    return f"`{escaped(text)}` cannot be decided; {_suggest_choice(text)}"


def _suggest_choice(word: str) -> str:
    return suggest_name(word, [*Choice], otherwise="use accept, reject or merge into GAP")


def _json_entries(text: str) -> Iterator[_ReviewEntry | Mistake]:
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        yield Mistake(error.lineno, f"it is not JSON: {error.msg}; correct this line")
        return
    except RecursionError:
        yield Mistake(1, "it is nested too deeply; export the gaps again")
        return
    gaps = whole.get("gaps") if isinstance(whole, dict) else None
    if not isinstance(gaps, list):
        yield Mistake(1, 'it has no list "gaps"; export the gaps again')
        return
    by = whole.get("by")
    for record in gaps:
        entry = _json_entry(record, text)
        if isinstance(entry, _ReviewEntry) and isinstance(by, str):
            entry.by = entry.by or by.strip()
        if entry is not None:
            yield entry


def _json_entry(record: Any, text: str) -> _ReviewEntry | Mistake | None:
    if not isinstance(record, dict) or not isinstance(record.get("id"), str):
        return Mistake(1, f'a gap is {shown(record)}; give an object with an "id"')
    gap = record["id"]
    line = _line_of(gap, text)
    values = {name: record.get(name) or "" for name in _FIELDS}
    for name, value in values.items():
        if not isinstance(value, str):
            return Mistake(line, f"`{name}` of `{escaped(gap)}` is {shown(value)}; give a text")
    word = values["decision"].strip().lower()
    if not word:
        return None
    if word not in [*Choice]:
        wrong = f"`decision` of `{escaped(gap)}` is `{escaped(word)}`"
        return Mistake(line, f"{wrong}; {_suggest_choice(word)}")
    return _ReviewEntry(
        gap=gap, line=line, choice=Choice(word), into=values["into"].strip(),
        by=values["by"].strip(), why=values["why"].strip(),
        right_answer=values["right_answer"].strip(),
    )  # fmt: skip


def _line_of(gap: str, text: str) -> int:
    match = re.search(rf'"id"\s*:\s*{re.escape(json.dumps(gap))}', text)
    return text.count("\n", 0, match.start()) + 1 if match else 1

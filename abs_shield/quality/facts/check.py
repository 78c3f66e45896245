"""The sentences of an output against the facts that their subjects have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cached_property

from abs_shield.quality.facts.types import Fact, Facts
from abs_shield.quality.hallucination import SubCheck
from abs_shield.quality.reading import sentence_keys
from abs_shield.quality.types import OutputFinding
from abs_shield.text.polarity import read
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.show import escaped
from abs_shield.text.tokens import keys_of
from abs_shield.text.values.figure import SUMS, Figure, same
from abs_shield.text.values.reader import figures

MISMATCH = "ENTITY_MISMATCH"
_MOST_SENTENCES = 2_000
_MOST_FACTS = 50
"""Facts of one sentence that are compared."""
_LONGEST = 2_000
"""Characters of one sentence that are read."""


class _Sentence:
    """One sentence with its place; what few sentences need is read when it is asked for."""

    def __init__(self, text: str, start: int) -> None:
        self.text, self.start = text, start

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(sentence_keys(self.text))

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """Its values; a sentence that denies has none: "the cap did not reach $3.2T"."""
        return () if read(self.text).negated else tuple(figures(self.text))


def check_facts(text: str, facts: Facts) -> SubCheck:
    """
    Compare what a text says of entities with what is known of them.

    A fact is compared where a sentence names its subject, its attribute and its period, and has
    one value of the same kind. A value that differs is wrong; a claim without a fact is unknown,
    which is no fault.

    Args:
        text: The output.
        facts: The source of facts.

    Returns:
        How many facts were compared, and a finding for each value that differs.

    >>> from abs_shield.quality.facts.table import FactTable
    >>> apple = Fact(subject="Apple", attribute="market cap", value="$3.1T", period="Q4 2025")
    >>> output = "In Q4 2025, Apple's market cap reached $3.2T."
    >>> [one.detail for one in check_facts(output, FactTable([apple])).findings]
    ['"$3.2T" unverified (actual: $3.1T)']
    """
    checked, findings = 0, []
    read_all = getattr(facts, "read", None)
    if read_all is not None:
        read_all(text)
    for sentence in _sentences(text):
        for known in _by_claim(_relevant(sentence, facts.facts_about(sentence.text))):
            compared = [(fact, _compared(sentence, fact)) for fact in known]
            values = [(fact, value) for fact, value in compared if value is not None]
            if not values:
                continue
            checked += 1
            if not any(_agrees(value, fact) for fact, value in values):
                fact, value = values[0]
                findings.append(_mismatch(sentence, value, fact))
    return SubCheck(checked, tuple(findings))


def _by_claim(facts: Iterable[Fact]) -> Iterable[list[Fact]]:
    """Group facts of the same thing: of several values that are known any may be meant."""
    groups: dict[tuple[str, str, str], list[Fact]] = {}
    for fact in facts:
        groups.setdefault((fact.subject, fact.attribute, fact.period), []).append(fact)
    return groups.values()


def _sentences(text: str) -> Iterator[_Sentence]:
    for place, (start, end) in enumerate(sentence_spans(text)):
        if place >= _MOST_SENTENCES:
            return
        yield _Sentence(text[start : min(end, start + _LONGEST)], start)


def _relevant(sentence: _Sentence, known: Iterable[Fact]) -> Iterator[Fact]:
    """Yield the facts whose attribute and period a sentence names as well."""
    for place, fact in enumerate(known):
        if place >= _MOST_FACTS:
            return
        wanted = (*keys_of(fact.attribute), *keys_of(fact.period))
        if sentence.words.issuperset(wanted):
            yield fact


def _compared(sentence: _Sentence, fact: Fact) -> Figure | None:
    """Return the one value of a sentence that a fact speaks of; None if several may be meant."""
    known = figures(fact.value)
    if len(known) != 1:
        return None
    part_of_period = {one.text for one in figures(fact.period)}
    values = [
        one
        for one in sentence.figures
        if one.kind == known[0].kind
        and one.text not in part_of_period
        and not one.soft
        and (one.unit == known[0].unit or not (one.unit and known[0].unit))
    ]
    agreeing = [one for one in values if _agrees(one, fact)]
    if agreeing:
        return agreeing[0]
    return values[0] if len(values) == 1 else None


def _agrees(value: Figure, fact: Fact) -> bool:
    """Return whether a value is that of a fact, but for its rounding and the fact's tolerance."""
    known = figures(fact.value)[0]
    if value.kind not in SUMS:
        return same(value, known)
    allowed = Decimal(str(fact.tolerance))
    return any(
        abs(one - other) <= max(allowed * abs(other), step / 2)
        for one, step in value.readings
        for other in known.numbers
    )


def _mismatch(sentence: _Sentence, value: Figure, fact: Fact) -> OutputFinding:
    actual = escaped(fact.value, limit=100)
    of = f"{escaped(fact.subject, limit=100)} {escaped(fact.attribute, limit=100)}"
    return OutputFinding(
        code=MISMATCH,
        start=sentence.start + value.start,
        end=sentence.start + value.end,
        detail=f'"{escaped(value.text, limit=100)}" unverified (actual: {actual})',
        claim=sentence.text,
        requirement=f"{of} is {actual}" + (f" in {escaped(fact.period)}" if fact.period else ""),
        remedy=f"Verify {of} against the facts",
        critical=True,
        about=escaped(fact.attribute, limit=100),
    )

"""The sentences of an output against the facts that their subjects have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import islice

from abs_shield.quality.assertions import own_assertions
from abs_shield.quality.facts.statement import Stated, Statement
from abs_shield.quality.facts.types import Fact, Facts
from abs_shield.quality.hallucination import SubCheck
from abs_shield.quality.reading import Reading, Sentence, read_text
from abs_shield.quality.types import OutputFinding
from abs_shield.text.show import escaped
from abs_shield.text.tokens import keys_of
from abs_shield.text.values.figure import SUMS, Day, Figure
from abs_shield.text.values.reader import figures

MISMATCH = "ENTITY_MISMATCH"
_MOST_SENTENCES = 2_000
_MOST_FACTS = 50
"""Facts of one sentence that are compared."""
_ITEM = re.compile(r"[-*\u2022|]|\d{1,3}[.)]")
_ROUGHLY = Decimal("0.05")
"""By which part of itself a value may differ that a text calls rough: "about 3.5 million"."""


def check_facts(text: str, facts: Facts) -> SubCheck:
    """
    Compare what a text says of entities with what is known of them.

    A fact is compared where a sentence states a value of its attribute, in its period and of its
    subject alone. A value that differs is wrong; a claim without a fact is unknown, which is no
    fault.

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
    reading = read_text(text)
    contexts = _contexts(reading)
    for sentence in islice(own_assertions(reading), _MOST_SENTENCES):
        written = reading.text[sentence.start : sentence.end]
        known = [*islice(facts.facts_about(written), _MOST_FACTS)]
        if not known:
            continue
        statement = Statement(sentence, contexts[sentence])
        for same in _by_claim(known):
            compared = [(fact, value) for fact in same if (value := _stated(statement, fact))]
            if not compared:
                continue
            checked += 1
            if not any(_agrees(value, fact) for fact, value in compared):
                findings.append(_mismatch(written, compared[0][1][0], compared[0][0]))
    return SubCheck(checked, tuple(findings))


def _contexts(reading: Reading) -> dict[Sentence, str]:
    """Return of each sentence the heading or the opening of its list, and the one before it."""
    contexts: dict[Sentence, str] = {}
    heading, before, line = "", "", -1
    for sentence in reading.sentences:
        written = reading.text[sentence.start : sentence.end]
        is_item = _ITEM.match(written) is not None
        if not is_item and written.startswith("#"):
            heading = written
        elif not is_item and heading.endswith(":"):
            heading = ""
        contexts[sentence] = f"{heading}\n{before if sentence.line == line else ''}"
        if not is_item and written.endswith(":"):
            heading = written
        before, line = written, sentence.line
    return contexts


def _by_claim(facts: Iterable[Fact]) -> Iterable[list[Fact]]:
    """Group facts of the same thing: of several values that are known any may be meant."""
    groups: dict[tuple[str, str, str], list[Fact]] = {}
    for fact in facts:
        groups.setdefault((fact.subject, fact.attribute, fact.period), []).append(fact)
    return groups.values()


def _stated(statement: Statement, fact: Fact) -> list[Stated]:
    return [*statement.values(fact)]


def _agrees(values: Sequence[Stated], fact: Fact) -> bool:
    """Return whether one of the values that a sentence states is that of a fact."""
    return any(
        _is_name_of(value.text, fact.value)
        if value.figure is None
        else _is_value_of(value, value.figure, fact)
        for value in values
    )


def _is_name_of(said: str, known: str) -> bool:
    """Return whether two names may be of the same thing: they share a word."""
    return not set(keys_of(said)).isdisjoint(keys_of(known))


def _is_value_of(stated: Stated, value: Figure, fact: Fact) -> bool:
    """Return whether a value is that of a fact, but for its rounding and the fact's tolerance."""
    known = figures(fact.value)[0]
    if stated.yearly or value.kind not in SUMS:
        return any(_is_same_time(one, other) for one in value.values for other in known.values)
    allowed = max(Decimal(str(fact.tolerance)), _ROUGHLY if stated.about else Decimal(0))
    return any(
        abs(one - other) <= max(allowed * abs(other), step / 2)
        for one, step in value.readings
        for other in known.numbers
    )


def _is_same_time(one: object, other: object) -> bool:
    """Return whether two years or dates agree as far as both go."""
    if not isinstance(one, Day) or not isinstance(other, Day):
        return _year(one) == _year(other)
    pairs = zip(one, other, strict=True)
    return all(mine == theirs or None in (mine, theirs) for mine, theirs in pairs)


def _year(value: object) -> object:
    return Decimal(value.year) if isinstance(value, Day) and value.year is not None else value


def _mismatch(claim: str, value: Stated, fact: Fact) -> OutputFinding:
    actual = escaped(fact.value, limit=100)
    of = f"{escaped(fact.subject, limit=100)} {escaped(fact.attribute, limit=100)}"
    return OutputFinding(
        code=MISMATCH,
        start=value.start,
        end=value.end,
        detail=f'"{escaped(value.text, limit=100)}" unverified (actual: {actual})',
        claim=claim,
        requirement=f"{of} is {actual}" + (f" in {escaped(fact.period)}" if fact.period else ""),
        remedy=f"Verify {of} against the facts",
        critical=True,
        about=escaped(fact.attribute, limit=100),
    )

"""Comparison of the sentences of an output with facts about their subjects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import islice

from abs_shield.quality.asserted_sentences import own_assertions
from abs_shield.quality.facts.fact_table import Fact, Facts
from abs_shield.quality.facts.stated_values import FactStatement, StatedValue
from abs_shield.quality.hallucination_score import SubCheck
from abs_shield.quality.marked_sentences import Reading, Sentence, read_text
from abs_shield.quality.quality_types import OutputFinding
from abs_shield.text.safe_display import escaped
from abs_shield.text.tokens import keys_of
from abs_shield.text.values.figure import SUMS, Day, Figure
from abs_shield.text.values.figure_reader import figures

MISMATCH = "ENTITY_MISMATCH"
_MOST_SENTENCES = 2_000  # a long report; a larger text is data, and would take seconds
_MOST_FACTS = 50  # a common word may be the name of many subjects
"""Maximum number of compared facts per sentence."""
_ITEM = re.compile(r"[-*\u2022|]|\d{1,3}[.)]")
_ROUGHLY = Decimal("0.05")
"""Relative tolerance of a value that a text calls approximate: "about 3.5 million"."""


def check_facts(text: str, facts: Facts) -> SubCheck:
    """
    Compare the claims of a text about entities with facts.

    A fact is compared if a sentence states a value of exactly its subject, attribute and period. A
    different value is wrong; a claim without a fact is unknown and not reported.

    Args:
        text: The output.
        facts: The source of facts.

    Returns:
        The number of compared facts, and a finding for each different value.

    >>> from abs_shield.quality.facts.fact_table import FactTable
    >>> apple = Fact(subject="Apple", attribute="market cap", value="$3.1T", period="Q4 2025")
    >>> output = "In Q4 2025, Apple's market cap reached $3.2T."
    >>> [one.detail for one in check_facts(output, FactTable([apple])).findings]
    ['"$3.2T" unverified (actual: $3.1T)']
    """
    checked, findings = 0, []
    # one request for the whole output instead of one per sentence
    read_all = getattr(facts, "read", None)
    if read_all is not None:
        read_all(text)
    reading = read_text(text)
    contexts = _contexts(reading)
    for sentence in islice(own_assertions(reading), _MOST_SENTENCES):
        written = reading.text[sentence.start : sentence.end]
        candidates = [*islice(facts.facts_about(written), _MOST_FACTS)]
        if not candidates:
            continue
        statement = FactStatement(sentence, contexts[sentence])
        for same in _by_claim(candidates):
            compared = [(fact, value) for fact in same if (value := _stated(statement, fact))]
            if not compared:
                continue
            checked += 1
            if not any(_agrees(value, fact) for fact, value in compared):
                findings.append(_mismatch(written, compared[0][1][0], compared[0][0]))
    return SubCheck(checked, tuple(findings))


def _contexts(reading: Reading) -> dict[Sentence, str]:
    """Return the context of each sentence: the heading or list opening, and the previous one."""
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
    """Group facts of one subject, attribute and period: any of several values is accepted."""
    groups: dict[tuple[str, str, str], list[Fact]] = {}
    for fact in facts:
        groups.setdefault((fact.subject, fact.attribute, fact.period), []).append(fact)
    return groups.values()


def _stated(statement: FactStatement, fact: Fact) -> list[StatedValue]:
    return [*statement.values(fact)]


def _agrees(values: Sequence[StatedValue], fact: Fact) -> bool:
    """Return whether one of the stated values agrees with a fact."""
    return any(
        _is_name_of(value.text, fact.value)
        if value.figure is None
        else _is_value_of(value, value.figure, fact)
        for value in values
    )


def _is_name_of(name: str, expected: str) -> bool:
    """Return whether two names share a word, and so may mean the same."""
    # "Tim Cook" and "Mr Cook": in doubt the same, because a finding holds the output
    return not set(keys_of(name)).isdisjoint(keys_of(expected))


def _is_value_of(stated: StatedValue, value: Figure, fact: Fact) -> bool:
    """Return whether a value agrees with a fact, within rounding and the fact's tolerance."""
    expected = figures(fact.value)[0]
    if stated.yearly or value.kind not in SUMS:
        return any(_is_same_time(one, other) for one in value.values for other in expected.values)
    allowed = max(Decimal(str(fact.tolerance)), _ROUGHLY if stated.about else Decimal(0))
    return any(
        # a rounded value is right within half of its last digit
        abs(one - other) <= max(allowed * abs(other), step / 2)
        for one, step in value.readings
        for other in expected.numbers
    )


def _is_same_time(one: object, other: object) -> bool:
    """Return whether two years or dates agree in the parts that both have."""
    if not isinstance(one, Day) or not isinstance(other, Day):
        return _year(one) == _year(other)
    pairs = zip(one, other, strict=True)
    return all(mine == theirs or None in (mine, theirs) for mine, theirs in pairs)


def _year(value: object) -> object:
    return Decimal(value.year) if isinstance(value, Day) and value.year is not None else value


def _mismatch(claim: str, value: StatedValue, fact: Fact) -> OutputFinding:
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

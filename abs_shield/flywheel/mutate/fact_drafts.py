"""Drafts whose right answer is a fact: questions about entities, periods and values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import NamedTuple

from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.mutate.canonical_text import canonical
from abs_shield.flywheel.mutate.mutated_values import Entities, distort, factors, unquote
from abs_shield.flywheel.mutate.training_example import TrainingExample
from abs_shield.quality.facts import Fact
from abs_shield.text.safe_display import capitalise

QUESTIONS = (
    "What {was} {subject}'s {attribute}{period}?",
    "State the {attribute} of {subject}{period}.",
    "Please look up {subject} for me: which {attribute} did it report{period}?",
    "I am writing a report and need the {attribute} that {subject} had{period}.",
    "A client asks about {subject}. Which {attribute} do we quote{period}?",
    "{subject}, {attribute}{period}: which value is right?",
    "Complete this sentence of the memo: the {attribute} of {subject}{period} {was} ...",
    "Fill the empty cell of the table. Row: {subject}. Column: {attribute}{period}.",
    'A colleague wrote: "{subject}, {attribute}{period}: {wrong}." Correct the value.',
    "What do our records state as the {attribute} of {subject}{period}?",
    "Prepare one line for the slide on {subject}: its {attribute}{period}.",
    "Before we publish, verify the {attribute} of {subject}{period} and give the true number.",
)
"""Phrasings; ``{period}`` is empty for a fact without a period."""
DETAILS = (
    ("", "{value}"),
    (" Answer with the value only.", "{value}"),
    (" Answer in one sentence.", "{period_first}{subject}'s {attribute} {was} {value}."),
    (
        " Answer in full and name the period.",
        "{as_of}the {attribute} of {subject} {was} {value}, according to the record.",
    ),
)
"""Levels of detail: the instruction, and the form of the answer."""
_RECORD = "Record: {subject}; {attribute}; {when}; {value}. "
"""Prefix of a question about an invented entity: the fact to answer from."""


class Synthetic(NamedTuple):
    """The share of examples about invented entities, and the source of their names."""

    entities: Entities
    share: float


def select_relevant(facts: Iterable[Fact], catches: Sequence[Catch]) -> list[Fact]:
    """
    Return the facts of the attributes that the catches are about.

    An attribute is recognised by a fact's value, by subject and attribute in the claim, or by the
    attribute in the catch's subject matter.
    """
    all_facts = [*facts]
    values = {canonical(unquote(one.verified_value)).keys for one in catches if one.verified_value}
    claims = [canonical(one.claim).bag for one in catches]
    abouts = [canonical(one.about).bag for one in catches]
    attributes = {
        fact.attribute
        for fact in all_facts
        if canonical(fact.value).keys in values
        or any(canonical(f"{fact.subject} {fact.attribute}").bag <= claim for claim in claims)
        or any(canonical(fact.attribute).bag <= about for about in abouts)
    }
    return [fact for fact in all_facts if fact.attribute in attributes]


def drafts(
    facts: Sequence[Fact],
    catches: Sequence[Catch],
    *,
    gap: str,
    synthetic: Synthetic,
    random: Random,
) -> Iterator[TrainingExample]:
    """Yield examples: each fact in turn, with a random phrasing and level of detail."""
    wrongs = factors(catches)
    forms = [(place, detail) for place in range(len(QUESTIONS)) for detail in range(len(DETAILS))]
    # each form once per fact, or a training would repeat whole sentences
    drawn = {fact: random.sample(forms, len(forms)) for fact in facts}
    order = random.sample(facts, len(facts))
    for turn in range(len(forms)):
        for fact in order:
            if random.random() < synthetic.share:
                other = _other(fact, synthetic.entities, random)
                form = random.choice(forms)
                yield _example(other, form, random.choice(wrongs), gap, record=True)
            if synthetic.share < 1:
                yield _example(fact, drawn[fact][turn], random.choice(wrongs), gap, record=False)


def question_of(fact: Fact, template: str, wrong: str = "") -> str:
    """Return a question about a fact."""
    return template.format(
        subject=fact.subject,
        attribute=fact.attribute,
        was=_was(fact.attribute),
        period=f" in {fact.period}" if fact.period else "",
        wrong=wrong,
    )


def _example(
    fact: Fact, form: tuple[int, int], factor: Decimal, gap: str, *, record: bool
) -> TrainingExample:
    place, level = form
    wrong = distort(fact.value, factor)
    if "{wrong}" in QUESTIONS[place] and not wrong:
        place = 0  # a template that needs no wrong value
    instruction, answer_form = DETAILS[level]
    prompt = question_of(fact, QUESTIONS[place], wrong) + instruction
    if record:
        prompt = _RECORD.format(**_fields(fact), when=fact.period or "always") + prompt
    fields = _fields(fact)
    return TrainingExample(
        prompt=prompt,
        answer=capitalise(answer_form.format(**fields)),
        rejected=capitalise(answer_form.format(**{**fields, "value": wrong})) if wrong else "",
        gap=gap,
        kind="fact",
        template=f"question {place + 1}, detail {level + 1}" + (", record" if record else ""),
        source=f"{fact.subject}, {fact.attribute}, {fact.period or 'always'}",
        context={"fact": _record_of(fact)},
    )


def _fields(fact: Fact) -> dict[str, str]:
    return {
        "subject": fact.subject,
        "attribute": fact.attribute,
        "was": _was(fact.attribute),
        "value": fact.value,
        "period_first": f"in {fact.period}, " if fact.period else "",
        "as_of": f"as of {fact.period}, " if fact.period else "",
    }


def _record_of(fact: Fact) -> dict[str, object]:
    """Return a fact as JSON-able data, without empty fields."""
    record = {name: getattr(fact, name) for name in Fact.__dataclass_fields__}
    return {
        name: [*value] if isinstance(value, tuple) else value
        for name, value in record.items()
        if value != ()
    }


def _was(attribute: str) -> str:
    """
    Return the verb of an attribute.

    >>> [_was(one) for one in ("market cap", "employees", "number of employees", "gross", "status")]
    ['was', 'were', 'was', 'was', 'was']
    """
    head = attribute.split(" of ")[0].lower()
    return "were" if head.endswith("s") and not head.endswith(("ss", "us", "is")) else "was"


def _other(fact: Fact, entities: Entities, random: Random) -> Fact:
    """Return a fact about an invented entity; its example states it before the question."""
    # far from the real value, which the model could otherwise answer from memory
    factor = Decimal(random.randint(300, 2_500)) / 1_000
    value = distort(fact.value, factor) or fact.value
    period = entities.one("period") if fact.period else ""
    return replace(fact, subject=entities.one("subject"), value=value, period=period)

"""Contradictions are found, and texts that only look like one are not."""

from __future__ import annotations

import time
from itertools import product

import pytest

from abs_shield.quality.consistency import ConsistencyReport, contradictions
from abs_shield.quality.consistency.consistency_report import KINDS
from abs_shield.quality.marked_sentences import read_text
from tests.rows import each_row

_WRONG = {
    "parts": (
        "We hired 30 people: 12 engineers, 10 designers and 9 analysts.",
        "Sales were $10M in Europe, $20M in Asia and $5M in Africa, for a total of $40M.",
        "Rent is $1,200, food is $400 and travel is $150. In total, that is $1,950.",
        "A total of **45** students took part (20 girls and 15 boys).",
        "12 vans and 8 trucks are for sale, 25 vehicles altogether.",
        "The project cost $50k: $20k for design, $20k for code and $5k for tests.",
        "Of the 200 respondents, 80 said yes and 140 said no.",
        "Subtotal $100, tax $8, total $118.",
        "The subtotal is $100, the tax is $8, and the total is $118.",
        "Subtotal: $100, discount: $8, total: $108",
    ),
    "growth": (
        "Our Q1 revenue was $50M. This represents a 10% year-over-year increase. "
        "Last year's Q1 revenue was $55M.",
        "Our Q1 revenue was $50M. This represents a 10% year-over-year increase. "
        "Last year's Q1 revenue was $55.5M.",
        "Last year's revenue was $55M. This year our revenue was $50M. That is a 10% increase.",
        "Sales rose by 20% from $10 million to $14 million.",
        "Revenue was $40M in 2022 and $50M in 2023, an increase of 30%.",
        "Costs dropped from 200 in 2020 to 250 in 2021.",
    ),
    "shares": (
        "30 of the 120 employees (40%) work remotely.",
        "Of the 200 respondents, 90 (40%) agreed.",
        "60% chose A, 30% chose B, and the remaining 20% chose C.",
        "10% of $200 is $30.",
        "The split is 60% / 30% / 20%.",
        "Revenue mix: 60%/30%/20%.",
        "Profit was $5M on revenue of $50M, a margin of 20%.",
        "The company earned $5M on $50M in sales, a margin of 20%.",
        "We interviewed 80 people; 20 of them (40%) objected.",
    ),
    "durations": (
        "The trial runs from March 3 to March 10, 2024, lasting 14 days.",
        "The 10-day festival runs from 3 July to 5 July.",
        "He was president from 1990 to 1998, serving 12 years.",
        "The meeting is from 9:00 to 11:30, a total of 4 hours.",
        "We meet on Monday, 5 March 2024.",
        "It starts on 5 May 2024 and ends on 3 May 2024.",
        "The lease runs for three years, from May 2020 until May 2025.",
        "The meeting lasts 2 hours, starting at 14:00 and ending at 17:00.",
    ),
    "ages": (
        "Ada was born in 1980. In 2020 she was 45 years old.",
        "Bo (1900\u20131970) was a painter. He died aged 62.",
        "She was born in 1990 and was 40 when she won in 2024.",
        "Born on 5 May 1950, he died on 1 March 2010 at the age of 60.",
    ),
    "orders": (
        "Ann is taller than Ben. Ben is taller than Cy. Cy is taller than Ann.",
        "Plan A is cheaper than Plan B, and Plan B is more expensive than Plan A. "
        "Plan B is cheaper than Plan A.",
        "Plan B ($30) is cheaper than Plan A ($20).",
        "Ann came third and Ben came fifth. Ben finished ahead of Ann.",
    ),
    "repeats": (
        "The project's budget is $2.4 million. It began in May. "
        "The budget of the project is $2.9 million.",
        "The company has 120 employees. It makes tyres. The company has 150 employees.",
    ),
    "differences": (
        "Ann scored 85 and Ben scored 70, a difference of 20 points.",
        "Prices rose by $5 from $20 to $30.",
        "They spent $30 of the $100 budget, leaving $60.",
        "The budget is $1.2M; $800K is spent, so $500K remains.",
        "The rate fell from 10% to 7%, a drop of 5 percentage points.",
        "Revenue was $12M and costs were $9M, so profit was $4M.",
    ),
    "ratios": (
        "Output doubled from 40 to 100 units.",
        "The new plan costs $60, three times the $30 of the old one.",
        "We bought 3 licences at $20 each, for a total of $70.",
        "5 x $20 = $120.",
        "The bill is $20 \u00d7 5 = $120.",
    ),
    "counts": (
        "There are three options: basic, standard, premium and enterprise.",
        "There are three options:\n\n- one\n- two\n- three\n- four\n\nPick one.",
        "We see two reasons. First, it is cheap. Second, it is quick. Third, it is safe.",
        "There are nine rooms: two doubles, two twins and one suite.",
        "Our panel has eight members: three judges, three teachers and a doctor.",
    ),
    "frames": (
        "The fee is $25. The fee is $35.",
        "Net income in 2023 was $8M. Net income in 2023 was $11M.",
        "The launch date is 1 June 2025. The launch date is 9 June 2025.",
    ),
    "sequels": (
        "The school has 400 pupils. Of these, 250 are boys and 200 are girls.",
        "The budget is $500. We spent $300, so $250 is left.",
        "Last year we sold 400 units. This year we sold 500, which is an increase of 30%.",
    ),
    "allocations": (
        "30% of the budget goes to media, 40% to events and 45% to staff.",
        "50% chose red, 30% chose blue and 30% chose green.",
    ),
}
_RIGHT = (
    "Our Q1 revenue was $50M. This represents a 10% year-over-year increase. "
    "Last year's Q1 revenue was $45.5M.",
    "Our Q1 revenue was $50M. This represents a 10% year-over-year decrease. "
    "Last year's Q1 revenue was $55.5M.",
    "Revenue grew about 10% from $40M to $50M.",
    "Revenue did not grow 10% from $40M to $50M.",
    "If revenue rose 10% from $40M to $50M, we would be glad.",
    "Revenue rose 10% to $50M. Costs were $40M last year.",
    "Q1 revenue was $50M. Q2 revenue was $60M. Last year's profit was $5M. That is a 10% increase.",
    "We hired 30 people, including 12 engineers and 10 designers.",
    "Of 30 people, 12 are engineers, 10 are designers, and the rest are analysts.",
    "The bill is $100, plus $8 tax and $5 delivery, for a total of $113 before discount.",
    "They won 3 games: 21, 18 and 30.",
    "Revenue was $10.4M and costs were $7.6M, so profit was $2.9M.",
    "There are three sizes:\n\n- 2 small ones\n- 4 large ones\n",
    "3 rooms: 12 square metres, 14 square metres and 20 square metres.",
    "One van, 3 trucks and 2 cars are for sale, 6 vehicles in total.",
    "10-12 people came from 5 teams, and 3 to 5 of them stayed.",
    "60% like tea, 55% like coffee, and 20% like both.",
    "The share rose from 10% to 12% in Asia and to 20% in Europe.",
    "The population is divided: Hindu (41%), Muslim (24%) and Christian (24%) are major groups.",
    "33.3% chose A, 33.3% chose B, and the remaining 33.3% chose C.",
    "The event runs from March 3 to March 5, and registration takes 14 days.",
    "The course runs from 1 May to 29 May, 8 working days in all.",
    "He held the office from 1957 to 1959 when he was elected for a seven-year term.",
    "From December 28 to January 3, 7 days, the office is closed.",
    "Open from 9:00 to 11:30, with a 4 hour wait.",
    "Ada was born in 1980. Her son was 5 in 2020.",
    "Ada was born in 1980 and Bo was born in 1990. In 2020 he was 30.",
    "Ann is taller than Ben. Ben is heavier than Ann.",
    "In 2020 the red team was faster than the blue team. In 2021 the blue team was faster than the "
    "red team.",
    "Ann is not taller than Ben. Ben is taller than Ann.",
    "The annual fee was $120. It has since changed. The annual fee is now $150.",
    "The price of the Roma room is $100. The Milano room is larger. The price of it is $120.",
    "1. Hotel Roma\nThe room rate is $100.\n2. Hotel Milano\nThe room rate is $120.",
    "The forecast revenue is $50M. The actual revenue is $55M.",
    "The monthly fee is $10 for adults. The monthly fee is $5 for children.",
    "The distance is 3 km. The distance is 1.9 miles.",
    "Output more than doubled from 40 to 100 units.",
    "Ann scored 85 and Ben scored 70, about 20 points less.",
    "Prices rose 5% from $20 to $21.",
    "3 licences at $20 each cost $54 after a 10% discount.",
    "Choose two of the following options: a, b, c and d.",
    "Two people spoke: Ann Li, the head, and Bo Yu, the chair.",
    "Three cities: Paris, France, Rome, Italy, and Oslo, Norway.",
    "It has two areas: research and development, and sales.",
    "In 3 days: pack, clean, sort and leave.",
    "| Item | Price |\n|---|---|\n| A | $5 |\n| B | $6 |\nThe total price is $11.",
    "The score was 3-1 at half time and 5-2 in the end.",
    "The price fell 50% from $100 to $50 and must double, a gain of 100%, to return to $100.",
    "The share rose from $40 to $50, a gain of 25%, and a loss of 20% would undo it.",
    "She was born in 1990 and was 19 when she started and played until 2020.",
    "She was born in 1990 and was 33 when she won in 2024.",
    "Subtotal $100, tax (8%) $8, shipping $5, total $113.",
    "The subtotal is $100, tax is included, and the total is $100.",
    "Subtotal $100, 2 items, tax $8, total $216.",
    "Subtotal $100.00, discount $10.00, tax $7.20, total $97.20",
    "2 + 5 x $20 = $102.",
    "2 x 5 x $20 = $200.",
    "About 5 x $20 = $110.",
    "3 x $19.99 = $59.97",
    "Of the 200 respondents, 80 said yes and 140 said maybe.",
    "Of the 200 respondents, 80 said yes and 110 said no.",
    "Of the 30 pupils, 20 passed maths and 15 failed art.",
    "Of the 200 respondents, 150 said yes to A and 140 said no to B.",
    "Operating profit was $5M on $50M of sales, a gross margin of 40%.",
    "The company earned $5M net and $20M gross on $50M, a gross margin of 40%.",
    "Profit was $5M on revenue of $50M, a margin of 10%.",
    "The budget is $1.2M; $800K is spent, so $400K remains.",
    "The split is 50% / 30% / 20%.",
    "The old split was 50% / 30% / 20%, the new one is 60% / 20% / 20%.",
    "The mix of scenarios gives 30% / 40% / 50% odds.",
    "Scenarios: 60% / 30% / 20%.",
    "The battery lasts 10 hours; the battery of the small one lasts 5 hours.",
    "",
)


@each_row(("kind", "text"), [(kind, text) for kind, texts in _WRONG.items() for text in texts])
def test_a_contradiction_is_found_by_its_kind(kind: str, text: str) -> None:
    """Each text has a relation that its kind finds not to hold, and names the place of."""
    results = [one for one in KINDS[kind](read_text(text)) if one is not None]

    assert results
    assert 0 <= results[0].start < results[0].end <= len(text)
    assert text[results[0].start : results[0].end].startswith(results[0].claim)


@each_row("text", _RIGHT)
def test_a_consistent_text_has_no_finding(text: str) -> None:
    """Hedges, ranges, negation, other periods, units and lists raise no finding."""
    assert () == contradictions(text).findings


def test_every_kind_is_named_as_its_function() -> None:
    """The table's names are those of the functions."""
    for name, kind in KINDS.items():
        assert name == kind.__name__


def test_every_kind_has_examples() -> None:
    """No kind is added without a text that it finds."""
    assert KINDS.keys() == _WRONG.keys()


_ODD = ["", "\n", "\ue001 of \ue002", "5", "% of 0", "from to", "\x00 5 5"]


@each_row(("kind", "text"), product(KINDS, _ODD))
def test_a_kind_is_total(kind: str, text: str) -> None:
    """Odd texts raise nothing and relate nothing."""
    assert [] == [*KINDS[kind](read_text(text))]


def test_relations_that_hold_are_counted() -> None:
    """The report counts what was compared, for a score in percent."""
    report = contradictions("30 of the 120 employees (25%) agreed. Sales rose 20% from $10 to $12.")

    assert ConsistencyReport(2) == report


def test_details_name_no_person() -> None:
    """A finding about an age repeats neither the name nor the date of birth."""
    (finding,) = contradictions("Ada was born in 1980. In 2020 she was 45 years old.").findings

    assert "Ada" not in finding.detail
    assert "1980" not in finding.detail


@pytest.mark.parametrize(
    "piece", ["1", "%", "(", "@", "5% ", "from 5 to ", "\ue001", "3 options: "]
)
def test_a_megabyte_is_read_in_bounded_time(piece: str) -> None:
    """A mark repeated a million times takes as long as its beginning."""
    begin = time.perf_counter()

    contradictions(piece * (1_000_000 // len(piece)))

    assert 10 > time.perf_counter() - begin

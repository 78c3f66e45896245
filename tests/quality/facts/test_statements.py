"""Sentences that state an attribute of a fact are compared with it."""

from __future__ import annotations

import csv
import time

import pytest

from abs_shield import PolicyError
from abs_shield.quality.facts import Fact, FactTable, check_facts

FACTS = FactTable(
    [
        Fact(subject="Apple", attribute="market cap", value="$3.1T", period="Q4 2025"),
        Fact(subject="Apple", attribute="revenue", value="$400B"),
        Fact(subject="Berlin", attribute="population", value="3.7 million"),
        Fact(subject="Acme Pro", attribute="price", value="$15"),
        Fact(subject="Team", attribute="price", value="$30 per month"),
        Fact(subject="Acme", attribute="founded", value="1998"),
        Fact(subject="Acme", attribute="CEO", value="Jane Roe"),
        Fact(subject="Acme", attribute="headquarters", value="Berlin"),
        Fact(subject="Lake Orrin", attribute="area", value="44 km\u00b2"),
        Fact(subject="Norvik", attribute="revenue", value="$2B", period="2024"),
    ]
)
HONEST = """\
Analysts expected Apple's market cap to reach $4T in Q4 2025.
If Apple's market cap reached $4T in Q4 2025, shareholders were glad.
Did Apple's market cap reach $3.2T in Q4 2025?
Apple's market cap rose by $0.2T in Q4 2025.
Apple's market cap did not reach $3.2T in Q4 2025.
"Apple's market cap reached $3.2T in Q4 2025," wrote the paper.
Apple's market cap reached $3.2T in Q4 2024.
Apple's market cap reached $3.2T in fiscal Q4 2025.
Apple's market cap was $2.9T before Q4 2025.
In Q4 2025, Apple's market cap reached $3.1T, up from $2.9T.
Apple's revenue per employee is $2.4M.
Apple's services revenue was $100B.
Apple's revenue from services was $100B.
In Europe, Apple's revenue is $100B.
Apple's revenue in 2015 was $233B.
Apple's revenue was $95B in its second quarter.
The quarter was strong. Apple's revenue was $95B.
Apple's revenue was $600B. This is wrong.
Apple's revenue is over $300B.
Microsoft's revenue is $250B, less than Apple's.
Outside Berlin, the population of Potsdam is 185,000.
Berlin's population density is 4,100 per km2.
Greater Berlin's population is 4.5 million.
Berlin has 600,000 residents under 18.
With the 20% discount the Acme Pro price is $12.
The price of Acme Pro was $12 last year.
The price of Acme Pro is $12 for students.
Acme Pro costs $12 less than Acme Max.
Acme Pro Max costs $25.
Acme Pro costs $13, on Fridays.
Acme Pro costs $18, tax included.
Team costs $360 per year.
Team costs $30/month.
Acme was founded in 1998 and went public in 2010.
Acme was founded on May 3, 1998.
Acme's London office was founded in 2005.
The CEO of Acme is Jane Roe.
The CEO of Acme is Ms. Roe.
The CEO of Acme is American.
Acme's former CEO is John Doe.
Acme is based in Berlin.
Acme is based in Germany.
John Doe is the CEO of Acme's parent company.
John Doe is the CEO of Acme Germany.
Lake Orrin covers 17 square miles.
Norvik's revenue was $500M in Q4 2024.""".splitlines()
LISTS = [
    "Prices for students:\n- The price of Acme Pro is $9.\n- The price of Acme Pro is $8.",
    "# 2015\n- Apple's revenue was $233B.",
]
WRONG = {
    "In Q4 2025, Apple's market cap reached $3.2T.": "$3.2T",
    "In Q4 2025, Apple's market cap reached $3.2T, up from $2.9T.": "$3.2T",
    "In Q4 2025, Apple's market cap rose from $2.9T to $3.2T.": "$3.2T",
    "Apple's market capitalization was $3.4 trillion in Q4 2025.": "$3.4 trillion",
    "Apple's market cap was $3.4T in the fourth quarter of 2025.": "$3.4T",
    "In 4Q25, Apple's market cap hit $3.9T.": "$3.9T",
    "Apple's revenue is $380B.": "$380B",
    "Apple's revenue is about $300B.": "$300B",
    "Apple reported revenue of $420B.": "$420B",
    "With revenue of $300B, Apple leads.": "$300B",
    "The population of Berlin is 3.2 million.": "3.2 million",
    "Berlin has 2.9 million inhabitants.": "2.9 million",
    "The Acme Pro costs $12.": "$12",
    "- **Acme Pro price:** $20": "$20",
    "We recommend Acme Pro, which costs $10.": "$10",
    "Team costs $45/month.": "$45",
    "Acme was founded in 2001.": "2001",
    "Acme was founded in 1999.": "1999",
    "Founded in 2007, Acme makes pumps.": "2007",
    "Acme was founded on May 3, 2001.": "May 3, 2001",
    "The CEO of Acme is John Doe.": "John Doe",
    "Acme's chief executive, John Doe, resigned.": "John Doe",
    "John Doe is the CEO of Acme.": "John Doe",
    "Acme is based in Munich.": "Munich",
    "Acme is headquartered in Munich.": "Munich",
    "Lake Orrin has an area of 61 square kilometres.": "61",
    "Norvik's revenue was $3B in 2024.": "$3B",
}


@pytest.mark.parametrize("text", HONEST + LISTS)
def test_statements_about_something_else_pass(text: str) -> None:
    """Forecasts, questions, parts, other times and other subjects do not contradict a fact."""
    assert () == check_facts(text, FACTS).findings


@pytest.mark.parametrize("text", WRONG)
def test_another_value_of_the_same_thing_is_found(text: str) -> None:
    """With the place of the value."""
    [finding] = check_facts(text, FACTS).findings

    assert WRONG[text] == text[finding.start : finding.end].removesuffix(" square kilometres")


@pytest.mark.parametrize("mark", ["\ue001", "\ue120", "\ue130", "\ue13f", "\uf8ff"])
def test_private_use_characters_are_ignored(mark: str) -> None:
    """Private-use characters hide no wrong value and raise nothing."""
    [finding] = check_facts(f"Acme{mark} was founded{mark} in {mark}1999.", FACTS).findings

    assert "1999" in finding.detail
    assert () == check_facts(f"Acme was founded in {mark}.", FACTS).findings


@pytest.mark.parametrize(
    "text",
    ["AAPL's valuation was $3.5T in Q4 2025.", "The valuation of AAPL was $3.5T in Q4 2025."],
)
def test_a_fact_has_aliases(text: str, tmp_path) -> None:
    """A fact may have aliases of its subject and its attribute, in a CSV file or in a dict."""
    row = {"subject": "Apple", "attribute": "market cap", "value": "$3.1T", "period": "Q4 2025"}
    row |= {"aliases": "Apple Inc.;AAPL", "attribute_aliases": "valuation"}
    path = tmp_path / "facts.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow(row)

    assert 1 == len(check_facts(text, FactTable.from_file(path)).findings)
    assert 1 == len(check_facts(text, FactTable.from_rows([row])).findings)


@pytest.mark.parametrize("aliases", ["AAPL", ("",), (3,)])
def test_aliases_are_a_tuple_of_texts(aliases) -> None:
    """Other types, and a plain text, raise a PolicyError."""
    with pytest.raises(PolicyError, match=r"fact: `aliases` is .*; give a list of texts"):
        Fact(subject="Apple", attribute="revenue", value="$1", aliases=aliases)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["and was Apple's revenue is $5B and ", "Acme founded in 1999, ", "The CEO of Acme, John "],
)
def test_repeated_words_take_little_time(unit: str) -> None:
    """A hundred thousand characters in lines of a thousand."""
    text = (unit * 40)[:950] + ".\n"
    began = time.perf_counter()
    check_facts(text * 105, FACTS)

    assert time.perf_counter() - began < 10


@pytest.mark.parametrize(
    "text",
    [
        "Acme's Q4 2025 revenue came in at $58 million.",
        "Acme is led by CEO John Doe.",
        "Globex is run by its CEO, John Doe.",
    ],
)
def test_forms_with_a_time_or_a_title_between(text):
    """The period before the attribute, and a person by the title."""
    table = FactTable([
        Fact(subject="Acme", attribute="revenue", value="$50M", period="Q4 2025"),
        Fact(subject="Acme", attribute="CEO", value="Jane Roe"),
        Fact(subject="Globex", attribute="CEO", value="Mia Li"),
    ])  # fmt: skip

    assert 1 == len(check_facts(text, table).findings)

"""200 leaks planted in a training part: 20 cases, each in ten other forms."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

COMPANIES = (
    "Apple", "Amazon", "Siemens", "Toyota", "Novartis", "Unilever", "Samsung", "Nestle", "Airbus",
    "Shell",
)  # fmt: skip
_TRILLIONS = re.compile(r"\$(\d+\.\d)T")

CASES = [
    f"Was {name}'s market cap ${n / 10 + 1:.1f}T in Q{n % 4 + 1} 202{n % 6}, and what did its"
    " rivals lose, gain and keep?"
    for n, name in enumerate(COMPANIES)
] + [
    f"List the {n + 3:,} offices of {name} in Oslo, Lima and Cairo as of 2025-0{n % 9 + 1}-15, with"
    f" rents above ${n + 1},500,000."
    for n, name in enumerate(COMPANIES)
]


def _lists(text: str, random: Random) -> str:
    for listed in ("lose, gain and keep", "Oslo, Lima and Cairo"):
        words = listed.replace(" and ", ", ").split(", ")
        random.shuffle(words)
        text = text.replace(listed, f"{words[0]}, {words[1]} and {words[2]}")
    return text


def _numerals(text: str, random: Random) -> str:
    forms = ("{} trillion dollars", "USD {} trillion", "{}T", "US${} tn", "{}e12")
    text = _TRILLIONS.sub(lambda found: random.choice(forms).format(found[1]), text)
    text = re.sub(r"\$(\d+),500,000", r"$\1.5 million", text)
    return re.sub(r"2025-0(\d)-15", lambda found: _day(found[1]), text)


def _day(month: str) -> str:
    months = "January February March April May June July August September".split()
    return f"{months[int(month) - 1]} 15, 2025"


def _spaces(text: str, random: Random) -> str:
    return "".join(random.choice(("  ", "\n", "\u00a0", "\t")) if c == " " else c for c in text)


PARAPHRASES: dict[str, Callable[[str, Random], str]] = {
    "the same": lambda text, _: text,
    "upper case": lambda text, _: text.upper(),
    "lower case": lambda text, _: text.lower(),
    "punctuation": lambda text, _: re.sub(r"[?,](?!\d)", " -", text.rstrip(".")) + " ...",
    "whitespace": _spaces,
    "order of lists": _lists,
    "numerals": _numerals,
    "all of them": lambda text, random: (
        _spaces(_numerals(_lists(text, random), random), random).rstrip("?.").upper()
    ),
    "within a longer text": lambda text, _: f"Dear colleague: {text} Thank you for the answer!",
    "a letter off": lambda text, _: text.replace("market", "markt").replace("offices", "ofices"),
}


def plant_leaks(seed: int = 6) -> list[tuple[str, int, str]]:
    """Return the kind of paraphrase, the place of its case, and the text, of each leak."""
    random = Random(seed)
    return [
        (kind, place, paraphrase(case, random))
        for kind, paraphrase in PARAPHRASES.items()
        for place, case in enumerate(CASES)
    ]


def harmless(seed: int = 7, count: int = 1_000) -> list[str]:
    """Return questions of the same kinds about other entities, periods and values."""
    random = Random(seed)
    others = "Renault Danone Sony Philips Bosch Nokia Ikea Lego Fiat Puma".split()
    return [
        f"What was {random.choice(others)}'s market cap in Q{random.randint(1, 4)} 20"
        f"{random.randint(10, 19)}, and who kept ${random.randint(10, 99) / 10}T?"
        if n % 2
        else f"List the {random.randint(40, 900)} shops of {random.choice(others)} in Rome, Bonn"
        f" and Kyiv as of 2024-0{random.randint(1, 9)}-0{random.randint(1, 9)}."
        for n in range(count)
    ]

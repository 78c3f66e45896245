"""The call that is timed, and conversations of any length around it, each with ids of its own."""

from __future__ import annotations

import json
import random
from functools import cache

from abs_shield import Session

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["transaction_id", "amount"],
    "properties": {
        "transaction_id": {"type": "string", "minLength": 3, "maxLength": 64},
        "amount": {"type": "number", "maximum": 100_000},
        "date": {"type": "string", "format": "date"},
        "customer": {"type": "string"},
        "reason": {"type": "string", "maxLength": 500},
    },
}
ARGUMENTS = {
    "transaction_id": "tx_12345",
    "amount": 20.0,
    "date": "2026-05-20",
    "customer": "Mia Li",
    "reason": "it arrived broken",
}
ONE_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id"],
    "properties": {"id": {"type": "string"}},
}
ONE = {"id": "tx_12345"}
_STEMS = "or ta mi sel von kar del is un pre ar con ter ex de men tal ver lo ri".split()
_WORDS = 1_500


@cache
def words() -> tuple[tuple[str, ...], tuple[float, ...]]:
    """A made-up vocabulary, and how often each word is used: the n-th as 1/n, as in languages."""
    dice = random.Random(7)
    vocabulary: dict[str, None] = {}
    while len(vocabulary) < _WORDS:
        vocabulary["".join(dice.choices(_STEMS, k=dice.randint(1, 4)))] = None
    return tuple(vocabulary), tuple(1 / n for n in range(1, _WORDS + 1))


def prose(length: int, dice: random.Random) -> str:
    """Running text of so many words."""
    vocabulary, often = words()
    chosen = dice.choices(vocabulary, often, k=length)
    return " ".join(word + "." * (n % 11 == 10) for n, word in enumerate(chosen))


def result(n: int, dice: random.Random) -> str:
    """Return a tool's result as JSON: ids, a name, a mail address, a date, a sum and a note."""
    vocabulary, often = words()
    first, last = dice.choices(vocabulary, often, k=2)
    record = {
        "order_id": f"ord_{n:06}",
        "customer": f"{first.title()} {last.title()}",
        "email": f"{first}.{last}{n}@shop.example",
        "placed": f"2026-{n % 12 + 1:02}-{n % 28 + 1:02}",
        "total": n % 500 + 0.5,
        "items": [{"sku": f"SKU-{n % 400:04}-{colour}", "count": 1} for colour in ("red", "blue")],
        "note": prose(20, dice),
    }
    return json.dumps(record)


def talk(session: Session, messages: int) -> int:
    """Have so many messages said in *session*; give how many characters they were."""
    dice = random.Random(3)
    size = 0
    session.system("You are a shop's assistant. Look an order up before you change it.")
    for n in range(messages // 2):
        question = f"Please look at order ord_{n:06} for me. {prose(12, dice)}"
        returned = result(n, dice)
        session.user(question)
        session.tool_result("get_order", returned)
        size += len(question) + len(returned)
    session.user("Please refund tx_12345 for Mia Li, 20 dollars, bought on 20 May 2026.")
    return size

"""What the provenance index costs, as ratios of one run: ``python benchmarks/provenance.py``."""

from __future__ import annotations

import json
import random
import re
import sys
from statistics import median
from time import perf_counter
from typing import Any

from abs_shield import Session, Shield, Tool, ToolCall, shield
from abs_shield.session import Limits

_WORD = re.compile(r"\w+")
_ROOMY = Limits(keys=2_000_000)
_PARAMETERS = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}},
}


def prose(characters: int, *, seed: int = 7) -> str:
    """Make running text with an id in every twentieth word."""
    dice = random.Random(seed)
    said: list[str] = []
    size = 0
    while size < characters:
        word = "".join(dice.choices("etaoinshrdlu", k=dice.randint(2, 9)))
        if dice.random() < 0.05:
            word = f"ORD-{dice.randint(10_000, 99_999)}"
        said.append(word)
        size += len(word) + 1
    return " ".join(said)


def session_of(messages: int, *, characters: int = 200) -> Session:
    """Give a session of so many results."""
    session = Session(limits=_ROOMY)
    session.user("Please refund ORD-1234567.")
    for n in range(messages):
        session.tool_result("look", {"id": f"it-{n:06}", "text": prose(characters, seed=n)})
    return session


def microseconds(action: Any, *, times: int = 300) -> list[float]:
    """Time one action again and again."""
    spent = []
    for _ in range(times):
        start = perf_counter()
        action()
        spent.append((perf_counter() - start) * 1e6)
    return sorted(spent)


def indexing() -> dict[str, float]:
    """Indexing of a message over a bare search for its words; twice the text over once."""
    once, twice = prose(100_000), prose(200_000)

    def took(text: str) -> float:
        return min(microseconds(lambda: Session(limits=_ROOMY).user(text), times=7))

    bare = min(microseconds(lambda: _WORD.findall(once), times=7))
    return {
        "over a bare search for words": round(took(once) / bare, 2),
        "twice the text over once": round(took(twice) / took(once), 2),
    }


def checking() -> dict[str, float]:
    """A check in a long session over one in a short session; a finding in 1 MB of text."""
    firewall = Shield(
        shield.configure(
            mode="audit",
            layers=["phantom_target"],
            tools=[Tool(name="refund", parameters=_PARAMETERS)],
        ),
        hooks=None,
    )

    def check(session: Session, order_id: str) -> Any:
        call = ToolCall("refund", {"order_id": order_id, "amount": 5})
        return lambda: firewall.check_call(call, session=session)

    short, long = session_of(100), session_of(10_000)
    large = session_of(1_000, characters=1_000)
    hit = [median(microseconds(check(s, "ORD-1234567"))) for s in (short, long)]
    miss = microseconds(check(large, "ORD-12345678"), times=1_000)
    return {
        "hit at message 10,000 over message 100": round(hit[1] / hit[0], 2),
        "hit, us": round(hit[0], 1),
        "finding in 1 MB, us, median": round(median(miss), 1),
        "finding in 1 MB, us, p99": round(miss[989], 1),
    }


def memory() -> dict[str, float]:
    """Bytes that an index keeps for each byte that it has seen, and for an empty session."""
    import tracemalloc

    tracemalloc.start()
    empty = tracemalloc.get_traced_memory()[0]
    sessions = [Session() for _ in range(100)]
    each = (tracemalloc.get_traced_memory()[0] - empty) / 100
    before = tracemalloc.get_traced_memory()[0]
    kept = session_of(2_000)
    seen = 2_000 * 200
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    del sessions, kept
    return {"bytes a byte seen": round(grown / seen, 2), "bytes of an empty session": round(each)}


def main() -> None:
    """Print one JSON object."""
    report = {"indexing": indexing(), "checking": checking(), "memory": memory()}
    json.dump(report, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()

"""Cost of filling and searching a session: ``python benchmarks/overhead_session.py``."""

from __future__ import annotations

import json
import random
import re
import tracemalloc
from collections.abc import Sequence
from statistics import median
from time import perf_counter_ns
from typing import Any

from command_line import announce, command_parser
from overhead_talk import ONE_SCHEMA, prose, talk

from abs_shield import Session, Shield, Tool, ToolCall, Verdict, shield
from abs_shield.session import Limits

_WORD = re.compile(r"\w+")
_CHARACTERS = 100_000
_UNIQUE = "etaoinshrdlu"


ROUNDS = 15
MESSAGES, QUICK_MESSAGES = 10_000, 1_000


def measure(
    *, rounds: int = ROUNDS, messages: int = MESSAGES, traced: int | None = None
) -> dict[str, Any]:
    """
    Measure what a session costs.

    Args:
        rounds: How often a text is indexed.
        messages: How many a long session has.
        traced: How many the longest session has whose memory is measured; *messages* where None.

    Returns:
        Indexing over a bare search for the words of the same text; bytes kept for each byte
        seen, and of an empty session; microseconds of a finding in 1 MB of conversation.
    """
    announce("indexing texts")
    indexing = {
        "running text with ids": _indexing(_sample_text(_CHARACTERS), rounds=rounds),
        "no word twice": _indexing(_no_word_twice(_CHARACTERS), rounds=rounds),
        "short text twice": _growth(rounds=rounds),
    }
    announce("measuring the memory of sessions")
    longest = messages if traced is None else traced
    memory = _memory([max(2, longest // part) for part in (100, 10, 1)])
    announce("searching a long session")
    finding = _finding(messages * 2 // 5)
    return {"indexing_over_findall": indexing, "memory": memory, "finding": finding}


def _sample_text(characters: int) -> str:
    dice = random.Random(5)
    words: list[str] = []
    size = n = 0
    while size < characters:
        words.append(f"{prose(12, dice)} Order ORD-{n:05} of 2026-05-{n % 28 + 1:02}.")
        size += len(words[-1]) + 1
        n += 1
    return " ".join(words)


def _no_word_twice(characters: int) -> str:
    """Words of random letters, an id in every twentieth: the worst that an index can meet."""
    dice = random.Random(7)
    words: list[str] = []
    size = 0
    while size < characters:
        word = "".join(dice.choices(_UNIQUE, k=dice.randint(2, 9)))
        words.append(f"ORD-{dice.randint(10_000, 99_999)}" if dice.random() < 0.05 else word)
        size += len(words[-1]) + 1
    return " ".join(words)


def _indexing(text: str, *, rounds: int) -> float:
    indexed, bare = [], []
    for _ in range(rounds):
        bare.append(_took_us(lambda: _WORD.findall(text)))
        indexed.append(_took_us(lambda: Session().user(text)))
    return round(median(indexed) / median(bare), 2)


def _growth(*, rounds: int) -> float:
    text = _sample_text(_CHARACTERS)
    once = [_took_us(lambda: Session().user(text[: _CHARACTERS // 2])) for _ in range(rounds)]
    twice = [_took_us(lambda: Session().user(text)) for _ in range(rounds)]
    return round(median(twice) / median(once), 2)


def _memory(lengths: Sequence[int]) -> dict[str, float]:
    """Bytes that a session keeps for each byte it has seen, and bytes of an empty one."""
    talk(Session(), 10)  # tables that all sessions share, and the words of the conversations
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    empty = [Session() for _ in range(200)]
    memory = {"of an empty session": (tracemalloc.get_traced_memory()[0] - before) / len(empty)}
    for messages in lengths:
        before = tracemalloc.get_traced_memory()[0]
        session = Session()
        size = talk(session, messages)
        used = tracemalloc.get_traced_memory()[0] - before
        memory[f"a byte seen, {messages:,} messages"] = used / size
        del session
    tracemalloc.stop()
    return {name: round(size, 2) for name, size in memory.items()}


def _finding(messages: int, *, times: int = 1_000) -> dict[str, float]:
    """A phantom target with its nearest value, in 1 MB of conversation."""
    guard = Shield(
        shield.configure(
            mode="audit",
            tools=[Tool(name="get_order", parameters=ONE_SCHEMA)],
            limits=Limits(keys=1_000_000, executed=10_000),  # nothing is forgotten
        ),
        hooks=None,
    )
    session = guard.session()
    size = talk(session, messages)
    calls = iter(
        [ToolCall("get_order", {"id": f"ord_{n + messages // 2:06}"}) for n in range(times + 1)]
    )
    decision = guard.check_call(next(calls), session=session)
    assert decision.verdict is Verdict.SUSPICIOUS, decision.explain()
    assert decision.findings[0].nearest, decision.explain()
    spent = sorted(
        _took_us(lambda: guard.check_call(next(calls), session=session)) for _ in range(times)
    )
    return {
        "characters": size,
        "p50_us": round(median(spent), 1),
        "p99_us": round(spent[int(times * 0.99)], 1),
    }


def _took_us(action: Any) -> float:
    started = perf_counter_ns()
    action()
    return (perf_counter_ns() - started) / 1_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one JSON object."""
    quick = f"memory of {QUICK_MESSAGES:,} messages"
    parser = command_parser(__doc__, example="overhead_session.py --quick", quick=quick)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of the indexing")
    options = parser.parse_args(arguments)
    traced = QUICK_MESSAGES if options.quick else None
    figures = measure(rounds=options.rounds, traced=traced)
    print(json.dumps({"quick": options.quick, **figures}, indent=2))


if __name__ == "__main__":
    main()

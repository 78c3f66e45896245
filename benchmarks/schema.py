"""Time of one validation beside plain jsonschema: ``python benchmarks/schema.py``."""

from __future__ import annotations

import json
import timeit
from collections.abc import Callable
from typing import Any

import jsonschema
from command_line import announce, command_parser

from abs_shield.schema import compile_schema

SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "pattern": r"^tx_\d+$"},
        "amount": {"type": "number", "minimum": 0},
        "count": {"type": "integer"},
        "on": {"type": "string", "format": "date"},
        "kind": {"enum": ["a", "b"]},
    },
    "required": ["id"],
}
VALUE = {"id": "tx_1", "amount": 3, "count": 1, "on": "2024-05-31", "kind": "a"}
ENGINES = ("jsonschema", "pydantic-core")


def best_us(judge: Callable[[Any], bool]) -> float:
    """Return the best of seven runs of 500 judgements, in microseconds a judgement."""
    return min(timeit.repeat(lambda: judge(VALUE), number=500, repeat=7)) / 500 * 1e6


def main() -> None:
    """Print one JSON object: microseconds and ratios to plain jsonschema, of one run."""
    command_parser(__doc__, example="schema.py").parse_args()
    announce("timing the engines")
    plain = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    reference = best_us(plain.is_valid)
    report = {"plain jsonschema": {"us": round(reference, 2), "ratio": 1.0}}
    for engine in ENGINES:
        spent = best_us(compile_schema(SCHEMA, engine=engine, closed=True).accepts)
        report[engine] = {"us": round(spent, 2), "ratio": round(spent / reference, 3)}
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()

"""Honest sentences that stages hold, and faulty ones that they miss, by what each is about."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from command_line import announce, command_parser

from abs_shield.quality.consistency import contradictions
from abs_shield.quality.guardrails import ProductCatalogue, guardrail_violations
from abs_shield.quality.pii.scan import scan

_FILE = Path(__file__).with_suffix(".json")
_PARTS = ("develop", "held-out")
_DETECTED = 0.9
"""Goals: no honest sentence is held, and this share of the faulty ones is found."""


def main() -> None:
    """Print the figures of each half beside their goals."""
    parser = command_parser(__doc__, example="quality_sentences.py --show")
    parser.add_argument("--show", action="store_true", help="print the sentences misjudged")
    options = parser.parse_args()
    announce("checking sentences")
    for part in _PARTS:
        for name, check, honest, faulty in cases(part):
            held = [one for one in honest if check(one)]
            missed = [one for one in faulty if not check(one)]
            results = len(faulty) - len(missed)
            reached = not held and results >= _DETECTED * len(faulty)
            print(
                f"{name:12} {part:8} honest held {len(held)} of {len(honest)} (goal 0), faulty"
                f" found {results} of {len(faulty)} (goal >= {_DETECTED:.0%})"
                f" {'reached' if reached else 'NOT REACHED'}"
            )
            if options.show:
                print(*(f"  held: {one!r}\n" for one in held), sep="", end="")
                print(*(f"  missed: {one!r}\n" for one in missed), sep="", end="")


def cases(part: str) -> Iterator[tuple[str, Callable[[str], Any], list[str], list[str]]]:
    """Yield each check by its name, with its honest and its faulty sentences."""
    data = json.loads(_FILE.read_text(encoding="utf-8"))
    catalogue = ProductCatalogue.model_validate(data["catalogue"])
    checks: dict[str, Callable[[str], Any]] = {
        "consistency": lambda text: contradictions(text).findings,
        "financial": lambda text: guardrail_violations(text, "financial"),
        "legal": lambda text: guardrail_violations(text, "legal"),
        "product": lambda text: guardrail_violations(text, "product", catalogue=catalogue),
        "pii": scan,
    }
    sentences = data[part]
    for name, check in checks.items():
        yield name, check, sentences["honest"].get(name, []), sentences["faulty"].get(name, [])


if __name__ == "__main__":
    main()

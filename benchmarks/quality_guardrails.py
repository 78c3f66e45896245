"""Violations that guardrails find, and correct passages that they flag, in each domain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from command_line import announce, command_parser

from abs_shield.quality.guardrails import ProductCatalogue, guardrail_violations

_FILE = Path(__file__).with_suffix(".json")
_HALF = 30
"""Passages of each list that the rules were written with; the others were held out."""
_PARTS = {"develop": slice(0, _HALF), "held-out": slice(_HALF, None), "all": slice(None)}
_DETECTED, _FLAGGED = "57 of 60", "2 of 60"
"""Goals for each domain: the least found with the right rule, and the most flagged."""


def main() -> None:
    """Print the figures of each domain beside their goals."""
    parser = command_parser(__doc__, example="quality_guardrails.py --show")
    parser.add_argument("--part", choices=_PARTS, default="all")
    parser.add_argument("--show", action="store_true", help="print the passages that are misjudged")
    options = parser.parse_args()
    announce("checking passages")
    data = json.loads(_FILE.read_text(encoding="utf-8"))
    catalogue = ProductCatalogue.model_validate(data["catalogue"])
    for domain, passages in data["passages"].items():
        _measure(domain, passages, catalogue, _PARTS[options.part], options.show)


def _measure(
    domain: str, passages: Any, catalogue: ProductCatalogue, part: slice, show: bool
) -> None:
    results = flagged = 0
    for text in passages["pass"][part]:
        codes = [one.code for one in guardrail_violations(text, domain, catalogue=catalogue)]
        flagged += bool(codes)
        if codes and show:
            print(f"  flagged {codes}: {text!r}")
    for code, text in passages["break"][part]:
        codes = [one.code for one in guardrail_violations(text, domain, catalogue=catalogue)]
        results += code in codes
        if code not in codes and show:
            print(f"  missed {code}, found {codes}: {text!r}")
    broken, good = len(passages["break"][part]), len(passages["pass"][part])
    print(
        f"{domain:10} found {results} of {broken} (goal >= {_DETECTED}), "
        f"flagged {flagged} of {good} (goal <= {_FLAGGED})"
    )


if __name__ == "__main__":
    main()

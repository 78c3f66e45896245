"""Trains the lexical scorer: ``python benchmarks/train_lexical.py --data ../shared/data``."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import announce, command_parser
from grounding_data import TRAINED, corpus
from lexical_fit import fitted
from recorded_data import data_folder, labelled_answers

from abs_shield.answer.scorers.lexical.lexical_weights import SHIPPED, to_json

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "abs_shield" / "answer" / "scorers" / "lexical" / SHIPPED


def main() -> None:
    """Write the weights, and say what of."""
    parser = command_parser(__doc__, example="train_lexical.py --out weights.json")
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--out", type=Path, default=TARGET)
    options = parser.parse_args()
    folder = labelled_answers(options.data)
    announce("reading the answers and training on them")
    corpora = {name: (licence, corpus(folder, name)) for name, licence in TRAINED.items()}
    text = json.dumps(to_json(fitted(corpora)), ensure_ascii=False, indent=1)
    options.out.write_text(text + "\n", "utf-8")
    answers = sum(len(rows) for _, rows in corpora.values())
    print(f"{options.out}: {len(text):,} bytes, {answers:,} answers of {len(corpora)} corpora")


if __name__ == "__main__":
    main()

"""The faithful answers of a folder of labelled answers, for ``quality_consistency.py --data``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path


def faithful_answers(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of the file and the text of each answer that is labelled faithful."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if row["label"] == "faithful":
                    yield path.name, row["answer"]

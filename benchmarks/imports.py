"""How long imports take, in fresh processes, best of seven: ``python benchmarks/imports.py``."""

from __future__ import annotations

import json
import subprocess
import sys

CASES = {
    "nothing": "pass",
    "pydantic": "import pydantic; pydantic.BaseModel",
    "pydantic + jsonschema + opentelemetry-api": (
        "import pydantic, jsonschema; pydantic.BaseModel; from opentelemetry import trace, metrics"
    ),
    "import abs_shield": "import abs_shield",
    "Shield(configure())": (
        "from abs_shield import Shield, shield; Shield(shield.configure(mode='audit'))"
    ),
}
TIMED = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"


def best_ms(code: str) -> float:
    """Give the best of seven fresh processes, in milliseconds."""
    runs = [
        float(subprocess.check_output([sys.executable, "-c", TIMED.format(code)])) for _ in range(7)
    ]
    return round(min(runs) * 1000, 1)


def main() -> None:
    """Print one JSON object: milliseconds by case."""
    print(json.dumps({name: best_ms(code) for name, code in CASES.items()}, indent=2))


if __name__ == "__main__":
    main()

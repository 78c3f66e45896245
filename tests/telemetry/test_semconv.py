"""The names in code and in docs/telemetry.md are the same, and the docs run."""

from __future__ import annotations

import re
from pathlib import Path

from abs_shield.telemetry import semconv

PAGE = (Path(__file__).parents[2] / "docs" / "telemetry.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (span|event|metric|label|attribute) \| `([^`]+)` \| \S.* \|$", re.MULTILINE)
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_docs_list_every_name_of_the_code():
    """Each name has a row in the docs, and each row a name in the code."""
    named = [
        (constant.partition("_")[0].lower(), value)
        for constant, value in vars(semconv).items()
        if constant.isupper() and not constant.startswith("VALUE_")
    ]

    assert sorted(named) == sorted(ROW.findall(PAGE))


def test_the_docs_run():
    """The python blocks run in order, in one namespace, and their assertions hold."""
    names: dict[str, object] = {}

    for block in BLOCKS:
        exec(compile(block, "docs/telemetry.md", "exec"), names)

    assert (len(BLOCKS), "span" in names) == (2, True)

"""Extension of mkdocstrings: examples of the interpreter in docstrings are blocks of code."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!\s*$).*\n?)*)+", re.MULTILINE)


class FencedExamples(griffe.Extension):
    """Put fences around the lines from ``>>>`` to the next empty line."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of one object."""
        if obj.docstring and ">>> " in obj.docstring.value:
            text = obj.docstring.value
            obj.docstring.value = _EXAMPLE.sub(
                lambda example: f"```pycon\n{example[0].rstrip()}\n```\n", text
            )

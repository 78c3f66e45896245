"""Options of the rule that decides when a layer is safe to enforce, with its defaults."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from abs_shield.report import Readiness

DEFAULT_RULE = Readiness()
"""The rule whose numbers are the defaults of the options."""


def _share(help: str) -> Any:
    return typer.Option(metavar="SHARE", min=0.0, max=1.0, help=help)


def _count(help: str) -> Any:
    return typer.Option(metavar="N", min=0, help=help)


MinCalls = Annotated[int, _count("Safe: minimum number of judged calls.")]
MaxErrors = Annotated[float, _share("Safe: maximum share of calls it failed to judge.")]
MinLabels = Annotated[int, _count("Safe: minimum number of labelled blocks.")]
MaxStops = Annotated[float, _share("Safe: maximum share of blocks not labelled hallucinated.")]
MinPrecision = Annotated[float, _share("Safe: labelled precision that is sufficient alone.")]
MaxDropped = Annotated[float, _share("Safe: maximum share of decisions missing from the log.")]
MinCoverage = Annotated[float, _share("Coverage below which a layer's blind spots are listed.")]

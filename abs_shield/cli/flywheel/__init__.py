"""`abs-shield flywheel`: catches of the decision log become training data, step by step."""

from __future__ import annotations

import typer

from abs_shield.cli.flywheel import curate, harvest, status

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Harvest the decision log, and curate what it caught.",
    epilog="Example: abs-shield flywheel harvest decisions.db --book flywheel.db",
)
for part in (status, harvest, curate):
    app.command(part.__name__.rpartition(".")[2], epilog=part.EXAMPLE)(part.command)

"""`abs-shield flywheel`: catches of the decision log become training data, step by step."""

from __future__ import annotations

import typer

from abs_shield.cli.flywheel import curate, evaluate, harvest, mutate, promote, rollback, status

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Turn what the decision log caught into training data and better versions.",
    epilog="Example: abs-shield flywheel harvest decisions.db --book flywheel.db",
)
for part in (status, harvest, curate, mutate, evaluate, promote, rollback):
    app.command(part.__name__.rpartition(".")[2], epilog=part.EXAMPLE)(part.command)

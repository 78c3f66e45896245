"""`abs-shield flywheel`: turn catches of the decision log into training data."""

from __future__ import annotations

import typer

from abs_shield.cli.flywheel import (
    curate_command,
    evaluate_command,
    harvest_command,
    mutate_command,
    promote_command,
    rollback_command,
    status_command,
)

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Turn findings of the decision log into training data and better versions.",
    epilog="Example: abs-shield flywheel harvest decisions.db --book flywheel.db",
)
for name, module in {
    "status": status_command,
    "harvest": harvest_command,
    "curate": curate_command,
    "mutate": mutate_command,
    "evaluate": evaluate_command,
    "promote": promote_command,
    "rollback": rollback_command,
}.items():
    app.command(name, epilog=module.EXAMPLE)(module.command)

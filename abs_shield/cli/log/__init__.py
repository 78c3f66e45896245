"""`abs-shield log`: the decision log verified, exported and pruned."""

from __future__ import annotations

import typer

from abs_shield.cli.log import export, prune, verify

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Verify, export or prune the decision log.",
    epilog="Example: abs-shield log verify decisions.db",
)
for part in (verify, export, prune):
    app.command(part.__name__.rpartition(".")[2], epilog=part.EXAMPLE)(part.command)

"""`abs-shield log`: the decision log verified, exported and pruned."""

from __future__ import annotations

import typer

from abs_shield.cli.log import export_command, prune_command, verify_command

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Verify, export or prune the decision log.",
    epilog="Example: abs-shield log verify decisions.db",
)
for name, module in {
    "verify": verify_command,
    "export": export_command,
    "prune": prune_command,
}.items():
    app.command(name, epilog=module.EXAMPLE)(module.command)

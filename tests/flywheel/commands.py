"""The commands of the second half, whether or not the others are there."""

from __future__ import annotations

from importlib import import_module

import typer
from typer.testing import CliRunner, Result

PARTS = ("mutate", "evaluate", "promote", "rollback")


def run(*words: str) -> Result:
    """Run `abs-shield flywheel` with these words."""
    app = typer.Typer()
    for name in PARTS:
        module = import_module(f"abs_shield.cli.flywheel.{name}_command")
        app.command(name, epilog=module.EXAMPLE)(module.command)
    return CliRunner().invoke(app, [*words])

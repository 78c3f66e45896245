"""`abs-shield flywheel rollback`: the version in use is taken back by one step."""

from __future__ import annotations

from typing import Annotated

import typer

from abs_shield.cli.console import open_console, safe
from abs_shield.cli.flywheel.book_option import DEFAULT, BookFile, require_book
from abs_shield.cli.shared_options import AuthorName, user_name
from abs_shield.flywheel.version_registry import VersionRegistry

EXAMPLE = (
    "Example: abs-shield flywheel rollback prompts/support.txt"
    ' --reason "legal citations became worse"'
)


def command(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The target, as in `promote`.")],
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="The reason, in one line; it is recorded.")
    ],
    by: AuthorName = None,
    book: BookFile = DEFAULT,
) -> None:
    """
    Return to the version before: it is in use again, and the gap is open again.

    Exits with 0, and with 2 if no version is in use.
    """
    version = VersionRegistry(require_book(book)).rollback(target, reason=reason, by=user_name(by))
    now = "what was in use before the first" if version is None else f"version {version.number}"
    where = target if version is None else version.location
    open_console().print_line(safe(f"{target}: {now} is in use again: {where}"))

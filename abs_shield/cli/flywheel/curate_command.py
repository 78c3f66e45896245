"""`abs-shield flywheel curate`: group catches into gaps to accept or reject."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Annotated

import typer

from abs_shield.cli.console import open_console
from abs_shield.cli.flywheel.book_option import DEFAULT, BookFile, gap_table, require_book
from abs_shield.cli.flywheel.gap_questions import ask
from abs_shield.cli.label.label_author import AuthorName, user_name
from abs_shield.cli.output_file import open_output
from abs_shield.cli.usage_errors import BadInput
from abs_shield.flywheel.curate import curate, examples_of
from abs_shield.flywheel.gap import Gap, GapState
from abs_shield.flywheel.review import Mistake, mistakes_of, not_applied, review
from abs_shield.flywheel.review_file import parse_reviews, render_json, render_markdown
from abs_shield.text.safe_display import escaped, quantity

EXAMPLE = "Example: abs-shield flywheel curate --book flywheel.db --export gaps.md"
_JSON, _MARKDOWN = (".json",), (".md", ".markdown")


def command(
    book: BookFile = DEFAULT,
    export: Annotated[
        str | None,
        typer.Option("--export", metavar="FILE", help="Write the open gaps: gaps.md or gaps.json."),
    ] = None,
    import_: Annotated[
        str | None,
        typer.Option("--import", metavar="FILE", help="Apply the decisions of such a file."),
    ] = None,
    by: AuthorName = None,
    why: Annotated[str, typer.Option(metavar="TEXT", help="The reason if a file gives none.")] = "",
) -> None:
    """
    Group the catches into gaps, and ask about each open gap: accept, reject or merge.

    Only accepted gaps go on to training. With --export the open gaps are written to a file with
    check boxes instead, and with --import the decisions of that file are applied, all or none.

    Exits with 0, and with 2 for bad input.
    """
    if export is not None and import_ is not None:
        raise BadInput("give `--export` or `--import`, not both")
    gaps = curate(require_book(book))
    still_open = [gap for gap in gaps if gap.state is GapState.OPEN]
    if export is not None:
        _write(export, still_open, book)
    elif import_ is not None:
        _read(import_, gaps, book, by=user_name(by), why=why)
    else:
        if gaps:
            open_console().print(gap_table(gaps))
        ask(book, still_open, by=user_name(by))


def _is_json(path: str, option: str) -> bool:
    suffix = PurePath(path).suffix.lower()
    if suffix not in _JSON + _MARKDOWN:
        file = escaped(path, limit=300)
        raise BadInput(f"`{option}`: {file} ends with neither .md nor .json; name gaps.md")
    return suffix in _JSON


def _write(path: str, gaps: list[Gap], book: str) -> None:
    form = render_json if _is_json(path, "--export") else render_markdown
    text = form(gaps, examples_of(book, gaps))
    # catches quote values of the log
    with open_output(path, inputs=[book], option="--export", private=True) as file:
        file.write(text.encode())
    print(f"{quantity(len(gaps), 'open gap')} written to {path}", file=sys.stderr)


def _read(path: str, gaps: Iterable[Gap], book: str, *, by: str, why: str) -> None:
    is_json = _is_json(path, "--import")
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")  # editors may add a BOM
    except UnicodeDecodeError:
        raise BadInput(f"{path}: it is not text in UTF-8; export the gaps again") from None
    decisions = parse_reviews(text, is_json=is_json, by=by, why=why)
    wrong = mistakes_of(decisions.reviews, {gap.id: gap for gap in gaps})
    mistakes = [
        *decisions.mistakes,
        *(Mistake(decisions.lines[n], message) for n, message in wrong),
    ]
    for line, message in sorted(mistakes):
        print(escaped(f"{path}:{line}: {message}", limit=1_000), file=sys.stderr)
    # all or none: a file that is applied in part cannot be corrected and applied again
    if mistakes:
        raise BadInput(f"{path}: {quantity(len(mistakes), 'mistake')}; nothing was applied")
    new = review(book, not_applied(book, decisions.reviews))
    print(f"{quantity(len(decisions.reviews), 'decision')} read: {new:,} new")

"""`abs-shield flywheel curate`: group catches into gaps to accept or reject."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Annotated

import typer

from abs_shield.cli.console import PlainConsole, open_console, safe
from abs_shield.cli.flywheel.book_option import DEFAULT, BookFile, gap_table, require_book
from abs_shield.cli.output_file import open_output
from abs_shield.cli.shared_options import AuthorName, user_name
from abs_shield.cli.usage_errors import BadInput
from abs_shield.errors import StoreError
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.curate import curate, examples_of
from abs_shield.flywheel.gap import Gap, GapState
from abs_shield.flywheel.review import Choice, Mistake, Review, mistakes_of, not_applied, review
from abs_shield.flywheel.review_file import (
    example_of,
    parse_reviews,
    render_json,
    render_markdown,
    summary_of,
)
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import escaped, quantity

_SKIP, _QUIT = "skip", "quit"
_ANSWERS = {
    "a": Choice.ACCEPT, "r": Choice.REJECT, "m": Choice.MERGE, "s": _SKIP, "q": _QUIT,
}  # fmt: skip


def ask(book: str, gaps: Sequence[Gap], *, by: str) -> None:
    """
    Ask about gaps, and apply each decision before the next question.

    The end of the input, or Ctrl-C, ends the questions; earlier decisions stay.

    Args:
        book: The flywheel's file.
        gaps: The open gaps.
        by: Who decides.
    """
    console, waiting = open_console(), len(gaps)
    examples = examples_of(book, gaps)
    try:
        for number, gap in enumerate(gaps, 1):
            console.print(f"\n{number} of {len(gaps)}: {gap.id}")
            console.print_line(safe(gap.title))
            console.print_line(safe(summary_of(gap), limit=1_000))
            for catch in examples.get(gap.id, ()):
                console.print_line(safe(f"  {example_of(catch)}"))
            answer = _answer(console)
            guess = _suggestion(examples.get(gap.id, ()))
            while answer in [*Choice] and not _decide(
                console, book, Review(gap=gap.id, choice=Choice(answer), by=by, why=""), guess
            ):
                answer = _answer(console)
            if answer == _QUIT:
                break
            waiting -= answer != _SKIP
    except (typer.Abort, EOFError):
        console.print()
    if waiting:
        gaps_wait = "1 open gap waits" if waiting == 1 else f"{waiting:,} open gaps wait"
        console.print(f"{gaps_wait} for a decision; only accepted gaps are used")


def _answer(console: PlainConsole) -> str:
    while True:
        text = typer.prompt("accept, reject, merge, skip or quit?", default=_SKIP).strip().lower()
        if text in _ANSWERS:
            return str(_ANSWERS[text])
        if text in _ANSWERS.values():
            return str(text)
        words = [str(word) for word in _ANSWERS.values()]
        console.print(suggest_name(text, words, otherwise="write one of the five words"))


def _suggestion(catches: Sequence[Catch]) -> str:
    """Return a suggested right answer if no check verified one; else an empty text."""
    guesses = [one.suggested_value for one in catches if one.suggested_value]
    return guesses[0] if guesses and not any(one.verified_value for one in catches) else ""


def _decide(console: PlainConsole, book: str, new: Review, guess: str) -> bool:
    """Ask for the details of a decision, and apply it; return whether that succeeded."""
    into, right = "", ""
    if new.choice is Choice.MERGE:
        into = typer.prompt("merge into which gap (its id)?").strip()
    why = typer.prompt("why?")
    if new.choice is Choice.ACCEPT and guess:
        question = f"right answer, if you know it (suggested: {safe(guess)})?"
        right = typer.prompt(question, default="", show_default=False)
    try:
        review(book, [replace(new, into=into, why=why, right_answer=right)])
    except StoreError as error:
        # a mistake costs one question, not the session
        console.print_line(safe(error, limit=1_000))
        return False
    return True


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

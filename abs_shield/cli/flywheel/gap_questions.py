"""Questions in the terminal about one gap after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import typer

from abs_shield.cli.console import PlainConsole, open_console, safe
from abs_shield.errors import StoreError
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.curate import examples_of
from abs_shield.flywheel.gap import Gap
from abs_shield.flywheel.review import Choice, Review, review
from abs_shield.flywheel.review_file import example_of, summary_of
from abs_shield.text.nearest import nearest

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
        near = nearest(text, [str(word) for word in _ANSWERS.values()])
        console.print(f"did you mean `{near[0]}`?" if near else "write one of the five words")


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

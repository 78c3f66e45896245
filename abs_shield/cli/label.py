"""`abs-shield label`: an operator says what a decision's subject really was."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterable
from pathlib import Path
from time import time
from typing import Annotated

import typer
from rich.text import Text

from abs_shield.cli.exported import export
from abs_shield.cli.faults import BadInput
from abs_shield.cli.log.opened import files_of, opened
from abs_shield.cli.screen import STYLES, line, safe, screen
from abs_shield.core import Decision, Verdict
from abs_shield.core.label import Label, Truth
from abs_shield.errors import StoreError
from abs_shield.stores.durable import DurableStore
from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped

app = typer.Typer(add_completion=False, rich_markup_mode=None)
_NOTE = 1_000


@app.command(epilog="Example: abs-shield label 0192f3c1 hallucinated --note 'no such order'")
def label(
    decision: Annotated[
        str | None, typer.Argument(metavar="[DECISION]", help="The decision's id.")
    ] = None,
    truth: Annotated[
        str | None,
        typer.Argument(metavar="[hallucinated|ok]", help="What its call really was."),
    ] = None,
    db: Annotated[
        str | None,
        typer.Option(help="A SQLite file or postgresql://; else ABS_SHIELD_LOG, or your own log."),
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who says so; else your user name.")
    ] = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="Why, in one line.")] = "",
    from_: Annotated[
        str | None,
        typer.Option("--from", metavar="FILE", help="Many: lines `DECISION TRUTH`; - for stdin."),
    ] = None,
    export_: Annotated[
        str | None,
        typer.Option("--export", metavar="FILE", help="Write all labels as JSONL; - for stdout."),
    ] = None,
) -> None:
    """
    Say whether a decision's call was hallucinated or ok, whatever the shield said of it.

    The newest label of a decision holds. Labels feed `abs-shield report`. Exits with 0, and with 2
    for bad input, or where a line of --from could not be used.
    """
    _require_one_task(decision, truth, from_, export_)
    with opened(db) as store:
        if export_ is not None:
            export(store, export_, inputs=files_of(db))
        elif from_ is not None:
            raise typer.Exit(_many(store, from_, by=user_name(by), note=note))
        elif decision is not None and truth is not None:
            screen().print(
                _labelled(store, decision, _truth(truth), by=user_name(by), note=note),
                soft_wrap=True,
            )


def _require_one_task(
    decision: str | None, truth: str | None, from_: str | None, export_: str | None
) -> None:
    tasks = (decision is not None) + (from_ is not None) + (export_ is not None)
    if tasks != 1:
        raise BadInput("give a DECISION and its truth, or `--from FILE`, or `--export FILE`")
    if decision is not None and truth is None:
        raise BadInput(
            f"what was `{escaped(decision)}`? write `abs-shield label DECISION hallucinated`, or ok"
        )


def _truth(word: str) -> Truth:
    try:
        return Truth(word.lower())
    except ValueError:
        near = nearest(word, [*Truth])
        hint = f"did you mean `{near[0]}`?" if near else "it is `hallucinated` or `ok`"
        raise BadInput(f"there is no truth `{escaped(word)}`; {hint}") from None


def user_name(by: str | None) -> str:
    """Return who decides: the name that is given, else the user's; empty without one."""
    if by is not None:
        return by
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name
        return ""


def _labelled(store: DurableStore, decision_id: str, truth: Truth, *, by: str, note: str) -> Text:
    """Keep one label; give the line that says what was labelled."""
    decision = store.get(decision_id)
    if decision is None:
        raise StoreError(
            f"no decision `{escaped(decision_id)}` is kept; `abs-shield report` names some, and"
            " every log line of a decision has its id"
        )
    told = Label(decision_id=decision.id, truth=truth, at=time(), by=by[:_NOTE], note=note[:_NOTE])
    store.label(told)
    return _said(decision, truth)


def _said(decision: Decision, truth: Truth) -> Text:
    checks = dict.fromkeys(f.check for f in decision.findings if f.weighs)
    return line(
        safe(decision.id, limit=80), f" is labelled {truth}: ", str(decision.subject),
        safe(f" {decision.tool}" if decision.tool else "", limit=80), ", ",
        safe(decision.verdict, style=STYLES[decision.verdict]),
        safe(f" by {', '.join(checks)}" if checks else ""),
        _comment(decision, truth),
    )  # fmt: skip


def _comment(decision: Decision, truth: Truth) -> str:
    flagged = decision.verdict is not Verdict.CLEAN
    if truth is Truth.HALLUCINATED and not flagged:
        return "; every layer missed it"
    return "; a false alarm" if flagged and truth is Truth.OK else ""


def _many(store: DurableStore, path: str, *, by: str, note: str) -> int:
    """Label line by line; give the exit code: 2 where a line could not be used."""
    console, bad = screen(), 0
    for number, text in enumerate(_lines(path), 1):
        words = text.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            if len(words) != 2:
                raise BadInput("write a decision's id and its truth")
            console.print(
                _labelled(store, words[0], _truth(words[1]), by=by, note=note), soft_wrap=True
            )
        except (BadInput, StoreError) as error:
            bad += 1
            print(escaped(f"{path}:{number}: {error}", limit=1_000), file=sys.stderr)
    return 2 if bad else 0


def _lines(path: str) -> Iterable[str]:
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    try:
        return data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise BadInput(f"{path}: it is no text in UTF-8") from None

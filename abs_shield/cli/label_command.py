"""`abs-shield label`: label decisions as hallucinated or ok, and export the labels."""

from __future__ import annotations

import json
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from abs_shield.cli.console import STYLES, line, open_console, safe, with_progress
from abs_shield.cli.decision_details import Excerpts
from abs_shield.cli.input_warnings import LineErrors
from abs_shield.cli.label_queue import LabelQueue
from abs_shield.cli.labeling import LabelingSession
from abs_shield.cli.log.decision_lookup import (
    DamagedRecords,
    describe_missing,
    find_decision,
    length,
)
from abs_shield.cli.output_file import open_output
from abs_shield.cli.shared_options import (
    AuthorName,
    DatabaseOption,
    LabelAuthor,
    RecordedRuns,
    files_of,
    open_log,
    user_name,
)
from abs_shield.cli.usage_errors import BadInput
from abs_shield.core import LAYER_NAMES, Decision, Subject, Verdict
from abs_shield.core.label import Truth
from abs_shield.errors import StoreError
from abs_shield.replay.file_lines import BadLine
from abs_shield.report import Readiness
from abs_shield.stores.durable_store import DurableStore
from abs_shield.stores.record_bodies import Skipped
from abs_shield.stores.sealed_record import Damaged
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped, quantity


def export_labels(
    store: DurableStore, path: str, *, skipped: Skipped, inputs: Iterable[str] = ()
) -> None:
    """
    Write a line for each labelled call: ``{session_id, run_id, call_id, decision_id, label}``.

    A call without an id is written under its decision's id, as in recorded runs.

    Args:
        store: The decision log.
        path: The file, which appears when it is complete; ``-`` is the standard output.
        skipped: Called with the error of each unreadable record, which is left out.
        inputs: Input files, which must not be overwritten.
    """
    unmatched: list[str] = []
    lines = (json.dumps(entry) + "\n" for entry in _labelled(store, unmatched, skipped))
    with open_output(None if path == "-" else path, inputs=inputs, option="--export") as file:
        for line in lines:
            file.write(line.encode())
    if unmatched:
        print(
            f"{quantity(len(unmatched), 'label')} left out: the decision is no longer kept, or is"
            " not about a call",
            file=sys.stderr,
        )


def _labelled(
    store: DurableStore, unmatched: list[str], skipped: Skipped
) -> Iterator[dict[str, Any]]:
    for label in store.labels(skipped=skipped).values():
        try:
            decision = store.get(label.decision_id)
        except Damaged as error:
            skipped(error)
            continue
        if decision is None or decision.subject is not Subject.CALL:
            unmatched.append(label.decision_id)
            continue
        yield {
            "session_id": decision.session_id,
            "run_id": decision.run_id,
            "call_id": decision.call_id or decision.id,
            "decision_id": decision.id,
            "label": label.truth.value,
        }


app = typer.Typer(add_completion=False, rich_markup_mode=None)


DecisionId = Annotated[
    str | None,
    typer.Argument(metavar="[DECISION]", help="The decision's id, or a prefix of it."),
]
TruthWord = Annotated[
    str | None,
    typer.Argument(metavar="[hallucinated|ok]", help="The truth about its call."),
]
LabelNote = Annotated[str, typer.Option(metavar="TEXT", help="The reason, in one line.")]
NextOption = Annotated[
    bool, typer.Option("--next", help="Ask about the most useful decisions, one by one.")
]
OnlyCheck = Annotated[
    str | None,
    typer.Option("--layer", "--check", metavar="NAME", help="With --next: only its findings."),
]
MostDecisions = Annotated[
    int | None,
    typer.Option("--limit", metavar="N", min=1, help="With --next: maximum number of decisions."),
]
LabelLines = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="FILE", help="Many labels: lines `DECISION TRUTH`; - for stdin."
    ),
]
ExportFile = Annotated[
    str | None,
    typer.Option("--export", metavar="FILE", help="Write all labels as JSONL; - for stdout."),
]


@app.command(
    epilog="Example: abs-shield label 45b6e8a03450da6b-2fb hallucinated --note 'no such order', or"
    " one by one: abs-shield label --next --runs runs.jsonl"
)
def label(
    decision: DecisionId = None,
    truth: TruthWord = None,
    db: DatabaseOption = None,
    by: AuthorName = None,
    note: LabelNote = "",
    next_: NextOption = False,
    layer: OnlyCheck = None,
    limit: MostDecisions = None,
    runs: RecordedRuns = None,
    from_: LabelLines = None,
    export_: ExportFile = None,
) -> None:
    """
    Label a decision's call as hallucinated or ok, independently of the shield's verdict.

    The newest label of a decision applies. `abs-shield report` uses the labels. With --next, the
    decisions that determine what may be enforced come first, each with one question: press h, o,
    s (skip), u (undo) or q; if the standard input is not a terminal, each line is an answer. Exits
    with 0, and with 2 for bad input, or if a line of --from, an answer or, with --next and
    --export, a record of the log could not be used.
    """
    _require_one_task(decision, truth, next_=next_, from_=from_, export_=export_)
    if not next_:
        _require_no_next_options(layer, limit, runs)
    label_value = None if truth is None else _truth(truth)  # before the log is opened
    author = LabelAuthor(user_name(by), note)
    damaged, is_complete = DamagedRecords(), True
    with open_log(db) as store:
        if next_:
            excerpts = Excerpts(runs) if runs else None
            queue = _queue(store, layer, damaged.add)
            damaged.print_count()
            labeling = LabelingSession(store, queue, author=author, limit=limit, excerpts=excerpts)
            is_complete = labeling.run() and not (excerpts and excerpts.bad_lines)
        elif export_ is not None:
            export_labels(store, export_, skipped=damaged.add, inputs=files_of(db))
            damaged.print_count()
        elif from_ is not None:
            is_complete = _label_lines(store, from_, author)
        elif decision is not None and label_value is not None:
            target = find_decision(store, decision)
            open_console().print_line(_add_label(store, target, label_value, author))
    raise typer.Exit(0 if is_complete and not damaged.count else 2)


def _require_one_task(
    decision: str | None,
    truth: str | None,
    *,
    next_: bool,
    from_: str | None,
    export_: str | None,
) -> None:
    tasks = (decision is not None) + next_ + (from_ is not None) + (export_ is not None)
    if tasks != 1:
        raise BadInput(
            "give a DECISION and its truth, or `--next`, or `--from FILE`, or `--export FILE`"
        )
    if decision is not None and truth is None:
        raise BadInput(
            f"no label for `{escaped(decision)}`; write `abs-shield label DECISION hallucinated`, "
            "or ok"
        )


def _require_no_next_options(layer: str | None, limit: int | None, runs: list[str] | None) -> None:
    for option, value in (("--layer", layer), ("--limit", limit), ("--runs", runs)):
        if value is not None:
            raise BadInput(f"`{option}` belongs to `--next`; add that, or leave it out")


def _truth(word: str) -> Truth:
    try:
        return Truth(word.lower())
    except ValueError:
        near = nearest(word, [*Truth])
        hint = f"; did you mean `{near[0]}`?" if near else ""
        message = f"label must be `hallucinated` or `ok`, not `{escaped(word)}`{hint}"
        raise BadInput(message) from None


def _queue(store: DurableStore, layer: str | None, skipped: Skipped) -> LabelQueue:
    scanned = store.scan(skipped=skipped)
    decisions = with_progress(scanned, doing="label", total=length(store))
    labels = store.labels(skipped=skipped)
    queue = LabelQueue.of(decisions, labels, rule=Readiness(), check=layer or "")
    # layers without a finding in this log as well: their name is not a mistake
    checks = list(dict.fromkeys([*queue.checks(), *LAYER_NAMES]))
    if layer is not None and layer not in checks:
        near = nearest(layer, checks)
        hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(checks)}"
        raise BadInput(
            f"`--layer`: no check is named `{escaped(layer)}`; {escaped(hint, limit=500)}"
        )
    return queue


def _add_label(store: DurableStore, decision: Decision, truth: Truth, author: LabelAuthor) -> Text:
    """Write one label; return the line that confirms it."""
    store.label(author.label(decision.id, truth))
    return _label_line(decision, truth)


def _label_line(decision: Decision, truth: Truth) -> Text:
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


def _label_lines(store: DurableStore, path: str, author: LabelAuthor) -> bool:
    """Apply labels line by line; return whether every line could be used."""
    console, bad = open_console(), LineErrors("lines that cannot be used")
    for number, text in enumerate(_lines(path), 1):
        try:
            words = _decode(text).split()
            # blank lines and comments
            if not words or words[0].startswith("#"):
                continue
            if len(words) != 2:
                raise BadInput("write a decision's id and its truth")
            label_value = _truth(words[1])
            if (decision := store.get(words[0])) is None:  # in a file ids are whole
                raise BadInput(describe_missing(store, words[0]))
            console.print_line(_add_label(store, decision, label_value, author))
        except (BadInput, StoreError) as error:
            bad.add(BadLine(path, number, str(error)))
    bad.close()
    return not bad.count


def _decode(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"the line is not UTF-8 at byte {error.start}") from None


def _lines(path: str) -> Iterable[bytes]:
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    return data.removeprefix(BOM_UTF8).splitlines()

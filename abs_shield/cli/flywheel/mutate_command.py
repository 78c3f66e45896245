"""`abs-shield flywheel mutate`: training examples from an accepted gap."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from abs_shield.cli.flywheel.book_option import DEFAULT, BookFile, require_book
from abs_shield.cli.json_inputs import parse_json
from abs_shield.cli.output_file import open_output
from abs_shield.cli.shared_options import OutputFile
from abs_shield.cli.usage_errors import BadInput
from abs_shield.flywheel.cases import read_cases
from abs_shield.flywheel.gap import gap_with_catches
from abs_shield.flywheel.mutate import (
    FORMS,
    LeakageReport,
    Mutation,
    MutationSources,
    find_leaks,
    mutate,
    render_export,
    training_texts,
)
from abs_shield.policy.policy_loading import load
from abs_shield.quality.facts import FactTable
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import escaped, shown

EXAMPLE = (
    "Example: abs-shield flywheel mutate GAP --facts facts.csv --cases cases.jsonl --as openai"
    " --output train.jsonl"
)


def command(
    gap: Annotated[str, typer.Argument(metavar="GAP", help="Id of an accepted gap.")],
    book: BookFile = DEFAULT,
    facts: Annotated[
        str | None, typer.Option(metavar="FILE", help="Facts: .csv, .json, .sqlite or .db.")
    ] = None,
    answers: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="JSON object that maps claims to right answers."),
    ] = None,
    entities: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="JSON object of lists: subject, period, person, tool."),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(metavar="MODULE:ATTR", help="A model that writes prompts.")
    ] = None,
    cases: Annotated[
        str | None, typer.Option(metavar="FILE", help="Evaluation cases that are held out, JSONL.")
    ] = None,
    count: Annotated[int, typer.Option(metavar="N", help="How many examples, 20 to 50.")] = 30,
    seed: Annotated[int, typer.Option(metavar="N", help="The random seed.")] = 0,
    form: Annotated[
        str, typer.Option("--as", metavar="FORM", help=f"One of {', '.join(FORMS)}.")
    ] = "openai",
    system: Annotated[
        str, typer.Option(metavar="TEXT", help="The system prompt before each prompt.")
    ] = "",
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the leakage report, JSON.")
    ] = None,
    out: OutputFile = None,
) -> None:
    """
    Make 20 to 50 training examples around an accepted gap, none of them an evaluation case.

    The right answers come from --facts, from --answers, or from what a check verified.

    Exits with 0, and with 2 for bad input.
    """
    _require_form(form)  # before a model is asked, which costs time and money
    sources = MutationSources(
        facts=() if facts is None else FactTable.from_file(facts),
        answers=_object(answers, "--answers"),
        entities=_object(entities, "--entities"),
        judge=None if judge is None else load(judge),
    )
    held_out = [] if cases is None else [one.prompt for one in read_cases(_text(cases))]
    accepted, catches = gap_with_catches(require_book(book), gap)
    mutation = mutate(accepted, catches, sources, count=count, seed=seed, held_out=held_out)
    inputs = [name for name in (book, facts, answers, entities, cases) if name is not None]
    # once more over everything that is written: the proof is of the file, not of its making
    proof = find_leaks(training_texts(mutation.examples, system), held_out)
    # the system text is the last of the training texts
    if len(mutation.examples) in proof.leaked:
        raise BadInput("`--system` has an evaluation case in it; take it out")
    _write(mutation, form, system, out, inputs)
    _report(mutation, proof, report, [*inputs, *([] if out is None else [out])])


def _require_form(form: str) -> None:
    if form not in FORMS:
        hint = suggest_name(form, FORMS, otherwise=f"use {', '.join(FORMS)}")
        raise BadInput(f"`--as`: there is no form `{escaped(form)}`; {hint}")


def _write(mutation: Mutation, form: str, system: str, out: str | None, inputs: list[str]) -> None:
    with open_output(out, inputs=inputs, private=True) as sink:
        sink.write(render_export(mutation.examples, form, system=system).encode())


def _report(mutation: Mutation, proof: LeakageReport, path: str | None, inputs: list[str]) -> None:
    """Write the proof that no case is in the training part, and say what was left out."""
    if path is not None:
        with open_output(path, inputs=inputs, option="--report") as sink:
            sink.write(json.dumps(proof.to_dict(), indent=1).encode())
    print(
        f"{len(mutation.examples)} examples; left out: {mutation.duplicates} near-duplicates,"
        f" {mutation.leaks} evaluation cases, {mutation.wrong} with the model's error",
        file=sys.stderr,
    )
    print(str(proof), file=sys.stderr)
    for note in mutation.notes:
        print(escaped(note, limit=300), file=sys.stderr)


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: it is not UTF-8 at byte {error.start}; give JSON lines") from None


def _object(path: str | None, option: str) -> dict[str, Any]:
    if path is None:
        return {}
    value = parse_json(Path(path).read_bytes(), path=path)
    if not isinstance(value, dict):
        raise BadInput(f"`{option}`: {path} is {shown(value)}; give a JSON object")
    return value

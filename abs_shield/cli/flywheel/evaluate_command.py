"""`abs-shield flywheel evaluate`: a candidate and the present version on the same cases."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

from abs_shield.cli.output_file import open_output
from abs_shield.cli.shared_options import TextFormat, TextOrJson
from abs_shield.cli.usage_errors import BadInput
from abs_shield.flywheel.candidate import Candidate, Command, Endpoint, Function
from abs_shield.flywheel.cases import EvaluationCase, numbered_lines, read_cases
from abs_shield.flywheel.evaluate import Evaluation, Recommendation, evaluate
from abs_shield.flywheel.policy_candidate import PolicyCandidate, run_cases
from abs_shield.flywheel.version_comparison import Rules
from abs_shield.policy.policy_loading import load, load_policy
from abs_shield.text.safe_display import escaped, shown

EXAMPLE = (
    'Example: abs-shield flywheel evaluate cases.jsonl --candidate "python new.py" --present'
    ' "python old.py" --output evaluation.json'
)
_FROM = "A file that it is made of, if VERSION does not name it; repeatable."
_VERSION = "A command, http(s)://..., policy:MODULE:ATTR or python:MODULE:ATTR."


def command(
    files: Annotated[
        list[str], typer.Argument(metavar="CASES...", help="Cases, JSONL; run files for policies.")
    ],
    candidate: Annotated[str, typer.Option(metavar="VERSION", help=_VERSION)],
    present: Annotated[
        str, typer.Option(metavar="VERSION", help="The same, for the version in use.")
    ],
    candidate_from: Annotated[
        list[str] | None, typer.Option("--candidate-from", metavar="LOCATION", help=_FROM)
    ] = None,
    present_from: Annotated[
        list[str] | None,
        typer.Option(
            "--present-from", metavar="LOCATION", help="The same, for the version in use."
        ),
    ] = None,
    margin: Annotated[
        float, typer.Option(metavar="SHARE", help="How much worse it may be on other cases.")
    ] = 0.05,
    least_gain: Annotated[
        float, typer.Option(metavar="SHARE", help="The smallest gain on the target worth having.")
    ] = 0.05,
    timeout_s: Annotated[
        float,
        typer.Option("--timeout", min=0.1, metavar="SECONDS", help="Time limit for all cases."),
    ] = 600.0,
    format: TextOrJson = TextFormat.TEXT,
    out: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the evaluation, JSON."),
    ] = None,
) -> None:
    """
    Test a candidate and the present version on the same cases, with paired statistics.

    A case is {"id"?, "prompt", "expected", "part"?, "task"?}; part is target, regression or
    hallucination. A command reads {"id", "prompt"} lines and writes {"id", "answer"} lines; words
    {cases} and {answers} become paths of files. No shell reads it.

    Exits with 0 if the candidate is to be promoted, with 1 if it is rejected or undecided,
    with 2 for bad input.
    """
    cases = [case for file in files for case in _cases(file)]
    evaluation = evaluate(
        cases,
        candidate=_version(candidate, timeout_s, "--candidate", candidate_from),
        present=_version(present, timeout_s, "--present", present_from),
        rules=Rules(margin=margin, least_gain=least_gain),
    )
    text = json.dumps(evaluation.to_dict(), indent=1)
    if out is not None:
        with open_output(out, inputs=files) as sink:
            sink.write(text.encode())
    print(text if format is TextFormat.JSON else _text(evaluation))
    # undecided fails, too: a pipeline must not promote without evidence
    raise typer.Exit(0 if evaluation.outcome is Recommendation.PROMOTE else 1)


def _text(evaluation: Evaluation) -> str:
    return "\n".join(escaped(line, limit=500) for line in str(evaluation).splitlines())


def _cases(path: str) -> list[EvaluationCase]:
    """Read a file of cases, or a run file, whose runs are cases of the part of its name."""
    try:
        text = Path(path).read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: it is not UTF-8 at byte {error.start}; give JSON lines") from None
    _, first = next(numbered_lines(text), (0, ""))
    if '"messages"' in first:  # only runs have messages
        part = "regression" if "regression" in Path(path).stem else "target"
        return run_cases(text, part=part, task=Path(path).stem, name=path)
    return read_cases(text, name=path)


def _version(place: str, timeout_s: float, option: str, locations: list[str] | None) -> Candidate:
    parts = tuple(locations or ())
    if place.startswith(("http://", "https://")):
        return Endpoint(url=place, timeout_s=timeout_s, made_of=parts)
    if place.startswith("policy:"):
        place = place.removeprefix("policy:")
        return PolicyCandidate(load_policy(place), places=(place, *parts))
    if place.startswith("python:"):
        place = place.removeprefix("python:")
        answer = load(place)
        if not callable(answer):
            raise BadInput(f"`{option}`: {escaped(place)} is {shown(answer)}; give a function")
        return Function(answer, places=(place, *parts))
    try:
        words = tuple(shlex.split(place))  # no shell, so that a file's name cannot run a program
    except ValueError as error:
        raise BadInput(f"`{option}`: {error}; quote the command as a shell does") from None
    if not words:
        raise BadInput(f"`{option}` is empty; give a command")
    return Command(words=words, timeout_s=timeout_s, made_of=parts)

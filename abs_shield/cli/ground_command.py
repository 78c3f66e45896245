"""`abs-shield ground`: check recorded answers against their contexts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.text import Text

from abs_shield.answer.check_pipeline import checked
from abs_shield.answer.claim_types import Assessment
from abs_shield.answer.evidence.evidence_collection import evidence_from
from abs_shield.answer.hallucination_report import ReportedClaim
from abs_shield.answer.report_assembly import Checked
from abs_shield.cli.console import open_console, safe
from abs_shield.cli.fitting_table import Column, FittingTable
from abs_shield.cli.input_warnings import AllowEmpty, LineErrors, require_input
from abs_shield.cli.output_file import open_output
from abs_shield.cli.shared_options import OutputFile
from abs_shield.cli.usage_errors import BadInput
from abs_shield.core.digest import encodable
from abs_shield.errors import ShieldError
from abs_shield.replay.file_lines import BadLine, lines, read_record
from abs_shield.text.safe_display import quantity, shown

app = typer.Typer(add_completion=False, rich_markup_mode=None)
_COLUMNS = (
    Column("id"), Column("score", right=True), Column("action"), Column("claims", right=True),
    Column("weakest claim"),
)  # fmt: skip
_KINDS: dict[str, Any] = {"answer": str, "question": str, "id": (str, int)}
# kinds of values, which a reader can look up; missing words are only a hint
_MISSES = frozenset({"number", "money", "date", "time", "id", "name"})


class GroundFormat(StrEnum):
    """Output formats of the result."""

    TABLE = "table"
    JSONL = "jsonl"


@app.command(epilog="Example: abs-shield ground answers.jsonl --format jsonl")
def ground(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON lines; - for stdin.")],
    format: Annotated[GroundFormat, typer.Option(help="A table, or one JSON object per line.")] = (
        GroundFormat.TABLE
    ),
    out: OutputFile = None,
    allow_empty: AllowEmpty = False,
) -> None:
    """
    Check answers against the context they were generated from, without a model.

    A line is {"id", "context": [{"id", "text"} or "text"], "question"?, "answer"}. A claim's
    offsets count characters of the answer. Exits with 0, and with 2 if a line could not be read.
    """
    bad = LineErrors("lines that cannot be read")
    count = 0
    with open_output(out, inputs=[file]) as sink:
        table = FittingTable(*_COLUMNS)
        for record in _check_lines(file):
            if isinstance(record, BadLine):
                bad.add(record)
                continue
            count += 1
            if format is GroundFormat.JSONL:
                line = encodable(json.dumps(record, ensure_ascii=False, allow_nan=False))
                sink.write(f"{line}\n".encode())
            else:
                table.add_row(*_row(record))
        bad.close()
        require_input(count + bad.count, noun="answer", files=[file], allowed=allow_empty)
        if format is GroundFormat.TABLE:
            console = open_console()
            with console.capture() as text:
                console.print(table)
            sink.write(text.get().encode(errors="replace"))
    if bad.count:
        raise BadInput(f"{quantity(bad.count, 'line')} could not be read")


def _check_lines(file: str) -> Iterator[dict[str, Any] | BadLine]:
    """Yield the result of each line; an unreadable line as a `BadLine`."""
    for line in lines(file):
        if isinstance(line, BadLine):
            yield line
            continue
        number, text = line
        try:
            yield _check_line(text)
        except (ShieldError, ValueError) as error:
            yield BadLine(file, number, str(error))


def _check_line(line: bytes) -> dict[str, Any]:
    """Check one line's answer."""
    record = _read_answer(line)
    context = evidence_from(record["context"])
    result = checked(record["answer"], evidence=context, question=record.get("question"))
    return {"id": record.get("id"), **shape(result)}


def shape(checked_answer: Checked) -> dict[str, Any]:
    """Return the result of one answer as `abs-shield ground` prints it."""
    report = checked_answer.report
    claims = [_claim(*one) for one in zip(report.claims, checked_answer.claims, strict=True)]
    return {
        "overall_score": report.overall_score,
        "action": report.action,
        "claims": claims,
        "marked": [{"start": start, "end": end} for start, end in checked_answer.marked],
        **({"notes": list(checked_answer.notes)} if checked_answer.notes else {}),
    }


def _claim(reported: ReportedClaim, one: Assessment) -> dict[str, Any]:
    return {
        "text": reported.text,
        "start": one.claim.start,
        "end": one.claim.end,
        "score": reported.score,
        "critical": reported.critical,
        "status": reported.status,
        "misses": [miss._asdict() for miss in one.missing if miss.kind in _MISSES],
        "evidence": [
            {"id": span.message, "start": span.start, "end": span.end, "text": span.text}
            for span in reported.evidence_spans
        ],
        **({"contradicted": one.contradicted} if one.contradicted else {}),
    }


def _read_answer(line: bytes) -> Mapping[str, Any]:
    record = read_record(line, noun="an answer")
    for name in ("answer", "context"):
        if record.get(name) is None:
            raise ShieldError(f"it has no `{name}`")
    for name, kinds in _KINDS.items():
        value = record.get(name)
        # True is an int
        if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
            wanted = "a text" if kinds is str else "a text or a whole number"
            raise ShieldError(f"`{name}` is {shown(value)}; give {wanted}")
    return record


def _row(record: Mapping[str, Any]) -> list[Text]:
    score = record["overall_score"]
    scored = [claim for claim in record["claims"] if claim["score"] is not None]
    weakest = min(scored, key=lambda claim: claim["score"], default=None)
    weakest_text = (
        f"{weakest['status']}: {weakest['text']}" if weakest else ", ".join(record.get("notes", ()))
    )
    cells: Iterator[str] = iter(
        ["-" if record["id"] is None else str(record["id"]),
         "-" if score is None else f"{score:.2f}", record["action"],
         str(len(record["claims"])), weakest_text]
    )  # fmt: skip
    return [safe(cell, limit=100) for cell in cells]

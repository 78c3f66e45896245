"""`abs-shield ground`: recorded answers against their contexts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.text import Text

from abs_shield.answer.assembly import Checked
from abs_shield.answer.evidence.collect import evidence_from
from abs_shield.answer.pipeline import checked
from abs_shield.answer.report import ReportedClaim
from abs_shield.answer.types import Assessment
from abs_shield.cli.console import safe, screen
from abs_shield.cli.empty_input import AllowEmpty, require_some
from abs_shield.cli.fitting_table import Column, FittingTable
from abs_shield.cli.line_errors import Complaints
from abs_shield.cli.output_file import output
from abs_shield.cli.usage_errors import BadInput
from abs_shield.core.canonical import encodable
from abs_shield.errors import ShieldError
from abs_shield.replay.lines import BadLine, lines
from abs_shield.replay.records import read_record
from abs_shield.text.show import quantity, shown

app = typer.Typer(add_completion=False, rich_markup_mode=None)
_COLUMNS = (
    Column("id"), Column("score", right=True), Column("action"), Column("claims", right=True),
    Column("weakest claim"),
)  # fmt: skip
_KINDS: dict[str, Any] = {"answer": str, "question": str, "id": (str, int)}
_MISSES = frozenset({"number", "money", "date", "time", "id", "name"})


class Format(StrEnum):
    """Output formats of the result."""

    TABLE = "table"
    JSONL = "jsonl"


@app.command(epilog="Example: abs-shield ground answers.jsonl --format jsonl")
def ground(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON lines; - for stdin.")],
    format: Annotated[Format, typer.Option(help="A table, or one JSON object a line.")] = (
        Format.TABLE
    ),
    out: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write there; else standard output."),
    ] = None,
    allow_empty: AllowEmpty = False,
) -> None:
    """
    Check answers against the context that they were given from, without any model.

    A line is {"id", "context": [{"id", "text"} or "text"], "question"?, "answer"}. A claim's
    offsets count characters of the answer. Exits with 0, and with 2 where a line could not be
    read.
    """
    bad = Complaints("lines that cannot be read")
    count = 0
    with output(out, inputs=[file]) as sink:
        table = FittingTable(*_COLUMNS)
        for told in _all(file):
            if isinstance(told, BadLine):
                bad.add(told)
                continue
            count += 1
            if format is Format.JSONL:
                line = encodable(json.dumps(told, ensure_ascii=False, allow_nan=False))
                sink.write(f"{line}\n".encode())
            else:
                table.add_row(*_row(told))
        bad.close()
        require_some(count + bad.count, noun="answer", files=[file], allowed=allow_empty)
        if format is Format.TABLE:
            console = screen()
            with console.capture() as text:
                console.print(table)
            sink.write(text.get().encode(errors="replace"))
    if bad.count:
        raise BadInput(f"{quantity(bad.count, 'line')} could not be read")


def _all(file: str) -> Iterator[dict[str, Any] | BadLine]:
    """Check every line; one that cannot be read is given as that."""
    for line in lines(file):
        if isinstance(line, BadLine):
            yield line
            continue
        number, text = line
        try:
            yield _grounded(text)
        except (ShieldError, ValueError) as error:
            yield BadLine(file, number, str(error))


def _grounded(line: bytes) -> dict[str, Any]:
    """Check one line's answer."""
    told = _record(line)
    context = evidence_from(told["context"])
    found = checked(told["answer"], evidence=context, question=told.get("question"))
    return {"id": told.get("id"), **shape(found)}


def shape(found: Checked) -> dict[str, Any]:
    """Return the result for one answer, as `abs-shield ground` prints it."""
    report = found.report
    claims = [_claim(*one) for one in zip(report.claims, found.claims, strict=True)]
    return {
        "overall_score": report.overall_score,
        "action": report.action,
        "claims": claims,
        "marked": [{"start": start, "end": end} for start, end in found.marked],
        **({"notes": list(found.notes)} if found.notes else {}),
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


def _record(line: bytes) -> Mapping[str, Any]:
    told = read_record(line, noun="an answer")
    for name in ("answer", "context"):
        if told.get(name) is None:
            raise ShieldError(f"it has no `{name}`")
    for name, kinds in _KINDS.items():
        value = told.get(name)
        if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
            wanted = "a text" if kinds is str else "a text or a whole number"
            raise ShieldError(f"`{name}` is {shown(value)}; give {wanted}")
    return told


def _row(told: Mapping[str, Any]) -> list[Text]:
    score = told["overall_score"]
    scored = [claim for claim in told["claims"] if claim["score"] is not None]
    weakest = min(scored, key=lambda claim: claim["score"], default=None)
    said = (
        f"{weakest['status']}: {weakest['text']}" if weakest else ", ".join(told.get("notes", ()))
    )
    cells: Iterator[str] = iter(
        ["-" if told["id"] is None else str(told["id"]), "-" if score is None else f"{score:.2f}",
         told["action"], str(len(told["claims"])), said]
    )  # fmt: skip
    return [safe(cell, limit=100) for cell in cells]

"""`abs-shield log verify`: whether the log is still as it was written."""

from __future__ import annotations

import json
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from abs_shield.cli.console import print_json, safe, screen
from abs_shield.cli.json_inputs import parsed
from abs_shield.cli.log.log_option import Database, files_of, opened
from abs_shield.cli.output_file import output
from abs_shield.cli.usage_errors import BadInput
from abs_shield.stores import Fault, Verified, verify
from abs_shield.stores.places import log_key
from abs_shield.stores.record import Head

EXAMPLE = (
    "Example: abs-shield log verify decisions.db --save-heads heads.json\n"
    "Every day from then on: abs-shield log verify decisions.db --heads heads.json"
    " --save-heads heads.json"
)
_SHOWN = 100


class Format(StrEnum):
    """Output formats of the answer."""

    TEXT = "text"
    JSON = "json"


def command(
    database: Database = None,
    heads: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Compare with the heads of an earlier verification."),
    ] = None,
    save_heads: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write each chain's head, to keep elsewhere.")
    ] = None,
    format: Annotated[Format, typer.Option(help="Lines, or one JSON object.")] = Format.TEXT,
) -> None:
    """
    Find records that were edited, deleted, inserted or reordered, and say where.

    The key of a sealed log is read from ABS_SHIELD_LOG_KEY.

    Exits with 0 where the log is whole, with 1 where it is not, with 2 for bad input.
    """
    seen, earlier = Verified(), None if heads is None else _read(heads)
    with opened(database) as store:
        faults = verify(store, key=log_key(), heads=earlier, into=seen)
        shown = list(islice(faults, _SHOWN))
        for _ in faults:
            pass
    if save_heads is not None and not seen.faults:
        saved = {
            head.writer: {"seq": head.seq, "digest": head.digest} for head in seen.heads.values()
        }
        with output(save_heads, inputs=files_of(database), option="--save-heads") as file:
            file.write(json.dumps(saved, indent=1).encode())
    if format is Format.JSON:
        print_json(_object(seen, shown))
    else:
        _print(seen, shown)
    raise typer.Exit(1 if seen.faults else 0)


def _read(path: str) -> dict[str, Head]:
    try:
        held = parsed(Path(path).read_bytes(), path=path)
    except FileNotFoundError:
        raise BadInput(
            f"{path}: No such file; heads are written by a first verification, with `--save-heads`"
            " and without `--heads`"
        ) from None
    try:
        return {
            writer: Head(writer, int(head["seq"]), str(head["digest"]))
            for writer, head in held.items()
        }
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise BadInput(f"{path}: it holds no heads; `--save-heads` writes them") from None


def _object(seen: Verified, shown: list[Fault]) -> dict[str, Any]:
    return {
        "whole": not seen.faults,
        "chains": seen.chains,
        "records": seen.records,
        "dropped": seen.dropped,
        "pruned_chains": seen.pruned,
        "faults": seen.faults,
        "first_faults": [fault._asdict() for fault in shown],
    }


def _print(seen: Verified, shown: list[Fault]) -> None:
    console = screen()
    for fault in shown:
        console.print_line(safe(fault, style="bold red"))
    if seen.faults > len(shown):
        console.print(f"... and {seen.faults - len(shown):,} more")
    told = f"records: {seen.records:,}, chains: {seen.chains:,}, faults: {seen.faults:,}"
    if seen.pruned:
        told += f"; chains whose beginning was pruned: {seen.pruned:,}"
    if seen.dropped:
        told += f"; decisions dropped, as gap records say: {seen.dropped:,}"
    console.print_line(told)

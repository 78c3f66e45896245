"""`abs-shield log verify`: detect changes to the decision log."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from abs_shield.cli.console import open_console, print_json, safe
from abs_shield.cli.json_inputs import parse_json
from abs_shield.cli.output_file import open_output
from abs_shield.cli.shared_options import Database, TextFormat, TextOrJson, files_of, open_log
from abs_shield.cli.usage_errors import BadInput
from abs_shield.stores import ChainFault, Verified, verify
from abs_shield.stores.sealed_record import Head
from abs_shield.stores.store_address import log_key

EXAMPLE = (
    "Example: abs-shield log verify decisions.db --save-heads heads.json\n"
    "Every day from then on: abs-shield log verify decisions.db --heads heads.json"
    " --save-heads heads.json"
)
_SHOWN = 100  # a rewritten chain has a fault for every record


def command(
    database: Database = None,
    heads: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Compare with the heads of an earlier verification."),
    ] = None,
    save_heads: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write each chain's head, to store elsewhere."),
    ] = None,
    format: TextOrJson = TextFormat.TEXT,
) -> None:
    """
    Locate records that were edited, deleted, inserted or reordered.

    The key of a sealed log is read from ABS_SHIELD_LOG_KEY.

    Exits with 0 if the log is intact, with 1 if it is not, with 2 for bad input.
    """
    verified, earlier = Verified(), None if heads is None else _read(heads)
    with open_log(database) as store:
        faults = verify(store, key=log_key(), heads=earlier, into=verified)
        shown = list(islice(faults, _SHOWN))
        for _ in faults:  # read to the end, for the counts
            pass
    # heads of a changed log would hide the change from the next verification
    if save_heads is not None and not verified.faults:
        saved = {
            head.writer: {"seq": head.seq, "digest": head.digest}
            for head in verified.heads.values()
        }
        with open_output(save_heads, inputs=files_of(database), option="--save-heads") as file:
            file.write(json.dumps(saved, indent=1).encode())
    if format is TextFormat.JSON:
        print_json(_object(verified, shown))
    else:
        _print(verified, shown)
    raise typer.Exit(1 if verified.faults else 0)


def _read(path: str) -> dict[str, Head]:
    try:
        heads_by_writer = parse_json(Path(path).read_bytes(), path=path)
    except FileNotFoundError:
        raise BadInput(
            f"{path}: No such file; heads are written by a first verification, with `--save-heads`"
            " and without `--heads`"
        ) from None
    if not heads_by_writer:  # nothing would be compared, and the log would look intact
        raise BadInput(
            f"{path}: it holds no heads; write them from a log with records: `--save-heads`"
            " without `--heads`"
        )
    try:
        return {
            writer: Head(writer, int(head["seq"]), str(head["digest"]))
            for writer, head in heads_by_writer.items()
        }
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise BadInput(f"{path}: it holds no heads; `--save-heads` writes them") from None


def _object(verified: Verified, shown: list[ChainFault]) -> dict[str, Any]:
    return {
        "whole": not verified.faults,
        "chains": verified.chains,
        "records": verified.records,
        "dropped": verified.dropped,
        "pruned_chains": verified.pruned,
        "faults": verified.faults,
        "first_faults": [fault._asdict() for fault in shown],
    }


def _print(verified: Verified, shown: list[ChainFault]) -> None:
    console = open_console()
    for fault in shown:
        console.print_line(safe(fault, style="bold red"))
    if verified.faults > len(shown):
        console.print(f"... and {verified.faults - len(shown):,} more")
    text = (
        f"records: {verified.records:,}, chains: {verified.chains:,}, faults: {verified.faults:,}"
    )
    if verified.pruned:
        text += f"; chains whose beginning was pruned: {verified.pruned:,}"
    if verified.dropped:
        text += f"; decisions dropped, as gap records say: {verified.dropped:,}"
    console.print_line(text)

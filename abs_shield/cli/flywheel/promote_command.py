"""`abs-shield flywheel promote`: a version that was evaluated is put in use."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Annotated, Any

import typer

from abs_shield.cli.console import open_console, safe
from abs_shield.cli.flywheel.book_option import DEFAULT, BookFile, require_book
from abs_shield.cli.json_inputs import parse_json
from abs_shield.cli.shared_options import AuthorName, user_name
from abs_shield.cli.usage_errors import BadInput
from abs_shield.flywheel.evaluate import require_evaluation
from abs_shield.flywheel.version_artifact import hash_at
from abs_shield.flywheel.version_registry import NewVersion, VersionRegistry, VersionState
from abs_shield.text.safe_display import escaped, shown

EXAMPLE = (
    "Example: abs-shield flywheel promote support.txt support.v2.txt --evaluation"
    ' evaluation.json --data train.jsonl --gap GAP --reason "market caps are right"'
)


def command(
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="The target: a name, file or module:attr.")
    ],
    location: Annotated[
        str, typer.Argument(metavar="LOCATION", help="The new version: a file or module:attr.")
    ],
    reason: Annotated[str, typer.Option(metavar="TEXT", help="The reason, in one line.")],
    evaluation: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The output of `flywheel evaluate --output`."),
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="A file that the version was made from; repeatable."),
    ] = None,
    gap: Annotated[str, typer.Option(metavar="GAP", help="The gap that the version fixes.")] = "",
    by: AuthorName = None,
    override: Annotated[
        str,
        typer.Option(
            "--override", metavar="REASON", help="Promote against the evaluation for this reason."
        ),
    ] = "",
    book: BookFile = DEFAULT,
) -> None:
    """
    Put a version in use: its target resolves to it from now on, and its gap is fixed.

    The evaluation must recommend it, be of LOCATION, and compare it with the version in use now. A
    version that was rolled back is not promoted again. --override REASON promotes it anyway.

    Exits with 0, with 1 if the evaluation does not recommend it, with 2 for bad input.
    """
    new = NewVersion(
        target=target,
        location=location,
        gap=gap,
        data={PurePath(name).name: hash_at(name) for name in data or ()},
        evaluation=_evaluation(evaluation),
    )
    registry, who = VersionRegistry(require_book(book)), user_name(by)
    # added in any case, so that the history shows rejected versions, too
    version = registry.add(new, by=who)
    outcome = str(new.evaluation.get("outcome", "not evaluated"))
    console = open_console()
    if outcome != "promote" and not override:
        verb = "is rejected" if version.state is VersionState.REJECTED else "is not promoted"
        console.print_line(safe(f"version {version.number} of {target} {verb}: {outcome}"))
        console.print_line(
            safe(version.reason or "evaluate it with `abs-shield flywheel evaluate`")
        )
        raise typer.Exit(1)
    version = registry.promote(version.id, reason=reason, by=who, override=override)
    console.print_line(safe(f"version {version.number} of {target} is in use: {version.location}"))


def _evaluation(path: str | None) -> dict[str, Any]:
    if path is None:
        return {}
    evaluation = parse_json(Path(path).read_bytes(), path=path)
    if not isinstance(evaluation, dict) or not evaluation:
        hint = "give what `flywheel evaluate --output` wrote"
        raise BadInput(f"`--evaluation`: {escaped(path)} is {shown(evaluation)}; {hint}")
    require_evaluation(evaluation)
    return evaluation

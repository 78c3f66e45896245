"""Options that choose a command's engine and the number of its workers."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from abs_shield.cli.usage_errors import BadInput
from abs_shield.replay.engine_job import WorkerPool, most_workers


class EngineName(StrEnum):
    """Names of `ENGINES`, which judge the chunks."""

    SERIAL = "serial"
    PROCESSES = "processes"
    RAY = "ray"


Sort = Annotated[
    bool, typer.Option("--sort", help="Group the runs of each session first, on disk.")
]
Workers = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Judge in N processes; default: in this one.")
]
Engine = Annotated[
    EngineName | None,
    typer.Option(help="Where to judge; default: chosen by --workers and --address."),
]
Address = Annotated[
    str | None,
    typer.Option(help="A Ray cluster, as HOST:PORT, ray://HOST:PORT or auto; implies Ray."),
]


def resolve_engine(
    engine: EngineName | None, *, workers: int | None, address: str | None
) -> tuple[str, WorkerPool]:
    """
    Return the engine and its workers.

    Raises:
        BadInput: The options contradict each other.
    """
    if engine is None:
        several = EngineName.PROCESSES if (workers or 1) > 1 else EngineName.SERIAL
        engine = several if address is None else EngineName.RAY
    if address is not None and engine is not EngineName.RAY:
        raise BadInput(f"`--address` names a Ray cluster; leave it, or `--engine {engine}`, out")
    # an unset variable in a script, as `--address "$RAY"`
    if address == "":
        raise BadInput("`--address` is empty; give HOST:PORT, or `auto`")
    if engine is EngineName.SERIAL and (workers or 1) > 1:
        raise BadInput(f"`--engine serial` is one process; leave it, or `--workers {workers}`, out")
    # each process loads the policy: too many exhaust memory, and the system kills one without a
    # word
    most = most_workers()
    if engine is EngineName.PROCESSES and (workers or 1) > most:
        raise BadInput(f"`--workers {workers}` is too many for this machine; give {most} at most")
    return engine, WorkerPool(workers=workers, address=address)

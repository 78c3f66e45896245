"""A Ray cluster; a chunk whose worker or node dies is tried again by Ray."""

from __future__ import annotations

import os
import socket
import warnings
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

from abs_shield.errors import ReplayError
from abs_shield.replay.chunks import Chunk
from abs_shield.replay.engine_job import (
    TRIES,
    Job,
    WorkerPool,
    pack_job,
    processors,
    run_packed_job,
)
from abs_shield.text.show import escaped

P = TypeVar("P")
_AHEAD = 2
"""Chunks under way for each worker: the one that it has, and the next."""

_PATIENCE_S = 10.0
"""How long a cluster may take to answer at all."""


def ray(job: Job[P], chunks: Iterable[Chunk], pool: WorkerPool) -> Generator[P, None, None]:
    """
    Do the job on the cluster at *pool.address*, or on one of its own on this machine.

    Raises:
        ReplayError: Ray is not installed or reached, or one chunk killed its worker three times.
    """
    client = _client()
    with _connected(client, pool) as most:
        judged = client.remote(num_cpus=1, max_retries=TRIES - 1)(run_packed_job)
        job_there = client.put(pack_job(job))
        under_way: deque[tuple[Chunk, Any]] = deque()
        for chunk in chunks:
            under_way.append((chunk, judged.remote(job_there, chunk)))
            if len(under_way) >= most:
                yield _result(client, *under_way.popleft())
        while under_way:
            yield _result(client, *under_way.popleft())


def _client() -> Any:
    # what Ray reports of its use to its makers is off, unless the user says otherwise
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        return import_module("ray")
    except ImportError:
        raise ReplayError('Ray is not installed; pip install "abs-shield[ray]"') from None


@contextmanager
def _connected(client: Any, pool: WorkerPool) -> Iterator[int]:
    """
    Return how many chunks may be under way; a connection that was there before is left as it is.
    """
    ours = not client.is_initialized()
    if ours:
        _connect(client, pool)
    try:
        if pool.workers is not None and pool.address is not None:
            yield pool.workers  # of a cluster that others use as well, no more than was asked for
        else:
            there = int(client.cluster_resources().get("CPU", 1))
            yield max(1, there if pool.workers is None else pool.workers) * _AHEAD
    finally:
        if ours:
            client.shutdown()


def _connect(client: Any, pool: WorkerPool) -> None:
    quiet = {"logging_level": "ERROR", "log_to_driver": False}
    try:
        if pool.address is None:
            count = processors() if pool.workers is None else pool.workers
            client.init(address="local", num_cpus=count, include_dashboard=False, **quiet)
        else:
            _answers(pool.address)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what comes to nothing is said below, in one line
                client.init(address=pool.address, **quiet)
    except (OSError, OverflowError, RuntimeError, ValueError) as error:
        where = f"a cluster at `{pool.address}`" if pool.address else "a cluster on this machine"
        told = escaped(str(error).strip().partition("\n")[0], limit=200)
        raise ReplayError(f"cannot reach {where}: {told}; see `ray status`") from None


def _answers(address: str) -> None:
    """Raise at once where nobody listens; Ray itself would wait for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE_S).close()


def _result(client: Any, chunk: Chunk, under_way: Any) -> Any:
    try:
        return client.get(under_way)
    except client.exceptions.RayTaskError as error:
        cause = error.cause
        raise cause if isinstance(cause, Exception) else error from None
    except client.exceptions.RayError as error:
        raise ReplayError(
            f"{chunk}: the process that judged these lines was lost {TRIES} times: "
            f"{type(error).__name__}; see `ray status`"
        ) from None

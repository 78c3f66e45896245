"""Judge chunks on a Ray cluster; Ray retries a chunk whose worker or node dies."""

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
from abs_shield.replay.engine_job import (
    TRIES,
    Job,
    WorkerPool,
    pack_job,
    processors,
    run_packed_job,
)
from abs_shield.replay.line_chunks import Chunk
from abs_shield.text.safe_display import escaped

P = TypeVar("P")
_AHEAD = 2
"""Chunks in progress for each worker: the current one, and the next, so that none waits."""

_ANSWER_TIMEOUT_S = 10.0
"""Time limit for a cluster to answer, in seconds; a cluster that is up answers in milliseconds."""


def ray(job: Job[P], chunks: Iterable[Chunk], pool: WorkerPool) -> Generator[P, None, None]:
    """
    Run the job on the cluster at *pool.address*, or on a local one.

    Raises:
        ReplayError: Ray is not installed or reached, or one chunk killed its worker three times.
    """
    client = _client()
    with _connected(client, pool) as most:
        # one processor each, so that Ray starts no more workers than the pool has
        judged = client.remote(num_cpus=1, max_retries=TRIES - 1)(run_packed_job)
        job_there = client.put(pack_job(job))
        in_progress: deque[tuple[Chunk, Any]] = deque()
        for chunk in chunks:
            in_progress.append((chunk, judged.remote(job_there, chunk)))
            if len(in_progress) >= most:
                yield _result(client, *in_progress.popleft())
        while in_progress:
            yield _result(client, *in_progress.popleft())


def _client() -> Any:
    # Ray's usage reports are off, unless the user enables them
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        return import_module("ray")
    except ImportError:
        raise ReplayError('Ray is not installed; pip install "abs-shield[ray]"') from None


@contextmanager
def _connected(client: Any, pool: WorkerPool) -> Iterator[int]:
    """Yield the number of chunks that may be in progress; an existing connection is kept."""
    is_own = not client.is_initialized()  # a connection of the caller stays open
    if is_own:
        _connect(client, pool)
    try:
        if pool.workers is not None and pool.address is not None:
            yield pool.workers  # a shared cluster: no more workers than requested
        else:
            available = int(client.cluster_resources().get("CPU", 1))
            yield max(1, available if pool.workers is None else pool.workers) * _AHEAD
    finally:
        if is_own:
            client.shutdown()


def _connect(client: Any, pool: WorkerPool) -> None:
    # Ray would print the workers' output between the rows of the report
    quiet = {"logging_level": "ERROR", "log_to_driver": False}
    try:
        if pool.address is None:
            count = processors() if pool.workers is None else pool.workers
            client.init(address="local", num_cpus=count, include_dashboard=False, **quiet)
        else:
            _check_reachable(pool.address)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a failure is reported below, in one line
                client.init(address=pool.address, **quiet)
    except (OSError, OverflowError, RuntimeError, ValueError) as error:
        where = f"a cluster at `{pool.address}`" if pool.address else "a cluster on this machine"
        reason = escaped(str(error).strip().partition("\n")[0], limit=200)
        raise ReplayError(f"cannot reach {where}: {reason}; see `ray status`") from None


def _check_reachable(address: str) -> None:
    """Raise immediately if nothing listens at the address; Ray itself would wait for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER_TIMEOUT_S).close()


def _result(client: Any, chunk: Chunk, in_progress: Any) -> Any:
    try:
        return client.get(in_progress)
    except client.exceptions.RayTaskError as error:
        cause = error.cause  # the cause is the job's own exception, as in other engines
        raise cause if isinstance(cause, Exception) else error from None
    except client.exceptions.RayError as error:
        raise ReplayError(
            f"{chunk}: the process that judged these lines was lost {TRIES} times: "
            f"{type(error).__name__}; see `ray status`"
        ) from None

"""One conformance suite for all engines: order, errors, and killed workers."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from multiprocessing.resource_tracker import ensure_running
from pathlib import Path

import pytest

from abs_shield.errors import PolicyError, ReplayError
from abs_shield.replay import Judging, RawLine, WorkerPool, chunks
from abs_shield.replay.engines import ENGINES, outcomes

FOLDER = str(Path(__file__).parent)
sys.path.insert(0, FOLDER)

import engine_jobs  # noqa: E402

ELSEWHERE = [name for name in ENGINES if name != "serial"]


@pytest.fixture(scope="module")
def cluster():
    """Start one Ray cluster for all tests of this file; engines use an existing connection."""
    ray = pytest.importorskip("ray", reason="needs `pip install abs-shield[ray]`")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", FOLDER)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield
        ray.shutdown()


@pytest.fixture(params=list(ENGINES))
def engine(request):
    """Return the name of each engine; Ray is skipped if it is not installed."""
    if request.param == "ray":
        request.getfixturevalue("cluster")
    return request.param


@pytest.fixture(params=ELSEWHERE)
def elsewhere(request):
    """Return the name of each engine that has workers."""
    if request.param == "ray":
        request.getfixturevalue("cluster")
    return request.param


def numbered_chunks(count):
    """Return one chunk for each of *count* lines."""
    return chunks((RawLine("f", n, b"{}") for n in range(1, count + 1)), most_lines=1)


def run_job(job, engine, *, count=12, workers=2):
    return list(
        outcomes(job, numbered_chunks(count), engine=engine, pool=WorkerPool(workers=workers))
    )


def test_results_are_in_the_order_of_chunks(engine):
    """A slow chunk does not change the order of the results."""
    expected = [[n] for n in range(1, 13)]

    assert expected == run_job(engine_jobs.Numbers(slow=0.05), engine, workers=3)


def test_no_chunks_give_no_results(engine):
    """Every engine returns no results for an empty input."""
    assert [] == run_job(engine_jobs.Numbers(), engine, count=0)


def test_the_input_is_read_lazily(engine):
    """When the first result is returned, at most six chunks have been read."""
    read = []

    def watched():
        for chunk in numbered_chunks(60):
            read.append(chunk)
            yield chunk

    parts = outcomes(engine_jobs.Numbers(), watched(), engine=engine, pool=WorkerPool(workers=2))
    next(parts)

    assert len(read) <= 6
    parts.close()


def test_an_error_of_a_job_is_raised_in_the_caller(engine):
    """The exception of a job keeps its type and message."""
    with pytest.raises(PolicyError, match="a rule does not fit"):
        run_job(engine_jobs.Broken("policy"), engine)


@pytest.mark.parametrize("how", ["odd", "lambda"])
def test_a_result_that_cannot_be_pickled_is_an_error(how):
    """An exception or a result that cannot be pickled raises a one-line `ReplayError`."""
    with pytest.raises(ReplayError, match=r"^\w+: ") as caught:
        run_job(engine_jobs.Broken(how), "processes")

    assert "\x1b" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 2])
def test_a_chunk_whose_worker_is_killed_is_tried_again(elsewhere, tmp_path, times):
    """After SIGKILL of a worker every result is returned once and in order."""
    job = engine_jobs.Killed(str(tmp_path), times)

    assert [[n] for n in range(1, 13)] == run_job(job, elsewhere)
    assert times + 1 == len(list(tmp_path.iterdir()))


@pytest.mark.slow
@pytest.mark.release
def test_a_chunk_that_kills_three_workers_is_an_error(elsewhere, tmp_path):
    """The chunk is tried three times; the error names the file and the lines."""
    with pytest.raises(ReplayError, match=r"^f:2-2: .* lost|killed 3 times"):
        run_job(engine_jobs.Killed(str(tmp_path), 99), elsewhere)

    assert 3 == len(list(tmp_path.iterdir()))


def test_closing_the_results_ends_the_workers():
    """No worker remains, even if the results are not read to the end."""
    others = children()
    parts = outcomes(
        engine_jobs.Numbers(), numbered_chunks(60), engine="processes", pool=WorkerPool(workers=2)
    )
    next(parts)
    working = children() - others
    parts.close()

    assert 2 == len(working)
    assert not working & children()


@pytest.mark.slow
def test_no_more_processes_than_chunks():
    """No worker is started before the first chunk is read, and none without a chunk."""
    others, started = children(), []

    def watched():
        for chunk in numbered_chunks(3):
            started.append(len(children() - others))
            yield chunk

    job, crew = engine_jobs.Numbers(slow=0.05), WorkerPool(workers=60)
    parts = outcomes(job, watched(), engine="processes", pool=crew)

    assert [[1], [2], [3]] == list(parts)
    assert 0 == started[0]
    assert max(started) <= 2


def test_too_many_workers_are_refused():
    """An impossible number of workers raises an error before any chunk is read."""
    read = iter(lambda: pytest.fail("a chunk was read"), None)
    parts = outcomes(
        engine_jobs.Numbers(), read, engine="processes", pool=WorkerPool(workers=99_999_999)
    )

    with pytest.raises(ReplayError, match="99999999 processes are too many here; ask for 256"):
        next(parts)


def test_a_process_that_cannot_be_started():
    """If a worker cannot be started, an error says so, and the started workers end."""
    others = children()
    resource = pytest.importorskip(
        "resource", reason="needs a Unix system with limits of open files"
    )
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    job = engine_jobs.Numbers(slow=5.0)
    parts = outcomes(job, numbered_chunks(60), engine="processes", pool=WorkerPool(workers=60))
    resource.setrlimit(resource.RLIMIT_NOFILE, (room_for(16), hard))
    try:
        with pytest.raises(ReplayError, match=r"cannot start a process: .*; ask for fewer workers"):
            list(parts)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert not children() - others


@pytest.mark.slow
def test_a_killed_worker_that_cannot_be_replaced(tmp_path):
    """If no process can replace a killed worker, an error says so, and no process remains."""
    resource = pytest.importorskip(
        "resource", reason="needs a Unix system with limits of open files"
    )
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    job = engine_jobs.Killed(str(tmp_path), 99, at=4)
    parts = outcomes(job, numbered_chunks(12), engine="processes", pool=WorkerPool(workers=1))
    others = children()

    def to_the_end():
        for _ in parts:
            resource.setrlimit(resource.RLIMIT_NOFILE, (room_for(0), hard))

    try:
        with pytest.raises(ReplayError, match=r"cannot start a process: .*; ask for fewer workers"):
            to_the_end()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert not children() - others


def room_for(count):
    """Return the limit of open files that allows *count* more."""
    taken = {int(name) for name in os.listdir("/dev/fd")}
    return [number for number in range(len(taken) + count + 1) if number not in taken][count]


def children():
    """Return the ids of this process's children, with the resource tracker among them."""
    ensure_running()  # else a first worker starts it, and it looks like one more worker
    tasks = Path(f"/proc/{os.getpid()}/task")
    if not tasks.is_dir():
        pytest.skip("there is no /proc; run the test on Linux")
    listed = set()
    for task in tasks.iterdir():
        # a joined thread of an earlier test may still be exiting; its children go to another thread
        with suppress(FileNotFoundError, ProcessLookupError):
            listed.update(map(int, (task / "children").read_text().split()))
    return listed


def test_an_unknown_engine():
    """The error suggests the nearest engine name."""
    with pytest.raises(ReplayError, match=r"no engine is named `rya`; did you mean `ray`\?"):
        list(outcomes(Judging(), [], engine="rya"))


def test_ray_is_missing(monkeypatch):
    """Without Ray, the error says how to install it."""
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ReplayError, match=r'pip install "abs-shield\[ray\]"'):
        run_job(engine_jobs.Numbers(), "ray")

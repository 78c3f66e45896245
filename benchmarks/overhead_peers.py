"""One clean call, by abs_shield and similar packages: ``python benchmarks/overhead_peers.py``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from statistics import median
from typing import Any

from command_line import announce, command_parser, report_progress

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "benchmarks" / "peers"
MUST_STOP = {"amount_below", "amount_above"}
AT_MOST = 0.5
"""The goal: the time of a check of abs_shield, divided by that of the fastest peer."""

OURS = "abs_shield"
PINS = {
    "airlock": "agent-airlock==0.10.26",
    "policyshield": "policyshield==0.14.0",
    "edictum": "edictum[yaml]==0.19.0",
}
ROUNDS, QUICK_ROUNDS = 80, 10
PRODUCTS = (OURS, *PINS)
Taken = dict[str, dict[str, list[float]]]


class Unavailable(Exception):
    """A product that cannot be measured here, and why."""


class Worker:
    """One product in its own interpreter, which times calls on request."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.judged = self._reply()

    def go(self, calls: int) -> dict[str, float]:
        """Time *calls* calls by each way; give the p50 in microseconds."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{calls}\n")
        self._process.stdin.flush()
        return dict(self._reply())

    def _reply(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise Unavailable("its worker ended; run it by hand to see why")
        return json.loads(line)


def measure(
    *,
    rounds: int = ROUNDS,
    calls: int = 100,
    envs: Path | None = None,
    products: Sequence[str] = (),
) -> dict[str, Any]:
    """
    Time *rounds* times *calls* calls of each product, the products taking turns.

    Args:
        envs: Where the virtual environments are made and kept; under the system's temporary
            folder where None.
        products: Those to measure; all where empty.

    Returns:
        p50 in microseconds by product and way, what each of them stops, who was skipped and why,
        and the ratio of abs_shield to the fastest peer, as the median of the rounds' own ratios.
    """
    folder = Path(tempfile.gettempdir()) / "abs_shield_peers" if envs is None else envs
    with ExitStack() as stack:
        workers, skipped = _start_workers(products or PRODUCTS, folder, stack)
        taken = _rounds(workers, rounds=rounds, calls=calls)
    return {
        "rounds": rounds,
        "calls_a_round": calls,
        "pins": PINS,
        "p50_us": {
            name: {way: _p50(us) for way, us in ways.items()} for name, ways in taken.items()
        },
        "stops": {name: worker.judged for name, worker in workers.items()},
        "skipped": skipped,
        "over_fastest_peer": _over_fastest(taken),
        "at_most": round(AT_MOST, 3),
    }


def _start_workers(
    products: Iterable[str], folder: Path, stack: ExitStack
) -> tuple[dict[str, Worker], dict[str, str]]:
    """Return a worker for each product, which *stack* ends, and why others have none."""
    workers: dict[str, Worker] = {}
    skipped: dict[str, str] = {}
    for name in products:
        announce(f"starting {name}")
        try:
            python = environment(name, folder)
            worker = stack.enter_context(_started(name, python))
            _sound(name, worker)
            workers[name] = worker
        except Unavailable as reason:
            skipped[name] = str(reason)
    return workers, skipped


def environment(name: str, folder: Path) -> Path:
    """
    Return the Python of a product's own environment, made where it is not there yet.

    Raises:
        Unavailable: It cannot be installed.
    """
    wanted = _wanted(name)
    key = blake2b(repr((wanted, sys.version)).encode(), digest_size=6).hexdigest()
    place = folder / f"{name}-{key}"
    if not place.exists():
        announce(f"installing {name} into an environment of its own")
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as created:
            _run([sys.executable, "-m", "venv", "--without-pip", created])
            _run([*_installer(created), "--quiet", *wanted])
            with suppress(OSError):  # somebody else was faster
                Path(created).rename(place)
            Path(created).mkdir(exist_ok=True)
    return place / "bin" / "python"


def _wanted(name: str) -> list[str]:
    """Return the packages installed for a product; for abs_shield those of the default install."""
    if name != OURS:
        return [PINS[name]]
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return list(declared["project"]["dependencies"])


def _installer(environment: str) -> list[str]:
    """Return the command that installs packages into an environment: uv if it is here, else pip."""
    uv = Path(sys.executable).with_name("uv")
    if uv.exists():  # it takes a fifth of pip's time
        return [str(uv), "pip", "install", "--python", environment]
    return [sys.executable, "-m", "pip", "--python", environment, "install"]


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"cannot be installed: {type(error).__name__}") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Unavailable(f"cannot be installed: {last[:200]}")


@contextmanager
def _started(name: str, python: Path) -> Iterator[Worker]:
    """Return a worker of *name*; that of abs_shield runs the sources of this checkout."""
    path = [str(FOLDER), *([str(ROOT)] if name == OURS else [])]
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("OTEL_", "ABS_SHIELD_"))}
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [str(python), str(FOLDER / "worker.py"), f"{name}_call"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={**variables, "PYTHONPATH": os.pathsep.join(path)},
        )
        with process:
            try:
                yield Worker(process)
            finally:
                process.kill()


def _sound(name: str, worker: Worker) -> None:
    """
    Refuse to time what does not judge.

    Raises:
        Unavailable: It stops the good call, or lets a bad one pass.
    """
    for way, judged in worker.judged.items():
        missed = sorted(MUST_STOP - {*judged["stops"]})
        if missed or not judged["passes"]:
            raise Unavailable(f"`{way}` does not judge the call: {judged}")


def _rounds(workers: dict[str, Worker], *, rounds: int, calls: int) -> Taken:
    taken: Taken = {name: {way: [] for way in worker.judged} for name, worker in workers.items()}
    for worker in workers.values():
        worker.go(calls)
    for _ in report_progress(range(rounds), doing="timing the products", total=rounds):
        for name, worker in workers.items():
            for way, us in worker.go(calls).items():
                taken[name][way].append(us)
    return taken


def _over_fastest(taken: Taken) -> dict[str, float]:
    """The median of the rounds' own ratios: both sides of one round met the same machine."""
    peers = [us for name, ways in taken.items() if name != OURS for us in ways.values()]
    fastest = min(peers, key=median, default=[])
    return {
        way: round(median(us / peer for us, peer in zip(mine, fastest, strict=True)), 3)
        for way, mine in taken.get(OURS, {}).items()
        if fastest
    }


def _p50(us: list[float]) -> float:
    return round(median(us), 2)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one JSON object."""
    quick = f"{QUICK_ROUNDS} rounds"
    parser = command_parser(__doc__, example="overhead_peers.py --quick", quick=quick)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--envs", type=Path, help="folder of the environments, made where missing")
    parser.add_argument("--only", action="append", choices=PRODUCTS, default=[])
    options = parser.parse_args(arguments)
    rounds = min(options.rounds, QUICK_ROUNDS) if options.quick else options.rounds
    created = measure(rounds=rounds, calls=options.calls, envs=options.envs, products=options.only)
    print(json.dumps({"quick": options.quick, **created}, indent=2))


if __name__ == "__main__":
    main()

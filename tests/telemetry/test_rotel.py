"""The end-to-end test through a real collector (``pip install --pre rotel``), else skipped."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.telemetry.canaries import CANARY
from tests.telemetry.processes import MessageText, environment, receiver, run_agent
from tests.telemetry.receiver.arrivals import Arrivals


def _binary() -> str | None:
    """Return the path of the collector: from `ROTEL`, its wheel, or PATH."""
    wheel = importlib.util.find_spec("rotel")
    beside = Path(wheel.origin).with_name("rotel-agent") if wheel and wheel.origin else None
    return os.environ.get("ROTEL") or (str(beside) if beside else shutil.which("rotel"))


ROTEL = _binary()
pytestmark = pytest.mark.skipif(
    ROTEL is None,
    reason="no collector: needs `pip install --pre rotel`, or the path of its binary in ROTEL",
)


@contextmanager
def rotel(folder: Path, to: int, *, over: str) -> Iterator[dict[str, int]]:
    """Run the collector, which exports to port *to* over the same protocol."""
    ports = {"grpc": _free_port(), "http": _free_port()}
    assert ROTEL is not None
    command = [
        ROTEL, "start", "--pid-file", str(folder / "pid"), "--log-file", str(folder / "log"),
        "--otlp-grpc-endpoint", f"127.0.0.1:{ports['grpc']}",
        "--otlp-http-endpoint", f"127.0.0.1:{ports['http']}",
        "--exporter", "otlp", "--otlp-exporter-endpoint", f"http://127.0.0.1:{to}",
        "--otlp-exporter-protocol", over,
    ]  # fmt: skip
    with (
        (folder / "output").open("wb") as output,
        subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT) as process,
    ):
        try:
            _until(lambda: all(map(_listens, ports.values())), "the collector listens")
            yield ports
        finally:
            process.terminate()


@pytest.mark.parametrize("over", ["grpc", "http"])
def test_all_telemetry_passes_a_collector(over: str, tmp_path: Path) -> None:
    """Decisions, findings and sums arrive unchanged behind the collector, without values."""
    arrived = Arrivals(tmp_path / "arrived")
    with (
        receiver(tmp_path / "arrived") as behind,
        rotel(tmp_path, behind[over], over=over) as ports,
    ):
        output = run_agent(tmp_path / "said", environment(ports[over], over=over))
        expected = _expected_counts(output)
        _until(lambda: _as_arrived(arrived) == expected, "all has passed", stop_early=False)

    assert _as_arrived(arrived) == expected
    assert [name for name, data in arrived.files.items() if CANARY.encode() in data] == []


def _expected_counts(messages: MessageText) -> dict[str, Any]:
    return {
        "spans": {d["id"]: d["id"] in messages.threats for d in messages.spanned},
        "events": sum(len(d["findings"]) for d in messages.decisions),
        "decisions": len(messages.decisions),
    }


def _as_arrived(arrived: Arrivals) -> dict[str, Any]:
    checks = [span for span in arrived.spans if span.name.startswith("abs_shield.check")]
    return {
        "spans": {
            span.attributes["abs_shield.decision.id"]: "threat.type" in span.attributes
            for span in checks
        },
        "events": len(arrived.events),
        "decisions": sum(p.as_int for p in arrived.points("abs_shield.decisions").values()),
    }


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


def _until(holds: Callable[[], bool], what: str, *, stop_early: bool = True) -> None:
    """Wait at most 20 seconds; what never holds fails here, or where it is asserted."""
    end = time.monotonic() + 20
    while not holds():
        if time.monotonic() > end:
            assert not stop_early, f"waited in vain until {what}"
            return
        time.sleep(0.1)

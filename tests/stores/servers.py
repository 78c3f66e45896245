"""A PostgreSQL server for tests, in a temporary folder."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from glob import glob
from pathlib import Path


class Server:
    """A PostgreSQL server in a folder of its own; a superuser's processes start as `postgres`."""

    def __init__(self, programs: str) -> None:
        self._programs = Path(programs)
        self._as = ["/sbin/runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        self.folder = Path(tempfile.mkdtemp(prefix="abs_shield-pg"))
        if self._as:
            shutil.chown(self.folder, "postgres", "postgres")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._run("initdb", "-D", "data", "-A", "trust", "-U", "tester", "--no-sync")

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder} -c fsync=off"
        self._run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", "data", "-w", "-m", "immediate", "stop")

    def dsn(self, schema: str) -> str:
        return (
            f"postgresql://tester@127.0.0.1:{self.port}/postgres?options=-csearch_path%3D{schema}"
        )

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            [*self._as, str(self._programs / program), *words],
            cwd=self.folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            timeout=60,
        )


def programs() -> str | None:
    """Return the folder of the newest installed server, or None if there is none."""
    folders = sorted(glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
    return folders[-1] if folders else None


@contextlib.contextmanager
def run_server(folder: str) -> Iterator[Server]:
    """Run a server in a folder until the end of the block."""
    server = Server(folder)
    server.start()
    try:
        yield server
    finally:
        with contextlib.suppress(subprocess.SubprocessError):
            server.stop()
        shutil.rmtree(server.folder, ignore_errors=True)

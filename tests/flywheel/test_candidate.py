"""Commands, functions and endpoints answer cases by the same contract."""

from __future__ import annotations

import gc
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from abs_shield.errors import ShieldError
from abs_shield.flywheel.candidate import Command, Endpoint, Function, read_answers
from abs_shield.flywheel.cases import EvaluationCase

CASES = [EvaluationCase(id=f"c{n}", prompt=f"say {n}", expected=f"{n}") for n in range(3)]
ANSWERS = {f"c{n}": f"SAY {n}" for n in range(3)}
ECHO = """
import json, sys
for line in sys.stdin:
    case = json.loads(line)
    assert set(case) == {"id", "prompt"}, case
    print(json.dumps({"id": case["id"], "answer": case["prompt"].upper()}))
"""
FILES = """
import json, sys
with open(sys.argv[1]) as cases, open(sys.argv[2], "w") as answers:
    for line in cases:
        case = json.loads(line)
        answers.write(json.dumps({"id": case["id"], "answer": case["prompt"].upper()}) + "\\n")
"""


def program(text: str, *words: str, timeout_s: float = 20) -> Command:
    """Return a candidate that runs a Python text."""
    return Command(words=(sys.executable, "-c", text, *words), timeout_s=timeout_s)


def test_a_command_reads_cases_and_writes_answers() -> None:
    """On its standard streams; what is expected is not among what it reads."""
    assert ANSWERS == program(ECHO)(CASES)


def test_a_command_may_name_files() -> None:
    """``{cases}`` and ``{answers}`` are paths."""
    assert ANSWERS == program(FILES, "{cases}", "{answers}")(CASES)


def test_the_words_of_a_command_are_not_parsed_by_a_shell(tmp_path: Path) -> None:
    """A word is passed unchanged, whatever it contains."""
    mark = tmp_path / "mark"
    program(ECHO, f"; touch {mark}", f"$(touch {mark})")(CASES)

    assert not mark.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import sys; sys.exit('no weights')", "exit code 1: no weights"),
        ("print('hello')", "line 1 is not an answer"),
        ("", "3 of 3 cases have no answer"),
        ('print(\'{"id": "x", "answer": ""}\')', 'answers no case: "x"'),
        ('print(\'{"id": "c1", "answer": 3}\')', "`answer` is 3"),
        ('print(\'{"id": "c1", "answer": ""}\\n\' * 2)', "answers a case twice"),
    ],
)
def test_a_command_that_violates_the_contract_is_an_error(text: str, message: str) -> None:
    """The error names the exit code, the invalid line or the missing answers."""
    with pytest.raises(ShieldError, match=message):
        program(text)(CASES)


def test_a_command_without_an_output_file_is_an_error() -> None:
    """A command that writes no answers, and one that does not exist, are errors."""
    with pytest.raises(ShieldError, match="it wrote no answers"):
        program("", "{answers}")(CASES)
    with pytest.raises(ShieldError, match="cannot start"):
        Command(words=("no-such-program",))(CASES)


@pytest.mark.release
@pytest.mark.slow
def test_a_command_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    """With what it started."""
    mark = tmp_path / "mark"
    late = f"import time; time.sleep(3); open({str(mark)!r}, 'w')"
    begin = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {late!r}])"
    text = f"{begin}; time.sleep(9)"

    with pytest.raises(ShieldError, match="not done within 1 s"):
        program(text, timeout_s=1)(CASES)
    time.sleep(3)
    assert not mark.exists()


class Echo(BaseHTTPRequestHandler):
    """An endpoint that answers cases as the contract requires."""

    def do_POST(self) -> None:
        if self.path != "/answers":
            self.send_error(500)
            return
        body = self.rfile.read(int(self.headers["content-length"]))
        cases = [json.loads(line) for line in body.splitlines()]
        lines = [json.dumps({"id": one["id"], "answer": one["prompt"].upper()}) for one in cases]
        self.send_response(200)
        self.end_headers()
        self.wfile.write("\n".join(lines).encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    """Serve one endpoint."""
    with HTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_an_endpoint_receives_the_cases(address: str) -> None:
    """The cases are posted; an HTTP error and an invalid address are reported."""
    assert ANSWERS == Endpoint(url=f"{address}/answers")(CASES)
    with pytest.raises(ShieldError, match="does not answer: HTTP Error 500"):
        Endpoint(url=f"{address}/other")(CASES)
    with pytest.raises(ShieldError, match="not an HTTP address"):
        Endpoint(url="file:///etc/passwd")(CASES)


@pytest.fixture
def raw() -> Iterator[Callable[[Iterable[bytes]], str]]:
    """Return a function that serves raw bytes, one portion each 0.1 s."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve(portions: Iterable[bytes]) -> str:
            def run() -> None:
                with suppress(OSError):
                    connection, _ = server.accept()
                    with connection:
                        connection.recv(65_536)
                        for portion in portions:
                            connection.sendall(portion)
                            time.sleep(0.1)
                        connection.shutdown(socket.SHUT_WR)
                        while connection.recv(65_536):
                            pass

            threading.Thread(target=run, daemon=True).start()
            return f"http://127.0.0.1:{server.getsockname()[1]}/"

        yield serve


@pytest.mark.parametrize(
    ("portions", "message"),
    [
        ([b"hello\r\n\r\n"], "does not answer: hello"),
        ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"], "does not answer"),
        (
            [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab"],
            "does not answer: IncompleteRead",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_endpoint_without_http_is_an_error(
    raw: Callable[[Iterable[bytes]], str], portions: list[bytes], message: str
) -> None:
    """An invalid reply and an invalid address are errors of one line."""
    with pytest.raises(ShieldError, match=message):
        Endpoint(url=raw(portions))(CASES)
    with pytest.raises(ShieldError, match="does not answer"):
        Endpoint(url="http://a b/")(CASES)
    gc.collect()  # urllib leaves the socket of a bad reply to the collector, which warns of it


def test_the_time_of_an_endpoint_is_for_all_answers(
    raw: Callable[[Iterable[bytes]], str],
) -> None:
    """A server that sends a byte now and then does not prolong it."""
    dripping = (b"HTTP/1.1 200 OK\r\nX: " if n == 0 else b"a" for n in range(50))
    began = time.monotonic()
    with pytest.raises(ShieldError, match=r"not done within 0\.3 s"):
        Endpoint(url=raw(dripping), timeout_s=0.3)(CASES)

    assert time.monotonic() - began < 2


def test_a_function_answers_prompts() -> None:
    """The error of a function that raises, or returns no text, names the case."""
    assert ANSWERS == Function(str.upper)(CASES)
    with pytest.raises(ShieldError, match="case `c0`: ZeroDivisionError"):
        Function(lambda prompt: str(1 / 0))(CASES)
    with pytest.raises(ShieldError, match="case `c0`: it answers"):
        Function(len)(CASES)  # type: ignore[arg-type]


def test_blank_lines_are_skipped() -> None:
    """Blank lines between the answers are skipped."""
    lines = b"\n".join(b'{"id": "c%d", "answer": ""}\n' % n for n in range(3))

    assert {"c0", "c1", "c2"} == read_answers(lines, CASES).keys()

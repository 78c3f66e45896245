"""`abs-shield mcp`: errors of its command line; `tests/service` tests the proxy."""

from __future__ import annotations

import json
import socket
import subprocess
import sys

import pytest

from tests.processes import run_python
from tests.requirements import needs_fastmcp

RUN = "import sys; from abs_shield.cli import main; sys.exit(main(sys.argv[1:]))"


CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}}
OPENING = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": CLIENT | {"clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip


def run(*argv: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command in its own process with this standard input."""
    return run_python("-c", RUN, "mcp", *argv, check=False, input=stdin)


def run_with_client(*argv: str) -> subprocess.CompletedProcess[str]:
    """Run the command with a client that opens a connection and closes it."""
    return run(*argv, stdin=json.dumps(OPENING) + "\n")


@pytest.mark.parametrize("argv", [[], ["--url", "http://127.0.0.1:1/mcp", "--", "cat"]])
def test_exactly_one_server_is_required(command, argv):
    """A command together with `--url`, and neither of them, is an error."""
    done = command("mcp", *argv)

    assert (2, "") == (done.code, done.out)
    assert done.err == "abs-shield: give either a command behind `--`, or `--url`\n"


def test_without_the_extra():
    """Without fastmcp the error names the package to install."""
    without_fastmcp = f"import sys; sys.modules['fastmcp'] = None; {RUN}"
    done = run_python("-c", without_fastmcp, "mcp", "--", "cat", check=False)

    assert (2, "") == (done.returncode, done.stdout)
    assert "needs `fastmcp`; run `pip install 'abs-shield[fastmcp]'`" in done.stderr


@needs_fastmcp
@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["--", "no-such-command"], "command `no-such-command` not found; give its path"),
        (
            ["--url", "localhost:1"],
            "`localhost:1` is not a valid URL; use e.g. `http://host:port/mcp`",
        ),
        (["--url", "http://[::1"], "`http://[::1` is not a valid URL"),
        (["--url", "http://127.0.0.1:1/mcp"], "cannot reach `http://127.0.0.1:1/mcp`: All conn"),
        (["--url", "http://a:b@127.0.0.1:1/m?k=b"], "cannot reach `http://127.0.0.1:1/m`: All"),
        (["--url", "ws://a:b@c/m?k=b"], "`ws://c/m` is not a valid URL"),
        (
            ["--http", "8000", "--", "cat"],
            "`8000` is not a valid address; use e.g. `127.0.0.1:8000`",
        ),
        (["--http", "127.0.0.1:99999", "--", "cat"], "is not a valid address"),
        (["--policy", "nowhere", "--", "cat"], "write `package.module:attr`"),
        (["--x", "--", "cat"], "no option is named `--x`"),
    ],
)
def test_a_mistake_is_one_line(command, argv, expected):
    """A wrong argument is exit code 2 and one line that says what is wrong."""
    done = command("mcp", *argv)

    assert (2, "") == (done.code, done.out)
    assert expected in done.err
    assert done.err.startswith("abs-shield: ")
    assert done.err.count("\n") == 1


@needs_fastmcp
def test_a_port_in_use_is_an_error():
    """The error names the address and asks for another one."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        done = run("--http", place, "--", "cat")

    assert 2 == done.returncode
    assert f"cannot listen on `{place}`: Address already in use; choose another" in done.stderr


@pytest.mark.release
@pytest.mark.slow
@needs_fastmcp
@pytest.mark.parametrize("argv", [["false"], ["echo", "hello"]])
def test_a_server_that_ends_immediately_is_an_error(argv):
    """The client receives the error that is also on stderr; the exit code is 2."""
    done = run_with_client("--log", "none", "--", *argv)
    answer = json.loads(done.stdout)

    message = (
        f"`{argv[0]}` is not an MCP server, or ended immediately: "
        "Connection closed; run it by itself"
    )
    assert (1, message) == (answer["id"], answer["error"]["message"])
    assert (2, f"abs-shield: {message}\n") == (done.returncode, done.stderr)


@needs_fastmcp
def test_the_server_is_not_started_without_a_client(tmp_path):
    """Without a client the command ends with exit code 0 and never starts the server."""
    started = tmp_path / "started"
    done = run("--log", "none", "--", "touch", str(started))

    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    assert not started.exists()


@needs_fastmcp
@pytest.mark.parametrize("dashes", [["--"], []])
def test_options_after_the_command_are_passed_to_the_server(dashes):
    """Everything after the command is passed on, even if it looks like an option of the proxy."""
    program = ["-c", "import sys; sys.exit(str(sys.argv[1:]))", "--policy"]
    done = run_with_client("--log", "none", *dashes, sys.executable, *program)

    assert "['--policy']" in done.stderr


@needs_fastmcp
@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["--header", "Authorization: s3cret"], "`--header` number 1 is not valid; write"),
        (["--header", "A=x", "--header", "s3cret"], "`--header` number 2 is not valid; write"),
        (["--header", "A=s3cret\n"], "the value of `--header A` must be printable ASCII"),
        (["--header", "A=env:NOT_SET_"], "the environment variable `NOT_SET_` is not set"),
    ],
)
def test_an_invalid_header_is_an_error(argv, expected):
    """The error of an invalid header does not contain the header's value."""
    done = run(*argv, "--url", "http://127.0.0.1:1/mcp")

    assert (2, "") == (done.returncode, done.stdout)
    assert expected in done.stderr
    assert "s3cret" not in done.stderr


@needs_fastmcp
def test_a_header_requires_a_url():
    """`--header` with a command is an error, because a command reads no headers."""
    done = run("--header", "A=x", "--", "cat")

    assert 2 == done.returncode
    assert "`--header` is for `--url`" in done.stderr

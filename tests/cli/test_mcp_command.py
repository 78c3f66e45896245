"""`abs-shield mcp`: what a user gets wrong is one line; `tests/service` has the rest."""

from __future__ import annotations

import socket
import subprocess
import sys
from importlib.util import find_spec

import pytest

HAS_FASTMCP = find_spec("fastmcp") is not None
needs_fastmcp = pytest.mark.skipif(not HAS_FASTMCP, reason="the extra `fastmcp` is not installed")
RUN = "import sys; from abs_shield.cli import main; sys.exit(main(sys.argv[1:]))"


def run(*argv: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, with nothing on its standard input."""
    return subprocess.run(
        [sys.executable, "-c", RUN, "mcp", *argv],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("argv", [[], ["--url", "http://127.0.0.1:1/mcp", "--", "cat"]])
def test_one_server_is_named(command, argv):
    """A command or a URL, not both and not neither."""
    done = command("mcp", *argv)

    assert (2, "") == (done.code, done.out)
    assert done.err == "abs-shield: give either a command behind `--`, or `--url`\n"


@pytest.mark.skipif(HAS_FASTMCP, reason="the extra `fastmcp` is installed")
def test_without_the_extra():
    """What to install is said."""
    done = run("--", "cat")

    assert (2, "") == (done.returncode, done.stdout)
    assert "needs `fastmcp`; run `pip install 'abs-shield[fastmcp]'`" in done.stderr


@needs_fastmcp
@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--", "no-such-command"], "there is no command `no-such-command`; give its path"),
        (["--", "false"], "`false` is no MCP server, or ended at once: Connection closed; run"),
        (["--", "echo", "hello"], "`echo` is no MCP server, or ended at once"),
        (["--url", "localhost:1"], "`localhost:1` is no URL; write `http://host:port/mcp`"),
        (["--url", "http://[::1"], "`http://[::1` is no URL"),
        (["--url", "http://127.0.0.1:1/mcp"], "cannot reach `http://127.0.0.1:1/mcp`: All conn"),
        (["--http", "8000", "--", "cat"], "`8000` is no place to listen; write `127.0.0.1:8000`"),
        (["--http", "127.0.0.1:99999", "--", "cat"], "is no place to listen"),
        (["--policy", "nowhere", "--", "cat"], "write `package.module:attr`"),
        (["--x", "--", "cat"], "no option is named `--x`"),
    ],
)
def test_a_mistake_is_one_line(argv, told):
    """Whatever is wrong at the start is answered with one line that helps, and exit code 2."""
    done = run(*argv)

    assert (2, "") == (done.returncode, done.stdout)
    assert told in done.stderr
    assert done.stderr.startswith("abs-shield: ")
    assert done.stderr.count("\n") == 1


@needs_fastmcp
def test_a_port_that_is_taken():
    """Who listens there already is not disturbed."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        done = run("--http", place, "--", "cat")

    assert 2 == done.returncode
    assert f"cannot listen on `{place}`: Address already in use; take another" in done.stderr


@needs_fastmcp
def test_options_of_the_server_are_its_own():
    """What stands behind the command is passed on, also where it looks like an option of ours."""
    done = run("--", sys.executable, "-c", "import sys; sys.exit(str(sys.argv[1:]))", "--policy")

    assert "['--policy']" in done.stderr

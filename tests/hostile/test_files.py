"""Commands with damaged or malicious run files, OpenAPI files and logs."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from abs_shield import StoreError
from abs_shield.cli import main
from abs_shield.openapi import operations
from abs_shield.replay import BadLine, Run, Toolsets, runs
from abs_shield.stores import SqliteStore, verify
from tests.stores.conftest import decision

PLAIN = b'{"messages": [{"role": "user", "content": "hello"}]}'
RUN_FILES = {
    "a byte order mark": (b"\xef\xbb\xbf" + PLAIN, 1),
    "line ends of Windows": (PLAIN + b"\r\n" + PLAIN + b"\r\n", 2),
    "UTF-16": (PLAIN.decode().encode("utf-16"), 0),
    "no UTF-8": (PLAIN.replace(b"hello", b"\xff\xfe"), 0),
    "a null byte": (PLAIN + b"\n\x00\n" + PLAIN, 2),
    "a number of 10,000 digits": (b'{"messages": ' + b"9" * 10_000 + b"}\n" + PLAIN, 1),
    "too deep": (b'{"messages": ' + b"[" * 100_000 + b"\n" + PLAIN, 1),
    "a bomb": (gzip.compress(b" " * 3_000_000 + b"\n" + PLAIN), 1),
    "two members": (gzip.compress(PLAIN + b"\n") + gzip.compress(PLAIN), 2),
    "nothing": (b"", 0),
    "nothing packed": (gzip.compress(b""), 0),
}


@pytest.mark.parametrize("name", RUN_FILES)
def test_a_damaged_run_file_is_read_or_reported(tmp_path: Path, name: str) -> None:
    """Every line is a run, or a bad line with a reason on one line."""
    data, expected = RUN_FILES[name]
    path = tmp_path / "runs.jsonl"
    path.write_bytes(data)
    read = [*runs([str(path)], Toolsets())]

    assert expected == sum(isinstance(one, Run) for one in read)
    assert all("\n" not in str(one) for one in read if isinstance(one, BadLine))


YAML = {
    "an object of Python": '!!python/object/apply:os.system ["touch owned"]',
    "a module of Python": "paths: !!python/module:os {}",
}


@pytest.mark.parametrize("name", YAML)
def test_an_openapi_file_runs_no_code(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """YAML tags that create Python objects are rejected with an error of one line."""
    pytest.importorskip("yaml", reason="needs `pip install abs-shield[yaml]`")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "api.yaml"
    path.write_text(YAML[name])

    assert 2 == main(["init", "--openapi", str(path)])
    assert 1 == capsys.readouterr().err.count("\n")
    assert [path] == [*tmp_path.iterdir()]


def test_an_external_reference_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file or address of a `$ref` is opened, and the tool is still read."""
    secret = tmp_path / "secret.json"
    secret.write_text('{"type": "string", "description": "a secret"}')
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("it connected"))
    monkeypatch.chdir(tmp_path)
    places = {"a": f"file://{secret}", "b": "http://127.0.0.1:9/x", "c": "secret.json"}
    schema = {"properties": {name: {"$ref": place} for name, place in places.items()}}
    body = {"content": {"application/json": {"schema": schema}}}
    whole = {"openapi": "3.1.0", "paths": {"/x": {"post": {"requestBody": body}}}}
    found = operations(whole)

    assert (1, False) == (len(found.tools), "a secret" in repr(found))


def damage(path: Path, kind: str) -> None:
    data = path.read_bytes()
    noise = random.Random(1).randbytes(len(data))
    path.write_bytes({
        "empty": b"", "random": noise, "cut": data[: len(data) // 2],
        "random behind its head": data[:4096] + noise[4096:], "zeros": bytes(len(data)),
    }[kind])  # fmt: skip


@pytest.mark.parametrize("kind", ["empty", "random", "cut", "random behind its head", "zeros"])
def test_a_damaged_log_is_reported_on_one_line(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command that reads the log exits with 1 or 2, without a traceback."""
    path = tmp_path / "log.db"
    store = SqliteStore(path)
    for number in range(50):
        store.append(decision(number))
    assert store.close()
    damage(path, kind)

    for words in (["log", "verify"], ["log", "export"], ["report"]):
        assert main([*words, str(path)]) in (1, 2), words
        output = capsys.readouterr()
        assert "Traceback" not in output.err, words
        assert "\n" not in output.err.strip(), words


@pytest.mark.parametrize("at", [-1e18, 0.0, 1e18, float("nan"), float("inf")])
def test_a_log_accepts_decisions_of_any_time(tmp_path: Path, at: float) -> None:
    """A decision with a time such as NaN or 1e18 is stored, read, verified and pruned."""
    store = SqliteStore(tmp_path / "log.db")
    for number in range(3):
        store.append(decision(number, at=at if number == 1 else 1.0))

    assert 3 == len(store.decisions())
    assert [] == list(verify(store))
    assert store.prune(2.0) in range(4)
    assert store.close()


def test_opening_a_missing_log_raises_an_error(tmp_path: Path) -> None:
    """No file is created."""
    with pytest.raises(StoreError, match="no such file"):
        SqliteStore(tmp_path / "no.db", existing=True)
    assert [] == [*tmp_path.iterdir()]

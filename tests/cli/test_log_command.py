"""`abs-shield log` verifies, exports and prunes the decision log."""

from __future__ import annotations

import contextlib
import json
import sqlite3

import pytest

from abs_shield import Decision, Shield, ToolCall, shield
from abs_shield.core.label import Label, Truth
from abs_shield.stores import SqliteStore
from abs_shield.stores.store_address import KEY, LOG
from tests.stores.conftest import decision

TOOL = {
    "name": "refund",
    "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
}


@pytest.fixture
def log(tmp_path, monkeypatch):
    """Return the log of a run in audit mode: five clean calls and a hostile phantom, labelled."""
    monkeypatch.delenv(KEY, raising=False)
    path = tmp_path / "decisions.db"
    store = SqliteStore(path)
    firewall = Shield(shield.configure(mode="audit"), store=store, hooks=None)
    firewall.register(TOOL)
    with firewall.session("s1") as session:
        session.user("Refund tx_12345.")
        for number in range(5):
            firewall.check_call(ToolCall("refund", {"id": "tx_12345"}, f"c{number}"))
        firewall.check_call(ToolCall("x\x1b[2J\ud800", {"id": "tx_1"}, "c5"))
    phantom = store.decisions(session_id="s1")[-1]
    store.label(Label(decision_id=phantom.id, truth=Truth.HALLUCINATED, at=1.0))
    store.close()
    return str(path)


def change(path: str, sql: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(sql)


def test_an_intact_log_verifies(command, log):
    """`log verify` counts records, chains and faults, and exits with 0."""
    done = command("log", "verify", log)

    assert (0, "records: 7, chains: 1, faults: 0\n", "") == done


def test_an_edited_log_does_not_verify(command, log):
    """The exit code is 1, and a line names the edited record."""
    change(log, "UPDATE records SET sealed = replace(sealed, 'audit', 'strict') WHERE seq = 2")
    done = command("log", "verify", log)

    assert 1 == done.code
    assert "record 2: edited: its digest does not match" in done.out
    assert "faults: 1" in done.out


def test_verify_prints_json(command, log):
    """The JSON object has the counts and the first faults."""
    change(log, "DELETE FROM records WHERE seq = 3")
    output = json.loads(command("log", "verify", log, "--format", "json").out)

    assert (False, 6, 1) == (output["whole"], output["records"], output["faults"])
    assert (4, "missing") == (output["first_faults"][0]["seq"], output["first_faults"][0]["code"])


def test_the_example_of_the_help_runs_every_day(command, log, tmp_path, monkeypatch):
    """The first command of the example saves heads; the second compares with them each day."""
    monkeypatch.chdir(tmp_path)
    shown = command("log", "verify", "--help").out.split("Example: ")[1]
    first, others = " ".join(shown.replace("\\", "").split()).split(" Every day from then on: ")

    for line in (first, others, others):
        words = line.removeprefix("abs-shield ").replace("decisions.db", log).split()
        done = command(*words)
        assert (0, "") == (done.code, done.err)


def test_saved_heads_detect_a_truncated_log(command, log, tmp_path):
    """Heads of a truncated log are not saved over the earlier ones."""
    heads = str(tmp_path / "heads.json")
    assert 0 == command("log", "verify", log, "--save-heads", heads).code
    change(log, "DELETE FROM records WHERE seq > 5")
    change(log, "UPDATE heads SET seq = 5, digest = (SELECT digest FROM records WHERE seq = 5)")
    done = command("log", "verify", log, "--heads", heads, "--save-heads", heads)

    assert 1 == done.code
    assert "an earlier verification read 7 records, now 5" in done.out
    assert 7 == next(iter(json.loads((tmp_path / "heads.json").read_text()).values()))["seq"]


def test_the_key_comes_from_the_environment(command, log, monkeypatch, tmp_path):
    """A log verifies only with the key with which it was sealed."""
    monkeypatch.setenv(KEY, "secret")
    assert "unsealed: it is sealed without the key" in command("log", "verify", log).out
    with contextlib.closing(SqliteStore(tmp_path / "sealed.db", key=b"secret")) as store:
        store.append(Decision.from_dict(next(export_log(command, log))))
    assert 0 == command("log", "verify", tmp_path / "sealed.db").code
    monkeypatch.setenv(KEY, "other")
    assert 1 == command("log", "verify", tmp_path / "sealed.db").code


def export_log(command, log, *options):
    done = command("log", "export", log, *options)
    assert (0, "") == (done.code, done.err)
    for line in done.out.splitlines():
        record = json.loads(line)
        record.pop("label")
        yield record


def test_decisions_are_exported_unchanged(command, log):
    """Each line is ASCII and parses to the stored decision, with its label."""
    done = command("log", "export", log)
    records = [Decision.from_dict(record) for record in export_log(command, log)]

    with contextlib.closing(SqliteStore(log)) as store:
        assert store.decisions() == records
    assert done.out.isascii()
    assert "\x1b" not in done.out
    labels = [json.loads(line)["label"] for line in done.out.splitlines()]
    assert [*[None] * 5, "hallucinated"] == labels


def test_since_and_until_limit_the_export(command, log):
    """`--since 1h` exports all decisions, and `--until` an earlier date none."""
    assert 6 == len([*export_log(command, log, "--since", "1h")])
    assert 0 == len([*export_log(command, log, "--until", "2026-01-01")])


def test_decisions_are_exported_as_parquet(command, log, tmp_path):
    """Each field is a column; text that is not valid UTF-8 is escaped."""
    parquet = pytest.importorskip(
        "pyarrow.parquet", reason="needs `pip install abs-shield[parquet]`"
    )
    path = tmp_path / "decisions.parquet"
    done = command("log", "export", log, "--format", "parquet", "-o", path)
    table = parquet.read_table(path).to_pylist()

    assert (0, "", f"6 decisions written to {path}\n") == done
    assert ("x\x1b[2J\\ud800", "hallucinated") == (table[-1]["tool"], table[-1]["label"])
    assert "unknown_tool" == table[-1]["findings"][0]["code"]
    assert "ran" == dict(table[0]["coverage"])["phantom_tool"]["outcome"]


def test_old_records_are_pruned(command, log):
    """`log prune` deletes old records, and the rest of the log verifies."""
    done = command("log", "prune", log, "--older-than", "2020-01-01")
    assert (0, "0 records deleted; 6 decisions remain\n") == (done.code, done.out)
    done = command("log", "prune", log, "--older-than", "0s")
    assert (0, "7 records deleted; 0 decisions remain\n") == (done.code, done.out)
    assert 0 == command("log", "verify", log).code


def test_the_log_may_be_named_by_the_environment(command, log, monkeypatch):
    """Without an argument the commands use the log of `ABS_SHIELD_LOG`."""
    monkeypatch.setenv(LOG, log)

    assert "records: 7" in command("log", "verify").out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["verify", "{dir}/no.db"], "there is no such file"),
        (["verify", "{dir}"], "cannot open the decision log"),
        (
            ["verify", "{log}", "--heads", "{dir}/no.json"],
            "No such file; heads are written by a first",
        ),
        (["verify", "{log}", "--heads", "{text}"], "it is not JSON"),
        (["verify", "{log}", "--heads", "{none}"], "it holds no heads; write them from a log"),
        (["verify", "{text}"], "it is not a SQLite database"),
        (["prune", "{log}"], "give the age of the records to delete: `--older-than 90d`"),
        (
            ["prune", "{log}", "--older-than", "soon"],
            "`--older-than`: `soon` is not a valid time; use e.g. 7d",
        ),
        (["prune", "{log}", "--older-than", "2999-01-01"], "which is in the future"),
        (["export", "{log}", "--format", "parquet"], "name a file: `--output"),
        (["export", "{log}", "-o", "{dir}/no/x.jsonl"], "there is no folder"),
        (["export", "{log}", "-o", "{dir}"], "is a folder; name a file in it"),
        (["export", "{log}", "--format", "csv"], "`csv` is not valid"),
        (["verfy"], "no command is named `verfy`; did you mean `verify`?"),
        ([], "a command is missing; there are verify, export, prune"),
    ],
)
def test_bad_input_is_reported_on_one_line(command, log, tmp_path, argv, message):
    """The line has a hint, and the exit code is 2."""
    (tmp_path / "text").write_text("nothing that any of them reads " * 40)
    (tmp_path / "none").write_text("{}")
    names = {"log": log, "dir": tmp_path, "text": tmp_path / "text", "none": tmp_path / "none"}
    done = command("log", *(word.format(**names) for word in argv))

    assert (2, "", 1) == (done.code, done.out, done.err.count("\n"))
    assert message in done.err


def test_an_interrupted_export_leaves_no_partial_file(command, log, tmp_path, monkeypatch):
    """If an export raises, neither the output file nor a temporary file exists."""
    monkeypatch.setattr(SqliteStore, "scan", lambda *_, **__: iter([None]))
    with pytest.raises(AttributeError):
        command("log", "export", log, "-o", tmp_path / "out.jsonl")

    assert ["decisions.db"] == sorted(f.name for f in tmp_path.iterdir() if "db-" not in f.name)


def test_a_log_is_not_overwritten(command, log, tmp_path):
    """Neither its export nor its heads can be written to the log's own path."""
    before = (tmp_path / "decisions.db").read_bytes()
    export = command("log", "export", log, "-o", log)
    heads = command("log", "verify", log, "--save-heads", log)

    assert (2, 2) == (export.code, heads.code)
    assert "is read as well; name another file" in export.err
    assert "`--save-heads`" in heads.err
    assert before[:100] == (tmp_path / "decisions.db").read_bytes()[:100]


def test_a_damaged_file_is_reported_on_one_line(command, log, tmp_path):
    """Random bytes in the middle of a log end every command with one line and no traceback."""
    with contextlib.closing(sqlite3.connect(log)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray((tmp_path / "decisions.db").read_bytes())
    data[4_096:] = bytes(n * n % 251 for n in range(len(data) - 4_096))
    (tmp_path / "decisions.db").write_bytes(data)
    for words in (["log", "verify"], ["log", "export"], ["report"]):
        done = command(*words, log)

        assert (2, 1) == (done.code, done.err.count("\n")), done.err


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE records SET sealed = 'no' WHERE seq IN (2, 7)",
        "UPDATE records SET sealed = replace(sealed, '\"schema_version\":1',"
        " '\"schema_version\":99') WHERE seq IN (2, 7)",
    ],
)
def test_a_record_that_cannot_be_read_is_reported_on_one_line(command, log, tmp_path, damage):
    """Each command that reads an unreadable record names its number; an export can skip it."""
    with contextlib.closing(SqliteStore(log)) as store:
        second = store.decisions()[1].id
    change(log, damage)
    for words in (
        ["log", "export", log],
        ["log", "export", log, "-o", tmp_path / "x.jsonl"],
        ["log", "prune", log, "--older-than", "0s"],
        ["label", second, "ok", "--db", log],
        ["label", "--export", "-", "--db", log],
        ["report", log],
    ):
        done = command(*words)

        assert (2, 1) == (done.code, done.err.count("\n")), (words, done)
        assert "record " in done.err
        assert "run `abs-shield log verify`" in done.err
    assert not (tmp_path / "x.jsonl").exists()
    assert 1 == command("log", "verify", log).code


def test_an_export_can_skip_damaged_records(command, log):
    """It counts the skipped records and labels and names the first; an error names the option."""
    change(log, "UPDATE records SET sealed = 'no' WHERE seq IN (2, 7)")
    assert "`--skip-damaged` leaves such records out" in command("log", "export", log).err
    done = command("log", "export", log, "--skip-damaged")

    assert (0, 5) == (done.code, done.out.count("\n"))
    assert done.err.startswith("2 records are left out; first: record 7 of chain ")


def test_a_damaged_page_loses_no_other_record(command, tmp_path):
    """The readable records of a file with a damaged page are exported, and the rest is counted."""
    log = tmp_path / "log.db"
    with contextlib.closing(SqliteStore(log)) as store:
        for number in range(300):
            store.append(decision(number))
    with contextlib.closing(sqlite3.connect(log)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    data = bytearray(log.read_bytes())
    start = data.index(b'"id":"d-150"') // 4096 * 4096
    data[start : start + 4096] = b"\xff" * 4096
    log.write_bytes(data)

    assert "`--skip-damaged` leaves such records out" in command("log", "export", log).err
    done = command("log", "export", log, "--skip-damaged")
    written = {json.loads(line)["id"] for line in done.out.splitlines()}

    assert 0 == done.code
    assert 280 < len(written) < 300
    assert {"d-0", "d-299"} <= written
    assert f"{300 - len(written)} records are left out" in done.err


def test_pruning_a_tampered_log_is_refused(command, log):
    """The record of the pruning would seal a deletion that hides the tampering."""
    change(log, "UPDATE records SET at = 0 WHERE seq < 5")
    done = command("log", "prune", log, "--older-than", "30d")

    assert (2, "", 1) == (done.code, done.out, done.err.count("\n"))
    assert "keep their records: 1; deleted of others: 0; run `abs-shield log verify`" in done.err
    assert "records: 7" in command("log", "verify", log).out

"""`abs-shield label` stores, reports and exports what operators say about decisions."""

from __future__ import annotations

import asyncio
import json

import pytest

from abs_shield import Shield, shield, shielded
from abs_shield.stores import open_store
from tests.cli.shop import HOSTILE, fill_log, order, refund
from tests.subjects import about_calls


@pytest.fixture
def log(tmp_path):
    return str(tmp_path / "log.db")


def labels(log):
    """Return truth, author and note of each label by decision id."""
    store = open_store(log)
    decisions = {key: (one.truth.value, one.by, one.note) for key, one in store.labels().items()}
    store.close()
    return decisions


def test_a_decision_is_labelled(command, log):
    """The label has its author and note, and the printed line names the decision."""
    (one,) = fill_log(log, refund(1, 900))
    done = command(
        "label", one.id, "hallucinated", "--db", log, "--by", "ann", "--note", "no such order"
    )

    assert (0, "") == (done.code, done.err)
    assert f"{one.id} is labelled hallucinated: call refund, HALLUCINATED by impossible_state" in (
        done.out
    )
    assert {one.id: ("hallucinated", "ann", "no such order")} == labels(log)


@pytest.mark.slow
def test_a_log_in_postgresql_is_labelled(command, dsn):
    """A log on a PostgreSQL server is labelled like a file."""
    (one,) = fill_log(dsn, refund(1, 900))

    assert 0 == command("label", one.id, "ok", "--db", dsn).code
    assert "ok" == labels(dsn)[one.id][0]


def test_a_missed_call_can_be_labelled(command, log):
    """A call that every layer allowed can be labelled, and counts as a miss."""
    (one,) = fill_log(log, order(1))
    done = command("label", one.id, "HALLUCINATED", "--db", log)

    assert (0, True) == (done.code, "every layer missed it" in done.out)


def test_the_newest_label_replaces_an_earlier_one(command, log):
    """A decision labelled twice has the second label; a false alarm is reported as one."""
    (one,) = fill_log(log, refund(1, 900))
    command("label", one.id, "hallucinated", "--db", log)
    done = command("label", one.id, "ok", "--db", log)

    assert "a false alarm" in done.out
    assert "ok" == labels(log)[one.id][0]


def test_the_author_is_the_user_by_default(command, log, monkeypatch):
    """Without `--by`, the author of a label is the current user."""
    monkeypatch.setenv("LOGNAME", "bob")
    (one,) = fill_log(log, order(1))
    command("label", one.id, "ok", "--db", log)

    assert "bob" == labels(log)[one.id][1]


def test_many_decisions_are_labelled_from_stdin(command, log):
    """Each line labels one decision; blank lines and comments are skipped."""
    one, two = fill_log(log, order(1), refund(2, 900))
    lines = f"# from the review\n{one.id} ok\n\n{two.id}\thallucinated\n"
    done = command("label", "--db", log, "--from", "-", "--by", "ann", stdin=lines)

    assert (0, "", 2) == (done.code, done.err, done.out.count("is labelled"))
    assert {one.id: ("ok", "ann", ""), two.id: ("hallucinated", "ann", "")} == labels(log)


def test_bad_lines_are_reported_and_the_rest_is_labelled(command, log, tmp_path):
    """Each bad line is reported with its number, and the exit code is not 0."""
    (one,) = fill_log(log, order(1))
    path = tmp_path / "review.txt"
    path.write_text(f"d-9 ok\n{one.id} okay\n{one.id}\n{one.id} ok\n")
    done = command("label", "--db", log, "--from", path)

    assert (2, 1) == (done.code, len(labels(log)))
    output = done.err.splitlines()
    assert [f"{path}:{n}: " in line for n, line in enumerate(output, 1)] == [True] * 3
    assert "no decision `d-9` is in the log" in output[0]
    assert "did you mean `ok`?" in output[1]


def test_labels_are_exported(command, log, tmp_path):
    """Each labelled call is one line in ASCII with the fields of its decision."""
    one, _ = fill_log(log, {**refund(1, 900), "id": "c1"}, order(2))
    command("label", one.id, "hallucinated", "--db", log)
    path = tmp_path / "labels.jsonl"
    done = command("label", "--db", log, "--export", path)

    assert (0, "", "") == done
    assert [
        {
            "session_id": one.session_id, "run_id": one.run_id, "call_id": "c1",
            "decision_id": one.id, "label": "hallucinated",
        }
    ] == [json.loads(line) for line in path.read_text().splitlines()]  # fmt: skip
    assert path.read_text() == command("label", "--db", log, "--export", "-").out


def test_labels_of_decorated_functions_match_their_recorded_calls(command, log, tmp_path):
    """Calls without an id are found again after recording, labelling, export and backtest."""
    record = tmp_path / "runs.jsonl"
    decisions = audit_decorated(log, record)
    for decision in decisions:
        truth = "ok" if decision.verdict == "CLEAN" else "hallucinated"
        command("label", decision.id, truth, "--db", log)
    label_file = tmp_path / "labels.jsonl"
    command("label", "--export", label_file, "--db", log)
    done = command("backtest", record, "--labels", label_file, "--format", "json")

    assert (0, "") == (done.code, done.err)
    report = json.loads(done.out)
    assert [None] * 6 == [decision.call_id for decision in decisions]
    assert (4, 2, 6) == tuple(
        report["labels"][k] for k in ("ok", "hallucinated", "in_file_matched")
    )
    flags = report["new"]["scores"]["flagged"]
    assert (2, 2) == (flags["precision"]["count"], flags["precision"]["of"])
    assert (2, 2) == (flags["recall"]["count"], flags["recall"]["of"])


def audit_decorated(log, record):
    """Audit two decorated tools, sync and async, in sessions of two turns; return the decisions."""
    store = open_store(log)
    firewall = Shield(shield.configure(mode="audit"), store=store, record=str(record), hooks=None)

    @shielded(firewall)
    def cancel_order(order_id: str) -> str:
        """Cancel an order."""
        return "cancelled"

    @shielded(firewall)
    async def get_order(order_id: str) -> str:
        """Get an order."""
        return "there it is"

    for n in (1, 2):
        with firewall.session(f"s{n}") as session:
            session.user(f"Where is W100{n}?")
            asyncio.run(get_order(f"W100{n}"))
            session.user("Cancel it.")
            cancel_order(f"W100{n}")
            cancel_order("W9999")
    firewall.close()
    decisions = about_calls(store)
    assert store.close()
    return decisions


def test_labels_without_a_decision_are_left_out(command, log):
    """An export counts labels of pruned decisions, and of decisions that are not about calls."""
    import dataclasses

    from abs_shield.core import Subject

    (one,) = fill_log(log, order(1))
    store = open_store(log)
    store.append(dataclasses.replace(one, id="r-1", subject=Subject.RESULT))
    store.close()
    command("label", "r-1", "ok", "--db", log)
    done = command("label", "--db", log, "--export", "-")

    assert (0, "") == (done.code, done.out)
    assert done.err.startswith("1 label left out")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["d-9", "ok"], "no decision `d-9` is in the log"),
        (["ID", "halucinated"], "did you mean `hallucinated`?"),
        (["ID", "maybe"], "label must be `hallucinated` or `ok`, not `maybe`"),
        (["IDx", "ok"], "is in the log; did you mean `"),
        (["ID"], "no label for `"),
        ([], "give a DECISION and its truth"),
        (["ID", "ok", "--export", "x"], "give a DECISION and its truth"),
        (["--from", "nowhere.txt"], "nowhere.txt: "),
        (["--export", "nowhere/x.jsonl"], "nowhere`"),
    ],
)
def test_bad_input_is_one_line(command, log, argv, message):
    """Invalid input is one line with a hint and exit code 2, and labels nothing."""
    (one,) = fill_log(log, order(1))
    done = command("label", *(word.replace("ID", one.id) for word in argv), "--db", log)

    assert (2, 1, {}) == (done.code, done.err.count("\n"), labels(log))
    assert message in done.err


def test_the_label_is_read_before_the_log(command, tmp_path):
    """An invalid label is reported first, whether the log exists or not."""
    done = command("label", "d-1", "maybe", "--db", tmp_path / "no.db")

    assert (2, 1) == (done.code, done.err.count("\n"))
    assert "label must be `hallucinated` or `ok`, not `maybe`" in done.err


def test_a_missing_log_is_not_created(command, tmp_path):
    """A misspelt path of a log creates no file."""
    done = command("label", "d-1", "ok", "--db", tmp_path / "no.db")

    assert (2, []) == (done.code, list(tmp_path.iterdir()))


def test_control_characters_of_a_tool_name_are_escaped(command, log):
    """The tool's name reaches the terminal escaped."""
    (one,) = fill_log(log, {"name": HOSTILE, "arguments": {}})
    done = command("label", one.id, "hallucinated", "--db", log)

    assert not {"\x1b", "\u202e"} & set(done.out + done.err)
    assert "<script>\\x1b[2J" in done.out


def test_help_has_an_example(command):
    """`label --help` ends with an example."""
    assert "Example: abs-shield label" in command("label", "--help").out


def test_a_unique_prefix_of_an_id_is_enough(command, log):
    """The printed line has the whole id."""
    (one,) = fill_log(log, order(1))
    done = command("label", one.id[:-1], "ok", "--db", log)

    assert (0, True) == (done.code, done.out.startswith(f"{one.id} is labelled ok"))
    fill_log(log, *map(order, range(30)))
    assert "several decisions begin with" in command("label", one.id[:8], "ok", "--db", log).err


def test_a_line_of_labels_needs_the_whole_id(command, log):
    """A shortened id in a file of labels is not matched to another decision."""
    (one,) = fill_log(log, order(1))
    done = command("label", "--from", "-", "--db", log, stdin=f"{one.id[:-1]} ok\n")

    assert (2, {}) == (done.code, labels(log))


def test_a_line_that_is_not_utf8_is_reported(command, log, tmp_path):
    """The lines before and after it are used."""
    first, second = fill_log(log, order(1), order(2))
    path = tmp_path / "said.txt"
    path.write_bytes(f"{first.id} ok\n".encode() + b"\xff ok\n" + f"{second.id} ok".encode())
    done = command("label", "--from", path, "--db", log)

    assert (2, {first.id, second.id}) == (done.code, {*labels(log)})
    assert f"{path}:2: the line is not UTF-8 at byte 0\n" == done.err


def test_at_most_five_bad_lines_are_reported(command, log, tmp_path):
    """Five bad lines are reported, and the rest is counted."""
    fill_log(log, order(1))
    path = tmp_path / "wrong.txt"
    path.write_text("no label\n" * 90)
    done = command("label", "--from", path, "--db", log)

    assert (2, "", 6) == (done.code, done.out, done.err.count("\n"))
    assert done.err.endswith(":6: from here on 85 more lines that cannot be used\n")

"""`abs-shield flywheel`: from a log to accepted gaps."""

from __future__ import annotations

import json
import stat

import pytest

from abs_shield.flywheel.flywheel_database import database
from abs_shield.flywheel.gap import GapState, mark_gap
from abs_shield.flywheel.review import reviews_of
from abs_shield.flywheel.version_registry import NewVersion, VersionRegistry
from tests.cli.shop import fill_log, order, refund


@pytest.fixture
def log(tmp_path):
    """Return the address of a log with four excessive refunds and two invented tools."""
    address = str(tmp_path / "log.db")
    phantoms = [{"name": "get_ordr", "arguments": {"order_id": "W1"}}] * 2
    fill_log(address, order(1), *(refund(n, 900 + n) for n in range(4)), *phantoms)
    return address


@pytest.fixture
def flywheel(command, tmp_path):
    """Return a function that runs a flywheel command on one file."""

    def run(name: str, *argv, stdin: str = ""):
        return command("flywheel", name, *argv, "--book", tmp_path / "book.db", stdin=stdin)

    return run


@pytest.fixture
def gaps(flywheel, log) -> list[str]:
    """Return the ids of two open gaps, the more severe one first."""
    flywheel("harvest", log)
    flywheel("curate")
    return [gap["id"] for gap in state(flywheel)["gaps"]]


def state(flywheel):
    return json.loads(flywheel("status", "--format", "json").out)


def test_a_second_harvest_reads_nothing_new(flywheel, log):
    """The second harvest of an unchanged log reads no decisions."""
    assert (0, "7 decisions read: 6 new catches, 0 new labels\n", "") == flywheel("harvest", log)
    assert (0, "0 decisions read: 0 new catches, 0 new labels\n", "") == flywheel("harvest", log)


def test_the_status_has_a_row_for_each_gap_and_a_total(flywheel, log):
    """Before curation the status counts the catches that are in no gap yet."""
    flywheel("harvest", log)
    assert "6 catches are in no gap yet" in flywheel("status").out
    flywheel("curate")
    done = flywheel("status")

    assert 0 == done.code
    assert "Rule violated: refund amount" in done.out
    assert "4 of 4   100.0%   51.0% to 100.0%" in done.out
    assert "7 decisions, 6 catches, gaps: 2 open; 0 false alarms" in done.out


def test_one_catch_is_not_plural(command, tmp_path):
    """A count of one has the singular."""
    log, book = tmp_path / "log.db", tmp_path / "book.db"
    fill_log(str(log), refund(1, 900))
    command("flywheel", "harvest", log, "--book", book)

    assert (
        "1 decision, 1 catch, gaps: none; 0 false alarms; 1 catch is in no gap"
        in command("flywheel", "status", "--book", book).out
    )


def test_the_status_names_versions_and_their_reasons(flywheel, gaps, tmp_path):
    """The status has the version in use; `--versions` lists each with its parent and state."""
    registry, path = VersionRegistry(tmp_path / "book.db"), tmp_path / "new.txt"
    path.write_text("new")
    for number in (1, 2):
        path = tmp_path / f"{number}.txt"
        path.write_text(str(number))
        version = registry.add(NewVersion(target="prompt", location=str(path)), by="ann")
        registry.promote(version.id, reason=f"better {number}", by="ann", override="by hand")
    assert "prompt: version 2 is in use since" in flywheel("status").out
    registry.rollback("prompt", reason="rude answers", by="bob")
    listed = flywheel("status", "--versions").out

    assert "version 2 was rolled back: rude answers" in flywheel("status").out
    assert f"{tmp_path / '1.txt'}\n" == flywheel("status", "--resolve", "prompt").out
    assert "prompt version 2, rolled back; parent: version 1" in listed
    assert "rolled back by bob: rude answers" in listed
    assert "promoted in place of version 1 by ann: better 2; override: by hand" in listed
    records = json.loads(flywheel("status", "--versions", "--format", "json").out)["versions"]
    assert [1, 2] == [one["number"] for one in records]
    registry.rollback("prompt", reason="this one, too", by="bob")
    assert "what was there before is in use" in flywheel("status").out


def test_curate_asks_about_each_open_gap(flywheel, gaps, tmp_path):
    """Answers are saved, and the end of stdin ends the questions."""
    done = flywheel("curate", "--by", "ann", stdin="what\naccept\nworth it\n")

    assert 0 == done.code
    assert f"1 of 2: {gaps[0]}" in done.out
    assert "write one of the five words" in done.out
    assert "1 open gap waits for a decision; only accepted gaps are used" in done.out
    assert ["accepted", "open"] == [gap["state"] for gap in state(flywheel)["gaps"]]
    (review,) = reviews_of(tmp_path / "book.db")
    assert (gaps[0], "ann", "worth it") == (review.gap, review.by, review.why)


def test_curate_asks_for_the_right_answer(flywheel, gaps):
    """The question suggests the right answer that the check guessed."""
    done = flywheel("curate", stdin="s\na\ntypo\nget_order\n")

    assert "right answer, if you know it (suggested: get_order)?" in done.out
    assert ["", "get_order"] == [gap["right_answer"] for gap in state(flywheel)["gaps"]]


def test_curate_merges_a_gap_into_another(flywheel, gaps):
    """The merged gap names the gap that it was merged into."""
    flywheel("curate", stdin=f"s\nm\n{gaps[0]}\nsame cause\n")
    assert [("open", ""), ("merged", gaps[0])] == [
        (gap["state"], gap["into"]) for gap in state(flywheel)["gaps"]
    ]


def test_an_invalid_merge_changes_nothing(flywheel, gaps):
    """After an unknown id or an empty reason the gap stays open, and is asked about again."""
    done = flywheel("curate", stdin=f"m\ngap-0\nsame\nm\n{gaps[0]}\n \nq\n")

    assert "no gap has that id" in done.out
    assert {"open"} == {gap["state"] for gap in state(flywheel)["gaps"]}
    flywheel("curate", stdin="m\ngap-0\nsame\na\nworth it\nq\n")
    assert ["accepted", "open"] == [gap["state"] for gap in state(flywheel)["gaps"]]


@pytest.mark.parametrize("name", ["gaps.md", "gaps.json"])
def test_a_reviewed_file_is_imported(flywheel, gaps, tmp_path, name):
    """An exported and edited file is imported; a second import changes nothing."""
    path = tmp_path / name
    done = flywheel("curate", "--export", path)
    assert (0, f"2 open gaps written to {path}\n") == (done.code, done.err)
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)  # as the flywheel's file, which it quotes
    text = path.read_text()
    text = text.replace("- [ ] accept", "- [x] accept", 1)
    text = text.replace('"decision": ""', '"decision": "accept"', 1)
    path.write_text(text)

    arguments = ("--import", path, "--by", "ann", "--why", "worth it")
    assert (0, "1 decision read: 1 new\n", "") == flywheel("curate", *arguments)
    assert ["accepted", "open"] == [gap["state"] for gap in state(flywheel)["gaps"]]
    assert "1 decision read: 0 new\n" == flywheel("curate", *arguments).out


def test_a_second_import_keeps_later_states(flywheel, gaps, tmp_path):
    """A gap that was fixed, reopened or rejected since keeps its state."""
    path, book = tmp_path / "gaps.md", tmp_path / "book.db"
    path.write_text(f"by: ann\n## {gaps[0]}\n- [x] accept\nwhy: worth it\n")
    flywheel("curate", "--import", path)
    for state_now in (GapState.FIXED, GapState.OPEN, GapState.REJECTED):
        with database(book) as connection:
            mark_gap(connection, gaps[0], state_now)
        assert "1 decision read: 0 new\n" == flywheel("curate", "--import", path).out
        assert state_now == state(flywheel)["gaps"][0]["state"]


def test_a_file_with_mistakes_is_not_applied(flywheel, gaps, tmp_path):
    """Each mistake is one line with its line number, in the order of the file."""
    path = tmp_path / "gaps.md"
    path.write_text(
        f"by: ann\n## {gaps[0]}\n- [x] accept\nwhy: yes\n## gap-0\n- [x] reject\nwhy: no\n"
        f"## {gaps[1]}\n- [z] accept\n"
    )
    done = flywheel("curate", "--import", path)

    assert 2 == done.code
    first, second, last = done.err.splitlines()
    assert first.startswith(f"{path}:6: no gap has the id `gap-0`; ")
    assert f"{path}:9: `[z]` is not a tick; write `[x]`" == second
    assert last.endswith("2 mistakes; nothing was applied")
    assert {"open"} == {gap["state"] for gap in state(flywheel)["gaps"]}


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("curate", "--export", "a.md", "--import", "b.md"), "not both"),
        (("curate", "--export", "gaps.txt"), "ends with neither .md nor .json"),
        (("curate", "--import", "none.md"), "none.md: No such file"),
        (("harvest", "none.db"), "none.db"),
    ],
)
def test_bad_input_is_one_line(flywheel, gaps, argv, message):
    """Invalid input is reported in one line, and the exit code is 2."""
    done = flywheel(*argv)

    assert (2, 1, True) == (done.code, done.err.count("\n"), message in done.err)


def test_a_missing_file_is_reported(flywheel):
    """The error names the command that creates the file."""
    done = flywheel("status")

    assert (2, True) == (done.code, "abs-shield flywheel harvest LOG --book FILE" in done.err)


def test_the_log_cannot_be_the_book(command, log):
    """`--book` is refused if it is the log, so that the log is not overwritten."""
    done = command("flywheel", "harvest", log, "--book", log)

    assert (2, True) == (done.code, "name another file" in done.err)


@pytest.mark.slow
def test_a_log_in_postgresql_is_harvested(flywheel, dsn):
    """A log on a PostgreSQL server is harvested once, like a file."""
    fill_log(dsn, refund(1, 900))

    assert "1 decision read: 1 new catch," in flywheel("harvest", dsn).out
    assert "0 decisions read: 0 new catches" in flywheel("harvest", dsn).out

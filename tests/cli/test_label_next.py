"""`abs-shield label --next` asks for the most useful labels, one by one, in real logs."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import subprocess
import sys
import termios
import time
from dataclasses import replace

import pytest

from abs_shield import Shield
from abs_shield.cli.label_queue import LabelQueue, LabelsNeeded
from abs_shield.cli.labeling import LabelingSession
from abs_shield.cli.shared_options import LabelAuthor
from abs_shield.core.label import Truth
from abs_shield.report import Readiness, Report, rollout
from abs_shield.stores import open_store
from tests.cli.shop import HOSTILE, fill_log, judge_calls, order, policy, refund

PHANTOM = {"name": "refnud", "arguments": {}}
EXTRA = {"name": "get_order", "arguments": {"order_id": "W1", "express": True}}


@pytest.fixture
def log(tmp_path):
    return str(tmp_path / "log.db")


def labels(log):
    """Return the truth of each label by decision id."""
    store = open_store(log)
    decisions = {key: one.truth.value for key, one in store.labels().items()}
    store.close()
    return decisions


def walk(command, log, *answers, argv=()):
    """Run `label --next` with one answer a line."""
    lines = "".join(f"{answer}\n" for answer in answers)
    return command("label", "--next", "--db", log, *argv, stdin=lines)


def questions_for(done) -> list[str]:
    """Return the ids of the decisions that were asked about, in order."""
    return re.findall(r"^  ([0-9a-f]{16}-[0-9a-f]+), .* UTC", done.out, re.MULTILINE)


def test_keys_and_words_label_skip_or_quit(command, log):
    """`h` and `o` label the decision, `s` skips it and `q` quits; words work as well."""
    decisions = fill_log(log, *(refund(n, 900) for n in range(5)))
    newest = [one.id for one in reversed(decisions)]
    done = walk(command, log, "h", "OK", "s", "hallucinated", "q")

    assert (0, "") == (done.code, done.err)
    assert newest == questions_for(done)
    assert {newest[0]: "hallucinated", newest[1]: "ok", newest[3]: "hallucinated"} == labels(log)
    assert "\n3 decisions labelled, 1 left\n" in done.out


def test_a_decision_is_shown_as_show_does(command, log):
    """The question has the headline and the findings that `abs-shield show` prints."""
    (one,) = fill_log(log, refund(1, 900))
    done = walk(command, log, "q")
    shown = command("show", one.id, "--db", log).out.splitlines()

    assert shown[0] in done.out
    assert "A refund is at most 500. Got amount=900." in done.out


def test_each_question_counts_decisions_left_and_labels_needed(command, log):
    """Both numbers go down with each label, and the second equals the report's."""
    fill_log(log, *(refund(n, 900) for n in range(12)), *(order(n) for n in range(8)))
    before = labels_needed(log, "impossible_state")
    done = walk(command, log, "h", "h", "q")

    assert [f"{n} left" for n in (12, 11, 10)] == re.findall(r"^\d+ left", done.out, re.MULTILINE)
    assert [before, before - 1, before - 2, before - 2] == [
        int(n) for n in re.findall(r"^impossible_state needs (\d+) more label", done.out, re.M)
    ]
    assert before - 2 == labels_needed(log, "impossible_state")


def labels_needed(log, layer) -> int:
    """Return the number of labels that the report asks for."""
    store = open_store(log)
    report = Report.of(store.scan(), store.labels())
    store.close()
    (step,) = [s for s in rollout(report, Readiness()) if (s.layer, s.tool) == (layer, "")]
    (count,) = {n for todo in step.todos for n in re.findall(r"label (\d+) more", todo)}
    return int(count)


def test_a_label_is_written_when_it_is_given(command, log):
    """The label is in the log although stdin ends without `q`."""
    decisions = fill_log(log, refund(1, 900), refund(2, 900))
    done = walk(command, log, "h")

    assert (0, {decisions[1].id: "hallucinated"}) == (done.code, labels(log))


def test_undo_repeats_the_previous_question(command, log):
    """A new answer replaces the label; skipping the repeated question keeps it."""
    _, second, first = (one.id for one in fill_log(log, *(refund(n, 900) for n in range(3))))
    done = walk(command, log, "h", "u", "o", "h", "u", "s", "q")

    assert {first: "ok", second: "hallucinated"} == labels(log)
    assert [first, second, first, second] == questions_for(done)[:4]
    assert "it is labelled hallucinated, until you answer otherwise" in done.out
    assert "\n2 decisions labelled, 1 left\n" in done.out


def test_undo_restores_the_number_of_labels_needed(command, log):
    """After undo and a new label, the layer needs one label less than at first."""
    fill_log(log, *(refund(n, 900) for n in range(12)))
    done = walk(command, log, "h", "u", "h", "q")
    needs = [int(n) for n in re.findall(r"needs (\d+) more label", done.out)]

    assert needs[1] == needs[0] - 1
    assert needs[-1] == labels_needed(log, "impossible_state")


def test_undo_of_nothing_repeats_the_question(command, log):
    """An undo at the first question prints a message and asks again."""
    (one,) = fill_log(log, refund(1, 900))
    done = walk(command, log, "u", "o")

    assert "there is nothing to undo" in done.out
    assert {one.id: "ok"} == labels(log)


def test_an_invalid_answer_repeats_the_question(command, log):
    """An invalid answer labels nothing, is reported with a hint, and makes the exit code 2."""
    (one,) = fill_log(log, refund(1, 900))
    done = walk(command, log, "x\x1b", "halucinated", "", "o")

    assert (2, {one.id: "ok"}) == (done.code, labels(log))
    assert "`x\\x1b` is not an answer; press h, o, s, u or q" in done.out
    assert "did you mean `hallucinated`?" in done.out


def test_a_labelled_decision_is_not_asked_about_again(command, log):
    """A second run continues where the first one ended."""
    fill_log(log, refund(1, 900), refund(2, 900))
    first = questions_for(walk(command, log, "h", "q"))
    second = walk(command, log, "h")

    assert first[1:] == questions_for(second)
    assert "0 decisions labelled, 0 left" in walk(command, log).out


def test_the_layer_that_needs_the_fewest_labels_comes_first(command, log):
    """Layers that labels can make ready for enforcement are asked about first."""
    rules = fill_log(log, *(refund(n, 900) for n in range(3)))
    (phantom,) = fill_log(log, PHANTOM)
    (extra,) = fill_log(log, EXTRA)
    command("label", phantom.id, "hallucinated", "--db", log)
    (other,) = fill_log(log, PHANTOM)
    done = walk(command, log, *"hhhhh")

    assert [extra.id, rules[2].id, other.id, rules[1].id, rules[0].id] == questions_for(done)


def test_repeated_calls_of_a_session_come_last(command, log):
    """One call of each session is asked about first, then all others."""
    store = open_store(log)
    firewall = Shield(policy(), store=store, hooks=None)
    result = {}
    for name in ("a", "b"):
        with firewall.session(name) as session:
            session.user("Please see to my order W1.")
            result[name] = [firewall.check_call(refund(1, 900 + n)).id for n in range(3)]
    firewall.close()
    store.close()
    done = walk(command, log, *"ssssss")

    assert [result["b"][0], result["a"][0]] == questions_for(done)[:2]
    assert {*result["a"], *result["b"]} == {*questions_for(done)}


def test_a_block_comes_before_a_flag(command, log):
    """A decision that strict mode would only flag is asked about after those it would block."""
    flagged = suspicious(log)
    (blocked,) = fill_log(log, refund(1, 900))
    done = walk(command, log, "s", "s")

    assert [blocked.id, flagged] == questions_for(done)
    assert "phantom_target: 0 of 1 that it flags are labelled" in done.out


def suspicious(log) -> str:
    """Judge a call that is only flagged, and return the decision's id."""
    store = open_store(log)
    firewall = Shield(policy(), store=store, hooks=None)
    with firewall.session() as session:
        session.user("Where is my order?")
        decision = firewall.check_call(order(77231))
    firewall.close()
    store.close()
    assert "SUSPICIOUS" == decision.verdict
    return decision.id


def test_a_tool_that_is_not_ready_is_asked_about_first(log):
    """If a layer is ready except for one tool, it asks for as many labels as the report."""
    store = open_store(log)
    clean, wrong, other = judge_calls(store, [order(1), EXTRA, refund(1)])
    store.close()
    result = [*_many(other, "r", 980), *_many(clean, "c", 8), *_many(wrong, "w", 12)]
    truth = LabelAuthor("ann").label("", Truth.HALLUCINATED)
    known = {f"w-{n}": truth for n in range(10)}
    queue = LabelQueue.of(result, known, rule=Readiness())
    candidate = queue.pop()
    steps = {(s.layer, s.tool): s.todos for s in rollout(Report.of(result, known), Readiness())}

    assert [LabelsNeeded("parameter_mismatch", "get_order", 2)] == queue.needs(candidate)
    assert (
        "label 2 more of them: abs-shield label --next"
        in (steps["parameter_mismatch", "get_order"])
    )
    for one in (candidate, queue.pop()):
        queue.label(one, Truth.HALLUCINATED)
    assert [LabelsNeeded("parameter_mismatch", "", 0)] == queue.needs(candidate)


def _many(decision, name, count):
    return [replace(decision, id=f"{name}-{n}", session_id=f"{name}{n}") for n in range(count)]


@pytest.mark.parametrize("option", ["--layer", "--check"])
def test_layer_option_limits_the_questions(command, log, option):
    """Only decisions with a finding of the chosen layer are asked about."""
    fill_log(log, refund(1, 900), EXTRA)
    (phantom,) = fill_log(log, PHANTOM)
    done = walk(command, log, "h", argv=[option, "phantom_tool"])

    assert [phantom.id] == questions_for(done)
    assert "impossible_state" not in done.out


def test_limit_option_limits_the_questions(command, log):
    """A skipped decision counts towards `--limit`; an undo is subtracted."""
    fill_log(log, *(refund(n, 900) for n in range(5)))
    done = walk(command, log, "s", "u", "h", "h", "h", argv=["--limit", "2"])

    assert (2, "2 left") == (len(labels(log)), re.findall(r"^\d+ left", done.out, re.M)[0])
    assert "2 decisions labelled, 0 left" in done.out


def test_a_layer_that_labels_cannot_make_ready_is_reported(command, log):
    """If a block is labelled ok and too few are left, a line says that labels cannot help."""
    fill_log(log, refund(1, 900), refund(2, 900))
    done = walk(command, log, "o", "q")

    assert "no number of labels makes impossible_state ready; its policy has to block less" in (
        done.out
    )


def test_arguments_and_messages_come_from_a_run_file(command, log, tmp_path):
    """With `--runs` a question shows the arguments and messages of the call."""
    runs = tmp_path / "runs.jsonl"
    store = open_store(log)
    firewall = Shield(policy(), store=store, record=str(runs), hooks=None)
    with firewall.session() as session:
        session.user("Refund W1, all of it.")
        firewall.check_call(refund(1, 900))
    firewall.close()
    store.close()
    done = walk(command, log, "q", argv=["--runs", runs])

    assert '{"order_id": "W1", "amount": 900}' in done.out
    assert "user: Refund W1, all of it." in done.out


def test_answers_are_asked_about(command, log):
    """The number of labelled flags is printed if the check blocks none of them."""
    store = open_store(log)
    firewall = Shield(policy(), store=store, hooks=None)
    with firewall.session() as session:
        session.user("Item W1 costs 4,200 dollars. What does it cost?")
        firewall.check_answer("Item W1 costs 9,300 dollars.", session=session)
    firewall.close()
    (one,) = store.decisions()
    store.close()
    done = walk(command, log, "h", argv=["--check", "answer"])

    assert {one.id: "hallucinated"} == labels(log)
    assert "answer: 0 of 1 that it flags are labelled" in done.out


def test_author_and_note_are_stored_with_each_label(command, log):
    """`--by` and `--note` apply to every label of the run."""
    (one,) = fill_log(log, refund(1, 900))
    walk(command, log, "h", argv=["--by", "ann", "--note", "from the review"])
    store = open_store(log)
    label = store.labels()[one.id]
    store.close()

    assert ("ann", "from the review") == (label.by, label.note)


def test_a_decision_labelled_by_another_author_meanwhile_is_skipped(log):
    """The log is read again for each decision, although the queue was built before."""
    one, other = fill_log(log, refund(1, 900), refund(2, 900))
    store = open_store(log)
    queue = LabelQueue.of(store.scan(), store.labels(), rule=Readiness())
    store.label(LabelAuthor("bob").label(other.id, Truth.OK))
    asked_about = LabelingSession(store, queue, author=LabelAuthor("ann"))._next()
    store.close()

    assert one.id == asked_about.decision_id


def test_a_log_without_findings_has_nothing_to_label(command, log):
    """The command asks no question and exits with 0."""
    fill_log(log, order(1))
    done = walk(command, log, "h")

    assert (0, {}) == (done.code, labels(log))
    assert "0 decisions labelled, 0 left" in done.out


def test_names_that_a_model_wrote_are_escaped(command, log):
    """Control characters in a name do not reach the terminal."""
    fill_log(log, {"name": HOSTILE, "arguments": {}})
    done = walk(command, log, "h")

    assert not {"\x1b", "\u202e"} & set(done.out + done.err)
    assert "<script>\\x1b[2J" in done.out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--next", "--layer", "phantm_tool"], "did you mean `phantom_tool`?"),
        (["--next", "--check", "q\x1b"], "no check is named `q\\x1b`; there are "),
        (["--next", "--limit", "0"], "`--limit`: "),
        (["--next", "--export", "x"], "or `--next`, or `--from FILE`"),
        (["--next", "d-1", "ok"], "or `--next`, or `--from FILE`"),
        (["d-1", "ok", "--limit", "3"], "`--limit` belongs to `--next`"),
        (["d-1", "ok", "--layer", "phantom_tool"], "`--layer` belongs to `--next`"),
        (["d-1", "ok", "--runs", "x"], "`--runs` belongs to `--next`"),
        (["--next", "--runs", "nowhere.jsonl"], "nowhere.jsonl: "),
    ],
)
def test_bad_input_is_one_line(command, log, argv, message):
    """Invalid input is one line with a hint and exit code 2, and labels nothing."""
    fill_log(log, refund(1, 900))
    done = command("label", *argv, "--db", log, stdin="h\n")

    assert (2, 1, {}) == (done.code, done.err.count("\n"), labels(log))
    assert message in done.err
    assert "\x1b" not in done.err


@pytest.mark.slow
def test_a_key_suffices_on_a_terminal(log):
    """On a terminal no Enter is needed; Ctrl-C ends the run and keeps the labels."""
    decisions = fill_log(log, refund(1, 900), refund(2, 900), refund(3, 900))
    text, code = on_a_terminal(log, ["h", "o", "\x03"])

    assert 130 == code
    assert {decisions[2].id: "hallucinated", decisions[1].id: "ok"} == labels(log)
    assert "Traceback" not in text


def on_a_terminal(log, keys) -> tuple[str, int]:
    """Run the command in a terminal of its own, and press a key at each question."""
    master, terminal = pty.openpty()
    program = "import sys; from abs_shield.cli import main; sys.exit(main())"
    words = [sys.executable, "-c", program, "label", "--next", "--db", log]
    with subprocess.Popen(
        words, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True
    ) as process:
        text = ""
        for number, key in enumerate(keys, 1):
            while text.count("uit?") < number:
                text += os.read(master, 4_096).decode(errors="replace")
            while termios.tcgetattr(terminal)[3] & termios.ICANON:  # it reads whole lines still
                time.sleep(0.01)
            os.write(master, key.encode())
    os.close(terminal)
    with contextlib.suppress(OSError):  # nothing is left
        while more := os.read(master, 4_096):
            text += more.decode(errors="replace")
    os.close(master)
    return text, process.returncode


@pytest.mark.slow
def test_a_log_in_postgresql(command, dsn):
    """A log on a PostgreSQL server is labelled like a file."""
    decisions = fill_log(dsn, refund(1, 900), refund(2, 900))
    done = walk(command, dsn, "h", "u", "o", "h")

    assert {decisions[0].id: "hallucinated", decisions[1].id: "ok"} == labels(dsn)
    assert "2 decisions labelled, 0 left" in done.out

"""`abs-shield show`: one decision of a real log, with its labels, its session and its run."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from abs_shield import Shield, Tool, ToolProfile, rule, shield, shielded
from abs_shield.errors import ResultBlocked
from abs_shield.quality import AgentOutput, QualityPipeline
from abs_shield.stores import open_store
from tests.cli.shop import HOSTILE, fill_log, order, policy, refund


@pytest.fixture
def log(tmp_path):
    return str(tmp_path / "log.db")


@pytest.fixture
def runs(tmp_path):
    return str(tmp_path / "runs.jsonl")


def record_calls(log, runs, *calls, texts=("Please see to my order W1.",), **changes):
    """Judge calls in one audited and recorded session, and return the decisions."""
    store = open_store(log)
    firewall = Shield(policy(**changes), store=store, record=runs, hooks=None)
    with firewall.session("s1", agent="billing") as session:
        for text in texts:
            session.user(text)
        decisions = [firewall.check_call(call) for call in calls]
    firewall.close()
    assert store.close()
    return decisions


def show_json(command, decision, log, *argv):
    """Return the details of a decision as data."""
    done = command("show", decision.id, "--db", log, *argv, "--format", "json")
    assert (0, "") == (done.code, done.err)
    return json.loads(done.out)


def test_a_decision_is_shown(command, log):
    """The output has the decision's subject, time, policy, verdict and outcome."""
    (one,) = fill_log(log, refund(1, 900))
    done = command("show", one.id, "--db", log)

    assert (0, "") == (done.code, done.err)
    assert done.out.startswith(
        "call of refund: HALLUCINATED, allowed, in audit mode; strict mode would have"
        " blocked it, because of impossible_state\n"
    )
    for text in (one.id, one.session_id, one.run_id, f"revision {one.policy_revision}", "UTC"):
        assert text in done.out


def test_each_finding_is_shown_in_full(command, log):
    """A finding has its message, location, code, hint, and what was expected."""
    (one,) = fill_log(log, {"name": "refund", "arguments": {"order_id": "W1", "amount": "20 USD"}})
    out = command("show", one.id, "--db", log).out

    assert "HALLUCINATED parameter_mismatch at /arguments/amount: got a string" in out
    assert "code: wrong_type; strength 1.00" in out
    assert re.search("hint: .*number", out)
    assert "expected: number" in out


def test_a_rule_is_named_with_its_file(command, log):
    """A finding of a rule shows the rule's name and file."""
    (one,) = fill_log(log, refund(1, 900))
    out = command("show", one.id, "--db", log).out

    assert "rule: refund_is_small" in out
    assert re.search(r"file: .*shop\.py", out)


def test_layers_are_shown_with_their_reasons(command, log):
    """Layers that ran are listed; each other layer has the reason why it did not run."""
    (one,) = fill_log(log, order(1))
    out = command("show", one.id, "--db", log).out

    assert re.search("ran: .*phantom_target", out)
    assert "confidence_drop: unavailable: no log-probabilities" in out


def test_an_error_of_a_layer_is_shown(command, log):
    """An error of a layer is shown as internal, with the name of the layer."""

    @rule(tool="get_order")
    def breaks(order_id: str) -> bool:
        """An order has an id."""
        raise KeyError("x\x1b")

    (one,) = fill_log(log, order(1), declared=policy(rules=[breaks]))
    out = command("show", one.id, "--db", log).out

    assert "internal error: " in out
    assert "impossible_state: error: " in out
    assert "\x1b" not in out


def test_all_labels_are_shown(command, log):
    """Each label has its author and note; an older one is marked as replaced."""
    (one,) = fill_log(log, refund(1, 900))
    command("label", one.id, "ok", "--db", log, "--by", "ann", "--note", "agreed")
    command("label", one.id, "hallucinated", "--db", log, "--by", "bob")
    out = command("show", one.id, "--db", log).out

    assert re.search(r"ok by ann, .* UTC: agreed \(replaced by a newer one\)\n", out)
    assert re.search(r"hallucinated by bob, .* UTC\n", out)
    assert ["ok", "hallucinated"] == [
        one_["truth"] for one_ in show_json(command, one, log)["labels"]
    ]


def test_surrounding_decisions_of_the_session_are_shown(command, log, runs):
    """Five decisions before and after it are shown, and none of another session."""
    fill_log(log, order(7))
    decisions = record_calls(log, runs, *(order(1) for _ in range(13)))
    records = show_json(command, decisions[6], log)["session"]

    assert [one.id for one in decisions[1:6]] == [one["id"] for one in records["before"]]
    assert [one.id for one in decisions[7:12]] == [one["id"] for one in records["after"]]
    assert f"  > {decisions[6].id} call of get_order: CLEAN" in (
        command("show", decisions[6].id, "--db", log).out
    )


def test_arguments_and_messages_come_from_a_run_file(command, log, runs):
    """The call is found in the run file by session and call id; the log has no arguments."""
    _, one = record_calls(log, runs, {**order(1), "id": "c1"}, {**refund(1, 900), "id": "c2"})
    without = command("show", one.id, "--db", log).out
    out = command("show", one.id, "--db", log, "--runs", runs).out

    assert '{"order_id": "W1", "amount": 900}' not in without
    assert 'Arguments, as they were recorded\n  {"order_id": "W1", "amount": 900}\n' in out
    assert "    user: Please see to my order W1.\n" in out
    assert '    calls get_order {"order_id": "W1"}\n' in out
    assert '  > calls refund {"order_id": "W1", "amount": 900}\n' in out


def test_a_call_without_an_id_is_found_in_its_run(command, log, runs):
    """The recorder uses the decision's id, so that call and result are found."""
    store = open_store(log)
    firewall = Shield(shield.configure(mode="audit"), store=store, record=runs, hooks=None)

    @shielded(firewall)
    def get_order(order_id: str) -> str:
        """Get an order."""
        return f"{order_id} is on its way"

    with firewall.session() as session:
        session.user("Where are W1 and W2?")
        get_order("W1")
        get_order("W2")
    firewall.close()
    decisions = store.decisions()
    store.close()
    results = [show_json(command, one, log, "--runs", runs)["run"] for one in decisions]

    assert ["call", "result"] * 2 == [one.subject for one in decisions]
    assert ["W1", "W1", "W2", "W2"] == [one["arguments"]["order_id"] for one in results]
    assert "W2 is on its way" == results[2]["result"]


def test_lines_of_one_session_are_merged(command, log, runs):
    """Messages of an earlier line of the session are shown; the run file may be gzipped."""
    store = open_store(log)
    firewall = Shield(policy(), store=store, record=runs, hooks=None)
    for number, text in ((1, "Please see to W1."), (2, "Now W2.")):
        with firewall.session("s1") as session:
            session.user(text)
            one = firewall.check_call({**order(number), "id": f"c{number}"})
    firewall.close()
    store.close()
    packed = Path(f"{runs}.gz")
    packed.write_bytes(gzip.compress(Path(runs).read_bytes()))
    output = show_json(command, one, log, "--runs", packed)["run"]

    assert (2, {"order_id": "W2"}, 3) == (output["line"], output["arguments"], output["place"])
    assert "Please see to W1." == output["messages"][0]["content"]


def test_a_repeated_call_id_is_reported(command, log, runs):
    """The first call with the id is shown, and the number of calls that have it."""
    one, _ = record_calls(log, runs, {**refund(1, 20), "id": "c1"}, {**refund(1, 30), "id": "c1"})
    done = command("show", one.id, "--db", log, "--runs", runs)

    assert "2 calls of the run have this id; the first is shown" in done.out


def test_a_call_without_ids_is_found_by_its_name(command, log, runs):
    """If one call of the run has the name, it is shown; of several, none is."""
    one, other, _ = record_calls(log, runs, refund(1, 20), order(1), order(2))
    Path(runs).write_text(re.sub('"id": "[^"]+", ', "", Path(runs).read_text()))

    assert {"order_id": "W1", "amount": 20} == (
        show_json(command, one, log, "--runs", runs)["run"]["arguments"]
    )
    assert show_json(command, other, log, "--runs", runs)["run"]["place"] is None


def test_a_run_without_the_call_is_reported_as_such(command, log, runs):
    """The output says that the call is missing, and shows the run's last messages."""
    (one,) = record_calls(log, runs, {**order(1), "id": "c1"})
    text = Path(runs).read_text().replace('"c1"', '"c9"')
    Path(runs).write_text(text)
    out = command("show", one.id, "--db", log, "--runs", runs).out

    assert "no call of the run has this id and name; these are its last messages" in out
    assert "Arguments" not in out


def test_a_run_file_without_the_session_is_reported(command, log, runs, tmp_path):
    """The output says that no run has the session or run id of the decision."""
    (one,) = fill_log(log, order(1))
    record_calls(str(tmp_path / "other.db"), runs, order(1))
    done = command("show", one.id, "--db", log, "--runs", runs)

    assert (0, "") == (done.code, done.err)
    assert "no run of --runs has its session or run id" in done.out


def test_a_damaged_line_of_the_session_is_reported(command, log, runs):
    """The line is skipped and the exit code is 2; lines of other sessions are not parsed."""
    (one,) = record_calls(log, runs, {**order(1), "id": "c1"})
    with open(runs, "a", encoding="utf-8") as file:
        file.write(f'not \\u0041 JSON at all\n{{"session_id": "{one.session_id}", \n')
    done = command("show", one.id, "--db", log, "--runs", runs)

    assert (2, 1) == (done.code, done.err.count("\n"))
    assert f"{runs}:3: the line is not JSON" in done.err
    assert "calls get_order" in done.out


def test_the_feedback_of_a_blocked_call_is_shown(command, log):
    """The text and JSON outputs have the feedback that the model received."""
    strict = policy(mode="strict")
    (one,) = fill_log(log, refund(1, 900), declared=strict)
    out = command("show", one.id, "--db", log).out

    assert "call of refund: HALLUCINATED, blocked, because of impossible_state\n" in out
    text = out.partition("Feedback that the model got in place of a result\n")[2]
    assert one.feedback() == json.loads(text)
    assert one.feedback() == show_json(command, one, log)["feedback"]


def test_a_call_that_was_not_blocked_has_no_feedback(command, log):
    """A flagged call says that there was none; a clean call has no such section."""
    flagged, clean = fill_log(log, refund(1, 900), order(1))

    assert "Feedback\n  none: nothing was blocked" in (command("show", flagged.id, "--db", log).out)
    assert "Feedback" not in command("show", clean.id, "--db", log).out


def test_a_withheld_result_is_shown(command, log):
    """A decision about a result shows its signals and the replacement sent to the model."""
    store = open_store(log)
    tools = [Tool(name="get_price", profile=ToolProfile(required_fields=["price"]))]
    firewall = Shield(shield.configure(mode="strict", tools=tools), store=store, hooks=None)

    @shielded(firewall)
    def get_price(item: str) -> dict:
        """Get a price."""
        return {"error": "rate \x1b[2J"}

    with firewall.session() as session:
        session.user("What does W1 cost?")
        with pytest.raises(ResultBlocked):
            get_price("W1")
    firewall.close()
    (one,) = [d for d in store.decisions() if d.subject == "result"]
    store.close()
    out = command("show", one.id, "--db", log).out

    assert out.startswith("result of get_price: HALLUCINATED, withheld")
    assert "schema_mismatch" in out
    assert '"status": "withheld"' in out


def test_an_answer_is_shown_with_its_claims(command, log, runs):
    """Each claim and action has its status, and the messages before the answer are shown."""
    store = open_store(log)
    firewall = Shield(policy(), store=store, record=runs, hooks=None)
    with firewall.session() as session:
        session.user("Item W1 costs 4,200 dollars. What does it cost?")
        firewall.check_call(order(1))
        firewall.check_answer("Item W1 costs 9,300 dollars.", session=session)
    firewall.close()
    (one,) = [d for d in store.decisions() if d.subject == "answer"]
    store.close()
    out = command("show", one.id, "--db", log, "--runs", runs).out

    assert out.startswith("answer: ")
    assert re.search(r"/claims/0 \w+: Item W1 costs 9,300 dollars\.", out)
    assert "user: Item W1 costs 4,200 dollars" in out
    assert 'accepted: get_order {"order_id": "W1"}' in out


def test_an_answer_that_was_not_recorded_is_shown_without_its_text(command, log):
    """Without a run file only the offsets of a claim are shown, as the log has no texts."""
    store = open_store(log)
    firewall = Shield(shield.configure(mode="audit"), store=store, hooks=None)
    with firewall.session() as session:
        session.user("Item W1 costs 4,200 dollars. What does it cost?")
        firewall.check_answer("Item W1 costs 9,300 dollars.", session=session)
    firewall.close()
    (one,) = store.decisions()
    store.close()
    out = command("show", one.id, "--db", log).out

    assert re.search(r"/claims/0 \w+: characters 0 to 28", out)
    assert "Item W1" not in out


def test_an_output_is_shown(command, log, runs):
    """A decision of the quality cascade is shown with the recorded text."""
    store = open_store(log)
    firewall = Shield(shield.configure(mode="strict"), store=store, record=runs, hooks=None)
    with firewall.session():
        output = AgentOutput(text="Her social security number is 536-90-4399 \x1b[2J.")
        QualityPipeline(shield=firewall).run(output)
    firewall.close()
    (one,) = [d for d in store.decisions() if d.subject == "output"]
    store.close()
    out = command("show", one.id, "--db", log, "--runs", runs).out

    assert out.startswith("output: ")
    assert "held back, because of pii" in out
    assert "would have held back it" not in out
    assert "Her social security number is 536-90-4399 \\x1b[2J." in out
    assert "536-90-4399" not in command("show", one.id, "--db", log).out


def test_a_unique_prefix_of_an_id_is_enough(command, log):
    """An id that is a prefix of others is found; an ambiguous prefix is an error."""
    decisions = fill_log(log, *(order(n) for n in range(20)))
    prefix, _, _ = decisions[0].id.partition("-")
    whole = min((one.id for one in decisions), key=len)

    assert 0 == command("show", decisions[-1].id, "--db", log).code
    assert f"decision    {whole}\n" in command("show", whole, "--db", log).out
    done = command("show", prefix, "--db", log)
    assert (2, 1, "") == (done.code, done.err.count("\n"), done.out)
    assert f"several decisions begin with `{prefix}`: `{prefix}-" in done.err
    assert "and more; write more of the id" in done.err


def test_a_prefix_of_four_characters_is_enough(command, log):
    """If the log has one decision, any prefix of its id finds it."""
    (one,) = fill_log(log, order(1))

    assert one.id == json.loads(
        command("show", one.id[:4], "--db", log, "--format", "json").out
    )["decision"]["id"]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("{id}x", "did you mean `{id}`?"),
        ("x{id}", "did you mean `{id}`?"),
        ("q\x1b", "no decision `q\\x1b` is in the log; `abs-shield report` names some"),
        ("", "the decision's id is empty"),
    ],
)
def test_an_unknown_id_is_one_line(command, log, name, hint):
    """The error names the nearest id, and the exit code is 2."""
    (one,) = fill_log(log, order(1))
    done = command("show", name.format(id=one.id), "--db", log)

    assert (2, 1, "") == (done.code, done.err.count("\n"), done.out)
    assert hint.format(id=one.id) in done.err


def test_text_that_a_model_wrote_is_escaped(command, log, runs):
    """Control characters in names, arguments and texts reach neither terminal nor file."""
    call = {"name": HOSTILE, "arguments": {HOSTILE: HOSTILE}, "id": f"c{HOSTILE}"}
    (one,) = record_calls(log, runs, call, texts=[f"see to {HOSTILE}"])
    file = Path(runs).with_name("out.txt")
    for argv in ([], ["--format", "json"], ["-o", file]):
        done = command("show", one.id, "--db", log, "--runs", runs, *argv)
        text = done.out + done.err + (file.read_text() if file.exists() else "")

        assert 0 == done.code
        assert not {"\x1b", "\u202e"} & set(text)


@pytest.mark.parametrize("format", ["text", "json"])
def test_the_output_may_be_a_file(command, log, tmp_path, format):
    """The file has the printed text, and only its owner can read it."""
    (one,) = fill_log(log, refund(1, 900))
    file = tmp_path / "decision.txt"
    printed = command("show", one.id, "--db", log, "--format", format).out
    done = command("show", one.id, "--db", log, "--format", format, "-o", file)

    assert (0, "", "") == done
    assert (printed, 0o600) == (file.read_text(), file.stat().st_mode & 0o777)


@pytest.mark.parametrize("which", ["log", "runs"])
def test_an_input_is_refused_as_output(command, log, runs, which):
    """Neither the log nor the run file is overwritten."""
    (one,) = record_calls(log, runs, order(1))
    target = {"log": log, "runs": runs}[which]
    done = command("show", one.id, "--db", log, "--runs", runs, "-o", target)

    assert (2, True) == (done.code, "is read as well; name another file" in done.err)


@pytest.mark.slow
def test_a_log_in_postgresql(command, dsn, runs):
    """A decision of a PostgreSQL log is shown with its session, labels and run."""
    first, one = record_calls(dsn, runs, {**order(1), "id": "c1"}, {**refund(1, 900), "id": "c2"})
    command("label", one.id, "ok", "--db", dsn)
    output = show_json(command, one, dsn, "--runs", runs)

    assert (["ok"], [first.id], {"order_id": "W1", "amount": 900}) == (
        [label["truth"] for label in output["labels"]],
        [each["id"] for each in output["session"]["before"]],
        output["run"]["arguments"],
    )
    done = command("show", one.id[:6], "--db", dsn)
    assert (2, True) == (done.code, f"`{first.id}`, `{one.id}`" in done.err)


def test_a_missing_log_is_not_created(command, tmp_path):
    """A misspelt path of a log creates no file."""
    done = command("show", "d-1", "--db", tmp_path / "no.db")

    assert (2, []) == (done.code, list(tmp_path.iterdir()))

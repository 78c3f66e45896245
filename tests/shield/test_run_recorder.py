"""A session's run is appended to a run file when it is left."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

import pytest

from abs_shield import Injected, StoreError, ToolCall, shielded
from abs_shield.replay import replay
from abs_shield.session import Limits
from abs_shield.session.session_record import record_of
from abs_shield.shield import Recording, redacted


@pytest.fixture
def file(tmp_path):
    return tmp_path / "runs.jsonl"


def runs(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def recorded_run(make_shield, file):
    """Record a session with a user message, a call that runs, and one that is blocked."""
    firewall = make_shield(record=file)

    @shielded(firewall)
    def refund(amount: float) -> dict:
        """Refund a sum."""
        return {"refunded": amount}

    with firewall.session("s1") as session:
        session.system("Be kind.")
        session.user("Refund 5 €, please.")
        calls = [ToolCall("refund", {"amount": n}, f"c{n}") for n in (5, "six")]
        firewall.run_tool_calls(calls, session=session)
        session.assistant("Done.")
    return runs(file)


def test_a_session_is_one_line(recorded_run):
    """The line has the run, the session, its tools and its messages."""
    (run,) = recorded_run

    assert {"run_id", "session_id", "tools", "messages"} == set(run)
    assert "s1" == run["session_id"]


def test_messages_are_in_their_order(recorded_run):
    """Texts, proposals and results have the format of run files."""
    roles = [message["role"] for message in recorded_run[0]["messages"]]

    assert ["system", "user", "assistant", "tool", "assistant", "assistant"] == roles
    assert "Refund 5 €, please." == recorded_run[0]["messages"][1]["content"]


def test_calls_that_were_blocked_are_recorded_too(recorded_run):
    """A replay can judge a blocked call, which has no result."""
    calls = [c for m in recorded_run[0]["messages"] for c in m.get("tool_calls", ())]
    answered = [m["tool_call_id"] for m in recorded_run[0]["messages"] if m["role"] == "tool"]

    assert [("c5", {"amount": 5}), ("csix", {"amount": "six"})] == [
        (c["id"], c["arguments"]) for c in calls
    ]
    assert ["c5"] == answered


def test_the_tools_are_recorded_with_their_schemas(recorded_run):
    """A replay does not need the policy to know the tools."""
    tools = {tool["name"]: tool for tool in recorded_run[0]["tools"]}

    assert {"refund", "transfer"} == set(tools)
    assert "Refund a sum." == tools["refund"]["description"]
    assert ["amount"] == list(tools["refund"]["parameters"]["properties"])


def test_a_failed_call_is_marked(make_shield, file):
    """The result of a failed call is marked as an error."""
    firewall = make_shield(record=file)
    with firewall.session() as session:
        firewall.check_result(
            ToolCall("refund", {}, "c1"), "no line", elapsed_ms=1, error=True, session=session
        )

    assert [True] == [m["error"] for m in runs(file)[0]["messages"] if m["role"] == "tool"]


@pytest.mark.parametrize("in_transcript", [False, True])
def test_a_blocked_call_that_was_only_proposed_is_recorded_once(make_shield, file, in_transcript):
    """A blocked proposal is part of the run, with and without a transcript."""
    firewall = make_shield(record=file)
    with firewall.session() as session:
        firewall.inspect_turn([ToolCall("refnud", {}, "c1")])
        if in_transcript:
            call = {"id": "c1", "name": "refnud", "arguments": {}}
            answer = {"role": "tool", "tool_call_id": "c1", "content": "no such tool"}
            session.add([{"role": "assistant", "tool_calls": [call]}, answer])

    assert () == session.executed
    (message,) = runs(file)[0]["messages"]
    assert ["c1"] == [call["id"] for call in message["tool_calls"]]


def test_a_nested_session_block_writes_once(make_shield, file):
    """A session entered twice is written when it is left for the last time."""
    firewall = make_shield(record=file)
    with firewall.session("s1"), firewall.session("s1"):
        pass

    assert 1 == len(runs(file))


def test_every_session_appends(make_shield, file):
    """Sessions follow each other in one file."""
    firewall = make_shield(record=file)
    for name in ("s1", "s2"):
        with firewall.session(name):
            pass

    assert ["s1", "s2"] == [run["session_id"] for run in runs(file)]


def test_a_session_left_again_appends_what_is_new(make_shield, file):
    """A session that is entered three times has three lines, which contain each message once."""
    firewall = make_shield(record=file)
    for text in ("one", "two", "three"):
        with firewall.session("s1") as session:
            session.user(text)

    assert ["s1"] * 3 == [run["session_id"] for run in runs(file)]
    assert [["one"], ["two"], ["three"]] == [
        [message["content"] for message in run["messages"]] for run in runs(file)
    ]


def test_a_replay_sees_each_call_of_a_session_once(make_shield, file):
    """The lines of one session are replayed as one history."""
    firewall = make_shield(record=file)
    for number in range(3):
        with firewall.session("s1"), firewall.guard(ToolCall("refund", {"amount": number})):
            pass

    judged = list(replay([str(file)]))
    assert [{"amount": n} for n in range(3)] == [one.call.arguments for one in judged]
    assert all(one.executed for one in judged)


def test_a_session_without_new_events_writes_nothing(make_shield, file):
    """A session without new events is not written again."""
    firewall = make_shield(record=file)
    firewall.session("s1").user("Hello.")
    for _ in range(3):
        with firewall.session("s1"):
            pass

    assert [1] == [len(run["messages"]) for run in runs(file)]


def test_a_new_session_of_the_same_id_is_written(make_shield, tmp_path):
    """Lines of that id by another process or Shield are ignored."""
    path = tmp_path / "both.jsonl"
    for firewall in (make_shield(record=path), make_shield(record=path)):
        with firewall.session("s1") as session:
            session.user("Hello.")

    assert [1, 1] == [len(run["messages"]) for run in runs(path)]


def test_lost_events_are_written_with_the_next_line(make_shield, tmp_path):
    """After a failed write, everything that the log still has is written."""
    folder = tmp_path / "sub"
    folder.mkdir()
    firewall = make_shield(record=folder / "runs.jsonl")
    folder.rmdir()
    with firewall.session("s1") as session:
        session.user("one")
    folder.mkdir()
    with firewall.session("s1") as session:
        session.user("two")

    assert [2] == [len(run["messages"]) for run in runs(folder / "runs.jsonl")]


def test_only_unwritten_messages_count_as_truncated(make_shield, file):
    """Messages that were written may be dropped."""
    firewall = make_shield(record=file, limits=Limits(text=500))
    for _ in range(9):
        with firewall.session("s1") as session:
            session.user("x" * 100)

    assert record_of(session).log.is_truncated
    assert [False] * 9 == ["truncated" in run for run in runs(file)]


def test_dropped_messages_are_reported(make_shield, file):
    """A run without its beginning is marked as truncated."""
    firewall = make_shield(record=file, limits=Limits(text=500))
    with firewall.session() as session:
        for _ in range(9):
            session.user("x" * 100)

    assert True is runs(file)[0]["truncated"]


CIRCLE: list = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize(
    ("value", "content"), [({("a", 1): {1}}, '{"a,1": [1]}'), (CIRCLE, "[[...]]")]
)
def test_values_that_json_does_not_know_are_recorded(make_shield, file, value, content):
    """Tuples as keys and cycles do not raise."""
    with make_shield(record=file).session() as session:
        session.tool_result("refund", value)

    assert [content] == [m["content"] for m in runs(file)[0]["messages"]]


def test_a_folder_that_does_not_exist_is_reported_at_once(make_shield, tmp_path):
    """The Shield raises when it is created."""
    with pytest.raises(StoreError, match="nowhere"):
        make_shield(record=tmp_path / "nowhere" / "runs.jsonl")


def test_a_folder_is_not_a_file_for_runs(make_shield, tmp_path):
    """It raises when the Shield is constructed, not for each session."""
    with pytest.raises(StoreError, match="it is a folder; give a file"):
        make_shield(record=tmp_path)


def test_close_is_false_while_a_session_is_unwritten(make_shield, tmp_path):
    """It is true again after a later write, which repeats the events."""
    folder = tmp_path / "runs"
    folder.mkdir()
    firewall = make_shield(record=folder / "runs.jsonl")
    folder.rename(tmp_path / "moved")
    with firewall.session("s1") as session:
        session.user("hello")
    closed_without_folder = firewall.close()
    folder.mkdir()
    firewall.close()

    assert (False, True) == (closed_without_folder, firewall.close())
    assert ["s1"] == [run["session_id"] for run in runs(folder / "runs.jsonl")]


def test_a_failing_recorder_does_not_raise(make_shield, tmp_path, caplog):
    """Leaving the session does not raise; the error is logged."""
    folder = tmp_path / "sub"
    folder.mkdir()
    firewall = make_shield(record=folder / "runs.jsonl", mode="audit")
    folder.rmdir()
    with firewall.session():
        pass

    assert "cannot record" in caplog.text


def test_a_hook_redacts_private_texts(make_shield, file):
    """Messages, arguments and results are redacted, and a replay still finds its targets."""
    hide = redacted(lambda text: text.replace("ann@example.org", "<email 1>"))
    firewall = make_shield(record=Recording(path=file, redact=hide))

    @shielded(firewall)
    def send(to: str, about: dict) -> dict:
        """Send a mail."""
        return {"sent": [to]}

    with firewall.session() as session:
        session.user("Write to ann@example.org.")
        call = ToolCall("send", {"to": "ann@example.org", "about": {"ann@example.org": 1}}, "c1")
        firewall.run_tool_calls([call], session=session)

    assert "ann@example.org" not in file.read_text(encoding="utf-8")
    (judged,) = replay([file])
    assert {"to": "<email 1>", "about": {"<email 1>": 1}} == judged.call.arguments
    assert () == judged.decision.findings


SPELT = [
    {"token": t, "logprob": n, "bytes": [*t.encode()]}
    for t, n in [("ref", -0.9), ("und", -1.4), ('{"card": "', -0.1), ("tok-4711", -2.0), ('"}', 0)]
]
UNSURE = [SPELT, {"content": SPELT}, [-1.2, None, -0.3], [-1, 0], [], [{"logprob": "tok-4711"}]]
WRONG = ["tok-4711", ["tok-4711"], [0.5], [True], [*SPELT, {"token": "refund", "logprob": 2}]]


@pytest.mark.parametrize("hook", [redacted(lambda text: "x"), lambda run: run])
@pytest.mark.parametrize("logprobs", [*UNSURE, *WRONG])
def test_log_probabilities_do_not_spell_redacted_texts(make_shield, file, hook, logprobs):
    """Only the numbers of the name's tokens are written, and a replay judges them alike."""
    firewall = make_shield(mode="audit", threshold=1.0, record=Recording(path=file, redact=hook))
    with firewall.session() as session:
        session.user("Refund it.")
        firewall.check_call(ToolCall("refund", {"amount": 5}, "c1", logprobs), session=session)

    written = file.read_text(encoding="utf-8")
    assert not any(spelt in written for spelt in ("4711", "token", "52, 55, 49, 49"))
    (live,), (judged,) = session.decisions, replay([file], policy=firewall.policy)
    assert _confidence(live) == _confidence(judged.decision)
    assert ("error" in _confidence(live)) == (logprobs in WRONG[:-1])


def _confidence(decision):
    """Return the outcome and the findings of the layer."""
    findings = [f for f in decision.findings if f.check == "confidence_drop"]
    outcome = decision.coverage["confidence_drop"].outcome.value
    return outcome, *((f.code, f.strength, f.detail) for f in findings)


@pytest.mark.parametrize("hook", [lambda run: None, lambda run: run["nothing"]])
def test_a_hook_that_returns_none_or_raises_writes_nothing(make_shield, file, hook, caplog):
    """The input of a failing hook is not logged either."""
    firewall = make_shield(record=Recording(path=file, redact=hook))
    with firewall.session() as session:
        session.user("My number is 4711.")

    assert not file.exists()
    assert "4711" not in caplog.text
    assert ("KeyError" in caplog.text) == bool(caplog.records)


def test_a_hook_receives_plain_objects(make_shield, file):
    """A date in a result is a text, and can be redacted."""
    from datetime import date

    firewall = make_shield(record=Recording(path=file, redact=redacted(lambda text: "x")))
    with firewall.session() as session:
        session.tool_result("refund", {"on": date(2026, 1, 2)})

    assert "2026" not in file.read_text(encoding="utf-8")


def test_an_open_session_is_recorded_at_the_end(make_shield, file):
    """`close` writes the new events of sessions that are never left."""
    firewall = make_shield(record=file)
    session = firewall.session("s1")
    session.user("Hello.")

    assert (True, True) == (firewall.close(), firewall.close())
    assert ["Hello."] == [run["messages"][0]["content"] for run in runs(file)]


def test_only_its_owner_can_read_the_file(make_shield, file):
    """The file contains arguments and results."""
    firewall = make_shield(record=file)
    with firewall.session() as session:
        session.user("Hello.")

    assert 0o600 == file.stat().st_mode & 0o777


@pytest.mark.parametrize(
    "arguments", [r'{"to": "\u0061nn@example.org"}', r'{"to": "\u0061nn@example.org"']
)
def test_escapes_do_not_hide_texts_from_a_hook(make_shield, file, arguments):
    """Texts are redacted in any notation, even in invalid JSON."""
    firewall = make_shield(record=Recording(path=file, redact=redacted(_hide_ann)))
    with firewall.session() as session:
        firewall.inspect_turn([ToolCall("refund", arguments, "c1")], session=session)

    written = file.read_text(encoding="utf-8")
    assert "<email>" in written
    assert "\\\\u0061" not in written


def _hide_ann(text):
    return text.replace("ann@example.org", "<email>")


def test_a_partial_line_does_not_damage_other_runs(make_shield, file):
    """The next run begins a new line."""
    file.write_text('{"run_id": "torn", "messages": [{"role": "us', encoding="utf-8")
    firewall = make_shield(record=file)
    with firewall.session("s2") as session:
        session.user("Hello.")

    assert ["s2"] == [json.loads(line)["session_id"] for line in file.read_text().splitlines()[1:]]


@pytest.mark.parametrize("mode", ["audit", "strict"])
def test_a_call_without_an_id_has_that_of_its_decision(make_shield, file, mode):
    """A decorated function has no call id; labels of its decision still match the call."""
    firewall = make_shield(mode=mode, record=file)

    @shielded(firewall, on_block="return")
    def refund(amount: float) -> dict:
        """Refund a sum."""
        return {"refunded": amount}

    with firewall.session() as session:
        session.user("Refund 5 €, please.")
        refund(5.0)
        refund("6")

    (run,) = runs(file)
    calls = [call for message in run["messages"] for call in message.get("tool_calls", ())]
    assert [decision.id for decision in session.decisions] == [call["id"] for call in calls]
    assert [None, None] == [decision.call_id for decision in session.decisions]


def test_results_are_matched_to_their_calls(make_shield, file):
    """Two calls without an id run concurrently, and the second one ends first."""
    firewall = make_shield(mode="audit", record=file)

    @shielded(firewall)
    async def look(what: str, after: Annotated[Any, Injected()], then: Annotated[Any, Injected()]):
        """Look at something, after something else was seen."""
        if after is not None:
            await after.wait()
        then.set()
        return f"seen {what}"

    async def both() -> None:
        first, second = asyncio.Event(), asyncio.Event()
        await asyncio.gather(look("A", first, second), look("B", None, first))

    with firewall.session():
        asyncio.run(both())

    (run,) = runs(file)
    calls = [call for message in run["messages"] for call in message.get("tool_calls", ())]
    called = {call["id"]: call["arguments"]["what"] for call in calls}
    back = [message for message in run["messages"] if message["role"] == "tool"]
    assert ["B", "A"] == [called[message["tool_call_id"]] for message in back]
    assert ["seen B", "seen A"] == [message["content"] for message in back]

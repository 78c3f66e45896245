"""Each call of a run is judged with the session as it was before the call."""

from __future__ import annotations

import logging

import pytest

from abs_shield.core import Outcome, Verdict
from abs_shield.policy import Tool, configure, rule
from abs_shield.replay import replay
from abs_shield.session.session_record import record_of


def calls(*entries):
    shapes = [{"id": i, "name": name, "arguments": arguments} for i, name, arguments in entries]
    return {"role": "assistant", "tool_calls": shapes}


def result(call_id, value, name="find_book", **more):
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": value, **more}


def watching(seen):
    """Return a policy whose one rule records what had been executed before each call."""

    @rule(tool="*")
    def watch(session, call):
        """Nothing is wrong."""
        seen.append([(done.arguments, done.value, done.error) for done in session.executed])

    return configure(mode="strict", rules=[watch])


def before(path, **more):
    """Return the decisions of a file, and what had been executed before each call."""
    calls: list = []
    judged = list(replay([path], policy=watching(calls), **more))
    return judged, calls


OPENAI = [
    {
        "role": "assistant",
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "find_boook", "arguments": '{"title": "Emma"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "no such tool"},
]
ANTHROPIC = [
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "c1", "name": "find_boook", "input": {"title": "Emma"}},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "no such tool"}],
    },
]
FLAT = [
    {
        "role": "assistant",
        "tool_calls": [{"id": "c1", "name": "find_boook", "arguments": {"title": "Emma"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "no such tool"},
]


@pytest.mark.parametrize("messages", [OPENAI, ANTHROPIC, FLAT], ids=["openai", "anthropic", "flat"])
def test_every_shape_is_judged(written, a_run, messages):
    """Runs in the shapes of OpenAI and Anthropic and flat runs are judged alike."""
    [judged] = replay([written(a_run(*messages))])

    assert judged.decision.verdict is Verdict.HALLUCINATED
    assert [finding.nearest for finding in judged.decision.findings] == ["find_book"]
    assert (judged.run_id, judged.call_index, judged.call_id) == ("r1", 0, "c1")
    assert judged.executed


def test_nothing_is_blocked(written, a_run):
    """A replay is in audit mode, whatever the policy says; `would_block` is set."""
    path = written(a_run(calls(("c1", "burn_book", {}))))

    [judged] = replay([path], policy=configure(mode="strict"))

    assert (judged.decision.blocked, judged.decision.would_block) == (False, True)


def test_a_call_is_judged_before_its_own_result(written, a_run):
    """A call is judged with the results of earlier calls only."""
    path = written(
        a_run(
            calls(("c1", "find_book", {"title": "A"})),
            result("c1", "one"),
            calls(("c2", "find_book", {"title": "B"})),
            result("c2", "two"),
        )
    )

    _, judged_runs = before(path)

    assert judged_runs == [[], [({"title": "A"}, "one", False)]]


@pytest.mark.parametrize(
    ("ids", "answered"),
    [
        (("c1", "c2"), [("c2", "two"), ("c1", "one")]),
        (("c", "c"), [("c", "one"), ("c", "two")]),
        ((None, None), [(None, "one"), (None, "two")]),
        (("c1", "c2"), [(None, "one"), (None, "two")]),
    ],
    ids=["by unique id", "in order, repeated ids", "in order, no ids", "in order, results without"],
)
def test_results_are_matched_to_calls(written, a_run, ids, answered):
    """Results of one message are matched by unique id, otherwise in order."""
    first, second = ids
    message = calls((first, "find_book", {"title": "A"}), (second, "find_book", {"title": "B"}))
    last = calls(("z", "find_book", {"title": "C"}))
    path = written(a_run(message, *(result(*answer) for answer in answered), last))

    judged, judged_runs = before(path)

    assert [one.executed for one in judged] == [True, True, False]
    assert judged_runs[1] == [({"title": "A"}, "one", False)]
    assert judged_runs[2] == [({"title": "A"}, "one", False), ({"title": "B"}, "two", False)]


def test_ids_may_be_used_again_in_a_later_turn(written, a_run):
    """If each turn numbers its calls from 0, every call has its own result."""
    again = [calls(("0", "find_book", {"title": "A"})), result("0", "x")]
    path = written(a_run(*again, *again, *again))

    _, judged_runs = before(path)

    assert [len(done) for done in judged_runs] == [0, 1, 2]


def test_a_call_without_a_result_did_not_run(written, a_run):
    """A call without a result is not executed, and later results keep their own calls."""
    message = calls(("c1", "find_book", {"title": "A"}), ("c2", "find_book", {"title": "B"}))
    path = written(a_run(message, result("c2", "two"), calls(("c3", "find_book", {"title": "C"}))))

    judged, judged_runs = before(path)

    assert [one.executed for one in judged] == [False, True, False]
    assert judged_runs[2] == [({"title": "B"}, "two", False)]


def test_a_late_result_goes_to_its_call(written, a_run):
    """A result after a message of the user is matched to the call with its id."""
    path = written(
        a_run(
            calls(("c1", "find_book", {"title": "A"})),
            {"role": "user", "content": "Hurry."},
            result("c1", "one"),
            calls(("c2", "find_book", {"title": "B"})),
        )
    )

    _, judged_runs = before(path)

    assert judged_runs[1] == [({"title": "A"}, "one", False)]


@pytest.mark.parametrize("failed", [{"is_error": True}, {"error": True}, {"error": "no such copy"}])
def test_a_failed_result_is_a_failed_call(written, a_run, failed):
    """A call whose result is an error was executed, and failed."""
    path = written(
        a_run(
            calls(("c1", "find_book", {"title": "A"})),
            result("c1", "oh", **failed),
            calls(("c2", "find_book", {"title": "B"})),
        )
    )

    judged, judged_runs = before(path)

    assert judged[0].executed
    assert judged_runs[1] == [({"title": "A"}, None, True)]


def test_runs_of_one_session_share_it(written, a_run):
    """A later run of a session has the calls of earlier ones; other runs do not."""
    turn = [calls(("c", "find_book", {"title": "A"})), result("c", "one")]
    path = written(
        a_run(*turn, session_id="s"), a_run(*turn, session_id="s"), a_run(*turn), a_run(*turn)
    )

    _, judged_runs = before(path)

    assert [len(done) for done in judged_runs] == [0, 1, 0, 0]


@pytest.mark.parametrize(
    ("ats", "times"),
    [
        ([100, None, "1970-01-01T00:03:00+00:00", 90], [100, 100, 180, 180]),
        ([None, 50], [50, 50]),
        ([None, None], [0, 0]),
        ([float("inf"), 7], [7, 7]),
    ],
)
def test_the_clock_of_a_session_follows_the_file(written, a_run, ats, times):
    """The session's time is the file's latest `at`, and never goes back."""
    records: list[float] = []

    @rule(tool="*")
    def watch(session):
        """Nothing is wrong."""
        records.append(record_of(session).clock())

    turns = [{**calls((str(i), "find_book", {"title": "A"})), "at": at} for i, at in enumerate(ats)]
    list(replay([written(a_run(*turns))], policy=configure(rules=[watch])))

    assert records == times


def test_nan_in_arguments_is_judged(written, a_run):
    """A NaN in the arguments is parsed, and is a mismatch."""
    path = written(a_run(calls(("c", "lend_book", {"copy": float("nan")}))))

    [judged] = replay([path])

    assert judged.decision.verdict is Verdict.HALLUCINATED


def test_a_tool_of_the_policy_takes_precedence(written, a_run):
    """If the policy and the run both describe a tool, the policy's schema is used."""
    parameters = {"type": "object", "properties": {"title": {"type": "integer"}}}
    policy = configure(tools=[Tool(name="find_book", parameters=parameters)])
    path = written(
        a_run(calls(("c", "find_book", {"title": "A"}), ("d", "lend_book", {"copy": 1})))
    )

    result, lent = replay([path], policy=policy)

    assert (result.decision.verdict, lent.decision.verdict) == (
        Verdict.HALLUCINATED,
        Verdict.CLEAN,
    )


@pytest.mark.parametrize(
    ("on_error", "outcome"), [(None, Outcome.UNAVAILABLE), ("block", Outcome.ERROR)]
)
def test_an_invalid_schema_is_unavailable_or_an_error(written, a_run, on_error, outcome):
    """Calls of the tool are not checked; with `on_error="block"` that is an error."""
    tool = {"name": "find_book", "parameters": {"type": "strin"}}
    path = written(a_run(calls(("c", "find_book", {"title": "A"})), tools=[tool]))

    [judged] = replay([path], policy=configure(on_error=on_error))

    assert judged.decision.verdict is Verdict.CLEAN
    assert outcome is judged.decision.coverage["parameter_mismatch"].outcome
    assert judged.decision.would_block is (outcome is Outcome.ERROR)


def test_a_rule_that_does_not_fit_a_tool_of_the_run_is_skipped(written, a_run):
    """A rule with a parameter that the run's tool does not have is never evaluated."""

    @rule(tool="find_book")
    def shelf_is_known(shelf):
        """A shelf has a number."""
        return False

    path = written(a_run(calls(("c", "find_book", {"title": "A"}))))
    [judged] = replay([path], policy=configure(rules=[shelf_is_known]))

    assert Verdict.CLEAN is judged.decision.verdict


def test_without_tools_a_layer_is_unavailable(written, a_run):
    """The calls of a run without tools are CLEAN, and their coverage says unavailable."""
    path = written(a_run(calls(("c", "find_book", {"title": "A"})), tools=None))

    [judged] = replay([path])

    assert judged.decision.verdict is Verdict.CLEAN
    assert judged.decision.coverage["phantom_tool"].outcome is Outcome.UNAVAILABLE


def test_a_replay_logs_nothing(written, a_run, caplog):
    """Findings of recorded runs are not logged as events of the current process."""
    caplog.set_level(logging.DEBUG, logger="abs_shield")

    list(replay([written(a_run(calls(("c", "burn_book", {}))))]))

    assert caplog.records == []


def test_bad_lines_are_reported(written, a_run, caplog):
    """Each bad line is passed to the callback, or logged without one."""
    path = written(b"{", a_run())
    messages: list[str] = []

    list(replay([path], on_bad_line=lambda bad: messages.append(str(bad))))
    list(replay([path]))

    assert messages[0].startswith(f"{path}:1: the line is not JSON")
    assert "skipped" in caplog.text

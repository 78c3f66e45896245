"""Results in a Shield: one decision each, withheld in strict mode, by every entry point."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from abs_shield import (
    Action,
    Mode,
    PolicyError,
    ResultBlocked,
    Shield,
    ShieldError,
    Suppression,
    Tool,
    ToolCall,
    ToolProfile,
    Verdict,
    Verification,
    inverse,
    shield,
    shielded,
)
from abs_shield.core import Outcome, Subject

PROFILE = ToolProfile(required_fields=["price", "currency"], has_network_io=False)
QUOTE = Tool(name="get_quote", profile=PROFILE, read_only=True)
GOOD = {"price": 650.0, "currency": "USD"}
MADE_UP = {"answer": "the price is 650"}
CALL = {"name": "get_quote", "arguments": {"ticker": "NVDA"}, "id": "c1"}


def firewall_of(**declared) -> Shield:
    declared = {"mode": "strict", "layers": [], "tools": [QUOTE]} | declared
    return Shield(shield.configure(**declared), hooks=None)


def results(firewall: Shield) -> list:
    return [d for d in firewall.store.decisions() if d.subject is Subject.RESULT]


# What is decided -------------------------------------------------------------------------------


def test_a_clean_result_has_one_record_with_its_probability() -> None:
    """It is clean and allowed, with each signal in the coverage."""
    firewall = firewall_of()
    session = firewall.session("s1", agent="buyer")
    firewall.check_call(CALL, session=session)
    decision = firewall.check_result(CALL, GOOD, elapsed_ms=3.0, session=session)

    assert [decision] == results(firewall)
    assert (Verdict.CLEAN, Action.ALLOW, False) == (
        decision.verdict, decision.action, decision.blocked,
    )  # fmt: skip
    assert 0 < decision.probability < 0.2
    assert ("s1", "c1", "buyer") == (decision.session_id, decision.call_id, decision.agent)
    assert Outcome.RAN is decision.coverage["schema_mismatch"].outcome
    assert Outcome.UNAVAILABLE is decision.coverage["session_inconsistency"].outcome


def test_a_fabricated_result_is_withheld_with_a_finding_for_every_fired_signal() -> None:
    """The finding has the field and the likelihood ratio; the hint says that the call has run."""
    firewall = firewall_of()
    decision = firewall.check_result(CALL, MADE_UP, elapsed_ms=3.0)

    assert decision.blocked
    assert decision.would_block
    assert Mode.STRICT is decision.mode
    assert Verdict.HALLUCINATED is decision.verdict
    [finding] = decision.findings
    assert ("schema_mismatch", "schema_mismatch", Verdict.HALLUCINATED, 12.0) == (
        finding.check, finding.code, finding.verdict, finding.evidence["likelihood_ratio"],
    )  # fmt: skip
    assert decision.probability >= 0.5
    text = decision.explain()
    assert "withheld" in text
    assert "has run" in text
    assert "prevented" not in text


def test_audit_only_records_a_result_that_strict_would_withhold() -> None:
    """The value is returned; the record equals that of strict mode, except for `blocked`."""
    firewall = firewall_of(mode="audit")
    decision = firewall.check_result(CALL, MADE_UP, elapsed_ms=3.0)

    assert (False, True, Action.BLOCK) == (
        decision.blocked, decision.would_block, decision.action,
    )  # fmt: skip
    assert "flagged" == decision.feedback()["status"]


@pytest.mark.parametrize(
    "modes",
    [
        {"verification": "audit"},
        {"get_quote": "audit"},
        {("get_quote", "verification"): "audit"},
    ],
)
def test_results_may_stay_in_audit_while_calls_are_strict(modes) -> None:
    """The mode may be set for one check or one tool, as for a layer."""
    decision = firewall_of(modes=modes).check_result(CALL, MADE_UP, elapsed_ms=3.0)

    assert (False, True, Mode.AUDIT) == (decision.blocked, decision.would_block, decision.mode)


def test_a_tool_of_its_own_is_strict_in_an_audit_policy() -> None:
    """The pair of tool and check takes precedence."""
    firewall = firewall_of(mode="audit", modes={("get_quote", "verification"): "strict"})

    assert firewall.check_result(CALL, MADE_UP, elapsed_ms=3.0).blocked


def test_the_kill_switch_lets_results_through(monkeypatch) -> None:
    """The kill switch only stops enforcement."""
    monkeypatch.setenv("ABS_SHIELD_MODE", "audit")

    assert not firewall_of().check_result(CALL, MADE_UP, elapsed_ms=3.0).blocked


def test_a_policy_without_verification() -> None:
    """No record is made, and the Shield has no engine."""
    firewall = firewall_of(verification=False)
    decision = firewall.check_result(CALL, MADE_UP, elapsed_ms=3.0)

    assert not decision.blocked
    assert decision.probability is None
    assert [] == results(firewall)
    with pytest.raises(ShieldError, match="verification=False"):
        _ = firewall.verification


def test_thresholds_are_declared_in_the_policy() -> None:
    """With a block threshold above what the signals reach, the result is flagged."""
    firewall = firewall_of(verification=Verification(block_threshold=0.9))
    decision = firewall.check_result(CALL, MADE_UP, elapsed_ms=3.0)

    assert (False, Action.FLAG, Verdict.SUSPICIOUS) == (
        decision.blocked, decision.action, decision.verdict,
    )  # fmt: skip


def test_a_misspelt_mode_or_signal_is_refused() -> None:
    """The message has the nearest name."""
    with pytest.raises(PolicyError, match="did you mean `verification`"):
        firewall_of(modes={("get_quote", "verificaton"): "audit"})
    with pytest.raises(PolicyError, match="did you mean `spc_anomaly`"):
        firewall_of(suppress=[Suppression(check="spc_anomalie", reason="known")])


def test_a_suppressed_signal_is_recorded_and_withholds_nothing() -> None:
    """A suppressed signal does not affect the verdict."""
    known = Suppression(check="schema_mismatch", tool="get_quote", reason="a beta answers so")
    decision = firewall_of(suppress=[known]).check_result(CALL, MADE_UP, elapsed_ms=3.0)

    assert (False, Verdict.CLEAN) == (decision.blocked, decision.verdict)
    assert [True] == [finding.suppressed for finding in decision.findings]


def test_a_failed_call_has_no_result_to_judge() -> None:
    """Its error text is not a result; only the call is recorded."""
    firewall = firewall_of()
    decision = firewall.check_result(CALL, "500 server error", elapsed_ms=3.0, error=True)

    assert not decision.blocked
    assert [] == results(firewall)
    assert "the call failed" == decision.coverage["verification"].reason


def test_a_result_is_judged_once() -> None:
    """A result that the host reports twice has one record."""
    firewall = firewall_of()
    session = firewall.session()
    firewall.check_call(CALL, session=session)
    firewall.check_result(CALL, GOOD, elapsed_ms=3.0, session=session)
    again = firewall.check_result(CALL, GOOD, elapsed_ms=3.0, session=session)

    assert [again] == results(firewall)


class Broken:
    """A mapping that cannot be read."""

    def __getattribute__(self, name):
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("declared", "withheld"),
    [({}, True), ({"on_error": "allow"}, False), ({"mode": "audit"}, False)],
)
def test_an_internal_error_is_recorded_and_is_no_verdict(
    declared, withheld, monkeypatch, caplog
) -> None:
    """Strict mode withholds an unchecked result, unless the policy allows errors."""
    firewall = firewall_of(**declared)
    monkeypatch.setattr(type(firewall.verification), "verify", lambda *_, **__: 1 / 0, raising=True)
    with caplog.at_level(logging.CRITICAL, logger="abs_shield"):
        decision = firewall.check_result(CALL, GOOD, elapsed_ms=3.0)

    assert withheld is decision.blocked
    assert Verdict.CLEAN is decision.verdict
    assert decision.probability is None
    assert "ZeroDivisionError" in decision.errors[0]
    assert [decision] == results(firewall)


# What the model and the session learn of it ------------------------------------------------------


def test_a_withheld_value_is_in_no_text_for_the_model() -> None:
    """It is not in the session either; only the record has the detail, for operators."""
    firewall = firewall_of()
    session = firewall.session()
    firewall.check_call(CALL, session=session)
    fabricated = {"price": "ORD-777123"}
    decision = firewall.check_result(CALL, fabricated, elapsed_ms=3.0, session=session)
    feedback = decision.feedback()

    assert "withheld" == feedback["status"]
    assert ["schema_mismatch"] == [problem["code"] for problem in feedback["problems"]]
    assert "ORD-777123" not in json.dumps(feedback)
    assert "has run" in feedback["problems"][0]["hint"]
    assert session.origin("ORD-777123") is None
    assert [None] == [call.value for call in session.executed]


def test_a_call_with_a_withheld_result_still_counts_as_executed() -> None:
    """Its side effect has happened, so a later call may contradict it."""
    firewall = firewall_of(
        tools=[
            Tool(name="create_user", profile=ToolProfile(required_fields=["ok"])),
            Tool(name="delete_user"),
        ],
        layers=["self_contradiction"],
        inverses=[inverse("create_user", "delete_user", same="user_id")],
    )
    session = firewall.session()
    create = {"name": "create_user", "arguments": {"user_id": "u1"}, "id": "c1"}
    firewall.check_call(create, session=session)
    withheld = firewall.check_result(create, {}, elapsed_ms=9.0, session=session)
    delete = {"name": "delete_user", "arguments": {"user_id": "u1"}, "id": "c2"}

    assert withheld.blocked
    assert Verdict.CLEAN is not firewall.check_call(delete, session=session).verdict


def test_feedback_for_a_withheld_result_in_a_transcript_is_a_call_that_ran() -> None:
    """Its value is unknown; it is neither a failed nor a blocked call."""
    firewall = firewall_of()
    withheld = firewall.check_result(CALL, MADE_UP, elapsed_ms=3.0).feedback()
    resumed = firewall.session(
        messages=[
            {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {
                "name": "get_quote", "arguments": '{"ticker": "NVDA"}'}}]},
            {"role": "tool", "tool_call_id": "c1", "content": json.dumps(withheld),
             "is_error": True},
        ]
    )  # fmt: skip

    assert [("get_quote", None, False)] == [
        (call.tool, call.value, call.error) for call in resumed.executed
    ]


def test_decisions_about_results_are_separate_in_a_session() -> None:
    """`decisions` has one Decision per call."""
    firewall = firewall_of()
    with firewall.session() as session:
        firewall.check_call(CALL)
        firewall.check_result(CALL, GOOD, elapsed_ms=3.0)

    assert [Subject.CALL] == [decision.subject for decision in session.decisions]
    assert [Subject.RESULT] == [decision.subject for decision in session.result_decisions]


# Every way in ------------------------------------------------------------------------------------


def quote_of(firewall: Shield, kind: str, value, on_block: str = "raise"):
    """Call a tool of that kind of function, and return the final value."""
    decorate = shielded(firewall, name="get_quote", on_block=on_block, replace=True)

    if kind == "async":

        @decorate
        async def get_quote(ticker: str) -> dict:
            await asyncio.sleep(0)
            return value

        return lambda: asyncio.run(get_quote("NVDA"))
    if kind == "awaitable":

        @decorate
        def get_quote(ticker: str):
            async def later():
                return value

            return later()

        async def awaited():
            return await get_quote("NVDA")

        return lambda: asyncio.run(awaited())

    @decorate
    def get_quote(ticker: str) -> dict:
        return value

    return lambda: get_quote("NVDA")


@pytest.mark.parametrize("kind", ["function", "async", "awaitable"])
def test_a_decorated_tool_raises_for_a_withheld_result(kind) -> None:
    """The caller does not receive it; a clean result is returned."""
    firewall = firewall_of()

    assert GOOD == quote_of(firewall, kind, GOOD)()
    with pytest.raises(ResultBlocked) as caught:
        quote_of(firewall, kind, MADE_UP)()
    assert caught.value.decision == results(firewall)[-1]
    assert "650" not in caught.value.decision.feedback().__str__()


@pytest.mark.parametrize("kind", ["function", "async"])
def test_a_decorated_tool_may_return_the_feedback(kind) -> None:
    """As for a blocked call."""
    value = quote_of(firewall_of(), kind, MADE_UP, on_block="return")()

    assert "withheld" == value["status"]


def test_a_future_is_judged_when_it_is_done() -> None:
    """The caller already has the value, so it is flagged, but not withheld."""
    firewall = firewall_of()

    async def run():
        future = asyncio.get_running_loop().create_future()
        tool = shielded(firewall, name="get_quote")(lambda ticker: future)
        value = tool("NVDA")
        future.set_result(MADE_UP)
        return await value

    assert MADE_UP == asyncio.run(run())
    [decision] = results(firewall)
    assert (False, False, Action.FLAG, Verdict.SUSPICIOUS) == (
        decision.blocked, decision.would_block, decision.action, decision.verdict,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("items", "actions"),
    [
        ([GOOD], [Action.ALLOW]),
        ([MADE_UP], [Action.FLAG]),
        (["the price ", "is 650"], [Action.FLAG]),
        ([GOOD, GOOD], [Action.ALLOW]),
        ([], []),
    ],
    ids=["one", "a made-up one", "text in parts", "pages", "nothing"],
)
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_generator_is_judged_when_it_is_over_and_never_withheld(kind, items, actions) -> None:
    """A single item, or joined texts, are judged; several other items are not."""
    firewall = firewall_of()

    if kind == "sync":

        @shielded(firewall)
        def get_quote(ticker: str):
            yield from items

        assert items == list(get_quote("NVDA"))
    else:

        @shielded(firewall)
        async def get_quote(ticker: str):
            for item in items:
                yield item

        async def read():
            return [item async for item in get_quote("NVDA")]

        assert items == asyncio.run(read())
    assert actions == [decision.action for decision in results(firewall)]
    assert not any(decision.would_block for decision in results(firewall))


def test_a_generator_that_is_not_exhausted_is_not_judged() -> None:
    """A partial result is not judged, but its items are evidence."""
    firewall = firewall_of()

    @shielded(firewall)
    def get_quote(ticker: str):
        yield {"id": "ORD-1777"}
        yield GOOD

    with firewall.session() as session:
        items = get_quote("NVDA")
        next(items)
        items.close()

    assert [] == results(firewall)
    assert session.origin("ORD-1777") is not None


@pytest.mark.parametrize(("declared", "rows"), [({}, 1), ({"verification": False}, 0)])
def test_items_of_a_generator_are_recorded_as_not_judged(declared, rows) -> None:
    """The record has the reason; with `verification=False` there is no record."""
    firewall = Shield(shield.configure(**declared), hooks=None)

    @shielded(firewall)
    def get_pages(ticker: str):
        yield 1
        yield {"a": 2}

    list(get_pages("NVDA"))

    coverage = [one.coverage["verification"] for one in results(firewall)]
    expected = (Outcome.UNAVAILABLE, "no single result: the generator yielded several items")
    assert [expected] * rows == coverage


def test_dispatch_and_guard_raise_and_a_message_is_answered() -> None:
    """`dispatch` and `guard` raise; `run_tool_calls` returns messages."""
    firewall = firewall_of()
    value = [MADE_UP]

    @shielded(firewall, name="get_quote")
    def get_quote(ticker: str) -> dict:
        return value[0]

    with pytest.raises(ResultBlocked):
        firewall.dispatch("get_quote", {"ticker": "NVDA"})
    with pytest.raises(ResultBlocked):
        asyncio.run(firewall.adispatch("get_quote", {"ticker": "NVDA"}))
    with pytest.raises(ResultBlocked), firewall.guard(CALL) as guard:
        guard.value = MADE_UP
    message = {"role": "assistant", "tool_calls": [{"id": "c9", "type": "function", "function": {
        "name": "get_quote", "arguments": '{"ticker": "NVDA"}'}}]}  # fmt: skip
    [answer] = firewall.run_tool_calls(message)
    [later] = asyncio.run(firewall.arun_tool_calls(message))
    [hosted] = firewall.run_tool_calls(message, dispatch=lambda call: MADE_UP)

    for each in (answer, later, hosted):
        assert "withheld" == json.loads(each["content"])["status"]


def test_a_guard_without_a_value_has_nothing_to_judge() -> None:
    """None is a result, but a missing value is not."""
    firewall = firewall_of()
    with firewall.guard(CALL):
        pass

    assert [] == results(firewall)
    with pytest.raises(ResultBlocked), firewall.guard(CALL) as guard:
        guard.value = None


def test_a_framework_signal_is_not_replaced() -> None:
    """A handoff that is raised propagates; its value is only flagged."""
    firewall = firewall_of()
    guard = firewall.guard(CALL)
    guard.__enter__()
    guard.value, guard.failed = MADE_UP, False
    guard.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)

    assert [(False, Action.FLAG)] == [(d.blocked, d.action) for d in results(firewall)]


def test_a_call_from_code_is_judged_too() -> None:
    """The result of a nested call is judged as well."""
    firewall = firewall_of()

    @shielded(firewall, name="get_quote")
    def get_quote(ticker: str) -> dict:
        return MADE_UP

    @shielded(firewall)
    def buy(ticker: str) -> str:
        """Buy at the price of now."""
        return get_quote(ticker)["price"]

    with firewall.session(), pytest.raises(ResultBlocked):
        buy("NVDA")


def test_withheld_results_do_not_train_the_engine() -> None:
    """A fabricated result that is repeated twelve times is withheld twelve times."""
    firewall = firewall_of()
    for _ in range(20):
        firewall.check_result(CALL, GOOD, elapsed_ms=3.0)
    wrong = [
        firewall.check_result(CALL, {"price": -9.0, "answer": "x"}, elapsed_ms=3.0)
        for _ in range(12)
    ]

    assert all(decision.blocked for decision in wrong)


def test_labels_reach_the_engine_through_the_shield() -> None:
    """Labels that withheld results were right raise the threshold of that tool."""
    firewall = firewall_of()
    decision = firewall.check_result(CALL, MADE_UP, elapsed_ms=3.0)
    for _ in range(6):
        firewall.verification.record_feedback(
            "get_quote", confidence_score=decision.probability, was_hallucination=False
        )

    calibration = firewall.verification.get_calibration("get_quote")
    assert calibration["block_threshold"] > 0.5


def test_a_store_that_raises_is_logged(caplog) -> None:
    """The lost record is logged as an error, and the value is returned."""

    class Full:
        losing = False

        def append(self, decision):
            raise OSError("full")

    firewall = Shield(shield.configure(mode="audit", layers=[]), store=Full(), hooks=None)
    with caplog.at_level(logging.ERROR, logger="abs_shield"):
        firewall.check_result(CALL, GOOD, elapsed_ms=3.0)

    assert any("could not store" in record.message for record in caplog.records)


def test_a_concurrent_future_is_a_value() -> None:
    """It is not awaited."""
    firewall = firewall_of(tools=[])
    future: Future = Future()

    assert future is shielded(firewall, name="get_quote")(lambda ticker: future)("NVDA")


def test_a_suppressed_signal_does_not_count_with_another_one() -> None:
    """The length alone flags a result; the suppressed missing field does not add evidence."""
    profile = ToolProfile(required_fields=["price"], min_response_length=500, has_network_io=False)
    tools = [Tool(name="get_quote", profile=profile)]
    known = Suppression(check="schema_mismatch", where="/price", reason="a beta answers so")
    plain = firewall_of(tools=tools).check_result(CALL, MADE_UP, elapsed_ms=3.0)
    quiet = firewall_of(tools=tools, suppress=[known])
    decision = quiet.check_result(CALL, MADE_UP, elapsed_ms=3.0)

    assert plain.blocked
    assert not decision.blocked
    assert decision.probability < plain.probability
    assert {"schema_mismatch": True, "length_anomaly": False} == {
        finding.check: finding.suppressed for finding in decision.findings
    }


def test_a_suppressed_result_trains_the_engine() -> None:
    """A result with only suppressed findings becomes part of the baseline."""
    known = Suppression(check="schema_mismatch", reason="a beta answers so")
    firewall = firewall_of(suppress=[known])
    for _ in range(9):
        firewall.check_result(CALL, {"answer": 5}, elapsed_ms=3.0)

    assert 9 == len(firewall.verification.snapshot()["results"])


@pytest.mark.parametrize("elapsed_ms", ["3", True])
def test_an_invalid_duration_is_an_internal_error_with_a_hint(elapsed_ms, caplog) -> None:
    """The call returns, and the record has the reason."""
    with caplog.at_level(logging.CRITICAL, logger="abs_shield"):
        decision = firewall_of(mode="audit").check_result(CALL, GOOD, elapsed_ms=elapsed_ms)

    assert "give milliseconds, 0 or more" in decision.errors[0]


def test_the_text_of_an_exception_is_not_recorded(monkeypatch, caplog) -> None:
    """It may quote the result: only its type and location are recorded."""
    firewall = firewall_of(mode="audit")

    def raises(*_, **__):
        raise ValueError("ORD-777123 is odd")

    monkeypatch.setattr(type(firewall.verification), "verify", raises)
    with caplog.at_level(logging.CRITICAL, logger="abs_shield"):
        decision = firewall.check_result(CALL, GOOD, elapsed_ms=3.0)

    assert "ORD-777123" not in decision.to_json()


def test_threads_share_one_engine() -> None:
    """Eight concurrent first results create one engine."""
    firewall = firewall_of()
    ready = threading.Barrier(8)

    def come(_: int) -> int:
        ready.wait()
        firewall.check_result(CALL, GOOD, elapsed_ms=3.0)
        return id(firewall.verification)

    with ThreadPoolExecutor(8) as pool:
        engines = set(pool.map(come, range(8)))

    assert 1 == len(engines)
    assert 8 == len(firewall.verification.snapshot()["results"])


# What a hostile reader found ---------------------------------------------------------------------


def test_a_withheld_result_does_not_pass_the_second_time() -> None:
    """A result that is reported again is withheld again."""
    firewall = firewall_of()
    session = firewall.session()
    firewall.check_call(CALL, session=session)

    for _ in range(3):
        assert firewall.check_result(CALL, MADE_UP, elapsed_ms=3.0, session=session).blocked


def test_a_reused_id_is_another_call() -> None:
    """Some providers number the calls of each turn from 0; each result is judged."""
    firewall = firewall_of()
    session = firewall.session()
    first = firewall.check_result(CALL, GOOD, elapsed_ms=3.0, session=session)
    same = firewall.check_result(CALL, GOOD, elapsed_ms=3.0, session=session)
    other = firewall.check_result(CALL, MADE_UP, elapsed_ms=3.0, session=session)

    assert first is same
    assert other.blocked


@pytest.mark.parametrize("checks", [True, False])
def test_each_result_of_a_reused_id_is_added_to_the_session(checks) -> None:
    """A later call may use the second result; a result that is reported twice counts once."""
    firewall = firewall_of(tools=[])
    session = firewall.session(messages=[{"role": "user", "content": "Look everywhere."}])
    results = [("1", "tx_777"), ("2", "tx_888"), ("2", "tx_888"), ("2", "tx_999")]
    for page, found in results:
        call = ToolCall("look", {"page": page}, "call_0")
        if checks:
            firewall.check_call(call, session=session)
        firewall.check_result(call, {"id": found}, elapsed_ms=3.0, session=session)

    assert all(session.origin(found) for _, found in results)
    assert (4 if checks else 3) == len(session.executed)


def test_a_retry_with_the_id_of_a_failed_call_is_added_to_the_session() -> None:
    """The host reports both calls; only the second one has a result."""
    firewall = firewall_of(tools=[])
    session = firewall.session(messages=[{"role": "user", "content": "Look everywhere."}])
    call = ToolCall("look", {"page": 1}, "call_0")
    firewall.check_result(call, "no connection", elapsed_ms=None, error=True, session=session)
    firewall.check_result(call, "it is tx_888", elapsed_ms=3.0, session=session)

    assert [True, False] == [one.error for one in session.executed]
    assert session.origin("tx_888")


def test_a_result_in_a_transcript_is_added_once() -> None:
    """The transcript has the result and the arguments as text."""
    firewall = firewall_of(tools=[])
    session = firewall.session()
    session.add([
        {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {
            "name": "look", "arguments": '{"page": 1}'}}]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"id": "tx_777"}'},
    ])  # fmt: skip
    call = ToolCall("look", {"page": 1.0}, "c1")
    firewall.check_result(call, {"id": "tx_777"}, elapsed_ms=3.0, session=session)

    assert 1 == len(session.executed)


@pytest.mark.parametrize("way", ["guard", "check_result"])
def test_an_earlier_transcript_does_not_prevent_the_check(way) -> None:
    """The host adds its messages before it reports the result."""
    firewall = firewall_of()
    session = firewall.session()
    messages = [
        {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {
            "name": "get_quote", "arguments": '{"ticker": "NVDA"}'}}]},
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps(MADE_UP)},
    ]  # fmt: skip
    if way == "guard":
        guard = firewall.guard(CALL, session=session)
        guard.__enter__()
        session.add(messages)
        guard.value = MADE_UP
        with pytest.raises(ResultBlocked):
            guard.__exit__(None, None, None)
    else:
        firewall.check_call(CALL, session=session)
        session.add(messages)
        assert firewall.check_result(CALL, MADE_UP, elapsed_ms=3.0, session=session).blocked
    assert 1 == len(session.executed)


def test_a_tool_call_while_a_result_is_read_does_not_deadlock() -> None:
    """A finaliser, or an object of the host, may call a tool while a result is judged."""
    firewall = firewall_of(tools=[])

    @shielded(firewall)
    def look(n: int) -> dict:
        return {"n": n}

    class Calling(dict):
        def items(self):
            look(1)
            return super().items()

    @shielded(firewall)
    def outer() -> dict:
        return {"inner": Calling(n=5), "again": [Calling(n=6)]}

    done = threading.Thread(target=outer, daemon=True)
    done.start()
    done.join(10)
    assert not done.is_alive()

    engine = firewall.verification
    engine._judging = threading.get_ident()
    result = engine.verify("look", args={}, result={"n": 5}, execution_time_ms=3.0)
    assert "accept" == result.verdict
    assert all("judged another result" in signal.unavailable for signal in result.signals.values())


def test_a_call_is_recorded_as_executed_if_its_check_is_interrupted(monkeypatch) -> None:
    """Its side effect has happened, even if the process is stopped meanwhile."""
    firewall = firewall_of()
    session = firewall.session()
    firewall.check_call(CALL, session=session)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(type(firewall.verification), "verify", interrupted)
    with pytest.raises(KeyboardInterrupt):
        firewall.check_result(CALL, GOOD, elapsed_ms=3.0, session=session)

    assert ["get_quote"] == [call.tool for call in session.executed]


def test_an_engine_that_cannot_be_created_is_an_internal_error(monkeypatch, caplog) -> None:
    """It is reported like any internal error, and the call counts as executed."""
    from abs_shield.verification import VerificationEngine

    firewall = firewall_of(mode="audit")

    def broken(*_):
        raise ImportError("no engine")

    monkeypatch.setattr(VerificationEngine, "of", broken)
    session = firewall.session()
    firewall.check_call(CALL, session=session)
    with caplog.at_level(logging.CRITICAL, logger="abs_shield"):
        decision = firewall.check_result(CALL, GOOD, elapsed_ms=3.0, session=session)

    assert "ImportError" in decision.errors[0]
    assert 1 == len(session.executed)


def test_the_exception_of_a_withheld_result_does_not_contain_it() -> None:
    """Tools may return the texts of exceptions."""
    firewall = firewall_of()
    for _ in range(20):
        firewall.check_result({**CALL, "id": None}, {**GOOD}, elapsed_ms=3.0)
    decision = firewall.check_result(CALL, {"price": -7.5, "x": 1}, elapsed_ms=3.0)

    assert decision.blocked
    assert "7.5" not in decision.explain()
    assert "%" not in decision.explain()
    assert "schema_mismatch at /currency" in decision.explain()
    assert all("7.5" not in str(p) and "%" not in str(p) for p in decision.feedback()["problems"])


def test_feedback_for_an_unchecked_result_says_that_the_call_has_run(monkeypatch, caplog) -> None:
    """The feedback says that it is not the model's mistake."""
    firewall = firewall_of()
    monkeypatch.setattr(type(firewall.verification), "verify", lambda *_, **__: 1 / 0)
    with caplog.at_level(logging.CRITICAL, logger="abs_shield"):
        decision = firewall.check_result(CALL, GOOD, elapsed_ms=3.0)

    [problem] = decision.feedback()["problems"]
    assert ("layer_error", True) == (problem["code"], "the call has run" in problem["hint"])


@pytest.mark.parametrize(
    ("policy", "action"),
    [({}, Action.FLAG), ({"mode": "audit"}, Action.FLAG), ({"on_error": "allow"}, Action.ALLOW)],
    ids=["strict", "audit", "on_error allow"],
)
def test_an_error_about_a_result_that_the_caller_has_would_not_block(
    policy, action, monkeypatch, caplog
) -> None:
    """Strict mode could not withhold it, so audit mode does not record it as a block."""
    firewall = firewall_of(**policy)
    monkeypatch.setattr(type(firewall.verification), "verify", lambda *_, **__: 1 / 0)
    with caplog.at_level(logging.CRITICAL, logger="abs_shield"), firewall.guard(CALL) as guard:
        guard.delivered, guard.value = True, GOOD

    [decision] = results(firewall)
    assert decision.errors
    assert (action, False, False) == (decision.action, decision.would_block, decision.blocked)


def test_a_new_profile_applies() -> None:
    """The profile of the current declaration is used, not that of an earlier one."""
    firewall = firewall_of(tools=[])
    assert not firewall.check_result(CALL, MADE_UP, elapsed_ms=3.0).blocked
    firewall.register(Tool(name="get_quote", profile=PROFILE))
    assert firewall.check_result({**CALL, "id": "c2"}, MADE_UP, elapsed_ms=3.0).blocked


@pytest.mark.parametrize(("name", "retryable"), [("get_quote", True), ("delete_quote", False)])
def test_only_a_read_only_call_may_be_repeated(name, retryable) -> None:
    """The feedback says whether the call may be repeated."""
    firewall = firewall_of(tools=[Tool(name=name, profile=PROFILE)])
    decision = firewall.check_result({**CALL, "name": name}, MADE_UP, elapsed_ms=3.0)

    assert retryable is decision.feedback()["retryable"]


def test_calls_without_a_session_are_not_compared() -> None:
    """Two calls without a session share no history."""
    firewall = firewall_of(tools=[])
    for value in (1.0, 5_000.0):
        decision = firewall.check_result({**CALL, "id": None}, {"n": value}, elapsed_ms=3.0)

    assert Verdict.CLEAN is decision.verdict
    assert Outcome.UNAVAILABLE is decision.coverage["session_inconsistency"].outcome


def test_weak_evidence_is_no_finding() -> None:
    """Most tools without a profile return within 2 ms."""
    decision = firewall_of(tools=[]).check_result(CALL, GOOD, elapsed_ms=0.3)

    assert () == decision.findings
    assert Outcome.RAN is decision.coverage["latency_anomaly"].outcome


def test_a_finding_of_an_accepted_result_does_not_weigh() -> None:
    """A slow call is a finding that does not change the verdict."""
    profile = ToolProfile(expected_latency_ms=(0, 10), has_network_io=False)
    tools = [Tool(name="get_quote", profile=profile)]
    decision = firewall_of(tools=tools).check_result(CALL, GOOD, elapsed_ms=500.0)

    assert Verdict.CLEAN is decision.verdict
    assert [("latency_anomaly", False)] == [(f.check, f.counted) for f in decision.findings]

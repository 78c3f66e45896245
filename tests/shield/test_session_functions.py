"""Functions of one session: they run there, and in no other session."""

from __future__ import annotations

import asyncio
import functools
import gc
import json
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Annotated, Any

import pytest

from abs_shield import (
    CallBlocked,
    Injected,
    PolicyError,
    ResultBlocked,
    Session,
    Shield,
    ShieldError,
    Target,
    Tool,
    ToolCall,
    ToolProfile,
    shield,
    shielded,
)
from abs_shield.session import Sessions
from abs_shield.shield.adapter_session import AdapterSession
from abs_shield.testing import call, scripted


class Db:
    """The client of one tenant, opened for a request."""

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant

    def whoami(self) -> str:
        """Say whose data this is."""
        return self.tenant

    def find(self, order_id: str) -> dict[str, str]:
        """Find an order."""
        return {"order": order_id, "tenant": self.tenant}

    async def wait(self, turns: int) -> str:
        """Say whose data this is, later."""
        for _ in range(turns):
            await asyncio.sleep(0)
        return self.tenant


@pytest.fixture
def firewall() -> Shield:
    """Return a strict Shield without hooks, with one tool."""
    policy = shield.configure(mode="strict", tools=[Tool(name="help", parameters={})])
    return Shield(policy, hooks=None)


def turn(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Return an assistant message in OpenAI's shape."""
    tool_calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(a)}}
        for n, (name, a) in enumerate(calls)
    ]
    return {"role": "assistant", "content": None, "tool_calls": tool_calls}


def test_each_session_runs_its_own_function(firewall):
    """Sessions of two tenants are open concurrently."""
    one = firewall.session(functions={"whoami": Db("A").whoami})
    two = firewall.session(functions={"whoami": Db("B").whoami})

    assert ["A", "B", "A"] == [
        firewall.dispatch("whoami", {}, session=session) for session in (one, two, one)
    ]


def test_a_list_of_functions_uses_their_own_names(firewall):
    """Decorated functions keep the name of the decorator."""

    @shielded(firewall, name="look_up")
    def lookup(a: int) -> int:
        return a

    with firewall.session(functions=[Db("A").whoami, lookup]) as session:
        assert ("A", 3) == (firewall.dispatch("whoami", {}), firewall.dispatch("look_up", {"a": 3}))
    assert not session.decisions[0].blocked


def test_another_session_has_no_such_tool(firewall):
    """A tool of one session is unknown in all others, and outside of sessions."""
    firewall.session(functions={"whoami": Db("A").whoami})

    with firewall.session(), pytest.raises(CallBlocked, match="no tool is named `whoami`"):
        firewall.dispatch("whoami", {})
    with pytest.raises(CallBlocked, match="no tool is named `whoami`"):
        firewall.dispatch("whoami", {})


def test_a_call_is_judged_by_the_functions_signature(firewall):
    """Another session may have another function of the same name."""

    def other(number: int) -> int:
        return number

    one = firewall.session(functions={"find": Db("A").find})
    two = firewall.session(functions={"find": other})

    for _ in range(2):
        assert not firewall.check_call(
            {"name": "find", "arguments": {"number": 3}}, session=two
        ).blocked
        assert firewall.check_call(
            {"name": "find", "arguments": {"number": 3}}, session=one
        ).blocked
        assert firewall.inspect_turn([ToolCall("find", {"order_id": 3})], session=two)[0].blocked


def test_run_tool_calls_runs_the_sessions_functions(firewall):
    """`run_tool_calls`, sync and async; functions may be async too."""
    message = turn(("whoami", {}), ("wait", {"turns": 2}))
    db = Db("A")
    session = firewall.session(functions={"whoami": db.whoami, "wait": db.wait})
    messages = asyncio.run(firewall.arun_tool_calls(message, session=session))
    assert ["A", "A"] == [each["content"] for each in messages]

    messages = firewall.run_tool_calls(turn(("whoami", {})), session=session)
    assert "A" == messages[0]["content"]


def test_the_sessions_function_takes_precedence_over_a_registered_one(firewall):
    """In other sessions the registered function runs."""
    firewall.register(Db("everybody").whoami)

    with firewall.session(functions={"whoami": Db("A").whoami}):
        assert "A" == firewall.dispatch("whoami", {})
    with firewall.session():
        assert "everybody" == firewall.dispatch("whoami", {})


def test_registered_declarations_apply_to_a_sessions_function(firewall):
    """Marks and flags of a description and of the policy apply, with the function's own schema."""
    firewall.register(
        Tool(
            name="find",
            description="Find any order.",
            parameters={"properties": {"order_id": {}, "number": {"type": "integer"}}},
            targets=["order_id", "number"],
            destructive=True,
        )
    )

    with firewall.session(functions={"find": Db("A").find}) as session:
        session.user("Where is my order o-17?")
        decision = firewall.check_call({"name": "find", "arguments": {"order_id": "o-71"}})
        known = firewall.check_call({"name": "find", "arguments": {"order_id": "o-17"}})

    assert ["phantom_target"] == [finding.check for finding in decision.findings]
    assert () == known.findings


@pytest.mark.parametrize("depth", [1, 2])
def test_an_offer_in_a_sub_agents_session_is_not_looser(depth):
    """The registered marks and flags apply besides a framework's description."""
    guard = Shield(shield.configure(), hooks=None)
    parameters = {"type": "object", "properties": {"payee": {"type": "string"}}}
    target = {"payee": Target(must_be_seen=True)}
    guard.register(
        Tool(name="pay", parameters=parameters, targets=target, destructive=True, mode="strict")
    )
    session = guard.session(functions={"pay": lambda payee: payee})
    session.user("Please pay Bob Miller.")
    for _ in range(depth):
        session = session.child()
        AdapterSession(guard).offer(session, [{"name": "pay", "inputSchema": parameters}])

    invented = guard.check_call(ToolCall("pay", {"payee": "Al Green"}), session=session)
    seen = guard.check_call(ToolCall("pay", {"payee": "Bob Miller"}), session=session)

    assert (True, ["unseen"]) == (invented.blocked, [f.code for f in invented.findings])
    assert () == seen.findings
    assert guard.registry.of(session)["pay"].plan.tool.destructive


BOUNDED = {"amount": {"type": "number", "maximum": 100}, "other": {}}


@pytest.mark.parametrize("offered", [False, True])
@pytest.mark.parametrize("tolerant", [False, True])
def test_a_registered_constraint_applies_to_a_sessions_function(offered, tolerant):
    """Parameters that the function does not have are not required."""
    guard = Shield(shield.configure(mode="strict"), hooks=None)
    schema = {"type": "object", "properties": BOUNDED, "required": ["other"]}
    guard.register(Tool(name="pay", parameters=schema), tolerant=tolerant)
    session = guard.session(functions={"pay": lambda amount, note="": amount})
    if offered:
        session = session.child()
        described = {"properties": {"amount": {}, "note": {}}}
        AdapterSession(guard).offer(session, [{"name": "pay", "inputSchema": described}])

    too_much = guard.check_call(ToolCall("pay", {"amount": 500}), session=session)
    assert (True, ["out_of_range"]) == (too_much.blocked, [f.code for f in too_much.findings])
    for arguments in ({"amount": 5}, {"amount": 5, "note": "x"}):
        assert () == guard.check_call(ToolCall("pay", arguments), session=session).findings


def test_a_session_opens_beside_a_registered_schema_that_is_invalid():
    """The schema is an error of the registered tool's checks only."""
    guard = Shield(shield.configure(mode="strict"), hooks=None)
    schema = {"type": "object", "properties": {"amount": {"type": "nonsense"}}}
    guard.register(Tool(name="pay", parameters=schema), tolerant=True)
    session = guard.session(functions={"pay": lambda amount: amount})

    assert () == guard.check_call(ToolCall("pay", {"amount": 5}), session=session).findings


def test_the_policy_refines_a_sessions_function():
    """The policy refines it like a registered function."""
    policy = shield.configure(
        mode="strict", tools=[Tool(name="whoami", mode="audit")], modes={"find": "audit"}
    )
    guard = Shield(policy, hooks=None)
    db = Db("A")

    with guard.session(functions=[db.whoami, db.find]):
        modes = [
            guard.check_call({"name": n, "arguments": {"x": 1}}).mode for n in ("whoami", "find")
        ]
    assert ["audit", "audit"] == modes


def test_marks_in_the_functions_hints_apply(firewall):
    """They apply like those of a decorated function."""

    def refund(amount: float, code: Annotated[str, Target()]) -> str:
        return code

    with firewall.session(functions=[refund]) as session:
        session.user("Refund it.")
        decision = firewall.check_call(
            {"name": "refund", "arguments": {"amount": 3, "code": "zz-top"}}
        )
    assert "phantom_target" in [finding.check for finding in decision.findings]


def test_results_of_a_sessions_function_are_judged():
    """They are judged by the policy's profile of the name."""
    policy = shield.configure(
        mode="strict",
        tools=[Tool(name="whoami", profile=ToolProfile(required_fields=("id",)))],
    )
    guard = Shield(policy, hooks=None)

    def whoami() -> dict[str, str]:
        return {"name": "A"}

    with guard.session(functions=[whoami]), pytest.raises(ResultBlocked):
        guard.dispatch("whoami", {})


def test_near_names_are_those_of_the_session(firewall):
    """A misspelt name is compared with the session's functions too, in calls and in `tools`."""
    functions = {"whoami": Db("A").whoami}
    with firewall.session(functions=functions):
        decision = firewall.check_call({"name": "whoamy", "arguments": {}})
    assert "whoami" == decision.findings[0].nearest

    with pytest.raises(PolicyError, match="did you mean `whoami`"):
        firewall.session(functions=functions, tools=["whoamy"])


def test_tools_restrict_the_functions_too(firewall):
    """A session's function that its `tools` leave out is not available."""
    db = Db("A")
    with firewall.session(functions=[db.whoami, db.find], tools=["whoami", "help"]):
        decision = firewall.check_call({"name": "find", "arguments": {"order_id": "o-1"}})
        assert "A" == firewall.dispatch("whoami", {})

    assert "unavailable_tool" == decision.findings[0].code


def test_a_session_of_an_id_keeps_its_functions(firewall):
    """Without `functions` they stay; other functions replace them."""
    firewall.session("s1", functions={"whoami": Db("A").whoami})
    with firewall.session("s1"):
        assert "A" == firewall.dispatch("whoami", {})

    with firewall.session("s1", functions={"find": Db("A2").find}):
        assert "A2" == firewall.dispatch("find", {"order_id": "o"})["tenant"]
        assert firewall.check_call({"name": "whoami", "arguments": {}}).blocked

    firewall.session("s1", functions={})
    assert firewall.check_call(
        {"name": "find", "arguments": {"order_id": "o"}}, session=firewall.session("s1")
    ).blocked


def test_wrong_functions_change_nothing(firewall):
    """The session keeps its earlier functions."""
    firewall.session("s1", functions={"whoami": Db("A").whoami})

    with pytest.raises(PolicyError):
        firewall.session("s1", functions={"whoami": "no function"})
    with firewall.session("s1"):
        assert "A" == firewall.dispatch("whoami", {})


def test_a_sub_agent_has_its_parents_functions(firewall):
    """Its own functions take precedence, and are not those of its parent."""
    parent = firewall.session(functions={"whoami": Db("A").whoami})
    child = parent.child(agent="helper")
    other = firewall.session(parent=parent, functions={"find": Db("B").find})
    third = firewall.session(parent=other, functions={"whoami": Db("C").whoami})

    assert ["A", "A", "C"] == [
        firewall.dispatch("whoami", {}, session=session) for session in (child, other, third)
    ]
    assert "B" == firewall.dispatch("find", {"order_id": "o"}, session=third)["tenant"]
    assert firewall.check_call({"name": "find", "arguments": {}}, session=parent).blocked


def test_a_parents_later_functions_are_its_sub_agents_too(firewall):
    """They are looked up at each call."""
    parent = firewall.session("p")
    child = parent.child()
    firewall.session("p", functions={"whoami": Db("A").whoami})

    assert "A" == firewall.dispatch("whoami", {}, session=child)


def test_another_shield_in_the_same_session_does_not_have_them(firewall):
    """Functions are compiled under one policy; two Shields may share their sessions."""
    sessions = Sessions()
    one = Shield(shield.configure(mode="strict"), sessions=sessions, hooks=None)
    two = Shield(shield.configure(mode="strict"), sessions=sessions, hooks=None)
    two.register(Db("two").whoami)
    one.session("s", functions={"whoami": Db("one").whoami})

    assert ["one", "two"] == [
        guard.dispatch("whoami", {}, session=guard.session("s")) for guard in (one, two)
    ]


@pytest.mark.parametrize(
    ("functions", "error"),
    [
        ("whoami", '`functions` is "whoami"; give names to functions, or a list'),
        (3, "`functions` is 3"),
        ({"whoami": 3}, "`functions` holds 3 under `whoami`; give a function"),
        ({"": Db("A").whoami}, '`functions` has the name ""'),
        ({3: Db("A").whoami}, "`functions` has the name 3"),
        ([Db("A").whoami, Db("B").whoami], "two functions named `whoami`"),
        ({"whoami": Db.whoami}, "`whoami` needs `self`, .*; give a bound method"),
    ],
)
def test_wrong_functions_are_refused(firewall, functions, error):
    """Opening the session raises an error of one line."""
    with pytest.raises(PolicyError, match=error):
        firewall.session(functions=functions)


def test_a_function_that_needs_an_injected_value_is_refused(firewall):
    """A dispatch by name cannot provide the value, but a partial can."""

    def whoami(db: Annotated[Any, Injected()]) -> str:
        return str(db.tenant)

    with pytest.raises(PolicyError, match=r"needs `db`.*functools\.partial"):
        firewall.session(functions=[whoami])
    with firewall.session(functions={"whoami": functools.partial(whoami, db=Db("A"))}):
        assert "A" == firewall.dispatch("whoami", {})


def test_threads_never_mix_tenants(firewall):
    """Eight threads, each with its own session, run concurrently forty times."""
    threads = 8
    together = Barrier(threads)

    def serve(tenant: int) -> set[str]:
        answers = set()
        for _ in range(40):
            db = Db(f"tenant-{tenant}")
            with firewall.session(functions=[db.whoami, db.find]):
                together.wait(timeout=60)
                answers.add(firewall.dispatch("whoami", {}))
                messages = firewall.run_tool_calls(turn(("find", {"order_id": "o-1"})))
                answers.add(json.loads(messages[0]["content"])["tenant"])
        return answers

    with ThreadPoolExecutor(threads) as pool:
        answers = list(pool.map(serve, range(threads)))
    assert [{f"tenant-{n}"} for n in range(threads)] == answers


def test_tasks_never_mix_tenants(firewall):
    """A hundred tasks on one loop alternate between calls."""

    async def serve(tenant: int) -> set[str]:
        db = Db(f"tenant-{tenant}")
        answers = set()
        async with firewall.session(functions=[db.whoami, db.wait]):
            for turns in range(5):
                answers.add(await firewall.adispatch("wait", {"turns": turns + tenant % 3}))
                answers.add(firewall.dispatch("whoami", {}))
                messages = await firewall.arun_tool_calls(turn(("wait", {"turns": 1})))
                answers.add(messages[0]["content"])
        return answers

    async def main() -> list[set[str]]:
        return await asyncio.gather(*(serve(n) for n in range(100)))

    assert [{f"tenant-{n}"} for n in range(100)] == asyncio.run(main())


def closure_of(db: Db):
    """Return a factory's function with a client in its closure."""

    def whoami() -> str:
        return db.tenant

    return whoami


@pytest.mark.parametrize(
    "bound",
    [
        lambda db: db.whoami,
        closure_of,
        lambda db: functools.partial(Db.whoami, db),
    ],
)
def test_a_client_is_freed_with_its_session(firewall, bound):
    """No cache references the client."""
    db = Db("A")
    client = weakref.ref(db)
    with firewall.session(functions={"whoami": bound(db)}) as session:
        assert "A" == firewall.dispatch("whoami", {})

    del db, session, bound
    gc.collect()
    assert client() is None


def test_closures_of_one_factory_run_their_own_values(firewall):
    """They share only their signature."""

    def greeter(greeting: str, number: int):
        def greet(times: int = number) -> str:
            return greeting * times

        return greet

    sessions = [
        firewall.session(functions=[greeter(greeting, number)])
        for greeting, number in (("a", 1), ("b", 2), ("c", 1))
    ]
    assert ["a", "bb", "c"] == [firewall.dispatch("greet", {}, session=s) for s in sessions]


def test_closures_of_one_factory_may_differ_in_their_hints(firewall):
    """Two functions with the same code and different hints have different schemas."""

    def greeter(kind: type):
        def echo(value) -> Any:
            return value

        echo.__annotations__["value"] = kind
        return echo

    for kind, value in ((int, 3), (str, "three"), (int, 3)):
        with firewall.session(functions=[greeter(kind)]):
            assert value == firewall.dispatch("echo", {"value": value})


def test_telemetry_names_a_sessions_function():
    """It counts as a registered tool."""
    messages = []
    guard = Shield(shield.configure(mode="strict", verification=False), hooks=[messages.append])

    with guard.session(functions={"whoami": Db("A").whoami}):
        guard.dispatch("whoami", {})
        guard.check_call({"name": "invented", "arguments": {}})

    assert [("whoami", ()), ("invented", ("unregistered",))] == [
        (decision.tool, decision.notes) for decision in messages
    ]


def test_a_recording_contains_the_sessions_tools(tmp_path):
    """Each line has the tools of its own session."""
    path = tmp_path / "runs.jsonl"
    guard = Shield(shield.configure(mode="strict"), hooks=None, record=path)
    db = Db("A")
    for functions in ([db.whoami], [db.find]):
        with guard.session(functions=functions) as session:
            session.user("Hello.")

    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [["whoami"], ["find"]] == [[tool["name"] for tool in line["tools"]] for line in lines]


def test_a_script_runs_the_sessions_functions(firewall):
    """A script runs them like the agent."""
    session = firewall.session(functions={"whoami": Db("A").whoami})

    decisions = scripted(firewall, [call("whoami")], session=session)
    assert ["A"] == [ran.value for ran in session.executed]
    assert not decisions[0].blocked


def test_earlier_calls_of_a_sessions_functions_are_read(firewall):
    """Layers read earlier calls by the schemas of the session, and of its child."""

    class Orders:
        def cancel_order(self, order_id: str) -> str:
            return "cancelled"

        def update_order(self, order_id: str, note: str) -> str:
            return "updated"

    functions = [Orders().cancel_order, Orders().update_order]
    for below in (False, True):
        with firewall.session(functions=functions) as session:
            session.user("Cancel my order o-17.")
            firewall.dispatch("cancel_order", {"order_id": "o-17"})
            target = session.child() if below else session
            note = {"name": "update_order", "arguments": {"order_id": "o-17", "note": "x"}}
            decision = firewall.check_call(note, session=target)
        assert "impossible_state" in [finding.check for finding in decision.findings]


def test_a_session_that_the_shield_did_not_open_has_no_functions(firewall):
    """It has only the registered tools."""
    assert firewall.check_call({"name": "whoami", "arguments": {}}, session=Session()).blocked


def find(order_id: str, tenant: str, **filters: str) -> str:
    """Find an order."""
    return f"{order_id} of {tenant}{filters or ''}"


def find_one(order_id: str, tenant: Annotated[str, Target()] = "") -> str:
    """Find one order."""
    return f"{order_id} of {tenant}"


def find_any(order_id: str, **filters: str) -> str:
    """Find any order."""
    return f"{order_id} of {filters['tenant']}"


class Nested(functools.partial):
    """A partial that another partial does not unwrap."""


@pytest.mark.parametrize(
    "bound",
    [
        functools.partial(find, tenant="A"),
        functools.partial(find_one, tenant="A"),
        functools.partial(find_any, tenant="A"),
        functools.partial(Nested(find_one, tenant="A")),
        functools.update_wrapper(functools.partial(find_one, tenant="A"), find_one),
    ],
)
@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_a_model_cannot_set_what_a_partial_binds(bound, mode):
    """A bound parameter is not offered to the model, and cannot be overridden."""
    guard = Shield(shield.configure(mode=mode, verification=False), hooks=None)
    with guard.session(functions={"find": bound}) as session:
        session.user("Find o-1.")
        (offered,) = guard.tool_schemas("mcp")
        assert "o-1 of A" == guard.dispatch("find", {"order_id": "o-1"})
        with pytest.raises((CallBlocked, ShieldError)):
            guard.dispatch("find", {"order_id": "o-1", "tenant": "B"})
        decision = guard.check_call(ToolCall("find", {"order_id": "o-1", "tenant": "B"}))

    assert ["order_id"] == [*offered["inputSchema"]["properties"]]
    assert offered["description"].startswith("Find ")
    assert ["parameter_mismatch"] == [finding.check for finding in decision.findings]


def test_a_registered_partial_keeps_its_bound_values(firewall):
    """`register` reads it alike; its own docstring is the description."""
    bound = functools.partial(find_one, tenant="A")
    bound.__doc__ = "Find an order of A."
    firewall.register(bound)

    assert "o-1 of A" == firewall.dispatch("find_one", {"order_id": "o-1"})
    assert "Find an order of A." == firewall.registry["find_one"].plan.tool.description
    with pytest.raises(CallBlocked):
        firewall.dispatch("find_one", {"order_id": "o-1", "tenant": "B"})


INVENTED = {"name": "invented", "arguments": {}}


def test_a_sub_agent_may_call_no_more_than_its_parent(firewall):
    """The same holds with `parent=` and with `child()`; its own functions are added."""
    firewall.register(Db("everybody").whoami)
    parent = firewall.session(tools=["help"])
    functions = {"find": Db("A").find}
    children = [
        firewall.session(parent=parent),
        firewall.session("child", parent=parent),
        firewall.session(parent=parent, tools=["help", "whoami"]),
        firewall.session(parent=parent, functions=functions),
        firewall.session(parent=parent, functions=functions, tools=["find", "whoami"]),
        firewall.session(parent=parent, functions={"whoami": Db("A").whoami}),
    ]

    request = [("help", {}), ("whoami", {}), ("find", {"order_id": "o-1"})]
    assert [
        [
            name
            for name, option in request
            if not firewall.check_call({"name": name, "arguments": option}, session=child).blocked
        ]
        for child in children
    ] == [["help"], ["help"], ["help"], ["help", "find"], ["find"], ["help", "whoami"]]


@pytest.mark.parametrize("functions", [{}, {"whoami": Db("A").whoami}])
def test_an_unknown_tool_is_found_if_only_sessions_have_tools(functions):
    """It is found in that session, in a session without functions, and without a session."""
    guard = Shield(shield.configure(mode="strict"), hooks=None)
    assert not guard.check_call(INVENTED).blocked  # nobody ever declared a tool

    session = guard.session(functions=functions)
    for request in (session, session.child(), guard.session(), None):
        assert guard.check_call(INVENTED, session=request).blocked
        assert guard.inspect_turn([INVENTED], session=request)[0].blocked


def test_new_functions_are_allowed_despite_earlier_tools(firewall):
    """Without `tools=` they may be called, and the replaced functions may not."""
    firewall.session("s1", functions={"whoami": Db("A").whoami}, tools=["whoami"])
    db = Db("B")
    with firewall.session("s1", functions=[db.find]):
        assert "B" == firewall.dispatch("find", {"order_id": "o-1"})["tenant"]
        assert firewall.check_call({"name": "help", "arguments": {}}).blocked

    firewall.register(Db("everybody").find)
    find = {"name": "find", "arguments": {"order_id": "o-1"}}
    session = firewall.session("s1", functions={})
    assert firewall.check_call(find, session=session).blocked
    session = firewall.session("s1", functions=[db.find], tools=["help"])
    assert firewall.check_call(find, session=session).blocked

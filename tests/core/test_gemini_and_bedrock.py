"""Messages, calls and tools of Gemini and Bedrock, and unknown shapes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from abs_shield import Shield, Tool, Verdict, shield
from abs_shield.core import ToolCall
from abs_shield.core.events import Event, MessageText, Opaque, Proposed, Returned
from abs_shield.core.messages import UnreadableMessage, read_calls, read_message
from abs_shield.core.tool_shapes import read_tool, read_tools
from abs_shield.replay.run_reader import Run, read_run
from abs_shield.replay.toolsets import Toolsets
from abs_shield.session.session_record import record_of

CALL = ToolCall("refund", {"id": "tx_9"}, "c1")
INNER = {"id": "c1", "name": "refund", "args": {"id": "tx_9"}}
USE = {"toolUseId": "c1", "name": "refund", "input": {"id": "tx_9"}}


class Sdk(BaseModel):
    """The SDK's form of Gemini's messages: every possible member, in snake case."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class FunctionCall(Sdk):
    id: str | None = None
    name: str | None = None
    args: dict[str, Any] | None = None


class Part(Sdk):
    text: str | None = None
    thought: bool | None = None
    function_call: FunctionCall | None = None
    inline_data: Any = None


class Content(Sdk):
    parts: list[Part] | None = None
    role: str | None = None


MODEL = Content(role="model", parts=[Part(function_call=FunctionCall.model_validate(INNER))])
PROPOSALS = {
    "Gemini, REST": {"role": "model", "parts": [{"functionCall": INNER}]},
    "Gemini, dumped": {"role": "model", "parts": [{"text": None, "function_call": INNER}]},
    "Gemini, whole dump": MODEL.model_dump(),
    "Gemini, SDK": MODEL,
    "Gemini, thinking": {
        "role": "model",
        "parts": [
            {"text": "tx_1 or tx_9?", "thought": True},
            {"functionCall": INNER, "thoughtSignature": "AA=="},
        ],
    },
    "Bedrock": {"role": "assistant", "content": [{"toolUse": USE}]},
    "Bedrock, reasoning": {
        "role": "assistant",
        "content": [{"reasoningContent": {"reasoningText": {"text": "tx_1?"}}}, {"toolUse": USE}],
    },
}


def read(message: Any) -> list[Event]:
    return list(read_message(message))


@pytest.mark.parametrize("name", PROPOSALS)
def test_a_proposal(name: str) -> None:
    """A turn's call has its arguments and id; thoughts of the model are skipped."""

    assert [Proposed((CALL,))] == read(PROPOSALS[name])
    assert (CALL,) == read_calls(PROPOSALS[name])


@pytest.mark.parametrize(
    "call",
    [{"functionCall": INNER}, {"function_call": INNER}, INNER, {"toolUse": USE}, USE,
     [{"text": "now"}, {"toolUse": USE}], [{"text": "now"}, {"functionCall": INNER}],
     {"content": {"role": "model", "parts": [{"functionCall": INNER}]}, "finishReason": "STOP"}],
    ids=str,
)  # fmt: skip
def test_a_call_by_itself(call: Any) -> None:
    """A call is read from a part, its content, a list of parts, or a candidate."""

    assert (CALL,) == read_calls(call)


@pytest.mark.parametrize(
    ("message", "events"),
    [
        ({"role": "user", "parts": [{"text": "tx_9,"}, {"text": "please"}]},
         [MessageText("user", "tx_9,\nplease")]),
        ({"role": "user", "parts": {"text": "tx_9"}}, [MessageText("user", "tx_9")]),
        ({"role": "user", "parts": ["tx_9"]}, [MessageText("user", "tx_9")]),
        ({"role": "system", "parts": [{"text": "be kind"}]}, [MessageText("system", "be kind")]),
        ({"role": "user", "content": [{"text": "tx_9"}]}, [MessageText("user", "tx_9")]),
        ({"role": "user", "content": [{"guardContent": {"text": {"text": "tx_9"}}}]},
         [MessageText("user", "tx_9")]),
        ({"role": "assistant", "content": [{"citationsContent": {"content": [{"text": "a"}]}}]},
         [MessageText("assistant", "a")]),
        ({"role": "model", "parts": []}, []),
        ({"role": "model", "parts": [{}]}, []),
        ({"role": "assistant", "refusal": "I cannot"}, [MessageText("assistant", "I cannot")]),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_reported(message: Any, events: list[Event]) -> None:
    """Texts of parts are one text, a line each."""

    assert events == read(message)


@pytest.mark.parametrize(
    ("part", "value", "error"),
    [
        ({"functionResponse": {"id": "c1", "name": "f", "response": {"result": {"n": 1}}}},
         {"n": 1}, False),
        ({"function_response": {"id": "c1", "name": "f", "response": {"output": "[1]"}}},
         [1], False),
        ({"functionResponse": {"id": "c1", "name": "f", "response": {"n": 1, "m": 2}}},
         {"n": 1, "m": 2}, False),
        ({"functionResponse": {"id": "c1", "name": "f", "response": {"error": "gone"}}},
         "gone", True),
        ({"functionResponse": {"id": "c1", "name": "f", "response": {"output": [None, 1]}}},
         [None, 1], False),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("role", ["user", "tool", "function"])
def test_a_response_of_gemini(role: str, part: Any, value: Any, error: bool) -> None:
    """`output`, `result` and `error` hold the value by its convention; else all of it counts."""

    assert [Returned("f", value, "c1", error)] == read({"role": role, "parts": [part]})


@pytest.mark.parametrize(
    ("result", "value", "error"),
    [
        ({"content": [{"json": {"n": 1}}], "status": "success"}, {"n": 1}, False),
        ({"content": [{"json": [None, 1]}]}, [None, 1], False),
        ({"content": [{"text": '{"n":'}, {"text": "1}"}]}, {"n": 1}, False),
        ({"content": [{"text": "gone"}], "status": "error"}, "gone", True),
        ({"content": [{"json": {"n": 1}}, {"text": "ok"}]}, [{"n": 1}, "ok"], False),
        ({"content": []}, [], False),
    ],
    ids=str,
)
def test_a_result_of_bedrock(result: Any, value: Any, error: bool) -> None:
    """A result has its text, its JSON and its status."""
    message = {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", **result}}]}

    assert [Returned("", value, "c1", error)] == read(message)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"role": "user", "parts": [{"inlineData": {"data": "AA=="}}]}, "inline_data"),
        ({"role": "user", "parts": [{"file_data": {"file_uri": "gs://x"}}]}, "file_data"),
        ({"role": "user", "content": [{"document": {"name": "a"}}]}, "document"),
        ({"role": "user", "content": [{"toolResult": {"content": [{"image": {}}]}}]}, "image"),
        ({"role": "user", "parts": [{"functionResponse": {
            "name": "f", "response": {}, "parts": [{"inlineData": {}}]}}]}, "inline_data"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_shown_and_not_read_is_opaque(message: Any, kind: str) -> None:
    """Images and files, also those of a result."""
    [opaque] = [event for event in read(message) if isinstance(event, Opaque)]

    assert kind in opaque.reason


@pytest.mark.parametrize(
    ("message", "key"),
    [
        ({"role": "user", "body": "tx_9"}, "`body`"),
        ({"role": "tool", "output": "tx_9"}, "`output`"),
        ({"role": "user", "content": None, "text": "tx_9"}, "`text`"),
        ({"role": "model", "parts": [{"functionCall": "refund"}]}, "`functionCall`"),
        ({"kind": "request", "parts": [{"text": "tx_9"}]}, "`parts`"),
        ({"author": "user", "text": "tx_9"}, "`author`"),
    ],
    ids=str,
)
def test_an_unknown_shape_is_refused(message: Any, key: str) -> None:
    """The error names the keys of the message and the known shapes."""
    with pytest.raises(UnreadableMessage, match=key) as caught:
        read(message)
    session = Shield(shield.configure(), hooks=None).session()
    with pytest.raises(UnreadableMessage, match=key):
        session.add([message])

    assert "`parts`" in str(caught.value) or "`functionCall`" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("message", "key"),
    [
        ({"role": "user", "content": [{"words": "tx_9"}]}, "`words`"),
        ({"role": "user", "parts": [{"text": "tx_7"}, {"kind": "data", "data": {}}]}, "`kind`"),
        (
            {"role": "user", "content": [{"SDK_UNKNOWN_MEMBER": {"name": "x"}}]},
            "SDK_UNKNOWN_MEMBER",
        ),
    ],
    ids=str,
)
def test_an_unknown_block_is_opaque(message: Any, key: str) -> None:
    """The rest of the message is read, and a missing value may be in the unknown block."""
    values = read(message)
    schema = {"type": "object", "properties": {"id": {"type": "string"}}}
    tool = Tool(name="refund", parameters=schema, targets=["id"])
    firewall = Shield(shield.configure(mode="strict", tools=[tool]), hooks=None)
    with firewall.session(messages=[{"role": "user", "content": "refund it"}, message]) as session:
        decision = firewall.check_call(ToolCall("refund", {"id": "tx_99"}))

    assert isinstance(values[-1], Opaque)
    assert key in values[-1].reason
    assert (Verdict.CLEAN, 1) == (decision.verdict, len(record_of(session).opaque_reasons))


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user"},
        {"role": "system", "content": None},
        {"role": "user", "parts": [{}]},
        {"role": "user", "parts": [{"text": None}]},
        {"role": "user", "content": [{"type": "text", "text": None}]},
        {"role": "user", "content": [{"type": "input_text"}]},
        {"role": "user", "content": "", "images": ["iVBO"]},
    ],
    ids=str,
)
def test_a_message_that_holds_nothing_is_not_seen(message: Any) -> None:
    """The user's text may have been lost on its way."""
    [event] = read(message)

    assert isinstance(event, Opaque)


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None},
        {"role": "model"},
        {"role": "user", "content": ""},
        {"role": "user", "content": []},
        {"role": "user", "content": [{"text": ""}]},
    ],
    ids=str,
)
def test_an_empty_message_is_empty(message: Any) -> None:
    """An answer without words and a text without characters are common."""
    assert [] == read(message)


@pytest.mark.parametrize(
    "message", [{"parts": [{"text": "tx_7"}]}, {"role": None, "parts": ["tx_7"]}]
)
def test_a_content_without_a_role_is_the_users(message: Any) -> None:
    """Google's own default."""
    assert [MessageText("user", "tx_7")] == read(message)


def test_a_content_with_a_call_is_of_the_model() -> None:
    """A content without a role that has a function call is a message of the model."""
    message = {"parts": [{"text": "tx_7"}, {"functionCall": {"name": "find", "args": {}}}]}
    words, call = read(message)

    assert (MessageText("assistant", "tx_7"), True) == (words, isinstance(call, Proposed))


def test_a_call_in_a_block_of_no_known_shape_is_refused() -> None:
    """A call that cannot be read is not a message without calls."""
    with pytest.raises(UnreadableMessage, match="`invoke`"):
        read_calls({"role": "assistant", "content": [{"invoke": {"name": "f", "input": {}}}]})


def test_a_null_among_parts_is_skipped() -> None:
    """The other parts are read."""
    assert [MessageText("user", "tx_7")] == read(
        {"role": "user", "parts": [None, {"text": "tx_7"}]}
    )


@pytest.mark.parametrize("given", [{"candidates": []}, {"output": {"message": {}}}], ids=str)
def test_a_whole_response_is_refused(given: Any) -> None:
    """The error names the part of the response that is a message."""
    with pytest.raises(UnreadableMessage, match=r"`response\.candidates\[0\]\.content`"):
        read_calls(given)


def messages(*, provider: str) -> list[dict[str, Any]]:
    """A user's words, a look-up, and a refund of what it gave."""
    if provider == "gemini":
        results = {"name": "find", "response": {"output": {"id": "tx_77"}}}
        return [
            {"role": "user", "parts": [{"text": "refund my last order"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "find", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": results}]},
        ]
    return [
        {"role": "user", "content": [{"text": "refund my last order"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "find"}}]},
        {"role": "user",
         "content": [{"toolResult": {"toolUseId": "1", "content": [{"json": {"id": "tx_77"}}]}}]},
    ]  # fmt: skip


def calls(*, provider: str, id: str) -> dict[str, Any]:
    if provider == "gemini":
        return {"functionCall": {"name": "refund", "args": {"transaction_id": id}}}
    return {"toolUse": {"toolUseId": "2", "name": "refund", "input": {"transaction_id": id}}}


def refund(transaction_id: str) -> str:
    """Refund a transaction."""
    return f"refunded {transaction_id}"


def find() -> dict[str, str]:
    """Find the last order."""
    return {"id": "tx_77"}


@pytest.fixture
def firewall() -> Shield:
    """A Shield that knows both tools."""
    guard = Shield(shield.configure(mode="strict", on_suspicious="block"), hooks=None)
    guard.register(refund)
    guard.register(find)
    return guard


@pytest.mark.parametrize("provider", ["gemini", "bedrock"])
def test_calls_are_judged_by_the_conversation(firewall: Shield, provider: str) -> None:
    """An id that a tool returned is CLEAN, an unmentioned one is not."""
    with firewall.session() as session:
        session.add(messages(provider=provider))
        real, invented = (
            firewall.check_call(calls(provider=provider, id=id)) for id in ("tx_77", "tx_99999")
        )
        turn = firewall.inspect_turn([calls(provider=provider, id="tx_99999")])

    assert ("CLEAN", "SUSPICIOUS") == (real.verdict, invented.verdict)
    assert ["SUSPICIOUS"] == [str(one.verdict) for one in turn]


@pytest.mark.parametrize("provider", ["gemini", "bedrock"])
def test_a_run_file_is_read(provider: str) -> None:
    """A recorded run with the provider's own messages."""
    replies = {"messages": messages(provider=provider)}
    run = read_run("runs.jsonl", 1, json.dumps(replies).encode(), Toolsets())

    assert isinstance(run, Run)
    assert ["MessageText", "Proposed", "Returned"] == [type(event).__name__ for event in run.events]


def test_results_for_gemini_have_its_shape(firewall: Shield) -> None:
    """One message has all responses: with the model's ids if any, and errors of blocked calls."""
    parts = [
        {"functionCall": {"id": "a", "name": "refund", "args": {"transaction_id": "tx_9"}}},
        {"functionCall": {"name": "find", "args": {}}},
        {"functionCall": {"name": "refnud", "args": {}}},
    ]
    with firewall.session() as session:
        session.user("refund tx_9")
        [answer] = firewall.run_tool_calls({"role": "model", "parts": parts})
        again = Shield(firewall.policy, hooks=None).session(messages=[answer])

    responses = [part["functionResponse"] for part in answer["parts"]]
    assert "user" == answer["role"]
    assert {"id": "a", "name": "refund", "response": {"output": "refunded tx_9"}} == responses[0]
    assert {"name": "find", "response": {"output": {"id": "tx_77"}}} == responses[1]
    assert "blocked" == responses[2]["response"]["error"]["status"]
    assert again.origin("tx_77") is not None


def test_calls_of_the_sdk_are_answered_as_it_names_them(firewall: Shield) -> None:
    """An object of the SDK: snake case."""
    message = Content(role="model", parts=[Part(function_call=FunctionCall(name="find"))])
    with firewall.session():
        [answer] = firewall.run_tool_calls(message)

    assert ["function_response"] == [*answer["parts"][0]]


def test_results_for_bedrock_have_its_shape(firewall: Shield) -> None:
    """One message has all results, each with its status."""
    content = [
        {"text": "I look it up."},
        {"toolUse": {"toolUseId": "a", "name": "find", "input": {}}},
        {"toolUse": {"toolUseId": "b", "name": "refnud", "input": {}}},
    ]
    with firewall.session():
        [answer] = firewall.run_tool_calls({"role": "assistant", "content": content})

    results, blocked = (part["toolResult"] for part in answer["content"])
    assert {
        "toolUseId": "a", "content": [{"text": '{"id": "tx_77"}'}], "status": "success",
    } == results  # fmt: skip
    assert ("b", "error") == (blocked["toolUseId"], blocked["status"])


SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


@pytest.mark.parametrize(
    "tool",
    [
        {"toolSpec": {"name": "f", "description": "F.", "inputSchema": {"json": SCHEMA}}},
        {"functionDeclarations": [{"name": "f", "description": "F.", "parameters": {
            "type": "OBJECT", "properties": {"id": {"type": "STRING"}}, "required": ["id"]}}]},
        {"function_declarations": [
            {"name": "f", "description": "F.", "parameters_json_schema": SCHEMA}]},
    ],
    ids=["Bedrock", "Gemini", "Gemini, dumped"],
)  # fmt: skip
def test_a_tool(tool: Any) -> None:
    """A tool has its name, its description and its JSON Schema."""
    read = read_tool(tool)

    assert ("f", "F.", SCHEMA) == (read.name, read.description, read.parameters)


def test_a_schema_of_gemini_becomes_json_schema() -> None:
    """Types, `nullable` and numbers are converted; names of properties are unchanged."""
    schema = {
        "type": "OBJECT",
        "properties": {
            "min_items": {"type": "ARRAY", "minItems": "1", "items": {"type": "INTEGER"}},
            "kind": {"type": "STRING", "nullable": True, "enum": ["A"]},
            "either": {"any_of": [{"type": "NUMBER"}, {"type": "BOOLEAN"}]},
        },
        "propertyOrdering": ["kind"],
    }
    [read] = read_tools({"functionDeclarations": [{"name": "f", "parameters": schema}]})

    assert {
        "type": "object",
        "properties": {
            "min_items": {"type": "array", "minItems": 1, "items": {"type": "integer"}},
            "kind": {"anyOf": [{"type": "string", "enum": ["A"]}, {"type": "null"}]},
            "either": {"anyOf": [{"type": "number"}, {"type": "boolean"}]},
        },
    } == read.parameters


def test_a_group_of_tools() -> None:
    """Each tool of Gemini's groups is in the toolset; a group is not one tool."""
    group = {"functionDeclarations": [{"name": "a"}, {"name": "b"}]}

    assert ["a", "b"] == [tool.name for tool in Toolsets({"t": [group]}).of({"toolset": "t"})[1]]
    with pytest.raises(UnreadableMessage, match="describes 2 tools; give them one by one"):
        read_tool(group)


@pytest.mark.parametrize("provider", ["gemini", "bedrock"])
def test_schemas_are_handed_out_and_read_again(firewall: Shield, provider: Any) -> None:
    """The list of tools as the provider takes it describes the same tools here."""
    shapes = firewall.tool_schemas(provider)
    read = {tool.name: tool for shape in shapes for tool in read_tools(shape)}
    [anthropic] = [t for t in firewall.tool_schemas("anthropic") if t["name"] == "refund"]

    assert {"refund", "find"} == {*read}
    assert (anthropic["input_schema"], "Refund a transaction.") == (
        read["refund"].parameters, read["refund"].description,
    )  # fmt: skip
    assert [] == Shield(firewall.policy, hooks=None).tool_schemas(provider)

"""The OpenAI SDK: chat completions and Responses in a host's own loop."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai", reason="needs `pip install abs-shield[openai]`")

from openai.lib._parsing._completions import parse_chat_completion
from openai.lib._parsing._responses import parse_response
from openai.types.chat import ChatCompletion
from openai.types.chat.chat_completion import Choice
from openai.types.responses import Response
from pydantic import BaseModel

from abs_shield import Session, Shield, Tool, shield
from abs_shield.adapters.openai import arun_tool_calls, run_tool_calls
from abs_shield.session.session_record import record_of
from tests.adapters.conformance import conforms
from tests.adapters.openai_driver import (
    DRIVER,
    RESPONSES,
    Scripted,
    write_chat,
    write_response,
)
from tests.adapters.page import blocks
from tests.adapters.scenes import ASKED, GOOD, SCHEMAS, Call
from tests.subjects import about_calls

USER = [{"role": "user", "content": ASKED}]
TestChat = conforms(DRIVER)
TestResponses = conforms(RESPONSES)


def firewall(**policy: Any) -> Shield:
    """Return a Shield that knows one tool."""
    tools = [Tool(name="refund", parameters=SCHEMAS["refund"])]
    return Shield(shield.configure(tools=tools, **policy))


def dispatch_stub(call: Any) -> str:
    """Return a result for a call without running a tool."""
    return f"did {call.name} with {call.arguments}"


def completion(*calls: Call, tokens: list[tuple[str, float]] | None = None) -> ChatCompletion:
    written = write_chat(calls, False)
    if tokens is not None:
        messages = [{"token": t, "logprob": p, "top_logprobs": []} for t, p in tokens]
        written["choices"][0]["logprobs"] = {"content": messages}
    return ChatCompletion.model_validate(written)


def test_a_decision_has_the_call_id_and_the_model():
    """The decision has the provider's call id and the name of the model."""
    guard = firewall()
    run_tool_calls(completion(GOOD), USER, firewall=guard, dispatch=dispatch_stub)

    (decision,) = about_calls(guard.store)
    assert ("c1", "scripted") == (decision.call_id, decision.model)


def test_logprobs_are_forwarded():
    """vLLM counts the tokens of the call's markup among the content's."""
    tokens = [('{"name": "', -0.01), ("ref", -2.0), ("und", -1.0), ('"', 0.0)]
    guard = firewall()
    run_tool_calls(completion(GOOD, tokens=tokens), USER, firewall=guard, dispatch=dispatch_stub)

    (decision,) = about_calls(guard.store)
    assert ["low_likelihood"] == [finding.code for finding in decision.findings]


def test_a_growing_list_of_messages_is_recorded_once():
    """Passing the whole conversation at every step repeats no message in the session."""
    guard, session = firewall(), Session()
    messages = [*USER]
    for call_id in ("c1", "c2"):
        response = completion(GOOD._replace(id=call_id))
        replies = run_tool_calls(
            response, messages, firewall=guard, session=session, dispatch=dispatch_stub
        )
        messages += [response.choices[0].message.model_dump(exclude_none=True), *replies]

    assert 1 == session.turns
    assert 2 == len(session.executed)


def test_async_calls_run_concurrently():
    """An async dispatch is awaited, and no call waits for another call to end."""
    both = asyncio.Event()
    begun: list[str] = []

    async def dispatch(call: Any) -> str:
        begun.append(call.id)
        if len(begun) == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 5)
        return "done"

    response = completion(GOOD, GOOD._replace(id="c2"))
    messages = asyncio.run(arun_tool_calls(response, USER, firewall=firewall(), dispatch=dispatch))
    assert ["done", "done"] == [message["content"] for message in messages]


def test_a_conversation_stored_by_the_provider_is_opaque():
    """With `previous_response_id`, an unmentioned value is flagged only in a complete session."""
    written = write_response(
        [GOOD._replace(arguments={"transaction_id": "tx_9", "amount": 1})], False
    )
    response = Response.model_validate({**written, "previous_response_id": "r0"})
    guard = firewall(mode="strict", on_suspicious="block")
    (message,) = run_tool_calls(response, ASKED, firewall=guard, dispatch=dispatch_stub)
    assert message["output"].startswith("did refund")

    session = guard.session(messages=USER)
    (message,) = run_tool_calls(
        response, [], firewall=guard, session=session, dispatch=dispatch_stub
    )
    assert '"unseen"' in message["output"]


def refunds(**members: Any) -> bool:
    """Return whether a refund of a transaction that the input does not name runs in strict mode."""
    call = GOOD._replace(arguments={"transaction_id": "tx_9", "amount": 1})
    response = Response.model_validate({**write_response([call], False), **members})
    guard = firewall(mode="strict", on_suspicious="block")
    (message,) = run_tool_calls(response, ASKED, firewall=guard, dispatch=dispatch_stub)
    return bool(message["output"].startswith("did refund"))


def test_instructions_of_a_response_count_as_mentioned():
    """The host wrote the instructions; a stored prompt is not visible to the Shield."""
    assert not refunds(instructions="Be brief.")
    assert refunds(instructions="The test transaction is tx_9.")
    assert refunds(instructions=[{"role": "developer", "content": "Use tx_9.", "type": "message"}])
    assert refunds(prompt={"id": "pmpt_1"})


def test_a_message_has_only_fields_of_the_api():
    """An additional field, also for a failed call, could make the API refuse the request."""

    def fails(call: Any) -> str:
        raise RuntimeError("no funds")

    (message,) = run_tool_calls(completion(GOOD), USER, firewall=firewall(), dispatch=fails)
    assert {"role", "tool_call_id", "content"} == message.keys()


def test_the_result_of_a_hosted_tool_is_opaque():
    """The result can be in the same response as the call that uses it."""
    written = write_response(
        [GOOD._replace(arguments={"transaction_id": "tx_9", "amount": 1})], False
    )
    search = {"type": "web_search_call", "id": "w1", "status": "completed"}
    search["action"] = {"type": "search", "query": "tx"}
    response = Response.model_validate({**written, "output": [search, *written["output"]]})
    guard = firewall(mode="strict", on_suspicious="block")
    (message,) = run_tool_calls(response, ASKED, firewall=guard, dispatch=dispatch_stub)
    assert message["output"].startswith("did refund")


def test_a_response_without_choices_has_no_messages():
    """Some servers send such a response when a content filter stops it."""
    empty = ChatCompletion.model_validate({**write_chat("", False), "choices": []})
    assert [] == run_tool_calls(empty, USER, firewall=firewall(), dispatch=dispatch_stub)


def test_a_custom_tool_takes_text():
    """The input of a custom tool is not JSON, and its answer has the type of the call."""
    item = {"type": "custom_tool_call", "call_id": "c1", "name": "shell", "input": "ls -la"}
    response = Response.model_validate({**write_response([], False), "output": [item]})
    guard = Shield(shield.configure(mode="strict", tools=[Tool(name="shell")]))
    (message,) = run_tool_calls(response, ASKED, firewall=guard, dispatch=dispatch_stub)

    assert "custom_tool_call_output" == message["type"]
    assert "did shell with {'input': 'ls -la'}" == message["output"]


class Answer(BaseModel):
    text: str


@pytest.mark.parametrize("parse", ["chat", "responses"])
def test_a_parsed_answer_causes_no_warning(parse):
    """Reading an object that the SDK parsed twice does not warn."""
    content = '{"text": "refunding"}'
    if parse == "chat":
        written = write_chat([GOOD], False)
        written["choices"][0]["message"]["content"] = content
        response = parse_chat_completion(
            response_format=Answer, input_tools=[], chat_completion=ChatCompletion(**written)
        )
        message = [*USER, response.choices[0].message]
    else:
        written = write_response([GOOD], False)
        text = {"type": "output_text", "text": content, "annotations": []}
        message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
        written["output"].append({**message, "content": [text]})
        result = Response.model_validate(written)
        response = parse_response(text_format=Answer, input_tools=[], response=result)
        message = [*USER, *response.output]

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for messages in (USER, message):
            replies = run_tool_calls(
                response, messages, firewall=firewall(), dispatch=dispatch_stub
            )

    assert [] == [str(warning.message) for warning in caught]
    assert 1 == len(replies)


@pytest.mark.parametrize("mode", ["audit", "strict"])
@pytest.mark.parametrize("choices", [None, [], [{"index": 0, "finish_reason": "stop"}]])
def test_an_answer_without_choices_has_no_calls(mode, choices):
    """Some servers send such an answer, and handling it is up to the host."""
    response = ChatCompletion.construct(id="r1", model="scripted", choices=choices)
    if choices:
        response.choices = [Choice.construct(index=0, finish_reason="stop", message=None)]

    assert [] == run_tool_calls(
        response, USER, firewall=firewall(mode=mode), dispatch=dispatch_stub
    )


def test_an_unreadable_message_makes_the_session_opaque():
    """A message that cannot be read does not stop the loop."""
    session = Session()
    odd = [*USER, {"role": "narrator", "content": "meanwhile"}]
    run_tool_calls(
        completion(GOOD), odd, firewall=firewall(), session=session, dispatch=dispatch_stub
    )
    assert "narrator" in record_of(session).opaque_reasons[0]


def test_the_example_runs():
    """The example blocks a phantom target, and the model corrects it."""
    path = Path(__file__).parents[2] / "examples" / "openai_agent.py"
    output = subprocess.check_output([sys.executable, path], text=True, timeout=60)
    assert "did you mean" in output
    assert output.endswith("Order ord_7 is refunded.\n")


def test_the_page_runs(monkeypatch, capsys):
    """The quickstart of the docs runs with a scripted model."""
    model = Scripted([[GOOD], "Done."], write_chat)
    client = model.client()
    monkeypatch.setattr("openai.OpenAI", lambda: client)
    names: dict[str, Any] = {}
    block, _ = blocks("OpenAI SDK")
    exec(block, names)

    assert "refunded 20" in names["messages"][-1]["content"]
    (tool,) = model.requests[0]["tools"]
    assert {"transaction_id", "amount"} == {*tool["function"]["parameters"]["properties"]}
    assert "Done.\n" == capsys.readouterr().out

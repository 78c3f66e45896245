"""The quality middleware with a real server (uvicorn, Starlette) and a real client (httpx)."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import logging
import os
import socket
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

import abs_shield
from abs_shield import Shield, ShieldError, shield
from abs_shield.adapters.asgi import QualityMiddleware, QualityRoute
from abs_shield.quality import QualityConfig, QualityPipeline, Task
from abs_shield.quality.facts import Fact, FactTable

CLEAN = "The report is ready, and the figures are attached."
CARD = "Her card is 4111 1111 1111 1111."
LARGE = f"{CLEAN} " * 3_000
SSE = "text/event-stream"


def events(text):
    """A text as the chunks of a chat completion that is streamed."""
    size = max(7, len(text) // 500)
    for at in range(0, len(text), size):
        delta = {"choices": [{"delta": {"content": text[at : at + size]}}]}
        yield f"data: {json.dumps(delta)}\n\n"
    yield "data: [DONE]\n\n"


async def slowly(parts):
    for part in parts:
        await asyncio.sleep(0)
        yield part


async def answer(request: Request) -> Response:
    """Return the request's body in the shape that the query selects."""
    body = (await request.body()).decode()
    match request.query_params.get("as", "json"):
        case "json":
            return JSONResponse({"id": 7, "answer": body}, headers={"x-own": "kept"})
        case "choices":
            choices = [{"message": {"content": text}} for text in (CLEAN, body)]
            return JSONResponse({"choices": choices})
        case "text":
            return PlainTextResponse(body)
        case "sse":
            return StreamingResponse(slowly(events(body)), media_type=SSE)
        case "plain-sse":
            lines = "".join(f"data: {line}\n" for line in body.split("\n"))
            return StreamingResponse(slowly([lines, "\n"]), media_type=SSE)
        case "lines":
            pieces = (body[at : at + 9] for at in range(0, len(body), 9))
            result = (json.dumps({"delta": piece}) + "\n" for piece in pieces)
            return StreamingResponse(slowly(result), media_type="application/x-ndjson")
        case "stream":
            parts = (body[at : at + 9] for at in range(0, len(body), 9))
            return StreamingResponse(slowly(parts), media_type="text/plain")
        case "deflate":
            packed = zlib.compress(json.dumps({"answer": body}).encode())
            return Response(packed, media_type="application/json",
                            headers={"content-encoding": "deflate"})  # fmt: skip
        case "brotli":
            return Response(b"\x0b\x02", media_type="application/json",
                            headers={"content-encoding": "br"})  # fmt: skip
        case "broken":
            return Response(b'{"answer": ', media_type="application/json")
        case "pdf":
            return Response(body.encode(), media_type="application/pdf")
        case "error":
            return JSONResponse({"answer": body}, status_code=404)
        case "other":
            return JSONResponse({"status": body})
        case "partial":
            return Response(body.encode(), 206, {"content-range": "bytes 0-9/99"}, "text/plain")
        case "never-ends":

            async def forever():
                while True:
                    await asyncio.sleep(0.01)
                    yield "data: {}\n\n"

            return StreamingResponse(forever(), media_type=SSE)
    raise AssertionError("no such shape")


@contextlib.contextmanager
def run_server(app):
    """Run a server; yield its address."""
    # without websockets: uvicorn 0.34 imports a part of that package that warns
    config = uvicorn.Config(app, log_level="error", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive(), "the server has not started"
                time.sleep(0.005)
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@contextlib.contextmanager
def service(*, outside=(), inside=(), pipeline=None, **settings):
    """The service behind a quality middleware; a client of it."""
    settings = {"routes": ["/answer"]} | settings
    own = Middleware(QualityMiddleware, pipeline=pipeline or QualityPipeline(), **settings)
    app = Starlette(
        routes=[Route("/answer", answer, methods=["POST", "GET"]),
                Route("/other", answer, methods=["POST"])],
        middleware=[*outside, own, *inside],
    )  # fmt: skip
    with run_server(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


def post(client, text, shape="json", path="/answer", **options):
    return client.post(path, params={"as": shape}, content=text.encode(), **options)


@pytest.fixture(scope="module")
def strict():
    with service() as client:
        yield client


READ = ("json", "choices", "text", "sse", "plain-sse", "lines", "stream", "deflate")


@pytest.mark.parametrize("shape", READ)
def test_a_clean_output_arrives_as_it_was_sent(strict, shape):
    """Byte for byte, with the headers of the application."""
    with service(pipeline=QualityPipeline(QualityConfig(stages=()))) as plain:
        expected = post(plain, CLEAN, shape)
    response = post(strict, CLEAN, shape)

    assert (200, expected.content) == (response.status_code, response.content)
    left = {"date", "content-length", "transfer-encoding"}
    assert {k: v for k, v in expected.headers.items() if k not in left} == {
        k: v for k, v in response.headers.items() if k not in left
    }


@pytest.mark.parametrize("shape", READ)
def test_a_held_output_becomes_a_problem(strict, shape):
    """The problem has the feedback and nothing of the output."""
    response = post(strict, CARD, shape)
    problem = response.json()

    assert (422, "application/problem+json") == (
        response.status_code, response.headers["content-type"]
    )  # fmt: skip
    assert ("about:blank", "The output was held back", 422, "block") == (
        problem["type"], problem["title"], problem["status"], problem["action"]
    )  # fmt: skip
    assert "CreditCardNumber" in problem["detail"]
    assert problem["output_id"]
    assert "4111" not in response.text
    assert "no-store" == response.headers["cache-control"]
    assert len(response.content) == int(response.headers["content-length"])
    assert not {"confidence", "band", "note"} & problem.keys()


def test_a_problem_keeps_the_headers_of_the_application(strict):
    """Headers that describe the body are removed."""
    assert "kept" == post(strict, CARD).headers["x-own"]
    assert "content-encoding" not in post(strict, CARD, "deflate").headers


@pytest.mark.parametrize("shape", ["pdf", "error"])
def test_other_bodies_pass(strict, shape):
    """A body of another type, and one with an error status, are sent unchanged."""
    response = post(strict, CARD, shape)

    assert CARD in response.text
    assert response.headers["content-type"] != "application/problem+json"


def test_other_routes_pass(strict):
    """The output of an undeclared route is not read."""
    response = post(strict, CARD, path="/other")

    assert (200, CARD) == (response.status_code, response.json()["answer"])


def test_a_head_request_has_no_output(strict):
    """The response to a HEAD request is sent unchanged."""
    assert 405 == strict.head("/other").status_code


def test_a_compressed_response_is_read():
    """A body compressed by an inner middleware is checked and sent compressed."""
    with service(inside=[Middleware(GZipMiddleware, minimum_size=0)]) as client:
        response, held = post(client, CLEAN), post(client, CARD)

    assert ("gzip", CLEAN) == (response.headers["content-encoding"], response.json()["answer"])
    assert 422 == held.status_code
    assert "CreditCardNumber" in held.json()["detail"]


def test_a_response_is_compressed_outside():
    """The problem, too."""
    with service(outside=[Middleware(GZipMiddleware, minimum_size=0)]) as client:
        response, held = post(client, CLEAN), post(client, CARD)

    assert CLEAN == response.json()["answer"]
    assert (422, "gzip") == (held.status_code, held.headers["content-encoding"])
    assert "CreditCardNumber" in held.json()["detail"]


@pytest.mark.parametrize("shape", ["json", "text", "stream", "sse"])
def test_a_large_output_is_read_whole(strict, shape):
    """The end of the output counts as well."""
    response, held = post(strict, LARGE, shape), post(strict, f"{LARGE}{CARD}", shape)

    assert (200, 422) == (response.status_code, held.status_code)
    assert len(LARGE) <= len(response.content)
    assert "CreditCardNumber" in held.json()["detail"]


@pytest.mark.parametrize("shape", ["json", "stream", "sse", "deflate"])
def test_an_output_over_the_limit_is_not_sent(shape):
    """The problem names the setting; with `unchecked="pass"` it is sent. Both are logged."""
    with service(max_bytes=2_000) as client:
        response = post(client, LARGE, shape)
    with service(max_bytes=2_000, unchecked="pass") as client:
        passed = post(client, LARGE, shape)

    assert (422, "The output could not be checked") == (
        response.status_code, response.json()["title"]
    )  # fmt: skip
    assert "`max_bytes`, 2,000" in response.json()["detail"]
    assert 200 == passed.status_code
    assert len(passed.text) > len(CLEAN)


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ("brotli", 'encoded as "br"'),
        ("broken", "not valid JSON"),
        ("partial", "partial content"),
    ],
)
def test_an_unreadable_output_is_not_sent(strict, shape, reason, caplog):
    """The problem and the log have the reason."""
    response = post(strict, CLEAN, shape)

    assert (422, "The output could not be checked") == (
        response.status_code, response.json()["title"]
    )  # fmt: skip
    assert reason in response.json()["detail"]
    assert reason in caplog.text
    assert "content-range" not in response.headers


def test_a_bomb_is_not_unpacked():
    """A small body that decompresses to more than is read."""

    async def bomb(scope, receive, send):
        packed = gzip.compress(b" " * 50_000_000)
        fields = [(b"content-type", b"application/json"), (b"content-encoding", b"gzip")]
        await send({"type": "http.response.start", "status": 200, "headers": fields})
        await send({"type": "http.response.body", "body": packed})

    app = QualityMiddleware(bomb, QualityPipeline(), routes=["/*"])
    with run_server(app) as address:
        response = httpx.get(f"{address}/bomb")

    assert (422, True) == (response.status_code, "`max_bytes`" in response.json()["detail"])


def test_concurrent_requests_have_their_own_responses(strict):
    """Each of 90 concurrent requests gets the response to its own text."""

    async def ask():
        async with httpx.AsyncClient(base_url=strict.base_url, timeout=60) as client:
            texts = [f"Order {n}: {CARD if n % 3 == 0 else CLEAN}" for n in range(90)]
            request = [
                client.post("/answer", params={"as": READ[n % len(READ)]}, content=text)
                for n, text in enumerate(texts)
            ]
            return await asyncio.gather(*request)

    results = asyncio.run(ask())

    assert [422 if n % 3 == 0 else 200 for n in range(90)] == [one.status_code for one in results]
    texts = [one.json()["answer"] for n, one in enumerate(results) if n % len(READ) == 0 and n % 3]
    assert texts == [f"Order {n}: {CLEAN}" for n in range(0, 90, len(READ)) if n % 3]


def test_a_client_that_disconnects_ends_the_held_stream(strict):
    """The server continues with other requests."""
    with pytest.raises(httpx.ReadTimeout):
        post(strict, CLEAN, "never-ends", timeout=0.3)

    assert 200 == post(strict, CLEAN).status_code


def test_a_stage_that_breaks_holds_the_output():
    """In strict; the problem names the stage, and quotes nothing."""

    class Broken:
        def facts_about(self, sentence):
            raise KeyError(sentence)

    config = QualityConfig(facts=Broken())
    with service(pipeline=QualityPipeline(config)) as client:
        response = post(client, "Apple's market cap reached $3.2T in Q4 2025.")

    assert 422 == response.status_code
    assert "Output held: hallucination: KeyError in the stage." in response.json()["detail"]


def test_a_cascade_that_breaks_is_an_error(monkeypatch):
    """500, not a verdict; with `pass` the output is sent."""

    async def broken(output, *, attempt=1):
        raise RuntimeError("no such place")

    pipeline = QualityPipeline()
    monkeypatch.setattr(pipeline, "arun", broken)
    with service(pipeline=pipeline) as client:
        response = post(client, CLEAN)
    with service(pipeline=pipeline, unchecked="pass") as client:
        passed = post(client, CLEAN)

    assert (500, "RuntimeError in its check") == (response.status_code, response.json()["detail"])
    assert (200, CLEAN) == (passed.status_code, passed.json()["answer"])


@pytest.mark.parametrize("shape", [*READ, "brotli", "broken", "partial"])
def test_audit_changes_nothing(shape):
    """Every part is sent unchanged, and the log has what strict mode would have held."""
    firewall = Shield(shield.configure(mode="audit"), hooks=None)
    with service(pipeline=QualityPipeline(shield=firewall), max_bytes=5_000) as client:
        response = post(client, CARD, shape)
    with service(pipeline=QualityPipeline(QualityConfig(stages=()))) as plain:
        expected = post(plain, CARD, shape) if shape in READ else response
    decisions = firewall.store.decisions()

    assert response.status_code in (200, 206)
    assert expected.content == response.content
    assert (["block"] if shape in READ else []) == [str(one.action) for one in decisions][-1:]
    assert not any(one.blocked for one in decisions)


def test_audit_does_not_hold_a_stream():
    """The client receives the first part before the stream ends."""
    pipeline = QualityPipeline(QualityConfig(mode="audit"))
    with service(pipeline=pipeline) as client:
        params = {"as": "never-ends"}
        with client.stream("POST", "/answer", params=params, content=b"x") as stream:
            first = next(stream.iter_text())

    assert first.startswith("data: {}")


def test_a_route_says_what_its_outputs_are():
    """Task type, stakes and agent reach the cascade; the first route that fits counts."""
    firewall = Shield(shield.configure(), hooks=None)
    facts = FactTable([Fact(subject="Acme", attribute="revenue", value="$50M")])
    pipeline = QualityPipeline(QualityConfig(facts=facts), shield=firewall)
    routes = [
        QualityRoute(path="/ans*", outputs=["/answer"], task_type="financial",
                     task=Task(output_classification="FINANCIAL"), agent_id="writer", model="m"),
        "/answer",
    ]  # fmt: skip
    with service(pipeline=pipeline, routes=routes) as client:
        response = post(client, "Acme's revenue grew by 3% this year.")
    decision = firewall.store.decisions()[-1]

    assert 422 == response.status_code
    assert "FINANCIAL" in json.dumps(decision.to_dict())
    assert ("writer", "m") == (decision.agent, decision.model)


def test_a_response_without_an_output_is_not_sent(caplog):
    """A route that sometimes returns another body needs `unchecked="pass"`."""
    with service() as client, caplog.at_level(logging.WARNING, logger="abs_shield"):
        response = post(client, CARD, "other")
    with service(unchecked="pass") as client:
        passed = post(client, CARD, "other")

    assert (422, 200) == (response.status_code, passed.status_code)
    assert "no text at `outputs` or `deltas` of its route" in response.json()["detail"]
    assert "no text at `outputs`" in caplog.text


async def response_events(events, *, path="/memo", method="GET", **settings):
    """Return the events that the client receives if the application sends these events."""
    sent = []

    async def app(scope, receive, send):
        for event in events:
            await send(event)

    async def send(event):
        sent.append(event)

    pipeline = settings.pop("pipeline", None) or QualityPipeline()
    middleware = QualityMiddleware(app, pipeline, **{"routes": ["/memo"]} | settings)
    await middleware({"type": "http", "method": method, "path": path}, None, send)
    return sent


def response_start(kind="application/json", **headers):
    fields = [(b"content-type", kind.encode())] if kind else []
    fields += [(name.replace("_", "-").encode(), value) for name, value in headers.items()]
    return {"type": "http.response.start", "status": 200, "headers": fields}


def body(content, more=False):
    return {"type": "http.response.body", "body": content, "more_body": more}


def response_of(*events, **settings):
    """Return the status and the body of one response."""
    sent = asyncio.run(response_events(events, **settings))
    return sent[0]["status"], b"".join(event.get("body", b"") for event in sent)


SSN = "Her SSN is 219-44-0178."


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({"text": SSN, "tool_calls": [{"name": "search"}]}, 422),
        ({"content": [{"type": "text", "text": SSN}, {"type": "tool_use", "name": "s"}]}, 422),
        ({"choices": [{"message": {"content": SSN, "function_call": {"name": "s"}}}]}, 422),
        ({"answer": "Fine.", "text": SSN}, 422),
        ({"answer": " ", "text": SSN}, 422),
        ({"text": ["Fine.", SSN]}, 422),
        ({"output": [{"content": [{"type": "output_text", "text": SSN}]}]}, 422),
        ({"message": {"role": "assistant", "content": SSN}}, 422),
        ({"response": SSN}, 422),
        ({"answer": "Fine.", "text": "All done.", "tool_calls": []}, 200),
    ],
)
def test_every_text_of_a_body_is_an_output(data, status):
    """Texts at any pointer are checked, also beside tool calls."""
    assert status == response_of(response_start(), body(json.dumps(data).encode()))[0]


@pytest.mark.parametrize(
    ("content", "outputs", "status"),
    [
        (json.dumps(SSN), None, 422),
        (json.dumps(SSN), [""], 422),
        (json.dumps([SSN]), ["/*"], 422),
        (json.dumps("Fine."), [""], 200),
        (json.dumps({"texts": [SSN, None]}), ["/texts/*"], 422),
        (json.dumps({"texts": ["Fine.", 5, [SSN]]}), ["/texts/*"], 422),
        (json.dumps({"texts": ["Fine.", None]}), ["/texts/*"], 200),
        (f'{{"text": "{SSN}", "text": "ok"}}', None, 422),
        (f'{{"text": "ok", "more": {{"a": "{SSN}", "a": 1}}}}', None, 422),
        (json.dumps({"status": SSN}), None, 422),
        (json.dumps({"text": {"inner": SSN}}), None, 422),
        (json.dumps({"text": ""}), None, 200),
        (json.dumps({"choices": [{"message": {"content": None, "tool_calls": [{}]}}]}), None, 200),
        (json.dumps({"content": [{"type": "tool_use", "name": "s"}]}), None, 200),
    ],
)
def test_no_body_of_a_declared_route_passes_unread(content, outputs, status):
    """JSON strings, lists with other items, a key twice, and no text at all."""
    routes = [QualityRoute(path="/memo", **({"outputs": outputs} if outputs is not None else {}))]

    assert status == response_of(response_start(), body(content.encode()), routes=routes)[0]


def chunks(*some):
    """Server-sent events of JSON."""
    return "".join(f"data: {json.dumps(one)}\n\n" for one in some)


def choice(index, piece):
    return {"choices": [{"index": index, "delta": {"content": piece}}]}


def delta(piece, output=0, type="response.output_text.delta"):
    return {"type": type, "delta": piece, "output_index": output, "content_index": 0}


PARTS = [{"type": "output_text", "text": SSN}]


@pytest.mark.parametrize(
    ("stream", "status"),
    [
        (chunks(choice(0, "Her SSN is 219-"), choice(1, "Fine. "), choice(0, "44-0178.")), 422),
        (chunks(choice(0, "It is 219-44"), choice(1, "-0178 pages.")), 200),
        (chunks(delta("Her SSN is 219-"), delta("Fine.", 1), delta("44-0178.")), 422),
        (chunks({"type": "response.completed",
                 "response": {"output": [{"content": PARTS}]}}), 422),
        (chunks({"choices": [{"delta": {"content": PARTS}}]}), 422),
        (chunks({"delta": [SSN]}), 422),
        (f'data: {{"delta": "{SSN}", "delta": "ok"}}\n\n', 422),
        (chunks({"status": SSN}), 422),
        (chunks(choice(0, ""), choice(0, None)), 200),
        ("data: [DONE]\n\n", 422),
        ("", 200),
    ],
)  # fmt: skip
def test_streams_are_assembled_by_index(stream, status):
    """Interleaved choices and outputs, complete texts and lists of parts are assembled."""
    assert status == response_of(response_start(SSE), body(stream.encode()))[0]


def test_the_whole_text_at_the_end_is_one_output():
    """A text that is sent in parts and again as a whole is checked once."""
    firewall = Shield(shield.configure(), hooks=None)
    whole = {"response": {"output": [{"content": [{"type": "output_text", "text": "All done."}]}]}}
    stream = chunks(delta("All "), delta("done."), whole)
    pipeline = QualityPipeline(shield=firewall)

    assert 200 == response_of(response_start(SSE), body(stream.encode()), pipeline=pipeline)[0]
    assert 1 == len(firewall.store.decisions())


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        (SSE, 'data: "Card 4111 1111"\n\ndata: " 1111 1111"\n\n'),
        (SSE, 'data: "jane.roe\\u0040gmail.com"\n\n'),
        (SSE, "\ufeffdata: Card 4111 1111 1111 1111\n\n"),
        (SSE, ": ping\nid: 1\nretry: 9\ndata: Card\ndata: 4111 1111 1111 1111\n\n"),
        (SSE, f'data: {{"choices": [{{}}, {{"delta": {{"content": "{SSN}"}}}}]}}\n\n'),
        (SSE, "data: Card 4111 1111 1111 1111"),
        ("application/x-ndjson", f'{{"message": {{"content": "{SSN}"}}}}\n'),
    ],
)
def test_events_are_read_as_clients_read_them(kind, lines):
    """Strings of JSON, byte order marks, comments, further choices, no blank line at the end."""
    assert 422 == response_of(response_start(kind), body(lines.encode()))[0]


@pytest.mark.parametrize(
    ("packed", "encoding", "status"),
    [
        (gzip.compress(b"Fine. ") + gzip.compress(SSN.encode()), b"gzip", 422),
        (zlib.compress(SSN.encode())[2:-4], b"deflate", 422),
        (zlib.compress(b"Fine.")[2:-4], b"deflate", 200),
        (gzip.compress(b"Fine.")[:-9], b"gzip", 422),
        (b"", b"gzip", 200),
    ],
    ids=["members", "raw, held", "raw, clean", "cut off", "nothing"],
)
def test_compressed_bodies_are_read_whole(packed, encoding, status):
    """Every member, and deflate without its header."""
    start = response_start("text/plain", content_encoding=encoding)

    assert status == response_of(start, body(packed))[0]


@pytest.mark.parametrize(
    "events",
    [
        [response_start(), body(b'{"text": "' + SSN.encode(), more=True)],
        [response_start()],
        [response_start(), {"type": "http.response.pathsend", "path": "/memo.json"}],
        [
            response_start(),
            body(b'{"te', more=True),
            {"type": "http.response.zerocopysend", "file": 3},
        ],
    ],
)
def test_a_body_that_is_not_read_to_its_end_is_not_sent(events):
    """In strict; audit and `pass` send what there is."""
    status, results = response_of(*events)

    assert 422 == status
    assert b"The output could not be checked" in results
    assert SSN.encode() not in results
    for settings in ({"unchecked": "pass"},
                     {"pipeline": QualityPipeline(QualityConfig(mode="audit"))}):  # fmt: skip
        sent = asyncio.run(response_events(events, **settings))
        assert [event["type"] for event in events] == [event["type"] for event in sent]


@pytest.mark.parametrize("path", ["/memo", "/memo/"])
def test_a_trailing_slash_is_the_same_route(path):
    """A route matches its path with and without a trailing slash."""
    assert (
        422 == response_of(response_start(), body(json.dumps({"text": SSN}).encode()), path=path)[0]
    )


@pytest.mark.parametrize(
    ("kind", "content", "status"),
    [
        ("", SSN, 422),
        ("", json.dumps({"text": SSN}), 422),
        ("text/json", json.dumps({"text": SSN}), 422),
        ("text/html", f"<p>{SSN}</p>", 200),
    ],
)  # fmt: skip
def test_types_that_are_read(kind, content, status, caplog):
    """A body without a type is checked; HTML is not, which is logged."""
    assert status == response_of(response_start(kind), body(content.encode()))[0]
    assert ("is not read" in caplog.text) is (status == 200)


def test_audit_inside_a_compressing_middleware():
    """The outer middleware changes the headers; the original body has been checked."""
    firewall = Shield(shield.configure(mode="audit"), hooks=None)
    outside = [Middleware(GZipMiddleware, minimum_size=0)]
    with service(outside=outside, pipeline=QualityPipeline(shield=firewall)) as client:
        for shape in ("json", "stream"):
            assert 200 == post(client, f"{CARD} {CLEAN}", shape).status_code

    assert ["block", "block"] == [str(one.action) for one in firewall.store.decisions()]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"routes": "/answer"}, "give a list of routes"),
        ({"routes": QualityRoute(path="/answer")}, "give a list of routes"),
        ({"routes": []}, "`routes` is empty"),
        ({"routes": [5]}, "give a path or a QualityRoute"),
        ({"routes": ["memos"]}, "give a path such as"),
        ({"routes": ["https://acme.com/memos"]}, "give a path such as"),
        ({"routes": ["/a"], "status": "422"}, "it must be from 400 to 599"),
        ({"routes": ["/a"], "max_bytes": "1MB"}, "it must be 1 or more"),
        ({"routes": ["/a"], "status": 200}, "it must be from 400 to 599"),
        ({"routes": ["/a"], "max_bytes": 0}, "it must be 1 or more"),
        ({"routes": ["/a"], "unchecked": "drop"}, "use `block` or `pass`"),
        ({"routes": ["/a"], "pipeline": 7}, "give a QualityPipeline"),
    ],
)
def test_a_wrong_setting_is_refused(settings, reason):
    """The error says what to give."""
    with pytest.raises(ShieldError, match=reason):
        QualityMiddleware(answer, **{"pipeline": QualityPipeline()} | settings)


@pytest.mark.parametrize(
    "wrong", [{"outputs": "/answer"}, {"deltas": []}, {"outputs": ["a"]}, {"outputs": [5]}]
)
def test_a_wrong_pointer_is_refused(wrong):
    """When the route is declared."""
    with pytest.raises(ShieldError, match="JSON pointer"):
        QualityRoute(path="/answer", **wrong)


SERVICE = """
import sys, time
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from abs_shield.adapters.asgi import QualityMiddleware
from abs_shield.quality import QualityConfig, QualityPipeline

def judge(messages, schema):
    time.sleep(.1)
    return {"approved": True, "reason": "", "readability": 1, "completeness": 1, "tone": 1}

def done(output, stages):
    print("done", flush=True)

async def bare(scope, receive, send):
    assert scope["type"] == "http"
    start = {"type": "http.response.start", "status": 200,
             "headers": [(b"content-type", b"text/plain")]}
    await send(start)
    await send({"type": "http.response.body", "body": b"Fine."})

async def answer(request):
    return JSONResponse({"answer": "Fine."})

inner = bare if sys.argv[2] == "bare" else Starlette(routes=[Route("/answer", answer)])
pipeline = QualityPipeline(QualityConfig(judge=judge, on_background=done))
app = QualityMiddleware(inner, pipeline, routes=["/answer"], drain_timeout_s=float(sys.argv[3]))
uvicorn.run(app, port=int(sys.argv[1]), log_level="warning")
"""


@pytest.mark.parametrize(
    ("kind", "seconds", "judged"), [("starlette", 20, 12), ("bare", 20, 12), ("starlette", 0, 0)]
)
def test_a_server_that_is_terminated_judges_what_waits(kind, seconds, judged, tmp_path):
    """SIGTERM ends uvicorn without `atexit`; the rest is counted and logged."""
    script = tmp_path / "service.py"
    script.write_text(SERVICE)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, script, str(port), kind, str(seconds)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(abs_shield.__file__).parents[1])},
    )  # fmt: skip
    try:
        with httpx.Client(transport=httpx.HTTPTransport(retries=6), timeout=10) as client:
            for _ in range(12):
                assert 200 == client.get(f"http://127.0.0.1:{port}/answer").status_code
    finally:
        process.terminate()
    output, logged = process.communicate(timeout=60)

    assert judged <= output.count("done")
    assert ("checks in the background were not done in time" in logged) is (seconds == 0)


def test_an_error_at_startup_is_raised():
    """The error of the application's lifespan reaches the server."""

    async def failing(scope, receive, send):
        await receive()
        raise RuntimeError("no database")

    async def receive():
        return {"type": "lifespan.startup"}

    middleware = QualityMiddleware(failing, QualityPipeline(), routes=["/memo"])
    with pytest.raises(RuntimeError, match="no database"):
        asyncio.run(middleware({"type": "lifespan"}, receive, None))

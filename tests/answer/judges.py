"""Scripted judges: they parse their request, and reply by a rule or from a script."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from abs_shield.answer.consistency_probes import probe_claims
from abs_shield.answer.scorers.judge_scorer import judge_claims
from abs_shield.model import Terms, aplay, play
from abs_shield.model.ask import DEFAULT_TERMS

_FENCED = re.compile(r"^\[begin (\w+) (\w+)\]\n(.*)\n\[end \1 \2\]$", re.MULTILINE)


class Judged:
    """The scorer of a judge as a function; `acall` is its async form."""

    def __init__(self, model: Any, terms: Terms = DEFAULT_TERMS) -> None:
        self.model, self.terms = model, terms

    def __call__(self, claims: Any, evidence: Any, *, question: str | None = None) -> Any:
        return play(judge_claims(claims, evidence, question), self.model, terms=self.terms)

    async def acall(self, claims: Any, evidence: Any, *, question: str | None = None) -> Any:
        steps = judge_claims(claims, evidence, question)
        return await aplay(steps, self.model, terms=self.terms)


def probe(
    claims: Any, answer: str, question: str | None, evidence: Any, judge: Any, *,
    times: int = 1, terms: Terms = DEFAULT_TERMS,
) -> Any:  # fmt: skip
    """Probe the critical claims with *judge*."""
    return play(probe_claims(claims, answer, question, evidence, times=times), judge, terms=terms)


async def aprobe(
    claims: Any, answer: str, question: str | None, evidence: Any, judge: Any, *,
    times: int = 1, terms: Terms = DEFAULT_TERMS,
) -> Any:  # fmt: skip
    """Probe the critical claims with *judge* on this event loop."""
    steps = probe_claims(claims, answer, question, evidence, times=times)
    return await aplay(steps, judge, terms=terms)


def data_in(messages: list[dict[str, str]]) -> dict[str, Any]:
    """Return the data between the markers of a request, by name."""
    text = "\n".join(message["content"] for message in messages)
    return {name: json.loads(inside) for name, _, inside in _FENCED.findall(text)}


class Reader:
    """A judge that splits texts at full stops and judges each statement by a rule."""

    def __init__(self, rule: Callable[[str], int], *, scope: Callable[[str], bool] = bool) -> None:
        self.rule = rule
        self.scope = scope
        self.requests: list[list[dict[str, str]]] = []

    def __call__(self, messages: list[dict[str, str]], schema: dict[str, Any]) -> dict[str, Any]:
        self.requests.append(messages)
        data = data_in(messages)
        if "text" in data:
            return {"statements": [s for s in re.split(r"(?<=\.)\s+", data["text"].strip()) if s]}
        return {"verdicts": [self.verdict(one) for one in data["statements"]]}

    def verdict(self, request: dict[str, str]) -> dict[str, Any]:
        text = request["statement"]
        return {
            "id": request["id"],
            "verdict": self.rule(text),
            "in_scope": self.scope(text),
            "reason": "as the rule says",
        }


class Scripted:
    """A judge that returns one reply after the other; exceptions are raised, functions called."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.requests: list[list[dict[str, str]]] = []

    def __call__(self, messages: list[dict[str, str]], schema: dict[str, Any]) -> Any:
        self.requests.append(messages)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply(messages) if callable(reply) else reply


def asynchronous(judge: Any) -> Any:
    """Return the judge as an async function."""

    async def ajudge(messages: Any, schema: Any) -> Any:
        return judge(messages, schema)

    return ajudge


_GAP = "[ ? ]"


class LookupJudge(Reader):
    """A judge of claims and gaps that looks words up in the evidence of the request."""

    def __init__(self) -> None:
        super().__init__(lambda text: 1)

    def __call__(self, messages: list[dict[str, str]], schema: dict[str, Any]) -> dict[str, Any]:
        data = data_in(messages)
        if "claims" not in data and "sentences" not in data:
            return super().__call__(messages, schema)
        self.requests.append(messages)
        text = "\n".join(one["text"] for one in data["evidence"])
        if "claims" in data:
            return {"judgements": [self.judgement(one, text) for one in data["claims"]]}
        results = [
            {"id": one["id"], "value": self.find_value(one["sentence"], text)}
            for one in data["sentences"]
        ]
        return {"answer": text[:80], "found": results}

    @staticmethod
    def judgement(request: dict[str, str], text: str) -> dict[str, str]:
        words = re.findall(r"\w+", request["claim"].casefold())[:200]
        there = set(re.findall(r"\w+", text.casefold()))
        verdict = "supported" if set(words) <= there else "not_found"
        if verdict == "not_found" and any(word.isdigit() and word not in there for word in words):
            verdict = "contradicted"
        quote = next(
            (line for line in text.split(". ") if words and words[0] in line.casefold()), ""
        )
        return {"id": request["id"], "verdict": verdict, "quote": quote, "reason": "by its words"}

    @staticmethod
    def find_value(sentence: str, text: str) -> str:
        before, gap, behind = sentence.partition(_GAP)
        if not gap:
            return "yes" if sentence.strip(" .") in text else "no"
        form = re.escape(before[-12:]) + r"(\S.{0,40}?)" + re.escape(behind[:6])
        place = re.search(form, text)
        return place[1] if place else "unknown"

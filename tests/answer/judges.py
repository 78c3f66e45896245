"""Judges of the tests: they read what they are sent, and answer by a rule or from a script."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

_FENCED = re.compile(r"^\[begin (\w+) (\w+)\]\n(.*)\n\[end \1 \2\]$", re.MULTILINE)


def data_in(messages: list[dict[str, str]]) -> dict[str, Any]:
    """What stands between the marks, by its name."""
    text = "\n".join(message["content"] for message in messages)
    return {name: json.loads(inside) for name, _, inside in _FENCED.findall(text)}


class Reader:
    """A judge that takes texts apart at full stops, and judges each statement by a rule."""

    def __init__(self, rule: Callable[[str], int], *, scope: Callable[[str], bool] = bool) -> None:
        self.rule = rule
        self.scope = scope
        self.heard: list[list[dict[str, str]]] = []

    def __call__(self, messages: list[dict[str, str]], schema: dict[str, Any]) -> dict[str, Any]:
        self.heard.append(messages)
        data = data_in(messages)
        if "text" in data:
            return {"statements": [s for s in re.split(r"(?<=\.)\s+", data["text"].strip()) if s]}
        return {"verdicts": [self.verdict(one) for one in data["statements"]]}

    def verdict(self, asked: dict[str, str]) -> dict[str, Any]:
        text = asked["statement"]
        return {
            "id": asked["id"],
            "verdict": self.rule(text),
            "in_scope": self.scope(text),
            "reason": "as the rule says",
        }


class Scripted:
    """A judge that gives one reply after the other; exceptions are raised, functions called."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.heard: list[list[dict[str, str]]] = []

    def __call__(self, messages: list[dict[str, str]], schema: dict[str, Any]) -> Any:
        self.heard.append(messages)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply(messages) if callable(reply) else reply


def asynchronous(judge: Any) -> Any:
    """The same judge as an async function."""

    async def ajudge(messages: Any, schema: Any) -> Any:
        return judge(messages, schema)

    return ajudge

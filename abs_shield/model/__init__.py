"""Calls to a model: one protocol, with replies that are validated and never trusted."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from abs_shield.model.ask import Terms, aask, aplay, ask, play
from abs_shield.model.judge import Ask, BadReply, Budget, Judge, Message, Reply, Undetermined
from abs_shield.model.prompt_fencing import fenced, instructions
from abs_shield.model.reply_cache import Replies

if TYPE_CHECKING:
    from abs_shield.model.openai_judge import OpenAIJudge

__all__ = [
    "Ask",
    "BadReply",
    "Budget",
    "Judge",
    "Message",
    "OpenAIJudge",
    "Replies",
    "Reply",
    "Terms",
    "Undetermined",
    "aask",
    "aplay",
    "ask",
    "fenced",
    "instructions",
    "play",
]


def __getattr__(name: str) -> Any:
    if name != "OpenAIJudge":  # its module is imported only if it is used
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module("abs_shield.model.openai_judge").OpenAIJudge


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

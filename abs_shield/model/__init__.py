"""Calls to a model: one protocol, with replies that are validated and never trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abs_shield.core.module_names import lazy_names
from abs_shield.model.ask import Replies, Terms, aask, aplay, ask, play
from abs_shield.model.judge import Ask, BadReply, Budget, Judge, Message, Reply, Undetermined
from abs_shield.model.prompt_fencing import fenced, instructions

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

# its module, and with it the SDK, is imported only if it is used
__getattr__, __dir__ = lazy_names(__name__, {"OpenAIJudge": "abs_shield.model.openai_judge"})

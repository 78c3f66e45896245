"""How a model is asked: one protocol, its replies checked and never trusted."""

from abs_shield.model.ask import Terms, aask, aplay, ask, play
from abs_shield.model.budget import Budget
from abs_shield.model.fence import fenced, instructions
from abs_shield.model.judge import Ask, BadReply, Judge, Message, Reply, Undetermined
from abs_shield.model.replies import Replies

__all__ = [
    "Ask",
    "BadReply",
    "Budget",
    "Judge",
    "Message",
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

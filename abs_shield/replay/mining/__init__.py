"""A policy proposed from tools and recorded runs, each proposal with its evidence."""

from abs_shield.replay.mining.census import Given, Recorded
from abs_shield.replay.mining.draft import Draft, Kind, LetThrough, Suggestion
from abs_shield.replay.mining.mine import Mined, Source, mine

__all__ = [
    "Draft",
    "Given",
    "Kind",
    "LetThrough",
    "Mined",
    "Recorded",
    "Source",
    "Suggestion",
    "mine",
]

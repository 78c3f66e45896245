"""The words of a text that say what it is about, without endings and small words."""

from __future__ import annotations

from functools import lru_cache

from abs_shield.text.names import singular
from abs_shield.text.normal import normal, unspaced, words

_SMALL = frozenset(
    "a an the and or but nor so yet if then than as at by for from in into of off on onto out over "
    "per to up via with within without about after before between during through under until "
    "i me my mine we us our you your he him his she her it its they them their this that these "
    "those who whom whose which what when where why how there here "
    "am is are was were be been being do does did done have has had having will would shall should "
    "can could may might must not no n t s d ll re ve m don doesn didn isn aren wasn weren "
    "also very just only too more most much many some any all both each such own same other "
    "please hello hi hey dear thanks thank sure okay ok yes welcome sorry glad happy let know "
    "hope help assist anything else question questions great good day".split()
)
_ENDINGS = ("ing", "ed", "ly")
_LEAST = 4


def stems(text: str) -> list[str]:
    """
    Give the stems of *text* in order; of scripts without blanks, pairs of characters.

    >>> stems("The towers were painted in 1889."), stems("東京タワー")
    (['tower', 'paint', '1889'], ['東京', '京タ', 'タワ', 'ワー'])
    """
    found: list[str] = []
    for word in words(normal(text)):
        if not word.isascii() and unspaced(word):
            found += [word[n : n + 2] for n in range(max(1, len(word) - 1))]
        elif word not in _SMALL:
            found.append(_stem(word))
    return found


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    if not word.isalpha():
        return word[:64]
    stem = singular(word[:64])
    for ending in _ENDINGS:
        if stem.endswith(ending) and len(stem) - len(ending) >= _LEAST - 1:
            return stem[: -len(ending)]
    return stem

"""Whether the user asked for a step and for its undoing: what is asked for is no contradiction."""

from __future__ import annotations

import re

from abs_shield.plan.verbs import Deed, Does

_UNDOING = "clean|tidy|undo|revert|roll|take"
_LATER = "then|afterwards?|after that|finally|later|before"
_WHEN = "afterwards?|later|again|when|once|after|then"
_FILLERS = r"(?:\W{1,4}(?:you|please|just|also|we|i|to|immediately)\b){0,6}"
_THING = (
    r"(?:\W{1,4}(?:it|them|him|her|that|this|those|these|everything|up|back|down|off"
    r"|[^\W\d]{0,20}\d\w{0,40})\b){0,6}"
)
_SPOKEN = {"enable": "on", "disable": "off"}
_ENDS = rf"{_THING}(?:\s*[.,;:!?)]|\s*$|\s+and\b)"


def asked_for(first: Deed, then: Deed, text: str) -> bool:
    """
    Whether *text* names the second step behind the first, or as one that comes later.

    It reads English only; in other languages nothing is excused.

    >>> from abs_shield.plan.verbs import deed
    >>> start, stop = deed("start_server"), deed("stop_server")
    >>> asked_for(start, stop, "Start it, run the job, and stop it afterwards.")
    True
    >>> asked_for(start, stop, "Why would it stop? Start it.")
    False
    """
    if not (first.verb and then.verb):
        return False
    undone = _said(then.verb, also=_UNDOING if then.does is Does.UNMAKE else "")
    patterns = (
        rf"\b{_said(first.verb)}\b[^.!?\n]{{0,60}}(?:,|\band|&){_FILLERS}\W{{1,4}}{undone}\b{_ENDS}",
        rf"\b(?:{_LATER})\b{_FILLERS}\W{{1,4}}{undone}\b",
        rf"\b{undone}\b{_THING}\W{{1,4}}(?:{_WHEN})\b",
    )
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)


def _said(verb: str, *, also: str = "") -> str:
    """A verb as a sentence has it: cancel, cancels, cancelled, cancelling."""
    also = "|".join(filter(None, (also, _SPOKEN.get(verb, ""))))
    stem = re.escape(verb.removesuffix("e"))
    return rf"(?:{stem}\w{{0,5}}{'|' + also if also else ''})"

"""Whether the user asked for a step and for its undoing: what is asked for is no contradiction."""

from __future__ import annotations

import re

from abs_shield.plan.verbs import Deed
from abs_shield.text.language import language
from abs_shield.text.normal import normal
from abs_shield.text.verbs import Does

_UNDOING = "clean|tidy|undo|revert|roll|take"
_LATER = "then|afterwards?|after that|finally|later|before"
_WHEN = "afterwards?|later|again|when|once|after|then"
_FILLERS = r"(?:\W{1,4}(?:you|please|just|also|we|i|to|immediately)\b){0,6}"
_THING = (
    r"(?:\W{1,4}(?:it|them|him|her|that|this|those|these|everything|up|back|down|off"
    r"|[^\W\d]{0,20}\d\w{0,40})\b){0,6}"
)
_SPOKEN = {"enable": "on", "disable": "off"}
_SPACED = (
    "danach|anschließend|hinterher|dann|zum schluss|puis|ensuite|après|enfin|luego|después|"
    "por último|depois|em seguida|então|por fim|poi|dopo|infine|daarna|vervolgens|dan|tenslotte|"
    "potem|następnie|po czym|na koniec|потом|затем|после|далее|потім|після|sonra|ard\u0131ndan|"
    "sitten|jälkeen|lopuksi|sedan|därefter|så|deretter|derefter|bagefter|potom|poté|pak|majd|"
    "azután|utána|apoi|după|zatim|onda|lalu|kemudian|setelah|sau đó|rồi|μετά|έπειτα|फिर|बाद|"
    "אחר כך|ואז|ثم|بعد|بعدها"
)
_UNSPACED = (
    "その後|そのあと|次に|てから|でから|た後|たあと|だ後|だあと|最後に|然后|然後|之后|之後|随后|隨後|接着|最后|最後|"
    "다음|후에|나서|마지막에|แล้ว|จากนั้น"
)
_NEXT = re.compile(rf"(?<!\w)[وف]?(?:{normal(_SPACED)})(?!\w)|{normal(_UNSPACED)}")
"""Words of many languages by which a user puts a second step behind the first."""
_ENDS = rf"{_THING}(?:\s*[.,;:!?)]|\s*$|\s+and\b)"


def asked_for(first: Deed, then: Deed, text: str) -> bool:
    """
    Whether *text* names the second step behind the first, or as one that comes later.

    Verbs are read in English only. In other languages a word such as ``danach`` has to do, which
    puts a step behind another one.

    >>> from abs_shield.plan.verbs import deed
    >>> start, stop = deed("start_server"), deed("stop_server")
    >>> asked_for(start, stop, "Start it, run the job, and stop it afterwards.")
    True
    >>> asked_for(start, stop, "Why would it stop? Start it.")
    False
    """
    if not (first.verb and then.verb):
        return False
    if language(text) != "english" and _NEXT.search(normal(text)):
        return True
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

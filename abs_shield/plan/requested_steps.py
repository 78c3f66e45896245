"""Requested steps: a step and its undoing do not contradict if the user asked for both."""

from __future__ import annotations

import re

from abs_shield.plan.tool_action import ToolAction
from abs_shield.text.language import language
from abs_shield.text.lazy_pattern import lazy_pattern
from abs_shield.text.normal_form import normal
from abs_shield.text.verbs import VerbEffect

_UNDOING_VERBS = "clean|tidy|undo|revert|roll|take"
_LATER_WORDS = "then|afterwards?|after that|finally|later|before"
_WHEN_WORDS = "afterwards?|later|again|when|once|after|then"
# Repeats are bounded here and below, as a user's text may be long or hostile.
_FILLER_WORDS = (
    r"(?:\W{1,4}(?:you|please|just|also|we|i|to|immediately|turn|switch"
    r"|bring|put|get|it|them|back|right)\b){0,6}"
)
_OBJECT_WORDS = (
    r"(?:\W{1,4}(?:it|them|him|her|that|this|those|these|everything|up|back|down|off"
    r"|[^\W\d]{0,20}\d\w{0,40})\b){0,6}"
)
_SYNONYM_ROWS = (
    "create make add touch mkdir build generate insert new put set write",
    "delete remove rm rmdir drop erase purge destroy discard unlink trash scrap wipe",
    "open unlock",
    "close shut lock",
    "start run launch boot on up",
    "stop kill halt terminate end shut off down",
    "enable activate on resume unmute unpause restore",
    "disable deactivate off pause suspend mute silence snooze",
    "attach mount connect link plug",
    "detach unmount umount disconnect unlink eject unplug",
    "book reserve schedule",
    "cancel drop scrap release",
)
"""Verbs of tools with the verbs that people use for the same action: ``rm`` is "delete it"."""


def _synonyms_by_verb() -> dict[str, set[str]]:
    synonyms: dict[str, set[str]] = {}
    for row in _SYNONYM_ROWS:
        for verb in row.split():
            synonyms.setdefault(verb, set()).update(row.split())
    return synonyms


_SYNONYMS = _synonyms_by_verb()
_VERBS_FOR_BOTH = {
    "start": "restart reboot bounce cycle relaunch reload",
    "run": "restart rerun relaunch", "launch": "restart relaunch", "open": "reopen",
    "enable": "reset cycle toggle restart", "activate": "reset cycle toggle restart",
    "connect": "reconnect reset",
    "create": "recreate replace rebuild reset redo reschedule rearrange",
    "add": "replace swap exchange", "book": "rebook reschedule rearrange",
    "install": "reinstall", "assign": "reassign", "issue": "rotate renew replace",
    "grant": "rotate renew", "insert": "replace",
}  # fmt: skip
"""Verb to the words that ask for its opposite and then for it: "restart" is stop, then start."""
_RESTART = re.compile(
    r"neu ?start|starte?n?\b.{0,40}\bneu\b|redémarr|relanc|reinici|riavvi|herstart|ponownie"
    r"|zrestart|перезапу|перезагру|重启|重啟|重新启动|再起動|재시작|yeniden başlat|starta om"
    r"|genstart|uudelleen",
    re.IGNORECASE,
)
_STARTING_VERBS = frozenset("start run launch open enable activate resume".split())
_ENCLOSING_WORDS = lazy_pattern(
    r"\b(?:w/o|without|while|whilst|during|for the duration|temporar(?:y|ily)|until|till|meanwhile"
    r"|(?:just|only) for"
    r"|paus(?:e|ed|ing)|suspend(?:ed|ing)?|mut(?:e|ed|ing)|silenc(?:e|ed|ing)|quiet(?:ly)?"
    r"|with\b[^.!?\n]{1,40}\b(?:off|on|paused|muted|disabled|enabled|stopped|closed|open))\b"
    r"|\b(?:ohne|während|solange|sans|pendant|sin|mientras|durante|senza|mentre|sem|enquanto"
    r"|zonder|terwijl|tijdens|bez|podczas|без|пока|utan|medan|uden|uten|mens|ilman|olmadan|közben)"
    r"\b",
    re.IGNORECASE,
)
"""Words that ask for a state while another step runs."""
_SPACED_NEXT_WORDS = (
    "danach|anschließend|hinterher|dann|zum schluss|puis|ensuite|après|enfin|luego|después|"
    "por último|depois|em seguida|então|por fim|poi|dopo|infine|daarna|vervolgens|dan|tenslotte|"
    "potem|następnie|po czym|na koniec|потом|затем|после|далее|потім|після|sonra|ard\u0131ndan|"
    "sitten|jälkeen|lopuksi|sedan|därefter|så|deretter|derefter|bagefter|potom|poté|pak|majd|"
    "azután|utána|apoi|după|zatim|onda|lalu|kemudian|setelah|sau đó|rồi|μετά|έπειτα|फिर|बाद|"
    "אחר כך|ואז|ثم|بعد|بعدها"
)
_UNSPACED_NEXT_WORDS = (
    "その後|そのあと|次に|てから|でから|た後|たあと|だ後|だあと|最後に|然后|然後|之后|之後|随后|隨後|接着|最后|最後|"
    "다음|후에|나서|마지막에|แล้ว|จากนั้น"
)
_NEXT = lazy_pattern(
    rf"(?<!\w)[وف]?(?:{normal(_SPACED_NEXT_WORDS)})(?!\w)|{normal(_UNSPACED_NEXT_WORDS)}"
)
"""Words for "then" and "afterwards" in many languages."""
_SHORT_VERB = 4
"""Most letters of a verb that other words may begin with: "off" in "offer", "end" in "endpoint"."""
_CLAUSE_END = rf"{_OBJECT_WORDS}(?:\s*[.,;:!?)]|\s*$|\s+and\b)"


def requests_both_steps(first: ToolAction, then: ToolAction, text: str) -> bool:
    """
    Return whether *text* asks for the first step and, after it, for the second one.

    Verbs are matched only in English. In other languages a word for "then", such as ``danach``,
    is enough.

    >>> from abs_shield.plan.tool_action import parse_action
    >>> start, stop = parse_action("start_server"), parse_action("stop_server")
    >>> requests_both_steps(start, stop, "Start it, run the job, and stop it afterwards.")
    True
    >>> requests_both_steps(start, stop, "Why would it stop? Start it.")
    False
    """
    if not (first.verb and then.verb):
        return False
    if language(text) != "english" and _NEXT.search(normal(text)):
        return True
    if first.does is VerbEffect.UNMAKE and _is_one_word_for_both(then.verb, text):
        return True
    undoing = _verb_pattern(
        then.verb, also=_UNDOING_VERBS if then.does is VerbEffect.UNMAKE else ""
    )
    nouns = "|".join(re.escape(word) for word in (*then.noun, *first.noun)) or "thing"
    thing = rf"(?:\s+(?:the|my|our|this|that)\s+(?:{nouns}|{_inflect(first.verb)})s?\b)?"
    patterns = (
        rf"\b{_verb_pattern(first.verb)}\b(?:[^.!?\n]|[.](?=\w)){{0,60}}(?:,|\band|&){_FILLER_WORDS}\W{{1,4}}"
        rf"{undoing}\b{thing}(?:{_CLAUSE_END}|\s+again\b)",
        rf"\b(?:{_LATER_WORDS})\b{_FILLER_WORDS}\W{{1,4}}{undoing}\b",
        rf"\b{undoing}\b{_OBJECT_WORDS}\W{{1,4}}(?:{_WHEN_WORDS})\b",
    )
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)


def _verb_pattern(verb: str, *, also: str = "") -> str:
    """Return a pattern for a verb, its synonyms and their forms: cancel, cancels, cancelled."""
    forms = [*map(_inflect, sorted({verb, *_synonyms_of(verb)})), *filter(None, (also,))]
    return rf"(?:{'|'.join(forms)})"


def _is_one_word_for_both(verb: str, text: str) -> bool:
    """Return whether a message has one word for a verb after its opposite, such as "restart"."""
    verbs = "|".join((f"re-?{verb}", *_VERBS_FOR_BOTH.get(verb, "").split()))
    if re.search(rf"\b(?:{verbs})", text, re.IGNORECASE):
        return True
    return verb in _STARTING_VERBS and _RESTART.search(text) is not None


def _synonyms_of(verb: str) -> set[str]:
    """Return the verbs that people use for a tool's *verb*."""
    return _SYNONYMS.get(verb, set())


def _inflect(verb: str) -> str:
    # Only regular endings for a short verb: "offer" is not a form of `off`.
    if len(verb) <= _SHORT_VERB:
        return rf"{verb}(?:s|{verb[-1]}?(?:ed|ing))?"
    return rf"{re.escape(verb.removesuffix('e'))}\w{{0,5}}"


def requests_enclosing_step(text: str) -> bool:
    """
    Return whether a message asks for a step while something else is temporarily on or off.

    >>> requests_enclosing_step("Deploy billing w/o alerts.")
    True
    >>> requests_enclosing_step("Deploy billing.")
    False
    """
    return _ENCLOSING_WORDS.search(text) is not None

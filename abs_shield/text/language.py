"""Whether a text is English: the one language in which names are looked for word by word."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset(
    "the are were been please my your you she it they what which when where who how have with and "
    "this that these those from want need can could would should will not about into does did any "
    "there send show find give tell check change help book cancel refund buy look update create "
    "add delete remove schedule tomorrow today message thanks hello many much some more most other "
    "out only just new old all both each make get let also then than their them our us his her "
    "because between before after again yes search retrieve play calculate predict analyze whose "
    "using including happening using while whether next last past years days weeks some how "
    "located following during famous specific company provide".split()
)
"""Words of English that its neighbours do not write, or rarely."""
_OTHERS = frozenset(
    "der die das und ist ich nicht ein eine mit für auf von zu den dem des im bitte mein meine "
    "el la los las que y es un una por para con del mi su le les et est je pas pour dans du "
    "sur avec vous il lo gli che è non di sono os é um uma não com da meu minha het "
    "een van en niet voor met ik mijn och att det som på är jag inte og ikke er jeg på ja nie "
    "na się jest proszę ve bir bu için ile ben bana nem egy az ez és ei että "
    "minun".split()
)
_OURS, _THEIRS = _ENGLISH - _OTHERS, _OTHERS - _ENGLISH
_MOST = 8_000
_LEAST = 2


def english(text: str) -> bool:
    """
    Whether *text* has two words that only English has, and fewer of its neighbours or accented.

    >>> english("Please send it to Maria"), english("Schick das bitte an Maria"), english("Maria")
    (True, False, False)
    """
    said = set(_WORD.findall(text[:_MOST].casefold()))
    ours = len(said & _OURS)
    theirs = len(said & _THEIRS) + sum(not word.isascii() for word in said)
    return ours >= _LEAST and ours > theirs

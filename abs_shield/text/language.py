"""Detection of English, the only language in which names are compared word by word."""

from __future__ import annotations

import re
from typing import Literal

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
"""English words that are rare in neighbouring languages."""
_OTHERS = frozenset(
    "der die das und ist ich nicht ein eine mit für auf von zu den dem des im bitte mein meine "
    "meinen sie wir einen kein noch auch nach bei wenn heute morgen haben wie oder "
    "el la los las que y es un una por para con del mi su le les et est je pas pour dans du "
    "quiero soy esta este hola gracias como pero muy voudrais bonjour merci suis cette mon nous "
    "sur avec vous il lo gli che è non di sono os é um uma não com da meu minha het "
    "vorrei della nel questo ciao grazie quero estou obrigado olá "
    "een van en niet voor met ik mijn och att det som på är jag inte og ikke er jeg på ja nie "
    "graag naar bij vill ska jag skal hej "
    "na się jest proszę ve bir bu için ile ben bana nem egy az ez és ei että "
    "dla mam chcę moje mój istiyorum lütfen var benim kérem hogy haluan olen kiitos "
    "minun mujhe hai hain kya karo karna mera meri nahi liye wala bhai "
    "saya tolong untuk dengan yang tidak bisa dari ini itu ang mga ako ng "
    "vreau pentru este sunt prosím jsem chci který želim molim hvala".split()
)
# Words in both lists are not evidence.
_ONLY_ENGLISH, _ONLY_OTHERS = _ENGLISH - _OTHERS, _OTHERS - _ENGLISH
_MOST = 8_000  # characters; the first pages of a text show its language
_LEAST = 2  # words; one alone may be part of a name


Language = Literal["english", "other", "unknown"]


def language(text: str) -> Language:
    """
    Return the language of a text, by its common words and accented words.

    It needs two exclusively English words, or two lower-case words of other languages ("Los Gatos"
    is not Spanish); else the result is ``unknown``.

    >>> language("Please send it to Maria"), language("Schick das bitte an Maria")
    ('english', 'other')
    """
    written = set(_WORD.findall(text[:_MOST]))
    lowered = set(map(str.casefold, written))
    english = len(lowered & _ONLY_ENGLISH)
    others = len(lowered & _ONLY_OTHERS)
    if not text.isascii():
        others += sum(not word.isascii() for word in lowered)
    if english >= _LEAST and english > others:
        return "english"
    return "other" if len(written & _ONLY_OTHERS) >= _LEAST and others > english else "unknown"

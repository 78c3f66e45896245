"""Exclusion of telephone numbers that a text introduces as those of a business."""

from __future__ import annotations

import re

_BUSINESS = re.compile(
    r"(?<![^\W_])(?:hotels?|motel|hostel|resort|guesthouse|restaurants?|caf[e\u00e9]|bistro|pizzeria"
    r"|bakery|diner|front[ _-]desk|reception|concierge|offices?|stores?|shops?|branch|showroom"
    r"|clinics?|hospital|pharmacy|dealership|salon|spa|gym|museum|theat(?:er|re)"
    r"|cinema|library|airport|airline|embassy|consulate|police"
    r"|town[ _-]hall|(?:call|contact|service|support|help)[ _-](?:cent(?:er|re)|desk|line)"
    r"|hot[ -]?line|help[ -]?line|helpdesk"
    r"|support[ _-](?:team|number|phone)|(?:customer|client|guest)[ _-](?:service|support|care"
    r"|relations)s?|sales[ _-](?:line|team|desk)|toll[ _-]?free|free[ _-]?phone|switchboard"
    r"|headquarters|main[ _-](?:line|number)|box[ _-]office"
    r"|(?:company|business)(?:['\u2019]s)?[ _-](?:phone|number|line|telephone|hotline)"
    r"|h\u00f4tel|h\u00f4pital|accueil|service client|rezeption|empfang|praxis|filiale"
    r"|kundenservice|kundendienst|zentrale|krankenhaus|restaurante|recepci\u00f3n|tienda|cl\u00ednica"
    r"|farmacia|atenci\u00f3n al cliente|ristorante|albergo|negozio|ospedale|receptie"
    r"|winkel)(?![^\W_])"
    r"|\u9152\u5e97|\u9910\u9986|\u9910\u5385|\u996d\u5e97|\u5bbe\u9986|\u666f\u70b9"
    r"|\u533b\u9662|\u8bca\u6240|\u5ba2\u670d|\u70ed\u7ebf|\u524d\u53f0"
    r"|\u30db\u30c6\u30eb|\u30ec\u30b9\u30c8\u30e9\u30f3|\u75c5\u9662|\ud638\ud154",
    re.IGNORECASE,
)
"""Businesses and services with a public telephone number."""
_PERSON = re.compile(
    r"(?<![^\W_])(?:her|hers|his|him|he|she|my|mine|guests?|customers?|clients?|patients?|tenants?"
    r"|visitors?|passengers?|employees?|colleagues?|managers?|owners?|drivers?|nurses?|members?"
    r"|students?|users?|applicants?|candidates?|callers?|mr|mrs|ms|mobile|cell|cellphone|handy"
    r"|natel|whatsapp|private|personal|home)(?![^\W_])|\b(?:for|by|from|with) (?-i:[A-Z][a-z])",
    re.IGNORECASE,
)
"""Words after which a number is a person's all the same: `the hotel's guest`."""
_HIS_OFFICE = re.compile(r"(?:\b(?:her|his|my)|['\u2019]s) (?:[a-z]+ )?$", re.IGNORECASE)
_BEHIND = re.compile(
    r"[\s,()\u2013\u2014-]{1,3}(?:(?:is|reaches|rings|to reach|for|at) )?(?:(?:the|our|its) )?"
    r"(?:[a-z]+['\u2019]s )?"
)
_STOP = re.compile(r"[.!?]\s|\n\s*\n|\}")
"""The end of a sentence, of a paragraph and of a record."""
# in characters: a sentence before the number, and a name right after it
_BUSINESS_BEFORE, _BUSINESS_BEHIND = 120, 40


def is_of_person(text: str, start: int, end: int) -> bool:
    """Return whether a number is not introduced as that of a business."""
    begin = max(0, start - _BUSINESS_BEFORE)
    for stop in _STOP.finditer(text, begin, start):
        begin = stop.end()
    for word in _BUSINESS.finditer(text, begin, start):
        if _HIS_OFFICE.search(text, max(0, word.start() - 20), word.start()) and (
            word[0].casefold().startswith("office")
        ):
            continue
        if _PERSON.search(text, word.end(), start) is None:
            return False
    behind = _BEHIND.match(text, end)
    if behind is None or _PERSON.search(text, begin, start):
        return True
    return _BUSINESS.match(text, behind.end(), behind.end() + _BUSINESS_BEHIND) is None

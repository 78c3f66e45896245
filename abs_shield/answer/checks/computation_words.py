"""
Words of a sentence with a computed number: sums, differences, shares, products.

The patterns are for lower-case texts, as `re` is ten times as fast without `re.IGNORECASE`.
"""

from __future__ import annotations

import re

COMPUTED = re.compile(
    r"\b(?:total|subtotal|sum|differen|additional|extra|remain|left|refund|charge|due"
    r"|ow(?:e|ed|es|ing)\b|over(?:paid|all|charge)|missing|short\b|shortfall|fewer|rest\b|leav"
    r"|sav|cheap|more|less|increase|decrease|reduc|discount|net|combin|altogether|together"
    r"|in all\b(?![ ][a-z])|all told\b|en tout\b|in tutto\b|totaal|samen\b"
    r"|average|mean|per|each|spen[dt]|instal|month"
    r"|deduct|therefore|thus\b|hence\b|which means|before|without|excluding"
    r"|insgesamt|gesamt|zusammen|summe|macht\b|ergibt|also\b|somme|ensemble|soit\b|suma|junt[oa]s"
    r"|unterschied|\u00fcbrig|g\u00fcnstig|teurer|mehr|weniger|reste|moins|diff\u00e9ren|queda"
    r"|menos|barat|ahorr|pro\b|je\b|par\b|chacun|por\b|cada"
    r"|share|half|split|both|adjust|new (?:total|price|balance|amount|cost|fare))"
    r"|[=+\u2212\u00d7%]|[ ]-[ ][$\d]"
)
"""Words of a sentence with a computed or counted value."""
DIFFERENCE = re.compile(
    r"\b(?:differen|additional|extra|remain|left|leav|refund|due|ow(?:e|ed|es|ing)\b|over|missing"
    r"|short|fewer|rest\b|sav|cheap|more|less|increas|decreas|reduc|discount|net\b|deduct|adjust|new"
    r"|chang|minus|up\b|down|drop|rose|fell|grew|gap|higher|lower|charge|credit|pay|paid|balance"
    r"|subtract|unused|still|available|therefore|thus\b|hence\b|before|without|excluding|subtotal"
    r"|unterschied|\u00fcbrig|g\u00fcnstig|teurer|billig|mehr|weniger|gespart|ersparnis|ohne\b"
    r"|diff\u00e9ren|moins|\u00e9cart|\u00e9conom|sans\b|diferencia|queda|menos|barat|ahorr|sin\b"
    r"|m\u00e1s[ ](?:car|alt)|plus[ ](?:ch|\u00e9lev))|[\u2212\u2013]|[ ]-[ ]"
)
"""Words of a sentence with an amount that is a difference."""
SHARED = re.compile(
    r"\b(?:half|halves|split|share|shared|each|per|equally|both|average|avg|mean|instal\w+"
    r"|monthly|durchschnitt\w*|moyenne|promedio|gemiddeld|month|h\u00e4lfte|je|jeweils|pro|moiti\u00e9|chacun|chacune|par|mitad|cada|por)\b"
)
"""Words of an answer with an amount that is divided."""
REMAINDER = re.compile(
    r"\b(?:left|remain|differ|net\b|still|unused|leav|outstanding|available|free\b(?![ ]of)|minus"
    r"|short\b|missing|before|without|excluding|subtotal|ohne\b|sans\b|\u00fcbrig|reste|queda)"
)
"""Words of an answer with the rest of an amount or of a limit."""
PER_MONTH = re.compile(r"\b(?:monthly|(?:per|a|each|every)[ ]month)\b")
"""Words of an answer with an amount of a year that is divided by months."""
PER_YEAR = re.compile(
    r"\b(?:yearly|annual(?:ly)?|(?:per|a|each|every)[ ]year|j\u00e4hrlich|(?:pro|im)[ ]jahr"
    r"|par[ ]an\b|al[ ]a\u00f1o|all.anno|por[ ]ano|per[ ]jaar)"
)
"""Words of an answer with an amount of a month that is multiplied by months."""
RATED = re.compile(
    r"\b(?:at|@|zu|\u00e0|a|por)[ ]\W{0,3}\d[\d.,]{0,12}[ ]?"
    r"[^\s\d]{0,8}[ ]?"
    r"(?:per|each|a|an|pro|je|par|por|cada|/)\b"
    r"|\d[ ][^\W\d_]{2,20}[ ](?:at|zu|\u00e0)[ ]\W?\d"
)
"""Words of a sentence with a rate that is multiplied by an amount: 40 kWh at 0.59 per kWh."""
SMALL_RATE = re.compile(r"\d[ ]?(?:p|ct|cents?|pence)\b")
"""A rate in hundredths of a currency's unit."""
MULTIPLIED = re.compile(
    r"\b(?:per|each|every|both|times|twice|double|passenger|person|people|travell?er|guest|adult"
    r"|n[a\u00e4]cht|nuit|noche|personne|persona|pro\b|je\b|par\b|por\b|cada|chaque|monat|mois"
    r"|woche|semaine|semana|st\u00fcck|fois|veces|mal\b"
    r"|night|ticket|seat|bag|unit|piece|month|week|all[ ](?:two|three|four|five|six|of))"
    r"|\u00d7|\bx[ ]?\$?\d|\d[ ]?x\b|\d[ ]\*[ ]\d|\d[ ][^\W\d_]{2,20}[ ](?:at|for|\u00e0)[ ]\W?\d"
)
"""Words of an answer with a product, such as a price for each of several people."""

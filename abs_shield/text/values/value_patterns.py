"""Patterns of ids, amounts and numbers for `figures`."""

from __future__ import annotations

from abs_shield.text.values.numerals import MYRIADS, WORD_SCALE

CODES = (
    "USD|EUR|GBP|JPY|CNY|INR|KRW|RUB|TRY|CHF|CAD|AUD|THB|BRL|SEK|NOK|DKK|PLN|MXN|SGD|HKD|NZD|"
    "CZK|HUF|ZAR|ILS|AED|SAR|IDR|MYR|VND|TWD|CLP|UAH|NGN"
)
MONEY_WORDS = {
    "dollar": "USD", "dollars": "USD", "bucks": "USD", "euro": "EUR", "euros": "EUR",
    "pound": "GBP", "pounds": "GBP", "yen": "JPY", "rupees": "INR",
    "cent": "", "cents": "", "pence": "GBP",
}  # fmt: skip
SMALL_MONEY = frozenset("cent cents pence".split())
"""Hundredths of the other units."""
CELSIUS, FAHRENHEIT = "\u00b0c", "\u00b0f"
"""Units of temperatures in their normal form."""
MARKS = "$€£¥₹₩₽₺฿"
BEFORE = rf"(?:(?:US|CA|AU|C|A|NZ|HK|S)?[{MARKS}]|\b(?:{CODES})\b)"
BEHIND = rf"(?:[{MARKS}円元원]|\b(?:{CODES}|{'|'.join(MONEY_WORDS)})\b)"
SCALE = (
    rf"(?:[ -]?(?P<scale>{WORD_SCALE})\b|(?P<letter>[kKmMbB])(?![A-Za-z0-9])"
    rf"|[ ]?(?P<myriad>[{MYRIADS}]))"
)
ALONE = r"(?<![A-Za-z0-9_])(?<!\d[.,:-])"
END = r"(?![A-Za-z0-9_])(?![.,:-]\d)"
# Bounded repetitions keep the time linear in the text.
URL = (
    r"(?:https?|ftp|s3|gs|wss?)://[^\s<>\"'`)\]\u3000-\u303f]{1,2000}"
    r"|\bwww\.[a-z0-9-]{1,63}\.[^\s<>\"'`)\]]{2,2000}"
)
HOST = (
    r"(?<![a-z0-9@./_-])(?:[a-z0-9][a-z0-9-]{0,62}\.){1,5}"
    r"(?:com|org|net|io|edu|gov|co|ai|dev|app|info|biz|eu|de|fr|uk|ch|es|it|nl|jp|cn|in|us)"
    r"(?![a-z0-9_-]|\.[a-z0-9])(?:/[^\s<>\"'`)\]]{0,2000})?"
)
FILE = (
    r"(?<![a-z0-9@/._-])[a-z0-9_][a-z0-9_-]{0,120}(?:\.[a-z0-9_-]{1,40}){0,4}\."
    r"(?:pdf|docx?|xlsx?|csv|txt|pptx?|json|png|jpe?g|zip|gz|md|py|html?|xml|ya?ml|mp[34])"
    r"(?![a-z0-9_])"
)
EMAIL = r"(?<![a-z0-9.+_-])[a-z0-9.+_-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}"
PHONE = (
    r"(?<![\w+])\+\d{1,3}(?:[ .()-]{1,2}\d{1,8}){2,6}(?!\w)|(?<![\w+])\+\d{7,15}(?!\w)"
    r"|(?<![\w(.-])\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}(?![\w-])"
)
CUE = (
    r"\b(?:id|ids|number|code|reference|ref|confirmation|locator|pnr|sku)\b"
    r"[\s:*_`\"'(#]{1,8}(?:is[\s:*_`\"']{1,6})?"
)
"""Words that introduce an id."""
CUED = (
    rf"(?i:{CUE})"
    r"(?P<cued>[A-Z]{5,10}(?![a-zA-Z0-9_-])|\d{4,24}(?![.,/:-]*\w))"
)
TOKEN = (
    r"(?<![A-Za-z0-9_#])(?!(?<=\d,)\d{3}-[A-Za-z])#?(?:[A-Za-z0-9]|_(?=\w)){1,80}"
    r"(?:[-.][A-Za-z0-9_]{1,80}){0,12}(?![A-Za-z0-9_])"
)

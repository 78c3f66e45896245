"""E-mail addresses and telephone numbers."""

from __future__ import annotations

import re

from abs_shield.quality.pii.impersonal_values import is_address, is_personal, is_personal_phone
from abs_shield.quality.pii.phone_numbering import can_dial, is_american, is_international
from abs_shield.quality.pii.recogniser import RIVALS, Recogniser, capitals, form, phrases

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9.+_%-])[A-Za-z0-9.+_%-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_][\w-]{1,23}(?![\w@-])"
)
_EXTENSION = r"(?: ?(?:x|ext\.?) ?\d{1,5})?"
_ABROAD = re.compile(
    r"(?<![\w+])(?:\(\+\d{1,3}\)|\+\d{1,3})(?:[ ./()-]{0,3}\d){5,13}"
    rf"{_EXTENSION}(?!\w)(?![.,-]\d)"
)
_ENGLISH = (
    "phone, phone number, telephone, tel, mobile, mobile number, cell, cell phone, call, calling, "
    "call me, fax, whatsapp, sms, text me, contact number, dial, ring, reach him, reach her, "
    "reach me, reach mr, reach mrs, reach ms, reach dr"
)
_WORDS = {
    "US": "",
    "GB": "landline",
    "IN": "",
    "AU": "",
    "CA": "",
    "DE": "telefon, telefonnummer, handy, handynummer, mobilnummer, mobil, festnetz, rufnummer, "
    "durchwahl, anrufen, rufen",
    "AT": "telefon, telefonnummer, handy, handynummer, mobil, rufnummer",
    "CH": "telefon, telefonnummer, handy, natel, mobil, telephone, telefono, rufnummer",
    "FR": "telephone, portable, mobile, numero de telephone, appeler, appelez, joindre",
    "ES": "telefono, movil, celular, numero de telefono, llamar, llame",
    "IT": "telefono, cellulare, numero di telefono, chiamare, chiamate",
    "NL": "telefoon, telefoonnummer, mobiel, mobiele nummer, bellen, gsm",
    "PL": "telefon, telefonu, numer telefonu, komorka, komorkowy, zadzwon, dzwonic",
    "SE": "telefon, telefonnummer, mobil, mobilnummer, ring, ringa",
    "NO": "telefon, telefonnummer, mobil, tlf",
    "DK": "telefon, telefonnummer, mobil, tlf",
    "FI": "puhelin, puhelinnumero, matkapuhelin, kannykka, puh",
    "BR": "telefone, celular, fone, numero de telefone, ligar, ligue",
    "PT": "telefone, telemovel, numero de telefone, ligar",
    "JP": "電話, 電話番号, 携帯",
    "KR": "전화, 전화번호, 휴대폰, 연락처, 휴대전화",
    "CN": "电话, 手机, 联系电话, 手机号",
}
"""Words that introduce a telephone number, in addition to the English ones."""


def _national(region: str) -> Recogniser:
    return Recogniser(
        name="PhoneNumber",
        pattern=_NATIONAL,
        validator=can_dial(region),
        compact=False,
        context=phrases(f"{_ENGLISH}, {_WORDS[region]}"),
        jurisdiction=region,
        strength=0.2,
        fits=is_personal_phone,
        reach=30,
    )


_NATIONAL = form(rf"(?<!\d[ ./)-])\(?\d(?:[ ./()-]{{0,3}}\d){{6,15}}{_EXTENSION}")
CONTACT_ROWS = (
    Recogniser(
        name="EmailAddress",
        pattern=_EMAIL,
        validator=is_personal,
        compact=False,
        strength=0.95,
        fits=is_address,
        sign="@",
    ),
    Recogniser(
        name="PhoneNumber",
        pattern=_ABROAD,
        validator=is_international,
        compact=False,
        context=phrases(_ENGLISH),
        strength=0.7,
        fits=is_personal_phone,
        sign="+",
    ),
    Recogniser(
        name="PhoneNumber",
        pattern=capitals(
            r"(?:1[ .-]|001-)?(?:\d{3}-|\(\d{3}\)[ -]?)\d{3}[ -]\d{4}(?: ?(?:x|ext\.?) ?\d{1,5})?"
        ),
        validator=is_american,
        compact=False,
        context=phrases(_ENGLISH),
        jurisdiction="US",
        strength=0.55,
        yields=RIVALS,
        fits=is_personal_phone,
    ),
    *map(_national, _WORDS),
)

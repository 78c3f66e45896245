"""Recognition of spoken addresses and codes: ``ana dot petrova at gmail dot com``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from abs_shield.text.normal import normal

_NAMES = {
    "@": "at|ät|arroba|arobase|arobas|chez|chiocciola|apenstaart|apenstaartje|małpa|et|kukac|"
    "zavináč|snabel-a|alfakrøll|krøllalfa|собака|собачка|равлик|παπάκι|آت|ات|שטרודל|ऐट|एट|"
    "アットマーク|アット|艾特|골뱅이|앳|a còng",
    ".": "dot|point|period|punkt|punto|ponto|punt|kropka|piste|nokta|pont|tečka|punct|точка|"
    "крапка|τελεία|نقطة|نقطه|נקודה|डॉट|बिंदु|ドット|点|點|닷|점|chấm",
    "-": "dash|hyphen|minus|bindestrich|strich|tiret|trait d'union|guion|guión|hífen|traço|"
    "trattino|streepje|koppelteken|myślnik|minus|viiva|tire|kötőjel|pomlčka|cratimă|bindestreck|"
    "bindestreg|дефис|тире|минус|παύλα|شرطة|مقف|डैश|हाइफ़न|ハイフン|横杠|减号|하이픈|gạch ngang",
    "_": "underscore|unterstrich|tiret bas|underscore|guion bajo|guión bajo|barra baja|sublinhado|"
    "underline|traço inferior|trattino basso|laag streepje|podkreślnik|podkreślenie|alaviiva|"
    "alt çizgi|alt tire|aláhúzás|podtržítko|нижнее подчеркивание|подчеркивание|"
    "нижнее подчёркивание|подчёркивание|شرطة سفلية|अंडरस्कोर|アンダーバー|アンダースコア|下划线|底線|"
    "언더바|밑줄|gạch dưới",
    "/": "slash|schrägstrich|barra|barre|slash|ukośnik|kauttaviiva|слэш|слеш|косая черта|"
    "スラッシュ|슬래시|斜杠",
    "+": "plus|más|mais|più|плюс|プラス|플러스",
}
"""The names of an address's signs in many languages."""
_BEFORE, _BEHIND = r"[\s(\[{<\"']{1,3}", r"[\s)\]}>\"']{0,3}"
_LONGEST = 254  # the longest address in SMTP (RFC 5321: 256 with its brackets)
_LONGEST_TEXT = 16 * 1024  # a message with a long mail in it


def _sign(sign: str) -> str:
    names = dict.fromkeys(normal(name) for name in _NAMES[sign].split("|"))
    # The longest first: "tiret bas" is not "tiret" and a word.
    longest_first = sorted(names, key=len, reverse=True)
    pattern = "|".join(map(re.escape, longest_first))
    return rf"(?:\s?{re.escape(sign)}\s?|{_BEFORE}(?:{pattern}){_BEHIND})"


_SIGN_PATTERNS = {sign: _sign(sign) for sign in _NAMES}
_INNER = "|".join(_SIGN_PATTERNS[sign] for sign in "._-")
_GOES_ON = re.compile(rf"(?:{_SIGN_PATTERNS['.']})[^\W_]{{2}}")
_BEGAN = re.compile(rf"[^\W_](?:{_INNER})$")
_AROUND = 32  # characters before the address; the longest name of a sign fits
_SPLIT = re.compile(r"([@._/+-])")


def is_spoken(value: str, texts: Iterable[str]) -> bool:
    """
    Return whether one of *texts* has *value* with its signs in words.

    Every piece of the value must occur in order; only ``@``, full stops, hyphens, underscores,
    slashes and plus signs may be words, and at least one of them is.

    >>> is_spoken("ana.li@x.org", ["Mail ana dot li at x dot org, please"])
    True
    >>> is_spoken("ana@x.org", ["Mail ana dot li at x dot org, please"])
    False
    """
    wanted = normal(value[: _LONGEST + 1]).strip()
    pieces = _SPLIT.split(wanted)
    if len(wanted) > _LONGEST or len(pieces) < 3 or not all(map(str.isalnum, pieces[::2])):
        return False
    # compiling a pattern takes a millisecond, and hardly any text has all pieces
    near = [text for text in map(_normal, texts) if all(piece in text for piece in pieces[::2])]
    if not near:
        return False
    pattern = "".join(
        _SIGN_PATTERNS[piece] if n % 2 else re.escape(piece) for n, piece in enumerate(pieces)
    )
    spoken = re.compile(rf"(?<![^\W_])(?<![^\W_][.@/+-]){pattern}(?![^\W_])(?![.@-][^\W_])")
    return any(
        "".join(match[0].split()) != wanted and _is_whole(text, *match.span())
        for text in near
        for match in spoken.finditer(text)
    )


def _normal(text: str) -> str:
    return normal(text[:_LONGEST_TEXT])


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether the address is complete, unlike "x dot co" in "x dot co dot uk"."""
    return not (_GOES_ON.match(text, end) or _BEGAN.search(text[max(0, start - _AROUND) : start]))

"""Recognition of dictated codes and addresses: ``JD0077`` as "J for Juliet, D, double zero"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from abs_shield.text.lazy_pattern import lazy_pattern
from abs_shield.text.normal_form import MARKS, alphanumerics, normal
from abs_shield.text.phones import nationals

_DIGITS = (
    "zero oh o nought null zéro cero nul sıfır nolla ноль صفر शून्य 〇 零 ゼロ 공 영",
    "one eins ein un uno um een jeden один bir yksi واحد एक 一 幺 いち 일",
    "two zwei zwo deux dos due dois twee dwa два iki kaksi اثنان اثنين दो 二 两 に 이",
    "three drei trois tres tre três drie trzy три üç kolme ثلاثة तीन 三 さん 삼",
    "four vier quatre cuatro quattro quatro cztery четыре dört neljä أربعة اربعة चार 四 よん 사",
    "five fünf cinq cinco cinque vijf pięć пять beş viisi خمسة पांच पाँच 五 ご 오",
    "six sechs seis sei meia zes sześć шесть altı kuusi ستة छह छः 六 ろく 육",
    "seven sieben sept siete sette sete zeven siedem семь yedi seitsemän سبعة सात 七 なな 칠",
    "eight acht huit ocho otto oito osiem восемь sekiz kahdeksan ثمانية आठ 八 はち 팔",
    "nine neun neuf nueve nove negen dziewięć девять dokuz yhdeksän تسعة नौ 九 きゅう 구",
)
"""The digits in many languages."""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_LETTERS = (
    "alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike "
    "november oscar papa quebec romeo sierra tango uniform victor whiskey whisky x-ray xray yankee "
    "zulu".split()
)
"""The NATO alphabet."""
_TIMES = {"double": 2, "triple": 3, "treble": 3, "doppel": 2, "doble": 2, "duplo": 2}
_SKIPPED = frozenset(
    "dash hyphen minus slash dot point underscore space then and und et y e uh um er capital upper "
    "uppercase big bindestrich strich schrägstrich tiret barra guion guión".split()
)
"""Words between the signs of a code."""
_AS_IN = r"\s+(?:for|as\s+in|like|wie|comme|como|come|de)\s+"
_ARTICLES = frozenset("ai")
"""Letters that are words by themselves: "a five five one"."""
_WORDS = {normal(word): str(n) for n, row in enumerate(_DIGITS) for word in row.split()}
_WORDS |= {word: str(n + 10) for n, word in enumerate(_TEENS)} | {w: w[0] for w in _LETTERS}
_TENTHS = {word: str(n + 2) for n, word in enumerate(_TENS)}
# Chinese, Japanese and Korean number words have no spaces between them: each one is a token.
_CJK = "".join(word for word in _WORDS if len(word) == 1 and "\u3000" < word)
_WORD = rf"[^\W\d_{_CJK}](?:[^\W\d_{_CJK}]|[{MARKS}])*(?:['\u2019][^\W\d_]+)*"
# A letter with its word comes first: "j for juliet" is one sign, not three words.
_TOKEN = lazy_pattern(
    rf"(?P<letter>(?<!\w)[a-z]){_AS_IN}(?P=letter)[^\W\d_]+|(?<!\w)x-ray|[{_CJK}]{{2,}}"
    rf"|(?<![a-z0-9_])(?:\d+|{_WORD})(?![a-z0-9_])|[^\W{_CJK}]+|[{_CJK}]|[.!?;\n]|:\s"
)
# Characters of a text that are searched, and of a short text, of which 1,024 are cached.
_LONGEST_TEXT, _LONGEST_SHORT = 16 * 1024, 512
_LEAST, _LEAST_MIXED, _MOST = 4, 2, 40
"""
Minimum number of signs of a value of digits, and of one with letters ("B seventeen"), because
fewer are adjacent by chance; and the maximum.
"""
_LEAST_SIGNS = 4
"""Minimum number of single digits, as in "7 7 1 2"; fewer may be counts."""
_LONGEST_HEAD = 3  # letters that may begin a code, as in "QX 7 7 1 2"; a longer word is prose


class _Sign(NamedTuple):
    """One dictated sign: its text, and whether it is a word."""

    text: str
    worded: bool
    tens: bool = False
    head: bool = False
    """True if a code may begin with it: a short word, or letters with digits."""


class SpokenTexts:
    """
    Texts of people, in which dictated codes and spoken addresses are looked up.

    Args:
        texts: The texts; of each one 16,384 characters are read.
    """

    __slots__ = ("_dictations", "_texts")

    def __init__(self, texts: Iterable[str]) -> None:
        texts = [text[:_LONGEST_TEXT] for text in texts]
        self._texts = [*map(normal, texts)]
        self._dictations = [
            signs for text in texts for dictation in _dictations(text) for signs in _read(dictation)
        ]

    def spell(self, value: str) -> bool:
        """
        Return whether one of the texts spells *value* letter by letter, partly in words.

        Single digits also count as dictated, unless they are a sequence ("1 2 3 4"). The whole
        dictation must be the value, except for separators.

        >>> texts = SpokenTexts(["It's J for Juliet, D as in delta, zero zero, two four, seven."])
        >>> texts.spell("JD00247"), texts.spell("JD0024")
        (True, False)
        >>> SpokenTexts(["My cell: five oh three, 555, 01 99"]).spell("503-555-0199")
        True
        >>> SpokenTexts(["电话一三八零零一三四五二一"]).spell("138-0013-4521")
        True
        >>> SpokenTexts(["ref QX 7 7 1 2"]).spell("QX7712"), SpokenTexts(["1 2 3 4"]).spell("1234")
        (True, False)
        """
        if not self._dictations:
            return False
        letters = alphanumerics(normal(value[: 2 * _MOST]))
        least = _LEAST if letters.isdigit() else _LEAST_MIXED
        if not least <= len(letters) <= _MOST or not any(map(str.isdigit, letters)):
            # Letters alone may be a word or initials, which many texts contain in this order.
            return False
        wanted = {letters, *(nationals(value) if letters.isdigit() else ())}
        return any(_spells(one, signs) for signs in self._dictations for one in wanted)

    def speak(self, value: str) -> bool:
        """
        Return whether one of the texts has *value* with its signs in words.

        Every piece of the value must occur in order; only ``@``, full stops, hyphens, underscores,
        slashes and plus signs may be words, and at least one of them is.

        >>> texts = SpokenTexts(["Mail ana dot li at x dot org, please"])
        >>> texts.speak("ana.li@x.org"), texts.speak("ana@x.org")
        (True, False)
        """
        wanted = normal(value[: _LONGEST + 1]).strip()
        pieces = _SPLIT.split(wanted)
        if len(wanted) > _LONGEST or len(pieces) < 3 or not all(map(str.isalnum, pieces[::2])):
            return False
        # Checked first, because compiling a pattern takes a millisecond, and few texts match.
        near = self._texts
        for piece in pieces[::2]:
            near = [text for text in near if piece in text]
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


def _dictations(text: str) -> tuple[tuple[_Sign, ...], ...]:
    """Return the dictations of a text, without runs of plain digits."""
    return _short_dictations(text) if len(text) <= _LONGEST_SHORT else _long_dictations(text)


def _dictations_in(text: str) -> tuple[tuple[_Sign, ...], ...]:
    dictations: list[list[_Sign]] = [[]]
    for sign in _signs(normal(text)):
        if sign is None:
            dictations.append([])
        else:
            dictations[-1].append(sign)
    return tuple(tuple(one) for one in dictations if _is_dictation(one))


_short_dictations = lru_cache(maxsize=1_024)(_dictations_in)
_long_dictations = lru_cache(maxsize=64)(_dictations_in)
"""Cached, because the users' texts of a long conversation are searched for every value."""


def _is_dictation(signs: Sequence[_Sign]) -> bool:
    """Return whether signs include words, or single digits that are not a sequence."""
    if any(sign.worded for sign in signs):
        return True
    digits = [int(sign.text) for sign in signs if len(sign.text) == 1 and sign.text.isdecimal()]
    steps = {after - before for before, after in pairwise(digits)}
    return len(digits) >= _LEAST_SIGNS and steps not in ({0}, {1}, {-1})


def _read(signs: Sequence[_Sign]) -> Iterator[Sequence[_Sign]]:
    """Yield the dictated signs, with and without a first one that may precede the code."""
    head, text = signs[0].head, signs[0].text
    if not (head and any(map(str.isdigit, text))) or len(signs) >= _LEAST_SIGNS:
        yield signs  # "TX5 two times" is not TX52
    if head or text in _ARTICLES:
        yield signs[1:]


def _signs(text: str) -> Iterator[_Sign | None]:
    """Yield the signs of a text, word by word; None ends a dictation."""
    times = 1
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word in _TIMES:
            times = _TIMES[word]
            continue
        sign = _sign(word, token["letter"])
        if sign is None and word in _SKIPPED:
            continue
        if sign is None:
            yield None
            if _begins_code(word):
                yield _Sign(word, worded=False, head=True)
        else:
            yield sign._replace(text=sign.text * times, worded=sign.worded or times > 1)
        times = 1


def _begins_code(word: str) -> bool:
    """Return whether a code may begin like this: with up to three letters, or with digits."""
    if not (word.isascii() and word.isalnum()):
        return False
    return len(word) <= _LONGEST_HEAD or any(map(str.isdigit, word))


def _sign(word: str, letter: str | None) -> _Sign | None:
    if letter is not None or (len(word) == 1 and "a" <= word <= "z"):
        return _Sign(letter or word, worded=True)
    if word.isdecimal():
        return _Sign(word, worded=False)
    if len(word) > 1 and word[0] in _CJK:
        return _Sign("".join(_WORDS[c] for c in word), worded=True)
    if word in _TENTHS:
        return _Sign(_TENTHS[word], worded=True, tens=True)
    is_word = word in _WORDS and word not in _CJK  # a single CJK sign may be part of a word
    return _Sign(_WORDS[word], worded=True) if is_word else None


def _spells(letters: str, signs: Sequence[_Sign]) -> bool:
    """Return whether *signs* spell *letters*: "seventy seven" is 77, and 70 7."""
    # All readings advance together, because trying them in turn takes exponential time.
    reached = {0}
    after_tens: set[int] = set()
    for sign in signs:
        texts = [sign.text + "0"] if sign.tens else [sign.text]
        then = {at + len(t) for at in reached for t in texts if letters.startswith(t, at)}
        units = {at + 1 for at in after_tens if letters.startswith(sign.text, at)}
        is_unit = len(sign.text) == 1 and sign.text.isdecimal() and not sign.tens
        after_tens = (
            {at + 1 for at in reached if letters.startswith(sign.text, at)} if sign.tens else set()
        )
        reached = then | (units if is_unit else set())
        if not reached and not after_tens:
            return False
    return len(letters) in reached


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
"""Names of the signs of an address in many languages."""
_BEFORE, _BEHIND = r"[\s(\[{<\"']{1,3}", r"[\s)\]}>\"']{0,3}"
_LONGEST = 254  # the longest address in SMTP (RFC 5321: 256 with its brackets)


def _sign_pattern(sign: str) -> str:
    names = dict.fromkeys(normal(name) for name in _NAMES[sign].split("|"))
    # The longest first, because "tiret bas" is not "tiret" and a word.
    longest_first = sorted(names, key=len, reverse=True)
    pattern = "|".join(map(re.escape, longest_first))
    return rf"(?:\s?{re.escape(sign)}\s?|{_BEFORE}(?:{pattern}){_BEHIND})"


_SIGN_PATTERNS = {sign: _sign_pattern(sign) for sign in _NAMES}
_INNER = "|".join(_SIGN_PATTERNS[sign] for sign in "._-")
_GOES_ON = lazy_pattern(rf"(?:{_SIGN_PATTERNS['.']})[^\W_]{{2}}")
_BEGAN = lazy_pattern(rf"[^\W_](?:{_INNER})$")
_AROUND = 32  # characters before the address; the longest name of a sign fits
_SPLIT = re.compile(r"([@._/+-])")


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether the address is complete, unlike "x dot co" in "x dot co dot uk"."""
    return not (_GOES_ON.match(text, end) or _BEGAN.search(text[max(0, start - _AROUND) : start]))

"""
The value that a sentence states of a fact's attribute: "Apple's market cap reached $3.2T".

Only forms are read in which a value is surely said of the attribute: subject, attribute and value
stand together, with nothing between or around them that could narrow them. In a copy of the
sentence subject, attribute, times, values and names are marks, each as long as what it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from abs_shield.quality.assertions import called_wrong, of_others
from abs_shield.quality.facts.attributes import words_of
from abs_shield.quality.facts.periods import Period, period_key, periods
from abs_shield.quality.facts.types import Fact
from abs_shield.quality.reading import Sentence
from abs_shield.text.countries import is_country
from abs_shield.text.tokens import is_small
from abs_shield.text.values.figure import DATE, MONEY, NUMBER, Figure, is_year
from abs_shield.text.values.reader import figures

_FILL = "\ue13f"
_S, _A, _VERB, _UNIT, _OWN, _OTHER, _X = (chr(0xE120 + n) for n in range(7))
_V, _N = "\ue130", "\ue131"
"""Marks of subject, attribute, its verb, its unit, the fact's time, other times, other figures."""
_NOT_MARKED = r"(?<![\w\ue120-\ue13f-])(?<!\w&)"
_YEARLY = re.compile(
    r"found|establish|year|born|birth|date|launch|releas|incorporat|open|start|built|died|death"
    r"|since|begin|construct|complet|introduc|publish|abolish|creat",
    re.IGNORECASE,
)
_IN = re.compile(r"\b(?:in|since|of|from)\s$", re.IGNORECASE)
_HEDGE = re.compile(r"(?:\b(?:about|around|roughly|approximately|approx\.|circa|ca\.|some)|~) ?$", re.I)
_SIGNED = re.compile(r"[-+\u2212] ?$")
_UNITS = {
    "km\u00b2": r"km\u00b2|km2|km\^2|sq\.? ?km|square kilomet(?:er|re)s?",
    "m\u00b2": r"m\u00b2|m2|sq\.? ?m|square met(?:er|re)s?",
    "m": r"m|met(?:er|re)s?", "km": r"km|kilomet(?:er|re)s?", "kg": r"kg|kilograms?",
    "cm": r"cm|centimet(?:er|re)s?", "GB": r"GB|gigabytes?", "TB": r"TB|terabytes?",
    "MW": r"MW|megawatts?", "h": r"h|hours?", "ms": r"ms|milliseconds?",
}  # fmt: skip
_PER = re.compile(r"^(?:/ ?|(?:per|an?|each|every) )(?P<one>month|year|week|day|user|seat|hour|mo|yr)$")
_COUNTS = "people|inhabitants|residents|employees|persons"
_CURRENCY = "(?:US |U\\.S\\. )?dollars?|USD|EUR|euros?|GBP|pounds?"

_NAME_WORD = r"[^\W\d_a-z][^\W\d_]*(?:['\u2019-][^\W\d_a-z][^\W\d_]+)*\.?"
_NAME = re.compile(
    rf"(?<![\w\ue120-\ue13f])(?:(?:Dr|Mr|Mrs|Ms|Prof|Sir)\.? )?{_NAME_WORD}"
    rf"(?: (?:(?:de|la|le|van|von|der|den|del|di|da|al|bin|of|the) ){{0,2}}{_NAME_WORD}){{0,4}}"
)
_REGION = re.compile(
    r"\b(?:Valley|Area|Region|County|State|Province|Bay|Coast|District|Islands?|North|South|East|West"
    r"|Northern|Southern|Eastern|Western|Central|Europe|Asia|Africa|America|Oceania|EU|US|USA|UK"
    r"|Midwest|Silicon|Street|Avenue|Road|Square|Park|Tower|Building|Bavaria|California|Texas"
    r"|Florida|Washington|Massachusetts|Virginia|Scandinavia|Saxony|Hesse|Catalonia|Ontario)\b"
)
_OPENERS = frozenset("Founded Established Headquartered Based Currently Today However Note".split())
_TITLES = re.compile(r"^(?:Dr|Mr|Mrs|Ms|Prof|Sir)\.? ")

# The grammar of a statement; blanks stand before each optional part.
_DET = r"(?:[Tt]he |[Oo]ur |[Ii]ts )?(?:(?:city|town|company|capital|plan) (?:of )?)?"
_CORP = r"(?:,? (?:Inc|Corp|Ltd|LLC|GmbH|AG|plc|SE|Co|Corporation|Company)\b\.?)?(?: \([A-Z.: ]{1,14}\))?"
_SUBJECT = rf"{_S}{_FILL}*{_CORP}"
_POSSESSIVE = r"['\u2019]s?"
_MOD = (
    r"(?:(?:total|overall|current|present|official|latest|reported|new|global|worldwide|consolidated"
    r"|full-year|closing) )*"
)
_ATTRIBUTE = rf"{_MOD}{_A}{_FILL}*"
_ADVERB = (
    r"(?:now|currently|today|also|already|only|just|officially|still|thus|therefore|in fact|indeed"
    r"|actually|already|at present|in total|overall|then)"
)
_BETWEEN = rf"(?:,? (?:{_ADVERB}|{_OWN}{_FILL}*)(?=[ ,.]),?)*"
_PRODUCT = r"(?: (?:plan|subscription|tier|license|licence|edition|package))?"
_CLAIMED = (
    rf"(?:{_DET}{_SUBJECT}{_POSSESSIVE} {_ATTRIBUTE}"
    rf"|{_DET}{_ATTRIBUTE} (?:of|for|at|in) {_DET}{_SUBJECT}{_PRODUCT}"
    rf"|{_DET}{_SUBJECT}{_PRODUCT} {_ATTRIBUTE})"
)
_FROM = rf"(?:from [{_V}{_X}]{_FILL}*,? )?"
_TO = (
    r"(?:rose|rises|risen|grew|grows|grown|climbed|climbs|jumped|increased|increases|surged|soared"
    r"|swelled|expanded|fell|falls|fallen|dropped|drops|declined|decreased|shrank|slid|slipped|went"
    rf"|dipped|changed|moved|advanced|improved) {_FROM}to"
)
_STATES = (
    r"(?:is|are|was|were|has been|stands at|stood at|sits at|sat at|has reached|reached|reaches|hit|hits"
    r"|has hit|totall?ed|totals|amounted to|amounts to|came to|comes to|came in at|came out at|equals"
    rf"|equall?ed|(?:(?:has|have) )?{_TO}|remains(?: at)?|remained(?: at)?|closed at|ended at"
    r"|(?:is|was|are|were|has been) (?:set|fixed|listed|recorded|reported|measured|given|counted|put"
    r"|valued) (?:at|as)|is equal to|is now|works out at|of|at)"
)
_ABOUT = r"(?:(?:about|around|roughly|approximately|approx\.|circa|ca\.|some|exactly|precisely|a|an|the year|the) ?)?"
_LINK = rf"(?:{_BETWEEN},? {_STATES}{_BETWEEN} |{_BETWEEN}(?::| =| -| \u2013| \u2014|,? at) |{_BETWEEN} \()"
_VALUE = rf"{_ABOUT}~?(?P<value>{_V}{_FILL}*)"
_NAMED = rf"(?P<value>{_N}{_FILL}*)"
_HAS = (
    rf"(?:{_BETWEEN} (?:has|had|have|with|reported|posted|recorded|generated|boasts|carries|reached|hit"
    r"|achieved|earned|made|counts|employs|brought in|booked|commands)"
    rf"|, (?:which|that) (?:has|had|reported)){_BETWEEN}"
)
_BE = r"(?:,? (?:which|that|who))?(?:,? (?:is|was|were|are|has been)| ?,|)"
_PREPOSITION = r"(?:(?:back )?(?:in|on|at|by|with|for|as|since)|:)?"

_OF_VALUES = tuple(
    re.compile(one)
    for one in (
        rf"{_CLAIMED}{_LINK}{_VALUE}",
        rf"{_DET}{_SUBJECT}{_PRODUCT}{_HAS} (?:an? |the )?{_ATTRIBUTE}(?: of| at|:) {_VALUE}",
        rf"{_DET}{_SUBJECT}{_HAS} {_VALUE} (?:(?:in|of|as) (?:its )?)?(?:{_ATTRIBUTE}|{_UNIT}{_FILL}*)",
        rf"{_DET}{_SUBJECT}{_PRODUCT}{_BETWEEN}{_BE}{_BETWEEN} {_ATTRIBUTE}{_BETWEEN} {_PREPOSITION} ?{_VALUE}",
        rf"{_DET}{_SUBJECT}{_PRODUCT}{_BETWEEN}(?:,? (?:which|that))?{_BETWEEN} {_VERB}{_FILL}*{_BETWEEN} {_VALUE}",
        rf"{_DET}{_SUBJECT}{_BETWEEN} (?:is|stands|measures){_BETWEEN} {_VALUE}(?: [\w\u00b2]+)? {_UNIT}{_FILL}*",
        rf"(?:(?:[Ww]ith|[Aa]t) (?:an? |the )?)?{_ATTRIBUTE} (?:in|on|of|at|since) {_VALUE}, {_DET}{_SUBJECT}"
        rf"(?!{_POSSESSIVE})(?=[ ,.])(?P<done>)",
        rf"(?:{_N}{_FILL}*|[Hh]e|[Ss]he|[Tt]hey|[Bb]rothers|[Ii]t)(?: and {_N}{_FILL}*)? {_A}{_FILL}*"
        rf" {_DET}{_SUBJECT} {_PREPOSITION} ?{_VALUE}",
        rf"[Aa]t {_VALUE}, {_CLAIMED}(?= (?:is|was|has|makes|remains))(?P<done>)",
    )
)
_OF_NAMES = tuple(
    re.compile(one)
    for one in (
        rf"{_CLAIMED}(?:{_BETWEEN},? (?:is|are|remains)(?: (?:located |situated )?(?:in|at|called|named))?"
        rf"{_BETWEEN} |: |, (?!where|who){_BETWEEN} ?){_NAMED}",
        rf"{_CLAIMED} {_NAMED}(?= (?:is|was|has|told|wrote|[a-z]{{2,}}(?:s|ed)) )",
        rf"{_NAMED}{_BETWEEN},? (?:is|remains|serves as|works as|has been){_BETWEEN} {_CLAIMED}",
        rf"{_NAMED}, {_CLAIMED}(?=,)",
        rf"{_DET}{_SUBJECT}{_BETWEEN}{_BE}{_BETWEEN} {_ATTRIBUTE}{_BETWEEN} (?:in|by|at){_BETWEEN} {_NAMED}",
        rf"{_DET}{_SUBJECT}{_BETWEEN}(?:,? (?:which|that))?{_BETWEEN} {_VERB}{_FILL}*{_BETWEEN} {_NAMED}",
        rf"{_DET}{_SUBJECT} has its {_ATTRIBUTE} in {_NAMED}",
        rf"(?:{_ATTRIBUTE}) (?:in|by|at) {_NAMED}, {_DET}{_SUBJECT}(?!{_POSSESSIVE})(?=[ ,.])(?P<done>)",
    )
)
_OPENING = (
    rf"(?:As of today|Today|Now|Currently|At present|Overall|Notably|However|In fact|Indeed|Actually|Also"
    r"|Meanwhile|Similarly|In total|In addition|Additionally|Furthermore|Moreover|Finally|First|Second"
    r"|Third|In short|In summary|Interestingly|Importantly|For (?:context|reference)|Officially|Yes"
    r"|Specifically|By contrast|In contrast|Then|Still|Thus|Therefore|Here|And|But|So|While|Although"
    r"|Though|Because|Since|As|That|Whereas|Given that|(?:Please )?note(?: that)?|It is worth noting that"
    r"|We note that|As you know|Remember that|I (?:can )?confirm that|According to (?:our|its|the|their)"
    r" (?:[a-z]+ ){0,2}(?:records|reports?|filings?|tables?|data|database|statements?|website|accounts)"
    r"|(?:The|Our|This|Its) (?:latest |annual )?(?:reports?|data|figures|filing|table|records) (?:shows?|confirms?)"
    r"(?: that)?|(?:Key |Quick )?(?:facts?|summary|note|results?|answer|update|highlights|overview))"
).replace("{0,2}", "{0,2}")
_BEFORE = re.compile(
    rf"(?:.*(?:;|\u2014|\u2013|:|, (?:and|but|while|whereas|yet|so|though|although|because|since|as)"
    rf"|(?: \b(?:is|are|was|were|has|had|have|\w+ed)\b.*) (?:and|but|while|whereas|although|because|since)))?"
    rf"[\W_]*(?:\d+[.)] )?(?:(?:{_OPENING}|{_OWN}{_FILL}*)[,:]? )*[(\u2022*-]*",
    re.IGNORECASE | re.DOTALL,
)
_COMMA_ENDS = re.compile(
    r"[;.!?)]|,? (?:up|down) from\b|,? compared (?:to|with)\b|,? versus\b|, (?:and|but|while|which|whereas"
    r"|yet|so|making|placing|putting|although|though)\b| (?:and|but|while|whereas) "
)
_NARROWED = re.compile(
    r"\b(?:per|each|a share|discount(?:s|ed)?|% off|off|sale|promo\w*|coupon|voucher|students?|educational"
    r"|nonprofits?|billed|excluding|excl|except|adjusted|pro forma|inflation|combined|together|average"
    r"|before tax|after tax|segment|division|alone|including|incl|when|during|if|for|said|says|wrote"
    r"|as part|temporar\w+|trial|introductory|refurbished|used|metro\w*|metropolitan area|greater)\b",
    re.IGNORECASE,
)
_SALES_OFF = re.compile(r"\b(?:discount(?:s|ed)?|% off|coupon|voucher|promo\w*|on sale)\b", re.I)
_NAME_ENDS = re.compile(
    r"(?=$|[.,;:!)]|\s(?:who|since|and|but|as|while|where|with|for|\u2014|\u2013|-)\b|\s[\u2014\u2013(-])"
)
_LAST_NAMES = re.compile(r"(?:,? and |, )(?=[^\W\d_a-z])")


@dataclass(frozen=True, slots=True)
class Stated:
    """
    What a sentence states of an attribute.

    Attributes:
        text: The value as it stands there.
        start: Offset of its first character in the output.
        end: Offset behind it.
        figure: Its figure; None of a name.
        about: Whether the sentence says that the value is rough.
        yearly: Whether the value is a year or a date, which is compared exactly.
    """

    text: str
    start: int
    end: int
    figure: Figure | None = None
    about: bool = False
    yearly: bool = False


class Statement:
    """One sentence that an output asserts, with its figures written out in one line."""

    def __init__(self, sentence: Sentence, before: Sentence | None) -> None:
        self._sentence, self._before = sentence, before
        parts: list[str] = []
        places: list[int] = []
        self._figures: list[tuple[int, int, Figure, str]] = []
        numbered = dict(zip(sentence.at, sentence.figures, strict=True))
        for n, character in enumerate(sentence.plain):
            figure = numbered.get(n)
            written = character if figure is None else " ".join(figure.text.split("\n"))
            if figure is not None:
                self._figures.append((len(places), len(places) + len(written), figure, character))
            parts.append(written)
            places.extend([sentence.places[n]] * len(written))
        self.text = "".join(parts)
        self._places = places
        self.periods = [*periods(self.text)]

    def values(self, fact: Fact) -> Iterator[Stated]:
        """Yield what it states of a fact's attribute, the surest form first."""
        known = figures(fact.value)
        yearly = len(known) == 1 and (known[0].kind == DATE or _is_year_of(fact, known[0]))
        if not yearly and not self._is_of_period(fact):
            return
        if not known:
            if not re.search(r"\d", fact.value):
                yield from self._names(fact)
        elif len(known) == 1:
            yield from self._numbers(fact, known[0], yearly)

    def _is_of_period(self, fact: Fact) -> bool:
        """Return whether it speaks of the time of a fact, and of no other."""
        own = period_key(fact.period) if fact.period else None
        keys = [one.key for one in self._times()]
        if own is None:
            return not keys and not self._told_of_another_time
        if keys:
            return all(key == own for key in keys)
        return fact.period.casefold() in self.text.casefold()

    def _times(self) -> list[Period]:
        """Return its times but those of a comparison: "up from $2.9T in 2024"."""
        tail = _COMPARISON.search(self.text)
        end = tail.start() if tail else len(self.text)
        return [one for one in self.periods if one.start < end and self._is_time(one)]

    def _is_time(self, period: Period) -> bool:
        """Return whether a time is one: not the 2,000 of "2000 employees"."""
        if not self.text[period.start : period.end].isdigit():
            return True
        return all(mark == _YEAR_MARK for start, _, _, mark in self._figures if start == period.start)

    @property
    def _told_of_another_time(self) -> bool:
        before = self._before
        if before is None or before.line != self._sentence.line:
            return False
        return next(periods(_without_marks(before)), None) is not None

    def _numbers(self, fact: Fact, known: Figure, yearly: bool) -> Iterator[Stated]:
        if _SIGNED.search(fact.value[: known.start]) or fact.value[known.start] in "-\u2212":
            return
        usable = {
            start: (figure, mark)
            for start, _, figure, mark in self._figures
            if _is_kind(figure, known, yearly) and self._is_exact(start, mark)
        }
        marked = self._marked(fact, {start: figure for start, (figure, _) in usable.items()}, yearly)
        if marked is None:
            return
        unit = _unit_of(fact.value[known.end :])
        for form in _OF_VALUES:
            for match in form.finditer(marked):
                start, end = match.span("value")
                done = "done" in match.groupdict()
                behind = match.end() if done else end
                tail = self.text[end:]
                if not self._stands_alone(marked, match.start(), behind):
                    continue
                if not done and not _ends_value(marked[end:], tail, known, unit):
                    continue
                figure, mark = usable[start]
                about = _HEDGE.search(self.text[:start]) is not None
                yield Stated(
                    figure.text, self._places[start], self._places[start] + figure.end - figure.start,
                    figure, about, yearly,
                )  # fmt: skip

    def _is_exact(self, start: int, mark: str) -> bool:
        """Return whether a figure is no bound, end of a range or signed one; it may be rough."""
        return mark != _INEXACT or _HEDGE.search(self.text[:start]) is not None

    def _names(self, fact: Fact) -> Iterator[Stated]:
        if not fact.value[:1].isupper():
            return
        marked = self._marked(fact, {}, yearly=False, names=True)
        if marked is None:
            return
        for form in _OF_NAMES:
            for match in form.finditer(marked):
                start, end = match.span("value")
                if not self._stands_alone(marked, match.start(), end):
                    continue
                if start > match.start() and not _NAME_ENDS.match(self.text, end):
                    continue
                for left, right in _listed(marked, start, end):
                    name = self.text[left:right].rstrip(".,")
                    if _is_name_like(name, fact.value):
                        at = self._places[left]
                        yield Stated(name, at, self._places[left + len(name) - 1] + 1)

    def _stands_alone(self, marked: str, start: int, end: int) -> bool:
        """Return whether nothing before a statement, or close behind it, narrows it."""
        before = marked[:start]
        if of_others(self.text[:start]) or called_wrong(self.text) or _SALES_OFF.search(self.text):
            return False
        if not _BEFORE.fullmatch(before):
            return False
        behind = self.text[end:]
        stop = _COMMA_ENDS.search(behind)
        close = behind[: stop.start()] if stop else behind
        return not of_others(self.text[start:end]) and not of_others(close)

    def _marked(
        self, fact: Fact, values: dict[int, Figure], yearly: bool, names: bool = False
    ) -> str | None:
        """Return its text with marks; None where it names no subject or no attribute."""
        subject, words = _forms_of(fact)
        signs = [*self.text]
        if not _mark(signs, self.text, subject, _S):
            return None
        verb, attribute, unit = words
        said = [_mark(signs, self.text, form, sign) for form, sign in
                ((verb, _VERB), (attribute, _A), (unit, _UNIT)) if form is not None]  # fmt: skip
        if not any(said):
            return None
        if not yearly:
            own = period_key(fact.period) if fact.period else ""
            for one in self.periods:
                _put(signs, one.start, one.end, _OWN if one.key == own else _OTHER)
        for start, end, _, _ in self._figures:
            _put(signs, start, end, _V if start in values else _X)
        if names or yearly:
            for name in _NAME.finditer("".join(signs)):
                first = name[0].split(" ")[0]
                small = len(first) + 1 if is_small(first.casefold()) or first in _OPENERS else 0
                if small < len(name[0]):
                    _put(signs, name.start() + small, name.end(), _N)
        return "".join(signs)


_COMPARISON = re.compile(
    r",? (?:up|down) from\b|,? (?:as )?compared (?:to|with)\b|,? versus\b|,? vs\.? |, (?:rising|growing|falling) from\b"
    rf"|\bfrom (?=\S+ (?:in [^,]+ )?to )"
)
_YEAR_MARK = chr(0xE001 + "NPMYDTOIX".index("Y"))
_INEXACT = chr(0xE001 + "NPMYDTOIX".index("X"))


def _without_marks(sentence: Sentence) -> str:
    numbered = dict(zip(sentence.at, sentence.figures, strict=True))
    return "".join(numbered[n].text if n in numbered else c for n, c in enumerate(sentence.plain))


def _is_year_of(fact: Fact, known: Figure) -> bool:
    """Return whether the value of a fact is a year, and no count of four digits."""
    return is_year(known) and _YEARLY.search(" ".join((fact.attribute, *fact.attribute_aliases))) is not None


def _is_kind(figure: Figure, known: Figure, yearly: bool) -> bool:
    if yearly:
        return figure.kind == DATE or is_year(figure)
    if figure.kind != known.kind or (figure.soft and figure.kind != NUMBER):
        return False
    if known.kind == MONEY:
        return figure.unit == known.unit or not (figure.unit and known.unit)
    return (figure.unit == "%") == (known.unit == "%")


def _unit_of(rest: str) -> str:
    """Return the form of what stands behind a fact's number: its unit, or "per month"."""
    rest = rest.strip(" .")
    per = _PER.match(rest)
    if per is not None:
        one = {"mo": "month", "yr": "year"}.get(per["one"], per["one"])
        ly = {"month": "monthly", "year": "yearly|annually", "week": "weekly", "day": "daily"}.get(one)
        return rf"\s?(?:/ ?|(?:per|an?|each|every) ){one}" + (rf"|\s(?:{ly})" if ly else "")
    if rest in _UNITS:
        return rf"\s?(?:{_UNITS[rest]})"
    return rf"\s?{re.escape(rest)}" if rest else ""


@lru_cache(maxsize=512)
def _value_end(kind: str, unit: str) -> re.Pattern[str]:
    plain = _CURRENCY if kind == MONEY else _COUNTS
    measured = rf"(?:{unit})" if unit else rf"(?: (?:{plain})| {_UNIT}{_FILL}*| (?:in |of )?{_A}{_FILL}*)?"
    return re.compile(
        rf"{measured}(?:,? (?:{_ADVERB}|{_OWN}{_FILL}*|at (?:the|this) (?:moment|time)))*[)\"\u201d]?"
        rf"(?=$|[.;:!)|]|,(?!\d)| ?\[| [\u2014\u2013(-]| (?:and|but|while|which|whereas|making|by [a-z{_N}]"
        rf"|compared|versus|vs|up from|down from|as|because|since)\b(?! [{_V}{_X}]))",
        re.IGNORECASE,
    )


def _ends_value(marked: str, plain: str, known: Figure, unit: str) -> bool:
    """Return whether a value ends its statement: no "per employee", "in services", "last year"."""
    end = _value_end(known.kind, unit).match(marked)
    if end is None:
        return False
    behind = plain[end.end() :]
    stop = _COMMA_ENDS.search(behind)
    return not _NARROWED.search(behind[: stop.start()] if stop else behind)


def _put(signs: list[str], start: int, end: int, sign: str) -> bool:
    if any("\ue120" <= one <= _FILL for one in signs[start:end]):
        return False
    while end > start + 1 and signs[end - 1] == " ":
        end -= 1
    signs[start:end] = [sign, *([_FILL] * (end - start - 1))]
    return True


def _mark(signs: list[str], text: str, form: re.Pattern[str], sign: str) -> bool:
    return any([_put(signs, *one.span(), sign) for one in form.finditer(text)])


_Forms = tuple[re.Pattern[str], tuple[re.Pattern[str] | None, ...]]


@lru_cache(maxsize=4_096)
def _forms_of(fact: Fact) -> _Forms:
    """Return the forms of a fact's subject, and of its attribute, verbs and units."""
    words = words_of(fact.attribute, fact.attribute_aliases)
    units = words[2] or words[0]
    subjects = [_any_of([name], exactly=name[:1].isupper() and " " not in name)
                for name in (fact.subject, *fact.aliases)]  # fmt: skip
    return (
        re.compile("|".join(subjects)),
        (_compiled(words[1]), _compiled(words[0]), _compiled(units)),
    )


def _compiled(words: list[str]) -> re.Pattern[str] | None:
    return re.compile(_any_of(words)) if words else None


def _any_of(words: Iterable[str], *, exactly: bool = False) -> str:
    """Return the pattern of several phrases, with any blanks, as whole words."""
    phrases = sorted(words, key=len, reverse=True)
    several = "|".join(r"[\s-]+".join(map(re.escape, phrase.split())) for phrase in phrases)
    return rf"(?<![\w-])(?{'' if exactly else 'i'}:{several})(?![\w-])"


def _listed(marked: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the places of a name, and of the names that are listed behind it."""
    yield start, end
    more = re.compile(rf"(?:,? and |, )({_N}{_FILL}*)")
    while (match := more.match(marked, end)) is not None:
        yield match.span(1)
        end = match.end()


def _is_name_like(name: str, value: str) -> bool:
    """Return whether a name can be of the kind of a fact's value: a person, or a town."""
    words = _TITLES.sub("", name).split()
    if len(words) < min(2, len(value.split())):
        return False
    if is_country(value) or is_country(name):
        return is_country(value) and is_country(name)
    return not (is_country(words[-1]) or _REGION.search(name))

"""
Extraction of the value that a sentence states for a fact: "Apple's market cap reached $3.2T".

Only unambiguous patterns are used: subject, attribute and value are adjacent, without any
qualification between or around them. They match a copy of the sentence in which subject,
attribute, times, values and names are replaced by marks of the same length.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

from abs_shield.quality.asserted_sentences import is_attributed, is_called_wrong
from abs_shield.quality.facts.fact_table import Fact
from abs_shield.quality.facts.statement_grammar import (
    ATTRIBUTE_MARK,
    BEFORE,
    COMMA_ENDS,
    FILL,
    NAME,
    NAME_MARK,
    OF_NAMES,
    OF_VALUES,
    OTHER_FIGURE,
    OTHER_TIME,
    OWN_TIME,
    PREPOSITION_ENDS,
    SUBJECT_MARK,
    UNIT_MARK,
    VALUE_MARK,
    VERB_MARK,
    WHICH,
    ends_value,
    unit_form,
)
from abs_shield.quality.facts.statement_terms import Period, period_key, periods, words_of
from abs_shield.quality.marked_sentences import Sentence
from abs_shield.text.public_names import is_country
from abs_shield.text.tokens import is_small
from abs_shield.text.values.figure import DATE, MONEY, NUMBER, Figure, is_year
from abs_shield.text.values.figure_reader import figures

_MOST_MATCHES = 3  # a sentence states few values; a table in one line has hundreds
"""Maximum number of matches of a pattern per sentence."""
_LONGEST_BEFORE = 300  # the patterns for it try many ways to split a text
"""Maximum number of characters between the start of a clause and its statement."""
_YEARLY = re.compile(
    r"found|establish|year|born|birth|date|launch|releas|incorporat|open|start|built|died|death"
    r"|since|begin|construct|complet|introduc|publish|abolish|creat",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.|circa|ca\.|some)|~) ?$", re.I
)
_SIGNED = re.compile(r"[-+\u2212] ?$")
_REGION = re.compile(
    r"\b(?:Valley|Area|Region|County|State|Province|Bay|Coast|District|Islands?|North|South|East"
    r"|West"
    r"|Northern|Southern|Eastern|Western|Central|Europe|Asia|Africa|America|Oceania|EU|US|USA|UK"
    r"|Midwest|Silicon|Street|Avenue|Road|Square|Park|Tower|Building|Bavaria|California|Texas"
    r"|Florida|Washington|Massachusetts|Virginia|Scandinavia|Saxony|Hesse|Catalonia|Ontario)\b"
)
_OPENERS = frozenset("Founded Established Headquartered Based Currently Today However Note".split())
_TITLES = re.compile(r"^(?:Dr|Mr|Mrs|Ms|Prof|Sir)\.? ")

_NARROWING_HEAD = re.compile(
    r"^[^\n]*\b(?:students?|discount\w*|promo\w*|sale|educational|nonprofits?|former|history"
    r"|archive|examples?"
    r"|adjusted|segments?|per|by region|competitors?|rivals|quiz|myths?|old)\b",
    re.IGNORECASE,
)
_SALES_OFF = re.compile(r"\b(?:discount(?:s|ed)?|% off|coupon|voucher|promo\w*|on sale)\b", re.I)
_NAME_ENDS = re.compile(
    r"(?=$|[.,;:!)]|\s(?:who|since|and|but|as|while|where|with|for|\u2014|\u2013|-)\b"
    r"|\s[\u2014\u2013(-])"
)


@dataclass(frozen=True, slots=True)
class StatedValue:
    """
    A value that a sentence states for an attribute.

    Attributes:
        text: The value as written.
        start: Offset of its first character in the output.
        end: Offset after its last character.
        figure: Its figure; None for a name.
        about: Whether the sentence calls the value approximate.
        yearly: Whether the value is a year or a date, which is compared exactly.
    """

    text: str
    start: int
    end: int
    figure: Figure | None = None
    about: bool = False
    yearly: bool = False


class FactStatement:
    """One sentence that an output asserts, with its figures in written form."""

    def __init__(self, sentence: Sentence, context: str) -> None:
        self._context = context
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

    def values(self, fact: Fact) -> Iterator[StatedValue]:
        """Yield the values that it states for a fact's attribute, the most certain first."""
        # a heading such as "Student discounts" changes what every line below means
        if _NARROWING_HEAD.search(self._context) or is_attributed(self._context.split("\n", 1)[0]):
            return
        expected = figures(fact.value)
        yearly = len(expected) == 1 and (expected[0].kind == DATE or _is_year_of(fact, expected[0]))
        # where the value is a time itself, it says nothing about the period
        if not yearly and not self._is_of_period(fact):
            return
        if not expected:
            if not re.search(r"\d", fact.value):
                yield from self._names(fact)
        elif len(expected) == 1:
            yield from self._numbers(fact, expected[0], yearly)

    def _is_of_period(self, fact: Fact) -> bool:
        """Return whether it is about the period of a fact and no other."""
        own = period_key(fact.period) if fact.period else None
        keys = [one.key for one in self._times()]
        # a fact without a period is about now: a text about another time may differ from it
        if own is None:
            return not keys and not self._context_names_a_time
        if keys:
            return all(key == own for key in keys)
        return fact.period.casefold() in self.text.casefold()

    def _times(self) -> list[Period]:
        """Return its times without those of comparisons: "up from $2.9T in 2024"."""
        tail = _COMPARISON.search(self.text)
        end = tail.start() if tail else len(self.text)
        return [one for one in self.periods if one.start < end and self._is_time(one)]

    def _is_time(self, period: Period) -> bool:
        """Return whether a match is really a time, unlike the 2000 of "2000 employees"."""
        if not self.text[period.start : period.end].isdigit():
            return True
        return all(
            mark == _YEAR_MARK for start, _, _, mark in self._figures if start == period.start
        )

    @cached_property
    def _context_names_a_time(self) -> bool:
        if re.search(r"\b(?:quarter|half|month|season|decade)\b", self._context):
            return True
        return next(periods(self._context), None) is not None

    def _numbers(self, fact: Fact, expected: Figure, yearly: bool) -> Iterator[StatedValue]:
        # a figure's sign is not read reliably, so a negative fact is not compared
        if _SIGNED.search(fact.value[: expected.start]) or fact.value[expected.start] in "-\u2212":
            return
        usable = {
            start: figure
            for start, _, figure, mark in self._figures
            if _is_kind(figure, expected, yearly) and self._is_exact(start, mark)
        }
        marked = self._marked(fact, usable, yearly=yearly)
        if marked is None:
            return
        unit = unit_form(fact.value[expected.end :])
        for form in OF_VALUES:
            for match in islice(form.finditer(marked), _MOST_MATCHES):
                start, end = match.span("value")
                done = "done" in match.groupdict()
                behind = match.end() if done else end
                tail = self.text[end:]
                if not self._stands_alone(marked, match.start(), behind):
                    continue
                if not done and not ends_value(marked[end:], tail, expected, unit):
                    continue
                figure = usable[start]
                about = _HEDGE.search(self.text[:start]) is not None
                yield StatedValue(figure.text, figure.start, figure.end, figure, about, yearly)

    def _is_exact(self, start: int, mark: str) -> bool:
        """Return whether a figure is not a bound, the end of a range, or signed."""
        return mark != _INEXACT or _HEDGE.search(self.text[:start]) is not None

    def _names(self, fact: Fact) -> Iterator[StatedValue]:
        if not fact.value[:1].isupper():
            return
        marked = self._marked(fact, (), names=True)
        if marked is None:
            return
        for form in OF_NAMES:
            for match in islice(form.finditer(marked), _MOST_MATCHES):
                start, end = match.span("value")
                if not self._stands_alone(marked, match.start(), end):
                    continue
                is_open = start == match.start() or "done" in match.groupdict()
                if not is_open and not _NAME_ENDS.match(self.text, end):
                    continue
                for left, right in _listed(marked, start, end):
                    name = self.text[left:right].rstrip(".,")
                    if _is_name_like(name, fact.value):
                        at = self._places[left]
                        yield StatedValue(name, at, self._places[left + len(name) - 1] + 1)

    @cached_property
    def _is_taken_back(self) -> bool:
        """Return whether it calls something wrong, or is about a lowered price."""
        return is_called_wrong(self.text) or _SALES_OFF.search(self.text) is not None

    def _stands_alone(self, marked: str, start: int, end: int) -> bool:
        """Return whether nothing before or right after a statement qualifies it."""
        before = marked[:start]
        if len(before) > _LONGEST_BEFORE:
            # a bound for the patterns; the "x" makes sure that a cut clause is not taken for a
            # whole one
            before = "x " + before[-_LONGEST_BEFORE:]
        if self._is_taken_back:
            return False
        if not BEFORE.fullmatch(before):
            which = WHICH.match(marked, start, end)
            if which is None or PREPOSITION_ENDS.search(before):
                return False
        if is_attributed(self.text[:start]):
            return False
        behind = self.text[end:]
        stop = COMMA_ENDS.search(behind)
        close = behind[: stop.start()] if stop else behind
        return not is_attributed(self.text[start:end]) and not is_attributed(close)

    def _marked(
        self, fact: Fact, values: Container[int], *, yearly: bool = False, names: bool = False
    ) -> str | None:
        """Return its text with marks; None if it lacks the subject or the attribute."""
        subject, words = _forms_of(fact)
        signs = [*self.text]
        if not _mark(signs, self.text, subject, SUBJECT_MARK):
            return None
        verb, attribute, unit = words
        rows = ((verb, VERB_MARK), (attribute, ATTRIBUTE_MARK), (unit, UNIT_MARK))
        has_verb = [_mark(signs, self.text, form, sign) for form, sign in rows if form is not None]
        if not any(has_verb):
            return None
        if not yearly:
            own = period_key(fact.period) if fact.period else ""
            for one in self.periods:
                _put(signs, one.start, one.end, OWN_TIME if one.key == own else OTHER_TIME)
        for start, end, _, _ in self._figures:
            _put(signs, start, end, VALUE_MARK if start in values else OTHER_FIGURE)
        if names or yearly:
            for name in NAME.finditer("".join(signs)):
                first = name[0].split(" ")[0]
                small = len(first) + 1 if is_small(first.casefold()) or first in _OPENERS else 0
                if small < len(name[0]):
                    _put(signs, name.start() + small, name.end(), NAME_MARK)
        return "".join(signs)


_COMPARISON = re.compile(
    r",? (?:up|down) from\b|,? (?:as )?compared (?:to|with)\b|,? versus\b|,? vs\.? |, (?:rising"
    r"|growing|falling) from\b"
    r"|\bfrom (?=\S+ (?:in [^,]+ )?to )"
)
_YEAR_MARK = chr(0xE001 + "NPMYDTOIX".index("Y"))
_INEXACT = chr(0xE001 + "NPMYDTOIX".index("X"))


def _is_year_of(fact: Fact, expected: Figure) -> bool:
    """Return whether the value of a fact is a year, and not a count of four digits."""
    return (
        is_year(expected)
        and _YEARLY.search(" ".join((fact.attribute, *fact.attribute_aliases))) is not None
    )


def _is_kind(figure: Figure, expected: Figure, yearly: bool) -> bool:
    if yearly:
        return figure.kind == DATE or is_year(figure)
    if figure.kind != expected.kind or (figure.soft and figure.kind != NUMBER):
        return False
    if expected.kind == MONEY:
        return figure.unit == expected.unit or not (figure.unit and expected.unit)
    return (figure.unit == "%") == (expected.unit == "%")


def _put(signs: list[str], start: int, end: int, sign: str) -> bool:
    if any("\ue120" <= one <= FILL for one in signs[start:end]):  # the first mark wins
        return False
    while end > start + 1 and signs[end - 1] == " ":
        end -= 1
    signs[start:end] = [sign, *([FILL] * (end - start - 1))]
    return True


def _mark(signs: list[str], text: str, form: re.Pattern[str], sign: str) -> bool:
    # a list, because `any` of a generator would stop at the first mark
    return any([_put(signs, *one.span(), sign) for one in form.finditer(text)])


_Forms = tuple[re.Pattern[str], tuple[re.Pattern[str] | None, ...]]


# facts of a table are compared with every output; compiling takes longer than that
@lru_cache(maxsize=4_096)
def _forms_of(fact: Fact) -> _Forms:
    """Return the patterns of a fact's subject, and of its attribute, verbs and units."""
    words = words_of(fact.attribute, fact.attribute_aliases)
    units = words[2] or words[0]
    # one capitalised word is case-sensitive: "Apple", not "apple"
    subjects = [_any_of([name], exactly=name[:1].isupper() and " " not in name)
                for name in (fact.subject, *fact.aliases)]  # fmt: skip
    return (
        re.compile("|".join(subjects)),
        (_compiled(words[1]), _compiled(words[0]), _compiled(units)),
    )


def _compiled(words: list[str]) -> re.Pattern[str] | None:
    return re.compile(_any_of(words)) if words else None


def _any_of(words: Iterable[str], *, exactly: bool = False) -> str:
    """Return the pattern of any of several phrases as whole words, with any blanks."""
    phrases = sorted(words, key=len, reverse=True)
    several = "|".join(r"[\s-]+".join(map(re.escape, phrase.split())) for phrase in phrases)
    return rf"(?<![\w-])(?{'' if exactly else 'i'}:{several})(?![\w-])"


def _listed(marked: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the places of a name, and of the names listed after it."""
    yield start, end
    more = re.compile(rf"(?:,? and |, )({NAME_MARK}{FILL}*)")
    while (match := more.match(marked, end)) is not None:
        yield match.span(1)
        end = match.end()


def _is_name_like(name: str, value: str) -> bool:
    """Return whether a name may be of the same kind as a fact's value: a person, or a town."""
    words = _TITLES.sub("", name).split()
    if re.search(r" (?:of|the) ", name) and not re.search(r" (?:of|the) ", value):
        return False  # such as "Person of the Year"
    if len(words) < min(2, len(value.split())):
        return False
    if is_country(value) or is_country(name):
        return is_country(value) and is_country(name)
    return not (is_country(words[-1]) or _REGION.search(name))

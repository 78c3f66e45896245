"""Check of a date against the dated statements that an answer repeats: "June 13: hiking"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from abs_shield.answer.checks.record_scope import RecordScope
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.evidence.evidence_value import EvidenceValue
from abs_shield.answer.evidence.sentence_index import index_of
from abs_shield.text.polarity import read_sentence
from abs_shield.text.values.figure import DATE, Figure, figures_agree
from abs_shield.text.values.figure_reader import figures

_LEAST_WORDS = 3  # fewer words occur in some sentence by chance
_MOST_WORDS = 60  # more words are a list, of which so many decide as well
# a text that more sentences repeat, such as a line of a log, happens on many days
_MOST_ALIKE = 50
"""Most sentences with three words of a claim that are compared with it."""
_MOST_OF_DATE = 3
"""Words of a date in a statement: a weekday, a month, and one beside them."""
_LONGEST = 400  # characters; a longer sentence is data, which no answer repeats as a whole


class DatedClaims:
    """
    The dates of one answer, compared with the dated statements of the evidence.

    Args:
        answer: The answer.
        evidence: The evidence.
        scope: The sentences of the answer.
    """

    def __init__(self, answer: str, evidence: Evidence, scope: RecordScope) -> None:
        self._answer = answer
        self._evidence = evidence
        self._scope = scope

    def find_other_date(self, value: Figure, matches: Sequence[EvidenceValue]) -> Figure | None:
        """
        Return the date of the statements that a sentence repeats under another date, or None.

        All words of such a statement are in the sentence, and each has one date: "On 12 June we go
        hiking at Diamond Head" repeats "June 13: Hiking at Diamond Head".

        Args:
            value: A value of the answer.
            matches: Its places in the evidence, where it belongs to something else.
        """
        # a date that the user or a call has may be a new one
        if value.kind != DATE or not all(one.is_result for one in matches):
            return None
        claim = self._claim_words(value)
        if len(claim) < _LEAST_WORDS:
            return None
        statements: _Statements = self._evidence.derived(_Statements)
        found = [*statements.repeated_by(claim)]
        if not found or any(figures_agree(value, date) for _, date in found):
            return None
        # a newer result may have moved it
        newest = max(piece for piece, _ in found)
        return None if any(one.piece > newest for one in matches) else found[0][1]

    def _claim_words(self, value: Figure) -> frozenset[str]:
        """Return the words of the only date's sentence; none if it denies something."""
        start, end = self._scope.sentence(value.start)
        words = self._words(start, end)
        if len(words) < _LEAST_WORDS and start > self._scope.line(value.start)[0]:
            # "Deadline: 3 May." belongs to the sentence before it
            start, _ = self._scope.sentence(start - 1)
            words = self._words(start, end)
        return words

    def _words(self, start: int, end: int) -> frozenset[str]:
        dates = [one for one in self._scope.values_in(start, end) if one.kind == DATE]
        if len(dates) != 1:
            return frozenset()
        sentence = read_sentence(_without(self._answer[start:end], dates[0], start))
        return frozenset() if sentence.denies else sentence.keys


class _Statements:
    """The sentences of the evidence with one date."""

    def __init__(self, evidence: Evidence) -> None:
        self._index = index_of(evidence)
        # older passages may be left out of the index of sentences
        self._first = len(evidence.pieces) - len(self._index.pieces)
        # cached, as an answer may have hundreds of dates
        self._cache: dict[int, tuple[frozenset[str], Figure] | None] = {}

    def repeated_by(self, claim: frozenset[str]) -> Iterator[tuple[int, Figure]]:
        """Yield passage and date of each statement whose other words are all in a claim."""
        postings, is_statement = self._index.postings, self._index.is_statement
        votes: Counter[int] = Counter()
        for word in sorted(claim)[:_MOST_WORDS]:
            votes.update(n for n in postings.get(word, ()) if is_statement(n))
        for n, count in votes.most_common(_MOST_ALIKE):
            if count < _LEAST_WORDS:
                return
            if not self._may_be_in(n, claim):
                continue
            if n not in self._cache:
                self._cache[n] = _parse(self._text(n)) or _parse(self._text(n, with_next=True))
            statement = self._cache[n]
            if statement is not None and statement[0] <= claim:
                yield self._first + self._index.sentences[n].piece, statement[1]

    def _may_be_in(self, n: int, claim: frozenset[str]) -> bool:
        """Return whether a claim has the words of a sentence, apart from those of a date."""
        content = self._index.sentences[n].content
        others = sum(key[0].isalpha() and key not in claim for key in content[:_MOST_WORDS])
        return others <= _MOST_OF_DATE

    def _text(self, n: int, *, with_next: bool = False) -> str:
        """Return a sentence, or it and the next one of its line, which may have its date."""
        if not with_next:
            return self._index.text(n)
        one, *others = self._index.sentences[n : n + 2]
        if not others or others[0].piece != one.piece:
            return ""
        text = self._index.pieces[one.piece].text
        return "" if "\n" in text[one.end : others[0].start] else text[one.start : others[0].end]


def _parse(text: str) -> tuple[frozenset[str], Figure] | None:
    """Return the other words and the date of a sentence with one date; else None."""
    if not 0 < len(text) <= _LONGEST or not any(map(str.isdigit, text)):
        return None
    dates = [one for one in figures(text) if one.kind == DATE]
    if len(dates) != 1:
        return None
    words = read_sentence(_without(text, dates[0], 0)).keys
    return (words, dates[0]) if len(words) >= _LEAST_WORDS else None


def _without(text: str, date: Figure, start: int) -> str:
    """Return a text that begins at *start* without a date."""
    return f"{text[: date.start - start]} {text[date.end - start :]}"

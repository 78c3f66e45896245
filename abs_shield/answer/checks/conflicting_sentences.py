"""Sentences of the evidence that repeat a claim with another value or a negation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from abs_shield.answer.claim_types import Span
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.evidence.sentence_index import index_of
from abs_shield.text.polarity import denial, opposite, read_sentence, without_reply
from abs_shield.text.values.figure import DATE, SUMS, Day, Figure, figures_agree
from abs_shield.text.values.figure_reader import figures

_REQUEST = re.compile(
    r"[\W\d]*(?:please )?(?:verify|check|make sure|be sure|ensure|confirm|see to it)\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<!\w)\d[\d.,]*(?!\w)")
_LEAST_WORDS = 3  # fewer words agree with some sentence by chance
_LEAST_CONTRARY = 2
"""Fewest words of a claim that is compared with its opposite: "Breakfast is included"."""
_CHANGES = re.compile(
    r"\b(?:until|till|before|after|again|since|from|once|anymore|no longer|bis|ab|nach|wieder"
    r"|jusqu|apr\u00e8s|hasta|desde|despu\u00e9s)\b",
    re.IGNORECASE,
)
"""Words for the end or begin of a state: "closed until June" and "open from June" agree."""
_MOST_WORDS = 60  # more words are a list, of which so many decide as well
# a value shared by more sentences than that is no property of one subject
_MOST_ALIKE = 50
"""Most sentences with all words of a claim that are compared with it."""
# 0.8: one word of five may differ, such as a synonym
_SURE = 0.8
# 0.6: enough if the value differs only by a shift, which is rarely a coincidence
_SAME = 0.6


class EvidenceSentence(NamedTuple):
    """
    A sentence of a result or a document.

    Attributes:
        text: The sentence.
        words: Its content words.
        span: Its place in the evidence.
    """

    text: str
    words: frozenset[str]
    span: Span | None = None


def nearest(words: frozenset[str], evidence: Evidence) -> EvidenceSentence | None:
    """
    Return the running-text sentence with most of *words*, the shortest of equals; None if none.

    Lines of records and messages of users are left out.
    """
    index = index_of(evidence)
    votes: Counter[int] = Counter()
    for word in sorted(words)[:_MOST_WORDS]:  # sorted, so that equal answers have equal results
        votes.update(n for n in index.postings.get(word, ()) if index.is_statement(n))
    if not votes:
        return None
    # the shortest of equals, as its value belongs to the words and to nothing else
    best = max(votes, key=lambda n: (votes[n], -len(index.sentences[n].content)))
    return EvidenceSentence(
        index.text(best), _words(index.sentences[best].content), index.span(best)
    )


def _claim_words(claim: str) -> frozenset[str]:
    """Return the words of a claim; numbers are removed first, since there may be hundreds."""
    return _words(read_sentence(_DIGITS.sub(" ", claim)).keys)


def _words(keys: Iterable[str]) -> frozenset[str]:
    """Return the keys that are words; numbers are what is compared."""
    return frozenset(key for key in keys if key[0].isalpha())


def other_value(
    claim: str, missing: Figure, evidence: Evidence
) -> tuple[EvidenceSentence, Figure] | None:
    """
    Return the value that a matching sentence has in place of *missing*, or None if unclear.

    The sentence must have nearly all words of the claim, and one value of that kind; fewer words
    suffice if the two values differ only by a power of ten or by the year.
    """
    words = _claim_words(claim)
    near = nearest(words, evidence) if len(words) >= _LEAST_WORDS else None
    if near is None:
        return None
    share = len(words & near.words) / len(words)
    if share < _SAME:
        return None
    alike = [one for one in figures(near.text) if _is_similar(missing, one)]
    if len({one.values for one in alike}) != 1:
        return None
    if share >= _SURE or _is_shifted(missing, alike[0]):
        return near, alike[0]
    return None


def has_other_value(claim: str, value: Figure, evidence: Evidence) -> bool:
    """
    Return whether all sentences that match a claim have another value.

    They have all words of the claim and one value of that kind each: "Alder has 85 rooms" for
    "Alder has 95 rooms", even if 95 occurs for something else.
    """
    words = _claim_words(claim)
    if (
        len(words) < _LEAST_WORDS
        or len([*filter(partial(_is_similar, value), figures(claim))]) != 1
    ):
        return False
    index = index_of(evidence)
    places = [set(index.postings.get(word, ())) for word in words]
    alike = sorted(set.intersection(*places))[:_MOST_ALIKE]
    values = [[*filter(partial(_is_similar, value), figures(index.text(n)))] for n in alike]
    return bool(values) and all(
        len(some) == 1 and not figures_agree(value, some[0]) for some in values
    )


def _is_similar(missing: Figure, other: Figure) -> bool:
    return missing.kind == other.kind and missing.unit == other.unit


def _is_shifted(missing: Figure, other: Figure) -> bool:
    """Return whether two numbers differ only by a power of ten, or two days only by the year."""
    if missing.kind in SUMS:
        one, another = missing.numbers[0].normalize(), other.numbers[0].normalize()
        # one digit: 2 and 20 differ in more than a slip
        return one.as_tuple().digits == another.as_tuple().digits and len(one.as_tuple().digits) > 1
    a, b = missing.value, other.value
    if missing.kind == DATE and isinstance(a, Day) and isinstance(b, Day):
        # a date without a year agrees with any
        return a[1:] == b[1:] and None not in (a.year, b.year)
    return False


def _change_words(sentence: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _CHANGES.findall(sentence))


def _is_request(sentence: str) -> bool:
    """Return whether a sentence of the evidence requests something, which may not be so yet."""
    return _REQUEST.match(sentence) is not None


def find_contradiction(claim: str, evidence: Evidence) -> tuple[EvidenceSentence, str] | None:
    """
    Return the sentence that differs by a negation or an opposite, and this word; else None.

    It has all words of the claim except that one, and at most one more word, for a short claim
    none: nothing else may differ.
    """
    statement = without_reply(claim)
    if statement.rstrip().endswith("?"):  # "Isn't it refundable?" denies nothing
        return None
    words = _claim_words(statement)
    near = nearest(words, evidence) if len(words) >= _LEAST_CONTRARY else None
    if (
        near is None
        or _is_request(near.text)
        # "open from June" and "open until June" have opposite words and may both be so
        or _change_words(statement) != _change_words(near.text)
    ):
        return None
    # a further word may be a condition: "refundable within 24 hours"
    if len(near.words) > len(words) + (len(words) >= _LEAST_WORDS):
        return None
    new = len(words - near.words)
    # no new word: a negation; one: an opposite; two: another statement
    compare = (denial, opposite)[new] if new < 2 else None
    difference = compare(read_sentence(statement), read_sentence(near.text)) if compare else ""
    return (near, difference) if difference else None

"""The claims of an answer: one proposition each, with its place and what makes it critical."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase

from abs_shield.answer.extraction.blocks import Block, Form, blocks
from abs_shield.answer.extraction.speech_acts import (
    asks,
    courteous,
    does,
    offers,
    promises,
    reason_in,
    refuses,
    said_before_asking,
    said_in_asking,
)
from abs_shield.answer.types import Claim, MissingValue
from abs_shield.text.mentions import Kind, Mention, mentions
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.tokens import is_small, tokens

_CAPITALS = str.maketrans(ascii_lowercase, ascii_uppercase)
MOST = 2_000
"""Claims of one answer; what stands behind them is the last one's."""
_WORD = re.compile(r"\w")
_READ = 400
_FIRST = 12
_CLAUSE = 400
_JOINT = re.compile(
    r";\s+|,\s+(?:and|but|while|whereas|yet|so|however|though|although|instead|und|aber|mais|et|"
    r"pero|y|ma|mas)\s+"
    r"|\s+but\s+(?=(?:it|he|she|they|we|i|there|this|these|the)\b)",
    re.IGNORECASE,
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|am|be|has|have|had|do|does|did|will|would|can|could|should|must|may|"
    r"might|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|won't|can't|cannot|couldn't|costs?|"
    r"leaves?|arrives?|departs?|starts?|ends?|opens?|closes?|begins?|runs?|takes?|keeps?|goes|"
    r"comes?|includes?|contains?|needs?|requires?|offers?|works?|stays?|lands?|says?|said|went|got|became|began|won|made|took|"
    r"i've|we've|it's|that's|he's|she's|they're|you're|ist|sind|war|hat|haben|habe|wurde|wird|kann|"
    r"est|sont|\u00e9tait|peut|es|est\u00e1|son|fue|puede|\u00e8|sono|era|\u00e9|foi|\w{2,30}ed)\b",
    re.IGNORECASE,
)
_CITED = re.compile(
    r"\[\^?\d{1,4}(?:[,;\s-]{1,3}\d{1,4}){0,20}\]|\bet al\b|\baccording to\b"
    r"|\b(?:passage|source|document|section|article|ref|footnote|chapter|page|p)\.?\s?#?\d{1,5}\b"
    r"|\u3010\d{1,4}[^\u3011]{0,20}\u3011|\b(?:arxiv|doi|isbn|rfc)\b|\b\w{2,40} v\. \w|\u00a7",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\b\d{1,2}:\d{2}|\b\d{1,2} ?[ap]\.?m\b|\b(?:noon|midnight)\b", re.IGNORECASE)
_COUNTED = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen|"
    r"(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundreds?|thousands?|[mb]illions?|dozens?|half|"
    r"twice|double|triple)\b",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april|june|july|"
    r"august|september|october|november|december)\b|\b(?:1[5-9]|20)\d\d\b",
    re.IGNORECASE,
)
_KINDS = {
    Kind.MONEY: "money", Kind.DATE: "date", Kind.ID: "id", Kind.EMAIL: "id", Kind.PHONE: "id",
    Kind.PATH: "id", Kind.URL: "citation", Kind.NUMBER: "number", Kind.NAME: "name",
}  # fmt: skip
_MARKED = (
    ("citation", _CITED), ("time", _CLOCK), ("number", _COUNTED), ("date", _DAY),
)  # fmt: skip
_CHECKED = frozenset({"money", "date", "time", "id", "action"})


def claims_of(answer: str, *, questions: bool = False) -> tuple[Claim, ...]:
    """
    Return the propositions of *answer* that can be checked, in order; time is linear.

    Sentences, or the clauses that ``;`` joins, or ``, and`` where each has its own verb. A list
    item or a table row is at least one. Questions, greetings, offers, hedges, refusals, code,
    lead-ins and bare headings are none. There are at most 2,000: what stands behind the
    1,999th is one last claim, however long, so that nothing goes unjudged.

    Args:
        answer: The answer.
        questions: Whether the questions of an answer that states nothing else are claims, unless it
            offers something, asks what the user means, or says that it does not know. Of answers
            beside documents that only ask something, nine in ten are not supported by them.

    Returns:
        Claims in order of their place; ``answer[claim.start:claim.end] == claim.text``.

    >>> [(c.text, sorted(c.kinds)) for c in claims_of("Hi! I have cancelled W-7. More?")]
    [('I have cancelled W-7.', ['action', 'id'])]
    >>> [c.text for c in claims_of("Do you like Oslo?", questions=True)]
    ['Do you like Oslo?']
    """
    claims = _claims(answer, questions=False)
    if claims or not questions or _asks_back(answer):
        return claims
    return _claims(answer, questions=True)


def _asks_back(answer: str) -> bool:
    """Whether an answer says that it does not know, offers something, or asks what is meant."""
    sentences = [answer[start:end] for start, end in sentence_spans(answer)]
    return any(refuses(one) or (asks(one) and offers(one)) for one in sentences)


def _claims(answer: str, *, questions: bool) -> tuple[Claim, ...]:
    seen = _Mentioned(answer)
    claims: list[Claim] = []
    for form, start, end in _propositions(answer, questions=questions):
        claim = _claim(answer, form, start, end, seen)
        if claim is None:
            continue
        claims.append(claim)
        if len(claims) == MOST:
            claims[-1] = _rest(answer, start, seen)
            break
    return tuple(claims)


class _Mentioned:
    """What the answer mentions, by place."""

    def __init__(self, answer: str) -> None:
        self._mentions = mentions(answer)
        self._starts = [mention.start for mention in self._mentions]

    def within(self, start: int, end: int) -> Iterator[Mention]:
        """Give what begins between two places."""
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return (self._mentions[n] for n in range(first, last))


def _propositions(answer: str, *, questions: bool) -> Iterator[tuple[Form, int, int]]:
    for block in blocks(answer):
        for start, end in _sentences(block):
            sentence = block.text[start:end]
            first, last = (0, len(sentence)) if questions else _stated_within(sentence)
            for left, right in _clauses(block.text, start + first, start + last):
                yield block.form, block.start + left, block.start + right


def _stated_within(sentence: str) -> tuple[int, int]:
    """The place of what a sentence states: all of it, unless it is a question."""
    if not asks(sentence):
        return 0, len(sentence)
    known = said_in_asking(sentence)
    if known and not _FINITE.search(sentence, known, known + _CLAUSE):
        known = 0
    return (known, len(sentence)) if known else (0, said_before_asking(sentence))


def _sentences(block: Block) -> Iterator[tuple[int, int]]:
    if block.form is Form.ROW:
        bare = block.text.strip(" \t|")
        start = block.text.find(bare)
        return iter([(start, start + len(bare))])
    small = block.text.islower()  # a stop before a small letter ends nothing, unless all are small
    return sentence_spans(block.text.translate(_CAPITALS) if small else block.text)


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Split where both sides are whole; what is not stays with what stands before it."""
    begin = start
    joints = list(_JOINT.finditer(text, start, end))
    ends = [*(joint.start() for joint in joints[1:]), end]
    for joint, behind in zip(joints, ends[: len(joints)], strict=True):
        verbs = text[joint.start()] != ";"
        if _whole(text, joint.end(), behind, verbs) and _whole(text, begin, joint.start(), verbs):
            yield begin, joint.start()
            begin = joint.end()
    if begin < end:
        yield begin, end


def _whole(text: str, start: int, end: int, verbs: bool) -> bool:
    clause = text[start : min(end, start + _CLAUSE)]
    return len(clause.split(None, 3)) >= 3 and (not verbs or _FINITE.search(clause) is not None)


def _claim(answer: str, form: Form, start: int, end: int, seen: _Mentioned) -> Claim | None:
    text = answer[start:end]
    if not _WORD.search(text):
        return None
    kinds = _kinds(text, start, end, seen)
    checked = kinds & _CHECKED
    if form is Form.HEADING and not checked:
        return None
    if "action" not in kinds and (refuses(text) or (courteous(text) and not _stated(text, kinds))):
        return _reason(answer, start, end, seen)
    if not kinds and not (_content(text, _FIRST) or _content(text, _READ)):
        return None
    if text.rstrip(" *_").endswith((":", "\uff1a")) and not kinds - {"citation", "name"}:
        return None
    return Claim(text, start, end, kinds)


def _reason(answer: str, start: int, end: int, seen: _Mentioned) -> Claim | None:
    """What a refusal gives as its reason is claimed."""
    first, last = reason_in(answer[start:end])
    text = answer[start + first : start + last]
    if not _content(text, _READ):
        return None
    kinds = _kinds(text, start + first, start + last, seen)
    return Claim(text, start + first, start + last, kinds)


def _content(text: str, most: int) -> bool:
    return any(token.content for token in tokens(text, most=most))


def _stated(text: str, kinds: frozenset[str]) -> bool:
    """Whether a sentence that begins as a courtesy goes on with something to check."""
    figured = "number" in kinds and any(map(str.isdigit, text))
    return (figured or bool(kinds & _CHECKED)) and len(text.split(None, 3)) > 2


def _rest(answer: str, start: int, seen: _Mentioned) -> Claim:
    end = len(answer.rstrip())
    text = answer[start:end]
    kinds = _kinds(text, start, end, seen)
    if any(does(text[left:right]) for left, right in sentence_spans(text)):
        kinds |= {"action"}
    return Claim(text, start, end, kinds)


def _kinds(text: str, start: int, end: int, seen: _Mentioned) -> frozenset[str]:
    found = {
        "time"
        if mention.kind is Kind.DATE and _CLOCK.fullmatch(mention.text)
        else _KINDS[mention.kind]
        for mention in seen.within(start, end)
        if mention.kind is not Kind.NAME or _named(mention, text, start)
    }
    found.update(kind for kind, form in _MARKED if form.search(text))
    if does(text):
        found.add("action")
    if promises(text):
        found.add("commitment")
    return frozenset(found)


def _named(mention: Mention, text: str, start: int) -> bool:
    """Whether a capital says a name: no small word, no label, not a sentence's first word."""
    if all(map(is_small, mention.text.lower().replace("\u2019", "'").split())):
        return False
    if mention.start > start + 2:
        return True
    behind = text[mention.end - start : mention.end - start + 8].lstrip("*_` ")[:1]
    several = " " in mention.text or sum(c.isupper() for c in mention.text) > 1
    return several and behind != ":"


_LABEL = 60
_LABEL_WORDS = 6


def is_label(claim: Claim, miss: MissingValue) -> bool:
    """
    Whether a name stands in what a claim's colon explains, as in ``Module Name: the parser``.

    Args:
        claim: The claim.
        miss: A name in it.
    """
    colon = claim.text.find(":", 0, _LABEL)
    return miss.end - claim.start <= colon and len(claim.text[:colon].split()) <= _LABEL_WORDS

"""Extraction of claims: single propositions with their place and critical kinds."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

from abs_shield.answer.claim_types import Claim
from abs_shield.answer.markdown_blocks import BlockForm, MarkdownBlock, blocks
from abs_shield.answer.speech_acts import (
    READ,
    affirms,
    asks,
    asks_user,
    promises,
    refuses,
    reports_action,
    statement_span,
    states_nothing,
)
from abs_shield.text.mentions import Mention, MentionKind, mentions
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.tokens import is_small, tokens
from abs_shield.text.values.numerals import WORDS

MOST = 2_000
"""Most claims of one answer, some 40 pages; the last one is all the rest."""
# only ASCII letters, so that the text keeps its length
_CAPITALS = str.maketrans(ascii_lowercase, ascii_uppercase)
_WORD = re.compile(r"\w")
# a clause's verb is near its beginning or end; a search of more would take quadratic time
_CLAUSE = 400
_LEAST_WORDS = 3  # "and left" has no statement of its own
_JOINT = re.compile(
    r";\s+|,\s+(?:and|but|while|whereas|yet|so|however,|though|although|instead|und|aber|mais|"
    r"et|pero|y|ma|mas)\s+|\s+but\s+(?=(?:it|he|she|they|we|i|there|this|these|the)\b)",
    re.IGNORECASE,
)
"""Boundaries between the clauses of a sentence."""
_REASON = re.compile(
    rf"{_JOINT.pattern}"
    r"|(?P<reason>,?\s+(?:because(?: of)?|due to|owing to|(?:since|as)(?=\s+(?:the|your?|its?|this|"
    r"that|they|there|he|she|we|our|all|no)\b))\s+(?!(?:i|my)\b))"
    r"|(?P<main>,\s+(?=(?:i|we)(?:['\u2019]m| am| are| cannot| can't| won't)\b))",
    re.IGNORECASE,
)
"""The same, and boundaries between a refusal and its reason."""
_FINITE = frozenset(
    "is are was were am be has have had do does did will would can could should must may might "
    "isn't aren't wasn't weren't don't doesn't didn't won't can't cannot couldn't cost costs leave "
    "leaves arrive arrives depart departs start starts end ends open opens close closes begin "
    "begins run runs take takes keep keeps goes come comes include includes contain contains need "
    "needs require requires offer offers work works stay stays land lands say says said went got "
    "became began won made took i'm i've we've it's that's he's she's they're you're ist sind war "
    "hat haben habe wurde wird kann est sont \u00e9tait peut es est\u00e1 son fue puede \u00e8 "
    "sono era \u00e9 foi".split()
)
_PAST = re.compile(r"\w{2,30}ed")
_TERM = re.compile(r"\w+(?:['\u2019]\w+)?")
_MARKED = {
    "citation": re.compile(
        r"\[\^?\d{1,4}(?:[,;\s-]{1,3}\d{1,4}){0,20}\]|\bet al\b|\baccording to\b"
        r"|\b(?:passage|source|document|section|article|ref|footnote|chapter|page|p)\.?\s?#?\d{1,5}\b"
        r"|\u3010\d{1,4}[^\u3011]{0,20}\u3011|\b(?:arxiv|doi|isbn|rfc)\b|\b\w{2,40} v\. \w|\u00a7",
        re.IGNORECASE,
    ),
    "time": re.compile(
        r"\b\d{1,2}:\d{2}|\b\d{1,2} ?[ap]\.?m\b|\b(?:noon|midnight)\b", re.IGNORECASE
    ),
    "number": re.compile(
        rf"\b(?!one\b){WORDS}\b|\b(?:half|twice|double|triple|hundreds|thousands|[mb]illions|dozens)\b",
        re.IGNORECASE,
    ),
}
_KINDS = {
    MentionKind.MONEY: "money",
    MentionKind.DATE: "date",
    MentionKind.ID: "id",
    MentionKind.EMAIL: "id",
    MentionKind.PHONE: "id",
    MentionKind.PATH: "id",
    MentionKind.URL: "citation",
    MentionKind.NUMBER: "number",
    MentionKind.NAME: "name",
}
_CHECKED = frozenset({"money", "date", "time", "id", "action"})
"""Kinds that make a claim of a heading or a courtesy, too."""


def claims_of(answer: str, *, questions: bool = False) -> tuple[Claim, ...]:
    """
    Return the checkable propositions of *answer*, in order and in linear time.

    A proposition is a sentence, or a clause joined by ``;``, or by ``, and`` if each has its own
    verb. A list item or a table row has at least one. Questions, greetings, offers, hedges,
    refusals, code, lead-ins and bare headings are left out. There are at most 2,000, and the last
    one is all the rest of a longer answer, so that nothing is left unchecked.

    Args:
        answer: The answer.
        questions: Whether questions, and sentences about the speaker's own feelings, are claims of
            an answer without other statements, unless it offers something, asks what the user
            means, or says that it does not know. So is a bare "yes" or "no". Nine in ten such
            answers about documents are not supported by them.

    Returns:
        Claims in order of their place; ``answer[claim.start:claim.end] == claim.text``.

    >>> [(c.text, sorted(c.kinds)) for c in claims_of("Hi! I have cancelled W-7. More?")]
    [('I have cancelled W-7.', ['action', 'id'])]
    >>> [c.text for c in claims_of("Do you like Oslo?", questions=True)]
    ['Do you like Oslo?']
    """
    reader = _ClaimReader(answer)
    claims = reader.claims(questions=False)
    # a second pass only for an answer without claims
    if claims or not questions or _asks_user(answer):
        return claims
    if affirms(answer):
        start = len(answer) - len(answer.lstrip())
        return (Claim(answer.strip(), start, len(answer.rstrip())),)
    return reader.claims(questions=True)


def _asks_user(answer: str) -> bool:
    """Return whether an answer admits ignorance, offers something, or asks what is meant."""
    sentences = [answer[start:end] for start, end in sentence_spans(answer)]
    return any(refuses(one) or (asks(one) and asks_user(one)) for one in sentences)


class _Proposition(NamedTuple):
    """A clause of a block, by its place in the answer."""

    form: BlockForm
    start: int
    end: int


class _ClaimReader:
    """Reader of one answer's claims, with its mentions indexed by offset."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self._mentions = mentions(answer)
        self._starts = [mention.start for mention in self._mentions]

    def claims(self, *, questions: bool) -> tuple[Claim, ...]:
        claims: list[Claim] = []
        for proposition in _propositions(self._answer, questions=questions):
            if (claim := self._claim(proposition, questions=questions)) is None:
                continue
            claims.append(claim)
            if len(claims) == MOST:
                claims[-1] = self._rest(claim.start)
                break
        return tuple(claims)

    def _claim(self, proposition: _Proposition, *, questions: bool) -> Claim | None:
        form, start, end = proposition
        text = self._answer[start:end]
        if not _WORD.search(text):
            return None
        kinds = self._kinds(start, end)
        checked = kinds & _CHECKED
        if form is BlockForm.HEADING and not checked:
            return None
        digits = "number" in kinds and any(map(str.isdigit, text))
        has_values = bool(checked or digits) and _has_words(text)
        silent = not has_values and states_nothing(text, feelings=not questions)
        # an action is checked even in a courtesy: "Sure, I have cancelled it"
        if "action" not in kinds and (silent or refuses(text)):
            return None
        if not kinds and not any(token.content for token in tokens(text, most=READ)):
            return None
        # a lead-in: its statements are below it
        if text.rstrip(" *_").endswith((":", "\uff1a")) and not kinds - {"citation", "name"}:
            return None
        return Claim(text, start, end, kinds)

    def _rest(self, start: int) -> Claim:
        end = len(self._answer.rstrip())
        text = self._answer[start:end]
        kinds = self._kinds(start, end)
        if any(reports_action(text[left:right]) for left, right in sentence_spans(text)):
            kinds |= {"action"}
        return Claim(text, start, end, kinds)

    def _kinds(self, start: int, end: int) -> frozenset[str]:
        text = self._answer[start:end]
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        kinds = {
            _kind(mention)
            for mention in self._mentions[first:last]
            if mention.kind is not MentionKind.NAME or _is_name(mention, text, start)
        }
        kinds.update(kind for kind, form in _MARKED.items() if form.search(text))
        if reports_action(text):
            kinds.add("action")
        if promises(text):
            kinds.add("commitment")
        return frozenset(kinds)


def _kind(mention: Mention) -> str:
    is_time = mention.kind is MentionKind.DATE and _MARKED["time"].fullmatch(mention.text)
    return "time" if is_time else _KINDS[mention.kind]


def _is_name(mention: Mention, text: str, start: int) -> bool:
    """
    Return whether a mention is a name: not a function word, label or first word of a sentence.
    """
    if all(map(is_small, mention.text.lower().replace("\u2019", "'").split())):
        return False
    # after the first word a capital is a name; quotes and marks may precede
    if mention.start > start + 2:
        return True
    behind = text[mention.end - start : mention.end - start + 8].lstrip("*_` ")[:1]
    several = " " in mention.text or sum(c.isupper() for c in mention.text) > 1
    return several and behind != ":"


def _propositions(answer: str, *, questions: bool) -> Iterator[_Proposition]:
    for block in blocks(answer):
        for start, end in _sentences(block):
            sentence = block.text[start:end]
            first, last = 0, len(sentence)
            if not questions and asks(sentence):
                first, last = statement_span(sentence)
            for left, right in _clauses(block.text, start + first, start + last):
                yield _Proposition(block.form, block.start + left, block.start + right)


def _sentences(block: MarkdownBlock) -> Iterator[tuple[int, int]]:
    if block.form is BlockForm.ROW:
        row = block.text.strip(" \t|")
        start = block.text.find(row)
        return iter([(start, start + len(row))])
    # a stop before lower case ends a sentence only if the whole block is in lower case
    small = block.text.islower()
    return sentence_spans(block.text.translate(_CAPITALS) if small else block.text)


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield clauses, split if both sides are complete; a fragment stays with the text before it."""
    joints = list(_REASON.finditer(text, start, end))
    # the reason is a claim only if the sentence is no refusal otherwise
    if any(map(_explains_refusal, joints)) and _is_claim(text[start:end]):
        joints = [joint for joint in joints if not _explains_refusal(joint)]
    ends = [*(joint.start() for joint in joints[1:]), end]
    for joint, behind in zip(joints, ends, strict=False):
        # a semicolon, or the reason of a refusal, needs no verb
        verbs = text[joint.start()] != ";" and joint["reason"] is None
        before = text[start : min(joint.start(), start + _CLAUSE)]
        after = text[joint.end() : min(behind, joint.end() + _CLAUSE)]
        if _is_complete(after, verbs=verbs) and _is_complete(before, verbs=verbs):
            yield start, joint.start()
            start = joint.end()
    if start < end:
        yield start, end


def _explains_refusal(joint: re.Match[str]) -> bool:
    return joint["reason"] is not None or joint["main"] is not None


def _is_claim(sentence: str) -> bool:
    return not refuses(sentence) and not states_nothing(sentence)


def _is_complete(clause: str, *, verbs: bool) -> bool:
    if not _has_words(clause):
        return False
    words = _TERM.findall(clause.replace("\u2019", "'").lower()) if verbs else ["is"]
    return any(word in _FINITE or _PAST.fullmatch(word) for word in words)


def _has_words(text: str) -> bool:
    return len(text.split(None, _LEAST_WORDS)) >= _LEAST_WORDS

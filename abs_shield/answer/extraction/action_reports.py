"""Sentences with a reported or promised action of the speaker."""

from __future__ import annotations

import re

from abs_shield.text.verbs import is_action, past_forms

_READ, _OVERLAP, _MOST_READ = 600, 200, 20_000
"""Characters of a part of a sentence, of its overlap with the next, and in total: linear time."""
_ADVERBS = r"(?:(?:just|now|already|also|since|then|\w{1,20}ly)\s+){0,3}"
_IRREGULAR = "sent paid made set put reset bought sold withdrawn".split()
_DONE = rf"(?:{'|'.join(sorted({*past_forms(), *_IRREGULAR}))})\b"
_REPORT = re.compile(
    rf"\b(?:i|we)(?:'ve|\s+have)?\s+{_ADVERBS}{_DONE}"
    rf"|\bbeen\s+{_ADVERBS}{_DONE}"
    rf"|\byour?\b(?:(?!\b(?:not|never)\b).){{0,120}}\b(?:is|are|was|were)\s+{_ADVERBS}{_DONE}"
    rf"|\bsuccessfully\s+{_DONE}|\b(?=\w{{2,20}}\s+successfully\b){_DONE}",
    re.IGNORECASE,
)
_HINT = re.compile(r"\b(?:i|we|been|your?|successfully)\b", re.IGNORECASE)
"""A sentence without one of these words reports no action: this saves the slower search."""
_NEGATION = re.compile(r"\b(?:not|never|no|\w{2,6}n't)\s+(?:yet\s+|been\s+)?$", re.IGNORECASE)
_PROMISE = re.compile(
    rf"\b(?:i|we)(?:'ll|\s+will|\s+shall|(?:'m|\s+am|'re|\s+are)\s+going\s+to)\s+{_ADVERBS}"
    rf"(\w{{2,20}})\b|\bwill\s+{_ADVERBS}be\s+{_ADVERBS}{_DONE}",
    re.IGNORECASE,
)


def reports_action(sentence: str) -> bool:
    """
    Return whether a sentence reports that its speaker did something, or that it has been done.

    >>> [reports_action(one) for one in ("I have cancelled it.", "I have not cancelled it.")]
    [True, False]
    """
    if _HINT.search(sentence) is None:
        return False
    read = sentence[:_MOST_READ].replace("\u2019", "'")
    steps = range(0, len(read), _READ - _OVERLAP)
    return any(_reports_in_part(read[start : start + _READ]) for start in steps)


def _reports_in_part(text: str) -> bool:
    return any(
        # 20 characters: the longest negation with "yet" or "been"
        _NEGATION.search(text, max(0, match.start() - 20), match.start()) is None
        for match in _REPORT.finditer(text)
    )


def promises(sentence: str) -> bool:
    """
    Return whether a sentence commits its speaker to an action.

    >>> [promises(one) for one in ("I will cancel it.", "It will be refunded.", "I'll look.")]
    [True, True, False]
    """
    matches = _PROMISE.finditer(sentence[:_MOST_READ].replace("\u2019", "'"))
    return any(one[1] is None or is_action(one[1].casefold()) for one in matches)

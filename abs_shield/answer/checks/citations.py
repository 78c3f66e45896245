"""The sources of some evidence, and which citation names none of them."""

from __future__ import annotations

from abs_shield.answer.evidence.passages import labels, passages
from abs_shield.answer.evidence.types import Evidence, Source
from abs_shield.text.citations import Citation
from abs_shield.text.show import shown


class Sources:
    """What was retrieved: results, and the passages inside them."""

    def __init__(self, evidence: Evidence) -> None:
        self._blind = bool(evidence.blind)
        results = [piece for piece in evidence if piece.source is Source.TOOL_RESULT]
        given = len(results) > 1 and not any(piece.name for piece in results)
        self._count = len(results) if given else sum(map(passages, results))
        self._ids = {piece.id.casefold() for piece in results}
        self._labels = frozenset[int]().union(*map(labels, results))
        self._texts = [piece.text.casefold() for piece in evidence]

    def unretrieved(self, citation: Citation) -> str:
        """Tell in one line why a source cannot have been read; empty where it can."""
        if self._blind:
            return ""
        if citation.name:
            name = citation.name.casefold()
            if name in self._ids or ("/" in name and self._say(name)):
                return ""
            return f"{shown(citation.text)} cites a source that was not retrieved"
        far = [n for n in citation.numbers if not self._has(n)]
        if not far or self._say(citation.text.casefold()):
            return ""
        return f"{shown(citation.text)} cites source {far[0]} of {self._count} that were retrieved"

    def _has(self, number: int) -> bool:
        """Whether a number counts or calls something that was retrieved."""
        return 0 <= number <= self._count or number in self._labels or str(number) in self._ids

    def _say(self, text: str) -> bool:
        """Whether some text of the evidence has *text* in it."""
        return any(text in whole for whole in self._texts)

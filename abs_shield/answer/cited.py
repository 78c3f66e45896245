"""The sources of some evidence, and which citation names none of them."""

from __future__ import annotations

from abs_shield.answer.citations import Citation
from abs_shield.answer.evidence import Evidence, Source
from abs_shield.text.show import shown


class Sources:
    """What was retrieved."""

    def __init__(self, evidence: Evidence) -> None:
        results = [piece for piece in evidence if piece.source is Source.TOOL_RESULT]
        self._count = len(results)
        self._ids = {piece.id.casefold() for piece in results}
        self._texts = [piece.text.casefold() for piece in evidence]

    def unretrieved(self, citation: Citation) -> str:
        """Tell in one line why a source cannot have been read; empty where it can."""
        if citation.name:
            name = citation.name.casefold()
            if name in self._ids or ("/" in name and self._say(name)):
                return ""
            return f"{shown(citation.text)} cites a source that was not retrieved"
        numbers = citation.numbers
        far = [n for n in numbers if not 1 <= n <= self._count and str(n) not in self._ids]
        if not far or self._say(citation.text.casefold()):
            return ""
        return f"{shown(citation.text)} cites source {far[0]} of {self._count} that were retrieved"

    def _say(self, text: str) -> bool:
        """Whether some text of the evidence has *text* in it."""
        return any(text in whole for whole in self._texts)

"""Which figures of an answer need no evidence: asked, examples, ends of longer ones, periods."""

from __future__ import annotations

from functools import lru_cache

from abs_shield.answer.checks.cues import is_ending, is_example, is_looked_up
from abs_shield.answer.checks.scope import Scope
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.text.values.figure import ID, Day, Figure, is_year, same
from abs_shield.text.values.reader import figures

_LEAST_END = 3


class Excused:
    """
    The excuses of one answer.

    Args:
        answer: The answer.
        question: What was asked; its figures need no other evidence.
        known: The evidence.
        scope: The answer's lines and sentences.
    """

    def __init__(self, answer: str, question: str | None, known: ValueIndex, scope: Scope) -> None:
        self._answer = answer
        self._asked = _figures_of(question) if question else ()
        self._known = known
        self._scope = scope

    def __call__(self, figure: Figure) -> bool:
        """Whether a figure needs no evidence."""
        if self.asked(figure) or is_example(self._answer, figure.start):
            return True
        if figure.kind == ID and ("{" in figure.text or self._known.names_known(figure)):
            return True
        if self._is_searched(figure):
            return True
        digits = len(figure.text) >= _LEAST_END and figure.text.isdigit()
        return digits and is_ending(self._answer, figure.start) and self._known.ends(figure)

    def asked(self, figure: Figure) -> bool:
        """Whether the question has it."""
        return any(same(figure, one) for one in self._asked)

    def _is_searched(self, figure: Figure) -> bool:
        """Whether it is a month or a year in which the agent says it will look."""
        if not (isinstance(figure.value, Day) and figure.value.day is None) and not is_year(figure):
            return False
        start, _ = self._scope.sentence(figure.start)
        return is_looked_up(self._answer, start, figure.start)


@lru_cache(maxsize=16)
def _figures_of(question: str) -> tuple[Figure, ...]:
    """The figures of a question, which is often that of several answers."""
    return tuple(figures(question))

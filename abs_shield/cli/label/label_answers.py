"""Answers of an operator: a key on a terminal, or a line of any other stream."""

from __future__ import annotations

import sys
from enum import StrEnum

import typer
from rich.console import Console

from abs_shield.cli.usage_errors import BadInput
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped


class LabelChoice(StrEnum):
    """The answers to the question about a decision."""

    HALLUCINATED = "hallucinated"
    OK = "ok"
    SKIP = "skip"
    UNDO = "undo"
    QUIT = "quit"


_KEYS = {answer.value[0]: answer for answer in LabelChoice}
QUESTION = "[h]allucinated, [o]k, [s]kip, [u]ndo or [q]uit? "


class AnswerReader:
    """
    Reader of answers from the standard input; its end counts as `LabelChoice.QUIT`.

    Args:
        console: The console for the questions.

    Attributes:
        unreadable: Number of lines of a stream that were not an answer.

    Raises:
        BadInput: The standard input is closed.
    """

    def __init__(self, console: Console) -> None:
        if sys.stdin is None:
            raise BadInput("the standard input is closed; answers are read from it")
        self._console = console
        self._terminal = sys.stdin.isatty()
        self.unreadable = 0

    def next(self) -> LabelChoice:
        """Ask until a valid answer is read."""
        while True:
            self._console.print(QUESTION, end="")
            text = self._key() if self._terminal else sys.stdin.readline()
            word = text.strip().lower()
            self._console.print(escaped(word))
            if not text:  # the end of the input
                return LabelChoice.QUIT
            if word in _KEYS:
                return _KEYS[word]
            if word in [*LabelChoice]:
                return LabelChoice(word)
            self._refuse(word)

    def _key(self) -> str:
        # drops keys typed before the question, so that no decision is labelled unseen
        try:
            return typer.getchar()
        except EOFError:
            return ""

    def _refuse(self, word: str) -> None:
        # a person sees the message and answers again; a script does not
        self.unreadable += not self._terminal
        near = nearest(word, [*LabelChoice])
        hint = f"did you mean `{near[0]}`?" if near else "press h, o, s, u or q"
        self._console.print(f"`{escaped(word)}` is not an answer; {hint}")

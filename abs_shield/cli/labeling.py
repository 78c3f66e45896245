"""Interactive labelling of the queued decisions; each label is written immediately."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum

import typer
from rich.console import Console
from rich.text import Text

from abs_shield.cli.console import line, open_console, safe
from abs_shield.cli.decision_details import DecisionDetails, Excerpts
from abs_shield.cli.decision_lines import brief_lines
from abs_shield.cli.label_queue import LabelCandidate, LabelQueue, LabelsNeeded
from abs_shield.cli.shared_options import LabelAuthor
from abs_shield.cli.usage_errors import BadInput
from abs_shield.core.label import Truth
from abs_shield.stores.durable_store import DurableStore
from abs_shield.stores.sealed_record import Damaged
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import escaped, quantity


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
        hint = suggest_name(word, [*LabelChoice], otherwise="press h, o, s, u or q")
        self._console.print(f"`{escaped(word)}` is not an answer; {hint}")


_TRUTHS = {LabelChoice.HALLUCINATED: Truth.HALLUCINATED, LabelChoice.OK: Truth.OK}


class LabelingSession:
    """
    An operator's labelling session.

    The log is append-only, so an undo asks about the previous decision again, and the new label
    replaces the old one.

    Args:
        store: The log.
        queue: The decisions to label.
        author: The operator.
        limit: Maximum number of decisions to ask about; None for all.
        excerpts: The run files that show the decisions' context; None for none.
    """

    def __init__(
        self,
        store: DurableStore,
        queue: LabelQueue,
        *,
        author: LabelAuthor,
        limit: int | None = None,
        excerpts: Excerpts | None = None,
    ) -> None:
        self._store = store
        self._queue = queue
        self._author = author
        self._limit = limit
        self._excerpts = excerpts
        self._console = open_console()
        self._answered: list[LabelCandidate] = []

    def run(self) -> bool:
        """
        Ask about one decision after the other, until none is left or the operator quits.

        Returns:
            False if a line of a stream was not an answer.

        Raises:
            BadInput: The standard input is closed.
            StoreError: The log cannot be read or written; earlier labels are stored.
        """
        answers = AnswerReader(self._console)
        candidate = self._next()
        while candidate is not None:
            self._show(candidate)
            answer = answers.next()
            while answer is LabelChoice.UNDO and not self._answered:
                self._console.print("there is nothing to undo")
                answer = answers.next()
            if answer is LabelChoice.QUIT:
                # counts as left: it was shown, and not answered
                self._queue.put_back(candidate)
                break
            candidate = self._after(candidate, answer)
        self._end()
        return not answers.unreadable

    def _next(self) -> LabelCandidate | None:
        """Return the next candidate that is still unlabelled, as others may label or prune."""
        while self._remaining() and (candidate := self._queue.pop()) is not None:
            name = candidate.decision_id
            if (
                not self._store.labels_of(name, skipped=_counted_by_the_queue)
                and self._store.get(name) is not None
            ):
                return candidate
        return None

    def _remaining(self, shown: int = 0) -> int:
        """Return the number of decisions left, including *shown* ones outside the queue."""
        left = len(self._queue) + shown
        return left if self._limit is None else min(left, self._limit - len(self._answered))

    def _after(self, candidate: LabelCandidate, answer: LabelChoice) -> LabelCandidate | None:
        """Apply an answer, and return the next candidate."""
        if answer is LabelChoice.UNDO:
            self._queue.put_back(candidate)
            return self._answered.pop()
        if answer in _TRUTHS:
            self._label(candidate, _TRUTHS[answer])
        # skipped ones, too: `undo` goes back to the decision that was shown before
        self._answered.append(candidate)
        return self._next()

    def _label(self, candidate: LabelCandidate, truth: Truth) -> None:
        # an undo that confirms the old answer needs no second record
        if truth is not self._queue.label_of(candidate):
            self._store.label(self._author.label(candidate.decision_id, truth))
            self._queue.label(candidate, truth)
        self._print(line(safe(candidate.decision_id, limit=80), f" is labelled {truth}"))

    def _show(self, candidate: LabelCandidate) -> None:
        decision = self._store.get(candidate.decision_id)
        if decision is None:  # pruned while it waited to be asked about again
            return
        self._console.print(f"\n{self._remaining(shown=1):,} left")
        for text in self._states(candidate):
            self._print(text)
        details = DecisionDetails.of(
            decision, self._store, excerpts=self._excerpts, skipped=_counted_by_the_queue
        )
        for text in brief_lines(details):
            self._print(text)
        if (truth := self._queue.label_of(candidate)) is not None:
            self._console.print(f"  it is labelled {truth}, until you answer otherwise")

    def _states(self, candidate: LabelCandidate) -> Iterator[Text]:
        """Yield a line about the labels that the candidate's checks still need."""
        needs = self._queue.needs(candidate)
        for need in needs:
            yield safe(_need_text(need), limit=200)
        for check in () if needs else candidate.checks:
            counts = self._queue.counts(check)
            flagged = f"{counts.precision.of:,} of {counts.flagged:,} that it flags are labelled"
            yield line(safe(check, limit=80), ": ", flagged)

    def _end(self) -> None:
        labelled = sum(self._queue.label_of(one) is not None for one in self._answered)
        remaining = f"{self._remaining():,} left"
        self._console.print(f"\n{quantity(labelled, 'decision')} labelled, {remaining}")
        for need in self._queue.open_needs():
            self._print(safe(_need_text(need), limit=200))

    def _print(self, text: Text) -> None:
        self._console.print_line(text)


def _counted_by_the_queue(error: Damaged) -> None:
    """Ignore a damaged record, which was counted when the log was read."""


def _need_text(need: LabelsNeeded) -> str:
    where = f" on {need.tool}" if need.tool else ""
    if need.labels is None:
        return f"no number of labels makes {need.check}{where} ready; its policy has to block less"
    if not need.labels:
        return f"{need.check}{where} needs no more labels"
    return f"{need.check}{where} needs {quantity(need.labels, 'more label')}"

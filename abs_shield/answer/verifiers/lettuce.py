"""LettuceDetect and TinyLettuce (MIT): token classifiers that mark words without support."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from abs_shield.answer.transformer_verifier import TransformerVerifier, load, load_model
from abs_shield.answer.verifier import Odds

_QUESTION = (
    "Briefly answer the following question:\n{question}\n"
    "Bear in mind that your response should be strictly based on the following 1 passages:\n"
    "passage 1: {premise}\n"
    "In case the passages do not contain the necessary information to answer the question, please"
    ' reply with: "Unable to answer based on given passages."\noutput:'
)
_SUMMARY = "Summarize the following text:\npassage 1: {premise}\noutput:"
_UNSUPPORTED_BELOW = 0.5  # the model's own decision boundary: the likelier class


class _Word(NamedTuple):
    """P(supported) of one token of a claim, and its offsets in the claim."""

    supported: float
    start: int
    end: int


class LettuceDetect(TransformerVerifier):
    """
    A token classifier: a claim's score is that of its least supported word.

    Source: Kovacs and Recski, 2025, arXiv 2502.17125. The prompts are those that the English
    models were trained with (RAGTruth's): one with the user's question, one without. For each word
    the chunk that supports it best counts.

    Args:
        folder: The model's folder; its class 1 is "hallucinated".
        prompt: Another prompt, with ``{premise}`` and perhaps ``{question}``, for models that
            were trained with another.
        tokens: Tokens that are read at most; less if the model has fewer positions.
        device: Where the model runs.

    Raises:
        ShieldError: torch or transformers is not installed.
        PolicyError: The model cannot be loaded or lacks weights, or the prompt lacks the premise.
    """

    uses_question = True

    def __init__(
        self,
        folder: str | Path,
        *,
        prompt: str | None = None,
        tokens: int = 4_096,
        device: str = "cpu",
    ) -> None:
        model = load_model("AutoModelForTokenClassification", folder)
        tokenizer = load("AutoTokenizer", folder)
        super().__init__(model, tokenizer, form=prompt or _QUESTION, tokens=tokens, device=device)
        self._summary = prompt or _SUMMARY

    def prompt(self, question: str) -> str:
        """Return the prompt of an answer to a question, or the one of a summary."""
        return self._form if question else self._summary

    def score(self, read: Any, offsets: Any) -> list[list[_Word]]:
        """Return the words of each claim."""
        rows = (1 - self._model(**read).logits.float().softmax(-1)[:, :, 1]).clamp(0, 1).tolist()
        return [
            [
                _Word(p, *place)
                for p, place, part in zip(row, offsets[n], read.sequence_ids(n), strict=True)
                if part == 1  # only the claim's tokens, not those of the prompt
            ]
            for n, row in enumerate(rows)
        ]

    def best(self, some: list[list[_Word]]) -> Odds:
        """Return P(supported) of the least supported word, and the stretches below .5."""
        words = [max(word) for word in zip(*some, strict=True)]
        marked = [
            list(group)
            for low, group in groupby(words, lambda word: word.supported < _UNSUPPORTED_BELOW)
            if low
        ]
        return Odds(
            min((word.supported for word in words), default=0.0),
            unsupported=tuple((group[0].start, group[-1].end) for group in marked),
        )

"""Any sequence-classification model that reads premise and claim as a pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from abs_shield.answer.transformer import (
    BATCH,
    chunks,
    cut,
    libraries,
    limit,
    loaded,
    loaded_model,
    readable,
)
from abs_shield.answer.verifier import Odds
from abs_shield.errors import PolicyError
from abs_shield.text.show import escaped

_SUPPORTED = ("entail", "support", "consistent", "grounded", "faithful")
_CONTRADICTED = ("contradict", "refute")
_AGAINST = ("not", "non", "no_", "un", "in")
"""What turns a label into its opposite: ``not_entailment``, ``unsupported``, ``inconsistent``."""


class SequenceVerifier:
    """
    A model for natural-language inference, or one with a single logit for "supported".

    A long premise is cut into overlapping chunks; the best chunk counts.

    Args:
        model: A folder, or a name at a hub.
        supported: The label of "the premise supports the claim"; found by its name where None.
        contradicted: The label of the opposite; found by its name where None, and may be missing.
        tokens: Tokens of a pair that are read at once, no more than the model can; at least 16.
        device: Where it runs.

    Raises:
        ShieldError: torch or transformers is not installed, or the model cannot be loaded or
            lacks weights.
        PolicyError: No label says "supported".
    """

    def __init__(
        self,
        model: str,
        *,
        supported: str | int | None = None,
        contradicted: str | int | None = None,
        tokens: int = 512,
        device: str = "cpu",
    ) -> None:
        limit("tokens", tokens, least=16)
        self._torch, _ = libraries()
        self._tokenizer = loaded("AutoTokenizer", model)
        self._model = loaded_model("AutoModelForSequenceClassification", model).to(device).eval()
        config = self._model.config
        self.tokens = readable(tokens, self._tokenizer, config)
        self._labels = {int(n): str(label) for n, label in config.id2label.items()}
        self._one = config.num_labels == 1
        self._supported = self._label(supported, _SUPPORTED)
        self._contradicted = self._label(contradicted, _CONTRADICTED)
        if self._supported is None and not self._one:
            names = ", ".join(escaped(label) for label in list(self._labels.values())[:20])
            raise PolicyError(f"verifier: no label says `supported`; name one of {names}")

    def __call__(self, premise: str, claims: Sequence[str]) -> list[Odds]:
        """Give P(supported) and P(contradicted) of each claim."""
        heads = [cut(self._tokenizer, claim, self.tokens // 3) for claim in claims]
        parts = chunks(self._tokenizer, premise, self.tokens - self.tokens // 3 - 8)
        pairs = [(part, head) for head in heads for part in parts]
        odds = [
            one for n in range(0, len(pairs), BATCH) for one in self._odds(pairs[n : n + BATCH])
        ]
        groups = [odds[n : n + len(parts)] for n in range(0, len(odds), len(parts))]
        return [
            Odds(max(one.entailed for one in group), max(one.contradicted for one in group))
            for group in groups
        ]

    def _odds(self, pairs: list[tuple[str, str]]) -> list[Odds]:
        premises, claims = map(list, zip(*pairs, strict=True))
        read = self._tokenizer(
            premises, claims, truncation="only_first", max_length=self.tokens,
            padding=True, return_tensors="pt",
        ).to(self._model.device)  # fmt: skip
        with self._torch.no_grad():
            logits = self._model(**read).logits.float()
        if self._one:
            return [Odds(one) for one in logits[:, 0].sigmoid().tolist()]
        rows = logits.softmax(dim=-1).tolist()
        against = self._contradicted
        return [
            Odds(min(1.0, row[self._supported]), 0.0 if against is None else min(1.0, row[against]))
            for row in rows
        ]

    def _label(self, given: str | int | None, stems: tuple[str, ...]) -> Any:
        """The number of a label: by number, by name, or by what names usually say."""
        for number, label in self._labels.items():
            plain = label.casefold()
            if given is None:
                if plain.startswith(stems) and not plain.startswith(_AGAINST):
                    return number
            elif given in (number, label):
                return number
        if given is not None:
            raise PolicyError(f"verifier: the model has no label `{escaped(str(given))}`")
        return None

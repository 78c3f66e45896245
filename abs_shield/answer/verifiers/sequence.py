"""Any sequence-classification model of natural-language inference or fact checking."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from abs_shield.answer.transformer_verifier import TransformerVerifier, load, load_model
from abs_shield.answer.verifier import Odds
from abs_shield.errors import PolicyError
from abs_shield.text.safe_display import escaped

_SUPPORTED = ("entail", "support", "consistent", "grounded", "faithful")
_CONTRADICTED = ("contradict", "refute")


class SequenceVerifier(TransformerVerifier):
    """
    A model with a class for "the premise supports the claim", or with one logit for it.

    Args:
        folder: The model's folder.
        supported: The label of that class, or its index; None finds it by its name.
        contradicted: The label or index of "contradicts"; None finds it by its name, if any.
        form: The input that the model was trained on, with ``{premise}`` and ``{claim}``. Without
            ``{claim}`` the claim is the second text of a pair.
        tokens: Tokens that are read at most; less if the model has fewer positions.
        device: Where the model runs.

    Raises:
        ShieldError: torch or transformers is not installed.
        PolicyError: The model cannot be loaded or lacks weights, or no label says "supported".
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        supported: str | int | None = None,
        contradicted: str | int | None = None,
        form: str = "{premise}",
        tokens: int = 512,
        device: str = "cpu",
    ) -> None:
        model = load_model("AutoModelForSequenceClassification", folder)
        tokenizer = load("AutoTokenizer", folder)
        super().__init__(model, tokenizer, form=form, tokens=tokens, device=device)
        labels = {int(index): str(label) for index, label in model.config.id2label.items()}
        supported_index = _index(labels, supported, _SUPPORTED)
        self._sigmoid = len(labels) == 1  # one logit is a probability of its own
        if supported_index is None and not self._sigmoid:
            names = ", ".join(escaped(label) for label in list(labels.values())[:20])
            raise PolicyError(f"verifier: no label says `supported`; name one of {names}")
        self._supported = supported_index or 0
        self._contradicted = _index(labels, contradicted, _CONTRADICTED)

    def score(self, read: Any, offsets: Any) -> list[Odds]:
        """Return the softmax of the logits; of a single logit the sigmoid."""
        logits = self._model(**read).logits.float()
        rows = (logits.sigmoid() if self._sigmoid else logits.softmax(-1)).clamp(0, 1).tolist()
        against = self._contradicted
        return [
            Odds(row[self._supported], 0.0 if against is None else row[against]) for row in rows
        ]


def _index(labels: dict[int, str], wanted: str | int | None, stems: tuple[str, ...]) -> int | None:
    """Return the index of a label: by index, by name, or by the usual beginnings of such labels."""
    for index, label in labels.items():
        if wanted in (index, label) or (wanted is None and label.casefold().startswith(stems)):
            return index
    if wanted is not None:
        raise PolicyError(f"verifier: the model has no label `{escaped(str(wanted))}`")
    return None

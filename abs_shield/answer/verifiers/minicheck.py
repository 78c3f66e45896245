"""MiniCheck (MIT): fact checkers on Flan-T5, RoBERTa and DeBERTa, as their authors run them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from abs_shield.answer.transformer_verifier import TransformerVerifier, load, load_model
from abs_shield.answer.verifier import Odds
from abs_shield.errors import PolicyError
from abs_shield.text.safe_display import escaped

# fixed by Flan-T5's vocabulary; checked when the model is loaded
_LABELS = {3: "▁", 209: "▁1"}
"""Tokens that Flan-T5 writes first for "0", unsupported, and "1", supported."""
_CHUNK_T5, _CHUNK = 700, 400
"""Tokens of a chunk: 500 words for Flan-T5, 400 tokens for the encoders."""


class MiniCheck(TransformerVerifier):
    """
    The model as its authors run it: document, end-of-text mark and claim in one text.

    Source: Tang, Laban and Durrett, 2024, arXiv 2404.10774. Flan-T5 decodes one step, and the
    logits of "0" and "1" decide; the second of the encoders' two classes is "supported".

    Args:
        folder: The folder of MiniCheck-Flan-T5-Large, -RoBERTa-Large or -DeBERTa-v3-Large.
        tokens: Tokens that are read at most; less if the model has fewer positions.
        device: Where the model runs.

    Raises:
        ShieldError: torch or transformers is not installed.
        PolicyError: The model cannot be loaded, lacks weights, or is not a MiniCheck model.
    """

    def __init__(self, folder: str | Path, *, tokens: int = 2_048, device: str = "cpu") -> None:
        tokenizer = load("AutoTokenizer", folder)
        self._decodes = bool(load("AutoConfig", folder).is_encoder_decoder)
        kind = "AutoModelForSeq2SeqLM" if self._decodes else "AutoModelForSequenceClassification"
        model = load_model(kind, folder)
        form = f"{{premise}}{tokenizer.eos_token}{{claim}}"
        if self._decodes:
            chunk, form = _CHUNK_T5, f"predict: {form}"
            # other models have other tokens at these ids
            fits = tokenizer.convert_ids_to_tokens([*_LABELS]) == [*_LABELS.values()]
        else:
            chunk, fits = _CHUNK, model.config.num_labels == 2
        if not fits or tokenizer.eos_token is None:
            raise PolicyError(f"verifier: `{escaped(str(folder))}` is not a MiniCheck model")
        super().__init__(model, tokenizer, form=form, tokens=tokens, chunk=chunk, device=device)

    def score(self, read: Any, offsets: Any) -> list[Odds]:
        """Return the softmax of the two labels."""
        if self._decodes:
            ids, start = read["input_ids"], self._model.config.decoder_start_token_id
            first = self._torch.full_like(ids[:, :1], start)
            logits = self._model(
                input_ids=ids, attention_mask=read["attention_mask"], decoder_input_ids=first
            ).logits[:, 0, [*_LABELS]]
        else:
            logits = self._model(**read).logits
        return [Odds(row[1]) for row in logits.float().softmax(-1).clamp(0, 1).tolist()]

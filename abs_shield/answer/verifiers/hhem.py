"""HHEM-2.1-Open (Apache-2.0): a T5 encoder with a head over its first token."""

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
)
from abs_shield.errors import ShieldError
from abs_shield.text.show import escaped

MODEL = "vectara/hallucination_evaluation_model"
FOUNDATION = "google/flan-t5-base"
_FORM = (
    "<pad> Determine if the hypothesis is true given the premise?\n\n"
    "Premise: {premise}\n\nHypothesis: {claim}"
)
"""The input that the model was trained on."""
_PREFIX = "t5."
_WEIGHTS = "model.safetensors"


class HHEM:
    """
    The model as its makers publish it: their weights in a T5 of `transformers`, none of their code.

    Args:
        model: A folder with ``model.safetensors``, or a name at a hub.
        foundation: The folder or name of the T5 that gives the tokenizer and the sizes.
        tokens: Tokens that are read at once; at least 64. A longer premise is cut into
            overlapping chunks, of which the best counts.
        device: Where it runs.

    Raises:
        ShieldError: A library is not installed, or the model cannot be loaded.
    """

    def __init__(
        self,
        model: str = MODEL,
        *,
        foundation: str = FOUNDATION,
        tokens: int = 2_048,
        device: str = "cpu",
    ) -> None:
        self.tokens = limit("tokens", tokens, least=64)
        self._torch, transformers = libraries()
        self._tokenizer = loaded("AutoTokenizer", foundation)
        config = loaded("AutoConfig", foundation, num_labels=2)
        with self._torch.no_grad():
            self._model = transformers.T5ForTokenClassification(config)
        self._fill(model)
        self._model.to(device).eval()

    def __call__(self, premise: str, claims: Sequence[str]) -> list[float]:
        """Give P(the claim is consistent with the premise) of each claim."""
        heads = [cut(self._tokenizer, claim, self.tokens // 4) for claim in claims]
        parts = chunks(self._tokenizer, premise, self.tokens - self.tokens // 4 - 40)
        texts = [_FORM.format(premise=part, claim=head) for head in heads for part in parts]
        found = [
            one for n in range(0, len(texts), BATCH) for one in self._scores(texts[n : n + BATCH])
        ]
        return [max(found[n : n + len(parts)]) for n in range(0, len(found), len(parts))]

    def _scores(self, texts: list[str]) -> list[float]:
        read = self._tokenizer(texts, return_tensors="pt", padding=True).to(self._model.device)
        with self._torch.no_grad():
            logits = self._model(**read).logits[:, 0, :].float()
        return [min(1.0, one) for one in logits.softmax(dim=-1)[:, 1].tolist()]

    def _fill(self, model: str) -> None:
        """Put the published weights into the model; all of them must fit."""
        from safetensors.torch import load_file
        from transformers.utils.hub import cached_file

        try:
            weights: dict[str, Any] = load_file(cached_file(model, _WEIGHTS))
        except (OSError, ValueError) as error:
            said = escaped(str(error), limit=200)
            raise ShieldError(f"verifier: `{escaped(model)}` cannot be loaded: {said}") from None
        named = {name.removeprefix(_PREFIX): tensor for name, tensor in weights.items()}
        missing, strange = self._model.load_state_dict(named, strict=False)
        tied = {name for name in missing if name.endswith("embed_tokens.weight")}
        if strange or set(missing) - tied:
            odd = escaped(str([*strange, *missing][0]))
            raise ShieldError(f"verifier: `{escaped(model)}` has not this model's weights: `{odd}`")

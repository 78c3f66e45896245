"""LettuceDetect (MIT): a token classifier that marks the words of an answer without support."""

from __future__ import annotations

from collections.abc import Sequence

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
from abs_shield.errors import PolicyError

MODEL = "KRLabsOrg/lettucedect-base-modernbert-en-v1"


class LettuceDetect:
    """
    Scores a claim by its least supported word: 1 - P(hallucinated) of that.

    A long premise is cut into overlapping chunks; of each word the best chunk counts.

    Args:
        model: A folder, or a name at a hub; its label 1 is "hallucinated".
        prompt: How the premise is put to the model, ``{premise}`` where it stands. Models that
            were trained with a longer prompt do better with that.
        tokens: Tokens that are read at once, no more than the model can; at least 16.
        device: Where it runs.

    Raises:
        ShieldError: A library is not installed, or the model cannot be loaded or
            lacks weights.
        PolicyError: *tokens* is out of range, or the prompt has no place for the premise.
    """

    def __init__(
        self,
        model: str = MODEL,
        *,
        prompt: str = "{premise}",
        tokens: int = 4_096,
        device: str = "cpu",
    ) -> None:
        limit("tokens", tokens, least=16)
        if "{premise}" not in prompt:
            raise PolicyError("verifier: `prompt` has no `{premise}`; say where the premise stands")
        self._before, _, self._behind = prompt.partition("{premise}")
        self._torch, _ = libraries()
        self._tokenizer = loaded("AutoTokenizer", model)
        self._model = loaded_model("AutoModelForTokenClassification", model).to(device).eval()
        self.tokens = readable(tokens, self._tokenizer, self._model.config)

    def __call__(self, premise: str, claims: Sequence[str]) -> list[float]:
        """Give P(the premise supports every word of it) of each claim."""
        heads = [cut(self._tokenizer, claim, self.tokens // 4) for claim in claims]
        parts = chunks(self._tokenizer, premise, self._room())
        pairs = [(f"{self._before}{part}{self._behind}", head) for head in heads for part in parts]
        words = [
            one for n in range(0, len(pairs), BATCH) for one in self._words(pairs[n : n + BATCH])
        ]
        groups = [words[n : n + len(parts)] for n in range(0, len(words), len(parts))]
        return [_least(group) for group in groups]

    def _room(self) -> int:
        prompt = len(
            self._tokenizer(self._before + self._behind, add_special_tokens=False)["input_ids"]
        )
        return max(8, self.tokens - self.tokens // 4 - prompt - 8)

    def _words(self, pairs: list[tuple[str, str]]) -> list[list[float]]:
        """Of each pair P(supported) of each token of the claim."""
        premises, claims = map(list, zip(*pairs, strict=True))
        read = self._tokenizer(
            premises, claims, truncation="only_first", max_length=self.tokens,
            padding=True, return_tensors="pt",
        )  # fmt: skip
        ours = [[part == 1 for part in read.sequence_ids(n)] for n in range(len(pairs))]
        with self._torch.no_grad():
            logits = self._model(**read.to(self._model.device)).logits.float()
        rows = logits.softmax(dim=-1)[:, :, 1].tolist()
        return [
            [min(1.0, max(0.0, 1 - p)) for p, mine in zip(row, marks, strict=True) if mine]
            for row, marks in zip(rows, ours, strict=True)
        ]


def _least(group: list[list[float]]) -> float:
    """The least supported word, each by the chunk that supports it best."""
    best = [max(word) for word in zip(*group, strict=False)]
    return min(best, default=0.0)

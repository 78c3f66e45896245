"""Base class of verifiers on `transformers` models from local folders."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from abs_shield.answer.verifier import Odds
from abs_shield.errors import PolicyError, ShieldError
from abs_shield.text.safe_display import describe_exception, escaped, shown

# some 10,000 tokens, beyond the 2,048 or 4,096 that the models read
_LONGEST = 40_000
"""Characters of a premise that are read."""
# pairs at once on a CPU; chunks of the longest premise; below 256 tokens nothing is left for it
_BATCH, _MOST_CHUNKS, _LEAST_TOKENS = 8, 32, 256
_MARGIN = 16
"""Tokens for the model's own marks, and for words that split differently at the edge of a chunk."""


class TransformerVerifier(ABC):
    """
    A model that reads a chunk of the premise together with one claim; the best chunk counts.

    Chunks overlap by a quarter. Special tokens of the model, such as ``</s>``, are blanked in the
    premise, the claims and the question, so that no text can imitate a part of the prompt.

    Args:
        model: The loaded model.
        tokenizer: The loaded tokenizer.
        form: The model's prompt, with ``{premise}`` and perhaps ``{claim}`` and ``{question}``.
            Without ``{claim}`` the claim is the second text of a pair.
        tokens: Most tokens that are read, at least 256; less if the model has fewer positions.
        chunk: Tokens of a chunk at most.
        device: Where the model runs.

    Raises:
        PolicyError: *tokens* is out of range, or *form* lacks the premise.
    """

    uses_question = False

    def __init__(
        self, model: Any, tokenizer: Any, *, form: str, tokens: int, chunk: int = _LONGEST,
        device: str,
    ) -> None:  # fmt: skip
        if type(tokens) is not int or tokens < _LEAST_TOKENS:
            least = f"give a number from {_LEAST_TOKENS}"
            raise PolicyError(f"verifier: `tokens` is {shown(tokens)}; {least}")
        if "{premise}" not in form:
            raise PolicyError("verifier: the prompt lacks `{premise}`, the place of the premise")
        self._torch, _ = libraries()
        self._model, self._tokenizer, self._form = model.to(device).eval(), tokenizer, form
        self._chunk, self.tokens = chunk, min(tokens, _positions(model.config))
        special = [one.content for one in tokenizer.added_tokens_decoder.values() if one.special]
        longest_first = sorted(special, key=len, reverse=True)
        # the longest first, as one mark may begin with another; "(?!)" never matches
        self._special = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")

    def __call__(
        self, premise: str, claims: Sequence[str], question: str | None = None
    ) -> list[Odds]:
        """Return the odds of each claim, given the premise."""
        # an eighth for the question, a quarter for the claim, the rest for the premise
        question_text = self.chunks(question, self.tokens // 8)[0] if question else ""
        form = self.prompt(question_text)
        fixed = _fill(form, question=question_text, premise="", claim="")
        room = self.tokens - self.tokens // 4 - len(self._tokenizer(fixed)["input_ids"]) - _MARGIN
        parts = self.chunks(premise, max(_MARGIN, min(self._chunk, room)))
        heads = [self.chunks(claim, self.tokens // 4)[0] for claim in claims]
        pairs = [(part, head) for head in heads for part in parts]
        some = [
            opinion
            for n in range(0, len(pairs), _BATCH)
            for opinion in self._read(form, question_text, pairs[n : n + _BATCH])
        ]
        return [self.best(some[n : n + len(parts)]) for n in range(0, len(some), len(parts))]

    @abstractmethod
    def score(self, read: Any, offsets: Any) -> list[Any]:
        """Return the model's opinion, as a rule `Odds`, of each text that the tokenizer read."""

    def best(self, some: list[Any]) -> Odds:
        """Return the odds of a claim from the opinions of its chunks."""
        return Odds(max(one.entailed for one in some), max(one.contradicted for one in some))

    def prompt(self, question: str) -> str:
        """Return the prompt with its placeholders."""
        return self._form

    def chunks(self, text: str, most: int) -> list[str]:
        """Return *text* in chunks of at most *most* tokens; at most 32."""
        text = self._special.sub(lambda mark: " " * len(mark[0]), text[:_LONGEST])
        places = self._tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )["offset_mapping"]
        if len(places) <= most:
            return [text]
        # overlapping by a quarter, so that no sentence is only in two halves
        starts = range(0, len(places) - most // 4, max(1, most - most // 4))[:_MOST_CHUNKS]
        some = (places[start : start + most] for start in starts)
        return [text[part[0][0] : part[-1][1]] for part in some]

    def _read(self, form: str, question: str, pairs: list[tuple[str, str]]) -> list[Any]:
        read = self._tokenizer(  # without truncation: it would cut a claim or the prompt unseen
            [_fill(form, premise=part, claim=claim, question=question) for part, claim in pairs],
            None if "{claim}" in form else [claim for _, claim in pairs],
            padding=True, return_offsets_mapping=True, return_tensors="pt", verbose=False,
        ).to(self._model.device)  # fmt: skip
        offsets = read.pop("offset_mapping").tolist()
        with self._torch.no_grad():  # inference needs no gradients, which double the memory
            return self.score(read, offsets)


def libraries() -> tuple[Any, Any]:
    """
    Return torch and transformers.

    Raises:
        ShieldError: One of them is not installed.
    """
    try:
        return import_module("torch"), import_module("transformers")
    except ImportError as error:
        raise ShieldError(
            f'a verifier needs {error.name}; run `pip install "abs-shield[nli]"`'
        ) from None


_TOKENIZER = ("tokenizer*", "vocab*", "*.model", "*.tiktoken")
_FILES = {"AutoTokenizer": (_TOKENIZER, "tokenizer.json"), "AutoConfig": ((), "")}
_WEIGHTS = (("*.safetensors", "*.bin"), "model.safetensors")
"""Files of a model's weights, and their usual name."""


def folder_of(folder: Any) -> Path:
    """
    Return the folder of a model.

    Raises:
        ShieldError: torch or transformers is not installed.
        PolicyError: It is not the path of a folder.
    """
    if not isinstance(folder, str | Path) or not str(folder).strip():
        raise PolicyError(
            f"verifier: the folder of a model is {shown(folder)}; give its path, such as"
            " `models/minicheck`"
        )
    libraries()  # a missing library is reported before a missing folder
    if not Path(folder).is_dir():
        raise PolicyError(
            f"verifier: `{escaped(str(folder))}` is not a folder; download the model first, see"
            " `Models` in docs/answers.md"
        )
    return Path(folder)


def require_files(folder: Path, names: Sequence[str], *, usual: str) -> None:
    """
    Raise if a folder has no file with one of these names.

    Raises:
        PolicyError: There is none; shorter than the error of `transformers`.
    """
    if not any(True for name in names for _ in folder.glob(name)):
        raise PolicyError(
            f"verifier: `{escaped(str(folder))}` cannot be loaded: it has no `{usual}`; download"
            " the whole model, see `Models` in docs/answers.md"
        )


def load(kind: str, folder: str | Path, **options: Any) -> Any:
    """
    Return a tokenizer, configuration or model from a local folder, without running its code.

    Raises:
        PolicyError: It is not a folder, or cannot be loaded.
    """
    path = folder_of(folder)
    require_files(path, ("config.json", "adapter_config.json"), usual="config.json")
    names, usual = _FILES.get(kind, _WEIGHTS)
    if names:
        require_files(path, names, usual=usual)
    _, transformers = libraries()
    try:
        # a model's own code could do anything
        return getattr(transformers, kind).from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False, **options
        )
    except Exception as error:  # whatever a damaged file raises
        raise cannot_load(folder, error) from None


def load_model(kind: str, folder: str | Path) -> Any:
    """
    Return a model whose weights are all in its folder.

    Raises:
        PolicyError: It cannot be loaded, or lacks weights.
    """
    model, info = load(kind, folder, output_loading_info=True)
    require_all(folder, info["missing_keys"])
    return model


def require_all(folder: str | Path, missing: Sequence[str]) -> None:
    """
    Raise if weights are missing, which `transformers` would fill with random numbers.

    Raises:
        PolicyError: Any are missing.
    """
    if missing:
        names = ", ".join(f"`{escaped(name)}`" for name in sorted(missing)[:5])
        raise PolicyError(
            f"verifier: `{escaped(str(folder))}` lacks {len(missing)} weights of this model:"
            f" {names}{', ...' if len(missing) > 5 else ''}; use a folder of a trained model"
        )


def cannot_load(folder: str | Path, error: Exception) -> PolicyError:
    """Return the error of a folder whose files cannot be read as a model."""
    reason = escaped(describe_exception(error), limit=200)
    return PolicyError(f"verifier: `{escaped(str(folder))}` cannot be loaded: {reason}")


def _fill(form: str, **texts: str) -> str:
    """Return *form* with its fields replaced; braces in the texts are left alone."""
    return re.sub(r"\{(\w+)\}", lambda field: texts.get(field[1], field[0]), form)


def _positions(config: Any) -> int:
    """Return the number of token positions of a model; unlimited for relative positions."""
    places = getattr(config, "max_position_embeddings", None)
    if type(places) is not int or places < 1 or not getattr(config, "position_biased_input", True):
        return _LONGEST
    # RoBERTa counts positions from after the padding token
    return places - (config.pad_token_id + 1 if "roberta" in config.model_type else 0)

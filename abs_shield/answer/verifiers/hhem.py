"""HHEM-2.1-Open (Apache-2.0): a T5 encoder with a head over its first token."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from abs_shield.answer.transformer_verifier import (
    TransformerVerifier,
    cannot_load,
    folder_of,
    libraries,
    load,
    require_all,
    require_files,
)
from abs_shield.answer.verifier import Odds
from abs_shield.errors import PolicyError
from abs_shield.text.safe_display import escaped

_PREFIX, _WEIGHTS = "t5.", "model.safetensors"
_FORM = (
    "<pad> Determine if the hypothesis is true given the premise?\n\n"
    "Premise: {premise}\n\nHypothesis: {claim}"
)


class HHEM(TransformerVerifier):
    """
    The model as it is published: its weights in a T5 of `transformers`, none of its code.

    Args:
        folder: A folder with the published ``model.safetensors``.
        foundation: A folder with configuration and tokenizer of Flan-T5-base, on which it is built.
        tokens: Tokens that are read at most.
        device: Where the model runs.

    Raises:
        ShieldError: torch or transformers is not installed.
        PolicyError: The model cannot be loaded, or these are not its weights.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        foundation: str | Path,
        tokens: int = 2_048,
        device: str = "cpu",
    ) -> None:
        require_files(folder_of(folder), (_WEIGHTS,), usual=_WEIGHTS)
        tokenizer = load("AutoTokenizer", foundation)
        _, transformers = libraries()
        # the head of the published model: two classes of the first token
        model = transformers.T5ForTokenClassification(load("AutoConfig", foundation, num_labels=2))
        _fill(model, folder)
        super().__init__(model, tokenizer, form=_FORM, tokens=tokens, device=device)

    def score(self, read: Any, offsets: Any) -> list[Odds]:
        """Return the softmax of the first token's two classes."""
        logits = self._model(input_ids=read["input_ids"], attention_mask=read["attention_mask"])
        # `clamp`: rounding may exceed 1
        rows = logits.logits[:, 0, :].float().softmax(-1).clamp(0, 1).tolist()
        return [Odds(row[1]) for row in rows]


def _fill(model: Any, folder: str | Path) -> None:
    """Load the published weights into the model; raise if they do not match."""
    from safetensors.torch import load_file

    try:
        weights = load_file(Path(folder, _WEIGHTS))
        names = {name.removeprefix(_PREFIX): tensor for name, tensor in weights.items()}
        # not strict, as T5 shares its embedding under several names
        missing, unexpected = model.load_state_dict(names, strict=False)
    except Exception as error:  # whatever a damaged file raises
        raise cannot_load(folder, error) from None
    state = model.state_dict()
    # a shared tensor is loaded if any of its names is
    loaded = {state[name].data_ptr() for name in names if name in state}
    require_all(folder, [name for name in missing if state[name].data_ptr() not in loaded])
    if unexpected:
        raise PolicyError(
            f"verifier: `{escaped(str(folder))}` has weights of another model, such as"
            f" `{escaped(unexpected[0])}`"
        )

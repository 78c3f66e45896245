"""Models of a few thousand random weights, for tests with the extra `nli`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs `pip install abs-shield[nli]`")
pytest.importorskip("transformers", reason="needs `pip install abs-shield[nli]`")

import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from abs_shield.answer.verifiers.hhem import HHEM
from abs_shield.answer.verifiers.lettuce import LettuceDetect
from abs_shield.answer.verifiers.minicheck import MiniCheck
from abs_shield.answer.verifiers.sequence import SequenceVerifier

WORDS = "the tower is in paris berlin it was built 1889 not . tall premise hypothesis true".split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
SIZES: dict[str, Any] = {
    "vocab_size": 64, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 32, "max_position_embeddings": 600, "pad_token_id": 0,
}  # fmt: skip
T5: dict[str, Any] = {
    "vocab_size": 256, "d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2,
    "num_labels": 2, "pad_token_id": 0, "decoder_start_token_id": 0, "eos_token_id": 1,
    "tie_word_embeddings": False,
}  # fmt: skip


def tokenizer(folder: Path) -> Any:
    """Save a tokenizer of words in BERT's layout in *folder*, and return it."""
    vocabulary = {word: n for n, word in enumerate(SPECIAL + WORDS)}
    model_tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    model_tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    model_tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )  # fmt: skip
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=model_tokenizer, pad_token="[PAD]", unk_token="[UNK]",
        cls_token="[CLS]", sep_token="[SEP]", eos_token="[SEP]",
    )  # fmt: skip
    fast.save_pretrained(folder)
    return fast


def t5_tokenizer(folder: Path) -> Any:
    """Save a tokenizer in T5's layout, with the label tokens of Flan-T5, and return it."""
    words = ["<pad>", "</s>", "<unk>", "▁", *WORDS]
    words += [f"<{n}>" for n in range(len(words), 209)] + ["▁1"]
    model_tokenizer = Tokenizer(
        models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="<unk>")
    )
    model_tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    model_tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=model_tokenizer, pad_token="<pad>", unk_token="<unk>", eos_token="</s>"
    )
    fast.save_pretrained(folder)
    return fast


def bert(folder: Path, kind: str, labels: list[str]) -> Any:
    """Save a BERT with random weights so large that its logits differ, and return it."""
    torch.manual_seed(7)
    config = transformers.BertConfig(
        **SIZES, initializer_range=0.8, id2label=dict(enumerate(labels)),
        label2id={label: n for n, label in enumerate(labels)},
    )  # fmt: skip
    model = getattr(transformers, kind)(config).eval()
    model.save_pretrained(folder)
    return model


def t5(folder: Path, kind: str = "T5ForConditionalGeneration") -> Any:
    """Save a T5 with random weights in *folder*, and return it."""
    torch.manual_seed(3)
    model = getattr(transformers, kind)(transformers.T5Config(**T5, initializer_factor=1.0)).eval()
    model.save_pretrained(folder)
    return model


def nli(folder: Path) -> SequenceVerifier:
    """Return a verifier with a model of natural-language inference."""
    tokenizer(folder)
    bert(folder, "BertForSequenceClassification", ["contradiction", "neutral", "entailment"])
    return SequenceVerifier(folder)


def minicheck(folder: Path) -> MiniCheck:
    """Return MiniCheck with a Flan-T5."""
    t5_tokenizer(folder)
    t5(folder)
    return MiniCheck(folder)


def minicheck_encoder(folder: Path) -> MiniCheck:
    """Return MiniCheck with an encoder."""
    tokenizer(folder)
    bert(folder, "BertForSequenceClassification", ["LABEL_0", "LABEL_1"])
    return MiniCheck(folder)


def hhem(folder: Path) -> HHEM:
    """Return HHEM from a file with weights under ``t5.``, as it is published, and a foundation."""
    published, foundation = folder / "hhem", folder / "foundation"
    published.mkdir()
    t5_tokenizer(foundation)
    weights = t5(foundation, "T5ForTokenClassification").state_dict()
    (foundation / "model.safetensors").unlink()
    save_file(
        {f"t5.{name}": one.clone() for name, one in weights.items() if "embed_tokens" not in name},
        published / "model.safetensors",
    )
    return HHEM(published, foundation=foundation)


def lettuce(folder: Path) -> LettuceDetect:
    """Return LettuceDetect with a BERT of two token classes."""
    tokenizer(folder)
    bert(folder, "BertForTokenClassification", ["supported", "hallucinated"])
    return LettuceDetect(folder)


VERIFIERS: dict[str, Callable[[Path], Any]] = {
    "nli": nli,
    "minicheck": minicheck,
    "minicheck encoder": minicheck_encoder,
    "hhem": hhem,
    "lettuce": lettuce,
}
"""Every verifier, on a model made in a folder: a new one is one more row."""

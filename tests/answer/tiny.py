"""Real models of a few thousand weights, made where the extra `nli` is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra `nli` is not installed")
pytest.importorskip("transformers", reason="the extra `nli` is not installed")

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS = "the tower is in paris berlin it was built 1889 not . tall premise hypothesis true".split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
SIZES: dict[str, Any] = {
    "vocab_size": 64, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 32, "max_position_embeddings": 600, "pad_token_id": 0,
}  # fmt: skip


def tokenizer(folder: Path) -> Any:
    vocabulary = {word: n for n, word in enumerate(SPECIAL + WORDS)}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )  # fmt: skip
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]",
        cls_token="[CLS]", sep_token="[SEP]",
    )  # fmt: skip
    fast.save_pretrained(folder)
    return fast


def bert(folder: Path, kind: str, labels: list[str]) -> Any:
    """A BERT with random weights, so wide that its logits differ, saved in *folder*."""
    torch.manual_seed(7)
    config = transformers.BertConfig(
        **SIZES, initializer_range=0.8, id2label=dict(enumerate(labels)),
        label2id={label: n for n, label in enumerate(labels)},
    )  # fmt: skip
    model = getattr(transformers, kind)(config).eval()
    model.save_pretrained(folder)
    return model

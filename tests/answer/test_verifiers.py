"""Verifiers on real models of a few thousand weights, made here and read from their folder."""

from __future__ import annotations

from itertools import pairwise

import pytest

pytest.importorskip("torch", reason="the extra `nli` is not installed")
pytest.importorskip("transformers", reason="the extra `nli` is not installed")

import torch
import transformers
from safetensors.torch import save_file

from abs_shield.answer.evidence.types import Evidence, Passage, Source
from abs_shield.answer.scorers.verifier import entailment
from abs_shield.answer.transformer import chunks
from abs_shield.answer.types import Claim, Unavailable
from abs_shield.answer.verifiers.hhem import HHEM
from abs_shield.answer.verifiers.lettuce import LettuceDetect
from abs_shield.answer.verifiers.sequence import SequenceVerifier
from abs_shield.errors import PolicyError, ShieldError
from tests.answer.tiny import bert, tokenizer

PREMISE = "The tower is in Paris . It was built 1889 ."
CLAIMS = ["The tower is in Paris .", "The tower is in Berlin .", "tall"]


@pytest.fixture
def nli(tmp_path):
    """A folder with a model of three labels, and the model itself."""
    read = tokenizer(tmp_path)
    labels = ["contradiction", "neutral", "entailment"]
    return tmp_path, bert(tmp_path, "BertForSequenceClassification", labels), read


def test_a_sequence_model_gives_its_own_probabilities(nli):
    """What the adapter says is the model's softmax, label by label."""
    folder, model, read = nli
    found = SequenceVerifier(str(folder))(PREMISE, CLAIMS)
    with torch.no_grad():
        logits = [model(**read(PREMISE, claim, return_tensors="pt")).logits[0] for claim in CLAIMS]
    rows = [one.softmax(0).tolist() for one in logits]

    assert [row[2] for row in rows] == pytest.approx([odds.entailed for odds in found], abs=1e-5)
    assert [row[0] for row in rows] == pytest.approx(
        [odds.contradicted for odds in found], abs=1e-5
    )
    assert len({round(odds.entailed, 4) for odds in found}) > 1


def test_the_best_chunk_of_a_long_premise_counts(nli):
    """A premise longer than the model reads is cut; each chunk is asked, the maximum taken."""
    folder, _, read = nli
    short = SequenceVerifier(str(folder), tokens=32)
    long = " ".join([PREMISE] * 6)
    parts = chunks(read, long, 32 - 32 // 3 - 8)
    (whole,) = short(long, CLAIMS[:1])
    each = [short(part, CLAIMS[:1])[0].entailed for part in parts]

    assert len(parts) > 2
    assert max(each) == pytest.approx(whole.entailed, abs=1e-5)
    assert long.startswith(parts[0])
    assert long.endswith(parts[-1])
    assert all(a.split()[-1] in b for a, b in pairwise(parts))


def test_a_claim_without_end_is_cut(nli):
    """It leaves room for the premise."""
    folder, _, _ = nli
    (odds,) = SequenceVerifier(str(folder), tokens=32)(PREMISE, ["tower " * 5_000])

    assert 0 <= odds.entailed <= 1


def test_a_single_logit_is_a_sigmoid(tmp_path):
    """A model with one output says how probable support is."""
    read = tokenizer(tmp_path)
    model = bert(tmp_path, "BertForSequenceClassification", ["LABEL_0"])
    (odds,) = SequenceVerifier(str(tmp_path))(PREMISE, CLAIMS[:1])
    with torch.no_grad():
        logit = model(**read(PREMISE, CLAIMS[0], return_tensors="pt")).logits[0, 0]

    assert float(logit.sigmoid()) == pytest.approx(odds.entailed, abs=1e-5)
    assert 0 == odds.contradicted


@pytest.mark.parametrize(
    ("verifier", "head", "kind"),
    [
        (SequenceVerifier, "classifier", "BertModel"),
        (SequenceVerifier, "classifier", "BertForTokenClassification"),
        (LettuceDetect, "classifier", "BertModel"),
        (LettuceDetect, "classifier", "BertForMaskedLM"),
    ],
)
def test_a_folder_without_a_head_is_refused(verifier, head, kind, tmp_path):
    """A head that nobody trained would be filled with random numbers."""
    tokenizer(tmp_path)
    bert(tmp_path, kind, ["no", "supported"])
    options = {"supported": 1} if verifier is SequenceVerifier else {}
    if kind == "BertForTokenClassification":  # its head has the same name; its pooler is missing
        head = "pooler"

    with pytest.raises(ShieldError, match=rf"lacks .* weights .*{head}"):
        verifier(str(tmp_path), **options)


def test_a_model_that_writes_text_is_refused(tmp_path):
    """An encoder and decoder has no head that classifies."""
    read = tokenizer(tmp_path)
    config = transformers.T5Config(
        vocab_size=64, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, num_labels=2,
        pad_token_id=0, decoder_start_token_id=0, eos_token_id=3,
    )  # fmt: skip
    transformers.T5ForConditionalGeneration(config).save_pretrained(tmp_path)

    assert read.vocab_size
    with pytest.raises(ShieldError, match=r"lacks .* weights"):
        SequenceVerifier(str(tmp_path), supported=1)


def test_labels_are_found_or_named(tmp_path):
    """``not_entailment`` is not "supported"; a model whose labels say nothing must be told."""
    tokenizer(tmp_path)
    bert(tmp_path, "BertForSequenceClassification", ["not_entailment", "entailment"])
    by_name = SequenceVerifier(str(tmp_path))(PREMISE, CLAIMS)
    other = SequenceVerifier(str(tmp_path), supported="not_entailment")(PREMISE, CLAIMS)

    assert [1.0] * 3 == pytest.approx(
        [a.entailed + b.entailed for a, b in zip(by_name, other, strict=True)], abs=1e-5
    )
    with pytest.raises(PolicyError, match="the model has no label `yes`"):
        SequenceVerifier(str(tmp_path), supported="yes")
    bert(tmp_path, "BertForSequenceClassification", ["LABEL_0", "LABEL_1"])
    with pytest.raises(PolicyError, match="name one of LABEL_0, LABEL_1"):
        SequenceVerifier(str(tmp_path))
    assert SequenceVerifier(str(tmp_path), supported=1)(PREMISE, CLAIMS)


def test_lettuce_scores_the_least_supported_word(tmp_path):
    """One minus the highest P(hallucinated) among the claim's tokens."""
    read = tokenizer(tmp_path)
    model = bert(tmp_path, "BertForTokenClassification", ["supported", "hallucinated"])
    found = LettuceDetect(str(tmp_path), tokens=256)(PREMISE, CLAIMS)
    expected = []
    for claim in CLAIMS:
        pair = read(PREMISE, claim, return_tensors="pt")
        with torch.no_grad():
            wrong = model(**pair).logits[0].softmax(-1)[:, 1]
        ours = [n for n, part in enumerate(pair.sequence_ids(0)) if part == 1]
        expected.append(1 - max(float(wrong[n]) for n in ours))

    assert expected == pytest.approx(found, abs=1e-5)


def test_lettuce_reads_a_long_premise_in_chunks(tmp_path):
    """Each word is held against the chunk that supports it best, so more text never hurts."""
    tokenizer(tmp_path)
    bert(tmp_path, "BertForTokenClassification", ["supported", "hallucinated"])
    verifier = LettuceDetect(str(tmp_path), tokens=40, prompt="premise {premise} true")
    long = " ".join([PREMISE] * 8)
    found = verifier(long, CLAIMS)

    assert all(0 <= one <= 1 for one in found)
    assert found != verifier(PREMISE, CLAIMS)


def test_no_more_is_read_than_the_model_can(nli):
    """A limit above the model's own is lowered to that."""
    folder, _, _ = nli
    verifier = SequenceVerifier(str(folder), tokens=100_000)

    assert 600 == verifier.tokens
    assert 1 == len(verifier(" ".join([PREMISE] * 400), CLAIMS[:1]))


def test_a_prompt_needs_a_place_for_the_premise():
    """One line says so, before anything is loaded."""
    with pytest.raises(PolicyError, match="`prompt` has no"):
        LettuceDetect("model", prompt="Read this")


@pytest.fixture
def t5(tmp_path):
    """A T5 saved in the way HHEM is published: one file, each weight under ``t5.``."""
    foundation, published = tmp_path / "foundation", tmp_path / "hhem"
    published.mkdir()
    read = tokenizer(foundation)
    torch.manual_seed(3)
    config = transformers.T5Config(
        vocab_size=64, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, num_labels=2,
        pad_token_id=0, decoder_start_token_id=0, initializer_factor=1.0,
    )  # fmt: skip
    config.save_pretrained(foundation)
    model = transformers.T5ForTokenClassification(config).eval()
    weights = {f"t5.{name}": part.clone() for name, part in model.state_dict().items()}
    weights.pop("t5.transformer.encoder.embed_tokens.weight", None)
    save_file(weights, published / "model.safetensors")
    return foundation, published, model, read


def test_hhem_is_its_weights_in_a_plain_t5(t5):
    """The probability is the softmax over the first token's two logits."""
    foundation, published, model, read = t5
    found = HHEM(str(published), foundation=str(foundation))(PREMISE, CLAIMS)
    form = "<pad> Determine if the hypothesis is true given the premise?"
    form += "\n\nPremise: {}\n\nHypothesis: {}"
    expected = []
    for claim in CLAIMS:
        with torch.no_grad():
            logits = model(**read(form.format(PREMISE, claim), return_tensors="pt")).logits
        expected.append(float(logits[0, 0].softmax(-1)[1]))

    assert expected == pytest.approx(found, abs=1e-5)
    assert len({round(one, 4) for one in found}) > 1


def test_weights_of_another_model_are_refused(t5):
    """A file with other names in it is no HHEM."""
    foundation, published, _, _ = t5
    save_file({"bert.weight": torch.zeros(2)}, published / "model.safetensors")
    with pytest.raises(ShieldError, match=r"has not this model's weights: `bert\.weight`"):
        HHEM(str(published), foundation=str(foundation))


@pytest.mark.parametrize("kind", [SequenceVerifier, LettuceDetect, HHEM])
def test_a_folder_without_a_model_is_one_line(kind, tmp_path):
    """Nothing is fetched for a path that is not there."""
    missing = str(tmp_path / "none")
    options = {"foundation": missing} if kind is HHEM else {}
    with pytest.raises(ShieldError) as caught:
        kind(missing, **options)

    assert "cannot be loaded" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_real_model_scores_claims(nli):
    """The scorer hands a verifier the evidence and reads its odds."""
    folder, _, _ = nli
    evidence = Evidence((Passage("result:1", Source.TOOL_RESULT, PREMISE),))
    claims = tuple(Claim(text, 0, len(text)) for text in CLAIMS)
    scored = entailment(SequenceVerifier(str(folder)))(claims, evidence)

    assert not any(isinstance(one, Unavailable) for one in scored)
    assert all(0 <= one.score <= 1 for one in scored)
    assert all(PREMISE[s.start : s.end] == s.text for one in scored for s in one.spans)

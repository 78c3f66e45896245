"""Verifiers on models of a few thousand random weights that the tests save to a folder."""

from __future__ import annotations

import json
import socket
from itertools import pairwise

import pytest

pytest.importorskip("torch", reason="needs `pip install abs-shield[nli]`")
pytest.importorskip("transformers", reason="needs `pip install abs-shield[nli]`")

import torch
import transformers
from safetensors.torch import load_file, save_file

from abs_shield.answer import AnswerConfig
from abs_shield.answer.check_pipeline import checked
from abs_shield.answer.verifiers.hhem import HHEM
from abs_shield.answer.verifiers.lettuce import LettuceDetect
from abs_shield.answer.verifiers.minicheck import MiniCheck
from abs_shield.answer.verifiers.sequence import SequenceVerifier
from abs_shield.errors import PolicyError
from abs_shield.session import Session
from tests.answer.tiny import VERIFIERS, bert, hhem, minicheck, nli, t5, t5_tokenizer, tokenizer

PREMISE = "The tower is in Paris . It was built 1889 ."
CLAIMS = ["The tower is in Paris .", "The tower is in Berlin .", "tall"]
QUESTION = "is the tower in berlin"


def entailed(odds):
    """Return the probability of support of each claim."""
    return [one.entailed for one in odds]


def logits_of(model, read, *texts, **more):
    """Return the logits of the model for one input."""
    with torch.no_grad():
        return model(**read(*texts, return_tensors="pt"), **more).logits[0].float()


# What each model reads ----------------------------------------------------------------------------


def test_a_sequence_model_returns_the_softmax_of_its_labels(tmp_path):
    """Premise and claim are a pair; each label's probability is the softmax of its logit."""
    read = tokenizer(tmp_path)
    labels = ["contradiction", "neutral", "entailment"]
    model = bert(tmp_path, "BertForSequenceClassification", labels)
    report = SequenceVerifier(tmp_path)(PREMISE, CLAIMS)
    rows = [logits_of(model, read, PREMISE, claim).softmax(0).tolist() for claim in CLAIMS]

    assert [row[2] for row in rows] == pytest.approx(entailed(report), abs=1e-5)
    assert [row[0] for row in rows] == pytest.approx(
        [odds.contradicted for odds in report], abs=1e-5
    )
    assert len({round(one, 4) for one in entailed(report)}) > 1


def test_a_single_logit_is_a_sigmoid(tmp_path):
    """The output of a model with one label is the probability of support."""
    read = tokenizer(tmp_path)
    model = bert(tmp_path, "BertForSequenceClassification", ["LABEL_0"])
    (odds,) = SequenceVerifier(tmp_path)(PREMISE, CLAIMS[:1])

    assert float(logits_of(model, read, PREMISE, CLAIMS[0]).sigmoid()[0]) == pytest.approx(
        odds.entailed, abs=1e-5
    )
    assert 0 == odds.contradicted


def test_a_sequence_model_accepts_a_prompt(tmp_path):
    """With a form that contains `{claim}`, premise and claim are one text."""
    read = tokenizer(tmp_path)
    model = bert(tmp_path, "BertForSequenceClassification", ["LABEL_0", "LABEL_1"])
    verifier = SequenceVerifier(tmp_path, supported=1, form="premise {premise} hypothesis {claim}")
    rows = [logits_of(model, read, f"premise {PREMISE} hypothesis {one}") for one in CLAIMS]

    assert [float(row.softmax(0)[1]) for row in rows] == pytest.approx(
        entailed(verifier(PREMISE, CLAIMS)), abs=1e-5
    )


def test_minicheck_decodes_one_step(tmp_path):
    """The probability is the softmax of tokens 3 and 209 after ``predict: document</s>claim``."""
    read = t5_tokenizer(tmp_path)
    model = t5(tmp_path)
    report = MiniCheck(tmp_path)(PREMISE, CLAIMS)
    expected = []
    for claim in CLAIMS:
        ids = read(f"predict: {PREMISE}</s>{claim}", return_tensors="pt")["input_ids"]
        with torch.no_grad():
            logits = model(input_ids=ids, decoder_input_ids=torch.zeros((1, 1), dtype=torch.long))
        expected.append(float(logits.logits[0, 0, [3, 209]].softmax(0)[1]))

    assert 2 == ids[0].tolist().count(1)
    assert expected == pytest.approx(entailed(report), abs=1e-5)
    assert len({round(one, 4) for one in expected}) > 1


def test_minicheck_on_an_encoder_reads_one_text(tmp_path):
    """Document, separator and claim are one text; the second class means supported."""
    read = tokenizer(tmp_path)
    model = bert(tmp_path, "BertForSequenceClassification", ["LABEL_0", "LABEL_1"])
    rows = [logits_of(model, read, f"{PREMISE}[SEP]{claim}").softmax(0) for claim in CLAIMS]

    assert [float(row[1]) for row in rows] == pytest.approx(
        entailed(MiniCheck(tmp_path)(PREMISE, CLAIMS)), abs=1e-5
    )


def test_hhem_equals_a_t5_with_its_weights(tmp_path):
    """The probability is the softmax of the first token's two logits."""
    verifier = hhem(tmp_path)
    read, model = (
        t5_tokenizer(tmp_path / "again"),
        t5(tmp_path / "again", "T5ForTokenClassification"),
    )
    form = "<pad> Determine if the hypothesis is true given the premise?"
    form += "\n\nPremise: {}\n\nHypothesis: {}"
    expected = []
    for claim in CLAIMS:
        ids = read(form.format(PREMISE, claim), return_tensors="pt")["input_ids"]
        with torch.no_grad():
            expected.append(float(model(input_ids=ids).logits[0, 0].softmax(0)[1]))

    assert 0 == ids[0, 0]
    assert expected == pytest.approx(entailed(verifier(PREMISE, CLAIMS)), abs=1e-5)
    assert len({round(one, 4) for one in expected}) > 1


ANSWERED = (
    "Briefly answer the following question:\nis the tower in berlin\nBear in mind that your "
    "response should be strictly based on the following 1 passages:\npassage 1: "
    f"{PREMISE}\nIn case the passages do not contain the necessary information to answer the "
    'question, please reply with: "Unable to answer based on given passages."\noutput:'
)
SUMMED = f"Summarize the following text:\npassage 1: {PREMISE}\noutput:"


@pytest.mark.parametrize(("question", "prompt"), [(QUESTION, ANSWERED), (None, SUMMED)])
def test_lettuce_scores_the_least_supported_word(tmp_path, question, prompt):
    """The score is 1 - P(hallucinated) of the claim's worst token, with the training's prompt."""
    read = tokenizer(tmp_path)
    model = bert(tmp_path, "BertForTokenClassification", ["supported", "hallucinated"])
    report = LettuceDetect(tmp_path)(PREMISE, CLAIMS, question=question)
    for claim, odds in zip(CLAIMS, report, strict=True):
        pair = read(prompt, claim, return_offsets_mapping=True)
        own = [n for n, part in enumerate(pair.sequence_ids(0)) if part == 1]
        wrong = logits_of(model, read, prompt, claim).softmax(-1)[:, 1]
        marked = [place for start, end in odds.unsupported for place in range(start, end)]

        assert 1 - max(float(wrong[n]) for n in own) == pytest.approx(odds.entailed, abs=1e-5)
        for n in own:
            start, end = pair["offset_mapping"][n]
            assert (float(wrong[n]) > 0.5) == set(range(start, end)).issubset(marked)


def test_lettuce_joins_adjacent_words(tmp_path):
    """Adjacent unsupported words are one span."""
    tokenizer(tmp_path)
    model = bert(tmp_path, "BertForTokenClassification", ["supported", "hallucinated"])
    torch.nn.init.zeros_(model.classifier.weight)
    model.classifier.bias.data = torch.tensor([0.0, 3.0])
    model.save_pretrained(tmp_path)
    (odds,) = LettuceDetect(tmp_path)(PREMISE, ["the tower is tall"])

    assert ((0, 17),) == odds.unsupported
    assert 0.04 < odds.entailed < 0.05


def test_the_supported_label_is_detected_or_configured(tmp_path):
    """The label is detected by its name; a model with numbers as labels needs `supported`."""
    tokenizer(tmp_path)
    bert(tmp_path, "BertForSequenceClassification", ["not_entailment", "entailment"])
    by_name = SequenceVerifier(tmp_path)(PREMISE, CLAIMS)
    other = SequenceVerifier(tmp_path, supported="not_entailment")(PREMISE, CLAIMS)

    assert [1.0] * 3 == pytest.approx(
        [a + b for a, b in zip(entailed(by_name), entailed(other), strict=True)], abs=1e-5
    )
    with pytest.raises(PolicyError, match="the model has no label `yes`"):
        SequenceVerifier(tmp_path, supported="yes")
    bert(tmp_path, "BertForSequenceClassification", ["LABEL_0", "LABEL_1"])
    with pytest.raises(PolicyError, match="name one of LABEL_0, LABEL_1"):
        SequenceVerifier(tmp_path)
    assert SequenceVerifier(tmp_path, supported=1)(PREMISE, CLAIMS)


# What all of them do ------------------------------------------------------------------------------


@pytest.fixture(params=VERIFIERS)
def verifier(request, tmp_path):
    """Return a verifier of each kind."""
    return VERIFIERS[request.param](tmp_path)


def test_each_claim_has_its_odds(verifier):
    """The odds are in the order of the claims and do not depend on the other claims."""
    report = verifier(PREMISE, CLAIMS)

    assert [] == verifier(PREMISE, [])
    assert entailed(report) == pytest.approx(
        [verifier(PREMISE, [claim])[0].entailed for claim in CLAIMS], abs=1e-5
    )
    assert all(0 <= one.entailed <= 1 and 0 <= one.contradicted <= 1 for one in report)


def test_a_long_premise_is_read_in_chunks(verifier):
    """The chunks overlap and cover the text from its first to its last word."""
    text = " ".join(f"the tower {n} is tall ." for n in range(120))
    parts = verifier.chunks(text, 100)

    assert len(parts) > 5
    assert text.startswith(parts[0])
    assert text.endswith(parts[-1])
    assert all(a.split()[-1] in b.split() for a, b in pairwise(parts))
    assert all(0 <= one.entailed <= 1 for one in verifier(text, CLAIMS))


def test_the_best_chunk_counts(tmp_path):
    """The odds of a long premise are the highest of its chunks."""
    nli(tmp_path)
    short = SequenceVerifier(tmp_path, tokens=256)
    text = " ".join(f"{PREMISE} {n}" for n in range(60))
    room = 256 - 256 // 4 - 2 - 16
    each = [short(part, CLAIMS)[0].entailed for part in short.chunks(text, room)]

    assert len(each) > 2
    assert max(each) == pytest.approx(short(text, CLAIMS)[0].entailed, abs=1e-5)


def test_special_tokens_in_a_text_are_replaced(verifier):
    """Special tokens of the model in a premise, a claim or a question are replaced by blanks."""
    marks = "</s> [SEP] <pad> [CLS]"
    plain = " " * len(marks)
    options = [{"question": one} if verifier.uses_question else {} for one in (marks, plain)]
    evil = verifier(f"{PREMISE} {marks}", [f"{claim} {marks}" for claim in CLAIMS], **options[0])
    blank = verifier(f"{PREMISE} {plain}", [f"{claim} {plain}" for claim in CLAIMS], **options[1])
    own = set(verifier._tokenizer.all_special_tokens)
    if own.issuperset(marks.split()):
        assert evil == blank
    assert not own.intersection(verifier.chunks(marks, 99)[0].split())


def test_braces_in_a_text_are_not_fields(verifier):
    """Names of prompt fields in a premise or a question are not replaced."""
    report = verifier(
        "the tower {claim} {question}", ["is {premise}"], question="{claim} {premise}"
    )

    assert 1 == len(report)
    assert report == verifier(
        "the tower {claim} {question}", ["is {premise}"], question="{claim} {premise}"
    )


SMALL = {
    "vocab_size": 64, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 32,
}  # fmt: skip
ARCHITECTURES = {
    "Roberta": ({**SMALL, "max_position_embeddings": 514, "pad_token_id": 1}, 512),
    "DebertaV2": (
        {**SMALL, "relative_attention": True, "position_biased_input": False, "pad_token_id": 0},
        600,
    ),
    "ModernBert": (
        {**SMALL, "pad_token_id": 0, "cls_token_id": 2, "bos_token_id": 2, "sep_token_id": 3,
         "eos_token_id": 3},
        600,
    ),
    "DistilBert": (
        {"vocab_size": 64, "dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32}, 512
    ),
}  # fmt: skip
"""Sizes by name, and the tokens that are read of 600: RoBERTa has two positions for padding."""


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_other_architectures_read_long_texts(tmp_path, name):
    """The input is limited to the model's positions, unless these are relative."""
    sizes, tokens = ARCHITECTURES[name]
    config = getattr(transformers, f"{name}Config")(**sizes, num_labels=2)
    read = tokenizer(tmp_path)
    if name != "DebertaV2":
        read.model_input_names = ["input_ids", "attention_mask"]
        read.save_pretrained(tmp_path)
    getattr(transformers, f"{name}ForTokenClassification")(config).save_pretrained(tmp_path)
    verifier = LettuceDetect(tmp_path, tokens=600)
    report = verifier(f"{PREMISE} " * 80, ["tall", "berlin " * 900], question="is it " * 200)

    assert tokens == verifier.tokens
    assert all(0 <= one.entailed <= 1 for one in report)


def test_a_long_claim_is_truncated(verifier):
    """A long claim is truncated, so that the premise has room."""
    (odds,) = verifier(PREMISE, ["tower " * 5_000])

    assert 0 <= odds.entailed <= 1


def test_no_hub_is_contacted(verifier, monkeypatch, tmp_path):
    """Loading a model and scoring open no connection."""

    def refuse(*address):
        raise AssertionError(f"a connection to {address}")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    if isinstance(verifier, HHEM):
        again = HHEM(tmp_path / "hhem", foundation=tmp_path / "foundation")
    else:
        again = type(verifier)(tmp_path)

    assert verifier(PREMISE, CLAIMS) == again(PREMISE, CLAIMS)


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [SequenceVerifier, LettuceDetect, MiniCheck, HHEM])
@pytest.mark.parametrize("name", ["vectara/hallucination_evaluation_model", "none"])
def test_a_name_that_is_not_a_folder_is_refused(kind, name):
    """A name is not looked up in a hub: the error says to download the model first."""
    options = {"foundation": name} if kind is HHEM else {}
    with pytest.raises(PolicyError, match=f"`{name}` is not a folder; download the model first"):
        kind(name, **options)


@pytest.mark.parametrize("kind", [SequenceVerifier, LettuceDetect, MiniCheck, HHEM])
def test_an_empty_folder_is_refused(kind, tmp_path):
    """The error is one line."""
    options = {"foundation": tmp_path} if kind is HHEM else {}
    with pytest.raises(PolicyError, match="cannot be loaded") as caught:
        kind(tmp_path, **options)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("verifier", "kind", "missing"),
    [
        (SequenceVerifier, "BertModel", r"`classifier\.bias`, `classifier\.weight`"),
        (SequenceVerifier, "BertForTokenClassification", r"`bert\.pooler\.dense\.bias`"),
        (LettuceDetect, "BertModel", r"`classifier\.bias`, `classifier\.weight`"),
        (LettuceDetect, "BertForMaskedLM", r"`classifier\.bias`, `classifier\.weight`"),
        (MiniCheck, "BertModel", r"`classifier\.bias`, `classifier\.weight`"),
    ],
)
def test_missing_weights_are_named(verifier, kind, missing, tmp_path):
    """A model without its classification head is refused, because it would be random."""
    tokenizer(tmp_path)
    bert(tmp_path, kind, ["no", "supported"])
    options = {"supported": 1} if verifier is SequenceVerifier else {}

    with pytest.raises(PolicyError, match=rf"lacks \d+ weights of this model: {missing}"):
        verifier(tmp_path, **options)


def test_a_text_generation_model_is_refused(tmp_path):
    """An encoder-decoder model, such as MiniCheck-Flan-T5, is refused by the other verifiers."""
    minicheck(tmp_path)

    with pytest.raises(PolicyError, match=r"lacks \d+ weights of this model: `classification_head"):
        SequenceVerifier(tmp_path, supported=1)
    with pytest.raises(PolicyError, match=r"lacks 2 weights of this model: `classifier\.bias`"):
        LettuceDetect(tmp_path)


def test_minicheck_with_missing_decoder_weights_is_refused(tmp_path):
    """A weight that is missing in the decoder is named."""
    minicheck(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    del weights["decoder.block.0.layer.0.SelfAttention.q.weight"]
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})

    with pytest.raises(PolicyError, match=r"lacks 1 weights of this model: `decoder\.block\.0"):
        MiniCheck(tmp_path)


def test_minicheck_requires_the_vocabulary_of_flan_t5(tmp_path):
    """A T5 without the two label tokens and an encoder of three classes are refused."""
    words, encoder = tmp_path / "words", tmp_path / "encoder"
    tokenizer(words)
    t5(words)
    encoder.mkdir()
    nli(encoder)

    for folder in (words, encoder):
        with pytest.raises(PolicyError, match="is not a MiniCheck model"):
            MiniCheck(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda weights: {"bert.weight": torch.zeros(2)}, r"lacks \d+ weights of this model"),
        (lambda weights: weights | {"t5.bert": torch.zeros(2)}, "weights of another model.*`bert`"),
        (lambda weights: weights | {"t5.classifier.bias": torch.zeros(3)}, "cannot be loaded"),
        (
            lambda weights: {n: w for n, w in weights.items() if n != "t5.classifier.weight"},
            r"lacks 1 weights of this model: `classifier\.weight`",
        ),
    ],
)
def test_hhem_requires_exactly_its_own_weights(tmp_path, change, message):
    """Missing weights and weights of another model are errors."""
    hhem(tmp_path)
    file = tmp_path / "hhem" / "model.safetensors"
    save_file(change(load_file(file)), file)

    with pytest.raises(PolicyError, match=message):
        HHEM(tmp_path / "hhem", foundation=tmp_path / "foundation")


def test_damaged_weights_are_refused(tmp_path):
    """A truncated file and a configuration with other sizes are errors."""
    nli(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"hidden_size": 32}))
    with pytest.raises(PolicyError, match="cannot be loaded"):
        SequenceVerifier(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(config))
    file = tmp_path / "model.safetensors"
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(PolicyError, match="cannot be loaded"):
        SequenceVerifier(tmp_path)


@pytest.mark.parametrize("tokens", [255, True, "512"])
def test_tokens_must_be_at_least_256(tmp_path, tokens):
    """An invalid value of `tokens` raises an error."""
    nli(tmp_path)
    with pytest.raises(PolicyError, match=r"`tokens` is .*; give a number from 256"):
        SequenceVerifier(tmp_path, tokens=tokens)


def test_tokens_are_limited_to_the_positions_of_the_model(tmp_path):
    """A value above the model's positions is lowered to them."""
    nli(tmp_path)
    verifier = SequenceVerifier(tmp_path, tokens=100_000)

    assert 600 == verifier.tokens
    assert 1 == len(verifier(" ".join([PREMISE] * 400), CLAIMS[:1]))


def test_a_prompt_without_a_premise_is_an_error(tmp_path):
    """A prompt must contain `{premise}`."""
    VERIFIERS["lettuce"](tmp_path)
    with pytest.raises(PolicyError, match=r"the prompt lacks `\{premise\}`"):
        LettuceDetect(tmp_path, prompt="Read this")


# In a check ---------------------------------------------------------------------------------------


def test_an_answer_check_uses_the_verifier(verifier):
    """The verifier scores the claims that the words leave undecided, and no error occurs."""
    requests = []

    def counted(premise, claims, **question):
        requests.append(question)
        return verifier(premise, claims, **question)

    counted.uses_question = verifier.uses_question
    session = Session()
    session.user("is the tower in berlin?")
    session.tool_result("look", "The tower is in Paris. It was built 1889.")
    report = checked(
        "The tall tower is true.", session=session, config=AnswerConfig(verifier=counted)
    )

    assert () == report.errors
    assert requests
    assert all(("question" in one) == verifier.uses_question for one in requests)
    assert 0 <= report.report.claims[0].score <= 1

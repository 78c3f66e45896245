"""The lexical scorer: claims that the evidence supports score higher than others."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.claim_types import Claim, Opinion
from abs_shield.answer.evidence.evidence_passages import Evidence, Passage, PassageSource
from abs_shield.answer.scorers import SCORERS
from abs_shield.answer.scorers.lexical.lexical_features import FEATURES
from abs_shield.answer.scorers.lexical.lexical_weights import (
    ANSWER,
    Weights,
    parse,
    shipped_weights,
    to_json,
)
from abs_shield.answer.scorers.word_scorer import answer_score, count_remarks, words
from abs_shield.errors import ShieldError
from tests.processes import run_python

PARK = (
    "The harbour museum opened in 1968 and keeps 1,240 ship models. It is not open on Mondays. "
    "Admission costs 9 euros for adults, and children enter without paying. The engineer Ruth "
    "Okafor built the glass roof, which was larger than the old one."
)
LINES = (
    "bookings / 0 / id: W-77", "bookings / 0 / price: 1240", "bookings / 0 / city: Oslo",
    "bookings / 1 / id: W-78", "bookings / 1 / price: 310", "bookings / 1 / city: Turin",
)  # fmt: skip
POINTERS = tuple(f"/bookings/{n}/{name}" for n in (0, 1) for name in ("id", "price", "city"))


def evidence(*texts: str) -> Evidence:
    """Return these texts as tool results."""
    return Evidence(
        tuple(
            Passage(f"result:{n}", PassageSource.TOOL_RESULT, text) for n, text in enumerate(texts)
        )
    )


def booking_evidence() -> Evidence:
    """Return a JSON tool result as evidence, with one line for each of its values."""
    text = "\n".join(LINES)
    starts = [text.index(line) for line in LINES]
    lines = tuple(
        (start, start + len(line), pointer)
        for start, line, pointer in zip(starts, LINES, POINTERS, strict=True)
    )
    return Evidence((Passage("result:0", PassageSource.TOOL_RESULT, text, lines=lines),))


def score_claim(text: str, held: Evidence, *, question: str | None = None) -> Opinion:
    """Return the score of *text* as one claim."""
    return words((Claim(text, 0, len(text)),), held, question=question)[0]


def test_the_evidence_says_nothing_about_the_speaker():
    """A statement about its speaker scores lower, unless the evidence is in the first person."""
    plain, own = "Admission costs 9 euros for adults.", "Admission costs me 9 euros for adults."
    heard = evidence(PARK, "I went there with my children.")

    assert score_claim(own, evidence(PARK)).score < score_claim(plain, evidence(PARK)).score - 0.1
    assert score_claim(own, heard).score > score_claim(own, evidence(PARK)).score + 0.1


def test_the_speaker_may_introduce_a_statement():
    """ "I can confirm that" makes no statement about the speaker."""
    claim = "I can confirm that the harbour museum opened in 1968."
    introduced, own = score_claim(claim, evidence(PARK)), "I love how the harbour museum opened."

    assert introduced.score > score_claim(own, evidence(PARK)).score


@pytest.mark.parametrize(
    ("supported", "worse"),
    [
        ("The harbour museum opened in 1968.", "The harbour museum opened in 1986."),
        ("The harbour museum opened in 1968.", "The harbour museum has not opened in 1968."),
        ("It is not open on Mondays.", "It is open on Mondays."),
        ("The museum keeps 1,240 ship models.", "The museum keeps 2,140 ship models."),
        ("Ruth Okafor built the glass roof.", "Ruth Lindgren built the glass roof."),
        ("The roof was larger than the old one.", "The roof was smaller than the old one."),
        ("Admission costs 9 euros for adults.", "Rabbits dig tunnels beneath the meadow."),
        ("Children enter without paying.", "Children must show a school card at the gate."),
    ],
)
def test_a_supported_claim_scores_above_a_changed_one(supported: str, worse: str) -> None:
    """A changed number, name or word, a negation, and an unrelated sentence score lower."""
    held = evidence(PARK)

    assert score_claim(supported, held).score > score_claim(worse, held).score


@pytest.mark.parametrize(
    ("supported", "kind", "text"),
    [
        ("It opened in 1986.", "number", "1986"),
        ("It keeps 1.3 thousand models.", "number", "1.3 thousand"),
        ("The roof is by Ruth Lindgren.", "name", "Lindgren"),
    ],
)
def test_missing_numbers_and_names_have_their_offsets(supported: str, kind: str, text: str) -> None:
    """A missing value has its kind, its text and its offsets in the whole answer."""
    answer = f"Welcome to the page. {supported}"
    claim = claims_of(answer)[-1]
    (miss,) = words((claim,), evidence(PARK))[0].missing

    assert (kind, text) == (miss.kind, miss.text)
    assert text == answer[miss.start : miss.end]


@pytest.mark.parametrize(
    "supported",
    [
        "It keeps 1240 models.", "It keeps 1.2 thousand models.", "It keeps about 1.24k models.",
        "Adults pay 9 euros [4].", "It has two prices (passage 7).", "It opened in 1,968.",
    ],
)  # fmt: skip
def test_other_notations_of_a_number_are_not_missing(supported: str) -> None:
    """Grouping, scale and rounding do not matter; citations and small counts are not checked."""

    assert () == score_claim(supported, evidence(PARK)).missing


def test_the_nearest_sentence_is_the_first_span() -> None:
    """A span has the id of its passage, its offsets in the passage, and the text between them."""
    span = score_claim("Adults pay 9 euros for admission.", evidence("It rains.", PARK)).spans[0]

    assert "result:1" == span.piece
    assert PARK[span.start : span.end] == span.text
    assert span.text.startswith("Admission costs 9 euros")


def test_a_line_of_a_record_has_its_pointer() -> None:
    """A span of a JSON result has its JSON pointer; an index in a pointer is not a number."""
    held = booking_evidence()
    report = score_claim("The trip to Turin costs 310.", held)

    assert {"/bookings/1/price", "/bookings/1/city"} == {s.pointer for s in report.spans[:2]}
    assert ("0",) == tuple(miss.text for miss in score_claim("There are 0 trips.", held).missing)


def test_a_name_of_the_question_is_not_missing() -> None:
    """A name that the user's question contains is not reported as missing."""
    user_text = "The Bellweather hall keeps 1,240 ship models."
    held = evidence(PARK)

    request = score_claim(user_text, held, question="What about the Bellweather hall?")
    assert ("Bellweather",) == tuple(miss.text for miss in score_claim(user_text, held).missing)
    assert () == request.missing


def test_without_evidence_there_are_no_spans() -> None:
    """Without passages, and with empty ones, there is no span and a score below 0.4."""
    for held in (Evidence(()), evidence(""), evidence(" \n")):
        report = score_claim("The museum opened in 1968.", held)

        assert () == report.spans
        assert report.score < 0.4


def test_no_claims_have_no_scores() -> None:
    """The list of scores is empty, and the score of the whole answer raises."""

    assert () == words((), evidence(PARK))
    with pytest.raises(ValueError, match="without claims"):
        answer_score(())


def test_an_answer_of_one_claim_has_the_score_of_the_claim() -> None:
    """The score of the whole answer equals that of its only claim."""
    one = score_claim("The harbour museum opened in 1986.", evidence(PARK))

    assert one.score == pytest.approx(answer_score([one]))


def test_a_bad_claim_lowers_the_whole_answer() -> None:
    """An unsupported claim lowers the score of an answer of supported claims."""
    held = evidence(PARK)
    good = [score_claim("It is not open on Mondays.", held) for _ in range(4)]
    bad = score_claim("Rabbits dig tunnels beneath the meadow.", held)

    assert answer_score([*good, bad]) < answer_score([*good, good[0]])


def test_remarks_lower_the_score_of_an_answer() -> None:
    """A sentence of the document after "Yes, I love it!" scores lower than alone."""
    held = evidence(PARK)
    answer = "Yes, I love it! It is not open on Mondays."
    one = score_claim("It is not open on Mondays.", held)
    remarks = count_remarks(answer, [Claim("It is not open on Mondays.", 16, 42)], held)

    assert answer_score([one], remarks=remarks) < answer_score([one]) == pytest.approx(one.score)


def test_function_words_beside_a_wrong_number_do_not_support_it() -> None:
    """Of a claim with a wrong year only the content words and numbers are counted."""
    held = evidence(PARK)

    assert (1, 2) == score_claim("It opened in 1925.", held).count
    assert (4, 4) == score_claim("It opened in 1968.", held).count


def test_data_lacks_no_function_words() -> None:
    """Data has no sentences, so that function words of an answer count as found."""
    count = score_claim("It is in Oslo, and the price is 1,240.", booking_evidence()).count

    assert count.found == count.read


@pytest.mark.slow
def test_scores_do_not_depend_on_the_hash_seed() -> None:
    """Processes with different hash seeds give exactly the same scores."""
    code = (
        "from tests.answer.test_lexical import PARK, evidence, score_claim\n"
        "print([score_claim(s, evidence(PARK)) for s in PARK.split('. ')])"
    )
    output = {
        run_python("-c", code, variables={"PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2", "3")
    }

    assert 1 == len(output)


def test_a_truncated_claim_scores_at_most_one_half() -> None:
    """A claim of more words than are compared scores at most 0.5 even if these are supported."""
    held = evidence(PARK)
    long = " ".join([PARK] * 20)

    assert score_claim(long, held).score <= 0.5


@pytest.mark.slow
def test_the_newest_evidence_is_indexed() -> None:
    """If the evidence exceeds the limit of the index, the newest passages are indexed."""
    held = evidence("Old words stand here. " * 100_000, PARK)

    assert score_claim("The harbour museum opened in 1968.", held).spans[0].piece == "result:1"


HOSTILE = [
    "a" * 300_000, "a " * 100_000, "not " * 50_000, "1" * 300_000, "1." * 100_000, "[1" * 50_000,
    "passage 1 and " * 20_000, "\x00\ud800\u202e", "twenty-" * 40_000, "他" * 50_000, "é'" * 50_000,
    "1e999 9" * 20_000, "million 1 million " * 20_000, "²" * 50_000,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_scored(text: str) -> None:
    """A hostile text as evidence, claim and question gives a score in [0, 1]."""
    report = score_claim(text, evidence(text, PARK), question=text)

    assert 0 <= report.score <= 1


@given(st.text(max_size=200), st.text(max_size=200), st.none() | st.text(max_size=50))
def test_scores_and_offsets_are_valid(claim: str, held: str, question: str | None) -> None:
    """For any texts the score is in [0, 1], and at most three spans have correct offsets."""
    report = score_claim(claim, evidence(held), question=question)

    assert 0 <= report.score <= 1
    assert len(report.spans) <= 3
    assert all(held[span.start : span.end] == span.text for span in report.spans)
    assert all(claim[miss.start : miss.end] == miss.text for miss in report.missing)


def test_the_weights_name_their_training_data() -> None:
    """The shipped file has at most 100 KB and lists its training data with licences."""
    file = files("abs_shield.answer.scorers.lexical").joinpath("weights-4.json")
    report = json.loads(file.read_text("utf-8"))

    assert len(file.read_bytes()) <= 100_000
    assert "lexical-4" == report["version"]
    assert all(one["name"] and one["licence"] and one["answers"] for one in report["trained_on"])


def test_every_weight_has_the_sign_of_its_feature() -> None:
    """A feature that supports a claim never lowers its score."""
    weights = shipped_weights()
    layers = ((FEATURES, weights.claim), (ANSWER, weights.answer))

    assert all(
        w * sign >= 0
        for signs, layer in layers
        for w, sign in zip(layer.weights, signs.values(), strict=True)
    )


def test_weights_are_written_as_they_are_read() -> None:
    """Weights that are written and read are equal."""
    weights: Weights = shipped_weights()

    assert weights == parse(to_json(weights))


@pytest.mark.parametrize("part", ["claim", "answer", "calibration", "idf", "version"])
def test_an_incomplete_file_of_weights_is_an_error(part: str) -> None:
    """A file of weights without one of its parts raises an error."""
    weights = to_json(shipped_weights())
    del weights[part]

    with pytest.raises(ShieldError, match="train them again"):
        parse(weights)


def test_the_scorer_is_in_the_table() -> None:
    """The table of scorers has the lexical scorer under the name `words`."""

    assert words is SCORERS["words"].score

"""The report on an answer is stored with its decision, with texts only if runs are recorded."""

from __future__ import annotations

import json
from functools import partial

import pytest

from abs_shield import AnswerConfig, Shield, shield
from abs_shield.answer import Faithfulness
from abs_shield.answer.verifier import Odds
from abs_shield.core.events import Returned
from abs_shield.session.session_record import record_of
from abs_shield.shield import Recording, redacted
from abs_shield.stores import MemoryStore, SqliteStore

ANSWER = "Booking ABC123 costs 380.00 EUR."


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    """An empty store."""
    if request.param == "memory":
        yield MemoryStore()
        return
    log_store = SqliteStore(tmp_path / "log.db")
    yield log_store
    log_store.close()


def check_one(store, **options):
    """Return the decision and the stored report of one answer."""
    firewall = Shield(shield.configure(mode="strict"), store=store, hooks=None, **options)
    with firewall.session() as session:
        session.user("What does my booking ABC123 cost?")
        record_of(session).record_event(
            Returned("find_booking", "Booking ABC123 costs 420.00 EUR.", "c1")
        )
        report = firewall.check_answer(ANSWER)
    decision = session.answer_decisions[-1]
    return report, store.report(decision.id)


def test_without_a_recording_no_text_is_stored(store):
    """Only offsets, scores and statuses are stored."""
    report, kept = check_one(store)
    (claim,) = kept["claims"]

    assert ANSWER == ANSWER[claim["start"] : claim["end"]]
    assert ("contradicted", report.claims[0].score) == (claim["status"], claim["score"])
    assert {"source", "message", "pointer", "start", "end"} == set(claim["evidence_spans"][0])
    assert not [word for word in ("380.", "420.", "Booking") if word in json.dumps(kept)]


def test_a_recording_stores_the_whole_report(store, tmp_path):
    """With a recording, texts are stored as well."""
    report, kept = check_one(store, record=tmp_path / "runs.jsonl")

    assert report.to_dict() == kept


def test_the_redaction_of_a_recording_applies_to_reports(store, tmp_path):
    """Neither the log nor the run file has the redacted texts."""
    path = tmp_path / "runs.jsonl"
    hide = redacted(lambda text: text.replace("ABC123", "[id]"))
    _, kept = check_one(store, record=Recording(path=path, redact=hide))
    (line,) = path.read_text().splitlines()

    assert "Booking [id] costs 380.00 EUR." == kept["claims"][0]["text"]
    assert "ABC123" not in json.dumps(kept)
    assert "ABC123" not in line
    assert "answers" in json.loads(line)


def test_a_dropped_line_leaves_an_outline(store, tmp_path):
    """If the hook returns None, the log has no texts either."""
    record = Recording(path=tmp_path / "runs.jsonl", redact=lambda line: None)
    _, kept = check_one(store, record=record)

    assert "text" not in kept["claims"][0]


def test_a_store_without_reports_is_accepted(caplog):
    """Neither a custom store without reports nor one that raises blocks anything."""

    class Breaks(MemoryStore):
        def append_report(self, decision, report):
            raise RuntimeError("full")

    report, kept = check_one(Breaks())

    assert ("block", None) == (report.action, kept)
    assert "could not store a report" in caplog.text


QUOTES = {
    "a denial": (
        "The patient Maria Kellermann is not allergic to penicillin after May 3.",
        "The patient Maria Kellermann is allergic to penicillin after May 3.",
    ),
    "an opposite": (
        "The museum near the house of Maria Kellermann is closed on Mondays.",
        "The museum near the house of Maria Kellermann is open on Mondays.",
    ),
    "a direction": (
        [{"from": "Kellermann Street", "to": "Elm Street"}],
        "Maria moved from Elm Street to Kellermann Street with her two small cats and a piano.",
    ),
    "an action": (
        "Nothing was done.",
        "I have, as Maria Kellermann of Elm Street wished, cancelled the booking.",
    ),
    "a state": (
        [{"name": "Maria Kellermann", "test_status": "rejected"}],
        "The test of Maria Kellermann at the clinic in Elm Street was approved.",
    ),
    "another value": (
        "Last year the Kellermann bakery in Lyon sold 2.4 million loaves of bread.",
        "Last year the Kellermann bakery in Lyon sold 2.4 billion loaves of bread.",
    ),
    "words alone": (
        "The hotel of Maria Kellermann has a garden.",
        "Its owner collects violins from Cremona and reads Greek poetry every single night.",
    ),
}
"""A tool result, and an answer that it does not support."""
SENTENCE = 6
"""Number of consecutive words that count as a part of a sentence."""


def stored_content(store, tmp_path):
    """Return the content of a store: the bytes of its files, or the records in memory."""
    if isinstance(store, SqliteStore):
        store.flush()
        return "".join(
            path.read_bytes().decode("latin-1") for path in sorted(tmp_path.glob("log.db*"))
        )
    return repr([*store.decisions(), *store.reports()])


def quotes_in(text, *, of):
    """Return the parts of six words of a text that were written."""
    words = (text if isinstance(text, str) else json.dumps(text)).split()
    parts = [" ".join(words[n : n + SENTENCE]) for n in range(max(1, len(words) - SENTENCE + 1))]
    return [part for part in parts if part in of]


@pytest.mark.parametrize("case", QUOTES)
def test_no_sentence_is_written(store, tmp_path, case):
    """No sentence of the answer or the evidence is stored."""
    result, answer = QUOTES[case]
    config = AnswerConfig(words="gate", base_rate=0.5)
    firewall = Shield(shield.configure(mode="strict"), store=store, hooks=None)
    with firewall.session() as session:
        session.user("Tell me about it.")
        session.tool_result("look", result if isinstance(result, str) else json.dumps(result))
        report = firewall.check_answer(answer, config=config)
        firewall.settle_answer(answer, write=lambda feedback: f"{answer} So.", config=config)
    raw = stored_content(store, tmp_path)

    assert "emit" != report.action
    assert session.answer_decisions[-1].findings
    assert session.answer_decisions[-1].id in raw
    assert [] == quotes_in(result, of=raw) + quotes_in(answer, of=raw)


@pytest.mark.parametrize("case", ["a denial", "an opposite"])
def test_the_caller_receives_the_contradicting_sentence(case):
    """The report has it as the evidence of the claim."""
    sentence, answer = QUOTES[case]
    firewall = Shield(shield.configure(mode="strict"), hooks=None)
    with firewall.session() as session:
        session.tool_result("look", sentence)
        report = firewall.check_answer(answer)
    (finding, *_) = session.answer_decisions[-1].findings

    assert "contradicted" == report.claims[0].status
    assert sentence == report.claims[0].evidence_spans[0].text
    assert finding.detail.startswith("the evidence says otherwise: `")


def test_no_sentence_of_a_verifier_is_written(store, tmp_path):
    """Neither the passage that contradicts nor the marked part is stored."""
    sentence, answer = QUOTES["words alone"]

    def verifier(premise, claims, against=0.0):
        return [Odds(0.1, against, unsupported=((0, len(claim)),)) for claim in claims]

    firewall = Shield(shield.configure(mode="strict"), store=store, hooks=None)
    for model in (verifier, partial(verifier, against=0.8)):
        with firewall.session() as session:
            session.tool_result("look", sentence)
            firewall.check_answer(answer, config=AnswerConfig(verifier=model))
        assert session.answer_decisions[-1].findings
    raw = stored_content(store, tmp_path)

    assert [] == quotes_in(sentence, of=raw) + quotes_in(answer, of=raw)


def test_no_sentence_of_a_guarded_text_is_written(store, tmp_path):
    """Without a model, the reasons of the guardrail contain only words and values."""
    sentence, text = QUOTES["an opposite"]
    firewall = Shield(shield.configure(mode="strict"), store=store, hooks=None)
    guard = Faithfulness(provider="lexical", context=sentence, shield=firewall)
    with firewall.session():
        assert guard.check(text).denied
    raw = stored_content(store, tmp_path)

    assert [] == quotes_in(sentence, of=raw) + quotes_in(text, of=raw)

"""The report on an answer is kept beside its decision; texts only where runs are recorded."""

from __future__ import annotations

import json

import pytest

from abs_shield import Shield, shield
from abs_shield.core.events import Returned
from abs_shield.shield import Recording, redacted
from abs_shield.stores import MemoryStore, SqliteStore

ANSWER = "Booking ABC123 costs 380.00 EUR."


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    """An empty store."""
    if request.param == "memory":
        yield MemoryStore()
        return
    made = SqliteStore(tmp_path / "log.db")
    yield made
    made.close()


def checked(store, **options):
    """The decision and the kept report of one answer."""
    firewall = Shield(shield.configure(mode="strict"), store=store, hooks=None, **options)
    with firewall.session() as session:
        session.user("What does my booking ABC123 cost?")
        session.take(Returned("find_booking", "Booking ABC123 costs 420.00 EUR.", "c1"))
        report = firewall.check_answer(ANSWER)
    decision = session.answer_decisions[-1]
    return report, store.report(decision.id)


def test_without_a_recording_no_text_is_kept(store):
    """Offsets, scores and statuses stay, and lead back to the texts where one has them."""
    report, kept = checked(store)
    (claim,) = kept["claims"]

    assert ANSWER == ANSWER[claim["start"] : claim["end"]]
    assert ("contradicted", report.claims[0].score) == (claim["status"], claim["score"])
    assert {"source", "message", "pointer", "start", "end"} == set(claim["evidence_spans"][0])
    assert not [word for word in ("380", "420", "Booking") if word in json.dumps(kept)]


def test_a_recording_keeps_the_report_whole(store, tmp_path):
    """Who records runs has opted into texts."""
    report, kept = checked(store, record=tmp_path / "runs.jsonl")

    assert report.to_dict() == kept


def test_a_recordings_redaction_holds_for_reports(store, tmp_path):
    """Neither the log nor the run file has what the hook takes out."""
    path = tmp_path / "runs.jsonl"
    hide = redacted(lambda text: text.replace("ABC123", "[id]"))
    _, kept = checked(store, record=Recording(path=path, redact=hide))
    (line,) = path.read_text().splitlines()

    assert "Booking [id] costs 380.00 EUR." == kept["claims"][0]["text"]
    assert "ABC123" not in json.dumps(kept)
    assert "ABC123" not in line
    assert "answers" in json.loads(line)


def test_a_line_that_is_withheld_leaves_an_outline(store, tmp_path):
    """A hook that drops a run keeps its texts out of the log as well."""
    record = Recording(path=tmp_path / "runs.jsonl", redact=lambda line: None)
    _, kept = checked(store, record=record)

    assert "text" not in kept["claims"][0]


def test_a_store_without_reports_is_a_store(caplog):
    """A store of the host's own, and one that breaks, stop nothing."""

    class Breaks(MemoryStore):
        def append_report(self, decision, report):
            raise RuntimeError("full")

    report, kept = checked(Breaks())

    assert ("block", None) == (report.action, kept)
    assert "could not keep a report" in caplog.text

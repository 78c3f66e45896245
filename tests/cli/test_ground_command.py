"""`abs-shield ground`: recorded answers compared with the context that they were based on."""

from __future__ import annotations

import gzip
import json

import pytest

TEXT = "Order W-2040 has shipped from Oslo. It cost $120.50. It was placed on 2 March 2025."
GOOD = {"id": "good", "context": TEXT, "answer": "Order W-2040 has shipped from Oslo."}
BAD = {"id": "bad", "context": [TEXT], "answer": "Order W-2040 has not shipped from Oslo."}
NOTHING = {"id": "none", "context": TEXT, "answer": "Hello! How can I help you?"}
STATUSES = {"grounded", "unsupported", "contradicted", "divergent", "unverified"}
MISSES = {"number", "money", "date", "time", "id", "name"}


@pytest.fixture
def ground(command, file):
    """Return a function that checks answers as JSON lines and returns the reports."""

    def run(*records, **options):
        done = command("ground", file("answers.jsonl", *records), "--format", "jsonl", **options)
        assert (0, "") == (done.code, done.err)
        return [json.loads(line) for line in done.out.splitlines()]

    return run


def test_each_answer_is_one_json_line(ground):
    """Reports are in the order of the file, each with the documented fields."""
    report = ground(GOOD, BAD)

    assert [("good", "emit"), ("bad", "block")] == [(one["id"], one["action"]) for one in report]
    assert all(
        {"id", "overall_score", "action", "claims", "marked"} == {*one} - {"notes"}
        and 0 <= one["overall_score"] <= 1
        for one in report
    )
    for [claim] in (one["claims"] for one in report):
        assert {
            "text", "start", "end", "score", "critical", "status", "misses", "evidence",
        } == {*claim} - {"contradicted"}  # fmt: skip


def test_a_claim_has_its_status_and_evidence(ground):
    """Each span of evidence has its document's id and its offsets in that document."""
    context = [{"id": "tower", "text": "The tower is 300 m tall."}, TEXT]
    [report] = ground(
        {"id": 1, "context": context, "answer": f"The tower is 300 m tall. {BAD['answer']}"}
    )
    first, second = report["claims"]

    assert ("grounded", True, "contradicted") == (
        first["status"], first["critical"], second["status"],
    )  # fmt: skip
    assert "tower" == first["evidence"][0]["id"]
    assert "doc:2" in {one["id"] for one in second["evidence"]}
    for span in (*first["evidence"], *second["evidence"]):
        text = context[0]["text"] if span["id"] == "tower" else TEXT
        assert span["text"] == text[span["start"] : span["end"]]


def test_an_answer_without_claims_is_emitted(ground):
    """The report has no score, and the note `no_claims`."""
    [report] = ground(NOTHING)

    assert (None, "emit", [], ["no_claims"]) == (
        report["overall_score"], report["action"], report["claims"], report["notes"],
    )  # fmt: skip


def test_an_answer_without_context_is_unverified(ground):
    """The claim is `unverified`, and the action is `revise`."""
    [report] = ground({"id": 1, "context": [], "answer": "It weighs 30 kg."})

    assert (None, "revise", "unverified") == (
        report["overall_score"], report["action"], report["claims"][0]["status"],
    )  # fmt: skip


@pytest.mark.parametrize(
    "context",
    [TEXT, [TEXT], [{"id": "a", "text": TEXT}], [{"text": TEXT}], ["x", {"id": "a", "text": TEXT}],
     {"id": "a", "text": TEXT}, [{"id": 7, "text": TEXT, "title": "Orders"}]],
)  # fmt: skip
def test_every_shape_of_context_is_read(ground, context):
    """The context may be a text, a document with or without an id, or a list of both."""
    [report] = ground({"id": 1, "context": context, "answer": GOOD["answer"]})

    assert "emit" == report["action"]


def test_a_value_in_the_question_is_not_a_miss(ground):
    """A value is a miss if neither the context nor the question has it."""
    line = {"id": 1, "context": TEXT, "answer": "Order W-7755 is not among them."}
    request, unasked = ground({**line, "question": "Has W-7755 shipped?"}, line)

    assert ([], ["W-7755"]) == tuple(
        [miss["text"] for claim in one["claims"] for miss in claim["misses"]]
        for one in (request, unasked)
    )


ODD = [
    "\U0001f600 It cost $99.00. \U0001f4e6\U0001f4e6 It was placed on 7 May 2025.",
    "Cafe\u0301 W-7777 cost $99.00 \u0928\u093f at noe\u0308l; it has shipped from Bergen.",
    "\u202eIt cost $99.00\u202c. \ufeffOrder W-7777 has shipped\u200b from Oslo.",
    "\r\n\tIt cost $99.00.\r\n\r\n* Order W-7777 has shipped from Bergen.\u2028It cost $7.",
    "| Order | Cost |\n|---|---|\n| W-7777 | $99.00 |\n\n```\nx = 99\n```\nIt cost $99.00.",
    "It cost $99.00 \ud83d.",
]


@pytest.mark.parametrize("answer", ODD)
def test_offsets_count_characters_of_the_answer(ground, answer):
    """Offsets are correct after astral, combining and invisible characters, and in tables."""
    [report] = ground({"id": 1, "context": TEXT, "answer": answer})
    misses = [miss for claim in report["claims"] for miss in claim["misses"]]

    assert "$99.00" in [miss["text"] for miss in misses]
    assert MISSES >= {miss["kind"] for miss in misses}
    for one in (*report["claims"], *misses):
        assert one["text"] == answer[one["start"] : one["end"]]
    for claim in report["claims"]:
        assert all(claim["start"] <= m["start"] < m["end"] <= claim["end"] for m in claim["misses"])


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        ("Order W-2040 holds 77 parts.", "number", "77"),
        ("It cost $99.00.", "money", "$99.00"),
        ("It was placed on 7 May 2025.", "date", "7 May 2025"),
        ("It leaves Oslo at 17:45.", "time", "17:45"),
        ("Order W-7777 has shipped from Oslo.", "id", "W-7777"),
        ("Order W-2040 was carried by Kuehne.", "name", "Kuehne"),
    ],
)
def test_a_missing_value_is_reported_with_its_kind(ground, answer, kind, text):
    """The miss has the kind and text of the value that the context does not have."""
    [report] = ground({"id": 1, "context": TEXT, "answer": answer})

    assert (kind, text) in [(miss["kind"], miss["text"]) for miss in report["claims"][0]["misses"]]


def test_statuses_are_the_documented_ones(ground):
    """Many different answers have no other status than the documented ones."""
    answers = [GOOD["answer"], BAD["answer"], "It cost $99.00 in Bergen, and Mia paid it.", *ODD]
    report = ground(*({"id": 1, "context": c, "answer": a} for a in answers for c in (TEXT, [])))

    assert STATUSES >= {claim["status"] for one in report for claim in one["claims"]}


WRONG = [
    ("not json", "the line is not JSON"),
    ('{"id": 1, "context": "x", "answer": "x"', "the line is not JSON"),
    ("[1]", "an answer is an object, not a list of 1 item; write one object a line"),
    ('"x"', 'an answer is an object, not "x"'),
    ('{"id": 1, "context": "x"}', "it has no `answer`"),
    ('{"id": 1, "context": "x", "answer": null}', "it has no `answer`"),
    ('{"id": 1, "answer": "x"}', "it has no `context`"),
    ('{"id": 1, "context": null, "answer": "x"}', "it has no `context`"),
    ('{"id": 1, "context": "x", "answer": 5}', "`answer` is 5; give a text"),
    ('{"id": 1, "context": "x", "answer": ["x"]}', "`answer` is a list of 1 item; give a text"),
    ('{"id": 1, "context": 5, "answer": "x"}', "`context` is 5; give a text or a list"),
    ('{"id": 1, "context": [5], "answer": "x"}', "document 1 of `context` is 5"),
    ('{"id": 1, "context": [{"id": "a"}], "answer": "x"}', "document 1 of `context` is an object"),
    ('{"id": 1, "context": "x", "answer": "x", "question": 5}', "`question` is 5; give a text"),
    ('{"id": [1], "context": "x", "answer": "x"}', "`id` is a list of 1 item; give a text or a"),
    ('{"id": NaN, "context": "x", "answer": "x"}', "`id` is nan; give a text or a whole number"),
    ('{"id": true, "context": "x", "answer": "x"}', "`id` is true; give a text or a whole number"),
    ("[" * 100_000, "the line is nested too deeply"),
    ('{"id": "\x1b[2J", "context": "x"}', "the line is not JSON"),
]


@pytest.mark.parametrize(("line", "message"), WRONG)
def test_a_line_that_cannot_be_read(command, tmp_path, line, message):
    """The line is reported with its place, the others are checked, and the exit code is 2."""
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join([json.dumps(GOOD), line, "", json.dumps(BAD)]))
    done = command("ground", path, "--format", "jsonl")
    output, summary = done.err.splitlines()

    assert (2, ["good", "bad"]) == (
        done.code, [json.loads(line)["id"] for line in done.out.splitlines()],
    )  # fmt: skip
    assert output.startswith(f"{path}:2: ")
    assert message in output
    assert "abs-shield: 1 line could not be read" == summary
    assert "\x1b" not in done.err


def test_at_most_five_bad_lines_are_reported(command, tmp_path):
    """Five bad lines are reported, and all are counted."""
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join([line for line, _ in WRONG] + [json.dumps(GOOD)]))
    done = command("ground", path, "--format", "jsonl")

    assert 5 + 1 + 1 == done.err.count("\n")
    assert (
        f"answers.jsonl:6: from here on {len(WRONG) - 5} more lines that cannot be read" in done.err
    )
    assert f"abs-shield: {len(WRONG)} lines could not be read" in done.err
    assert 1 == done.out.count("\n")


def test_ids_may_repeat_or_be_missing(ground):
    """Each line is checked by itself, and its report has the line's id."""
    report = ground(GOOD, GOOD, {"context": TEXT, "answer": GOOD["answer"]})

    assert ["good", "good", None] == [one["id"] for one in report]
    assert 1 == len({one["overall_score"] for one in report})


def test_other_fields_of_a_line_are_ignored(ground):
    """Labels and other fields of data sets do not change the report."""
    line = {**GOOD, "label": "bad", "spans": [[0, 5]], "question": None, "n": float("nan")}
    first, second = ground(GOOD, line)

    assert first == second


@pytest.mark.parametrize("form", ["table", "jsonl"])
def test_an_empty_file(command, file, form):
    """A file without answers is an error, unless `--allow-empty` is given."""
    refused = command("ground", file("answers.jsonl"), "--format", form)
    allowed = command("ground", file("answers.jsonl"), "--format", form, "--allow-empty")

    assert (2, "", 1) == (refused.code, refused.out, refused.err.count("\n"))
    assert "no answer was read; give another file, or `--allow-empty`" in refused.err
    assert (0, "") == (allowed.code, allowed.err)


@pytest.mark.parametrize("form", ["table", "jsonl"])
def test_standard_input(command, form):
    """`-` reads answers from stdin."""
    done = command("ground", "-", "--format", form, stdin=json.dumps(GOOD) + "\n")

    assert (0, "") == (done.code, done.err)
    assert "good" in done.out


def test_a_gzip_file_is_read(command, tmp_path):
    """A gzip file is detected by its first bytes, whatever its name is."""
    path = tmp_path / "answers"
    path.write_bytes(gzip.compress(json.dumps(GOOD).encode()))

    assert "emit" == json.loads(command("ground", path, "--format", "jsonl").out)["action"]


def test_a_table(command, file):
    """The table has one row for each answer, with its weakest claim or the note `no_claims`."""
    done = command("ground", file("answers.jsonl", GOOD, BAD, NOTHING, {**GOOD, "id": None}))
    rows = [line for line in done.out.splitlines() if "emit" in line or "block" in line]

    assert (0, 4) == (done.code, len(rows))
    assert "good" in rows[0]
    assert "contradicted" in rows[1]
    assert "no_claims" in rows[2]
    assert "None" not in rows[3]


def test_a_table_escapes_control_characters(command, file):
    """Control characters of a file do not reach the terminal."""
    line = {"id": "\x1b[2J[bold]\u202e", "context": TEXT, "answer": "It \x1b]0;own\x07cost $7.00."}
    done = command("ground", file("answers.jsonl", line))

    assert [] == [c for c in done.out if c != "\n" and not c.isprintable()]


def test_output_to_a_file(command, file, tmp_path):
    """With `--output` nothing is printed, and the file has the reports."""
    out = tmp_path / "told.jsonl"
    source = file("answers.jsonl", GOOD, NOTHING)
    done = command("ground", source, "--format", "jsonl", "--output", out)

    assert (0, "", "") == done
    assert ["good", "none"] == [json.loads(line)["id"] for line in out.read_text().splitlines()]


def test_the_input_is_refused_as_output(command, file):
    """The input file is unchanged."""
    path = file("answers.jsonl", GOOD)
    done = command("ground", path, "--format", "jsonl", "--output", path)

    assert (2, "") == (done.code, done.out)
    assert "is read as well; name another file" in done.err
    with open(path) as same:
        assert json.loads(same.read()) == GOOD


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["/nowhere.jsonl"], "name a file that exists"),
        (["{file}", "--format", "jsnl"], "did you mean `jsonl`?"),
        (["{file}", "--fromat", "jsonl"], "did you mean `--format`?"),
        ([], "FILE"),
    ],
)
def test_bad_usage(command, file, argv, message):
    """A wrong option is exit code 2 and one line that suggests a valid value."""
    path = file("answers.jsonl", GOOD)
    done = command("ground", *(each.format(file=path) for each in argv))

    assert (2, "") == (done.code, done.out)
    assert message in done.err
    assert 1 == done.err.count("\n")


def test_the_reports_are_deterministic(ground):
    """The same answers give the same reports, because no model is used."""
    records = [GOOD, BAD, NOTHING, {"id": 1, "context": TEXT, "answer": "It cost $99.00."}]

    assert ground(*records) == ground(*records)

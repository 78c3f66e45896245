"""Labels of calls: where they are given, how they are read, and the figures from them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.backtest import (
    Comparison,
    LabelLine,
    Labels,
    PolicyFigures,
    Proportion,
    Side,
    compare,
    label_lines,
    read_label,
)
from abs_shield.core.label import Truth
from abs_shield.policy import configure
from abs_shield.replay import BadLine, Toolsets, runs

ONE_A_LINE = "write one object a line, as `jq -c '.[]' FILE` does"
OK, BAD = Truth.OK, Truth.HALLUCINATED
CALLS = [
    {"id": "x", "name": "find_book", "arguments": {"title": "Emma"}},
    {"id": "y", "name": "find_boook", "arguments": {"title": "Emma"}},
    {"id": "y", "name": "find_book", "arguments": {"title": 5}},
    {"id": "z", "name": "find_book", "arguments": {"title": "Emma"}},
]


@pytest.fixture
def compare_labelled(written, a_run):
    """Compare runs of four calls, with labels; the second and third call are blocked."""

    def run(calls=None, *, lines=(), sessions=(None,)):
        policy = configure(layers=["phantom_tool", "parameter_mismatch"])
        side = Side(policy)
        into = Comparison.of(side)
        outside = Labels()
        for line in lines:
            outside.add(read_label(line))
        record = [
            a_run({"role": "assistant", "tool_calls": CALLS}, run_id=f"r{n}", session_id=session,
                  labels={} if calls is None else {"calls": calls})
            for n, session in enumerate(sessions, 1)
        ]  # fmt: skip
        for one in runs([written(*record)], Toolsets()):
            assert compare(one, side, None, into=into, labels=outside) is None
        return into

    return run


@pytest.mark.parametrize(
    "calls",
    [
        {"0": "ok", "1": "hallucinated", "z": "hallucinated"},
        [
            {"call_index": 0, "label": "ok"},
            {"call_index": 1, "label": "hallucinated"},
            {"call_id": "z", "label": "hallucinated"},
        ],
    ],
)
def test_labels_in_a_run(compare_labelled, calls):
    """An object of call to label, or a list: by index from 0, or by id."""
    into = compare_labelled(calls)

    score = into.new.score("flagged")
    assert {OK: 1, BAD: 2} == into.new.labelled
    assert (Proportion(1, 1), Proportion(1, 2)) == (score.precision, score.recall)
    assert (3, 3) == (into.in_runs, into.in_runs_matched)
    assert ["z"] == [one.call_id for one in into.missed]


@pytest.mark.parametrize(
    "line",
    [
        {"run_id": "r1", "call_index": 0},
        {"run_id": "r1", "call_id": "x"},
        {"session_id": "s", "call_id": "x"},
        {"session_id": "s", "call_index": 0},
        {"run_id": "another", "session_id": "s", "call_id": "x"},
        {"run_id": "r1", "session_id": "another", "call_index": 0, "call_id": "w"},
    ],
)
def test_labels_in_a_file(compare_labelled, line):
    """A line finds its call by the run or the session, and by index or id."""
    into = compare_labelled(
        lines=[{**line, "label": "ok", "note": "whatever else"}], sessions=["s"]
    )

    assert ({OK: 1}, {0}, set()) == (into.new.labelled, into.matched, into.repeated)


def test_a_label_without_its_call_is_not_matched(compare_labelled):
    """Labels with an unknown run, index or call id are not counted as matched."""
    lines = [
        {"run_id": "r1", "call_index": 9, "label": "ok"},
        {"run_id": "r2", "call_id": "x", "label": "ok"},
        {"run_id": "r1", "call_id": "x", "label": "ok"},
    ]

    assert {2} == compare_labelled(lines=lines).matched


def test_an_ambiguous_label_is_reported(compare_labelled):
    """A label that matches two runs of a session or a repeated call id is reported."""
    index = [{"session_id": "s", "call_index": 0, "label": "ok"}]
    twice = [{"run_id": "r1", "call_id": "y", "label": "hallucinated"}]

    assert {0} == compare_labelled(lines=index, sessions=["s", "s"]).repeated
    assert {0} == compare_labelled(lines=twice).repeated


def test_a_label_of_a_file_overrides_that_of_the_run(compare_labelled):
    """If both label a call, the label of the file counts."""
    into = compare_labelled(
        {"0": "hallucinated"}, lines=[{"run_id": "r1", "call_index": 0, "label": "ok"}]
    )

    assert ({OK: 1}, 0) == (into.new.labelled, into.disputed)


def test_labels_that_disagree_do_not_count(compare_labelled):
    """A call with two different labels is counted as disputed and not as labelled."""
    into = compare_labelled({"0": "hallucinated", "x": "ok"})

    assert (0, 1) == (into.new.labelled.total(), into.disputed)


def test_scores_of_layers(compare_labelled):
    """Each layer's own findings are scored, for flags and for blocks."""
    into = compare_labelled({"0": "ok", "1": "hallucinated", "2": "ok", "3": "ok"})

    blocks = into.new.score("blocked", layer="phantom_tool")
    assert (Proportion(1, 1), Proportion(1, 1)) == (blocks.precision, blocks.recall)
    assert Proportion(0, 1) == into.new.score("flagged", layer="parameter_mismatch").precision
    assert Proportion(1, 2) == into.new.score("blocked").precision
    assert [2] == [one.call_index for one in into.false_alarms]


def test_the_sweep_at_the_own_threshold_equals_the_decisions(compare_labelled):
    """At the policy's threshold the sweep has the scores and shares of the decisions."""
    figures: PolicyFigures = compare_labelled(
        {"0": "ok", "1": "hallucinated", "2": "ok", "z": BAD}
    ).new
    (own,) = (point for point in figures.sweep() if point.own)

    assert (0.8, figures.score("flagged"), figures.score("blocked")) == (
        own.threshold, own.flags, own.blocks,
    )  # fmt: skip
    assert (Proportion(2, 4), Proportion(2, 4)) == (own.flagged, own.blocked)


def test_what_was_noticed_on_a_missed_call(written, a_run):
    """A missed call shows also the findings that were too weak to count."""
    question = {"role": "user", "content": "Please lend the book."}
    call = {"name": "lend_book", "arguments": {"book_id": "B-77120"}}
    state = {"role": "assistant", "tool_calls": [call]}
    (run,) = runs([written(a_run(question, state, labels={"calls": {"0": BAD}}))], Toolsets())
    side = Side(configure(threshold=0.01, layers=["phantom_target"]))
    into = Comparison.of(side)
    compare(run, side, None, into=into)

    assert [("unseen", False)] == [
        (finding.code, finding.counted) for finding in into.missed[0].appeared
    ]


def test_a_file_is_read_line_by_line(written):
    """Wrong lines are named with what is wrong, null labels are left out, gzip or not."""
    path = written(
        {"run_id": "r", "call_index": 1, "label": "ok"},
        b"{",
        {"run_id": "r", "call_index": 2, "label": None},
        {"run_id": "r", "label": "ok"},
        {"call_id": "c", "label": "ok"},
        {"run_id": "r", "call_index": "1", "label": "ok"},
        {"run_id": "r", "call_index": 1, "lable": "ok"},
        {"run_id": "r", "call_index": 1, "label": "wrong\x1b"},
        [],
        {"run_id": "r", "call_index": True, "label": "ok"},
        {"run_id": 7, "call_index": 0, "label": "hallucinated"},
    )
    read = list(label_lines(path))

    assert [
        (1, LabelLine(label=OK, run_id="r", call_index=1)),
        BadLine(
            path,
            2,
            "the line is not JSON: Expecting property name enclosed in double quotes at character"
            " 2; write one object a line, as `jq -c '.' FILE` does",
        ),
        BadLine(path, 4, "a label names a `call_index` or a `call_id`"),
        BadLine(path, 5, "a label names a `run_id` or a `session_id`"),
        BadLine(path, 6, '`call_index` is "1"; give a number from 0'),
        BadLine(path, 7, "the field `label` is missing; did you mean `lable`?"),
        BadLine(path, 8, '`label` is "wrong\\x1b"; give `hallucinated` or `ok`'),
        BadLine(path, 9, f"a label is an object, not a list of 0 items; {ONE_A_LINE}"),
        BadLine(path, 10, "`call_index` is true; give a number from 0"),
        (11, LabelLine(label=BAD, run_id="7", call_index=0)),
    ] == read


@pytest.mark.parametrize(
    "calls",
    [
        "ok",
        3,
        ["ok"],
        {"0": "okay"},
        {"0": 1},
        {"0": []},
        [{"label": "ok"}],
        [{"call_index": -1, "label": "ok"}],
    ],
)
def test_invalid_labels_of_a_run_are_a_bad_line(written, a_run, calls):
    """The line is reported with the reason."""
    side = Side(configure())
    (run,) = runs([written(a_run(labels={"calls": calls}))], Toolsets())
    bad = compare(run, side, None, into=Comparison.of(side))

    assert isinstance(bad, BadLine)
    assert bad.reason.startswith("labels.calls: ")


def test_one_call_has_one_label():
    """A second line about a call repeats the label, or is refused."""
    labels = Labels()
    labels.add(LabelLine(label=OK, run_id="r", call_index=1))
    labels.add(LabelLine(label=OK, run_id="r", call_index=1))

    assert 1 == labels.count
    with pytest.raises(ValueError, match="call 1 of run `r` is labelled ok already"):
        labels.add(LabelLine(label=BAD, run_id="r", call_index=1))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.sampled_from(list(Truth)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["label", "run_id", "session_id", "call_index", "call_id", "0"]), inner
        )
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_json_is_a_label_or_an_error(value):
    """For any JSON the reader returns a label or raises a ValueError of one line."""
    record = value if isinstance(value, dict) else {"label": value}
    message = ""
    try:
        read = read_label(json.loads(json.dumps(record)))
    except ValueError as error:
        read, message = None, str(error)

    assert (read is None or read.label in Truth, message.count("\n")) == (True, 0)

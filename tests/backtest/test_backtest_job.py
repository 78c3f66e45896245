"""The job of a backtest: the part that it returns for a chunk, and the sum of the parts."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.backtest import Backtesting, Comparison, Kind, Side, compare
from abs_shield.backtest.policy_side import example
from abs_shield.core import Finding, Verdict
from abs_shield.policy import configure
from abs_shield.replay import BadLine, SessionStart, Toolsets, chunks, raw_lines, runs

TOOL = {"name": "lend_book", "parameters": {"properties": {"copy": {"type": "integer"}}}}
NEW = """
from abs_shield.policy import configure, rule

@rule(tool="lend_book")
def once(copy, session):
    '''One copy is lent in a session.'''
    return not session.executed

policy = configure(rules=[once], layers=["impossible_state"], mode="audit")
"""


def a_line(run_id, *names, **more):
    """Return a run that calls these tools, each with a result."""
    messages = [{"role": "user", "content": "Lend me copy 3."}]
    for n, name in enumerate(names):
        call = {"id": str(n), "name": name, "arguments": {"copy": 3}}
        messages.append({"role": "assistant", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": str(n), "content": "lent"})
    return {"run_id": run_id, "tools": [TOOL], "messages": messages, **more}


def parts_of(job, path, *, most_lines):
    """Yield the part of each chunk from a job that was pickled, as worker processes do."""
    done = pickle.loads(pickle.dumps(job)).prepare()
    for chunk in chunks(raw_lines([path]), most_lines=most_lines):
        yield pickle.loads(pickle.dumps(done(chunk)))


@pytest.fixture
def policy(tmp_path):
    """Write a policy under which a session lends once; give its place."""
    (tmp_path / "new.py").write_text(NEW)
    return f"{tmp_path / 'new.py'}:policy"


def test_a_part_has_counts_sessions_and_bad_lines(policy, written):
    """A part has the counts of enforced modes, the first run, bad lines and session starts."""
    twice = a_line("a", "lend_book", "lend_book", session_id="s")
    path = written(b"{", twice, a_line("b", labels={"calls": 3}))
    job = Backtesting(policy=policy, strict=True)

    (part,) = parts_of(job, path, most_lines=9)

    assert (2, 1) == (part.comparison.runs, part.comparison.new.hit("blocked"))
    assert "a" == part.first_run
    assert [(BadLine, 1), (SessionStart, 2), (BadLine, 3)] == [
        (type(one), one.line) for one in part.notes
    ]
    assert 0 == sum(
        one.comparison.new.hit("blocked")
        for one in parts_of(replace(job, strict=False), path, most_lines=9)
    )


@pytest.mark.parametrize(
    ("sessions", "blocked"),
    [("ss", 1), ("sts", 0), ("s-s", 0), (("s", None), 0), ((None, None), 0)],
)
def test_a_session_ends_at_the_first_line_of_another(policy, written, sessions, blocked):
    """Under both policies a session that is resumed later is a new session."""
    lines = [
        b"no JSON" if name == "-" else a_line(str(n), "lend_book", session_id=name)
        for n, name in enumerate(sessions)
    ]
    job = Backtesting(policy=policy, against=policy, strict=True)

    for most_lines in (1, 9):
        done = [part.comparison for part in parts_of(job, written(*lines), most_lines=most_lines)]
        assert blocked == sum(one.new.hit("blocked") for one in done)
        assert blocked == sum(one.old.hit("blocked") for one in done)


NAMES = st.lists(st.lists(st.sampled_from([f"tool{n}" for n in range(9)]), max_size=5), max_size=9)


@given(NAMES, st.integers(1, 4))
def test_merged_parts_equal_one_comparison_with_limited_names(
    tmp_path_factory, entries, most_lines
):
    """If the number of tools or errors exceeds its limit, merged parts have the same counts."""
    path = tmp_path_factory.mktemp("runs") / "runs.jsonl"
    lines = [a_line(f"r{n}", *names) for n, names in enumerate(entries)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    new, old = Side(configure(layers=["phantom_tool", errs])), Side(configure(layers=[some]))
    whole, merged = Comparison.of(new, old, most=2), Comparison.of(new, old, most=2)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("abs_shield.backtest.policy_comparison._TOOLS", 3)
        patch.setattr("abs_shield.backtest.policy_figures._REASONS", 2)
        read = list(runs([str(path)], Toolsets()))
        for run in read:
            compare(run, new, old, into=whole)
        for start in range(0, len(read), most_lines):
            part = Comparison.of(new, old, most=2, bounded=False)
            for run in read[start : start + most_lines]:
                compare(run, new, old, into=part)
            merged.merge(pickle.loads(pickle.dumps(part)))

    assert whole == merged
    for counts in ("tools", "layers", "kinds"):
        assert list(getattr(whole, counts)) == list(getattr(merged, counts))


def errs(proposal, session):
    """Breaks, in nine ways."""
    raise RuntimeError(proposal.name)


def some(proposal, session):
    """Is sure of two tools."""
    if proposal.name in ("tool1", "tool2"):
        yield Finding(
            check="some", verdict=Verdict.HALLUCINATED, strength=1.0, where="/name",
            detail="known", code="known",
        )  # fmt: skip


def test_an_example_can_be_pickled(written):
    """Unpicklable values of a finding are removed, except the file and line of a rule."""

    def odd(proposal, session):
        evidence = {"file": "shop.py", "line": 7, "open": (lambda: 1)}
        yield Finding(
            check="odd", verdict=Verdict.HALLUCINATED, strength=1.0, where="/name",
            detail="odd", code="odd", got=(lambda: 2), allowed=((lambda: 3),), evidence=evidence,
        )  # fmt: skip

    side = Side(configure(layers=[odd]))
    (run,) = runs([written(a_line("a", "lend_book"))], Toolsets())
    (ruled,) = side.ruled(run)

    result = pickle.loads(pickle.dumps(example(run, ruled, None)))
    assert {"file": "shop.py", "line": 7} == result.appeared[0].evidence


def test_an_example_has_the_place_of_its_rule(policy, written):
    """The file and line of a rule are in the part that a worker process returns."""
    path = written(a_line("a", "lend_book", "lend_book"))
    job = Backtesting(policy=policy, against=policy.replace("new.py", "old.py"), strict=True)
    place = policy.removesuffix("new.py:policy")
    with open(f"{place}old.py", "w") as file:
        file.write("policy = {'layers': []}")

    (part,) = parts_of(job, path, most_lines=9)

    (result,) = part.comparison.examples[Kind.ALLOW_TO_BLOCK][0].appeared
    assert (f"{place}new.py", 4) == (result.evidence["file"], result.evidence["line"])

"""The labelled runs with natural errors are well formed, and the benchmark reads all of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from tests.processes import load_benchmark, run_python
from tests.rows import each_row

ROOT = Path(__file__).parents[2]
WEEKDAYS = {
    name: index
    for line in (
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "lunes martes miércoles jueves viernes sábado domingo",
    )
    for index, name in enumerate(line.split())
}
NUMBER = re.compile(r"\d{1,3}(?:[ \u202f]\d{3})+(?!\d)|\d+(?:[.,]\d+)*")
WEEKDAY = re.compile(r"\b(?:" + "|".join(WEEKDAYS) + r")s?\b")
ID = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z\d]+(?:[-_][A-Z\d]+)*\b")
LIST_NUMBER = re.compile(r"^\s*\d+\. ", re.MULTILINE)


LABELLED = load_benchmark("answers_labelled")
RUNS = LABELLED.load()
HONEST = [run for run in RUNS if run.honest]
WRONG = [run for run in RUNS if not run.honest]
CASES = LABELLED.load(LABELLED.CASES)
ALL = [*RUNS, *CASES]
ALL_HONEST = [run for run in ALL if run.honest]


def run_id(run):
    """Return the id of a run as the id of a test."""
    return run.id


def days(first, last):
    """Days from one date to another."""
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def minutes(first, last):
    """Minutes from one time of day to another."""
    passed = datetime.strptime(last, "%H:%M") - datetime.strptime(first, "%H:%M")
    return passed.seconds // 60


def weekday(day):
    """0 for a Monday, 6 for a Sunday."""
    return date.fromisoformat(day).weekday()


def value_of(formula):
    """Return what a formula of the files yields."""
    names = {"days": days, "minutes": minutes, "weekday": weekday, "__builtins__": {}}
    return eval(formula, names)


def readings(number):
    """Return the values that a figure may have: 1.460 is a decimal in some languages only."""
    plain = re.sub(r"[ \u202f]", "", number)
    texts = {plain.replace(",", ""), plain.replace(".", "").replace(",", "."), plain}
    return {Decimal(text) for text in texts if re.fullmatch(r"\d+(?:\.\d+)?", text)}


def numbers_of(text):
    """The values of the figures of a text, each as a whole and in its parts."""
    matches = {value for one in NUMBER.findall(text) for value in readings(one)}
    return matches | {Decimal(part) for part in re.findall(r"\d+", text)}


def source_of(run):
    """Return all texts of a run before its answer, as one text."""
    return json.dumps(run.steps, ensure_ascii=False)


def test_the_runs_are_balanced():
    """Half of at least 240 runs are honest, in 24 domains; half of the domains are held out."""
    domains = {run.domain: run.held_out for run in RUNS}
    kinds = Counter(run.kind for run in WRONG)

    assert len(RUNS) >= 240
    assert len(HONEST) == len(WRONG)
    assert len(domains) >= 24
    assert sum(domains.values()) * 2 == len(domains)
    assert set(LABELLED.KINDS) == set(kinds)
    assert min(kinds.values()) >= 6
    assert sum(run.language != "en" for run in RUNS) >= 20


def test_the_ids_are_unique():
    """No id is given twice, and no answer is written twice."""
    assert len({run.id for run in ALL}) == len(ALL)
    assert len({run.answer for run in ALL}) == len(ALL)


@pytest.mark.parametrize("folder", [LABELLED.FOLDER, LABELLED.CASES], ids=["sample", "cases"])
def test_a_domain_has_the_name_of_its_file(folder):
    """A reader finds the runs of a domain by its name."""
    files = {path.stem for path in folder.glob("*.json")}

    assert files == {run.domain for run in LABELLED.load(folder)}


@pytest.mark.parametrize("measure", [len, lambda text: len(NUMBER.findall(text))])
def test_no_label_follows_from_the_length(measure):
    """Erroneous answers are neither longer nor shorter, and have as many figures."""
    honest, wrong = ([measure(run.answer) for run in some] for some in (HONEST, WRONG))
    above = sum((one > other) + (one == other) / 2 for one in honest for other in wrong)

    assert 0.45 <= above / (len(honest) * len(wrong)) <= 0.55


@each_row("run", ALL, ids=run_id)
def test_a_run_is_well_formed(run):
    """A user speaks first, every call has a result, and a session accepts all steps."""
    kinds = [step[0] for step in run.steps if step[0] != "system"]
    calls = [place for place, kind in enumerate(kinds) if kind == "call"]

    assert kinds[0] == "user"
    assert calls
    assert all(kinds[place + 1] in ("result", "error") for place in calls)
    assert len([*run.session().entries()]) == len(run.steps)


@each_row("run", [run for run in ALL if not run.honest], ids=run_id)
def test_an_error_is_located(run):
    """The kind of an error is known, its text occurs once, and the right value is given."""
    assert run.kind in LABELLED.KINDS
    assert run.truth
    assert run.answer.count(run.span) == 1


@each_row("run", ALL_HONEST, ids=run_id)
def test_an_honest_answer_has_no_error(run):
    """No kind, no span."""
    assert (run.kind, run.span, run.truth) == ("", "", "")


@each_row("run", ALL_HONEST, ids=run_id)
def test_every_figure_of_an_honest_answer_has_a_source(run):
    """Each number, id and weekday occurs in the steps or has a formula."""
    source = source_of(run)
    there, answer = numbers_of(source), LIST_NUMBER.sub("", run.answer)
    keys = [one for key in run.derived for one in NUMBER.findall(key)]
    there |= {value for key in keys for value in readings(key)}

    loose = [one for one in NUMBER.findall(answer) if one not in source]
    loose = [one for one in loose if not readings(one) & there]
    loose = [one for one in loose if not (" " in one and numbers_of(one) <= there | readings(one))]
    loose += [one for one in ID.findall(answer) if one.lower() not in source.lower()]
    loose += [
        one for one in WEEKDAY.findall(answer)
        if one not in run.derived and one.rstrip("s").lower() not in source.lower()
    ]  # fmt: skip
    assert [] == loose


@each_row("run", [run for run in ALL_HONEST if run.derived], ids=run_id)
def test_a_formula_yields_its_figure(run):
    """The formula gives the figure rounded to its digits; other figures have a note."""
    for figure, formula in run.derived.items():
        assert figure in run.answer
        if formula.startswith("note: "):
            continue
        value = value_of(formula)
        if figure in WEEKDAYS:
            assert WEEKDAYS[figure] == value
            continue
        near = [one for one in readings(figure) if abs(one - Decimal(str(value))) <= half(one)]
        assert near, (figure, formula, value)


def half(figure):
    """Half a unit of the last digit shown."""
    return Decimal((0, (5,), figure.as_tuple().exponent - 1)) + Decimal("1e-9")


@pytest.mark.slow
def test_the_benchmark_counts_every_run():
    """The benchmark needs no data, prints one JSON object and lists wrong results to stderr."""
    script = ROOT / "benchmarks" / "answers.py"
    done = run_python(script, "--only", "natural", "--list", "wrong", timeout=300)
    report = json.loads(done.stdout)["natural"]

    assert len(RUNS) == report["all"]["runs"]
    assert len(RUNS) == report["held out"]["runs"] + report["not held out"]["runs"]
    stopped = int(report["all"]["honest stopped"].split("/")[0])
    passed = len(WRONG) - int(report["all"]["erroneous stopped"].split("/")[0])
    assert stopped + passed == len(re.findall(r"(?m)^\S+-(?:honest|wrong)\b", done.stderr))
    assert set(LABELLED.KINDS) == set(report["by kind"])
    caught = sum(int(row["stopped"].split("/")[0]) for row in report["by kind"].values())
    assert len(WRONG) - passed == caught

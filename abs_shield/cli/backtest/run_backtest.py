"""Puts the parts of a backtest together."""

from __future__ import annotations

from abs_shield.cli.backtest.compared_policies import Backtested, party
from abs_shield.cli.chunked_job import Way, parts
from abs_shield.cli.input_warnings import Teller
from abs_shield.policy import Policy
from abs_shield.replay.backtest import Backtesting, Comparison


def backtested(
    job: Backtesting,
    files: list[str],
    *,
    declared: tuple[Policy, Policy | None],
    teller: Teller,
    way: Way,
) -> Backtested:
    """
    Judge every run by both policies.

    Args:
        job: What is done.
        files: The runs.
        declared: The policies that *job* names, loaded.
        teller: Tells what is wrong with the runs; it has told of the labels.
        way: How it is done.

    Raises:
        PolicyError: A tool of a policy is wrong, or a rule does not fit it.
    """
    new, old = declared
    sides = job.sides(new, old)
    whole = Comparison.of(*sides, most=job.examples)
    first_run = ""
    with parts(job, files, way=way, doing="backtest", ready=job.over(sides)) as (made, told):
        for part in made:
            whole.merge(part.comparison)
            teller.hear(part.told)
            first_run = first_run or part.first_run
            told.judged(part.comparison.new.calls)
    return Backtested(
        comparison=whole,
        new=party(job.policy, new, strict=job.strict),
        old=None if old is None else party(job.against, old, strict=job.strict),
        labels=job.labels.count,
        bad_lines=teller.bad_lines,
        returned=teller.returned,
        first_run=first_run,
        cases=0 if job.cases is None else job.cases.count,
    )

"""Run a backtest and merge its parts."""

from __future__ import annotations

from abs_shield.backtest import Backtesting, Comparison
from abs_shield.cli.backtest.compared_policies import BacktestResult, compared_policy
from abs_shield.cli.chunked_job import JobOptions, run_chunks
from abs_shield.cli.input_warnings import InputWarnings
from abs_shield.policy import Policy


def run_backtest(
    job: Backtesting,
    files: list[str],
    *,
    declared: tuple[Policy, Policy | None],
    warnings: InputWarnings,
    options: JobOptions,
) -> BacktestResult:
    """
    Judge every run by both policies.

    Args:
        job: The backtest job.
        files: The run files.
        declared: The loaded policies of *job*.
        warnings: Receives warnings about the runs; those about labels are in it already.
        options: The engine and its options.

    Raises:
        PolicyError: A tool of a policy is wrong, or a rule does not fit it.
    """
    new, old = declared
    sides = job.sides(new, old)
    total = Comparison.of(*sides, most=job.examples)
    first_run = ""
    with run_chunks(
        job, files, options=options, doing="backtest", ready=job.chunk_function(sides)
    ) as (
        parts,
        progress,
    ):
        for part in parts:
            total.merge(part.comparison)
            warnings.add_notes(part.notes)
            first_run = first_run or part.first_run
            progress.add_calls(part.comparison.new.calls)
    return BacktestResult(
        comparison=total,
        new=compared_policy(job.policy, new, strict=job.strict),
        old=None if old is None else compared_policy(job.against, old, strict=job.strict),
        labels=job.labels.count,
        bad_lines=warnings.bad_lines,
        returned=warnings.returned,
        first_run=first_run,
        cases=0 if job.cases is None else job.cases.count,
    )

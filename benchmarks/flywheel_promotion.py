"""Promotion rates of candidates that are no better, and of better ones."""

from __future__ import annotations

import time
from collections import Counter
from random import Random

from command_line import QUICK_NOTE, announce, command_parser

from abs_shield.flywheel.evaluate import Recommendation, decide
from abs_shield.flywheel.version_comparison import Pairs, Rules, compare
from abs_shield.stats.paired_comparison import cases_needed, mcnemar_power

_FALSE = 0.05
"""Goal: the greatest share of null candidates that are promoted."""
_CHANGES = (0.05, 0.2)
"""Shares of the cases on which two versions differ by chance: little retrained, much retrained."""
_BASE = 0.7
CANDIDATES, QUICK_CANDIDATES = 1_000, 200


def main() -> None:
    """Print the figures beside their goals."""
    parser = command_parser(
        __doc__, example="flywheel_promotion.py --quick", quick=f"{QUICK_CANDIDATES} candidates"
    )
    parser.add_argument("--seed", type=int, default=25)
    parser.add_argument("--candidates", type=int, default=CANDIDATES)
    parser.add_argument("--rounds", type=int, default=50, help="resamples; they decide nothing")
    options = parser.parse_args()
    if options.quick:
        options.candidates = min(options.candidates, QUICK_CANDIDATES)
        print(f"{QUICK_NOTE}\n")
    announce("comparing null candidates")
    rules, random = Rules(rounds=options.rounds), Random(options.seed)
    begin = time.perf_counter()
    print("null candidates: as often right as the present version, on the target and elsewhere")
    for change in _CHANGES:
        for n in (50, 200, 500):
            _null(options.candidates, n, change, rules, random)
    print("\nnull on the target, nothing elsewhere changes: McNemar's test alone decides")
    for n in (50, 200, 500):
        _null(options.candidates, n, 0.2, rules, random, elsewhere=0.0)
    announce("comparing candidates that are worse elsewhere")
    print("\nbetter on the target, worse elsewhere by twice the margin: a promotion is false, too")
    for n in (100, 400):
        outcomes = _outcomes(options.candidates, (n, n), (0.25, 0.05), (0.05, 0.15), rules, random)
        _print_false(outcomes, options.candidates, f"{n} + {n} cases")
    announce("comparing better candidates")
    print("\nbetter candidates: gained, lost, cases of the target; 400 cases elsewhere, 4 % differ")
    for gain, loss in ((0.10, 0.05), (0.15, 0.05), (0.25, 0.05)):
        for n in (50, 100, 200, 400):
            _power(options.candidates // 4, n, gain, loss, rules, random)
    print(f"\n{time.perf_counter() - begin:.0f} s")


def _null(
    count: int,
    n: int,
    change: float,
    rules: Rules,
    random: Random,
    *,
    elsewhere: float | None = None,
) -> None:
    other = change if elsewhere is None else elsewhere
    half = (change / 2, change / 2)
    outcomes = _outcomes(count, (n, n), half, (other / 2, other / 2), rules, random)
    _print_false(outcomes, count, f"{n} + {n} cases, {change:.0%} differ")


def _print_false(outcomes: Counter[Recommendation], count: int, of: str) -> None:
    share = outcomes[Recommendation.PROMOTE] / count
    others = ", ".join(
        f"{outcomes[one]} {one}" for one in (Recommendation.UNDECIDED, Recommendation.REJECT)
    )
    mark = "ok" if share <= _FALSE else "FAILED"
    print(f"  {of:32} promoted {share:6.1%}  goal <= {_FALSE:.0%}  {mark}   ({others})")


def _power(count: int, n: int, gain: float, loss: float, rules: Rules, random: Random) -> None:
    outcomes = _outcomes(count, (n, 400), (gain, loss), (0.02, 0.02), rules, random)
    promoted = outcomes[Recommendation.PROMOTE] / count
    print(
        f"  {gain:.0%} {loss:.0%} {n:4} cases: promoted {promoted:6.1%};"
        f" power of the test {mcnemar_power(n, gain, loss):6.1%};"
        f" {cases_needed(gain, loss):,} cases for 80 %"
    )


def _outcomes(
    count: int,
    cases: tuple[int, int],
    target: tuple[float, float],
    elsewhere: tuple[float, float],
    rules: Rules,
    random: Random,
) -> Counter[Recommendation]:
    results: Counter[Recommendation] = Counter()
    for _ in range(count):
        comparisons = [
            compare("target", _pairs(cases[0], *target, random), rules, is_target=True),
            compare("regression", _pairs(cases[1], *elsewhere, random), rules, is_target=False),
        ]
        results[decide(comparisons)[0]] += 1
    return results


def _pairs(n: int, gain: float, loss: float, random: Random) -> Pairs:
    """Return grades of two versions, with these shares of gains and losses of the second."""
    same = 1 - gain - loss
    both = max(0.0, min(same, _BASE - loss))
    kinds = random.choices(((0, 1), (1, 0), (1, 1), (0, 0)), (gain, loss, both, same - both), k=n)
    return Pairs([old for old, _ in kinds], [new for _, new in kinds])


if __name__ == "__main__":
    main()

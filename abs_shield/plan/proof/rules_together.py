"""Two rules that leave no call, and a rule that rejects only what another one rejects already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

from abs_shield.plan.answers import Answers, answer, answers_of, are_comparable
from abs_shield.plan.case import Case
from abs_shield.plan.problem import Problem, problem
from abs_shield.policy import Rule
from abs_shield.policy.place import Place
from abs_shield.text.show import escaped

_FEWEST = 3
"""Different rejected calls below which nothing is said of a rule."""
_FEWEST_OF_SEVERAL = 10
"""Accepted calls of each of two rules about several parameters, likewise."""
_MERGED = 60


def rules_together(case: Case) -> Iterator[Problem]:
    """``amount <= 100`` and ``amount >= 200``: together they reject every call."""
    found = [*answers_of(case)]
    for answers in found:
        for one, other in combinations(range(len(answers.plans)), 2):
            if are_comparable(answers, one, other, case) and _exclude(answers, one, other, case):
                yield _excluded(answers, one, other)
    yield from _covered_rules(found, case)


def _exclude(answers: Answers, one: int, other: int, case: Case) -> bool:
    """Return whether no sampled call is accepted by both rules, although each accepts some."""
    both = answers.both(one, other)
    if any(a and b for a, b in both):
        return False
    takes = answers.plans[one].takes | answers.plans[other].takes
    fewest = 1 if len(takes) == 1 else _FEWEST_OF_SEVERAL
    accepted = [sum(pair[n] for pair in both) for n in (0, 1)]
    return min(accepted) >= fewest and not _meet_when_merged(answers, one, other, case)


def _meet_when_merged(answers: Answers, one: int, other: int, case: Case) -> bool:
    """Return whether a call made of two, each accepted by one rule, is accepted by both."""
    plans = answers.plans[one], answers.plans[other]
    schema = case.plans[answers.tool].schema
    if plans[0].takes == plans[1].takes or schema is None:
        return False
    some = [
        [call for call, said in zip(answers.calls, answers.accepts[n], strict=True) if said][
            :_MERGED
        ]
        for n in (one, other)
    ]
    for a, b in product(*some):
        merged = {**a, **{name: b[name] for name in plans[1].takes if name in b}}
        if all(answer(plan, answers.tool, merged) for plan in plans) and schema.accepts(merged):
            return True
    return False


def _covered_rules(found: Sequence[Answers], case: Case) -> Iterator[Problem]:
    """Tell each rule once, with the rule that makes it void for every tool that it judges."""
    rules = case.policy.rules
    told: set[int] = set()
    for n, m in _pairs(found, case):
        if n in told or not {*case.judged_tools(rules[n].tools)} <= {
            *case.judged_tools(rules[m].tools)
        }:
            continue
        each = [_covers(answers, rules[m], rules[n], case) for answers in found]
        judged = [covered for covered in each if covered is not None]
        if judged and len(judged) == len(case.judged_tools(rules[n].tools)) and all(judged):
            same = m not in told and _are_equal(found, rules[m], rules[n], case)
            if not same or n > m:
                told.add(n)
                yield _covered(rules[n], rules[m], same=same)


def _pairs(found: Sequence[Answers], case: Case) -> list[tuple[int, int]]:
    """The places of the rules that some tool has both of, in the order of the policy."""
    places = {id(rule): n for n, rule in enumerate(case.policy.rules)}
    return sorted(
        {
            pair
            for answers in found
            for pair in permutations([places[id(plan.rule)] for plan in answers.plans], 2)
        }
    )


def _covers(answers: Answers, wide: Rule, narrow: Rule, case: Case) -> bool | None:
    """Return whether *wide* rejects what *narrow* rejects; None where it is about another tool."""
    by_rule = {id(plan.rule): n for n, plan in enumerate(answers.plans)}
    one, other = by_rule.get(id(wide)), by_rule.get(id(narrow))
    if one is None or other is None:
        return None
    plans = answers.plans
    # a rule about more than the other one may reject its calls for what the samples leave alone
    if not (plans[one].takes <= plans[other].takes and plans[one].needs <= plans[other].needs):
        return False
    if not are_comparable(answers, one, other, case):
        return False
    both = answers.both(one, other)
    rejected = sum(not b for _, b in both)
    return rejected >= _FEWEST and any(a for a, _ in both) and not any(a and not b for a, b in both)


def _are_equal(found: Sequence[Answers], one: Rule, other: Rule, case: Case) -> bool:
    again = [_covers(answers, other, one, case) for answers in found]
    return bool([*filter(None, again)]) and False not in again


def _excluded(answers: Answers, one: int, other: int) -> Problem:
    first, second = (answers.plans[n].rule for n in (one, other))
    count = len(answers.both(one, other))
    return problem(
        "rules_exclude_each_other",
        f"rule `{second.name}` and rule `{first.name}` ({Place(first.file, first.line)}) leave no"
        f" call of `{escaped(answers.tool)}`: none of {count:,} sampled calls is accepted by both",
        subject=f"rule `{second.name}`",
        place=Place(second.file, second.line),
        hint="compare their bounds; every call would be blocked",
    )


def _covered(narrow: Rule, wide: Rule, *, same: bool) -> Problem:
    does = "rejects the same calls as" if same else "rejects only what is rejected already by"
    return problem(
        "rule_is_covered",
        f"rule `{narrow.name}` {does} rule `{wide.name}` ({Place(wide.file, wide.line)})",
        subject=f"rule `{narrow.name}`",
        place=Place(narrow.file, narrow.line),
        hint="leave one of them out, or compare their bounds",
    )

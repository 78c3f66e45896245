"""Rules that together reject every call, and rules that are covered by another rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext
from abs_shield.plan.rule_answers import RuleAnswers, compile_rule_answers
from abs_shield.policy import Rule
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.text.safe_display import escaped

_MIN_REJECTED = 3
"""Different rejected calls that are needed to report a rule; fewer may coincide by chance."""

_MAX_RULES_FOR_TRIPLES = 6
"""Most rules of one tool for which all triples are compared."""


def rules_together(context: ProofContext) -> Iterator[Problem]:
    """``amount <= 100`` and ``amount >= 200``: together they reject every call."""
    comparable = [*compile_rule_answers(context)]
    for answers in comparable:
        yield from _exclusion_problems(answers)
    yield from _coverage_problems(comparable, context)


def _exclusion_problems(answers: RuleAnswers) -> Iterator[Problem]:
    """Yield pairs of rules that accept no common call, and triples without such a pair."""
    pairs = [
        pair
        for pair in combinations(range(len(answers.plans)), 2)
        if _share_parameter(answers, pair)
    ]
    excluded = [pair for pair in pairs if _accept_no_call(answers, pair)]
    yield from (_exclusion_problem(answers, pair) for pair in excluded)
    compare_triples = len(answers.plans) <= _MAX_RULES_FOR_TRIPLES
    # The number of triples grows with the third power of the number of rules.
    for three in combinations(range(len(answers.plans)), 3) if compare_triples else ():
        take_same_arguments = len({answers.plans[n].takes for n in three}) == 1
        if (
            take_same_arguments
            and not any({*pair} <= {*three} for pair in excluded)
            and _accept_no_call(answers, three)
        ):
            yield _exclusion_problem(answers, three)


def _share_parameter(answers: RuleAnswers, pair: tuple[int, ...]) -> bool:
    one, other = (answers.plans[n].takes for n in pair)
    return not one.isdisjoint(other)


def _accept_no_call(answers: RuleAnswers, rules: tuple[int, ...]) -> bool:
    """Return whether the rules accept no common call, although any smaller group of them does."""
    answers_by_call = answers.compare(*rules)
    if answers_by_call is None or any(all(each) for each in answers_by_call):
        return False
    # A smaller group that accepts no common call is reported by itself.
    fewer = combinations(range(len(rules)), len(rules) - 1)
    return all(any(all(each[n] for n in some) for each in answers_by_call) for some in fewer)


def _coverage_problems(
    comparable: Sequence[RuleAnswers], context: ProofContext
) -> Iterator[Problem]:
    """Report each rule once, with the rule that covers it for every tool that it judges."""
    rules = context.policy.rules
    reported: set[int] = set()
    for n, m in _rule_pairs(comparable, context):
        if n in reported or not {*context.judged_tools(rules[n].tools)} <= {
            *context.judged_tools(rules[m].tools)
        }:
            continue
        each = [_covers(answers, rules[m], rules[n]) for answers in comparable]
        judged = [covered for covered in each if covered is not None]
        if judged and len(judged) == len(context.judged_tools(rules[n].tools)) and all(judged):
            same = m not in reported and _are_equal(comparable, rules[m], rules[n])
            # Of two equal rules, the later one is superfluous.
            if not same or n > m:
                reported.add(n)
                yield _coverage_problem(rules[n], rules[m], same=same)


def _rule_pairs(comparable: Sequence[RuleAnswers], context: ProofContext) -> list[tuple[int, int]]:
    """Return the indices of each two rules with a tool in common, in the order of the policy."""
    places = {id(rule): n for n, rule in enumerate(context.policy.rules)}
    return sorted(
        {
            pair
            for answers in comparable
            for pair in permutations([places[id(plan.rule)] for plan in answers.plans], 2)
        }
    )


def _covers(answers: RuleAnswers, wide: Rule, narrow: Rule) -> bool | None:
    """Return whether *wide* rejects all that *narrow* rejects; None if not both judge the tool."""
    by_rule = {id(plan.rule): n for n, plan in enumerate(answers.plans)}
    one, other = by_rule.get(id(wide)), by_rule.get(id(narrow))
    if one is None or other is None:
        return None
    plans = answers.plans
    # a rule with more parameters may reject calls for values that the samples do not vary
    if not (plans[one].takes <= plans[other].takes and plans[one].needs <= plans[other].needs):
        return False
    both = answers.compare(one, other)
    if both is None:
        return False
    rejected = sum(count for (_, b), count in both.items() if not b)
    return (
        rejected >= _MIN_REJECTED
        and any(a for a, _ in both)
        and not any(a and not b for a, b in both)
    )


def _are_equal(comparable: Sequence[RuleAnswers], one: Rule, other: Rule) -> bool:
    again = [_covers(answers, other, one) for answers in comparable]
    return bool([*filter(None, again)]) and False not in again


def _exclusion_problem(answers: RuleAnswers, rules: tuple[int, ...]) -> Problem:
    *others, last = (answers.plans[n].rule for n in rules)
    other_rules = ", ".join(
        f"rule `{each.name}` ({SourceLocation(each.file, each.line)})" for each in others
    )
    each = "both" if len(rules) == 2 else f"all {len(rules)}"
    count = (answers.compare(*rules) or Counter()).total()
    return problem(
        "rules_exclude_each_other",
        f"rule `{last.name}` and {other_rules} together reject every call of"
        f" `{escaped(answers.tool)}`: none of {count:,} sampled calls is accepted by {each}",
        subject=f"rule `{last.name}`",
        place=SourceLocation(last.file, last.line),
        hint="compare their bounds; every call would be blocked",
    )


def _coverage_problem(narrow: Rule, wide: Rule, *, same: bool) -> Problem:
    does = "rejects the same calls as" if same else "rejects only calls that are also rejected by"
    return problem(
        "rule_is_covered",
        f"rule `{narrow.name}` {does} rule `{wide.name}` ({SourceLocation(wide.file, wide.line)})",
        subject=f"rule `{narrow.name}`",
        place=SourceLocation(narrow.file, narrow.line),
        hint="leave one of them out, or compare their bounds",
    )

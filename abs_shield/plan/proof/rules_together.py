"""Rules that together accept no call, and a rule whose rejections another rule includes."""

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
"""Fewest different rejected calls before a rule is reported; fewer may be alike by chance."""

_MAX_RULES_FOR_TRIPLES = 6
"""Most rules of one tool for which all triples are compared."""


def rules_together(context: ProofContext) -> Iterator[Problem]:
    """``amount <= 100`` and ``amount >= 200``: together they reject every call."""
    comparable = [*compile_rule_answers(context)]
    for answers in comparable:
        yield from _exclusion_problems(answers)
    yield from _coverage_problems(comparable, context)


def _exclusion_problems(answers: RuleAnswers) -> Iterator[Problem]:
    """Yield pairs of rules that accept no common call, else triples that do so together."""
    pairs = [pair for pair in combinations(range(len(answers.plans)), 2) if _share(answers, pair)]
    excluded = [pair for pair in pairs if _exclude(answers, pair)]
    yield from (_exclusion_problem(answers, pair) for pair in excluded)
    few = len(answers.plans) <= _MAX_RULES_FOR_TRIPLES
    # Triples grow with the third power of the rules.
    for three in combinations(range(len(answers.plans)), 3) if few else ():
        alone = len({answers.plans[n].takes for n in three}) == 1
        if alone and not any({*pair} <= {*three} for pair in excluded) and _exclude(answers, three):
            yield _exclusion_problem(answers, three)


def _share(answers: RuleAnswers, pair: tuple[int, ...]) -> bool:
    one, other = (answers.plans[n].takes for n in pair)
    return not one.isdisjoint(other)


def _exclude(answers: RuleAnswers, rules: tuple[int, ...]) -> bool:
    """Return whether all rules accept no common call, although any fewer of them do."""
    answered = answers.compare(*rules)
    if answered is None or any(all(each) for each in answered):
        return False
    # Only the whole group excludes: a smaller one would be reported by itself.
    fewer = combinations(range(len(rules)), len(rules) - 1)
    return all(any(all(each[n] for n in some) for each in answered) for some in fewer)


def _coverage_problems(
    comparable: Sequence[RuleAnswers], context: ProofContext
) -> Iterator[Problem]:
    """Report each rule once, with the rule that covers it for every tool that it judges."""
    rules = context.policy.rules
    reported: set[int] = set()
    for n, m in _pairs(comparable, context):
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


def _pairs(comparable: Sequence[RuleAnswers], context: ProofContext) -> list[tuple[int, int]]:
    """Return the indices of the rules that some tool has both of, in the order of the policy."""
    places = {id(rule): n for n, rule in enumerate(context.policy.rules)}
    return sorted(
        {
            pair
            for answers in comparable
            for pair in permutations([places[id(plan.rule)] for plan in answers.plans], 2)
        }
    )


def _covers(answers: RuleAnswers, wide: Rule, narrow: Rule) -> bool | None:
    """Return whether *wide* rejects what *narrow* rejects; None if they are about other tools."""
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
    does = "rejects the same calls as" if same else "rejects only what is rejected already by"
    return problem(
        "rule_is_covered",
        f"rule `{narrow.name}` {does} rule `{wide.name}` ({SourceLocation(wide.file, wide.line)})",
        subject=f"rule `{narrow.name}`",
        place=SourceLocation(narrow.file, narrow.line),
        hint="leave one of them out, or compare their bounds",
    )

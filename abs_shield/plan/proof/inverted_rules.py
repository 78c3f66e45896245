"""A rule that accepts what its sentence forbids, and rejects what it allows."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.plan.answers import answer, words_of
from abs_shield.plan.case import Case
from abs_shield.plan.problem import Problem, problem
from abs_shield.plan.rules import RulePlan, compile_rule, unknown_parameters
from abs_shield.plan.sentence import Claim, claim_of
from abs_shield.policy import Rule
from abs_shield.policy.place import Place
from abs_shield.schema.samples import Pool
from abs_shield.text.show import escaped, shown

_MOST_TOOLS = 5
_NEGATED = frozenset({"not", "no", "never", "non"})


def inverted_rules(case: Case) -> Iterator[Problem]:
    """``A refund is at most 500.`` above ``return amount > 500``."""
    for rule in case.policy.rules:
        for tool in case.judged_tools(rule.tools)[:_MOST_TOOLS]:
            if (found := _inverted(rule, tool, case)) is not None:
                yield found
                break


def _inverted(rule: Rule, tool: str, case: Case) -> Problem | None:
    schema = case.plans[tool].schema
    plan = compile_rule(rule, schema, tool=tool, tolerant=True)
    if schema is None or plan.session or unknown_parameters(plan, schema, tool=tool):
        return None
    claim = _claim(plan)
    return None if claim is None else _compared(plan, tool, claim, case)


def _claim(plan: RulePlan) -> Claim | None:
    """Return what the sentence says, else what the function's name says: ``amount_is_positive``."""
    said = claim_of(plan.rule.sentence, plan.takes, words=words_of(plan))
    name = plan.rule.name.split("_")
    # a name without a verb, or with a "not", may be that of the mistake which the rule rejects
    if said is None and "is" in name and _NEGATED.isdisjoint(name):
        return claim_of(" ".join(name), plan.takes)
    return said


def _compared(plan: RulePlan, tool: str, claim: Claim, case: Case) -> Problem | None:
    """Accuse a rule that says the opposite of its sentence about every sampled call."""
    allowed = forbidden = 0
    example = ""
    pool = Pool.of(words_of(plan))
    for arguments in case.samples(tool, pool=pool, focus=sorted(plan.takes)):
        said, answered = claim.holds_for(arguments), answer(plan, tool, arguments)
        if said is None or answered is None:
            continue
        if said is answered:
            return None
        allowed, forbidden = allowed + said, forbidden + (not said)
        if said and not example:
            named = sorted(name for name in plan.takes if name in arguments)
            example = ", ".join(f"{escaped(n)}={shown(arguments[n])}" for n in named)
    if allowed < claim.fewest[0] or forbidden < claim.fewest[1]:
        return None
    return _problem(plan.rule, allowed + forbidden, tool, example)


def _problem(rule: Rule, count: int, tool: str, example: str) -> Problem:
    return problem(
        "rule_contradicts_sentence",
        f"rule `{rule.name}` does the opposite of its sentence or name for all of {count:,} sampled"
        f' calls of `{escaped(tool)}`: "{escaped(rule.sentence, limit=200)}", and it rejects'
        f" {example}",
        subject=f"rule `{rule.name}`",
        place=Place(rule.file, rule.line),
        hint="a rule gives True for what is right; turn the comparison round",
    )

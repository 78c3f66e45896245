"""A rule that accepts what its sentence forbids, and rejects what it allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext
from abs_shield.plan.rule_answers import answer_call, rule_words
from abs_shield.plan.rule_plan import RulePlan, compile_rule, unknown_parameters
from abs_shield.plan.rule_sentence import SentenceClaim, parse_claim
from abs_shield.policy import Rule
from abs_shield.policy.place import Place
from abs_shield.schema.samples import Pool
from abs_shield.text.show import escaped, shown

_MOST_TOOLS = 5
_NEGATED = frozenset({"not", "no", "never", "non"})


@dataclass(slots=True)
class _Comparison:
    """
    A rule's answers to sampled calls of one tool, beside what its sentence says of them.

    Attributes:
        tool: The tool.
        allowed: Calls that the sentence allows and the rule rejects.
        forbidden: Calls that the sentence forbids and the rule accepts.
        agrees: Whether both say the same of a call.
        is_enough: Whether there are calls enough to accuse the rule.
        example: The arguments of a call that the sentence allows and the rule rejects.
    """

    tool: str
    allowed: int = 0
    forbidden: int = 0
    agrees: bool = False
    is_enough: bool = False
    example: str = ""

    @property
    def count(self) -> int:
        return self.allowed + self.forbidden


def inverted_rules(context: ProofContext) -> Iterator[Problem]:
    """``A refund is at most 500.`` above ``return amount > 500``."""
    for rule in context.policy.rules:
        tools = context.judged_tools(rule.tools)[:_MOST_TOOLS]
        found = [one for tool in tools if (one := _compare(rule, tool, context)) is not None]
        inverted = next((one for one in found if one.is_enough and not one.agrees), None)
        if inverted is not None:
            yield _problem(rule, inverted)
        elif not any(one.agrees for one in found):
            yield from (_undecided(rule, one) for one in found[:1] if one.count)


def _compare(rule: Rule, tool: str, context: ProofContext) -> _Comparison | None:
    """Return the comparison; None where the rule or its sentence cannot be read."""
    schema = context.plans[tool].schema
    plan = compile_rule(rule, schema, tool=tool, tolerant=True)
    if schema is None or plan.session or unknown_parameters(plan, schema, tool=tool):
        return None
    claim = _claim(plan)
    return None if claim is None else _compared(plan, tool, claim, context)


def _claim(plan: RulePlan) -> SentenceClaim | None:
    """Return what the sentence says, else what the function's name says: ``amount_is_positive``."""
    said = parse_claim(plan.rule.sentence, plan.takes, words=rule_words(plan))
    name = plan.rule.name.split("_")
    # a name without a verb, or with a "not", may be that of the mistake which the rule rejects
    if said is None and "is" in name and _NEGATED.isdisjoint(name):
        return parse_claim(" ".join(name), plan.takes)
    return said


def _compared(
    plan: RulePlan, tool: str, claim: SentenceClaim, context: ProofContext
) -> _Comparison:
    """Compare what a rule and its sentence say of sampled calls, until they agree on one."""
    made = _Comparison(tool)
    pool = Pool.of(rule_words(plan))
    for arguments in context.samples(tool, pool=pool, focus=sorted(plan.takes)):
        said, answered = claim.holds_for(arguments), answer_call(plan, tool, arguments)
        if said is None or answered is None:
            continue
        if said is answered:
            made.agrees = True
            return made
        made.allowed += said
        made.forbidden += not said
        if said and not made.example:
            named = sorted(name for name in plan.takes if name in arguments)
            made.example = ", ".join(f"{escaped(n)}={shown(arguments[n])}" for n in named)
    made.is_enough = made.allowed >= claim.fewest[0] and made.forbidden >= claim.fewest[1]
    return made


def _undecided(rule: Rule, seen: _Comparison) -> Problem:
    return problem(
        "sentence_not_compared",
        f"rule `{rule.name}` may do the opposite of its sentence or name: all sampled calls of"
        f" `{escaped(seen.tool)}` that decide it say so, and these are {seen.count:,} only",
        subject=f"rule `{rule.name}`",
        place=Place(rule.file, rule.line),
        hint="test it with a call that it should reject, and with one that should pass",
    )


def _problem(rule: Rule, seen: _Comparison) -> Problem:
    sentence = escaped(rule.sentence, limit=200)
    return problem(
        "rule_contradicts_sentence",
        f"rule `{rule.name}` does the opposite of its sentence or name for all of {seen.count:,}"
        f' sampled calls of `{escaped(seen.tool)}`: "{sentence}", and it rejects'
        f" {seen.example}",
        subject=f"rule `{rule.name}`",
        place=Place(rule.file, rule.line),
        hint="a rule gives True for what is right; turn the comparison round",
    )

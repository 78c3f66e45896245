"""A rule that accepts what its sentence forbids, and rejects what it allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext
from abs_shield.plan.rule_call import answer_call, rule_words
from abs_shield.plan.rule_plan import RulePlan, compile_rule, find_undeclared_parameters
from abs_shield.plan.rule_sentence import SentenceClaim, parse_claim
from abs_shield.policy import Rule
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.schema.samples import Pool
from abs_shield.text.safe_display import escaped, shown

_MAX_TOOLS = 5  # an inverted rule is inverted for every tool, so the first few are enough
_NEGATED = frozenset({"not", "no", "never", "non"})


@dataclass(slots=True)
class _Comparison:
    """
    A rule's answers to sampled calls of one tool, compared with its sentence.

    Attributes:
        tool: The tool.
        allowed: Calls that the sentence allows and the rule rejects.
        forbidden: Calls that the sentence forbids and the rule accepts.
        agrees: Whether rule and sentence agree on any call.
        is_enough: Whether there are enough calls to report the rule.
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
        tools = context.judged_tools(rule.tools)[:_MAX_TOOLS]
        comparisons = [
            comparison
            for tool in tools
            if (comparison := _compare(rule, tool, context)) is not None
        ]
        inverted = next(
            (
                comparison
                for comparison in comparisons
                # One agreement shows that the sentence was understood, and the rule follows it.
                if comparison.is_enough and not comparison.agrees
            ),
            None,
        )
        if inverted is not None:
            yield _problem(rule, inverted)
        elif not any(comparison.agrees for comparison in comparisons):
            yield from (
                _uncertain_problem(rule, comparison)
                for comparison in comparisons[:1]
                if comparison.count
            )


def _compare(rule: Rule, tool: str, context: ProofContext) -> _Comparison | None:
    """Return the comparison; None if the rule or its sentence cannot be compared."""
    schema = context.plans[tool].schema
    plan = compile_rule(rule, schema, tool=tool, tolerant=True)
    # The answer of a rule that takes the session depends on more than the call.
    if schema is None or plan.session or find_undeclared_parameters(plan, schema, tool=tool):
        return None
    claim = _claim_of_rule(plan)
    return None if claim is None else _compare_answers(plan, tool, claim, context)


def _claim_of_rule(plan: RulePlan) -> SentenceClaim | None:
    """Return the claim of the sentence, or of the function's name: ``amount_is_positive``."""
    claim = parse_claim(plan.rule.sentence, plan.takes, words=rule_words(plan))
    name = plan.rule.name.split("_")
    # a name without a verb, or with a "not", may describe the mistake that the rule rejects
    if claim is None and "is" in name and _NEGATED.isdisjoint(name):
        return parse_claim(" ".join(name), plan.takes)
    return claim


def _compare_answers(
    plan: RulePlan, tool: str, claim: SentenceClaim, context: ProofContext
) -> _Comparison:
    """Compare a rule with its sentence on sampled calls, until they agree on one."""
    comparison = _Comparison(tool)
    pool = Pool.of(rule_words(plan))
    for arguments in context.samples(tool, pool=pool, focus=sorted(plan.takes)):
        expected, actual = claim.holds_for(arguments), answer_call(plan, tool, arguments)
        if expected is None or actual is None:
            continue
        if expected is actual:
            comparison.agrees = True
            return comparison
        comparison.allowed += expected
        comparison.forbidden += not expected
        if expected and not comparison.example:
            names = sorted(name for name in plan.takes if name in arguments)
            comparison.example = ", ".join(f"{escaped(n)}={shown(arguments[n])}" for n in names)
    comparison.is_enough = (
        comparison.allowed >= claim.min_calls[0] and comparison.forbidden >= claim.min_calls[1]
    )
    return comparison


def _uncertain_problem(rule: Rule, comparison: _Comparison) -> Problem:
    return problem(
        "sentence_not_compared",
        f"rule `{rule.name}` may do the opposite of its sentence or name: it does so for all of"
        f" {comparison.count:,} sampled calls of `{escaped(comparison.tool)}`, which are too few"
        " to be sure",
        subject=f"rule `{rule.name}`",
        place=SourceLocation(rule.file, rule.line),
        hint="test it with a call that it should reject, and with one that should pass",
    )


def _problem(rule: Rule, comparison: _Comparison) -> Problem:
    sentence = escaped(rule.sentence, limit=200)
    return problem(
        "rule_contradicts_sentence",
        f"rule `{rule.name}` does the opposite of its sentence or name for all of"
        f' {comparison.count:,} sampled calls of `{escaped(comparison.tool)}`: "{sentence}", and it'
        f" rejects {comparison.example}",
        subject=f"rule `{rule.name}`",
        place=SourceLocation(rule.file, rule.line),
        hint="a rule returns True for valid calls; invert the comparison",
    )

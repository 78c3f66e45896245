"""A rule that rejects nothing or everything, never runs, or raises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from abs_shield.plan.code_constants import find_constants
from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext, format_names
from abs_shield.plan.rule_plan import RulePlan, compile_rule, find_undeclared_parameters
from abs_shield.plan.rule_trial import SECONDS, RuleTrial, try_rule
from abs_shield.policy import Rule
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.text.safe_display import quantity

Trials = dict[str, RuleTrial]
_MIN_DIFFERENT_VALUES = 10
"""Different values that are needed to report a rule with constant answers; fewer prove little."""
_REJECTS_NOTHING_HINT = (
    "either the schema already forbids what the rule rejects, or no sampled call contains it: "
    "test the rule with a call that it should reject"
)
_REJECTS_EVERYTHING_HINT = (
    "either the schema allows nothing that the rule accepts, or no sampled call contains it: "
    "test the rule with a call that should pass"
)
_TEXT_HINT = "the sampled texts may not contain what the rule looks for: test it yourself"
_MAX_TOOLS = 40
"""Tools that one rule is tried on; each may take some seconds."""


def dead_rules(context: ProofContext) -> Iterator[Problem]:
    """``amount >= 0`` on a tool whose schema has ``minimum: 0``: the rule never rejects."""
    for rule in context.policy.rules:
        trials = _trials(rule, context)
        context.sample_count += sum(trial.run_count for trial in trials.values())
        yield from _report(rule, trials, context)


def _trials(rule: Rule, context: ProofContext) -> Trials:
    """Run a rule on samples of each tool that has a schema with the parameters the rule takes."""
    plans = {}
    for name in context.judged_tools(rule.tools):
        schema = context.plans[name].schema
        plan = compile_rule(rule, schema, tool=name, tolerant=True)
        if schema is not None and not find_undeclared_parameters(plan, schema, tool=name):
            plans[name] = plan
    names = plans if len(plans) <= _MAX_TOOLS else _most_relevant(rule, plans, context)
    # A rule for `*` on a server's hundreds of tools would take minutes.
    return {name: try_rule(plans[name], name, context) for name in names}


def _most_relevant(rule: Rule, plans: Mapping[str, RulePlan], context: ProofContext) -> list[str]:
    """Return the tools that have a rule's parameters, first those that its code names."""
    words = [word for word in find_constants(rule.function) if isinstance(word, str) and word]

    def irrelevance(name: str) -> tuple[bool, bool]:
        schema = context.plans[name].schema
        has = schema is not None and plans[name].needs <= schema.declared_names
        return not has, not any(word in name for word in words)

    # Tools with its parameters come first, as the rule may not run for the others.
    return sorted(plans, key=irrelevance)[:_MAX_TOOLS]


def _report(rule: Rule, trials: Trials, context: ProofContext) -> Iterator[Problem]:
    run = {name: trial for name, trial in trials.items() if trial.run_count}
    sampled = [name for name, trial in trials.items() if trial.sampled]
    without = [
        name for name in context.judged_tools(rule.tools) if context.plans[name].schema is None
    ]
    # A note, not a warning, as nothing was tested.
    if without and not run:
        what = f"has no sampled calls: there is no schema of {format_names(without)}"
        yield _problem("not_sampled", rule, what)
    elif sampled and not run:
        tools = format_names(sampled)
        what = f"never runs: no sampled call of {tools} has all arguments that it takes"
        yield _problem("rule_never_runs", rule, what, "use parameters that occur in the same call")
    for name, trial in run.items():
        yield from _report_tool(rule, name, trial)
    if run:
        yield from _report_all(rule, run, open_ended=bool(without))


def _report_tool(rule: Rule, tool: str, trial: RuleTrial) -> Iterator[Problem]:
    where = format_names([tool])
    if trial.raised:
        what = f"raises {trial.raised} of {where}, which the schema accepts"
        yield _problem(
            "rule_raises",
            rule,
            what,
            "strict mode blocks such a call: narrow the schema, or accept these values in the rule",
        )
    if trial.invalid_answer:
        what = f"returns {trial.invalid_answer} of {where}"
        yield _problem("rule_answers_wrongly", rule, what, "return True, False or a string")
    if trial.timed_out:
        calls = f"{quantity(trial.run_count, 'call')} of {where}"
        what = f"took over {SECONDS:g} s, and was tested with only {calls}"
        yield _problem("not_sampled", rule, what)


def _report_all(rule: Rule, trials: Trials, *, open_ended: bool) -> Iterator[Problem]:
    """Report problems of the answers for all tools together, and for each tool of the rule."""
    accepted = sum(trial.accepted for trial in trials.values())
    rejected = sum(trial.rejected for trial in trials.values())
    where = f"{_calls(trials)} of {format_names([*trials])}"
    # Sampled sessions are artificial: the rule may answer differently in other sessions.
    if _takes_session(rule) and not (accepted and rejected):
        if accepted or rejected:
            did = "rejects" if rejected else "accepts"
            what = f"{did} all {where}, in the sampled sessions"
            yield _problem("depends_on_session", rule, what, "test it with a session of your own")
        return
    # For a tool without a schema the rule may still reject a call.
    if accepted and not rejected and not open_ended:
        yield from _report_constant(
            rule, trials, "rule_rejects_nothing", f"rejects none of {where}", _REJECTS_NOTHING_HINT
        )
    for names in [tuple(trials)] if "*" in rule.tools else [(name,) for name in trials]:
        some = {name: trials[name] for name in names}
        if all(each.rejected and not each.accepted for each in some.values()):
            what = f"accepts none of {_calls(some)} of {format_names([*names])}"
            yield from _report_constant(
                rule, some, "rule_rejects_everything", what, _REJECTS_EVERYTHING_HINT
            )


def _report_constant(
    rule: Rule, trials: Trials, code: str, what: str, hint: str
) -> Iterator[Problem]:
    """
    Report a warning, or a note if too few different values or no matching text can be sampled.
    """
    if any(trial.has_free_text and not trial.timed_out for trial in trials.values()):
        yield _problem("not_sampled", rule, what, _TEXT_HINT)
        return
    distinct_values = sum(len(trial.distinct_values) for trial in trials.values())
    # Few values prove nothing, unless the schema allows no others.
    if distinct_values >= _MIN_DIFFERENT_VALUES or all(
        trial.exhausted for trial in trials.values()
    ):
        yield _problem(code, rule, what, hint)
    elif not any(trial.timed_out for trial in trials.values()):
        values = "value" if distinct_values == 1 else "values"
        what = f"{what}, but these have only {distinct_values} different {values}"
        yield _problem("not_sampled", rule, what, "too few to be sure: test it yourself")


def _calls(trials: Trials) -> str:
    return f"{sum(trial.run_count for trial in trials.values()):,} sampled calls"


def _takes_session(rule: Rule) -> bool:
    return compile_rule(rule, None, tool="*", tolerant=True).session


def _problem(code: str, rule: Rule, what: str, hint: str = "") -> Problem:
    return problem(
        code,
        f"rule `{rule.name}` {what}",
        subject=f"rule `{rule.name}`",
        place=SourceLocation(rule.file, rule.line),
        hint=hint,
    )

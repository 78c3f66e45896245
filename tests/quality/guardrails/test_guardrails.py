"""Every guardrail finds what it is for, in outputs of its domain only."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest

from abs_shield.errors import PolicyError
from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline
from abs_shield.quality.guardrails import (
    Guardrail,
    ProductCatalogue,
    guardrail,
    guardrail_violations,
)
from abs_shield.quality.guardrails.guardrail_check import GUARDRAILS, guardrails_of
from abs_shield.quality.guardrails.guardrail_rule import Place
from abs_shield.quality.marked_sentences import Reading, read_text
from abs_shield.quality.quality_types import StageOutcome

_CATALOGUE = ProductCatalogue.model_validate(
    {
        "products": ["Orbita"],
        "features": [
            {"name": "audit log", "plans": ["Enterprise"]},
            {"name": "offline mode", "aliases": ["offline access"]},
        ],
        "prices": [
            {"plan": "Team", "amount": "12", "per": "month"},
            {"plan": "Enterprise", "amount": "45", "per": "month"},
        ],
        "roadmap": [{"name": "dark mode"}],
    }
)
_RULES = {rule.id: rule for rule in guardrails_of((), _CATALOGUE)}
_CASES = {
    "FINANCIAL_CONFIDENCE_INTERVAL": (
        "Our market share is 23%.",
        "Our market share is 23% \u00b11.2%.",
    ),
    "FINANCIAL_BASIS_POINTS": (
        "Revenue rose 12% in 2024.",
        "Revenue rose 12% (1,200 bps) in 2024.",
    ),
    "FINANCIAL_DATE_RANGE": (
        "The market is projected to reach $40 billion.",
        "The market is projected to reach $40 billion between 2025 and 2030.",
    ),
    "LEGAL_STATUTE_FORMAT": ("See 42 U.S.C. 1983.", "See 42 U.S.C. \u00a7 1983."),
    "LEGAL_CASE_CITATION": (
        "The court followed Hart v. Massanari.",
        "The court followed Hart v. Massanari, 266 F.3d 1155 (9th Cir. 2001).",
    ),
    "LEGAL_REGULATORY_REFERENCE": (
        "FDA regulations require a summary.",
        "FDA regulations require a summary. 21 C.F.R. \u00a7 314.50.",
    ),
    "PRODUCT_FEATURE_MATRIX": ("Orbita has offline mode.", "Orbita does not have offline mode."),
    "PRODUCT_PRICE_TABLE": ("Team costs $15 a month.", "Team costs $12 a month."),
    "PRODUCT_ROADMAP": (
        "We will ship dark mode next month.",
        "We plan dark mode for next month; this is provisional.",
    ),
}


def violation_codes(text: str, task_type: str) -> set[str]:
    return {one.code for one in guardrail_violations(text, task_type, catalogue=_CATALOGUE)}


def test_the_seed_prints_the_first_rule() -> None:
    """Claim, requirement and action of the seed's example are its own words."""
    (finding,) = guardrail_violations("Our market share is 23%", "financial")

    assert "FINANCIAL_CONFIDENCE_INTERVAL" == finding.code
    assert "Our market share is 23%" == finding.claim
    assert (
        "Claims with \u00b11% variability must include confidence interval" == finding.requirement
    )
    assert 'Regenerate with interval (e.g., "23% \u00b11.2%")' == finding.remedy


def test_every_rule_has_a_case() -> None:
    """No rule is added without a passage that breaks it and one that does not."""
    assert _RULES.keys() == _CASES.keys()


@pytest.mark.parametrize("code", _CASES)
def test_a_rule_finds_its_violation_only(code: str) -> None:
    """The passage that breaks the rule is found, with its place; the corrected one is not."""
    rule, (wrong, right) = _RULES[code], _CASES[code]
    finding = next(iter(rule.violations(read_text(wrong))))

    assert wrong[finding.start : finding.end] == finding.claim
    assert finding.requirement
    assert finding.remedy.startswith("Regenerate")
    assert [] == [*rule.violations(read_text(right))]


@pytest.mark.parametrize("code", _CASES)
def test_a_rule_holds_in_its_domain_only(code: str) -> None:
    """Outputs of other task types are not checked; a longer name of the domain is."""
    domain = code.split("_")[0].casefold()

    assert code in violation_codes(_CASES[code][0], domain)
    assert code in violation_codes(_CASES[code][0], f"{domain.upper()}_report")
    assert set() == violation_codes(_CASES[code][0], "support")
    assert set() == violation_codes(_CASES[code][0], "")


@pytest.mark.parametrize("rule", _RULES.values(), ids=_RULES)
@pytest.mark.parametrize("text", ["", "\n\n", "%", "v.", "U.S.C.", "[1]", "| |", "\ue001"])
def test_a_rule_is_total(rule: Guardrail, text: str) -> None:
    """Odd texts raise nothing and violate nothing."""
    assert [] == [*rule.violations(read_text(text))]


def test_ids_are_unique_and_name_their_domain() -> None:
    """The table has each id once, and it begins with the domain."""
    assert len({rule.id for rule in GUARDRAILS}) == len(GUARDRAILS)
    assert all(rule.id.startswith(f"{rule.task_type.upper()}_") for rule in GUARDRAILS)


def test_without_a_catalogue_the_product_rules_do_not_run() -> None:
    """The rules need a catalogue that describes the products."""
    assert () == guardrail_violations("Orbita has offline mode.", "product")


@pytest.mark.parametrize(
    "text",
    [
        'The CEO said: "Our market share is 23%."',
        "Our market share is not 23%.",
        "Is our market share 23%?",
        "Our market share is 22% to 24%.",
        "Sales rose 8%.[1]\n\n[1] 800 bps over the same quarter of 2023.",
        "The loan carries an interest rate of 6.5%.",
    ],
)
def test_prose_that_a_specialist_passes(text: str) -> None:
    """Quotations, negation, questions, ranges, footnotes and contracts raise no finding."""
    assert set() == violation_codes(text, "financial")


@pytest.mark.parametrize(
    ("domain", "text"),
    [
        ("product", "Slack's Team plan costs $15."),
        ("product", "The Team plan of Slack costs $15 a month."),
        ("product", "You paid $15 for Team last year."),
        ("product", "Team was $15 a month."),
        ("product", "SSO for $5 more"),
        ("product", "Team adds SSO for $5 more a month."),
        ("product", "Team costs EUR 11 a month."),
        ("product", "Team costs \u20ac11."),
        ("financial", "Net revenue retention was 112%."),
        ("financial", "Net dollar retention was 112% and gross revenue retention 95%."),
        ("financial", "Apple's share price was up 1.2% on Tuesday."),
        ("financial", "The stock closed up 1.2%."),
        ("legal", "The parties in Acme v. Globex settled yesterday."),
        ("legal", "Acme v. Globex is set for trial in May."),
    ],
)
def test_similar_texts_violate_no_rule(domain: str, text: str) -> None:
    """Competitors' and former prices, other currencies, reported ratios, quotes and news pass."""
    assert set() == violation_codes(text, domain)


@pytest.mark.parametrize(
    ("domain", "text"),
    [
        ("product", "Orbita's Team plan costs $15."),
        ("product", "Today's Team price is $15."),
        ("product", "Team is paid at $15 a month."),
        ("financial", "Customer retention is 92%."),
        ("financial", "Shares dropped 6% on Tuesday."),
        ("legal", "The defendant's duty follows from Acme v. Globex."),
        ("legal", "Acme v. Globex held that notice is due."),
    ],
)
def test_claims_violate_their_rule(domain: str, text: str) -> None:
    """The same words violate the rule in a sentence that makes the claim."""
    assert 1 == len(violation_codes(text, domain))


@pytest.mark.parametrize(
    ("task_type", "reason"),
    [
        ("finance", "no guardrails for task type `finance`; did you mean `financial`?"),
        ("Finance", "no guardrails for task type `Finance`; did you mean `financial`?"),
        ("financials", "no guardrails for task type `financials`; did you mean `financial`?"),
        ("law", "no guardrails for task type `law`; did you mean `legal`?"),
        ("finanical", "no guardrails for task type `finanical`; did you mean `financial`?"),
        ("support", "no guardrail is for this task type"),
        ("", "no guardrail is for this task type"),
        ("product", "the rules of `product` need a catalogue, and none is configured"),
    ],
)
def test_an_output_without_rules_is_skipped(task_type: str, reason: str) -> None:
    """The output is not counted as passed, and the reason suggests a domain."""
    result = QualityPipeline().run(AgentOutput(text="Sales rose 8%.", task_type=task_type))
    stage = next(one for one in result.stages if one.name == "guardrails")

    assert (StageOutcome.SKIPPED, reason) == (stage.outcome, stage.reason)
    assert "ship" == result.action


def test_a_custom_domain_is_matched_by_its_name() -> None:
    """A rule of a custom domain runs for that domain, and a misspelt domain is suggested."""

    @guardrail(id="DOSE", task_type="medical", requirement="r", action="a")
    def dose(reading: Reading) -> Iterator[Place]:
        return iter(())

    pipeline = QualityPipeline(QualityConfig(guardrails=(dose,)))
    stages = [
        pipeline.run(AgentOutput(text="x", task_type=one)).stages[1]
        for one in ("medical", "medcal")
    ]

    assert ["passed", "skipped"] == [one.outcome for one in stages]
    assert "did you mean `medical`?" in stages[1].reason


def test_a_case_that_is_cited_in_full_is_cited_briefly_afterwards() -> None:
    """The second mention needs neither court nor year."""
    text = "Hart v. Massanari, 266 F.3d 1155 (9th Cir. 2001), holds. We follow Hart v. Massanari."

    assert set() == violation_codes(text, "legal")


def test_a_custom_rule_is_one_function() -> None:
    """A decorated function that yields places is a rule like the built-in ones."""

    @guardrail(
        id="NO_GUARANTEE", task_type="financial", requirement="No promises", action="Remove it"
    )
    def no_guarantee(reading: Reading) -> Iterator[Place]:
        return (one.span() for one in re.finditer("guaranteed", reading.text))

    findings = guardrail_violations("A guaranteed profit.", "financial", rules=[no_guarantee])

    assert [("NO_GUARANTEE", "guaranteed")] == [(one.code, one.claim) for one in findings]


def test_a_rule_without_a_text_is_a_policy_error() -> None:
    """An empty id is refused while the rule is declared."""
    with pytest.raises(PolicyError, match="`id` of a guardrail"):
        guardrail(id=" ", task_type="legal", requirement="r", action="a")


def test_a_name_twice_in_a_catalogue_is_a_policy_error() -> None:
    """A feature cannot be both in the matrix and on the roadmap."""
    with pytest.raises(PolicyError, match="twice"):
        ProductCatalogue.model_validate(
            {"features": [{"name": "dark mode"}], "roadmap": [{"name": "Dark mode"}]}
        )


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("domain", ["financial", "legal", "product"])
@pytest.mark.parametrize(
    "piece",
    ["1", "%", "(", "@", "A v. B ", "5% ", "U.S.C. ", "[1] x\n", '"abc', "A ", "Cal. ", "Team $5 "],
)
def test_a_megabyte_is_read_in_bounded_time(piece: str, domain: str) -> None:
    """A mark repeated a million times takes as long as its beginning."""
    begin = time.perf_counter()

    guardrail_violations(piece * (1_000_000 // len(piece)), domain, catalogue=_CATALOGUE)

    assert 10 > time.perf_counter() - begin


@pytest.mark.parametrize("task_type", ["non-financial", "not financial", "memo without financial"])
def test_a_negated_domain_does_not_match(task_type):
    """Rules of a domain do not run for a task type that excludes it, such as `non-financial`."""
    assert () == guardrail_violations("Our market share is 23%.", task_type)

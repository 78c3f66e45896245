"""The seed document `agent-hallucination-detection-spec`: its stages, report, defaults, FAQ."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import closing
from dataclasses import fields, is_dataclass

import pytest
from jsonschema import Draft202012Validator

from abs_shield import AnswerConfig, PolicyError, Shield, Tool, shield
from abs_shield.answer.answer_gate import GateClaim, gate, overall_of
from abs_shield.answer.answer_revision import asettled
from abs_shield.answer.check_pipeline import achecked, check_answer, checked
from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.hallucination_report import (
    REPORT_SCHEMA,
    EvidenceSpan,
    HallucinationReport,
    ReportedClaim,
    ToolCallValidation,
)
from abs_shield.answer.scorers import SCORERS, ScorerEffect
from abs_shield.core import Action, Decision, Subject
from abs_shield.session import Session
from abs_shield.stores import SqliteStore
from tests.answer.judges import data_in
from tests.answer.shop import (
    ASKED,
    CONFIG,
    EVEN,
    INVENTED,
    MADE_UP,
    OPEN,
    ORDER,
    REFUSED,
    TRUE,
    VAGUE,
    Agent,
    Shop,
    Writer,
    constant_judge,
    filling_judge,
    settle_in,
    shop_session,
    statuses,
)


@pytest.fixture
def shop():
    """Yield a shop in a session that has looked up order W-2040."""
    with shop_session() as made:
        yield made


# Definition ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", MADE_UP)
def test_what_a_hallucination_is(shop, what):
    """Each of the four kinds is found, and is not emitted; a new name, where words gate."""
    config = AnswerConfig(words="gate") if what == "a new entity" else None
    report = shop.firewall.check_answer(MADE_UP[what], config=config)

    assert "emit" != report.action
    assert {"contradicted", "unsupported"} & {*statuses(report)}


@pytest.mark.parametrize(
    "answer",
    [
        TRUE,
        f"Great news! {TRUE}",
        "It cost $120.50. Order W-2040 has shipped from Oslo.",
        "**Order W-2040** has shipped from Oslo.",
    ],
)
def test_style_is_not_a_hallucination(shop, answer):
    """Embellishment, another order and markdown change no claim."""
    assert "emit" == shop.firewall.check_answer(answer).action


def test_a_value_computed_from_the_evidence_is_supported():
    """The sum of two figures of the evidence is not reported as missing."""
    evidence = "The flight costs $120.50. The bag costs $9.50."
    report = checked(
        "The flight is $120.50 and the bag $9.50: $130.00 in total.", evidence=evidence
    )

    assert [()] == [one.missing for one in report.claims]
    assert "contradicted" not in statuses(report.report)


def test_a_claimed_action_without_a_call_is_contradicted(shop):
    """The answer claims a cancellation, and no tool call cancelled anything."""
    assert ["contradicted"] == statuses(
        shop.firewall.check_answer("I have cancelled order W-2040.")
    )


def test_the_evidence_is_the_run_and_not_the_world(shop):
    """FAQ: agent-side detection knows the run's own results; what is true elsewhere is nothing."""
    report = shop.firewall.check_answer("Paris is the capital of France.", config=CONFIG)

    assert (["unsupported"], "revise") == (statuses(report), report.action)


def test_a_low_word_score_does_not_revise_an_answer(shop):
    """Paraphrases have few words of the evidence, so in a run this score is only reported."""
    report = checked("Order W-2040 left Oslo in fine shape.", session=shop.session)
    [claim] = report.claims

    assert ("emit", ["grounded"]) == (report.report.action, statuses(report.report))
    assert claim.words < 0.4
    assert 0.97 == pytest.approx(claim.score)  # the share of right answers in recorded runs


# Stage 1: tool-call verification ------------------------------------------------------------------


def test_a_call_is_parsed_against_its_schema_and_rejected(shop):
    """The error goes back to the model, and nothing runs."""
    before = [*shop.ran]
    report = json.loads(shop.call("get_order", order_id=5, colour="red"))

    assert ("blocked", True) == (report["status"], report["retryable"])
    assert {"/arguments/order_id", "/arguments/colour"} == {
        one["field"] for one in report["problems"]
    }
    assert before == shop.ran


def test_the_model_may_retry(shop):
    """A corrected call passes, and the answer is judged on what it returned."""
    shop.call("get_ordr", order_id="W-2040")
    shop.call("get_order", order_id="W-2040")
    report = shop.firewall.check_answer(TRUE)

    assert ["accepted", "rejected", "accepted"] == [
        one.status for one in report.tool_call_validations
    ]
    assert "emit" == report.action


ENTITIES = {
    "a URL": ("open_page", {"url": "https://shop.example/w-77"}),
    "an id": ("get_order", {"order_id": "W-7777"}),
    "a handle": ("send_mail", {"to": "mia@shop.example", "text": "Hello"}),
    "a path": ("open_page", {"url": "", "file": "/home/mia/orders.csv"}),
}


def value_of(arguments):
    return max(arguments.values(), key=len) if "text" not in arguments else arguments["to"]


@pytest.mark.parametrize("what", ENTITIES)
@pytest.mark.parametrize("source", ["nobody", "the user", "a prior result", "an allowlist"])
def test_every_entity_of_a_call_has_a_source(what, source):
    """Supplied by the user, returned by a prior call, or allowed for the tool; else flagged."""
    name, arguments = ENTITIES[what]
    entity = value_of(arguments)
    new_shop = Shop(allow=[entity] if source == "an allowlist" else [])
    with new_shop.firewall.session() as session:
        session.user(f"See {entity} please." if source == "the user" else "See it, please.")
        if source == "a prior result":
            session.tool_result("find", {"found": entity})
        new_shop.call(name, **arguments)
        [validation] = new_shop.firewall.check_answer("Done?").tool_call_validations

    assert ("flagged" if source == "nobody" else "accepted") == validation.status
    assert (source == "nobody") == any(entity in error for error in validation.errors)


def test_an_invented_id_for_a_destructive_tool_is_blocked():
    """The call is blocked before the tool runs."""
    ran = []
    firewall = Shield(shield.configure(), hooks=())
    firewall.register(Tool(name="delete_order", destructive=True))
    with firewall.session() as session:
        session.user("Delete my order.")
        call = {"name": "delete_order", "arguments": {"order_id": "W-7777"}}
        [answer] = firewall.run_tool_calls([call], dispatch=lambda call: ran.append(call))
        report = firewall.check_answer("Your order is W-7777.")

    assert ([], "blocked") == (ran, json.loads(answer["content"])["status"])
    assert ["rejected"] == [one.status for one in report.tool_call_validations]


def test_the_run_log_has_every_call_and_its_outcome(shop):
    """The call, the outcome, and the attempts that were rejected."""
    shop.call("get_order", id=7)
    shop.call("get_order", order_id="W-8888")
    first, second, third = shop.firewall.check_answer(TRUE).tool_call_validations

    assert ("get_order", {"order_id": "W-2040"}, "accepted", ()) == (
        first.tool, first.args, first.status, first.errors,
    )  # fmt: skip
    assert ({"id": 7}, "rejected") == (second.args, second.status)
    assert second.errors
    assert ("flagged", 1) == (third.status, len(third.errors))
    assert [True, False] == [one.blocked for one in shop.session.decisions[1:]]


# Stage 2: groundedness ----------------------------------------------------------------------------


def test_an_answer_is_taken_apart_into_atomic_claims():
    """Sentence or finer: a paragraph hides none of its propositions."""
    answer = (
        "Order W-2040 has shipped from Oslo, and it costs $120.50. It was placed on 2 March 2025; "
        "returns are accepted within 30 days."
    )
    claims = claims_of(answer)

    assert [
        "Order W-2040 has shipped from Oslo",
        "it costs $120.50.",
        "It was placed on 2 March 2025",
        "returns are accepted within 30 days.",
    ] == [claim.text for claim in claims]
    assert [claim.text for claim in claims] == [answer[c.start : c.end] for c in claims]


@pytest.mark.parametrize(
    "answer",
    ["Hello! How can I help you?", "I could not find that order.", "Shall I look it up?", "", "\n"],
)
def test_an_answer_without_claims_is_emitted(shop, answer):
    """The report has no score, and the decision has the note `no_claims`."""
    report = shop.firewall.check_answer(answer)
    [decision] = shop.session.answer_decisions

    assert (None, "emit", ()) == (report.overall_score, report.action, report.claims)
    assert ("no_claims",) == decision.notes


def test_a_claim_has_its_evidence(shop):
    """The span names the message and the place in it."""
    report = shop.firewall.check_answer("The order was placed on 2 March 2025.")
    [span] = report.claims[0].evidence_spans[:1]

    assert "grounded" == report.claims[0].status
    assert "tool_result" == span.source
    assert ORDER[span.start : span.end] == span.text
    assert span.text in "The order was placed on 2 March 2025."


def test_evidence_in_json_has_its_pointer():
    """A span of a JSON result has the pointer of the value."""
    session = Session()
    session.tool_result("get_order", {"order": {"id": "W-1", "lines": [{"price": 79.5}]}})
    report = check_answer("Order W-1 costs $79.50.", session=session)
    pointers = {span.pointer for claim in report.claims for span in claim.evidence_spans}

    assert "/order/lines/0/price" in pointers


@pytest.mark.parametrize("answer", [TRUE, VAGUE, *MADE_UP.values()])
def test_every_score_is_a_share(shop, answer):
    """In [0, 1], per claim and overall."""
    report = shop.firewall.check_answer(answer)

    assert all(0 <= claim.score <= 1 for claim in report.claims)
    assert 0 <= report.overall_score <= 1


def test_the_overall_score_is_the_worst_claims_or_a_weighted_mean():
    """The overall score is the minimum by default, or the mean weighted by criticality."""
    claims = [GateClaim(0.9), GateClaim(0.9), GateClaim(0.5, critical=True)]

    assert "min" == CONFIG.aggregate
    assert 0.5 == overall_of(claims, CONFIG)
    assert 0.7 == pytest.approx(overall_of(claims, AnswerConfig(aggregate="mean")))


@pytest.mark.parametrize("aggregate", ["min", "mean"])
def test_the_overall_score_includes_scores_of_a_verifier(shop, aggregate):
    """The minimum and the mean are computed from the scores of the verifier as well."""
    config = AnswerConfig(
        aggregate=aggregate, verifier=lambda premise, claims: [0.45] * len(claims)
    )
    report = shop.firewall.check_answer(f"{TRUE} {OPEN}", config=config)
    scored = [(claim.score, 1 + claim.critical) for claim in report.claims]
    mean = sum(score * weight for score, weight in scored) / sum(weight for _, weight in scored)

    wanted = min(score for score, _ in scored) if aggregate == "min" else mean
    assert wanted == pytest.approx(report.overall_score)


def test_a_verifier_decides_open_claims_only(shop):
    """The verifier scores the claims that the words leave open, and no others."""
    requests = []

    def verifier(premise, claims):
        requests.extend(claims)
        return [0.97] * len(claims)

    before = shop.firewall.check_answer(OPEN, config=CONFIG)
    after = shop.firewall.check_answer(
        f"{TRUE} {OPEN}", config=AnswerConfig(verifier=verifier, **EVEN)
    )

    assert ("revise", "emit") == (before.action, after.action)
    assert {OPEN} == {*requests}


@pytest.mark.parametrize(
    ("verdict", "emits", "status"),
    [("supported", True, "grounded"), ("not_found", False, "unsupported"),
     ("contradicted", False, "contradicted")],
)  # fmt: skip
def test_a_judge_with_a_strict_rubric_decides_as_well(shop, verdict, emits, status):
    """Supported, not found or contradicted, each with its score."""
    config = AnswerConfig(
        judge=constant_judge(verdict, quote="has shipped from Oslo"), probes=0, **EVEN
    )
    report = shop.firewall.check_answer(OPEN, config=config)

    assert (emits, [status]) == (report.action == "emit", statuses(report))


def test_word_scores_never_block():
    """No scorer uses embeddings, and a low word score revises and does not block."""
    low = [GateClaim(0.01, critical=True)]

    scorer = SCORERS["words"]

    assert ScorerEffect.BLOCK not in (scorer.in_run, scorer.in_documents)
    assert not [name for name in AnswerConfig.model_fields if "embed" in name]
    assert "revise" == gate(low, CONFIG).action


# What is evidence ---------------------------------------------------------------------------


def test_evidence_is_tool_results_user_and_system_texts():
    """Each span has the source of its text."""
    session = Session()
    session.system("The shop is called Fjord and Fell.")
    session.user("I ordered it on 5 May 2025.")
    session.tool_result("get_order", "Order W-2040 has shipped from Oslo.")
    answer = "The shop is called Fjord and Fell. Order W-2040 has shipped from Oslo."
    report = check_answer(f"{answer} You ordered it on 5 May 2025.", session=session)
    sources = [claim.evidence_spans[0].source for claim in report.claims]

    assert ["system", "tool_result", "user"] == sources


def test_strict_evidence_is_tool_results_only():
    """With `strict_tool_evidence` texts of the user are not evidence, as the document says."""
    session = Session()
    session.user("My order is W-2040, of 5 May 2025.")
    session.tool_result("get_order", "The order has shipped from Oslo.")
    answer = "Your order W-2040 is of 5 May 2025."
    wide = checked(answer, session=session)
    strict = checked(answer, session=session, config=AnswerConfig(strict_tool_evidence=True))

    assert not any(one.missing for one in wide.claims)
    assert strict.report.overall_score < wide.report.overall_score
    assert {"tool_result"} == {
        span.source for claim in strict.report.claims for span in claim.evidence_spans
    }


def test_failed_and_blocked_calls_are_no_evidence_for_their_arguments(shop):
    """An error that repeats its arguments, and a call that did not run, support no id."""
    shop.call("get_order", order_id="W-1111")
    shop.call("get_order", order_id="W-2040", city="Lima")
    report = checked("Order W-1111 is lost in Lima.", session=shop.session)

    assert ["unsupported"] == statuses(report.report)
    assert "W-1111" in {miss.text for miss in report.claims[0].missing}


def test_texts_of_the_agent_are_not_evidence():
    """A statement in an earlier message of the agent does not support the same statement."""
    session = Session()
    session.tool_result("get_order", "The order has shipped.")
    session.assistant("It costs $99.00 in Bergen.")

    assert ["unsupported"] == statuses(check_answer("It costs $99.00 in Bergen.", session=session))


def test_without_evidence_nothing_is_verified():
    """Claims without anything to check them against are unverified, and not emitted."""
    report = check_answer("It weighs 30 kg.", session=Session())

    assert (["unverified"], [None], "revise") == (
        statuses(report), [claim.score for claim in report.claims], report.action,
    )  # fmt: skip


@pytest.mark.parametrize("answer", ["I have cancelled order W-2040.", "It weighs 30 kg [1]."])
def test_without_evidence_actions_and_citations_are_contradicted(answer):
    """A session without calls shows that nothing was cancelled and nothing retrieved."""
    report = check_answer(answer, session=Session())

    assert (["contradicted"], "block") == (statuses(report), report.action)


@pytest.mark.parametrize("shape", ["openai", "anthropic"])
def test_the_report_does_not_depend_on_the_message_format(shape):
    """The same run in the messages of OpenAI and Anthropic has the same report."""
    openai = [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "tool_calls": [
            {"id": "c1", "type": "function",
             "function": {"name": "get_order", "arguments": '{"order_id": "W-2040"}'}}]},
        {"role": "tool", "tool_call_id": "c1", "content": ORDER},
    ]  # fmt: skip
    anthropic = [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "c1", "name": "get_order",
             "input": {"order_id": "W-2040"}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": ORDER}]},
    ]  # fmt: skip
    session = Session()
    session.add(openai if shape == "openai" else anthropic)

    assert ("emit", ["grounded", "grounded"]) == (
        (report := check_answer(TRUE, session=session)).action, statuses(report),
    )  # fmt: skip


# Stage 3: self-consistency ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The parcel weighs 30 kg.", "number"),
        ("It costs $30.", "money"),
        ("It leaves on 3 May 2025.", "date"),
        ("It leaves at 9:15.", "time"),
        ("It is open daily [2].", "citation"),
        ("The parcel was packed by Mia Lindgren.", "name"),
        ("I have sent the parcel.", "action"),
        ("The number is AB-4431.", "id"),
        ("The weather is mild and dry.", None),
    ],
)
def test_what_is_critical(text, kind):
    """Numbers, dates, citations, named entities and action commitments."""
    [claim] = claims_of(text)

    assert (kind is not None) == claim.critical
    assert kind is None or kind in claim.kinds


def test_a_probe_re_asks_in_other_words_with_the_same_evidence(shop):
    """The model is not shown the answer's value; each probe words the question anew."""
    judge = filling_judge("$120.50")
    shop.firewall.check_answer("It cost $120.50.", config=AnswerConfig(judge=judge, probes=3))
    prompts = [messages[0]["content"] for messages in judge.requests]
    data = [data_in(messages) for messages in judge.requests]

    assert 3 == len({*prompts}) == len(judge.requests)
    assert all(data[0]["evidence"] == one["evidence"] for one in data)
    assert ORDER in [piece["text"] for piece in data[0]["evidence"]]
    assert {ASKED} == {one["question"] for one in data}
    assert not any("120.50" in one["sentence"] for d in data for one in d["sentences"])


@pytest.mark.parametrize(
    ("values", "agreement", "action"),
    [
        (["$120.50"], 1.0, "emit"),
        (["$99.00"], 0.0, "revise"),
        (["unknown"], 0.0, "revise"),
        (["$120.50", "$99.00", "120.5 dollars"], 2 / 3, "emit"),
        (["$99.00", "$120.50", "$99.00"], 1 / 3, "revise"),
    ],
)
def test_a_divergence_flags_the_claim_for_revision(shop, values, agreement, action):
    """The majority of the probes counts: good scores do not help."""
    config = AnswerConfig(judge=filling_judge(*values), probes=len(values))
    report = shop.firewall.check_answer("It cost $120.50.", config=config)
    [probe] = report.consistency_probes

    assert (action, agreement) == (report.action, pytest.approx(probe.agreement))
    assert ["grounded" if action == "emit" else "divergent"] == statuses(report)
    assert ("It cost $120.50.", "$120.50", tuple(values)) == (
        probe.claim, probe.original, probe.probe_answers,
    )  # fmt: skip


def test_probing_is_on_where_there_is_a_model():
    """For numbers and citations it is on by default."""
    assert 1 == CONFIG.probes


@pytest.mark.parametrize("probes", [0, 1])
def test_probes_that_did_not_run_are_reported(shop, probes):
    """Without a model the decision has the note `probes_not_run`, and no probe has an agreement."""
    report = shop.firewall.check_answer(TRUE, config=AnswerConfig(probes=probes))
    [decision] = shop.session.answer_decisions

    assert "emit" == report.action
    assert "probes_not_run" in decision.notes
    assert {None} >= {probe.agreement for probe in report.consistency_probes}


@pytest.mark.parametrize("given", [{}, {"probes": 0}, {"judge": filling_judge(None)}])
def test_high_stakes_never_emit_without_probes(shop, given):
    """No model, no probes, or a model without a usable reply: revised, however good the scores."""
    report = shop.firewall.check_answer(TRUE, config=AnswerConfig(high_stakes=True, **given))
    [decision] = shop.session.answer_decisions

    assert "revise" == report.action
    assert {"not_probed", "probes_not_run"} <= {*decision.notes}


def test_high_stakes_emit_what_was_probed(shop):
    """Every critical claim came out the same."""
    config = AnswerConfig(high_stakes=True, judge=filling_judge("$120.50"))

    assert "emit" == shop.firewall.check_answer("It cost $120.50.", config=config).action


@pytest.mark.parametrize("probes", [-1, 6, 1.5])
def test_how_often_it_is_asked_again_is_checked_when_it_is_declared(probes):
    """At most five times: as many wordings as there are."""
    with pytest.raises(PolicyError):
        AnswerConfig(probes=probes)


# Stage 4: the gate --------------------------------------------------------------------------------

REFUTED = {"critical": True, "confirmed": True}
GATE = [
    ("at the emit threshold", [GateClaim(0.85)], "emit", ()),
    ("just below it", [GateClaim(0.8499)], "revise", ("below_emit_threshold",)),
    ("at the revise threshold", [GateClaim(0.6)], "revise", ("below_emit_threshold",)),
    ("below it", [GateClaim(0.5999)], "revise", ("unsupported_claim",)),
    ("critical, at the threshold", [GateClaim(0.4, **REFUTED)], "revise", ("unsupported_claim",)),
    ("critical, below it", [GateClaim(0.3999, **REFUTED)], "block", ("critical_claim_refuted",)),
    ("not critical, below it", [GateClaim(0.1)], "revise", ("unsupported_claim",)),
    ("divergent", [GateClaim(0.99, True, False, True)], "revise", ("divergent_claim",)),
    ("no score", [GateClaim(None)], "revise", ("unverified_claim",)),
    ("no claims", [], "emit", ("no_claims",)),
    ("block before revise", [GateClaim(0.1, **REFUTED), GateClaim(0.5)], "block",
     ("critical_claim_refuted",)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("claims", "action", "notes"), [row[1:] for row in GATE], ids=[row[0] for row in GATE]
)
def test_the_gate(claims, action, notes):
    """Emit from the threshold on, below is strictly below; block > revise > emit."""
    assert (action, notes) == gate(claims, CONFIG)[1:]


def test_a_weak_claim_is_revised_despite_a_high_mean():
    """If the mean allows emitting and one claim requires a revision, the answer is revised."""
    config = AnswerConfig(aggregate="mean")
    result = gate([*[GateClaim(1.0)] * 30, GateClaim(0.5)], config)

    assert (True, "revise") == (result.overall >= config.emit_threshold, result.action)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_rejection_in_the_final_turn_is_revised(shop, order):
    """A rejected call in the final turn causes a revision, whatever the order of the calls."""
    calls = [
        {"name": "get_order", "arguments": {"order_id": "W-2040"}},
        {"name": "get_ordr", "arguments": {}},
    ]
    shop.firewall.run_tool_calls([calls[place] for place in order])
    report = shop.firewall.check_answer(TRUE)
    [decision] = shop.session.answer_decisions

    assert (["grounded", "grounded"], "revise") == (statuses(report), report.action)
    assert "call_rejected" in decision.notes


def test_a_rejection_in_an_earlier_turn_is_ignored(shop):
    """A call rejected before the final turn does not cause a revision."""
    shop.firewall.run_tool_calls([{"name": "get_ordr", "arguments": {}}])
    shop.firewall.run_tool_calls([{"name": "get_order", "arguments": {"order_id": "W-2040"}}])

    assert "emit" == shop.firewall.check_answer(TRUE).action


def test_the_default_thresholds():
    """.85, .6 and .4."""
    assert (0.85, 0.6, 0.4) == (
        CONFIG.emit_threshold, CONFIG.revise_threshold, CONFIG.block_threshold,
    )  # fmt: skip


def test_thresholds_are_the_deployments(shop):
    """High stakes tighten them; the same answer is emitted here and revised there."""
    tight = AnswerConfig(emit_threshold=0.999, revise_threshold=0.95, block_threshold=0.5)

    assert "emit" == shop.firewall.check_answer(TRUE).action
    assert "revise" == shop.firewall.check_answer(TRUE, config=tight).action


@pytest.mark.parametrize(
    "wrong",
    [
        {"emit_threshold": 0.5}, {"revise_threshold": 0.3}, {"block_threshold": 0.9},
        {"emit_threshold": 1.1}, {"block_threshold": -0.1}, {"emit_threshold": float("nan")},
        {"aggregate": "median"}, {"task_type": "poem"}, {"revisions": -1}, {"emit_treshold": 0.9},
        {"refusal": "No: {raeson}."}, {"refusal": "No: {}."}, {"refusal": " "},
    ],
)  # fmt: skip
def test_a_wrong_configuration_fails_when_it_is_declared(wrong):
    """Thresholds out of order, a misspelt name or placeholder: one line."""
    with pytest.raises(PolicyError) as error:
        AnswerConfig(**wrong)

    assert "\n" not in str(error.value)


# The revise loop ----------------------------------------------------------------------------------


def test_revise_re_runs_with_feedback_that_names_the_claims(shop):
    """The feedback has the unsupported claim and the nearest evidence, and no supported claim."""
    writer = Writer(TRUE)
    done = settle_in(shop, VAGUE, writer)

    assert (TRUE, 1, "", "emit") == (
        done.text,
        done.rounds,
        done.refused,
        done.checked.report.action,
    )
    assert "violet wrapping" in writer.requests[0]
    assert "nearest evidence:" in writer.requests[0]
    assert "shipped from Oslo" not in writer.requests[0].split("nearest evidence")[0]


LOOPS = {
    "two revisions, each a little better": ["Painters adore it.", "The violet wrapping shipped."],
    "no improvement": ["Painters adore its violet wrapping."],
    "the same draft again": [VAGUE],
}


@pytest.mark.parametrize("drafts", LOOPS.values(), ids=LOOPS)
def test_loops_end_in_a_refusal(shop, drafts):
    """At most two revisions, none without improvement, none that was there before: block."""
    done = settle_in(shop, VAGUE, Writer(*drafts, TRUE, TRUE))

    assert 2 == CONFIG.revisions
    assert 1 <= done.rounds <= 2
    assert ("block", True) == (done.checked.report.action, bool(done.refused))
    assert "revisions_failed" in done.checked.notes


@pytest.mark.parametrize(("revisions", "count_requests"), [(0, 0), (1, 1)])
def test_how_often_is_the_deployments(shop, revisions, count_requests):
    """No revision at all is a choice too."""
    writer = Writer("Painters really adore it.")
    done = settle_in(shop, VAGUE, writer, AnswerConfig(revisions=revisions, words="gate"))

    assert (count_requests, True) == (len(writer.requests), bool(done.refused))


def test_a_block_is_not_revised(shop):
    """A critical claim below the block threshold is refused immediately."""
    done = settle_in(shop, MADE_UP["a new identifier"], Writer())

    assert (0, "block") == (done.rounds, done.checked.report.action)
    assert "revisions_failed" not in done.checked.notes


@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_names_the_failure_and_nothing_internal(shop, what):
    """No tool, no score, no threshold, no evidence, nothing of the draft."""
    answer, evidence = REFUSED[what]
    done = settle_in(shop, answer, Writer(), AnswerConfig(**{**EVEN, **evidence}))

    assert f"I cannot answer this reliably: {done.refused}." == done.text
    assert not re.search(r"\d|get_order|[\[\]{}_`$]", done.text)
    assert not {"threshold", "score", "judge", "probe", "claim", "oslo"} & {
        *re.findall(r"\w+", done.text.casefold())
    }


# The report ---------------------------------------------------------------------------------------

FIELDS = {
    HallucinationReport: {
        "run_id", "claims", "tool_call_validations", "consistency_probes", "overall_score",
        "action", "version",
    },
    ReportedClaim: {"text", "evidence_spans", "score", "critical", "status"},
    ToolCallValidation: {"tool", "args", "status", "errors"},
}  # fmt: skip


@pytest.mark.parametrize("kind", FIELDS)
def test_the_fields_of_the_report(kind):
    """Exactly those of the document."""
    assert is_dataclass(kind)
    assert FIELDS[kind] == {field.name for field in fields(kind)}


def test_a_written_report_has_these_fields_and_no_other(shop):
    """In what is written every object has exactly its own."""
    shop.call("get_order", id=7)
    report = shop.firewall.check_answer(TRUE).to_dict()

    assert FIELDS[HallucinationReport] == {*report}
    assert FIELDS[ReportedClaim] == {*report["claims"][0]}
    assert {field.name for field in fields(EvidenceSpan)} == {
        *report["claims"][0]["evidence_spans"][0]
    }
    assert FIELDS[ToolCallValidation] == {*report["tool_call_validations"][0]}
    assert {"claim", "original", "probe_answers", "agreement"} == {*report["consistency_probes"][0]}


def test_the_version_of_the_report(shop):
    """The report has the version of its document, not that of the package."""
    assert "1.0" == shop.firewall.check_answer(TRUE).version


def reports_of_runs():
    """Yield the reports of many kinds of runs."""
    new_shop = Shop()
    configs = [
        CONFIG, AnswerConfig(judge=constant_judge("supported")),
        AnswerConfig(judge=constant_judge("contradicted")),
        AnswerConfig(judge=filling_judge("$120.50"), probes=3), AnswerConfig(high_stakes=True),
        AnswerConfig(task_type="draft"), AnswerConfig(aggregate="mean"),
    ]  # fmt: skip
    with new_shop.firewall.session() as session:
        session.user(ASKED)
        new_shop.call("get_order", order_id="W-2040")
        new_shop.call("get_order", id=7)
        for config in configs:
            for answer in (TRUE, OPEN, VAGUE, "", *MADE_UP.values()):
                yield new_shop.firewall.check_answer(answer, config=config).to_dict()
    yield check_answer(TRUE, evidence=[]).to_dict()
    yield check_answer(TRUE, evidence=[{"id": "a\ud800", "text": ORDER}]).to_dict()


def test_every_report_is_as_the_published_schema_says():
    """The schema is a valid one of draft 2020-12."""
    Draft202012Validator.check_schema(REPORT_SCHEMA)
    validator = Draft202012Validator(REPORT_SCHEMA)
    messages = [*reports_of_runs()]

    assert [] == [error.message for one in messages for error in validator.iter_errors(one)]
    assert messages == json.loads(json.dumps(messages, allow_nan=False))
    assert {"emit", "revise", "block"} == {one["action"] for one in messages}


LEVELS = [
    (), ("claims", 0), ("claims", 0, "evidence_spans", 0), ("tool_call_validations", 0),
    ("consistency_probes", 0),
]  # fmt: skip


@pytest.mark.parametrize("path", LEVELS)
def test_the_schema_is_closed(shop, path):
    """A field more or less, on any level, does not fit."""
    validator = Draft202012Validator(REPORT_SCHEMA)
    more, less = (shop.firewall.check_answer(TRUE).to_dict() for _ in range(2))
    one, other = more, less
    for step in path:
        one, other = one[step], other[step]
    one["note"] = "x"
    other.popitem()

    assert not validator.is_valid(more)
    assert not validator.is_valid(less)


def test_the_statuses():
    """Five of a claim, three of a call."""
    items = REPORT_SCHEMA["properties"]

    assert {"grounded", "unsupported", "contradicted", "divergent", "unverified"} == {
        *items["claims"]["items"]["properties"]["status"]["enum"]
    }
    assert {"accepted", "rejected", "flagged"} == {
        *items["tool_call_validations"]["items"]["properties"]["status"]["enum"]
    }


def test_a_report_is_of_one_run(shop):
    """A new request is a new run: its report has its own id and calls."""
    first = shop.firewall.check_answer(TRUE)
    shop.session.user("And what about returns?")
    second = shop.firewall.check_answer(TRUE)

    assert shop.session.run_id == second.run_id != first.run_id
    assert [1, 0] == [len(report.tool_call_validations) for report in (first, second)]


@pytest.mark.parametrize(
    ("answer", "action", "blocked"),
    [(TRUE, Action.ALLOW, False), (INVENTED, Action.REVISE, False),
     (MADE_UP["a negation"], Action.BLOCK, True)],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_the_report_is_persisted_as_a_decision(tmp_path, answer, action, blocked, mode):
    """In the session and in the store, and read back from it as it was."""
    path = tmp_path / "kept.db"
    firewall = Shield(shield.configure(mode=mode), hooks=(), store=SqliteStore(path))
    session = firewall.session()
    session.tool_result("get_order", ORDER)
    report = firewall.check_answer(answer, session=session)
    [decision] = session.answer_decisions
    firewall.store.close()
    with closing(SqliteStore(path)) as reopened:
        [kept] = [one for one in reopened.decisions() if one.subject is Subject.ANSWER]

    assert (action, blocked, blocked and mode == "strict") == (
        decision.action, decision.would_block, decision.blocked,
    )  # fmt: skip
    assert decision == kept == Decision.from_dict(json.loads(decision.to_json()))
    assert (report.run_id, 1 - report.overall_score) == (kept.run_id, kept.probability)


def test_each_claim_that_does_not_hold_has_a_finding(shop):
    """By its place in the report, its status, and why."""
    shop.firewall.check_answer(f"{TRUE} {MADE_UP['a new identifier']}")
    [decision] = shop.session.answer_decisions

    assert [("answer", "/claims/2", "contradicted")] == [
        (one.check, one.where, one.code) for one in decision.findings
    ]
    assert "W-9999" in decision.findings[0].detail


def test_annotations_are_notes_of_the_decision(shop):
    """The report has neither a field nor an action for annotations."""
    report = shop.firewall.check_answer(TRUE)
    [decision] = shop.session.answer_decisions

    assert ("emit", ("probes_not_run",)) == (report.action, decision.notes)


# In practice --------------------------------------------------------------------------------------


LOOK_UP = [{"name": "get_order", "arguments": {"order_id": "W-2040"}}]


def test_an_agent_whose_answer_is_revised_once_and_emitted(shop):
    """The feedback is sent with the model's next turn, and the revised answer is emitted."""
    agent = Agent(shop, LOOK_UP, VAGUE, TRUE)

    assert TRUE == agent("And order W-2040 again?")
    assert ["tool", "user"] == [message["role"] for message in agent.messages]


def test_an_agent_that_repeats_its_claim_is_refused(shop):
    """If the revision repeats the claim, the user receives the refusal."""
    agent = Agent(shop, LOOK_UP, VAGUE, "Painters adore its violet wrapping.")

    assert agent("And order W-2040 again?").startswith("I cannot answer this reliably:")


def test_a_revision_may_call_tools(shop):
    """A rejected call is made right in the next turn; no rejection is left in the final one."""
    agent = Agent(
        shop, [{"name": "get_ordr", "arguments": {}}], TRUE, LOOK_UP, f"Great news! {TRUE}"
    )

    assert f"Great news! {TRUE}" == agent("And order W-2040 again?")


def test_the_detector_runs_async_as_well(shop):
    """The async check and revision loop return the same."""

    async def run():
        async def check(draft):
            return await achecked(draft, session=shop.session)

        async def write(feedback):
            return TRUE

        return await asettled(INVENTED, write=write, check=check, config=CONFIG)

    assert (TRUE, 1) == (asyncio.run(run())[0], asyncio.run(run()).rounds)


@pytest.mark.parametrize("task", ["creative", "brainstorm", "draft"])
def test_outputs_that_state_no_facts(shop, task):
    """FAQ: grounding is off by task type; the calls of the run are verified as ever."""
    shop.call("get_order", id=7)
    shop.call("get_order", order_id="W-2040")
    config = AnswerConfig(task_type=task)
    report = shop.firewall.check_answer(MADE_UP["a negation"], config=config)
    [decision] = shop.session.answer_decisions

    assert ("emit", None, ()) == (report.action, report.overall_score, report.claims)
    assert "grounding_skipped" in decision.notes
    assert ["accepted", "rejected", "accepted"] == [
        one.status for one in report.tool_call_validations
    ]


@pytest.mark.parametrize("task", ["creative", "brainstorm", "draft"])
def test_action_safety_does_not_depend_on_the_task(shop, task):
    """A rejected call in the final turn also causes a revision of a creative text."""
    shop.call("get_order", id=7)

    config = AnswerConfig(task_type=task)
    assert "revise" == shop.firewall.check_answer("Roses are red.", config=config).action


def test_stages_one_two_and_four_need_no_model(shop):
    """FAQ: they are what a compliant detector has to have; probing is recommended on top."""
    assert (None, None) == (CONFIG.judge, CONFIG.verifier)
    assert "block" == shop.firewall.check_answer(MADE_UP["a new identifier"]).action


def test_a_blocked_answer_is_a_refusal_and_no_hedge(shop):
    """Common mistake: a refusal is the template, and nothing of the answer."""
    done = settle_in(shop, f"{TRUE} {MADE_UP['another magnitude']}", Writer())

    assert done.refused
    assert not {"order", "w-2040", "cost", "maybe", "might"} & {*done.text.casefold().split()}

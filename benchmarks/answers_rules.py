"""The rules of the answer room, and how each is switched off: one row a rule."""

from __future__ import annotations

import re

from ablation import FIRST, Argument, Part

from abs_shield.answer.evidence.text_rows import PROSE

_NEVER = re.compile(r"(?!)")

FACTS: dict[str, tuple[Part, ...]] = {
    "records: values bound to them": (
        Part("answer.checks.record_bindings:RecordBindings.records", ()),
    ),
    "records: pairs in a sentence": (Part("answer.checks.record_scope:RecordScope.paired", ()),),
    "records: the subject of a sentence": (
        Part("answer.checks.record_scope:RecordScope.subject", ()),
    ),
    "records: lists of objects in YAML": (Part("answer.evidence.text_rows:_are_records", False),),
    "records: rows of text": (Part("answer.evidence.text_rows:rows", PROSE),),
    "records: objects under names": (Part("answer.evidence.record_paths:_has_thing_names", False),),
    "records: small counts": (
        Part("answer.checks.answer_values:AnswerValues._swapped_count", None),
    ),
    "records: days as keys": (Part("answer.checks.record_scope:RecordScope._days", ()),),
    "records: fields of a moment": (
        Part("answer.checks.record_bindings:RecordBindings.of_field", Argument(2)),
    ),
    "records: swapped values": (
        Part("answer.checks.answer_values:AnswerValues._is_swapped", False),
    ),
    "records: sentences that say it": (
        Part("answer.checks.record_bindings:RecordBindings.is_of_another", False),
    ),
    "results: outdated ones": (
        Part("answer.checks.record_bindings:RecordBindings.is_outdated", False),
    ),
    "derivation: any": (
        Part("answer.checks.derived_numbers:Derivation.supports", False),
        Part("answer.checks.date_arithmetic:DateArithmetic.supports", False),
    ),
    "derivation: numbers": (Part("answer.checks.derived_numbers:Derivation.supports", False),),
    "derivation: columns": (Part("answer.checks.result_numbers:_columns", ()),),
    "derivation: short texts": (Part("answer.checks.result_numbers:ResultNumbers._prose", ()),),
    "derivation: quotients": (Part("answer.checks.derived_numbers:Derivation._all_quotients", ()),),
    "derivation: products": (Part("answer.checks.derived_numbers:Derivation._all_products", ()),),
    "derivation: differences": (
        Part("answer.checks.derived_numbers:Derivation._all_differences", ()),
    ),
    "derivation: shares": (Part("answer.checks.derived_numbers:Derivation._all_shares", ()),),
    "derivation: arguments of the call": (
        Part("answer.checks.result_numbers:ResultNumbers._arguments", ()),
    ),
    "derivation: which way a percentage goes": (
        Part("answer.checks.polarity_check:FALLS", _NEVER),
        Part("answer.checks.polarity_check:RISES", _NEVER),
    ),
    "derivation: another unit": (
        Part("answer.checks.derived_numbers:Derivation._is_restated", False),
    ),
    "derivation: moments": (Part("answer.checks.date_arithmetic:DateArithmetic.supports", False),),
    "derivation: lengths": (
        Part("answer.checks.date_arithmetic:DateArithmetic._is_length", False),
    ),
    "moments: stretches that end before they begin": (
        Part("answer.checks.date_arithmetic:DateArithmetic.is_reversed", False),
    ),
    "dates: repeated statements": (
        Part("answer.checks.record_bindings:RecordBindings.date_conflict", ""),
    ),
    "texts: folded YAML": (Part("text.yaml_scalars:decode_folded_scalars", FIRST),),
    "payments: amounts of the calls": (Part("answer.checks.paid_amounts:Paid.agrees", None),),
    "payments: amounts that occur elsewhere": (Part("answer.checks.paid_amounts:_is_paid", False),),
    "derivation: days that the user names": (
        Part("answer.checks.date_arithmetic:DateArithmetic._is_relative_day", False),
    ),
    "derivation: days in a range": (
        Part("answer.checks.date_arithmetic:DateArithmetic._is_within", False),
    ),
    "exemptions: examples": (Part("answer.checks.exempt_values:is_example", False),),
    "exemptions: endings": (Part("answer.checks.exempt_values:Exemptions._is_ending", False),),
    "ids: parts of longer ones": (Part("answer.evidence.evidence_value:_parts", ()),),
    "ids: broken by blanks": (Part("answer.evidence.value_index:ValueIndex.has_broken", False),),
    "units: conversion": (Part("answer.evidence.value_index:ValueIndex._convert_units", ()),),
    "units: other ones": (
        Part("answer.evidence.declared_units:DeclaredUnits.has_other_unit", False),
    ),
    "numbers: signs": (Part("answer.checks.answer_values:AnswerValues._has_other_sign", False),),
    "numbers: a growth that falls": (Part("answer.checks.polarity_check:reverses_growth", False),),
    "numbers: rounded with about": (Part("answer.checks.answer_values:_round", FIRST),),
    "numbers: groups in the answer": (Part("text.values.units:join_number_groups", None),),
    "numbers: lengths in names": (Part("text.values.units:lengths_in", ()),),
    "numbers: groups with blanks": (
        Part("answer.evidence.value_index:ValueIndex.has_spaced", False),
    ),
    "conflict: another value": (Part("answer.checks.conflicting_sentences:other_value", None),),
}
ACTIONS: dict[str, tuple[Part, ...]] = {
    "actions: any": (Part("answer.checks.claimed_actions:claimed_actions", ()),),
    "actions: kinds of calls": (Part("answer.checks.action_calls:Call.can_be", True),),
    "actions: calls that failed": (Part("answer.checks.action_check:_is_referred_to", False),),
    "actions: values of failed calls": (
        Part("answer.checks.action_check:_names_failed_value", False),
    ),
    "actions: results that say no": (Part("answer.evidence.undone_actions:undone", False),),
    "actions: results that report one": (
        Part("answer.checks.action_check:Calls._is_reported", False),
    ),
    "actions: participles that describe": (Part("answer.checks.action_check:_ATTRIBUTE", _NEVER),),
    "actions: participles after gerunds": (Part("text.verbs:infinitive_of_gerund", ""),),
    "actions: recipients": (Part("answer.checks.action_check:Calls._have_others", False),),
    "actions: tools that did not run": (Part("answer.checks.action_check:unused_tools", ()),),
    "actions: other ids": (Part("answer.checks.action_check:Calls._have_ids", True),),
}
SOURCES: dict[str, tuple[Part, ...]] = {
    "citations: any": (Part("answer.checks.citation_check:Sources.conflict", ""),),
}
PEOPLE: dict[str, tuple[Part, ...]] = {
    "people: with a title": (Part("answer.checks.people_check:find_titled", ()),),
    "people: without a title": (Part("answer.checks.people_check:find_untitled", ()),),
}
POLARITY: dict[str, tuple[Part, ...]] = {
    "polarity: sentences": (Part("answer.checks.polarity_check:find_contradiction", None),),
    "polarity: fields": (Part("answer.checks.state_check:Flags.find_conflict", None),),
    "polarity: states that exclude others": (
        Part("answer.checks.state_check:_exclude_states", frozenset()),
    ),
    "polarity: all of a kind": (Part("answer.checks.plain_statements:is_universal", False),),
    "polarity: directions": (Part("answer.checks.polarity_check:Directions.conflict", ""),),
}
EXTRACTION: dict[str, tuple[Part, ...]] = {
    "claims: clauses": (Part("answer.claim_reader:_is_complete", False),),
    "claims: courtesies": (Part("answer.speech_acts:states_nothing", False),),
    "claims: refusals": (Part("answer.speech_acts:refuses", False),),
    "claims: statements in questions": (Part("answer.speech_acts:statement_span", (0, 0)),),
    "claims: actions": (Part("answer.speech_acts:reports_action", False),),
    "claims: questions in documents": (Part("answer.claim_reader:_asks_user", True),),
    "claims: yes or no in documents": (Part("answer.claim_reader:affirms", False),),
    "claims: answers in JSON": (Part("answer.claim_scores:without_json", FIRST),),
    "claims: markup": (Part("answer.markdown_blocks:without_markup", FIRST),),
}
WORDS: dict[str, tuple[Part, ...]] = {
    "words: statements about the speaker": (
        Part("answer.scorers.lexical.lexical_features:_speaks", False),
    ),
}

RULES = {**FACTS, **ACTIONS, **SOURCES, **PEOPLE, **POLARITY, **EXTRACTION, **WORDS}

LABELS: dict[str, str] = {
    "records: sentences that say it": "tests/answer/test_honest_answers.py",
    "records: rows of text": "tests/answer/test_facts.py",
    "records: objects under names": "tests/answer/test_facts.py",
    "records: lists of objects in YAML": "tests/answer/test_rows.py",
    "moments: stretches that end before they begin": "tests/answer/test_reckoned.py",
    "payments: amounts of the calls": "tests/answer/test_paid.py",
    "records: small counts": "tests/answer/test_facts.py",
    "records: fields of a moment": "tests/answer/test_other_domains.py",
    "derivation: short texts": "tests/answer/test_facts.py",
    "derivation: which way a percentage goes": "tests/answer/test_facts.py",
    "derivation: days in a range": "tests/answer/test_facts.py",
    "exemptions: endings": "tests/answer/test_facts.py",
    "numbers: signs": "tests/answer/test_facts.py",
    "numbers: a growth that falls": "tests/answer/test_facts.py",
    "numbers: groups with blanks": "tests/answer/test_facts.py",
    "actions: results that report one": "tests/answer/test_deeds.py",
    "actions: other ids": "tests/answer/test_deeds.py",
    "actions: recipients": "tests/answer/test_recipients.py",
    "actions: tools that did not run": "tests/answer/test_recipients.py",
    "payments: amounts that occur elsewhere": "tests/answer/test_paid.py",
    "claims: answers in JSON": "tests/answer/test_markup.py",
    "actions: results that say no": "tests/answer/test_undone.py",
    "citations: any": "tests/answer/test_cited.py",
    "people: without a title": "tests/answer/test_people.py",
    "polarity: sentences": "tests/text/test_polarity.py",
    "claims: statements in questions": "tests/answer/test_claims.py",
    "claims: actions": "tests/answer/test_claims.py",
    "claims: markup": "tests/answer/test_markup.py",
}
"""Rules whose case no data has, to the file of the test that fails without them."""

"""The rules of the answer room, and how each is switched off: one row a rule."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ablation import FIRST, Argument, Part

from abs_shield.answer.checks import claimed_actions
from abs_shield.answer.evidence import record_paths, text_rows
from abs_shield.answer.evidence.text_rows import PROSE
from abs_shield.text.values import figure_reader, number_values

_NEVER, _ALWAYS = re.compile(r"(?!)"), re.compile("")
_NONE: frozenset[str] = frozenset()


def _without(table: tuple[Any, ...], absent: Callable[[Any], bool]) -> tuple[Any, ...]:
    return tuple(row for row in table if not absent(row))


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
    "ids: other spellings": (Part("answer.checks.answer_values:has_other_spelling", False),),
    "ids: another record's": (Part("answer.checks.answer_values:other_record_of", None),),
    "dates: weekdays beside them": (Part("answer.checks.answer_values:weekday_conflict", ""),),
    "numbers: rounded down": (Part("answer.checks.hedged_numbers:_ABOVE", _NEVER),),
    "numbers: rounded up": (Part("answer.checks.hedged_numbers:_BELOW", _NEVER),),
    "numbers: durations in codes of texts": (Part("answer.evidence.value_index:_CODE", _NEVER),),
    "records: parts of names": (
        Part("answer.checks.record_bindings:RecordBindings._names_part", False),
    ),
    "records: comparisons": (Part("answer.checks.record_scope:_COMPARED", _NEVER),),
    "records: values apart from the next name": (
        Part("answer.checks.record_scope:_APART", _NEVER),
    ),
    "records: possessives": (Part("answer.checks.record_scope:_POSSESSIVE", _NEVER),),
    "ids: broken by blanks": (Part("answer.evidence.value_index:ValueIndex.has_broken", False),),
    "units: conversion": (Part("answer.evidence.value_index:ValueIndex._convert_units", ()),),
    "units: words of currencies": (Part("answer.evidence.declared_units:_OF_WORDS", {}),),
    "units: the only currency of a result": (
        Part("answer.evidence.declared_units:DeclaredUnits._only_currency", ""),
    ),
    "units: measures are no money": (
        Part("answer.evidence.declared_units:DeclaredUnits._measures", False),
    ),
    "units: other ones": (
        Part("answer.evidence.declared_units:DeclaredUnits.has_other_unit", False),
    ),
    "numbers: signs": (Part("answer.checks.answer_values:AnswerValues._has_other_sign", False),),
    "numbers: a growth that falls": (Part("answer.checks.polarity_check:reverses_growth", False),),
    "numbers: rounded with about": (Part("answer.checks.answer_values:widen_hedged", FIRST),),
    "numbers: groups in the answer": (Part("text.values.units:join_number_groups", None),),
    "numbers: lengths in names": (Part("text.values.units:lengths_in", ()),),
    "numbers: groups with blanks": (
        Part("answer.evidence.value_index:ValueIndex.has_spaced", False),
    ),
    "conflict: another value": (Part("answer.checks.conflicting_sentences:other_value", None),),
    "derivation: amounts of a year": (
        Part("answer.checks.derived_numbers:Derivation._all_years", ()),
    ),
    "derivation: amounts of a month": (Part("answer.checks.computation_words:PER_MONTH", _NEVER),),
    "derivation: rates": (Part("answer.checks.derived_numbers:Derivation._all_rated", ()),),
    "derivation: rates in cents": (Part("answer.checks.computation_words:SMALL_RATE", _NEVER),),
    "derivation: ages": (Part("answer.checks.date_arithmetic:DateArithmetic._is_age", False),),
    "derivation: ends of records": (
        Part("answer.checks.date_arithmetic:DateArithmetic._ends_record", False),
    ),
    "derivation: durations on a clock": (
        Part("answer.checks.date_arithmetic:DateArithmetic._is_clock", False),
    ),
    "derivation: shifted dates and times": (Part("answer.checks.date_arithmetic:_shift", ()),),
    "derivation: shares of small counts": (
        Part("answer.checks.derived_numbers:Derivation._is_share_of_count", False),
    ),
    "derivation: parts of wholes": (Part("answer.checks.derived_numbers:_parts", ()),),
    "derivation: sums": (Part("answer.checks.derived_numbers:Derivation._all_sums", ()),),
    "derivation: sums of neighbours": (Part("answer.checks.result_numbers:sum_neighbours", ()),),
    "derivation: last numbers of lines": (
        Part("answer.checks.derived_numbers:Derivation._last_of_lines", ()),
    ),
    "derivation: totals of results": (
        Part("answer.checks.result_numbers:ResultNumbers.totals", ()),
    ),
    "derivation: differences in a record": (
        Part("answer.checks.result_numbers:ResultNumbers.differences", ()),
    ),
    "derivation: percentages of amounts": (Part("answer.checks.derived_numbers:_MOST_RATES", 0),),
    "derivation: derived operands": (Part("answer.checks.derived_numbers:_ROUNDS", 1),),
    "derivation: words for sums": (Part("answer.checks.computation_words:COMPUTED", _ALWAYS),),
    "derivation: words for shares": (Part("answer.checks.computation_words:SHARED", _ALWAYS),),
    "derivation: words for the rest": (Part("answer.checks.computation_words:REMAINDER", _NEVER),),
    "derivation: durations of the user": (
        Part("answer.evidence.value_index:ValueIndex.newest_request", ()),
    ),
    "moments: changed times": (Part("answer.checks.date_arithmetic:_CHANGED", _NEVER),),
    "moments: differences of times": (Part("answer.checks.date_arithmetic:_EQUALS", _NEVER),),
    "records: changed by a later call": (
        Part("answer.checks.record_bindings:RecordBindings.changed", None),
    ),
    "records: values of a plan": (Part("answer.checks.record_bindings:_PLAN", _NEVER),),
    "records: names": (Part("answer.checks.record_scope:RecordScope._names_in", ()),),
    "records: ids": (Part("answer.checks.record_scope:RecordScope._ids_in", ()),),
    "records: names without their first word": (
        Part("answer.evidence.record_names:RecordNames.shortened_names", {}),
    ),
    "records: first words of names": (
        Part("answer.evidence.record_names:RecordNames.first_words", {}),
    ),
    "records: stated as its own": (
        Part("answer.checks.record_scope:RecordScope.belongs_to_record", False),
    ),
    "records: dates set apart": (Part("answer.checks.record_bindings:_RELATIVE", _NEVER),),
    "records: other records with the name": (
        Part("answer.evidence.record_values:RecordValues.mentions_name", False),
    ),
    "records: lines with a field": (Part("answer.checks.record_scope:_FIELD", _NEVER),),
    "records: fields that a sentence names": (
        Part("answer.checks.record_bindings:_names_field", True),
    ),
    "records: keys of objects": (Part("answer.evidence.record_paths:_has_record_keys", False),),
    "results: the past": (Part("answer.checks.record_bindings:_PAST", _NEVER),),
    "ids: only letters": (Part("answer.evidence.evidence_value:_letter_id", []),),
    "units: declared beside a value": (
        Part("answer.evidence.declared_units:DeclaredUnits._declared_unit", ""),
    ),
    "units: cents": (Part("answer.evidence.evidence_value:EvidenceValue.may_be_cents", False),),
    "units: hours and minutes": (Part("text.values.units:join_durations", None),),
    "numbers: fields for amounts": (
        Part("answer.evidence.evidence_value:EvidenceValue.is_money", True),
    ),
    "numbers: broken by blanks": (
        Part("answer.checks.answer_values:AnswerValues._is_broken", False),
    ),
    "numbers: words for a sign": (Part("answer.checks.answer_values:_NEGATIVE", _NEVER),),
    "times: positions in a recording": (Part("text.values.date_values:_POSITION", _NEVER),),
    "dates: first days of ranges": (Part("text.values.date_values:_BEFORE", _NEVER),),
    "payments: computed amounts": (Part("answer.checks.paid_amounts:_COMPUTED", _NEVER),),
    "records: lists and tables": (
        Part(
            "answer.evidence.text_rows:_FORMS",
            _without(text_rows._FORMS, lambda row: row is text_rows._items),
        ),
    ),
    "records: separated values": (
        Part(
            "answer.evidence.text_rows:_FORMS",
            _without(text_rows._FORMS, lambda row: row is text_rows._parse_separated),
        ),
    ),
    "records: labelled lines": (
        Part(
            "answer.evidence.text_rows:_FORMS",
            _without(text_rows._FORMS, lambda row: row is text_rows._parse_labelled),
        ),
    ),
    "records: paragraphs of fields": (
        Part(
            "answer.evidence.text_rows:_FORMS",
            _without(text_rows._FORMS, lambda row: row is text_rows._paragraphs),
        ),
    ),
    "records: parallel sentences": (
        Part(
            "answer.evidence.text_rows:_FORMS",
            _without(text_rows._FORMS, lambda row: row is text_rows._parallel),
        ),
    ),
    "numbers: durations in words": (
        Part(
            "text.values.figure_reader:_FORMS",
            _without(figure_reader._FORMS, lambda row: row[1] is number_values.duration_of),
        ),
    ),
    "numbers: amounts in other languages": (
        Part(
            "answer.evidence.record_paths:_AMOUNTS",
            record_paths._AMOUNTS - {*record_paths._AMOUNTS_IN_OTHER_LANGUAGES.split()},
        ),
    ),
    "derivation: ratios": (Part("answer.checks.derived_numbers:Derivation._all_ratios", ()),),
    "derivation: counts": (Part("answer.checks.result_numbers:ResultNumbers._counts", ()),),
    "derivation: items of a list": (Part("answer.checks.derived_numbers:_ITEM", _NEVER),),
    "records: names in lower case": (
        Part("answer.checks.record_scope:RecordScope._is_beside", False),
    ),
    "records: numbers of running text": (
        Part("answer.evidence.value_index:ValueIndex.is_prose", False),
    ),
    "units: degrees": (Part("text.values.units:_in_other_degrees", ()),),
    "units: currencies with one sign": (Part("answer.evidence.declared_units:_FAMILIES", ()),),
    "numbers: decimals in any field": (
        Part("answer.evidence.evidence_value:_DECIMALS", re.compile(r"\.")),
    ),
    "numbers: removals without a sign": (Part("answer.checks.answer_values:_REMOVED", _NEVER),),
    "times: on a 24-hour clock": (Part("text.values.figure_reader:on_24_hour_clock", FIRST),),
    "exemptions: the question": (
        Part("answer.checks.exempt_values:Exemptions.is_requested", False),
    ),
    "records: headings": (Part("answer.checks.record_scope:_HEADING", _NEVER),),
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
    "actions: recipients": (Part("answer.checks.action_check:Calls._has_other_recipient", False),),
    "actions: tools that did not run": (Part("answer.checks.action_check:unused_tools", ()),),
    "actions: other ids": (Part("answer.checks.action_check:Calls._have_ids", True),),
    "actions: conditions": (Part("answer.checks.action_patterns:CONDITION", _NEVER),),
    "actions: advice": (Part("answer.checks.action_patterns:ADVICE", _NEVER),),
    "actions: descriptions": (Part("answer.checks.action_patterns:RELATIVE", _NEVER),),
    "actions: notices": (Part("answer.checks.action_patterns:NOTICE", _NEVER),),
    "actions: replaced objects": (Part("answer.checks.action_patterns:OLD", _NEVER),),
    "actions: objects of talk": (Part("answer.checks.action_patterns:TALK_OBJECT", _NEVER),),
    "actions: further ones": (Part("answer.checks.action_patterns:AND", _NEVER),),
    "actions: begun ones": (Part("answer.checks.claimed_actions:_BEGUN", _NONE),),
    "actions: messages of the system": (
        Part("answer.checks.action_check:Calls._is_sent_anyway", False),
    ),
    "actions: words for messages": (Part("answer.checks.action_calls:_SENT_AS", _NONE),),
    "actions: repeated verbs": (Part("answer.checks.action_calls:_repeated", ()),),
    "actions: verbs in arguments": (Part("answer.checks.action_calls:_verbs_in", ()),),
    "actions: related verbs": (Part("answer.checks.action_calls:_related_verbs", ()),),
    "actions: moved things": (Part("answer.checks.action_calls:_MOVED", {}),),
    "actions: generic verbs": (Part("answer.checks.action_calls:_GENERIC", _NONE),),
    "actions: records of one": (Part("answer.checks.reported_actions:_record_verbs", ()),),
    "actions: fields that deny one": (Part("answer.evidence.undone_actions:_denies", False),),
    "actions: texts that refuse one": (Part("answer.evidence.undone_actions:_refuses", False),),
    "recipients: people": (Part("answer.checks.action_recipients:_is_person", False),),
    "recipients: values of one field": (Part("answer.checks.action_recipients:_values", ()),),
    "recipients: forms of a name": (Part("answer.checks.action_recipients:_occurs", False),),
    "actions: passive voice": (
        Part(
            "answer.checks.claimed_actions:_PATTERNS",
            _without(claimed_actions._PATTERNS, lambda row: row is claimed_actions.PASSIVE),
        ),
    ),
    "actions: states of things": (
        Part(
            "answer.checks.claimed_actions:_PATTERNS",
            _without(claimed_actions._PATTERNS, lambda row: row is claimed_actions.STATE),
        ),
    ),
    "actions: bookings": (Part("answer.checks.action_calls:_BOOKED", _NONE),),
    "actions: undone records": (Part("answer.checks.reported_actions:_is_undone", False),),
    "actions: ids beside one": (Part("answer.checks.reported_actions:_ids_beside", _NONE),),
    "actions: payments": (Part("answer.checks.action_calls:_PRICED", _NONE),),
    "actions: results in prose": (Part("answer.checks.action_check:Calls._is_in_prose", False),),
    "actions: several in a claim": (Part("answer.checks.action_check:Calls.ids_of", _NONE),),
    "actions: kinds of ids": (Part("answer.checks.action_check:_IdFields.agree", True),),
    "actions: verbs that send": (Part("answer.checks.action_calls:_SENT_BY", _NONE),),
    "actions: refunds": (Part("answer.checks.claimed_actions:REFUND", _NEVER),),
    "recipients: places": (Part("answer.checks.action_recipients:_PLACE", _NEVER),),
    "recipients: objects": (Part("answer.checks.action_recipients:_OBJECT", _NEVER),),
    "recipients: subjects": (Part("answer.checks.action_recipients:_SUBJECT", _NEVER),),
    "recipients: users of a tool": (Part("answer.checks.action_recipients:_PEOPLE", _NONE),),
    "recipients: calls without one": (
        Part("answer.checks.action_recipients:_Target.may_be_to", True),
    ),
    "actions: records of the object": (Part("answer.checks.action_check:Calls._texts_of", ()),),
    "actions: abbreviated objects": (Part("answer.checks.action_objects:_abbreviates", False),),
    "actions: counts of zero": (Part("answer.checks.action_calls:counts_pieces", False),),
    "actions: conditions in results": (Part("answer.checks.action_check:_CONDITIONAL", _NEVER),),
    "actions: numbers that are ids": (Part("answer.checks.action_check:_LEAST_ID", 99),),
    "actions: objects": (Part("answer.checks.action_calls:Call._is_about", True),),
    "actions: states in unknown words": (
        Part("answer.checks.state_check:has_unread_state", False),
    ),
    "actions: objects of vague verbs": (
        Part("answer.checks.action_check:contradicts_talk", False),
    ),
    "actions: short reports": (Part("answer.checks.claimed_actions:_short", None),),
    "actions: states that need a record": (Part("answer.checks.claimed_actions:_is_firm", False),),
    "actions: rare verbs in names of tools": (
        Part("answer.checks.action_calls:is_tool_verb", False),
    ),
}
SOURCES: dict[str, tuple[Part, ...]] = {
    "citations: any": (Part("answer.checks.citation_check:Sources.conflict", ""),),
    "citations: numbers of passages": (Part("answer.checks.citation_check:numbers_of", ()),),
    "citations: counts of passages": (Part("answer.checks.citation_check:count_passages", 1),),
}
PEOPLE: dict[str, tuple[Part, ...]] = {
    "people: with a title": (Part("answer.checks.people_check:find_titled", ()),),
    "people: without a title": (Part("answer.checks.people_check:find_untitled", ()),),
    "people: handles": (Part("answer.checks.people_check:_NameText._has_handle", False),),
    "people: other spellings": (Part("answer.checks.people_check:_DIGRAPHS", {}),),
    "people: requested inventions": (Part("answer.checks.people_check:_INVENTS", _NEVER),),
    "people: namesakes": (Part("text.person_names:is_namesake", False),),
    "people: beginnings of handles": (Part("answer.checks.people_check:_HANDLES", _NEVER),),
    "people: short forms": (Part("answer.checks.people_check:_NameText._has_short", False),),
    "people: escaped letters": (Part("answer.checks.people_check:_ESCAPED", _NEVER),),
    "people: further examples": (Part("answer.checks.people_check:_is_next", False),),
    "people: introductions": (Part("answer.checks.people_check:_MYSELF", _NEVER),),
}
POLARITY: dict[str, tuple[Part, ...]] = {
    "polarity: sentences": (Part("answer.checks.polarity_check:find_contradiction", None),),
    "polarity: fields": (Part("answer.checks.state_check:Flags.find_conflict", None),),
    "polarity: states that exclude others": (
        Part("answer.checks.state_check:_exclude_states", frozenset()),
    ),
    "polarity: all of a kind": (Part("answer.checks.plain_statements:is_universal", False),),
    "polarity: directions": (Part("answer.checks.polarity_check:Directions.conflict", ""),),
    "polarity: doubt": (Part("answer.checks.plain_statements:_DOUBT", _NEVER),),
    "polarity: needs": (Part("answer.checks.plain_statements:_NEED", _NEVER),),
    "polarity: words of dates": (Part("answer.checks.plain_statements:_DATE", _NEVER),),
    "polarity: records singled out": (
        Part("answer.checks.state_check:Flags._select_flags", Argument(1)),
    ),
    "polarity: subjects": (Part("answer.checks.state_check:Flags._is_about", True),),
    "polarity: states": (Part("answer.checks.state_check:_state", ()),),
    "polarity: states ahead": (Part("answer.checks.state_check:_AHEAD", _NONE),),
    "polarity: negations": (Part("text.polarity:denial", ""),),
    "polarity: opposites": (Part("text.polarity:opposite", ""),),
    "polarity: opposite states": (Part("text.polarity:OPPOSITES", {}),),
    "polarity: ends and beginnings": (
        Part("answer.checks.conflicting_sentences:_change_words", _NONE),
    ),
    "polarity: ways back": (Part("answer.checks.polarity_check:_RETURN", _NEVER),),
    "polarity: denied directions": (Part("answer.checks.polarity_check:_NONE", _NEVER),),
    "polarity: proposals": (Part("answer.checks.polarity_check:_PROPOSAL", _NEVER),),
    "polarity: requests": (Part("answer.checks.conflicting_sentences:_REQUEST", _NEVER),),
    "polarity: success": (Part("answer.checks.plain_statements:_SUCCESS", _NEVER),),
    "polarity: nested objects": (Part("answer.checks.state_check:Flags._is_meant", True),),
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
    "claims: questions": (Part("answer.speech_acts:asks", False),),
}
_MEAN_SHARE = 0.75
"""About the mean share of an answer's words that its evidence has."""
WORDS: dict[str, tuple[Part, ...]] = {
    "words: statements about the speaker": (
        Part("answer.scorers.lexical.lexical_features:_speaks", False),
    ),
    "words: share of words found": (
        Part("answer.scorers.lexical.lexical_model:_share", _MEAN_SHARE),
    ),
    "words: remarks": (Part("answer.remarks:_is_remark", False),),
    "words: function words beside a wrong number": (
        Part("answer.scorers.lexical.lexical_features:_has_new_number", False),
    ),
}

RULES = {**FACTS, **ACTIONS, **SOURCES, **PEOPLE, **POLARITY, **EXTRACTION, **WORDS}

LABELS: dict[str, str] = {
    "moments: stretches that end before they begin": "tests/answer/test_reckoned.py",
    "derivation: short texts": "tests/answer/test_facts.py",
    "claims: answers in JSON": "tests/answer/test_markup.py",
    "citations: any": "tests/answer/test_cited.py",
    "people: without a title": "tests/answer/test_people.py",
    "polarity: sentences": "tests/text/test_polarity.py",
    "claims: statements in questions": "tests/answer/test_claims.py",
    "claims: actions": "tests/answer/test_claims.py",
    "claims: markup": "tests/answer/test_markup.py",
    "records: numbers of running text": "tests/answer/test_facts.py",
    "exemptions: the question": "tests/answer/test_hard.py",
    "numbers: decimals in any field": "tests/answer/test_honest_answers.py",
    "times: on a 24-hour clock": "tests/answer/test_reckoned.py",
    "polarity: proposals": "tests/answer/test_flags.py",
    "polarity: requests": "tests/answer/test_honest_answers.py",
    "polarity: success": "tests/answer/test_flags.py",
    "polarity: nested objects": "tests/answer/test_flags.py",
    "actions: results in prose": "tests/answer/test_deeds.py",
    "actions: several in a claim": "tests/answer/test_deeds.py",
    "actions: kinds of ids": "tests/answer/test_deeds.py",
    "actions: verbs that send": "tests/answer/test_deeds.py",
    "actions: refunds": "tests/answer/test_deeds.py",
    "recipients: places": "tests/answer/test_recipients.py",
    "recipients: objects": "tests/answer/test_recipients.py",
    "recipients: users of a tool": "tests/answer/test_recipients.py",
    "recipients: calls without one": "tests/answer/test_recipients.py",
    "people: beginnings of handles": "tests/answer/test_people.py",
    "people: short forms": "tests/answer/test_people.py",
    "people: escaped letters": "tests/answer/test_people.py",
    "citations: numbers of passages": "tests/answer/test_cited.py",
    "citations: counts of passages": "tests/answer/test_cited.py",
    "records: values of a plan": "tests/answer/test_honest_answers.py",
    "payments: computed amounts": "tests/answer/test_paid.py",
    "actions: states of things": "tests/answer/test_deeds.py",
    "people: namesakes": "tests/answer/test_people.py",
    "actions: objects": "tests/answer/test_action_objects.py",
    "actions: states in unknown words": "tests/answer/test_action_objects.py",
    "actions: objects of vague verbs": "tests/answer/test_action_objects.py",
    "actions: short reports": "tests/answer/test_short_reports.py",
    "actions: states that need a record": "tests/answer/test_short_reports.py",
    "ids: other spellings": "tests/answer/test_id_spellings.py",
    "ids: another record's": "tests/answer/test_record_ids.py",
    "dates: weekdays beside them": "tests/answer/test_stated_weekdays.py",
    "numbers: rounded down": "tests/answer/test_honest_figures.py",
    "numbers: rounded up": "tests/answer/test_honest_figures.py",
    "numbers: durations in codes of texts": "tests/answer/test_honest_figures.py",
    "records: parts of names": "tests/answer/test_honest_figures.py",
    "records: comparisons": "tests/answer/test_honest_figures.py",
    "records: values apart from the next name": "tests/answer/test_honest_figures.py",
    "records: possessives": "tests/answer/test_record_ids.py",
    "actions: records of the object": "tests/answer/test_action_objects.py",
    "actions: abbreviated objects": "tests/answer/test_action_objects.py",
    "actions: counts of zero": "tests/answer/test_action_objects.py",
    "units: words of currencies": "tests/answer/test_honest_figures.py",
    "units: the only currency of a result": "tests/answer/test_honest_figures.py",
    "units: measures are no money": "tests/answer/test_honest_figures.py",
    "actions: conditions in results": "tests/answer/test_short_reports.py",
    "actions: numbers that are ids": "tests/answer/test_deeds.py",
    "actions: rare verbs in names of tools": "tests/answer/test_action_objects.py",
}
"""Rules whose case no data has, to the file of the test that fails without them."""

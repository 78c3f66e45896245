"""The rules about records, derived values and figures, and how each is switched off."""

from __future__ import annotations

import re

from ablation import ALWAYS, FIRST, NEVER, Argument, Part, rows_without

from abs_shield.answer.evidence import record_paths, text_rows
from abs_shield.answer.evidence.text_rows import PROSE
from abs_shield.text.values import figure_reader, number_values

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
        Part("answer.checks.polarity_check:FALLS", NEVER),
        Part("answer.checks.polarity_check:RISES", NEVER),
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
    "numbers: rounded down": (Part("answer.checks.hedged_numbers:_ABOVE", NEVER),),
    "numbers: rounded up": (Part("answer.checks.hedged_numbers:_BELOW", NEVER),),
    "numbers: durations in codes of texts": (Part("answer.evidence.value_index:_CODE", NEVER),),
    "records: parts of names": (
        Part("answer.checks.record_bindings:RecordBindings._names_part", False),
    ),
    "records: comparisons": (Part("answer.checks.record_scope:_COMPARED", NEVER),),
    "records: values apart from the next name": (Part("answer.checks.record_scope:_APART", NEVER),),
    "records: possessives": (Part("answer.checks.record_scope:_POSSESSIVE", NEVER),),
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
    "derivation: amounts of a month": (Part("answer.checks.computation_words:PER_MONTH", NEVER),),
    "derivation: rates": (Part("answer.checks.derived_numbers:Derivation._all_rated", ()),),
    "derivation: rates in cents": (Part("answer.checks.computation_words:SMALL_RATE", NEVER),),
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
    "derivation: words for sums": (Part("answer.checks.computation_words:COMPUTED", ALWAYS),),
    "derivation: words for shares": (Part("answer.checks.computation_words:SHARED", ALWAYS),),
    "derivation: words for the rest": (Part("answer.checks.computation_words:REMAINDER", NEVER),),
    "derivation: durations of the user": (
        Part("answer.evidence.value_index:ValueIndex.newest_request", ()),
    ),
    "moments: changed times": (Part("answer.checks.date_arithmetic:_CHANGED", NEVER),),
    "moments: differences of times": (Part("answer.checks.date_arithmetic:_EQUALS", NEVER),),
    "records: changed by a later call": (
        Part("answer.checks.record_bindings:RecordBindings.changed", None),
    ),
    "records: values of a plan": (Part("answer.checks.record_bindings:_PLAN", NEVER),),
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
    "records: dates set apart": (Part("answer.checks.record_bindings:_RELATIVE", NEVER),),
    "records: other records with the name": (
        Part("answer.evidence.record_values:RecordValues.mentions_name", False),
    ),
    "records: lines with a field": (Part("answer.checks.record_scope:_FIELD", NEVER),),
    "records: fields that a sentence names": (
        Part("answer.checks.record_bindings:_names_field", True),
    ),
    "records: keys of objects": (Part("answer.evidence.record_paths:_has_record_keys", False),),
    "results: the past": (Part("answer.checks.record_bindings:_PAST", NEVER),),
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
    "numbers: words for a sign": (Part("answer.checks.answer_values:_NEGATIVE", NEVER),),
    "times: positions in a recording": (Part("text.values.date_values:_POSITION", NEVER),),
    "dates: first days of ranges": (Part("text.values.date_values:_BEFORE", NEVER),),
    "payments: computed amounts": (Part("answer.checks.paid_amounts:_COMPUTED", NEVER),),
    "records: lists and tables": (
        Part(
            "answer.evidence.text_rows:_FORMS",
            rows_without(text_rows._FORMS, lambda row: row is text_rows._items),
        ),
    ),
    "records: separated values": (
        Part(
            "answer.evidence.text_rows:_FORMS",
            rows_without(text_rows._FORMS, lambda row: row is text_rows._parse_separated),
        ),
    ),
    "records: labelled lines": (
        Part(
            "answer.evidence.text_rows:_FORMS",
            rows_without(text_rows._FORMS, lambda row: row is text_rows._parse_labelled),
        ),
    ),
    "records: paragraphs of fields": (
        Part(
            "answer.evidence.text_rows:_FORMS",
            rows_without(text_rows._FORMS, lambda row: row is text_rows._paragraphs),
        ),
    ),
    "records: parallel sentences": (
        Part(
            "answer.evidence.text_rows:_FORMS",
            rows_without(text_rows._FORMS, lambda row: row is text_rows._parallel),
        ),
    ),
    "numbers: durations in words": (
        Part(
            "text.values.figure_reader:_FORMS",
            rows_without(figure_reader._FORMS, lambda row: row[1] is number_values.duration_of),
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
    "derivation: items of a list": (Part("answer.checks.derived_numbers:_ITEM", NEVER),),
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
    "numbers: removals without a sign": (Part("answer.checks.answer_values:_REMOVED", NEVER),),
    "times: on a 24-hour clock": (Part("text.values.figure_reader:on_24_hour_clock", FIRST),),
    "exemptions: the question": (
        Part("answer.checks.exempt_values:Exemptions.is_requested", False),
    ),
    "records: headings": (Part("answer.checks.record_scope:_HEADING", NEVER),),
}

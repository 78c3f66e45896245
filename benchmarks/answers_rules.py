"""The rules of the answer room, and how each is switched off: one row a rule."""

from __future__ import annotations

from ablation import FIRST, NEVER, NONE, Argument, Part, rows_without
from answers_fact_rules import FACTS

from abs_shield.answer.checks import claimed_actions

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
    "actions: participles that describe": (
        Part("answer.checks.action_patterns:_ATTRIBUTE", NEVER),
    ),
    "actions: participles after gerunds": (Part("text.verbs:infinitive_of_gerund", ""),),
    "actions: recipients": (Part("answer.checks.action_check:Calls._has_other_recipient", False),),
    "actions: tools that did not run": (Part("answer.checks.action_check:unused_tools", ()),),
    "actions: other ids": (Part("answer.checks.action_check:Calls._have_ids", True),),
    "actions: conditions": (Part("answer.checks.action_patterns:CONDITION", NEVER),),
    "actions: advice": (Part("answer.checks.action_patterns:ADVICE", NEVER),),
    "actions: descriptions": (Part("answer.checks.action_patterns:RELATIVE", NEVER),),
    "actions: notices": (Part("answer.checks.action_patterns:NOTICE", NEVER),),
    "actions: replaced objects": (Part("answer.checks.action_patterns:OLD", NEVER),),
    "actions: objects of talk": (Part("answer.checks.action_patterns:TALK_OBJECT", NEVER),),
    "actions: further ones": (Part("answer.checks.action_patterns:AND", NEVER),),
    "actions: begun ones": (Part("answer.checks.claimed_actions:_BEGUN", NONE),),
    "actions: messages of the system": (
        Part("answer.checks.action_check:Calls._is_sent_anyway", False),
    ),
    "actions: words for messages": (Part("answer.checks.action_calls:_SENT_AS", NONE),),
    "actions: repeated verbs": (Part("answer.checks.action_calls:_repeated", ()),),
    "actions: verbs in arguments": (Part("answer.checks.action_calls:_verbs_in", ()),),
    "actions: related verbs": (Part("answer.checks.action_calls:_related_verbs", ()),),
    "actions: moved things": (Part("answer.checks.action_calls:_MOVED", {}),),
    "actions: generic verbs": (Part("answer.checks.action_calls:_GENERIC", NONE),),
    "actions: records of one": (Part("answer.checks.reported_actions:_record_verbs", ()),),
    "actions: fields that deny one": (Part("answer.evidence.undone_actions:_denies", False),),
    "actions: texts that refuse one": (Part("answer.evidence.undone_actions:_refuses", False),),
    "recipients: people": (Part("answer.checks.action_recipients:_is_person", False),),
    "recipients: values of one field": (Part("answer.checks.action_recipients:_values", ()),),
    "recipients: forms of a name": (Part("answer.checks.action_recipients:_occurs", False),),
    "actions: passive voice": (
        Part(
            "answer.checks.claimed_actions:_PATTERNS",
            rows_without(claimed_actions._PATTERNS, lambda row: row is claimed_actions.PASSIVE),
        ),
    ),
    "actions: states of things": (
        Part(
            "answer.checks.claimed_actions:_PATTERNS",
            rows_without(claimed_actions._PATTERNS, lambda row: row is claimed_actions.STATE),
        ),
    ),
    "actions: bookings": (Part("answer.checks.action_calls:_BOOKED", NONE),),
    "actions: undone records": (Part("answer.checks.reported_actions:_is_undone", False),),
    "actions: ids beside one": (Part("answer.checks.reported_actions:_ids_beside", NONE),),
    "actions: payments": (Part("answer.checks.action_calls:_PRICED", NONE),),
    "actions: results in prose": (Part("answer.checks.action_check:Calls._is_in_prose", False),),
    "actions: several in a claim": (Part("answer.checks.action_check:Calls.ids_of", NONE),),
    "actions: kinds of ids": (Part("answer.checks.action_check:_IdFields.agree", True),),
    "actions: verbs that send": (Part("answer.checks.action_calls:_SENT_BY", NONE),),
    "actions: refunds": (Part("answer.checks.claimed_actions:REFUND", NEVER),),
    "recipients: places": (Part("answer.checks.action_recipients:_PLACE", NEVER),),
    "recipients: objects": (Part("answer.checks.action_recipients:_OBJECT", NEVER),),
    "recipients: subjects": (Part("answer.checks.action_recipients:_SUBJECT", NEVER),),
    "recipients: users of a tool": (Part("answer.checks.action_recipients:_PEOPLE", NONE),),
    "recipients: calls without one": (
        Part("answer.checks.action_recipients:_Target.may_be_to", True),
    ),
    "actions: records of the object": (Part("answer.checks.action_check:Calls._texts_of", ()),),
    "actions: abbreviated objects": (Part("answer.checks.action_objects:_abbreviates", False),),
    "actions: counts of zero": (Part("answer.checks.action_calls:counts_pieces", False),),
    "actions: conditions in results": (Part("answer.checks.action_patterns:_CONDITIONAL", NEVER),),
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
    "people: requested inventions": (Part("answer.checks.people_check:_INVENTS", NEVER),),
    "people: namesakes": (Part("text.person_names:is_namesake", False),),
    "people: beginnings of handles": (Part("answer.checks.people_check:_HANDLES", NEVER),),
    "people: short forms": (Part("answer.checks.people_check:_NameText._has_short", False),),
    "people: escaped letters": (Part("answer.checks.people_check:_ESCAPED", NEVER),),
    "people: further examples": (Part("answer.checks.people_check:_is_next", False),),
    "people: introductions": (Part("answer.checks.people_check:_MYSELF", NEVER),),
}
POLARITY: dict[str, tuple[Part, ...]] = {
    "polarity: sentences": (Part("answer.checks.polarity_check:find_contradiction", None),),
    "polarity: fields": (Part("answer.checks.state_check:Flags.find_conflict", None),),
    "polarity: states that exclude others": (
        Part("answer.checks.state_check:_exclude_states", frozenset()),
    ),
    "polarity: all of a kind": (Part("answer.checks.plain_statements:is_universal", False),),
    "polarity: directions": (Part("answer.checks.polarity_check:Directions.conflict", ""),),
    "polarity: doubt": (Part("answer.checks.plain_statements:_DOUBT", NEVER),),
    "polarity: needs": (Part("answer.checks.plain_statements:_NEED", NEVER),),
    "polarity: words of dates": (Part("answer.checks.plain_statements:_DATE", NEVER),),
    "polarity: records singled out": (
        Part("answer.checks.state_check:Flags._select_flags", Argument(1)),
    ),
    "polarity: subjects": (Part("answer.checks.state_check:Flags._is_about", True),),
    "polarity: states": (Part("answer.checks.state_check:_state", ()),),
    "polarity: states ahead": (Part("answer.checks.state_check:_AHEAD", NONE),),
    "polarity: negations": (Part("text.polarity:denial", ""),),
    "polarity: opposites": (Part("text.polarity:opposite", ""),),
    "polarity: opposite states": (Part("text.polarity:OPPOSITES", {}),),
    "polarity: ends and beginnings": (
        Part("answer.checks.conflicting_sentences:_change_words", NONE),
    ),
    "polarity: ways back": (Part("answer.checks.polarity_check:_RETURN", NEVER),),
    "polarity: denied directions": (Part("answer.checks.polarity_check:_NONE", NEVER),),
    "polarity: proposals": (Part("answer.checks.polarity_check:_PROPOSAL", NEVER),),
    "polarity: requests": (Part("answer.checks.conflicting_sentences:_REQUEST", NEVER),),
    "polarity: success": (Part("answer.checks.plain_statements:_SUCCESS", NEVER),),
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

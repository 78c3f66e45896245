"""The rules of detection, and how each is switched off: one row a rule."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any, NamedTuple

from ablation import FIRST, replaced

from abs_shield.plan import tool_action
from abs_shield.plan.indirect_mentions import INDIRECT_MENTIONS
from abs_shield.text import identifier_words

InputKey = tuple[str, str]
"""A function of a name, and a name that it was asked about."""
CALL, TOOL, EVER = "call", "tool", "ever"
_NONE: frozenset[str] = frozenset()
_CACHED = (tool_action.parse_action, identifier_words._name_words, identifier_words._of_what)


class Rule(NamedTuple):
    """
    One rule, as a part of the package that can be replaced.

    Attributes:
        part: Module below the package, and the name in it: ``plan.entity_kinds:is_other_kind``.
        off: What it returns where it is off; what stands there instead of a table.
        asked: Whether it is asked for every ``call``, once a ``tool``, or once for ``ever``.
        by: Of a table, the function of a name that alone reads it.
    """

    part: str
    off: Any = False
    asked: str = CALL
    by: str = ""


def _of_name(table: str, off: Any) -> Rule:
    return Rule(f"plan.parameter_names:{table}", off, EVER, by="plan.parameter_names:classify_name")


def _of_verb(table: str, off: Any) -> Rule:
    return Rule(f"plan.tool_action:{table}", off, EVER, by="plan.tool_action:parse_action")


RULES: dict[str, Rule] = {
    # which values have to come from somewhere: by the name
    "a count is no id": Rule("plan.parameter_names:_is_count", False, TOOL),
    "the head of a name": Rule("plan.parameter_names:_head", FIRST, TOOL),
    "the number of a thing": Rule("plan.parameter_names:_classify_number", "open", TOOL),
    "the id of a class": Rule("plan.parameter_names:_classify_id", "hard", TOOL),
    "names of identifiers": _of_name("_ID_WORDS", _NONE),
    "names of hosts": Rule("plan.parameter_names:_HOST_WORDS", _NONE, EVER),
    "names of people": _of_name("_PERSON_WORDS", _NONE),
    "plain words": _of_name("_PLAIN_WORDS", _NONE),
    "words of interfaces": _of_name("_VOCABULARY_WORDS", _NONE),
    "sums": _of_name("_AMOUNT_WORDS", _NONE),
    "ways of paying": _of_name("_PAYMENT_WORDS", _NONE),
    "names that the world knows": _of_name("_PUBLIC_WORDS", _NONE),
    "what stands before by": _of_name("_BY_VERBS", {}),
    "names that are traded": _of_name("_COMMON_KNOWLEDGE_WORDS", _NONE),
    "names of people and places": _of_name("_SOFT_WORDS", _NONE),
    "numbers in other languages": _of_name("_FOREIGN_NUMBER", ()),
    "words that end in id": _of_name("_WORDS_ENDING_IN_ID", _NONE),
    "shaded words": _of_name("_SPECIFIED_WORDS", {}),
    "the address of something": _of_name("_ADDRESS_KINDS", _NONE),
    "directions": Rule("plan.parameter_names:_DIRECTION_WORDS", _NONE, EVER),
    "free texts": Rule(
        "text.identifier_words:FREE", _NONE, EVER, by="text.identifier_words:is_free_text_field"
    ),
    "the name of a plain thing": Rule("plan.tool_parameters:_is_plain_member", False, TOOL),
    "what the schema says": Rule("plan.tool_parameters:_by_description", "open", TOOL),
    "who a message goes to": Rule("plan.tool_parameters:_names_addressee", False, TOOL),
    "formats of ids": Rule("plan.tool_parameters:_FORMATS", _NONE, EVER),
    "formats of moments": Rule("plan.tool_parameters:_MOMENTS", _NONE, EVER),
    "output tools": Rule("plan.tool_parameters:is_answer_tool", False, TOOL),
    "defaults": Rule("plan.schema_lookup:defaults_of", _NONE, TOOL),
    "examples of ids": Rule("plan.schema_lookup:examples_of", (), TOOL),
    "forms and patterns take blanks": Rule(
        "plan.tool_parameters:Parameters._takes_blanks", True, TOOL
    ),
    # by the value
    "words with a meaning": Rule("text.value_shapes:is_sentinel"),
    "prose": Rule("plan.parameter_values:_is_prose"),
    "expressions": Rule("text.value_shapes:is_formula"),
    "dates and times": Rule("text.value_shapes:is_date_or_time"),
    "quantities": Rule("text.value_shapes:is_quantity"),
    "addresses": Rule("text.value_shapes:is_address"),
    "codes": Rule("text.value_shapes:is_code"),
    "countries": Rule("text.countries:is_country"),
    "words of an interface": Rule("plan.parameter_values:_is_interface_word"),
    "ids by name alone": Rule("plan.parameter_values:_is_misnamed_id"),
    "numbers that count": Rule("plan.parameter_values:_classify_number", "never"),
    "tokens": Rule("plan.parameter_values:is_token"),
    "long text under an id": Rule("plan.parameter_values:is_free_text"),
    "keys of filters": Rule("plan.judged_arguments:_is_key"),
    "keys of objects": Rule("plan.judged_arguments:Targets._object_keys", ()),
    "a value in its description": Rule("plan.judged_arguments:_is_in_description"),
    "placeholders": Rule("text.value_shapes:is_placeholder"),
    "blanks of a form": Rule("text.form_blanks:is_blank"),
    "a credential's placeholder": Rule("plan.judged_arguments:_requires_real_value"),
    "a placeholder that was said": Rule("layers.phantom_target:_was_written_with_brackets", True),
    # credentials
    "credentials": Rule("plan.credentials:credential_use", "none", TOOL),
    "a secret's form": Rule("plan.credentials:may_be_secret", True),
    "sessions of a conference": Rule("plan.credentials:names_event"),
    "schemes of tokens": Rule("plan.credentials:bare_secret", FIRST),
    "a credential that was issued": Rule("plan.entity_kinds:is_credential_in_results"),
    "a credential that was given": Rule("plan.entity_kinds:is_credential_from_person"),
    "long credentials": Rule("plan.entity_kinds:_long_credentials", ()),
    "a credential that was set": Rule("layers.phantom_target:_was_set_earlier"),
    # another kind
    "another kind": Rule("plan.entity_kinds:is_other_kind"),
    "one value twice": Rule("plan.entity_kinds:is_also_other_kind"),
    "a credential as an id": Rule("plan.entity_kinds:is_credential_by_label"),
    "values of that very name": Rule("plan.entity_kinds:matches_field_values"),
    "values that the user gave": Rule("plan.user_values:replaces_user_value"),
    "names of which half was said": Rule("plan.partial_names:has_other_half_in_run"),
    # what needs no mention
    **{
        f"indirect mention `{name}`": Rule(f"plan.indirect_mentions:INDIRECT_MENTIONS[{name}]")
        for name in INDIRECT_MENTIONS
    },
    "initials before a number": Rule("plan.indirect_mentions.numbered_id:_is_initials"),
    "words that ask": Rule("text.code_labels:_REQUEST_VERBS", _NONE, EVER),
    "numbers in groups": Rule("text.separatorless:_is_grouped"),
    "groups of unequal length": Rule("text.digit_groups:_is_uneven"),
    "groups of one length": Rule("text.digit_groups:_is_row"),
    "blanks that are closed": Rule("text.separatorless:_closes_up"),
    "whole codes of a result": Rule("session.token_index:TokenIndex.cell", None),
    "words apart": Rule("layers.phantom_target:_allows_separate_words"),
    "sites that all know": Rule("text.popular_sites:is_popular_site"),
    "usual files": Rule("text.path_cuts:is_conventional"),
    "steps below a path": Rule("session.run_mentions:Mentions.extends_mentioned_path"),
    "folders of a path": Rule("session.value_lookup:_is_folder", True),
    "slips in a path": Rule("text.path_cuts:is_misspelt_path"),
    "echoes": Rule("layers.phantom_target:_is_echo"),
    "foreign scripts": Rule("layers.phantom_target:has_identifier_characters", True),
    "made before": Rule("layers.phantom_target:_was_created"),
    "made in this turn": Rule("plan.siblings:Siblings._unread", ()),
    "made by a statement": Rule("plan.created_entities:names_created_by_statements", []),
    "marked as guarded": Rule("layers.phantom_target:_check_guarded", ()),
    "stands verbatim": Rule("session.verbatim:occurs_verbatim", True),
    # what a call makes
    "names to create": Rule("plan.created_entities:names_new_entity", False, TOOL),
    "numbers of the caller's": Rule("plan.created_entities:_is_caller_number", False, TOOL),
    "marks of a request": Rule("plan.created_entities:_is_request_key", False, TOOL),
    "what is uploaded": Rule("plan.created_entities:_names_existing_file", False, TOOL),
    "names of somebody": Rule("plan.created_entities:_is_name_of_person", False, TOOL),
    "files": Rule("plan.created_entities:names_file"),
    "told to make": Rule("plan.created_entities:is_creation_command"),
    "called new": Rule("plan.created_entities:_describes_new", False, TOOL),
    "ids of files": Rule("plan.created_entities:_FILE_WORDS", _NONE, EVER),
    "what tells new objects apart": Rule("plan.created_entities:is_list_key"),
    "idempotency keys": Rule("plan.created_entities:_CLIENT_WORDS", _NONE, EVER),
    "records of a call": Rule("plan.created_entities:_RECORD_WORDS", _NONE, EVER),
    "where it is put": Rule("plan.created_entities:_DESTINATION_WORDS", _NONE, EVER),
    "files that are left": Rule("plan.created_entities:_OUTPUT_WORDS", _NONE, EVER),
    # verbs
    "a verb of two words": _of_verb("_TWO_WORD_VERBS", {}),
    "routes": _of_verb("_ROUTE", re.compile("(?!)")),
    "verbs of descriptions": Rule("plan.tool_action:_infinitive", "", TOOL),
    "nouns behind a verb": _of_verb("_NOUNS_AFTER_A_VERB", _NONE),
    "verbs that are nouns": _of_verb("_VERBS_AND_NOUNS", _NONE),
    "acts that open a record": Rule("plan.tool_action:_RECORD_OPENING_VERBS", _NONE, EVER),
    "opened to be read": _of_verb("_OPENED_TO_READ", _NONE),
    "a verb in an argument": Rule("plan.tool_action:parse_action_argument", None),
    "one noun": Rule("plan.tool_action:have_same_noun", True),
    "a verb without a noun": Rule("plan.write_history:have_same_subject", True),
    "commands of a shell": _of_verb("_SHELL_COMMANDS", {}),
    # contradictions
    "asked for": Rule("plan.requested_steps:requests_both_steps"),
    "meant by the user": Rule("layers.self_contradiction:_is_intended"),
    "both values named": Rule("plan.requested_values:names_both_values"),
    "around another deed": Rule("plan.requested_steps:requests_enclosing_step"),
    "verbs that people say": Rule("plan.requested_steps:_spoken_synonyms", set()),
    "one word for two deeds": Rule("plan.requested_steps:_is_one_word_for_both"),
    "moved elsewhere": Rule("plan.moves:is_move"),
    "handles": Rule("layers.self_contradiction:_is_handle"),
    "undoing": Rule("plan.write_history:undoes"),
    "conflicting writes": Rule("layers.self_contradiction:_is_conflicting"),
    "one value turned round": Rule("layers.self_contradiction:_reverses_one_value"),
    "a place that is set": Rule("plan.write_history:_is_assigned_place"),
    "measured values": Rule("plan.write_history:_normalise_number", FIRST),
    "settings": Rule("layers.self_contradiction:_is_setting"),
    "which part is set": Rule("layers.self_contradiction:_names_part_or_text"),
    "a number names the thing": Rule("layers.self_contradiction:_is_number_of_entity"),
    "who is changed": Rule("layers.self_contradiction:_has_subject", True),
    "known by its content": Rule("plan.write_history:Write.repeats_content_of"),
    "ids of a result": Rule("plan.result_ids:identifiers", ()),
    "numbers of a result": Rule("plan.result_ids:numbers", ()),
    "what a result brought": Rule("plan.write_history:Write.returned_id_of"),
    "a group is no member": Rule("plan.write_history:Write._covers_subject", True),
    "one kind of thing": Rule("plan.write_history:_may_undo", True),
    "entities of a call": Rule("plan.write_history:_is_entity"),
    "the noun's own id": Rule("plan.write_history:_names_subject"),
    "one spelling": Rule("plan.spellings:EntitySpellings._find", None),
    "failed calls": Rule("text.failure_results:is_failure_result"),
    "on what was removed": Rule("layers.impossible_state:_shared_parameter", ""),
    "the same removal again": Rule("layers.impossible_state:_repeated_removal", None),
    "slips that lose nothing": Rule("plan.slips:without_slips", None),
}  # fmt: skip

TESTS: dict[str, str] = {
    "numbers in other languages": "tests/layers/test_everyday_values.py",
    "initials before a number": "tests/layers/test_everyday_values.py",
    "who a message goes to": "tests/layers/test_everyday_values.py",
    "called new": "tests/layers/test_everyday_values.py",
    "ids of files": "tests/layers/test_everyday_values.py",
    "verbs of descriptions": "tests/layers/test_everyday_values.py",
    "indirect mention `abbreviated_name`": "tests/layers/test_indirect_mentions.py",
    "indirect mention `dictated_code`": "tests/layers/test_indirect_mentions.py",
    "words that ask": "tests/layers/test_everyday_values.py",
    "numbers in groups": "tests/session/test_other_entities.py",
    "groups of unequal length": "tests/layers/test_whole_identifiers.py",
    "groups of one length": "tests/layers/test_whole_identifiers.py",
    "blanks that are closed": "tests/layers/test_whole_identifiers.py",
    "whole codes of a result": "tests/layers/test_whole_identifiers.py",
    "nouns behind a verb": "tests/layers/test_self_contradiction.py",
    "one value turned round": "tests/layers/test_self_contradiction.py",
    "a place that is set": "tests/layers/test_self_contradiction.py",
    "measured values": "tests/layers/test_self_contradiction.py",
    "names that are traded": "tests/layers/test_right_calls.py",
    "words that end in id": "tests/layers/test_right_calls.py",
    "formats of ids": "tests/layers/test_right_calls.py",
    "formats of moments": "tests/layers/test_right_calls.py",
    "output tools": "tests/layers/test_output_tools.py",
    "prose": "tests/layers/test_right_calls.py",
    "a placeholder that was said": "tests/layers/test_phantom_target.py",
    "a credential that was set": "tests/layers/test_credentials.py",
    "indirect mention `dictated_address`": "tests/layers/test_indirect_mentions.py",
    "indirect mention `numbered_id`": "tests/layers/test_indirect_mentions.py",
    "indirect mention `joined_reference`": "tests/layers/test_indirect_mentions.py",
    "indirect mention `temporary_folder`": "tests/layers/test_indirect_mentions.py",
    "idempotency keys": "tests/layers/test_numbered_things.py",
    "opened to be read": "tests/layers/test_right_calls.py",
    "handles": "tests/layers/test_self_contradiction.py",
    "who is changed": "tests/layers/test_self_contradiction.py",
    "numbers of a result": "tests/layers/test_self_contradiction.py",
    "made in this turn": "tests/layers/test_phantom_target.py",
    "one spelling": "tests/layers/test_impossible_state.py",
    "the address of something": "tests/plan/test_names.py",
    "numbers that count": "tests/layers/test_numbered_things.py",
    "long text under an id": "tests/layers/test_phantom_target.py",
    "keys of objects": "tests/shield/test_python_values.py",
    "a value in its description": "tests/layers/test_blank_values.py",
    "a secret's form": "tests/layers/test_credentials.py",
    "sessions of a conference": "tests/layers/test_credentials.py",
    "schemes of tokens": "tests/layers/test_credentials.py",
    "long credentials": "tests/layers/test_credentials.py",
    "echoes": "tests/layers/test_phantom_target.py",
    "marked as guarded": "tests/layers/test_guarded_targets.py",
    "stands verbatim": "tests/layers/test_guarded_targets.py",
    "marks of a request": "tests/layers/test_numbered_things.py",
    "a verb of two words": "tests/layers/test_wanted_steps.py",
    "a verb without a noun": "tests/layers/test_wanted_steps.py",
    "commands of a shell": "tests/layers/test_wanted_steps.py",
    "both values named": "tests/layers/test_wanted_steps.py",
    "around another deed": "tests/layers/test_wanted_steps.py",
    "verbs that people say": "tests/layers/test_wanted_steps.py",
    "one word for two deeds": "tests/layers/test_wanted_steps.py",
    "moved elsewhere": "tests/layers/test_wanted_steps.py",
    "routes": "tests/plan/test_names.py",
    "verbs that are nouns": "tests/plan/test_names.py",
    "folders of a path": "tests/layers/test_parts_of_names.py",
    "slips that lose nothing": "tests/layers/test_parameter_mismatch.py",
}
"""The tests that need a rule which no run needs."""


@contextmanager
def without(name: str) -> Iterator[None]:
    """Switch one rule off."""
    rule = RULES[name]
    with _replaced(rule, lambda part: _off(part, rule)):
        yield


@contextmanager
def watched(fired: set[str], inputs: set[InputKey]) -> Iterator[None]:
    """
    Add to *fired* the name of every rule that changes something.

    Tables cannot be watched: *asked* gets the functions that read them, and the names that these
    were asked about.
    """
    with ExitStack() as stack:
        for name, rule in RULES.items():
            if rule.asked != EVER:
                stack.enter_context(
                    _replaced(rule, lambda part, n=name, r=rule: _watched(part, n, r, fired))
                )
        for by in {rule.by for rule in RULES.values()} - {""}:
            stack.enter_context(_replaced(Rule(by), lambda part, b=by: _noted(part, b, inputs)))
        yield


def tables_that_change(inputs: Iterable[InputKey]) -> dict[InputKey, set[str]]:
    """Return which tables change what the function says of a name."""
    changing: dict[InputKey, set[str]] = {one: set() for one in inputs}
    usual = {one: _call_input(*one) for one in changing}
    for name, rule in RULES.items():
        if rule.by:
            with without(name):
                for one in changing:
                    if one[0] == rule.by and _call_input(*one) != usual[one]:
                        changing[one].add(name)
    return changing


def _call_input(by: str, name: str) -> Any:
    module, _, function = by.partition(":")
    return vars(sys.modules[f"abs_shield.{module}"])[function](name)


def _noted(part: Callable[[str], Any], by: str, inputs: set[InputKey]) -> Callable[[str], Any]:
    def noting(name: str) -> Any:
        inputs.add((by, name))
        return part(name)

    return noting


@contextmanager
def _replaced(rule: Rule, created: Callable[[Any], Any]) -> Iterator[None]:
    """Put what is *made* of a part wherever the package has the part by name."""
    with _reading(rule, created) if "[" in rule.part else replaced(rule.part, created):
        _forget()
        try:
            yield
        finally:
            _forget()


@contextmanager
def _reading(rule: Rule, created: Callable[[Any], Any]) -> Iterator[None]:
    name = rule.part.partition("[")[2].rstrip("]")
    reading = INDIRECT_MENTIONS[name]
    INDIRECT_MENTIONS[name] = reading._replace(holds=created(reading.holds))
    try:
        yield
    finally:
        INDIRECT_MENTIONS[name] = reading


def _forget() -> None:
    """Clear what was worked out of names with another set of rules."""
    for cached in _CACHED:
        cached.cache_clear()


def _off(part: Any, rule: Rule) -> Any:
    if not callable(part):
        return rule.off
    return lambda *args, **kwargs: args[0] if rule.off is FIRST else rule.off


def _watched(part: Callable[..., Any], name: str, rule: Rule, fired: set[str]) -> Any:
    @wraps(part)
    def watching(*args: Any, **kwargs: Any) -> Any:
        result = part(*args, **kwargs)
        off = args[0] if rule.off is FIRST else rule.off
        if isinstance(result, Iterator):
            results = [*result]
            fired.update([name] if results else [])
            return iter(results)
        if result != off and (result or off):
            fired.add(name)
        return result

    return watching

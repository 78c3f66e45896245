"""The rules of detection, and how each is switched off: one row a rule."""

from __future__ import annotations

import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from importlib import import_module
from typing import Any, NamedTuple

from ablation import FIRST, replaced

from abs_shield import layers, plan, session, text
from abs_shield.plan.indirect_mentions import INDIRECT_MENTIONS
from abs_shield.text import digit_groups

# First, because a module that is imported while a rule is replaced would keep the replacement.
for _room in (layers, plan, session, text):
    for _module in pkgutil.walk_packages(_room.__path__, f"{_room.__name__}."):
        import_module(_module.name)

_MODULES = [module for name, module in [*sys.modules.items()] if name.startswith("abs_shield.")]
_CACHES = [part for one in _MODULES for part in vars(one).values() if hasattr(part, "cache_clear")]

InputKey = tuple[str, str]
"""A function of a name, and a name that it was asked about."""
CALL, TOOL, EVER = "call", "tool", "ever"
_NONE: frozenset[str] = frozenset()


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
    "counts, not ids": Rule("plan.parameter_names:_is_count", False, TOOL),
    "main word of a parameter name": Rule("plan.parameter_names:_head", FIRST, TOOL),
    "`number` or `code` of a noun": Rule("plan.parameter_names:_classify_number", "open", TOOL),
    "`id` of a noun": Rule("plan.parameter_names:_classify_id", "hard", TOOL),
    "words for identifiers": _of_name("_ID_WORDS", _NONE),
    "words for hosts": Rule("plan.parameter_names:_HOST_WORDS", _NONE, EVER),
    "words for people": _of_name("_PERSON_WORDS", _NONE),
    "words for plain values": _of_name("_PLAIN_WORDS", _NONE),
    "words for interface values": _of_name("_VOCABULARY_WORDS", _NONE),
    "words for amounts": _of_name("_AMOUNT_WORDS", _NONE),
    "words for payment methods": _of_name("_PAYMENT_WORDS", _NONE),
    "words for well-known things": _of_name("_PUBLIC_WORDS", _NONE),
    "words before `by`": _of_name("_BY_VERBS", {}),
    "words for commonly known names": _of_name("_COMMON_KNOWLEDGE_WORDS", _NONE),
    "words for names and places": _of_name("_SOFT_WORDS", _NONE),
    "words for numbers in other languages": _of_name("_FOREIGN_NUMBER", ()),
    "words that end in `id`": _of_name("_WORDS_ENDING_IN_ID", _NONE),
    "words specified by the word before them": _of_name("_QUALIFIED_WORDS", {}),
    "kinds of addresses": _of_name("_ADDRESS_KINDS", _NONE),
    "words for directions": Rule("plan.parameter_names:_DIRECTION_WORDS", _NONE, EVER),
    "words for free text": Rule(
        "text.identifier_words:FREE", _NONE, EVER, by="text.identifier_words:is_free_text_field"
    ),
    "`name` of a plain member": Rule("plan.parameter_classes:_is_plain_member", False, TOOL),
    "description in the schema": Rule(
        "plan.parameter_classes:_classify_by_description", "open", TOOL
    ),
    "recipients of a message": Rule("plan.parameter_classes:_names_addressee", False, TOOL),
    "formats of identifiers": Rule("plan.parameter_classes:_FORMATS", _NONE, EVER),
    "formats of dates and times": Rule("plan.parameter_classes:_MOMENTS", _NONE, EVER),
    "answer tools": Rule("plan.parameter_classes:is_answer_tool", False, TOOL),
    "defaults of the schema": Rule("plan.schema_lookup:default_texts", _NONE, TOOL),
    "examples in the schema": Rule("plan.schema_lookup:examples_of", (), TOOL),
    "placeholders in forms and patterns": Rule(
        "plan.tool_parameters:Parameters._takes_blanks", True, TOOL
    ),
    # by the value
    "special values of APIs": Rule("text.value_shapes:is_sentinel"),
    "sentences": Rule("plan.parameter_values:_is_prose"),
    "expressions": Rule("text.value_shapes:is_formula"),
    "dates and times": Rule("text.value_shapes:is_date_or_time"),
    "quantities": Rule("text.value_shapes:is_quantity"),
    "addresses": Rule("text.value_shapes:is_address"),
    "codes": Rule("text.value_shapes:is_code"),
    "countries": Rule("text.public_names:is_country"),
    "interface words as soft values": Rule("plan.parameter_values:_is_interface_word"),
    "values that are not ids, despite the name": Rule("plan.parameter_values:_is_misnamed_id"),
    "numbers that may be counts": Rule("plan.parameter_values:_classify_number", "never"),
    "tokens with digits": Rule("plan.parameter_values:is_token"),
    "long text under the name of an id": Rule("plan.parameter_values:is_free_text"),
    "keys of filters": Rule("plan.tool_targets:_is_key"),
    "keys of objects": Rule("plan.tool_targets:Targets._object_keys", ()),
    "values in the description": Rule("plan.judged_arguments:_is_in_description"),
    "placeholders": Rule("text.value_shapes:is_placeholder"),
    "blanks of a form": Rule("text.text_templates:is_blank"),
    "placeholders of credentials": Rule("plan.judged_arguments:_requires_real_value"),
    "placeholders from the run": Rule("plan.target_mentions:_was_written_with_brackets", True),
    # credentials
    "credentials": Rule("plan.credentials:credential_use", "none", TOOL),
    "form of a secret": Rule("plan.credentials:may_be_secret", True),
    "sessions of a conference": Rule("plan.credentials:names_event"),
    "schemes of tokens": Rule("plan.credentials:remove_scheme", FIRST),
    "credentials in results": Rule("plan.entity_kinds:is_credential_in_results"),
    "credentials from a person": Rule("plan.entity_kinds:is_credential_from_person"),
    "long credentials": Rule("plan.entity_kinds:_long_credentials", ()),
    "credentials set by an earlier call": Rule("plan.target_mentions:was_set_earlier"),
    # another kind
    "values of another kind": Rule("plan.entity_kinds:is_other_kind"),
    "one value in two parameters": Rule("plan.entity_kinds:is_also_other_kind"),
    "credentials used as ids": Rule("plan.entity_kinds:is_credential_by_label"),
    "values under the same name": Rule("plan.entity_kinds:matches_field_values"),
    "values that replace the user's": Rule("plan.user_values:replaces_user_value"),
    "names with one part in the run": Rule("plan.partial_names:shares_part_with_another_name"),
    # what needs no mention
    **{
        f"indirect mention `{name}`": Rule(f"plan.indirect_mentions:INDIRECT_MENTIONS[{name}]")
        for name in INDIRECT_MENTIONS
    },
    "first letter before a number": Rule("plan.indirect_ids:_is_initial"),
    "prefixes of another kind": Rule("plan.entity_kinds:_prefix", ""),
    "initials before a number": Rule("plan.indirect_ids:_is_initials"),
    "verbs of requests": Rule("text.labelled_values:_REQUEST_VERBS", _NONE, EVER),
    "numbers in groups": Rule("text.spelling_equivalence:_is_grouped"),
    "groups of unequal length": Rule("text.digit_groups:_is_uneven"),
    "groups of equal length": Rule("text.digit_groups:_is_row"),
    "codes without their blanks": Rule("text.spelling_equivalence:_closes_up"),
    "codes with their digits first": Rule("text.spelling_variants:_in_other_order", ()),
    "nouns beside a code": Rule("session.value_lookup:_with_other_noun", []),
    "tests of a mentioned file": Rule("session.composed_values:_find_test", None),
    "official numbers": Rule(
        "text.digit_groups:_LABELS", digit_groups._LABELS - digit_groups._OFFICIAL, EVER
    ),
    "whole codes in a result": Rule("session.token_index:TokenIndex.find_cell", None),
    "words of a name apart": Rule("plan.target_mentions:allows_separate_words"),
    "well-known sites": Rule("text.public_names:is_popular_site"),
    "conventional files": Rule("text.path_steps:is_conventional"),
    "steps below a known path": Rule("session.run_mentions:Mentions.extends_mentioned_path"),
    "folders of a known path": Rule("session.composed_values:_is_folder", True),
    "misspelt paths": Rule("text.path_steps:is_misspelt_path"),
    "echoes": Rule("plan.target_mentions:is_echo"),
    "names of revisions": Rule("plan.entity_kinds:_are_revisions"),
    "other scripts": Rule("layers.phantom_target:has_identifier_characters", True),
    "created by an earlier call": Rule("plan.target_mentions:was_created"),
    "created in the same turn": Rule("plan.sibling_entities:Siblings._unread", ()),
    "created by a statement": Rule("plan.created_entities:parse_created_names", []),
    "guarded values": Rule("layers.phantom_target:_check_guarded", ()),
    "verbatim occurrence": Rule("session.verbatim:occurs_verbatim", True),
    # what a call makes
    "names of new entities": Rule("plan.created_entities:names_new_entity", False, TOOL),
    "the caller's own numbers": Rule("plan.created_entities:_is_caller_number", False, TOOL),
    "ids of a request": Rule("plan.created_entities:_is_request_key", False, TOOL),
    "files sent with their content": Rule("plan.created_entities:sends_content"),
    "files to upload": Rule("plan.created_entities:_names_existing_file", False, TOOL),
    "names of people and accounts": Rule("plan.created_entities:_is_name_of_person", False, TOOL),
    "names of files": Rule("plan.created_entities:names_file"),
    "arguments with a creating verb": Rule("plan.created_entities:is_creation_command"),
    'descriptions with "new"': Rule("plan.created_entities:_describes_new", False, TOOL),
    "words for files": Rule("plan.created_entities:_FILE_WORDS", _NONE, EVER),
    "keys of new list items": Rule("plan.created_entities:is_list_key"),
    "idempotency keys": Rule("plan.created_entities:_CLIENT_WORDS", _NONE, EVER),
    "words for created records": Rule("plan.created_entities:_RECORD_WORDS", _NONE, EVER),
    "words for destinations": Rule("plan.created_entities:_DESTINATION_WORDS", _NONE, EVER),
    "words for output files": Rule("plan.created_entities:_OUTPUT_WORDS", _NONE, EVER),
    # verbs
    "verbs of two words": _of_verb("_TWO_WORD_VERBS", {}),
    "HTTP routes": _of_verb("_ROUTE", re.compile("(?!)")),
    "verbs in descriptions": Rule("plan.tool_action:_infinitive", "", TOOL),
    "nouns after a verb": _of_verb("_NOUNS_AFTER_A_VERB", _NONE),
    "verbs that are also nouns": _of_verb("_VERBS_AND_NOUNS", _NONE),
    "verbs that open a record": Rule("plan.tool_action:_RECORD_OPENING_VERBS", _NONE, EVER),
    "objects opened for reading": _of_verb("_OPENED_TO_READ", _NONE),
    "verbs in an argument": Rule("plan.tool_action:parse_action_argument", None),
    "same noun": Rule("plan.tool_action:have_same_noun", True),
    "verbs without a noun": Rule("plan.entity_write:have_same_subject", True),
    "shell commands": _of_verb("_SHELL_COMMANDS", {}),
    # contradictions
    "both steps requested": Rule("plan.requested_steps:requests_both_steps"),
    "intended by the user": Rule("layers.self_contradiction:_is_intended"),
    "both values mentioned": Rule("plan.requested_values:names_both_values"),
    "step requested around another one": Rule("plan.requested_steps:requests_enclosing_step"),
    "synonyms of verbs": Rule("plan.requested_steps:_synonyms_of", set()),
    "one word for both steps": Rule("plan.requested_steps:_is_one_word_for_both"),
    "moves": Rule("plan.entity_moves:is_move"),
    "replacements with other values": Rule("plan.entity_moves:is_replacement"),
    "dry runs": Rule("plan.dry_runs:is_dry_run"),
    "handles": Rule("layers.self_contradiction:_is_handle"),
    "undoing calls": Rule("plan.entity_write:undoes"),
    "conflicting writes": Rule("layers.self_contradiction:_is_conflicting"),
    "reversed values": Rule("layers.self_contradiction:_reverses_one_value"),
    "assigned places": Rule("plan.write_extraction:_is_assigned_place"),
    "measured values": Rule("plan.write_extraction:_normalise_number", FIRST),
    "settings": Rule("layers.self_contradiction:_is_setting"),
    "parameters that select a part": Rule("layers.self_contradiction:_names_part_or_text"),
    "numbers of entities": Rule("layers.self_contradiction:_is_number_of_entity"),
    "writes without an entity": Rule("layers.self_contradiction:_has_subject", True),
    "entities known by their content": Rule("plan.entity_write:Write.repeats_content_of"),
    "ids in a result": Rule("plan.result_ids:find_identifiers", ()),
    "numbers in a result": Rule("plan.result_ids:find_new_ids", ()),
    "ids returned by a write": Rule("plan.entity_write:Write.returns_id_of"),
    "groups are not members": Rule("plan.entity_write:Write._covers_subject", True),
    "same kind of entity": Rule("plan.entity_write:_may_undo", True),
    "entities of a call": Rule("plan.write_extraction:_is_entity"),
    "ids of the tool's noun": Rule("plan.write_extraction:_names_subject"),
    "one spelling of an entity": Rule("plan.spellings:EntitySpellings._find", None),
    "failed calls": Rule("text.failure_results:is_failure_result"),
    "writes on removed entities": Rule("layers.impossible_state:_shared_parameter", ""),
    "verbs that fulfil": Rule("plan.tool_action:_FULFILLING_VERBS", _NONE, EVER),
    "names of what was removed": Rule("layers.impossible_state:_names_removed", True),
    "repeated removals": Rule("layers.impossible_state:_repeated_removal", None),
    "harmless slips": Rule("plan.lossless_corrections:correct_slips", None),
}  # fmt: skip

TESTS: dict[str, str] = {
    "created in the same turn": "tests/layers/test_phantom_target.py",
    "kinds of addresses": "tests/plan/test_names.py",
    "long text under the name of an id": "tests/shield/test_python_values.py",
    "guarded values": "tests/layers/test_guarded_targets.py",
    "harmless slips": "tests/layers/test_parameter_mismatch.py",
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
    """Clear every cache of the package, as its results may come from another set of rules."""
    for cached in _CACHES:
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
        # 17.0 is equal to 17, and is another kind of value
        if (result != off or type(result) is not type(off)) and (result or off):
            fired.add(name)
        return result

    return watching

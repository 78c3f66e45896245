"""The kinds of planted faults and of harmless respellings, one row each."""

from __future__ import annotations

from abs_shield.core.vocabularies import (
    IMPOSSIBLE_STATE,
    PARAMETER_MISMATCH,
    PHANTOM_TARGET,
    PHANTOM_TOOL,
    SELF_CONTRADICTION,
)
from abs_shield.planting import call_faults, harmless_calls, identifier_faults, schema_faults
from abs_shield.planting.planted_call import Plant, PlantedKind
from abs_shield.replay.planted_cases import Expect

_ID = "an identifier that the user, the host or a result wrote before the call"
_SECRET = "a credential that was written before the call, of a tool that sets none"
_TWO = "two identifiers of different nouns and forms, each under its name"
_SCHEMA = "a tool whose schema lists its properties"
_ROWS: tuple[tuple[str, str, Plant, str], ...] = (
    ("phantom_target:unseen_wellformed", PHANTOM_TARGET, identifier_faults.unseen, _ID),
    ("phantom_target:typo", PHANTOM_TARGET, identifier_faults.misspelt, _ID),
    ("phantom_target:placeholder", PHANTOM_TARGET, identifier_faults.placeholder, _ID),
    ("phantom_target:soft_name", PHANTOM_TARGET, identifier_faults.bare, _ID),
    ("phantom_target:entity_name", PHANTOM_TARGET, identifier_faults.entity,
     "a proper name that was written before the call, of a tool that creates nothing"),
    ("phantom_target:wrong_type_seen", PHANTOM_TARGET, identifier_faults.other_identifier, _TWO),
    ("phantom_target:unseen_wellformed (credential)", PHANTOM_TARGET,
     identifier_faults.unseen_secret, _SECRET),
    ("phantom_target:typo (credential)", PHANTOM_TARGET,
     identifier_faults.misspelt_secret, _SECRET),
    ("phantom_target:placeholder (credential)", PHANTOM_TARGET,
     identifier_faults.placeholder_secret, _SECRET),
    ("phantom_target:wrong_type_seen (credential)", PHANTOM_TARGET,
     identifier_faults.other_secret, _TWO),
    ("contradiction:inverse", SELF_CONTRADICTION, call_faults.inverse,
     "a call with a result, and a tool of the same noun that undoes it and is never called"),
    ("contradiction:conflicting_update", SELF_CONTRADICTION, call_faults.conflicting_update,
     "an update with a result, of a tool that the run calls once"),
    ("impossible:repeat_on_dead", IMPOSSIBLE_STATE, call_faults.removal_again,
     "a call with a result that deletes, removes or cancels something by its identifier"),
    ("impossible:write_on_dead", IMPOSSIBLE_STATE, call_faults.change_of_removed,
     "such a call, and a tool that changes the same thing by the same parameter"),
    ("phantom_tool:absent", PHANTOM_TOOL, call_faults.absent, "a tool that its run lists"),
    ("phantom_tool:near_miss", PHANTOM_TOOL, call_faults.near_miss, "a tool that its run lists"),
    ("param:missing_required", PARAMETER_MISMATCH, schema_faults.missing,
     f"{_SCHEMA}, with a required argument"),
    ("param:null_required", PARAMETER_MISMATCH, schema_faults.null,
     f"{_SCHEMA}, with a required argument of one type"),
    ("param:extra_arg", PARAMETER_MISMATCH, schema_faults.extra,
     f"{_SCHEMA} and admits no others"),
    ("param:wrong_type", PARAMETER_MISMATCH, schema_faults.wrong_type,
     f"{_SCHEMA}, with an argument of one type"),
    ("param:stringified_number", PARAMETER_MISMATCH, schema_faults.number_as_text,
     f"{_SCHEMA}, with a number"),
    ("param:nan", PARAMETER_MISMATCH, schema_faults.not_a_number, f"{_SCHEMA}, with a number"),
    ("param:enum_out_of_range", PARAMETER_MISMATCH, schema_faults.not_an_option,
     f"{_SCHEMA}, with a list of options"),
)  # fmt: skip
_HARMLESS: tuple[tuple[str, str, Plant, str], ...] = (
    ("benign:email_upper_case", PHANTOM_TARGET, harmless_calls.email_capitals, f"{_ID}: an e-mail"),
    ("benign:hash_added", PHANTOM_TARGET, harmless_calls.hash_added,
     f"{_ID}: digits of an order, a ticket or a case"),
    ("benign:hash_dropped", PHANTOM_TARGET, harmless_calls.hash_dropped, f"{_ID}, with a #"),
    ("benign:iban_spaced", PHANTOM_TARGET, harmless_calls.iban_in_groups, f"{_ID}: an IBAN"),
    ("benign:int_as_float", PHANTOM_TARGET, harmless_calls.integer_as_float, f"{_ID}: an integer"),
    ("benign:lower_case", PHANTOM_TARGET, harmless_calls.lower_case, f"{_ID}, in capitals"),
    ("benign:upper_case", PHANTOM_TARGET, harmless_calls.upper_case, f"{_ID}, in small letters"),
    ("benign:name_case", PHANTOM_TARGET, harmless_calls.name_in_lower_case,
     "a proper name that was written before the call"),
    ("benign:padded", PHANTOM_TARGET, harmless_calls.padded,
     "a proper name that was written before the call"),
    ("benign:phone_reformatted", PHANTOM_TARGET, harmless_calls.phone_in_groups,
     f"{_ID}: a phone number in one piece"),
    ("benign:url_scheme_added", PHANTOM_TARGET, harmless_calls.scheme_added,
     f"{_ID}: an address without a scheme"),
    ("benign:url_scheme_dropped", PHANTOM_TARGET, harmless_calls.scheme_dropped,
     f"{_ID}: an address with a scheme"),
    ("benign:url_trailing_slash", PHANTOM_TARGET, harmless_calls.slash_added, f"{_ID}: an address"),
    ("benign:read_after_write", SELF_CONTRADICTION, harmless_calls.read_again,
     "a call that changes something, behind one that reads"),
    ("benign:same_action_other_entity", IMPOSSIBLE_STATE, harmless_calls.other_entity,
     "a removal, and another entity of the same name in a result before it"),
)  # fmt: skip


KINDS: dict[str, PlantedKind] = {
    name: PlantedKind(name=name, layer=layer, plant=plant, needs=needs, expect=expect)
    for expect, rows in ((Expect.FLAG, _ROWS), (Expect.CLEAN, _HARMLESS))
    for name, layer, plant, needs in rows
}
"""Kinds by name, in the order in which they are printed."""

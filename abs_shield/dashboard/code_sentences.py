"""Sentences for the codes of findings, without values of a call."""

from __future__ import annotations

SENTENCES = {
    # phantom_tool
    "unknown_tool": "no tool of this name is registered",
    "unavailable_tool": "this session may not call this tool",
    "no_name": "the call names no tool",
    # phantom_target
    "unseen": "this value was not mentioned in this run",
    "other_kind": "this run has the value, but as an identifier of another kind",
    "placeholder": "a placeholder is in place of a value",
    "whole_set": "the value names a whole set, or nothing, instead of one thing",
    "mixed_scripts": "a name mixes letters of two scripts",
    "hidden_characters": "the value has invisible characters",
    "too_long": "the value is too long to be compared",
    # parameter_mismatch
    "coercible": "the value has another form than the schema's, and converts without loss",
    "malformed_json": "the arguments are not JSON",
    "duplicate_key": "a key appears twice",
    "not_finite": "a number is not finite",
    "too_deep": "the arguments are nested too deeply to be judged",
    "too_large": "the arguments are too large to be judged",
    "too_complex": "a text took too long to match with the schema's pattern",
    "missing_argument": "a required argument is missing",
    "unknown_argument": "the schema declares no argument of this name",
    "wrong_type": "the value has another type than the schema's",
    "not_allowed": "the value is not one that the schema lists",
    "bad_format": "the value does not have the schema's format",
    "bad_pattern": "the value does not match the schema's pattern",
    "out_of_range": "the number is beyond a limit of the schema",
    "wrong_length": "the value is shorter or longer than the schema allows",
    "not_multiple": "the number is not a multiple of the schema's step",
    "not_unique": "an item appears twice",
    "no_alternative": "the value meets none of the schema's alternatives",
    "invalid": "the schema does not allow this value",
    # self_contradiction, impossible_state, confidence_drop
    "undone": "this call undoes another one of the same run",
    "conflicting": "this call sets a value that another call of the same run set differently",
    "rule": "a declared rule does not hold",
    "removed": "an earlier call of the run removed what this call is about",
    "low_likelihood": "the model gave the tool's name a low likelihood",
    "likelihood_drop": "the model's likelihood lies far below this session's mean",
    # layers that a policy names
    "repeated": "an equal call ran before with the same result",
    "not_read": "the tool that must run before this call has not run",
    "prose_only": "the value appears only in running text of a tool's result",
}
"""Code to sentence; a test compares it with the tables of docs/layers."""


def sentence_of(code: str) -> str:
    """
    Return the sentence of a code; for an unlisted code, the code as words.

    >>> sentence_of("rule"), sentence_of("latency_anomaly")
    ('a declared rule does not hold', 'latency anomaly')
    """
    return SENTENCES.get(code) or code.replace("_", " ")

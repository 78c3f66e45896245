"""Settings of the faithfulness guardrail, validated when they are declared or loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias, cast

from pydantic import InstanceOf, StrictBool, model_validator

from abs_shield.answer.evidence.evidence_collection import evidence_from
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.faithfulness.faithfulness_providers import (
    LexicalProvider,
    ModelProvider,
    Provider,
)
from abs_shield.answer.faithfulness.faithfulness_result import share
from abs_shield.core.declared_fields import require_fields
from abs_shield.core.vocabularies import Mode
from abs_shield.errors import PolicyError, ShieldError
from abs_shield.model import Replies, Terms
from abs_shield.policy.declaration_base import Declaration
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import escaped, shown

Context: TypeAlias = str | Sequence[str | Mapping[str, str]] | Evidence
"""One text, a list of documents (texts, or ``{"id", "text"}``), or the evidence of a run."""
_ID, _LEXICAL = "faithfulness", "lexical"
_BLANK = ("", "--")
"""Contexts that mean "no context" in the guardrail's configuration format."""
_SWITCHES = ("enabled", "before", "after")
_CONFIG = (
    "ref", "provider", "context", "threshold", "exclude_out_of_scope_statements", "out_of_scope",
)  # fmt: skip
# a configuration has a context of a book at most; more would cost `json` its memory several times
_LONGEST = 10_000_000


class FaithfulnessSettings(Declaration):
    """
    The settings of a faithfulness guardrail.

    Attributes:
        provider: A `Judge` (any callable that asks a model), a `Provider`, or the reference of
            one: ``"lexical"`` is the answer pipeline, which needs no model.
        ref: Alias of ``provider``, used by the configuration format.
        providers: Judges and providers by reference.
        context: One text, or a list of documents; a check may pass its own instead.
        threshold: The lowest score that passes, in [0, 1].
        exclude_out_of_scope_statements: Whether a statement that does not refer to the context
            passes (verdict 1); if False, every statement must be inferable.
        before: Whether `check_input` judges the user's input.
        after: Whether `check` judges the response.
        enabled: Whether anything is judged.
        out_of_scope: ``"pass"`` counts such statements as 1, ``"exclude"`` leaves them out of the
            score, ``"fail"`` counts them as 0; None follows the switch above.
        allow_missing_context: Whether the context may be missing; everything is then out of scope.
        mode: ``"strict"`` denies; ``"audit"`` only reports.
        terms: Time-out, budget of each check, and stored replies of the model.
        shield: A `Shield` that records one Decision for each guarded text. Its audit mode and its
            kill switch apply to the guardrail, too.

    Raises:
        PolicyError: A setting is wrong, or the provider or the context is missing.
    """

    provider: Any = None
    ref: Any = None
    providers: Mapping[str, Any] = {}
    context: Any = None
    threshold: Any = 0.8
    exclude_out_of_scope_statements: StrictBool = True
    before: StrictBool = False
    after: StrictBool = True
    enabled: StrictBool = True
    out_of_scope: Literal["pass", "exclude", "fail"] | None = None
    allow_missing_context: StrictBool = False
    mode: Mode = Mode.STRICT
    terms: InstanceOf[Terms] = Terms(replies=Replies())
    shield: Any = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        share("threshold", self.threshold)  # validated here, so that the message names the setting
        if self.out_of_scope in ("pass", "exclude") and not self.exclude_out_of_scope_statements:
            raise ValueError(
                f'`out_of_scope` is "{self.out_of_scope}", but `exclude_out_of_scope_statements` is'
                " False, which means `fail`; leave one out"
            )
        if self.shield is not None and not callable(getattr(self.shield, "guarded_text", None)):
            raise ValueError(f"`shield` is {shown(self.shield)}; give a Shield")
        # an unset provider is reported first
        if self.resolved_provider and not self.evidence.pieces and not self.allow_missing_context:
            raise ValueError(
                "the context is missing; give `context`, or `allow_missing_context=True` and a"
                " context with each check"
            )
        return self

    @cached_property
    def resolved_provider(self) -> Provider:
        """The provider: `provider` or `ref`, looked up."""
        return _resolve(self.provider, self.ref, self.providers)

    @cached_property
    def evidence(self) -> Evidence:
        """The declared context."""
        return evidence_in(self.context)

    @classmethod
    def from_config(
        cls,
        config: Any,
        *,
        providers: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Self:
        """
        Load a configuration.

        Args:
            config: JSON text, or its content: ``{"guardrails": [...]}``, that list, one of its
                entries, or only an entry's ``config``. The text may lack its outer braces.
            providers: Judges and providers by the references in it.
            settings: Settings of the class that the configuration format does not have.

        Raises:
            PolicyError: It cannot be read, does not have exactly one faithfulness guardrail, or has
                an unknown name; or a setting is wrong.
        """
        return cls(**{**_read(config), **settings}, providers=providers or {})


def evidence_in(context: Any) -> Evidence:
    """
    Return a context as evidence, one passage for each document; JSON in a document is parsed.

    Raises:
        PolicyError: It is neither a text nor a list of texts or of ``{"id", "text"}``.
    """
    if isinstance(context, Evidence):
        return context
    documents = context if isinstance(context, list | tuple) else [context]
    try:
        return evidence_from([one for one in documents if not _is_blank(one)])
    except ShieldError as error:
        raise PolicyError(f"faithfulness: `context`: {error}") from None


def _is_blank(document: Any) -> bool:
    return document is None or (isinstance(document, str) and document.strip() in _BLANK)


def _resolve(provider: Any, ref: Any, providers: Mapping[str, Any]) -> Provider:
    """Return a provider: an object as it is, a judge as `ModelProvider`, a reference by lookup."""
    resolved = provider if ref is None else ref
    if resolved is None:
        raise ValueError("`ref` (or `provider`) is required")
    if None not in (provider, ref) and provider != ref:  # the alias may repeat the provider
        raise ValueError("`ref` and `provider` differ; give one of the two")
    choices = {_LEXICAL: LexicalProvider(), **providers}
    if isinstance(resolved, str) and resolved not in choices:
        hint = suggest_name(resolved, choices, otherwise="give it in `providers`")
        raise ValueError(f"no provider is named `{escaped(resolved)}`; {hint}")
    resolved = choices[resolved] if isinstance(resolved, str) else resolved
    if callable(getattr(resolved, "steps", None)):
        return cast("Provider", resolved)
    if not callable(resolved):
        raise ValueError(f"{shown(resolved)} is not a judge; give a callable or its reference")
    return ModelProvider(resolved)


def _read(config: Any) -> dict[str, Any]:
    """Return the settings of the one guardrail in a configuration."""
    parsed = _parse(config)
    if isinstance(parsed, Mapping) and "guardrails" in parsed:
        require_fields("configuration", parsed, ("guardrails",))
        parsed = parsed["guardrails"]
    entries = [parsed] if isinstance(parsed, Mapping) else parsed
    if not isinstance(entries, list) or not all(isinstance(one, Mapping) for one in entries):
        raise PolicyError(f"guardrail: got {shown(parsed)}; give an object with `guardrails`")
    if (ids := [one.get("id", _ID) for one in entries]) != [_ID]:
        listed = ", ".join(map(shown, ids)) or "none"
        raise PolicyError(f"guardrail: got {listed}; load one entry of `{_ID}` alone")
    entry, switches = entries[0], {}
    if "config" in entry or "id" in entry:
        require_fields("guardrail", entry, (*_SWITCHES, "id", "config"))
        switches = {name: entry[name] for name in _SWITCHES if name in entry}
        entry = entry.get("config", {})
        if not isinstance(entry, Mapping):
            raise PolicyError(f"guardrail: `config` is {shown(entry)}; give an object")
    require_fields("config", entry, _CONFIG)
    return {**switches, **entry}


def _parse(config: Any) -> Any:
    if isinstance(config, bytes):
        config = config.decode("utf-8", "replace")
    if not isinstance(config, str):
        return config
    # a byte order mark, and the comma after an entry that was copied from a list
    text = config.lstrip("\ufeff").strip()[:_LONGEST].rstrip(",")
    try:
        # the format's documents are shown without their outer braces
        return json.loads(f"{{{text}}}" if text.startswith('"guardrails"') else text)
    except (ValueError, RecursionError) as error:
        raise PolicyError(f"guardrail: this is not JSON: {escaped(str(error))}") from None

"""Rules for cloud operations: regions, sizes, network access, production and tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.policy.rule import Rule
from abs_shield.policy.rule_factory import (
    Tools,
    build_rule,
    exact_number,
    has_failed,
    one_of_text,
    quoted_names,
    sentence_subject,
    word_set,
)
from abs_shield.session import Session
from abs_shield.text.destinations import is_everything
from abs_shield.text.exact_values import all_within, is_same_value
from abs_shield.text.failure_results import is_failure_result
from abs_shield.text.json_leaves import items, json_data, leaves, texts
from abs_shield.text.normal_form import normal

_PRODUCTION = ("prod", "production")
# names of environments and tags are short; matching a glob against a long text is slow
_LONGEST = 500
_MOST = 1_000_000  # more values than a judged call can have, so that all are read


def allowed_regions(regions: Iterable[str], *, tool: Tools, parameter: str = "region") -> Rule:
    """
    Resources are created only in allowed regions.

    >>> allowed_regions(["eu-west-1", "eu-central-1"], tool="create_vm").sentence
    '`region` is one of eu-central-1, eu-west-1.'
    """
    allowed = word_set(regions, of="cloud.allowed_regions")

    def check(region: Any) -> bool:
        return all(text in allowed for text in texts(region))

    sentence = f"{quoted_names(parameter)} is {one_of_text(allowed)}."
    return build_rule(check, tool=tool, takes={"region": parameter}, sentence=sentence)


def at_most_instances(
    most: int, *, tool: Tools, parameter: str = "count", what: str | None = None
) -> Rule:
    """
    A number of machines, replicas or workers has an upper limit.

    >>> at_most_instances(10, tool="scale", parameter="replicas").sentence
    '`replicas` is at most 10.'
    """
    limit = exact_number(most, of="cloud.at_most_instances")

    def check(count: Any) -> bool:
        return all_within(count, most=limit)

    sentence = f"{sentence_subject(what, parameter)} is at most {limit:f}."
    return build_rule(
        check, tool=tool, takes={"count": parameter}, sentence=sentence, tries=(float(limit),)
    )


def no_wildcards(*, tool: Tools, parameter: str = "resource") -> Rule:
    """
    A resource, an action or a policy document contains no ``*`` at any depth.

    >>> no_wildcards(tool="delete_bucket").sentence
    '`resource` holds no `*`.'
    """

    def check(resource: Any) -> bool:
        # Anywhere in a text, because a glob such as `logs-*` selects many resources as well.
        return not any(
            "*" in leaf for _, leaf in leaves(resource, most=_MOST) if isinstance(leaf, str)
        )

    sentence = f"{quoted_names(parameter)} holds no `*`."
    return build_rule(
        check, tool=tool, takes={"resource": parameter}, sentence=sentence, tries=("a", "*")
    )


def not_open_to_all(*, tool: Tools, parameter: str = "cidr") -> Rule:
    """
    A network is not the whole internet, nor do several networks cover it together.

    A text may list several networks. Texts that are not networks pass, unless they end in ``/0``.

    >>> not_open_to_all(tool="open_port").sentence
    '`cidr` is not the whole internet, 0.0.0.0/0 or ::/0.'
    """

    def check(cidr: Any) -> bool:
        return not is_everything(texts(cidr))

    sentence = f"{quoted_names(parameter)} is not the whole internet, 0.0.0.0/0 or ::/0."
    return build_rule(
        check,
        tool=tool,
        takes={"cidr": parameter},
        sentence=sentence,
        tries=("10.0.0.0/8", "0.0.0.0/0"),
    )


def not_production_without(
    approval: str,
    *,
    tool: Tools,
    parameter: str = "environment",
    production: Iterable[str] = _PRODUCTION,
) -> Rule:
    """
    Production may be changed only after the tool *approval* has succeeded in this session.

    A result such as ``{"status": "denied"}`` counts as a failure.

    Args:
        production: Names or globs of production environments, such as ``prod-*``; letter case is
            ignored.

    >>> not_production_without("request_approval", tool="deploy").sentence
    '`environment` is one of prod, production only after `request_approval`.'
    """
    approvals = word_set([approval], of="cloud.not_production_without")
    globs = sorted(
        name.casefold() for name in word_set(production, of="cloud.not_production_without")
    )

    def check(environment: Any, session: Session) -> bool:
        names = [text[:_LONGEST].casefold().strip() for text in texts(environment)]
        touched = any(fnmatchcase(name, glob) for name in names for glob in globs)
        # Anywhere earlier in the session: an approval covers all later steps.
        return not touched or any(
            done.tool in approvals
            and not done.error
            and not is_failure_result(json_data(done.value))
            for done in session.executed
        )

    sentence = (
        f"{quoted_names(parameter)} is {one_of_text(globs)} only after {quoted_names(approval)}."
    )
    return build_rule(check, tool=tool, takes={"environment": parameter}, sentence=sentence)


def dry_run_first(*, tool: Tools, parameter: str = "dry_run") -> Rule:
    """
    A change is preceded by a dry run with otherwise equal arguments.

    A call without the parameter is not a dry run.

    >>> dry_run_first(tool="apply").sentence
    'It runs with `dry_run` true first, all else being equal.'
    """

    def check(call: ToolCall, session: Session, trial: Any = None) -> bool:
        arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
        others = {name: value for name, value in arguments.items() if name != parameter}
        # `is True`, because the tool may read 1 and "true" differently.
        return trial is True or any(
            done.tool == call.name
            and _has_equal_arguments(done.arguments, {**others, parameter: True})
            and not has_failed(done)
            for done in session.executed
        )

    sentence = f"It runs with {quoted_names(parameter)} true first, all else being equal."
    return build_rule(check, tool=tool, takes={"trial": parameter}, sentence=sentence)


def _has_equal_arguments(arguments: Mapping[str, Any], required: Mapping[str, Any]) -> bool:
    return arguments.keys() == required.keys() and all(
        is_same_value(arguments[name], value) for name, value in required.items()
    )


def required_tags(names: Iterable[str], *, tool: Tools, parameter: str = "tags") -> Rule:
    """
    A created resource has the required tags; empty and unreadable tags count as missing.

    Tags may be an object, a list of ``{"key", "value"}`` objects with keys in any letter case, or
    ``name=value`` texts.

    >>> required_tags(["owner", "team"], tool="create_vm").sentence
    '`tags` hold `owner` and `team`.'
    """
    required = word_set(names, of="cloud.required_tags")

    def check(tags: Any = None) -> bool:
        return required <= set(_tags(tags))

    # "and", because all of them are required.
    tag_names = quoted_names(sorted(required)).replace(" or ", " and ")
    sentence = f"{quoted_names(parameter)} hold {tag_names}."
    return build_rule(check, tool=tool, takes={"tags": parameter}, sentence=sentence)


def _tags(tags: Any) -> Iterator[str]:
    """Return the names of the tags that have a value."""
    return (name.strip() for name, value in _pairs(tags) if _has_content(value))


def _pairs(tags: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(tags, Mapping):
        yield from ((str(name), value) for name, value in tags.items())
        return
    for item in items(tags):
        if isinstance(item, Mapping):
            fields = {str(name).casefold(): field for name, field in item.items()}
            yield from ((name, fields.get("value")) for name in texts(fields.get("key")))
        elif isinstance(item, str):
            # One text may contain several pairs: `owner=ann,team=web`.
            pairs = (pair.partition("=") for pair in item.split(","))
            yield from ((name, value) for name, _, value in pairs)


def _has_content(value: Any) -> bool:
    """Return whether a value contains more than whitespace and invisible characters."""
    values = (leaf for _, leaf in leaves(value) if leaf is not None)
    # `normal` removes zero-width characters.
    return any(not isinstance(leaf, str) or normal(leaf[:_LONGEST]).strip() for leaf in values)

"""Rules for messages: recipients and their number, and complete texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from abs_shield.policy.rule import Rule
from abs_shield.policy.rule_factory import (
    Tools,
    build_rule,
    exact_number,
    one_of_text,
    parameters,
    quoted_names,
    word_set,
)
from abs_shield.text.destinations import domains, people
from abs_shield.text.json_leaves import items, texts
from abs_shield.text.normal_form import normal

Parameters = str | Iterable[str]
"""One or several parameters; those that a call does not have are ignored."""

# All line breaks of `str.splitlines`, and NUL, which ends a text in C.
_LINES = re.compile("[\n\r\v\f\0\x1c-\x1e\x85\u2028\u2029]")
# Bounded repeats, so that a text of many brackets takes linear time.
_BLANK = re.compile(
    r"\{\{[^{}\n]{0,60}\}\}"
    r"|[\[<](?:your|my|insert|enter|recipient|sender)(?:['\u2019]s)?[ _-][^\[\]<>\n]{1,60}[\]>]"
    # Not before a parenthesis: `[name](link)` is Markdown.
    r"|\[(?:name|date|time|company|title|position|address|phone|signature)\](?!\()",
    re.IGNORECASE,
)


def recipients_within(allowed: Any, *, tool: Tools, parameter: Parameters = "to") -> Rule:
    """
    Every address belongs to an allowed domain; ``*.example.org`` allows its subdomains.

    All addresses in a text are read, including those in a display name. Other values, such as
    user ids, are not judged.

    >>> recipients_within(["example.org"], tool="send", parameter=["to", "cc"]).sentence
    'The domain of every address in `to` or `cc` is example.org.'
    """
    allowed_domains = {
        domain.casefold() for domain in word_set(allowed, of="messaging.recipients_within")
    }
    whole = sorted(allowed_domains)
    # With the dot, so that `*.example.org` does not allow `badexample.org`.
    suffixes = tuple(sorted(domain[1:] for domain in allowed_domains if domain.startswith("*.")))

    def check(**arguments: Any) -> bool:
        addressed = [
            name for value in arguments.values() for text in texts(value) for name in domains(text)
        ]
        return all(name in whole or name.endswith(suffixes) for name in addressed)

    takes = parameters(parameter, of="messaging.recipients_within")
    sentence = (
        f"The domain of every address in {quoted_names(takes)} is {one_of_text(allowed_domains)}."
    )
    return build_rule(
        check,
        tool=tool,
        takes=takes,
        sentence=sentence,
        tries=[*(f"ann@{name}" for name in whole), "ann@elsewhere.invalid"],
    )


def at_most_recipients(most: int, *, tool: Tools, parameter: Parameters = "to") -> Rule:
    """
    A message has a limited number of recipients in all its parameters together.

    >>> at_most_recipients(20, tool="send", parameter=["to", "cc"]).sentence
    'A message has at most 20 recipients in `to` and `cc`.'
    """
    limit = exact_number(most, of="messaging.at_most_recipients")

    def check(**arguments: Any) -> bool:
        return sum(map(_recipients, arguments.values())) <= limit

    takes = parameters(parameter, of="messaging.at_most_recipients")
    parameter_names = quoted_names(takes).replace(" or ", " and ")
    sentence = f"A message has at most {limit:f} recipients in {parameter_names}."
    return build_rule(check, tool=tool, takes=takes, sentence=sentence, tries=("ann@example.org",))


def not_empty(*, tool: Tools, parameter: str = "body") -> Rule:
    """
    A text or a list is not empty; whitespace and invisible characters count as empty.

    >>> not_empty(tool="send").sentence
    '`body` is not empty.'
    """

    def check(content: Any) -> bool:
        if isinstance(content, list | dict):
            return bool(content)
        return not isinstance(content, str) or bool(normal(content[:_MOST_CHARACTERS]).strip())

    sentence = f"{quoted_names(parameter)} is not empty."
    return build_rule(
        check, tool=tool, takes={"content": parameter}, sentence=sentence, tries=("", "a")
    )


def one_line(*, tool: Tools, parameter: Parameters = "subject") -> Rule:
    """
    A header is one line, because a line break would begin another header.

    >>> one_line(tool="send").sentence
    '`subject` is one line.'
    """

    def check(**arguments: Any) -> bool:
        return not any(_LINES.search(text) for value in arguments.values() for text in texts(value))

    takes = parameters(parameter, of="messaging.one_line")
    return build_rule(
        check,
        tool=tool,
        takes=takes,
        sentence=f"{quoted_names(takes)} is one line.",
        tries=("a", "a\nb"),
    )


def length_at_most(characters: int, *, tool: Tools, parameter: str = "body") -> Rule:
    """
    A text has at most *characters* characters.

    >>> length_at_most(160, tool="send_sms", parameter="text").sentence
    '`text` has at most 160 characters.'
    """
    most = exact_number(characters, of="messaging.length_at_most")

    def check(content: Any) -> bool:
        return all(len(text) <= most for text in texts(content))

    sentence = f"{quoted_names(parameter)} has at most {most:f} characters."
    return build_rule(
        check, tool=tool, takes={"content": parameter}, sentence=sentence, tries=(float(most),)
    )


def no_blanks(*, tool: Tools, parameter: Parameters = "body") -> Rule:
    """
    A text has no unfilled placeholder such as ``[Your Name]``, ``{{name}}``, ``<insert date>``.

    Placeholders in brackets are recognised only in English.

    >>> no_blanks(tool="send").sentence
    '`body` has no blank left to fill in, such as [Your Name] or {{name}}.'
    """

    def check(**arguments: Any) -> bool:
        return not any(_BLANK.search(text) for value in arguments.values() for text in texts(value))

    takes = parameters(parameter, of="messaging.no_blanks")
    sentence = (
        f"{quoted_names(takes)} has no blank left to fill in, such as [Your Name] or {{{{name}}}}."
    )
    return build_rule(check, tool=tool, takes=takes, sentence=sentence, tries=("a", "[Your Name]"))


# a longer text is not empty in practice
_MOST_CHARACTERS = 100_000


def _recipients(value: Any) -> int:
    entries = [item for item in items(value) if item is not None]
    # A value that is not a text, such as an id or an object, is one recipient.
    return sum(people(item) if isinstance(item, str) else 1 for item in entries)

"""Words that an interface puts before an identifier: ``refs/tags/v1``, ``spotify:track:2X48``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from abs_shield.text.identifier_words import singular

_INTERFACE = frozenset(
    "id ids uid uuid ref refs head tag remote origin upstream api rest v projects project location "
    "zone region global bucket object topic subscription namespace resource entity item record row "
    "file folder document doc drive page post issue pull commit branch merge request release "
    "user customer client account member group team org organization tenant order invoice payment "
    "transaction ticket case event calendar message thread channel room contact device vehicle "
    "product place people track album artist playlist episode show spotify youtube watch video "
    "arn aws amzn iam sqs sns lambda dynamodb ec2 rds ecs eks function instance role policy table "
    "queue urn uri url doi isbn orcid pmid pmcid arxiv abs pdf abstract patent gid node model job "
    "pod service deployment deploy configmap secret statefulset image container volume network "
    "http https www mailto tel sms geo dev slack jira zendesk github gitlab bitbucket notion "
    "linear salesforce hubspot stripe gmail outlook teams openai anthropic google meta mistralai "
    "llama huggingface npm pypi docker library gcp azure s3 appointment slot schedule patient "
    "practitioner encounter observation booking reservation shipment parcel employee student "
    "course assignment supplier vendor asset claim contract lead opportunity login external sis "
    "lms crm erp".split()
)
"""Names of kinds and services, but not of persons, owners, environments or permissions."""
_STORES = re.compile(r"\A(?:s3|gs|gcs)://(?=[^/]+/?\Z)")
_ENDPOINTS = frozenset("host hostname endpoint server broker peer node url uri".split())
_ENDPOINT = re.compile(r"([^:/]+):(\d{2,5})")
# The ids of arXiv have only digits, with a full stop.
_ARXIV = re.compile(r"\d{4}\.\d{4,5}(?:v\d+)?")
_SELF_TELLING = re.compile(r"[^\W_][\w-]{6,}[^\W_]")
_CHANGES = re.compile(r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")
_LEAST_CHANGES = 3  # changes between letters and digits; names such as web2day have two


def is_kind_word(word: str) -> bool:
    """
    Return whether a step before an identifier only states its kind.

    >>> [is_kind_word(word) for word in ("place_id", "orders", "refs", "mallory", "prod", "admin")]
    [True, True, True, False, False, False]
    >>> is_kind_word("sis_login_id"), is_kind_word("admin_id")  # a key of an interface, a role
    (True, False)
    """
    return all(
        part in _INTERFACE or singular(part) in _INTERFACE for part in re.split(r"[-_ ]", word)
    )


def is_distinctive_code(step: str) -> bool:
    """
    Return whether a code is distinctive by itself: letters and digits in random order.

    >>> [is_distinctive_code(step) for step in ("2x485t9z5", "dqw4w9wgxcq", "hello-40", "12345678")]
    [True, True, False, False]
    """
    if _ARXIV.fullmatch(step) is not None:
        return True
    if _SELF_TELLING.fullmatch(step) is None:
        return False
    return len(_CHANGES.findall(step)) >= _LEAST_CHANGES


def without_store(text: str) -> str:
    """
    Return the name of a bucket without the scheme of its store.

    >>> without_store("s3://logs-7/"), without_store("s3://logs-7/a.csv")
    ('logs-7', 's3://logs-7/a.csv')
    """
    bare = _STORES.sub("", text)
    return text if bare == text else bare.rstrip("/")


def host_and_port(text: str, words: Iterable[str]) -> tuple[str, ...]:
    """
    Return the host and the port of an endpoint, if the field's name has one of the *words*.

    >>> host_and_port("web-7:8080", ["host"]), host_and_port("inv-7:8080", ["invoice", "id"])
    (('web-7', '8080'), ())
    """
    match = _ENDPOINT.fullmatch(text)
    if match is None or _ENDPOINTS.isdisjoint(words):
        return ()
    return match.groups()

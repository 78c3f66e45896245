"""Steps of a path, a URL or a reference: positions to cut it, and steps without a mention."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from posixpath import normpath
from urllib.parse import unquote

from abs_shield.text.identifier_words import singular

_PLAIN = re.compile(r"[^\W\d_]{1,24}(?:[-_ ][^\W\d_]{1,24}){0,2}")
_CONVENTIONAL = frozenset(
    "readme readme.md readme.rst readme.txt license license.md license.txt changelog changelog.md "
    "contributing.md makefile dockerfile docker-compose.yml docker-compose.yaml compose.yaml "
    "package.json package-lock.json tsconfig.json pyproject.toml setup.py setup.cfg "
    "requirements.txt pipfile cargo.toml cargo.lock go.mod go.sum pom.xml build.gradle gemfile "
    "composer.json cmakelists.txt index.html index.js index.ts main.py app.py __init__.py "
    "__main__.py conftest.py main.go main.rs lib.rs .gitignore .env.example robots.txt "
    "sitemap.xml favicon.ico llms.txt codeowners values.yaml chart.yaml src lib test tests docs "
    "app public assets static config scripts build dist bin examples components utils packages "
    "node_modules .github templates".split()
)

_REVISION = re.compile(
    r"(?:(?:fetch_|orig_|merge_)?head|@)(?:[~^]\d{0,4})*|@\{\w{1,12}\}", re.IGNORECASE
)
_ALIKE = 0.6  # the cutoff of `difflib.get_close_matches`; mio and mia have 0.67


def cut_positions(path: str) -> list[int]:
    """
    Return the positions where a path may be cut, last first; a URL keeps its host.

    >>> cut_positions("https://x.org/a/b"), cut_positions("/etc/app/a.txt")
    ([15, 13], [8, 4])
    """
    scheme = path.find("://")
    # 1, because a path is not cut at its root.
    first = path.find("/", scheme + 3) if scheme >= 0 else 1
    if first < 0:
        return []
    return [at for at in range(len(path) - 1, first - 1, -1) if path[at] == "/"]


def is_plain_step(step: str) -> bool:
    """
    Return whether a step consists of words, without digits or a file extension.

    >>> [is_plain_step(step) for step in ("releases", "place_id", "a1b2", "b.txt")]
    [True, True, False, False]
    """
    return _PLAIN.fullmatch(step.strip(".")) is not None


def is_conventional(step: str) -> bool:
    """
    Return whether many projects have a file or folder of this name.

    >>> is_conventional("README.md"), is_conventional("report.md")
    (True, False)
    """
    return step.casefold() in _CONVENTIONAL


def resolve_parent_steps(path: str) -> str:
    """
    Return the destination of a path with a parent step after a named one; else empty.

    >>> [resolve_parent_steps(path) for path in ("/srv/app/../x", "/srv/app%2f..", "../a", "a")]
    ['/srv/x', '/srv', '', '']
    """
    plain = unquote(path.strip()).replace("\\", "/")
    # Most paths have no parent step; in a URL, the server decides what it means.
    if "/.." not in plain or "://" in plain:
        return ""
    way = normpath(plain)
    steps = [step for step in plain.split("/") if step not in ("", ".")]
    leading = next((n for n, step in enumerate(steps) if step != ".."), len(steps))
    return way if ".." in steps[leading:] else ""


def is_revision(text: str) -> bool:
    """
    Return whether a revision is relative to the current one, as in version control.

    >>> [is_revision(text) for text in ("HEAD~1", "@{u}", "HEAD^^", "main")]
    [True, True, True, False]
    """
    return _REVISION.fullmatch(text.strip()) is not None


def is_misspelt_path(path: str, other: str) -> bool:
    """
    Return whether *path* is *other* with one step misspelt.

    >>> is_misspelt_path("/srv/mio/a.pdf", "/srv/mia/a.pdf")
    True
    >>> is_misspelt_path("/srv/lib", "/srv/src")
    False
    """
    steps, others = path.split("/"), other.split("/")
    apart = [pair for pair in zip(steps, others, strict=False) if pair[0] != pair[1]]
    return len(steps) == len(others) and len(apart) == 1 and _have_similar_spelling(*apart[0])


def _have_similar_spelling(one: str, other: str) -> bool:
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


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

"""One record of the decision log, sealed to the one before it: a chain for each writer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from math import isfinite
from typing import Any, NamedTuple, TypeVar

from abs_shield.core import Decision
from abs_shield.core.canonical import canonical
from abs_shield.core.label import Label
from abs_shield.errors import StoreError
from abs_shield.stores.patterns import Pattern, pattern_of
from abs_shield.text.show import escaped, told

T = TypeVar("T")

SCHEMA_VERSION = 1
_COLUMN = 256


class Kind(StrEnum):
    """What does a record hold?"""

    DECISION = "decision"
    LABEL = "label"
    REPORT = "report"
    SCORE = "score"
    GAP = "gap"
    PRUNED = "pruned"


class Entry(NamedTuple):
    """
    What is to be recorded, not yet sealed.

    Attributes:
        body: Canonical JSON.
        at: Seconds since the epoch.
        pattern: Under which a decision is counted; None of anything else.
    """

    kind: Kind
    at: float
    body: str
    decision_id: str = ""
    session_id: str = ""
    tool: str = ""
    verdict: str = ""
    pattern: Pattern | None = None


class Score(NamedTuple):
    """
    The quality score of one output.

    Attributes:
        at: When it was scored, in seconds since the epoch.
        agent: The agent that wrote the output; empty where nobody is named.
        task_type: What the output is; empty where it was not said.
        model: The model that wrote it; empty where none is named.
        score: From 0 to 100.
    """

    at: float
    agent: str
    task_type: str
    model: str
    score: float


class Row(NamedTuple):
    """
    A record as it is kept.

    Attributes:
        writer: The chain it belongs to.
        seq: Its place in that chain, from 1.
        digest: Hex digits of the seal over *sealed*.
        sealed: Canonical JSON of ``{body, kind, previous, schema_version, seq, writer}``;
            *previous* is the digest of the record before it, empty for the first. The other
            columns repeat what stands in it, so that it can be found.
    """

    writer: str
    seq: int
    kind: str
    at: float
    decision_id: str
    session_id: str
    tool: str
    verdict: str
    digest: str
    sealed: str

    def opened(self) -> dict[str, Any]:
        """Give what was sealed."""
        read: dict[str, Any] = json.loads(self.sealed)
        return read

    def read(self, make: Callable[[Any], T]) -> T:
        """
        Give what *make* makes of the body.

        Raises:
            Damaged: The record is none, or a newer version wrote it.
        """
        try:
            sealed = self.opened()
            version = sealed["schema_version"]
            if version <= SCHEMA_VERSION:
                return make(sealed["body"])
            why = f"it has schema_version {version}, this abs-shield knows {SCHEMA_VERSION}"
        except Exception as error:  # anything may stand in a database
            why = unreadable(error)
        raise Damaged(
            f"record {escaped(str(self.seq), limit=40)} of chain {escaped(str(self.writer))} cannot"
            f" be read: {escaped(why, limit=200)}; run `abs-shield log verify`"
        )


class Damaged(StoreError):
    """A record that cannot be read."""


def unreadable(error: Exception) -> str:
    """
    Return why a record cannot be read, in the words of the log and not of a library.

    >>> unreadable(KeyError("schema_version")), unreadable(TypeError("list indices"))
    ('it has no `schema_version`', 'a field of it has the wrong type')
    """
    match error:
        case json.JSONDecodeError() | RecursionError() | UnicodeError():
            return "it is not valid JSON"
        case KeyError():
            return f"it has no `{error.args[0] if error.args else ''}`"
        case ValueError() | StoreError():
            return str(error)
        case TypeError() | AttributeError() | IndexError() | OverflowError():
            return "a field of it has the wrong type"
        case _:  # a fault of the program's own keeps its name
            return told(error)


class Head(NamedTuple):
    """
    The newest record of a chain.

    Attributes:
        writer: The chain.
        seq: The record's place in it; 0 before the first one.
        digest: Its digest.
        seal: The seal over these, so that no head is written without the key; empty without one.
    """

    writer: str
    seq: int = 0
    digest: str = ""
    seal: str = ""


class Seal:
    """
    Digests a text: SHA-256, or HMAC-SHA-256 where there is a key.

    >>> Seal()("a")[:8], Seal(b"secret")("a")[:8]
    ('ca978112', '4048c449')
    """

    def __init__(self, key: bytes | None = None) -> None:
        import hashlib  # it loads OpenSSL, which a start does not need
        import hmac

        self.keyed = key is not None
        self._started = hashlib.sha256() if key is None else hmac.new(key, digestmod="sha256")

    def head(self, writer: str, seq: int, digest: str) -> Head:
        """Return the head of a chain, sealed where there is a key."""
        return Head(writer, seq, digest, self(f"{writer}:{seq}:{digest}") if self.keyed else "")

    def __call__(self, text: str) -> str:
        digest = self._started.copy()
        digest.update(text.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def chained(entries: Iterable[Entry], head: Head, seal: Seal) -> tuple[list[Row], Head]:
    """Seal *entries* behind *head*; give them as rows, and the head that they make."""
    writer, seq, previous, _ = head
    rows = []
    for entry in entries:
        seq += 1
        sealed = (
            f'{{"body":{entry.body},"kind":"{entry.kind}","previous":"{previous}",'
            f'"schema_version":{SCHEMA_VERSION},"seq":{seq},"writer":"{writer}"}}'
        )
        previous = seal(sealed)
        rows.append(
            Row(
                writer, seq, entry.kind.value, entry.at, entry.decision_id, entry.session_id,
                entry.tool, entry.verdict, previous, sealed,
            )
        )  # fmt: skip
    return rows, seal.head(writer, seq, previous)


def column(text: str) -> str:
    r"""
    Give *text* as a column can hold it: cut, no NUL, no half characters.

    >>> column("a\x00b\ud800")
    'a\\x00b\\ud800'
    """
    if text.isascii() and len(text) <= _COLUMN and "\0" not in text:
        return text
    head = text[:_COLUMN].replace("\0", "\\x00")
    return head.encode("utf-8", "backslashreplace").decode()


def decision_entry(decision: Decision) -> Entry:
    """Give the entry of a decision."""
    return Entry(
        Kind.DECISION,
        decision.at if isfinite(decision.at) else 0.0,
        decision.to_json(),
        column(decision.id),
        column(decision.session_id),
        column(decision.tool),
        decision.verdict.value,
        pattern_of(decision),
    )


def label_entry(label: Label) -> Entry:
    """Give the entry of a label."""
    return Entry(Kind.LABEL, label.at, canonical(label.to_dict()), column(label.decision_id))


def report_entry(decision: Decision, report: Mapping[str, Any]) -> Entry:
    """Return the entry of the report on an answer, which stands beside its decision."""
    at = decision.at if isfinite(decision.at) else 0.0
    of = {"at": at, "decision_id": decision.id, "session_id": decision.session_id}
    return Entry(
        Kind.REPORT,
        at,
        canonical({**of, "report": report}),
        column(decision.id),
        column(decision.session_id),
    )


def score_entry(score: Score) -> Entry:
    """Return the entry of a quality score."""
    return Entry(Kind.SCORE, score.at if isfinite(score.at) else 0.0, canonical(score._asdict()))


def time_of(kind: str, body: Mapping[str, Any]) -> float:
    """
    Give the time of a record as its sealed body has it, in seconds since the epoch.

    >>> time_of("gap", {"dropped": 3, "last_at": 5.0}), time_of("decision", {"at": "NaN"})
    (5.0, 0.0)
    """
    names = {Kind.GAP.value: ("last_at",), Kind.PRUNED.value: ("at", "before")}.get(kind, ("at",))
    at = next((body[name] for name in names if name in body), 0.0)
    try:
        return float(at) if isinstance(at, (int, float)) and isfinite(at) else 0.0
    except OverflowError:  # a whole number that no float holds
        return 0.0

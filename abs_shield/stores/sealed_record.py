"""Records of the decision log, sealed into a hash chain per writer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from math import isfinite
from typing import Any, NamedTuple, TypeVar

from abs_shield.core import Decision
from abs_shield.core.digest import canonical
from abs_shield.core.label import Label
from abs_shield.errors import StoreError
from abs_shield.stores.decision_patterns import DecisionPattern, pattern_of
from abs_shield.text.safe_display import describe_exception, escaped

T = TypeVar("T")

SCHEMA_VERSION = 1  # raised when a record changes so that an older reader would misread it
# escaped to at most 1,536 bytes: PostgreSQL refuses index entries above some 2,700
_LONGEST_COLUMN = 256


class RecordKind(StrEnum):
    """The kinds of records."""

    DECISION = "decision"
    LABEL = "label"
    REPORT = "report"
    SCORE = "score"
    GAP = "gap"
    PRUNED = "pruned"


class StoreEntry(NamedTuple):
    """
    Content to record, not yet sealed.

    Attributes:
        kind: The kind of record.
        at: Seconds since the epoch.
        body: Canonical JSON.
        decision_id: The id of the decision, like the next three for queries only.
        session_id: The id of the session.
        tool: The name of the tool.
        verdict: The verdict of the decision.
        pattern: The pattern under which a decision is counted; None for other kinds.
    """

    kind: RecordKind
    at: float
    body: str
    decision_id: str = ""
    session_id: str = ""
    tool: str = ""
    verdict: str = ""
    pattern: DecisionPattern | None = None


class ScoreRecord(NamedTuple):
    """
    The quality score of one output.

    Attributes:
        at: When it was scored, in seconds since the epoch.
        agent: The agent that wrote the output; empty if unknown.
        task_type: The type of the output; empty if unknown.
        model: The model that wrote it; empty if unknown.
        score: From 0 to 100.
    """

    at: float
    agent: str
    task_type: str
    model: str
    score: float


class LogGap:
    """Records that were lost at one position of the log."""

    __slots__ = ("dropped", "first_at", "last_at", "reason")

    def __init__(self, at: float, reason: str) -> None:
        self.dropped = 1
        self.first_at = self.last_at = at
        self.reason = reason

    def more(self, at: float) -> None:
        """Count one more lost record."""
        self.dropped += 1
        self.last_at = at

    def entry(self) -> StoreEntry:
        """Return the entry that is written in place of the lost records."""
        body = {
            "dropped": self.dropped, "first_at": self.first_at, "last_at": self.last_at,
            "reason": self.reason,
        }  # fmt: skip
        return StoreEntry(RecordKind.GAP, self.last_at, canonical(body))


class SealedRow(NamedTuple):
    """
    A record as it is stored.

    Attributes:
        writer: The chain it belongs to.
        seq: Its number in that chain, from 1.
        digest: Hex digits of the seal over *sealed*.
        sealed: Canonical JSON of ``{body, kind, previous, schema_version, seq, writer}``;
            *previous* is the digest of the previous record, empty for the first. The other
            columns repeat parts of it for queries.
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

    def parse_sealed(self) -> dict[str, Any]:
        """Return the sealed content."""
        sealed: dict[str, Any] = json.loads(self.sealed)
        return sealed

    def read(self, make: Callable[[Any], T]) -> T:
        """
        Return the body, parsed by *make*.

        Raises:
            Damaged: The record is malformed, or a newer version wrote it.
        """
        try:
            sealed = self.parse_sealed()
            version = sealed["schema_version"]
            if version <= SCHEMA_VERSION:
                return make(sealed["body"])
            why = (
                f"it has schema_version {version}, this abs-shield supports up to {SCHEMA_VERSION}"
            )
        except Exception as error:  # a database may contain anything
            why = read_failure(error)
        raise Damaged(
            f"record {escaped(str(self.seq), limit=40)} of chain {escaped(str(self.writer))} cannot"
            f" be read: {escaped(why, limit=200)}; run `abs-shield log verify`"
        )


class Damaged(StoreError):
    """A record that cannot be read."""


def read_failure(error: Exception) -> str:
    """
    Return why a record cannot be read, as a message about the log rather than a library's.

    >>> read_failure(KeyError("schema_version")), read_failure(TypeError("list indices"))
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
        case _:  # an error of the program itself keeps its name
            return describe_exception(error)


class Head(NamedTuple):
    """
    The newest record of a chain.

    Attributes:
        writer: The chain.
        seq: The record's number in it; 0 for an empty chain.
        digest: Its digest.
        seal: The seal over these, so that no head can be forged; empty without a key.
    """

    writer: str
    seq: int = 0
    digest: str = ""
    seal: str = ""


class Seal:
    """
    The digest of a text: SHA-256, or HMAC-SHA-256 with a key.

    >>> Seal()("a")[:8], Seal(b"secret")("a")[:8]
    ('ca978112', '4048c449')
    """

    def __init__(self, key: bytes | None = None) -> None:
        import hashlib  # not at the top: it loads OpenSSL, which slows down the import
        import hmac

        self.keyed = key is not None
        self._started = hashlib.sha256() if key is None else hmac.new(key, digestmod="sha256")

    def head(self, writer: str, seq: int, digest: str) -> Head:
        """Return the head of a chain, sealed if there is a key."""
        return Head(writer, seq, digest, self(f"{writer}:{seq}:{digest}") if self.keyed else "")

    def __call__(self, text: str) -> str:
        digest = self._started.copy()  # the key is hashed once, not once per record
        # a model's text may have lone surrogates
        digest.update(text.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def seal_entries(
    entries: Iterable[StoreEntry], head: Head, seal: Seal
) -> tuple[list[SealedRow], Head]:
    """Seal *entries* after *head*; return them as rows, and the new head."""
    writer, seq, previous, _ = head
    rows = []
    for entry in entries:
        seq += 1
        # written by hand in the order of canonical JSON: the body is JSON already, and this saves
        # encoding it a second time
        sealed = (
            f'{{"body":{entry.body},"kind":"{entry.kind}","previous":"{previous}",'
            f'"schema_version":{SCHEMA_VERSION},"seq":{seq},"writer":"{writer}"}}'
        )
        previous = seal(sealed)
        rows.append(
            SealedRow(
                writer, seq, entry.kind.value, entry.at, entry.decision_id, entry.session_id,
                entry.tool, entry.verdict, previous, sealed,
            )
        )  # fmt: skip
    return rows, seal.head(writer, seq, previous)


def column_text(text: str) -> str:
    r"""
    Return *text* in a form that a column can store: truncated, without NUL and lone surrogates.

    >>> column_text("a\x00b\ud800")
    'a\\x00b\\ud800'
    """
    # nearly every id and name
    if text.isascii() and len(text) <= _LONGEST_COLUMN and "\0" not in text:
        return text
    head = text[:_LONGEST_COLUMN].replace("\0", "\\x00")
    return head.encode("utf-8", "backslashreplace").decode()


def decision_entry(decision: Decision) -> StoreEntry:
    """Return the entry for a decision."""
    return StoreEntry(
        RecordKind.DECISION,
        decision.at if isfinite(decision.at) else 0.0,
        decision.to_json(),
        column_text(decision.id),
        column_text(decision.session_id),
        column_text(decision.tool),
        decision.verdict.value,
        pattern_of(decision),
    )


def label_entry(label: Label) -> StoreEntry:
    """Return the entry for a label."""
    return StoreEntry(
        RecordKind.LABEL, label.at, canonical(label.to_dict()), column_text(label.decision_id)
    )


def report_entry(decision: Decision, report: Mapping[str, Any]) -> StoreEntry:
    """Return the entry for the report on an answer, stored together with its decision."""
    at = decision.at if isfinite(decision.at) else 0.0
    ids = {"at": at, "decision_id": decision.id, "session_id": decision.session_id}
    return StoreEntry(
        RecordKind.REPORT,
        at,
        canonical({**ids, "report": report}),
        column_text(decision.id),
        column_text(decision.session_id),
    )


def score_entry(score: ScoreRecord) -> StoreEntry:
    """Return the entry for a quality score."""
    return StoreEntry(
        RecordKind.SCORE, score.at if isfinite(score.at) else 0.0, canonical(score._asdict())
    )


def sealed_time(kind: str, body: Mapping[str, Any]) -> float:
    """
    Return the time in a record's sealed body, in seconds since the epoch.

    >>> sealed_time("gap", {"dropped": 3, "last_at": 5.0}), sealed_time("decision", {"at": "NaN"})
    (5.0, 0.0)
    """
    names = {RecordKind.GAP.value: ("last_at",), RecordKind.PRUNED.value: ("at", "before")}.get(
        kind, ("at",)
    )
    at = next((body[name] for name in names if name in body), 0.0)
    try:
        return float(at) if isinstance(at, (int, float)) and isfinite(at) else 0.0
    except OverflowError:  # an integer too large for a float
        return 0.0

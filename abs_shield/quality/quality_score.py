"""The rule-based quality score of an output, 0 to 100, and the sample of outputs it is for."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from pydantic import ConfigDict

from abs_shield.policy.declaration_base import Declaration, Int
from abs_shield.text.sentences import sentences

Structure = Literal["headings", "list", "table", "json"]

_MOST_SENTENCES = 5_000  # a book; more is data, and would only cost memory
_LEAST_REPEATED = 20  # shorter ones are headings and phrases such as "See below."
"""Minimum length of a sentence that is not repeated by chance."""
_ARTEFACTS = re.compile(
    "\ufffd|[\u00c2\u00c3][\u0080-\u00bf]|\u00e2\u20ac[\u0080-\u2122]|"
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\\u[0-9a-fA-F]{4}|&(?:amp|lt|gt|quot|nbsp|#\d{2,5});|"
    r"<\|[a-z_]{2,30}\|>|\[/?INST\]"
)
"""Wrongly decoded characters, escapes and tokens of a chat template."""
_ENDS = frozenset(".!?:;)]}\"'`*_|>\u2026\u3002\uff01\uff1f\u201d\u2019")
_HEADING = re.compile(r"^#{1,6} \S|^\S[^\n]{0,80}\n[=-]{3,}$", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+\S", re.MULTILINE)
_RULE = re.compile(
    r"^[ \t]*\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t]*:?-{3,}:?[ \t]*)*\|?[ \t]*$", re.MULTILINE
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_EACH_ARTEFACT = 0.1
"""Deduction per artefact; ten or more give the lowest score."""


class ScoreConfig(Declaration):
    """
    The expected length and structure of an output.

    Attributes:
        shortest: Minimum number of characters.
        longest: Maximum number of characters.
        structure: The required structure: headings, a list, a table, or only JSON.
        json_schema: The JSON Schema of its JSON; implies ``structure="json"``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    shortest: Int = 1
    # 30 pages: longer outputs are mostly a model that repeats itself
    longest: Int = 100_000
    structure: Structure | None = None
    json_schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class QualityScore:
    """
    The score of one output.

    Attributes:
        value: The mean of its parts, 0 to 100.
        parts: Each part, 0 to 100.
        problems: The reasons for deductions, one line each, without quotations of the output.
    """

    value: float
    parts: Mapping[str, float] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def score_quality(text: str, config: ScoreConfig) -> QualityScore:
    """
    Score an output by rules.

    >>> score_quality("The report is ready. It covers two weeks.", ScoreConfig()).value
    100.0
    >>> score_quality("The caf\\u00c3\\u00a9 opens at nine.", ScoreConfig()).parts["encoding"]
    90.0
    """
    parts, problems = {}, []
    for name, part in PARTS.items():
        share, problem = part(text, config)
        parts[name] = round(100 * share, 1)
        problems += [f"{name}: {problem}"] if problem else []
    return QualityScore(round(sum(parts.values()) / len(parts), 1), parts, tuple(problems))


def with_ratings(score: QualityScore, ratings: Mapping[str, float]) -> QualityScore:
    """
    Return a score with the ratings of a judge, each 0 to 100, as further parts.

    >>> with_ratings(QualityScore(100.0, {"length": 100.0}), {"tone": 50.0}).value
    75.0
    """
    parts = {**score.parts, **ratings}
    return QualityScore(round(sum(parts.values()) / len(parts), 1), parts, score.problems)


def _coherence(text: str, config: ScoreConfig) -> tuple[float, str]:
    """Deduct for repeated sentences, an end in mid-sentence and open brackets."""
    some = [one.casefold() for one in islice(sentences(text), _MOST_SENTENCES)]
    long = [one for one in some if len(one) >= _LEAST_REPEATED]
    repeated = sum(times - 1 for times in Counter(long).values())
    share = 1.0 - (repeated / len(long) if long else 0.0)
    problems = [f"{repeated} sentences are repeated"] if repeated else []
    # a list may end without a full stop
    if text.strip() and text.rstrip()[-1] not in _ENDS and not _ITEM.search(text[-300:]):
        # weighs more than a bracket: the reader misses text
        share, problems = share - 0.2, [*problems, "it ends in mid-sentence"]
    if any(text.count(left) != text.count(right) for left, right in _PAIRS.items()):
        share, problems = share - 0.1, [*problems, "a bracket is not closed"]
    return max(share, 0.0), ", ".join(problems)


def _length(text: str, config: ScoreConfig) -> tuple[float, str]:
    size = len(text.strip())
    if size < config.shortest:
        return size / config.shortest, f"{size} characters, at least {config.shortest} expected"
    if size > config.longest:
        return config.longest / size, f"{size} characters, at most {config.longest} expected"
    return 1.0, ""


def _structure(text: str, config: ScoreConfig) -> tuple[float, str]:
    if config.json_schema is not None or config.structure == "json":
        return _json(text, config.json_schema)
    forms = {"headings": _HEADING, "list": _ITEM, "table": _RULE}
    form = forms.get(config.structure or "")
    if form is None or form.search(text):
        return 1.0, ""
    return 0.0, f"it has no {config.structure}"


def _json(text: str, schema: Mapping[str, Any] | None) -> tuple[float, str]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return 0.0, "it is not JSON"
    if schema is None:
        return 1.0, ""
    from abs_shield.schema import compile_schema  # lazily: the compiler is rarely needed

    problems = compile_schema(dict(schema)).problems(value)
    return (0.0, "it does not match the JSON Schema") if problems else (1.0, "")


def _encoding(text: str, config: ScoreConfig) -> tuple[float, str]:
    artefacts = sum(1 for _ in islice(_ARTEFACTS.finditer(text), 100))  # ten give 0 already
    share = max(0.0, 1.0 - _EACH_ARTEFACT * artefacts)
    return share, f"{artefacts} encoding artefacts" if artefacts else ""


PARTS: dict[str, Callable[[str, ScoreConfig], tuple[float, str]]] = {
    "coherence": _coherence, "length": _length, "structure": _structure, "encoding": _encoding,
}  # fmt: skip
"""The parts of the score, each with its share in [0, 1] and its problem."""


def is_sampled(output_id: str, rate: float) -> bool:
    """
    Return whether an output is in the sample; the same id is always in or always out.

    Args:
        output_id: Id of the output.
        rate: Share of outputs that are sampled, in [0, 1].

    >>> [is_sampled("a-1", rate) for rate in (0.0, 1.0)]
    [False, True]
    """
    from hashlib import blake2b  # not at the top: it loads OpenSSL, which slows down the import

    # a hash, not `random`: a repeated output must give the same result, in every process
    digest = blake2b(output_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) < rate * 2**64
